"""The rules of Preferans one by one, each in a deal that is brought to the point in question.

Source: docs/rules/preferans.md
"""

import numpy as np
import pytest

from stichwerk.envs import RulesError, SetupError, make_game, preferans_v0
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games.preferans.state import Outcome, discards_of, hand_of, talon_of
from tests.envs.games.preferans.model import names, own, received
from tests.envs.support import assert_same, legal, over, refused, true_state

# Seat 2 deals, so seats 0, 1, 2 call in this order; of four players seat 2 sits out and 3, 0, 1 call.
# Seat 0 gets the spades, seat 1 the hearts, seat 2 the diamonds, two clubs each; two clubs are the talon.
HANDS = (
    "sA sK sQ sJ sT",
    "hA hK hQ hJ hT",
    "dA dK dQ dJ dT",
    "c8 c7",
    "s9 s8 s7 cA cK",
    "h9 h8 h7 cQ cJ",
    "d9 d8 d7 cT c9",
)
DECK = " ".join(HANDS).split()


def after(*actions: str, deck=DECK, match=None, episode: str = "deal", **rules):
    env = preferans_v0.raw_env(rules, episode)
    env.reset(seed=1, options={"deck": deck, "dealer": 2, "match": match, "actions": [*actions]})
    return env


def number(game: int, *actions: str, before=(), **kwargs):
    """The first to call (after those who pass before) wins with 2, puts the talon away, declares a game."""
    passes = ["pass"] * (2 - len(before))
    return after(*before, "bid 2", *passes, "discard c8", "discard c7", f"declare {game}", *actions, **kwargs)


def hand_game(name: str, *actions: str, **kwargs):
    return after(f"igra {name}", "pass", "pass", *actions, **kwargs)


def acting(env) -> int:
    return int(env.agent_selection[-1])


def sheet(own=(100, 100, 100), refas=(0, 0, 0), written=0) -> dict:
    return {"own": list(own), "refas": list(refas), "refas_written": written}


# The auction


def test_the_first_choice():
    assert legal(after()) == ["pass", "bid 2", "igra", "igra betl", "igra sans"]
    assert legal(after(enable_preferans=True))[-1] == "igra preferans"


def test_the_later_seat_has_to_pass_at_the_highest_number():
    calls = ["bid 2", "bid 3", "pass"]
    for level in range(3, 7):
        calls += [f"bid {level}", f"bid {level + 1}"]
    held = [*calls, "bid 7"]
    assert legal(after(*held)) == ["pass"]
    assert legal(after(*held, enable_preferans=True)) == ["pass", "bid 8"]


@pytest.mark.parametrize(("rule", "least"), [("off", 2), ("level", 3), ("level_minus_one", 2)])
def test_the_least_hand_game_after_numbers(rule, least):
    env = after("bid 2", "bid 3", "igra", "pass", "pass", igra_min_level=rule)
    assert legal(env) == [f"declare {game}" for game in range(least, 6)]


@pytest.mark.parametrize(("rules", "highest"), [({}, 5), ({"igra_may_declare_notrump": True}, 7)])
def test_the_highest_game_that_plain_igra_may_become(rules, highest):
    assert legal(after("igra", "pass", "pass", **rules))[-1] == f"declare {highest}"
    assert legal(after("igra", "igra", "pass", **rules))[-1] == f"declare {highest}"


@pytest.mark.parametrize(
    ("rules", "answers"),
    [
        ({}, ["pass", "declare 3", "declare 4", "declare 5"]),
        ({"igra_tie": "last"}, ["pass", "declare 2", "declare 3", "declare 4", "declare 5"]),
        ({"igra_tie": "last", "igra_two_needs_first": True}, ["pass", "declare 3", "declare 4", "declare 5"]),
    ],
)
def test_naming_after_a_two(rules, answers):
    assert legal(after("igra", "igra", "pass", "declare 2", **rules)) == answers


