"""Diagrams of Schnapsen columns: printed ones are read, and positions go out and come in equal."""

import random
from dataclasses import replace

import pytest

from stichwerk.envs import make_game
from stichwerk.envs.bridges.diagrams import read_diagrams, write_diagram, write_diagrams
from stichwerk.envs.deal import Deal
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

SIDESTEP = """\
Concealed cards:
♠ A
♥ AQ
♣ Q
♦ KQ
Your cards:
♠ —
♥ TJ
♣ AK
♦ A
Trump: ♠J
Stock: Open, 1 face-down card
Game points: Tibor 4, You 4
Trick points: Tibor 20, You 25
On lead: You
"""  # psellos.com/schnapsen/blog/2022/09/154-sidestep.html
EDGE = (
    "Unseen cards: ♠ AQ ♥ TK ♣ TK ♦ — Your cards: ♠ TJ ♥ — ♣ AQ ♦ K Trump: ♦J Stock: 1 face-down card "
    "Game points: Emmi 4, You 6 Trick points: Emmi 34, You 32 On lead: You"
)  # psellos.com/schnapsen/blog/2013/06/064-edge.html
EXHAUSTED = (
    "Your cards: sTJ hK cQ dK Opponent's cards: sA hT cTK dJ Trump: d Stock: Exhausted "
    "Trick points: Emmi 34, You 46 On lead: You"
)
RULES = [
    ("schnapsen_v0", None),
    ("schnapsen_v0", "schnapsen_tournament"),
    ("schnapsen_v0", "schnapsen_vu"),
    ("sixty_six_v0", None),
    ("sixty_six_v0", "sixty_six_german"),
    ("sixty_six_v0", "sixty_six_bulgarian"),
]


def played(game: Game, seed: int) -> DealRecord:
    """A deal by random actions; marriages, exchanges and closing are more likely, claims are late."""
    rng = random.Random(seed)
    deal = Deal(game.env_id, game.rules.as_dict(), seed=seed)
    while not deal.is_over:
        liked = [action for action in deal.legal_actions if action.startswith(("meld", "exchange", "close"))]
        others = [action for action in deal.legal_actions if action != "claim"] or deal.legal_actions
        deal.push(rng.choice(liked if liked and rng.random() < 0.4 else others))
    return deal.record()


def comes_back(game: Game, record: DealRecord, step: int) -> bool:
    line = write_diagram(game, record, step)
    ((found, back),) = read_diagrams(line)
    after = len(line.partition(" Play: ")[2].split(", ")) if " Play: " in line else 0
    assert found.rules == game.rules
    assert [move.action for move in record.moves][len(record.moves) - after :] == [
        move.action for move in back.moves[len(back.moves) - after :]
    ]
    assert back.points == record.points
    return write_diagram(found, back, len(back.moves) - after) == line


