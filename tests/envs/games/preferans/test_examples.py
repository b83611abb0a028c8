"""The worked examples of docs/rules/preferans.md: auctions call by call, scored hands, and a whole match.

The hands and the match are data: `examples.json` and `match.json`.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from stichwerk.envs import make_game, preferans_v0
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.games.preferans.scoring import (
    score_all_pass,
    score_hand,
    score_plain_two,
    score_undefended,
    share_out_rest,
)
from stichwerk.envs.games.preferans.state import STATE
from tests.envs.games.preferans.model import own, received
from tests.envs.support import legal

HERE = Path(__file__).parent
EXAMPLES = {example["id"]: example for example in json.loads((HERE / "examples.json").read_text())}
*SHEETS, FINAL = json.loads((HERE / "match.json").read_text())
SEATS = "ABCD"


# The auction. Seat 2 deals, so seats 0, 1, 2 call in this order. m: hold, (P): the only call,
# name: in the naming phase.
# Source: docs/rules/preferans.md#auctions
TRACES = {
    "T1": ("2 P P", "player_0 at 2"),
    "T2": ("2 3 P m3 P", "player_0 at 3"),
    "T3": ("2 3 4 m4 5 6 m6 7 (P) m7 (P)", "player_0 at 7"),
    "T4": ("2 3 4 P m4 5 m5 P", "player_1 at 5"),
    "T5": ("P P 2", "player_2 at 2"),
    "T6": ("P P P", "all pass"),
    "T7": ("2 IGRA P (P)", "player_1 with igra"),
    "T8": ("IGRA IGRA P name3 name5 (P)", "player_1 igra 5"),
    "T9": ("IGRA IGRA IGRA name5 (P) (P)", "player_0 igra 5"),
    "T10": ("IGRA BETL P (P)", "player_1 igra 6"),
    "T11": ("P BETL SANS (P)", "player_2 igra 7"),
    "T12": ("2 IGRA IGRA (P) name4 P", "player_1 igra 4"),
    "T13": ("P 2 3 m3 4 m4 P", "player_1 at 4"),
    "T14": ("IGRA IGRA P name4 name4 (P)", "player_1 igra 4"),
}
WORDS = {"P": "pass", "(P)": "pass", "IGRA": "igra", "BETL": "igra betl", "SANS": "igra sans"}


def call(word: str) -> str:
    return WORDS.get(word) or (
        f"declare {word[4]}" if word.startswith("name") else f"bid {word.removeprefix('m')}"
    )


def auction(calls: str, **rules):
    """The table after these calls."""
    env = preferans_v0.raw_env(rules)
    env.reset(seed=1, options={"dealer": 2})
    for word in calls.split():
        if word == "(P)":
            assert legal(env) == ["pass"]
        env.step(call(word))
    return env


def outcome(env) -> str:
    state = env.snapshot()["state"]
    if state["declarer"] == NONE:
        return "all pass" if state["over"] else "open"
    kind = (
        f"igra {state['game']}" if state["game"] else "with igra" if state["igra"] else f"at {state['level']}"
    )
    return f"player_{state['declarer']} {kind}"


@pytest.mark.parametrize("trace", TRACES)
def test_auction(trace):
    calls, expected = TRACES[trace]
    tie = {"igra_tie": "last"} if trace == "T14" else {}
    words = calls.split()
    for said in range(len(words)):
        assert outcome(auction(" ".join(words[:said]), **tie)) == "open", "nobody has won yet"
    assert outcome(auction(calls, **tie)) == expected


# Source: docs/rules/preferans.md#illegal-calls
ILLEGAL = [
    ("", "3"),  # the first number is 2
    ("2", "2"),
    ("2", "4"),
    ("2 3", "3"),  # a later player cannot hold …
    ("2 3 P", "4"),  # … and an earlier one only hold
    ("2 3 P", "IGRA"),  # after an own number
    ("2 P 3", "BETL"),
    ("P SANS", "BETL"),
    ("IGRA IGRA P", "P"),  # the first to name has to
    ("IGRA BETL P", "name5"),
]


@pytest.mark.parametrize(("calls", "wrong"), ILLEGAL)
def test_illegal_call(calls, wrong):
    assert call(wrong) not in legal(auction(calls))


# Scored hands. Source: docs/rules/preferans.md#hands


def sheet(rules: dict, before: dict) -> tuple[np.record, np.record]:
    """The rules, and a hand without contract on a score sheet. The declarer is A, forehand unless said."""
    game = make_game("preferans_v0", rules)
    state = STATE.fresh.copy()[0]
    state.dealer, state.match = game.seats - 1, 1
    for seat, number in enumerate(before["own"]):
        state.sheet[seat, seat] = number
    state.refas[: game.seats] = before["refa"]
    state.refas_written = before["refas_written"]
    return game.rules_record[0], state


def contract(state: np.record, hand: dict) -> None:
    """Write a hand of the examples, played to its end, into the state."""
    defenders = [seat for seat in range(3) if seat != hand["decl"]]
    mode = hand.get("mode")
    came = {"sam": [hand.get("lead")], "zajedno": [hand.get("lead")], "drop": []}.get(mode, defenders)
    state.declarer, state.game, state.igra = hand["decl"], hand["k"], hand.get("igra", False)
    state.came = sum(1 << seat for seat in came)
    state.doublings = hand.get("kontra", 0)
    if state.doublings:
        state.taker = state.doubler = hand["kontrer"]
    elif mode == "zajedno":
        state.taker = hand["lead"]
    for name, tricks in hand.get("tricks", {}).items():
        state.tricks[SEATS.index(name)] = tricks


def supe(state: np.record) -> dict[str, int]:
    return {
        f"{SEATS[p]}<-{SEATS[d]}": int(received(state)[p, d])
        for p in range(4)
        for d in range(4)
        if received(state)[p, d]
    }


@pytest.mark.parametrize("number", EXAMPLES)
def test_scored_hand(number):
    example = EXAMPLES[number]
    players, hand, after = example["players"], example["hand"], example["after"]
    rules, state = sheet(
        {"players": players, "start": example["bula"], **example["options"]}, example["before"]
    )
    if hand:
        contract(state, hand)
        (score_undefended if hand.get("mode") == "drop" else score_hand)(rules, state)
    elif "plain 2" in example["note"]:
        contract(state, {"decl": 0, "k": 2})
        score_plain_two(rules, state)
    elif "early stop" in example["note"]:
        share_out_rest(rules, state)
        state.over = 1
    else:
        score_all_pass(rules, state)
    assert own(state)[:players].tolist() == after["own"]
    assert supe(state) == after["supe"]
    assert state.refas[:players].tolist() == after["refa"]
    assert state.refas_written == after["refas_written"]
    assert state.over == after["over"]


def hand_of(number: str, **rules) -> np.record:
    """The state after an example under other rules."""
    example = EXAMPLES[number]
    record, state = sheet({"start": example["bula"], **example["options"], **rules}, example["before"])
    contract(state, example["hand"])
    score_hand(record, state)
    return state


def test_two_who_came_may_owe_two_tricks_each():
    """E47: E03, but C has none."""
    assert own(hand_of("E03", two_defender_quota="each_two"))[:3].tolist() == [90, 100, 110]


def test_only_the_doubler_may_be_paid_for_a_failed_betl():
    """E48: E40c."""
    assert supe(hand_of("E40c", betl_kontra_supe="kontra_only")) == {"B<-A": 120}


def test_the_presets_of_clubs_score_their_own_examples():
    """E39, the example of iklub.rs, with 6 left; a game of 8 is not greater than 8. E40b, example 6 of the
    club rules. E25: a column of zero is not negative, so refas are written."""
    assert own(hand_of("E39", preset="iklub"))[:3].tolist() == [26, 2, -6]
    example = EXAMPLES["E39"]
    rules, state = sheet({"preset": "iklub"}, {**example["before"], "own": [10, 4, -6]})
    contract(state, example["hand"])
    score_hand(rules, state)
    assert own(state)[:3].tolist() == [18, 4, -6]
    for preset in ("iklub", "serbian_club"):
        assert own(hand_of("E40b", preset=preset))[:3].tolist() == [76, 124, 100]
        rules, state = sheet({"preset": preset, "start": 60}, EXAMPLES["E25"]["before"])
        score_all_pass(rules, state)
        assert state.refas[:3].tolist() == [1, 1, 1]


def test_an_offer_agreed_to_is_scored_as_played():
    """E45: A 5♣, B alone offers three tricks, A agrees."""
    env = auction("2 P P", trick_offer=True)
    discards = legal(env)[:2]
    for action in (*discards, "declare 5", "come", "stay out", "alone", "accept", "offer 3"):
        env.step(action)
    assert legal(env) == ["agree", "refuse"]
    env.step("agree")
    state = env.snapshot()["state"]
    assert [state["sheet"][seat][seat] for seat in range(3)] == [90, 100, 100]
    assert state["sheet"][1][0] == 30
    assert state["over"]


def test_the_result_of_one_sheet():
    """E46: own 12, received 100 and 100, given 80 and 40."""
    rules, state = sheet({"max_hands": 1}, {"own": [12, -6, -6], "refa": [0, 0, 0], "refas_written": 9})
    state.sheet[0, 1] = state.sheet[0, 2] = 100
    state.sheet[1, 0], state.sheet[2, 0] = 80, 40
    score_all_pass(rules, state)
    assert state.reward.tolist() == [-40, 40, 0, 0]


# A whole match, hand by hand. Source: docs/rules/preferans.md#a-whole-match


class Hand(NamedTuple):
    declarer: str
    game: int
    tricks: str  # of A, B, C
    came: str = "both"
    igra: bool = False
    taker: str = ""
    doublings: int = 0


ALL_PASS = None
MATCH = [
    Hand("A", 3, "631"),
    ALL_PASS,
    Hand("C", 4, "226"),
    ALL_PASS,
    Hand("B", 5, "091", came="C", igra=True),
    Hand("A", 5, "314", taker="B", doublings=1),
    Hand("B", 6, "505"),
    Hand("C", 7, "127", came="B", taker="B"),
    Hand("A", 6, "100", igra=True),
    Hand("A", 4, "", came=""),
    Hand("C", 5, "118", taker="B", doublings=2),
    Hand("A", 7, "730", igra=True),
    Hand("B", 5, "361", taker="A", doublings=2),
    Hand("B", 5, "262", igra=True, taker="C", doublings=1),
    Hand("A", 5, "622"),
    Hand("A", 7, "", came="", igra=True),
    Hand("B", 7, "163"),
]


def test_whole_match():
    rules, state = sheet({"start": 30}, {"own": SHEETS[0]["own"], "refa": [0] * 3, "refas_written": 0})
    for hand, expected in zip(MATCH, SHEETS[1:], strict=True):
        assert state.dealer == SEATS.index(expected["step"].split(" dealer ")[1][0])
        assert not state.over
        play_hand(rules, state, hand)
        assert own(state)[:3].tolist() == expected["own"], expected["step"]
        assert [int(state.sheet[p, d]) for p in range(3) for d in range(3) if p != d] == expected[
            "supe_AB_AC_BA_BC_CA_CB"
        ]
        assert state.refas[:3].tolist() == expected["refa"]
    assert state.over
    assert state.reward[:3].tolist() == FINAL["final"]


def play_hand(rules: np.record, state: np.record, hand: Hand | None) -> None:
    state.taker = state.doubler = NONE
    state.tricks[:] = 0
    if hand is ALL_PASS:
        score_all_pass(rules, state)
        return
    state.declarer, state.game, state.igra, state.doublings = (
        SEATS.index(hand.declarer),
        hand.game,
        hand.igra,
        hand.doublings,
    )
    state.came = sum(
        1 << seat for seat in range(3) if seat != state.declarer and hand.came in ("both", SEATS[seat])
    )
    if hand.taker:
        state.taker = SEATS.index(hand.taker)
        state.doubler = state.taker if hand.doublings else NONE
    if hand.came:
        state.tricks[:3] = [int(n) for n in hand.tricks]
        score_hand(rules, state)
    else:
        score_undefended(rules, state)