def test_plain_igra_may_still_beat_a_betl_where_it_may_go_without_trumps():
    calls = ("igra", "igra betl", "pass")
    assert legal(after(*calls)) == ["pass"]
    assert legal(after(*calls, igra_may_declare_notrump=True)) == ["pass", "declare 7"]
    assert legal(after(*calls, igra_may_declare_notrump=True, igra_tie="last")) == [
        "pass",
        "declare 6",
        "declare 7",
    ]


# Talon and discards


def test_both_orders_of_the_discards_reach_the_same_position():
    one = after("bid 2", "pass", "pass", "discard c8", "discard sA")
    two = after("bid 2", "pass", "pass", "discard sA", "discard c8")
    for agent in one.possible_agents:
        assert_same(one.observe(agent), two.observe(agent))


def test_the_discards_are_offered_from_twelve_cards_and_eleven():
    env = after("bid 2", "pass", "pass")
    assert len(legal(env)) == 12
    env.step("discard sA")
    assert len(legal(env)) == 11


def test_only_the_declarer_knows_the_discards():
    env = after("bid 2", "pass", "pass", "discard c8", "discard sA")
    for seat, agent in enumerate(env.possible_agents):
        view = env.view(agent)[0]
        assert names(discards_of(view)) == ({"c8", "sA"} if seat == 0 else set())
        assert all(action >= 0 for _, action in log_entries(view)[3:5]) == (seat == 0)
        assert names(talon_of(view)) == {"c8", "c7"}, "the talon has been seen by all"


def test_nobody_sees_the_talon_of_a_hand_game():
    env = hand_game("betl")
    assert not any(talon_of(env.view(agent)[0]) for agent in env.possible_agents)


def test_a_number_allows_itself_and_all_above():
    env = after("bid 2", "bid 3", "pass", "pass", "discard c8", "discard c7")
    assert legal(env) == [f"declare {game}" for game in range(3, 8)]


# Who defends, and kontra


def test_defenders_are_asked_in_turn_from_the_declarers_right():
    env = number(2)
    assert (acting(env), legal(env)) == (1, ["come", "stay out"])
    env.step("stay out")
    assert acting(env) == 2
    env.step("come")
    assert (acting(env), legal(env)) == (2, ["alone", "together"])
    env.step("together")
    assert (acting(env), legal(env)) == (2, ["kontra", "accept"])


def test_kontra_goes_to_and_fro():
    env = number(2, "come", "come", "accept")
    assert acting(env) == 2, "the second defender is asked if the first has accepted"
    for seat in (2, 0, 2, 0):
        assert (acting(env), legal(env)) == (seat, ["kontra", "accept"])
        env.step("kontra")
    assert true_state(env)[0].doublings == 4
    assert legal(env)[0].startswith("play")


@pytest.mark.parametrize("most", range(5))
def test_doublings_have_a_limit(most):
    env = number(2, "come", "come", max_kontra=most)
    for _ in range(most):
        env.step("kontra")
    assert legal(env)[0].startswith("play")


def test_who_doubles_alone_takes_the_other_along():
    env = number(2, "come", "stay out", "alone", "kontra", "accept")
    for _ in range(3):
        env.step(legal(env)[0])
    assert true_state(env)[0].tricks.sum() == 1, "three cards are one trick"


def test_betl_is_defended_by_both():
    env = hand_game("betl")
    assert (acting(env), legal(env)) == (1, ["kontra", "accept"])


def test_a_sheet_of_a_long_match_can_be_set():
    env = after(match=sheet(own=(5_000_000, 100, -4_000_000)), episode="match")
    again = preferans_v0.raw_env(None, "match")
    again.reset(seed=1)
    again.restore(env.snapshot())
    assert true_state(again) == true_state(env)


# The plain two


