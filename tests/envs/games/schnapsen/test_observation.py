"""What the observations say about positions that a reader can check by eye."""

import numpy as np
import pytest

from stichwerk.envs.games.schnapsen.options import FULL_PACK
from tests.envs.games.schnapsen.positions import NAMES, X, Y, position, set_deal
from tests.envs.support import play

SUITS = "shdc"
# X takes the first trick and draws the ace of clubs, exchanges the jack and leads the queen of a marriage in
# hearts.
DEAL = {"x": "hK hQ hA sJ dT", "y": "hJ dJ dQ dK cJ", "turned_up": "sT", "stock": "cA cQ"}
ACTIONS = ["play dT", "play dJ", "exchange", "meld h", "play hQ"]


def summary(env, seat: int) -> dict[str, object]:
    """The features of the summary in words: cards and suits by name, all else as numbers."""
    said = {}
    for feature in env.encoding.features:
        values = env.encoding.named(env.observe(NAMES[seat])["observation"])[feature.name]
        if feature.per in ("card", "suit"):
            names = FULL_PACK if feature.per == "card" else SUITS
            assert set(values.tolist()) <= {0, 1}
            said[feature.name] = " ".join(names[place] for place in np.flatnonzero(values))
        else:
            said[feature.name] = [round(value, 3) for value in values.tolist()]
    return said


@pytest.fixture
def env():
    return set_deal("schnapsen", **DEAL, actions=", ".join(ACTIONS))


def test_summary_of_the_seat_to_act(env):
    assert summary(env, Y) == {
        "hand": "hJ dK dQ cQ cJ",
        "shown": "sT hK",
        "possible": "sA sK sQ hA hT dA cA cT cK",
        "taken": "",
        "lost": "dT dJ",
        "led": "hQ",
        "indicator": "sJ",
        "trump": "s",
        "melded": "h",
        "own_marriages": "",
        "other_marriages": "h",
        "phase": [0, 0, 1, 0, 0],
        "to_act": [1],
        "on_lead": [0],
        "dealer": [1],
        "drawable": [1],
        "face_down": [0.583],
        "closed": [0, 0],
        "exchanged": [0, 1],
        "tricks": [0, 0.083],
        "no_tricks": [1, 0],
        "points": [0, 0.485],
        "near_goal": [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0],
        "schneider": [1, 1],
        "pending": [0, 0],
        "at_close": [0, 0],
        "score": [0, 0],
    }


def test_summary_of_the_seat_that_waits(env):
    seen = summary(env, X)
    assert seen["hand"] == "sT hA hK cA"
    assert seen["shown"] == ""
    assert seen["possible"] == "sA sK sQ hT hJ dA dK dQ cT cK cQ cJ"
    assert (seen["taken"], seen["lost"]) == ("dT dJ", "")
    assert (seen["own_marriages"], seen["other_marriages"]) == ("h", "")
    assert (seen["to_act"], seen["on_lead"], seen["dealer"]) == ([0], [1], [0])
    assert (seen["exchanged"], seen["points"]) == ([1, 0], [0.485, 0])


def test_summary_of_a_closed_deal():
    env = position("schnapsen", "40/3", "36/2", closed="X 20/1, 0/0", score=(3, 5))
    closer, other = summary(env, X), summary(env, Y)
    assert (closer["closed"], other["closed"]) == ([1, 0], [0, 1])
    assert closer["at_close"] == other["at_close"] == [1, 1]
    assert closer["drawable"] == [0]
    assert closer["schneider"] == [0, 0]
    assert closer["score"] == [0.429, 0.714]
    assert other["score"] == [0.714, 0.429]
    assert closer["near_goal"] == [1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0]


def test_summary_remembers_who_cannot_follow():
    """Y discards on a heart in the strict phase: that hand has neither hearts nor trumps."""
    env = set_deal("schnapsen", x="hA hK dA dT cA", y="dJ dQ dK cJ cQ", turned_up="sT", actions="close")
    assert {"sA", "hT"} <= set(summary(env, X)["possible"].split())
    play(env, "play hA, play dJ")
    assert {card[0] for card in summary(env, X)["possible"].split()} == {"d", "c"}


def test_summary_remembers_who_could_not_beat():
    env = set_deal("schnapsen", x="hK dA dT cA cT", y="hJ dQ dK cJ cQ", turned_up="sT", actions="close")
    play(env, "play hK, play hJ")
    assert not {"hA", "hT"} & set(summary(env, X)["possible"].split())
    assert {"hQ", "sA"} <= set(summary(env, X)["possible"].split())


def test_the_card_turned_up_is_seen_when_it_is_drawn():
    """Also by who does not remember: with the last draw it goes to the loser of the trick."""
    env = position("schnapsen memory=table", "?/2", "?/2", hands=("hA", "hJ"))
    turned_up = summary(env, X)["indicator"]
    play(env, "play hA, play hJ")
    assert summary(env, X)["indicator"] == ""
    assert summary(env, X)["shown"] == turned_up
    assert turned_up in summary(env, Y)["hand"].split()


def test_history():
    env = set_deal("schnapsen memory=table", **DEAL, actions=", ".join(ACTIONS), observation="history")
    for seat, own in ((X, "cA"), (Y, "cQ")):
        seen = env.encoding.named(env.observe(NAMES[seat])["observation"])
        hands = {X: ("hK hQ hA sJ dT", "sT hA hK cA"), Y: ("hJ dJ dQ dK cJ", "hJ dK dQ cQ cJ")}[seat]
        for name, cards in (("dealt", hands[0]), ("hand", hands[1]), ("turned_up", "sT")):
            assert {FULL_PACK[card] for card in np.flatnonzero(seen[name])} == set(cards.split())
        assert [FULL_PACK[place] for place in np.flatnonzero(seen["drawn"])] == [own]
        said = seen["actions"].reshape(-1, len(env.action_names))
        assert [env.action_names[row.argmax()] for row in said if row.any()] == ACTIONS
        assert np.flatnonzero(seen["own_actions"]).tolist() == ([0, 2, 3, 4] if seat == X else [1])


def test_perfect_information():
    env = set_deal("schnapsen", **DEAL)
    seen = env.game.perfect.named(env.state())
    assert {FULL_PACK[card] for card in np.flatnonzero(seen["other_hand"])} == {"hJ", "dJ", "dQ", "dK", "cJ"}
    stock = seen["stock"].reshape(-1, len(FULL_PACK))
    assert [FULL_PACK[row.argmax()] for row in stock if row.any()][:2] == ["cA", "cQ"]
    assert stock.sum() == 9