@pytest.mark.parametrize(("env_id", "rules"), RULES, ids=lambda each: str(each))
def test_positions_of_any_rules_come_back_equal(env_id, rules):
    game = make_game(env_id, rules)
    for seed in range(2):
        record = played(game, seed)
        for step in (0, len(record.moves) // 2):
            assert comes_back(game, record, step)


def test_whole_deals_come_back_but_for_the_order_within_a_hand():
    game = make_game("schnapsen_v0")
    deals = [played(game, seed) for seed in range(12)]
    for one, (_, two) in zip(deals, read_diagrams(write_diagrams(game, deals)), strict=True):
        assert sorted(two.deck) == sorted(one.deck)
        assert two.deck[11:] == one.deck[11:]
        assert replace(two, deck=one.deck) == one


@pytest.mark.slow
def test_a_thousand_positions_and_deals_come_back_equal():
    wrong, count = [], 0
    for env_id, rules in RULES:
        game = make_game(env_id, rules)
        for seed in range(1_000, 1_060):
            record = played(game, seed)
            for step in {0, random.Random(seed).randrange(len(record.moves)), len(record.moves)}:
                count += 1
                if not comes_back(game, record, step):
                    wrong.append((env_id, rules, seed, step))
    assert count > 1_000
    assert not wrong


def test_a_printed_diagram_is_a_position_of_your_seat():
    deal = Deal.read(SIDESTEP)
    assert deal.record().players == ("You", "Tibor")
    view, state = deal.view(0), deal.state[0]
    assert deal.seat == 0
    assert set(view.legal_actions) == {
        "play hT",
        "play hJ",
        "play cA",
        "play cK",
        "play dA",
        "close",
        "claim",
    }
    assert ([*state.points], [*state.score]) == ([25, 20], [3, 3])
    line = write_diagram(deal.game, replace(deal.record(), seat=0))
    assert line.startswith(
        "Concealed cards: ♠A ♥AQ ♣Q ♦KQ Your cards: ♥TJ ♣AK ♦A Trump: ♠J Stock: Open, 1 face-"
    )


def test_marriages_that_a_column_does_not_print_are_found():
    ((game, record),) = read_diagrams(EDGE)
    (meld,) = [move for move in record.moves if move.action.startswith("meld")]
    assert sum(Deal.of(game, record).state[0].points) == 66
    assert (meld.seat, meld.action) in [
        (1, "meld s"),
        (1, "meld h"),
        (1, "meld c"),
        (0, "meld c"),
        (0, "meld s"),
    ]


def test_an_exhausted_stock_needs_no_card_under_it():
    ((game, record),) = read_diagrams(EXHAUSTED)
    state = Deal.of(game, record).state[0]
    assert record.seat is None
    assert (int(state.indicator), int(state.tricks.sum())) == (-1, 5)


def test_a_diagram_shows_a_seat_what_it_knows():
    """Two deals that differ in what is hidden from seat 1 have the same diagram for it."""
    deal = Deal("schnapsen", seed=3)
    other = [*deal.record().deck]
    state = deal.state[0]
    own = {deal.game.pack.names[card] for card in range(24) if int(state.hand[1]) >> card & 1}
    hidden = [place for place, card in enumerate(other) if card not in own and place != 6]
    for one, two in zip(hidden, hidden[::-1], strict=True):
        if one < two:
            other[one], other[two] = other[two], other[one]
    seen = [
        write_diagram(deal.game, replace(deal.record(), seat=1, deck=tuple(deck)))
        for deck in (deal.record().deck, other)
    ]
    assert seen[0] == seen[1]
    assert "Opponent's cards" not in seen[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("♠J", "♠"), "Trump: got '♠'; expected the card under the stock"),
        (("Trump: ♠J", ""), "got no 'Trump'"),
        (("TJ", "TX"), "Your cards: got 'hX'; expected cards such as"),
        (("You 25", "You 24"), "trick points: got 44 together; expected the 45 of the cards taken"),
        (("1 face-down card", "2 face-down cards"), "stock: got 2 face-down cards"),
        (("♦ A\n", "♦ \n"), "cards: got 4 in your hand and 5 in the other one"),
        (("♥ TJ", "♥ AJ"), "diagram: got hA twice"),
        (("Tibor 20, You 25", "Tibor 45, You 0"), "to which no deal leads"),
        (("Tibor 4, You 4", "Tibor 8, You 4"), "Game points: got 8 and 4; expected 1 to 7"),
        (("Open", "Closed"), "Stock: got a closed one without 'Closed by'"),
        (
            ("On lead: You", "On lead: You Play: play sA"),
            "play, action 1: got 'play sA'; expected one of play hT",
        ),
        (("Trump:", "Trump: ♠J Trump:"), "Trump: got it twice"),
        (
            ("On lead: You", "On lead: You Game: gaigel_v0"),
            "diagram: got gaigel_v0; expected one of schnapsen_v0",
        ),
        (("On lead: You", "On lead: You Exchanged: Tibor ♥A"), "Exchanged: got 'Tibor ♥A'; expected"),
        (("On lead: You", "On lead: You Marriages: Tibor ♥Q"), "Marriages: got 'Tibor ♥Q'; expected"),
    ],
)
def test_what_is_no_position_is_refused(change, says):
    assert change[0] in SIDESTEP
    text = SIDESTEP.replace(*change)
    with pytest.raises(InputError) as error:
        list(read_diagrams(text))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_position_that_no_play_leads_to_is_refused():
    impossible = EXHAUSTED.replace("Emmi 34, You 46", "Emmi 80, You 0")
    with pytest.raises(InputError, match="to which no deal leads"):
        list(read_diagrams(f"; a comment\n{EXHAUSTED}\n{impossible} Tricks: Emmi 1, You 4\n"))


def test_other_games_have_no_diagram():
    deal = Deal("gaigel", seed=1)
    with pytest.raises(InputError, match="expected one of schnapsen_v0, sixty_six_v0"):
        write_diagram(deal.game, deal.record())