@pytest.mark.parametrize(
    ("custom", "match", "column", "refas", "outcome"),
    [
        ("refa_or_hat_win", sheet(), 100, 1, Outcome.UNPLAYED),
        ("refa_or_hat_win", sheet(written=3), 100, 0, Outcome.UNPLAYED),
        ("refa_or_hat_win", sheet(own=(-6, 100, 100)), -10, 0, Outcome.MADE),
        ("refa_or_win", sheet(written=3), 96, 0, Outcome.MADE),
        ("win", sheet(), 96, 0, Outcome.MADE),
        ("win", sheet(own=(2, 2, -2)), 0, 0, Outcome.MADE),  # no more than the sum
    ],
)
@pytest.mark.parametrize(
    "answers",
    [("stay out", "stay out"), ("come", "stay out", "accept"), ("come", "come", "accept", "accept")],
)
def test_a_plain_two_is_not_played(custom, match, column, refas, outcome, answers):
    env = number(2, *answers, match=match, plain_two=custom)
    assert over(env)
    state = true_state(env)[0]
    assert (own(state)[0], state.refas[0], state.outcome) == (column, refas, outcome)
    assert not received(state).any()
    came = [False, *(answer == "come" for answer in answers[:2])]
    assert env.game.roles(true_state(env))["defender"].tolist() == [came]


def test_a_two_is_played_if_it_was_doubled_or_bears_a_refa():
    assert not over(number(2, "come", "stay out", "kontra", "accept", plain_two="win"))
    assert legal(number(2, "come", "stay out", plain_two="win", match=sheet(refas=(1, 0, 0), written=1))) == [
        "alone",
        "together",
    ]
    assert over(number(2, "come", "come", plain_two="win", max_kontra=0)), (
        "without kontra to wait for it ends at once"
    )


# The play


@pytest.mark.parametrize(
    ("make", "actions", "rules", "leader"),
    [
        (number, (2, "come", "come", "accept", "accept"), {}, 0),  # forehand …
        (
            after,
            (
                *("pass", "bid 2", "pass", "discard c8", "discard c7", "declare 5"),
                *("come", "stay out", "alone", "accept"),
            ),
            {},
            1,
        ),  # … or the next
        (number, (7, "come", "come", "accept", "accept"), {}, 2),  # the declarer's left
        (number, (7, "come", "stay out", "alone", "accept"), {}, 1),  # the lone defender
        (number, (7, "come", "come", "accept", "accept"), {"sans_lead": "forehand_nondeclarer"}, 1),
        (hand_game, ("betl", "accept", "accept"), {}, 0),  # here the declarer leads
    ],
)
def test_first_lead(make, actions, rules, leader):
    env = make(*actions, **rules)
    assert acting(env) == leader
    assert len(legal(env)) == 10


def test_who_cannot_follow_has_to_trump_and_nobody_has_to_beat():
    env = number(3, "come", "come", "accept", "accept", "play sA")
    assert legal(env) == [
        f"play {card}" for card in ("hA", "hT", "hK", "hQ", "hJ", "h9", "h8", "h7", "cQ", "cJ")
    ], "no spade, no trump"
    env.step("play h7")
    assert legal(env) == [f"play d{rank}" for rank in "ATKQJ987"]


def test_the_defence_stops_at_five_tricks():
    env = number(3, "come", "come", "accept", "accept")  # in seat 2's long suit
    while not over(env):
        env.step(legal(env)[0])
    state = true_state(env)[0]
    assert state.outcome == Outcome.FAILED
    assert state.tricks[1] + state.tricks[2] == 5
    assert state.tricks.sum() < 10


def test_betl_stops_with_the_declarers_first_trick():
    env = hand_game("betl", "accept", "accept", "play sA", "play h7", "play d7")
    assert over(env)
    assert list(env.rewards.values()) == pytest.approx([14 * x for x in (-50 / 3, 25 / 3, 25 / 3)])


