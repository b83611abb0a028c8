"""Records: deals come back as they were, every action is checked, and a seat's record holds what it knew."""

import copy
import json
import random
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.envs import CardGameEnv, make_game
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.jsonl import LONGEST_LINE, read_records, write_records
from stichwerk.envs.records.notation import read_deals, write_deal
from stichwerk.envs.records.replay import RecordReplay, hidden_moves
from stichwerk.support.errors import InputError, SetupError
from tests.envs.support import choose, each_variant, every_variant, over, refused, thoroughly

END = 10**6  # moves, more than a deal has


def played(env: CardGameEnv, seed: int, moves: int) -> CardGameEnv:
    """The environment after so many random moves of an episode."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    while moves and not over(env):
        env.step(choose(env, rng))
        moves -= 1
    return env


def a_deal(moves: int = END, seed: int = 3) -> DealRecord:
    (deal,) = played(CardGameEnv("schnapsen_v0"), seed, moves).deals()
    return deal


SCHNAPSEN = make_game("schnapsen_v0")


# There and back


@each_variant
def test_deals_come_back_as_they_were(variant):
    """Through both forms, and through an environment, within a deal and at its end."""
    env = variant.env()
    for seed, moves in enumerate((0, 3, 9, END)):
        deal = played(env, seed, moves).deals([f"agent {seat}" for seat in range(env.game.seats)])[-1]
        assert (deal.points is not None) == over(env)
        assert [each for _, each in read_records(write_records(env.game, [deal]).splitlines())] == [deal]
        ((game, again),) = read_deals(write_deal(env.game, deal))
        assert (again, game.rules) == (deal, env.game.rules)
        other = variant.env()
        other.reset(seed=99, options=deal.options())
        assert replace(other.deals(deal.players)[-1], number=deal.number) == deal


@every_variant
def test_a_seat_gets_what_it_knows(variant):
    """Its record leads to its view, and is the same for a deal that it cannot tell from the true one."""
    env, other = variant.env(), variant.env()
    player = RecordReplay(env.game)
    for seed, moves in ((1, 5), (2, 14), (3, END)):
        deal = played(env, seed, moves).deals(["someone"] * env.game.seats)[-1]
        for seat in range(env.game.seats):
            own = player.for_seat(deal, seat)
            sights = (player.view(player.check(each), seat).tobytes() for each in (deal, own))
            assert len(set(sights)) == 1
            assert (own.seat, own.number, own.players) == (seat, None, deal.players)
            if not over(env):
                other.reset()
                other.set_state(env.resample(f"player_{seat}", seed))
                (world,) = other.deals()
                twin = replace(deal, deck=world.deck, moves=world.moves)
                assert player.for_seat(twin, seat) == own


def test_a_seat_sees_the_same_at_every_step():
    deal, player = a_deal(), RecordReplay(SCHNAPSEN)
    own = player.for_seat(deal, 1)
    assert own.deck != deal.deck
    for true, drawn in zip(player.states(deal), player.states(own), strict=True):
        assert player.view(true, 1).tobytes() == player.view(drawn, 1).tobytes()


def test_discards_of_others_are_not_shown():
    game, found = make_game("preferans_v0"), 0
    replay = RecordReplay(game)
    for seed in range(30):
        (deal,) = played(CardGameEnv("preferans_v0"), seed, END).deals()
        discards = {n for n, move in enumerate(deal.moves) if move.action.startswith("discard")}
        for seat in range(game.seats) if discards else ():
            own = replay.for_seat(deal, seat)
            is_own = any(deal.moves[n].seat == seat for n in discards)
            assert hidden_moves(game, own, replay.seen(own)) == (set() if is_own else discards)
            found += not is_own
    assert found


def test_what_another_seat_thought_is_left_out():
    deal = a_deal()
    thought = [replace(move, seconds=1.5, values={move.action: 0.25}) for move in deal.moves]
    own = RecordReplay(SCHNAPSEN).for_seat(replace(deal, moves=tuple(thought)), 0)
    assert [move.seconds for move in own.moves] == [None if move.seat else 1.5 for move in deal.moves]
    assert {move.values is None for move in own.moves if move.seat} == {True}
    ((_, again),) = read_records(write_records(SCHNAPSEN, [own]).splitlines())
    assert again == own


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0"])
def test_a_match_is_a_record_of_all_its_deals(env_id):
    """Each leads to the score that the next one begins with; copies keep them, and a reset begins again."""
    env = played(CardGameEnv(env_id, episode="match"), 5, END)
    deals = [each for _, each in read_records(env.record(players=["one"] * env.game.seats).splitlines())]
    assert [deal.number for deal in deals] == list(range(len(deals)))
    assert len(deals) > 2
    assert all(deal.points for deal in deals)
    assert len({json.dumps(deal.match) for deal in deals}) > 1
    player = RecordReplay(env.game)
    for deal in deals:
        player.check(deal)
    assert copy.deepcopy(env).record() == env.record()
    env.reset()
    assert len(env.deals()) == 1


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "gaigel_v0", "snapszer_v0"])
def test_an_environment_goes_to_any_deal_of_a_match(env_id):
    """`reset` takes the record itself, in a match and for one deal."""
    env = played(CardGameEnv(env_id, episode="match"), 5, END)
    match, alone = CardGameEnv(env_id, episode="match"), CardGameEnv(env_id)
    deals = env.deals()
    for deal, later in zip(deals, [*deals[1:], None], strict=True):
        match.reset(options=deal)
        assert replace(match.deals()[0], number=deal.number) == deal
        assert over(match) == (later is None)
        if later:
            assert (match.deals()[1].match, match.deals()[1].dealer) == (later.match, later.dealer)
        alone.reset(seed=9, options=deal)
        assert replace(alone.deals()[0], number=deal.number) == deal
    assert match.rewards == env.rewards


def test_an_environment_refuses_records_that_no_play_leads_to():
    env, deal = played(CardGameEnv("schnapsen_v0"), 3, 4), a_deal()
    kept = env.snapshot()
    for wrong in (
        replace(deal, points=(9.0, -9.0)),
        replace(deal, moves=deal.moves[1:]),
        replace(deal, deck=()),
    ):
        with pytest.raises(InputError):
            env.reset(options=wrong)
        assert env.snapshot() == kept
    with pytest.raises(InputError, match="deck"):
        CardGameEnv("gaigel_v0").reset(options=deal)


def test_a_refused_reset_keeps_the_deals_of_the_match():
    env, rng = CardGameEnv("schnapsen_v0", episode="match"), random.Random(1)
    env.reset(seed=1)
    while len(env.deals()) < 2:
        env.step(choose(env, rng))
    kept = env.record()
    with pytest.raises(SetupError):
        env.reset(options={"dealer": 9})
    assert env.record() == kept


def test_a_seat_of_a_match():
    env = played(CardGameEnv("schnapsen_v0", episode="match"), 5, END)
    own = [each for _, each in read_records(env.record("player_1").splitlines())]
    assert [deal.points for deal in own] == [deal.points for deal in env.deals()]
    assert all(deal.seat == 1 for deal in own)
    assert [deal.deck for deal in own] != [deal.deck for deal in env.deals()]


def test_the_text_for_people():
    deck = "sA hT hQ dQ dK hA sJ sT dJ cK dT hJ cA sK cJ dA cT cQ hK sQ"
    moves = "play sA|play dK|play sT|play cA|claim"
    seats = 0, 1, 0, 1, 0
    deal = DealRecord(
        dealer=1,
        deck=tuple(deck.split()),
        match={"score": [0, 0]},
        moves=tuple(map(Move, seats, moves.split("|"))),
        points=(-3.0, 3.0),
        players=("me", "rules"),
    )
    assert write_deal(SCHNAPSEN, deal) == (
        '[game schnapsen_v0]\n[players ["me", "rules"]]\n[dealer player_1]\n[match {score: [0, 0]}]\n'
        f"[deck {deck}]\n"
        "; player_0  ♠A ♠T ♥T ♥Q ♦J\n; player_1  ♥A ♦T ♦K ♦Q ♣K\n; stock, 9 cards face down  ♠J ?\n"
        "1. player_0 play sA; player_1 play dK\n2. player_0 play sT; player_1 play cA\n3. player_0 claim\n"
        "[points -3 +3]\n"
    )


@pytest.mark.parametrize("write", [write_records, write_deal])
@pytest.mark.parametrize("start", ["\ufeff", "\n \n", "\ufeff\r\n"])
def test_files_as_editors_leave_them(write, start, tmp_path):
    """With a byte-order mark, or with empty lines before the first."""
    deal = a_deal()
    text = write(SCHNAPSEN, [deal] if write is write_records else deal)
    (tmp_path / "deals").write_text(start + text, encoding="utf-8")
    assert [each for _, each in read_file(tmp_path / "deals")] == [deal]


def test_names_that_could_not_be_read_back_are_not_written(refusals):
    env = played(CardGameEnv("schnapsen_v0"), 3, 4)
    long = {"long": ["me", "a" * 100_000]}
    refusals("record_names", refused(lambda players: env.record(players=iter(players))), long)


def test_the_longest_line_is_read_back(tmp_path):
    env = played(CardGameEnv("schnapsen_v0"), 3, 4)
    line = env.record(players=["me", ""]).splitlines()[1]
    players = ["me", "a" * (LONGEST_LINE - len(line))]
    (tmp_path / "deal").write_text(env.record(players=players))
    ((_, deal),) = read_file(tmp_path / "deal")
    assert deal == env.deals(players)[0]


def test_several_games_in_one_file():
    deals = [a_deal(seed=seed) for seed in (1, 2)]
    other = CardGameEnv("sixty_six_v0", {"claims": "auto"})
    third = played(other, 1, END).deals()
    lines = (write_records(SCHNAPSEN, deals) + "\n" + write_records(other.game, third)).splitlines()
    read = list(read_records(lines))
    assert [deal for _, deal in read] == [*deals, *third]
    assert [game.env_id for game, _ in read] == ["schnapsen_v0", "schnapsen_v0", "sixty_six_v0"]
    assert read[2][0].rules == other.game.rules
    text = "".join(write_deal(game, deal) for game, deal in read)
    assert [deal for _, deal in read_deals(text)] == [deal for _, deal in read]


# What is wrong is told


def lines_of(deal: DealRecord) -> list[dict]:
    return [json.loads(line) for line in write_records(SCHNAPSEN, [deal]).splitlines()]


def test_wrong_lines(refusals):
    def read(given: tuple[int, dict]) -> None:
        (number, change), events = given, lines_of(a_deal())
        events[number] |= change
        list(read_records(json.dumps(event) for event in events))

    refusals("record_lines", refused(read), {"many digits": (-1, {"points": [10**400, 1]})})


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["{"], "line 1: not JSON"),
        (["[]"], "line 1: got []; expected an event, one of game, deal, move, result"),
        (
            ['{"event": "deal", "dealer": 0, "match": {}, "deck": []}'],
            "got a deal; expected a game before it",
        ),
        (['{"event": "result", "points": []}'], "line 1: got a result; expected a deal before it"),
        (["", " " * 200_000], "line 2: got 200,000 characters; expected at most 100,000"),
        ([f'{{"event": {"[" * 1000}{"]" * 1000}}}'], "line 1: too deep"),
    ],
)
def test_lines_that_are_no_record(lines, complaint):
    with pytest.raises(InputError, match=r"^line \d") as error:
        list(read_records(lines))
    assert complaint in str(error.value)


def test_no_deal_goes_on_after_its_result_or_for_ever():
    events = lines_of(a_deal())
    with pytest.raises(InputError, match="got a move; expected a deal before it"):
        list(read_records(map(json.dumps, [*events, events[2]])))
    with pytest.raises(InputError, match="expected at most"):
        list(read_records(map(json.dumps, [*events[:2], *[events[2]] * 1000])))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"deck": ("sA",) * 20}, "deck: duplicate card sA"),
        ({"deck": ()}, "deck: "),
        ({"match": {"score": [7, 0]}}, "match score: got [7, 0]; expected"),
        ({"moves": (Move(0, "exchange"),)}, "move 1: got player_0 'exchange'; expected player_"),
        ({"moves": ()}, "points: got [2.0, -2.0]; expected none, as the deal goes on"),
        ({"points": (3.0, -3.0)}, "points: got [3.0, -3.0]; expected [2.0, -2.0]"),
        ({"points": None}, "points: got none; expected [2.0, -2.0]"),
    ],
)
def test_what_no_play_leads_to(change, complaint):
    deal = a_deal(seed=0)
    assert deal.points == (2.0, -2.0)
    with pytest.raises(InputError) as error:
        RecordReplay(SCHNAPSEN).check(replace(deal, **change))
    assert complaint in str(error.value)


def test_moves_after_the_end():
    deal = a_deal()
    more = replace(deal, moves=(*deal.moves, deal.moves[0]))
    with pytest.raises(InputError, match="expected the end of the deal"):
        RecordReplay(SCHNAPSEN).check(more)


def test_texts_that_are_no_record(refusals):
    refusals("record_texts", refused(lambda text: list(read_deals(text))))


@given(st.data())
@thoroughly
def test_spoiled_records_are_refused_or_read(data):
    """Whatever is changed in one place: it is a record of a deal that can be played, or InputError."""
    events = lines_of(a_deal(6))
    event = data.draw(st.sampled_from(events))
    name = data.draw(st.sampled_from(sorted(event)))
    junk = st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**70), 2**70)
        | st.floats()
        | st.text(max_size=4)
        | st.sampled_from(["sA", "play sA", "deal", "move", "game", "close", "schnapsen_v0"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
        max_leaves=6,
    )
    if isinstance(event[name], list) and data.draw(st.booleans()):
        event[name][data.draw(st.integers(0, len(event[name]) - 1))] = data.draw(junk)
    else:
        event[name] = data.draw(junk)
    with suppress(InputError):
        for game, deal in read_records(json.dumps(each) for each in events):
            RecordReplay(game).check(deal)