def test_preferans_stops_with_the_first_trick_of_the_defence():
    env = hand_game("preferans", "accept", "accept", enable_preferans=True)
    env.step("play dA")
    env.step("play s7")
    env.step("play h7")
    assert over(env)
    assert received(true_state(env)[0])[:3, 0].tolist() == [0, 90, 90]


# Four players


def test_the_fourth_sits_out():
    env = after(players=4)
    assert acting(env) == 3
    assert not names(hand_of(true_state(env)[0], 2))
    for action in ("bid 2", "pass", "pass", "discard sA", "discard sK", "declare 3", "stay out", "stay out"):
        assert acting(env) != 2
        env.step(action)
    assert over(env)
    assert list(env.rewards.values()) == pytest.approx([-15, -15, -15, 45])


# Matches


def test_a_match_can_be_stopped_early():
    env = after("pass", "pass", "pass", match=sheet(own=(24, 34, 28)), episode="match", max_hands=1)
    assert over(env)
    assert list(env.rewards.values()) == [40, -50, 10]


def test_the_deal_goes_on_after_an_all_pass():
    env = after("pass", "pass", "pass", episode="match")
    assert (true_state(env)[0].dealer, acting(env)) == (0, 1)
    assert true_state(env)[0].refas.tolist() == [1, 1, 1, 0]


def test_the_cap_ends_a_match():
    env = number(5, "stay out", "stay out", match=sheet(own=(10, 2, -6)), episode="match")
    assert over(env)
    assert own(true_state(env)[0])[:3].tolist() == [4, 2, -6]
    assert list(env.rewards.values()) == [-40, -20, 60]


# Start states and set sheets


@pytest.mark.parametrize("start", [1, 7, 30, 100])
@pytest.mark.parametrize("players", [3, 4])
def test_start_states_are_sheets_that_can_be_set(start, players):
    game = make_game("preferans_v0", {"start": start, "players": players})
    lanes = Lanes(game, 200, start_states=True)
    lanes.seed(1)
    lanes.start()
    for state in lanes.states:
        match = {"own": own(state), "received": received(state)[:players], "refas": state.refas}
        match = {name: numbers[..., :players].tolist() for name, numbers in match.items()}
        game.spec.set_match(
            game.rules_record[0],
            np.zeros(1, game.state)[0],
            {**match, "refas_written": int(state.refas_written)},
        )
    assert start < 30 or len({own(state).tobytes() for state in lanes.states}) > 100


def test_an_impossible_sheet_is_refused(refusals):
    refusals("sheets", refused(lambda match: after(match=match), SetupError))


@pytest.mark.parametrize(
    ("rules", "limit"), [({}, 3), ({"start": 29}, 0), ({"refa_limit": 5}, 5), ({"refa_limit": 0}, 0)], ids=str
)
def test_no_more_refas_are_set_than_the_table_writes(rules, limit):
    """Source: docs/rules/preferans.md#set-sheets"""
    state = true_state(after(match={"refas_written": limit}, **rules))[0]
    assert state.refas_written == limit
    with pytest.raises(SetupError, match=f"refas_written: got {limit + 1}; .* to {limit}") as refusal:
        after(match={"refas_written": limit + 1}, **rules)
    assert "\n" not in str(refusal.value)


def test_the_text_of_a_finished_deal_names_the_players_there_are():
    for players in (3, 4):
        env = after("pass", "pass", "pass", players=players)
        env.render_mode = "ansi"
        over_line = env.render().splitlines()[-1]
        assert over_line == "over      " + ", ".join(f"player_{seat} +0.000" for seat in range(players))


@pytest.mark.parametrize(
    "rules",
    [{"players": 5}, {"max_kontra": True}, {"max_kontra": 5}, {"start": 0}, {"max_hands": 0}],
    ids=str,
)
def test_impossible_rules_are_refused(rules):
    with pytest.raises(RulesError, match=next(iter(rules))):
        make_game("preferans_v0", rules)
