"""Secrets that default options do not have: signals, aces that must open, pairs to play; cards face down."""

import numpy as np
import pytest

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from tests.envs import test_hidden
from tests.envs.games.gaigel.model import owners
from tests.envs.games.gaigel.positions import on_lead, set_deal
from tests.envs.support import Variant, positions, slowly


class Optioned(Variant):
    """A variant with further options."""

    __slots__ = ()

    @property
    def rules(self) -> dict:
        return {"players": self.players, **OPTIONS[self.preset]}


OPTIONS = {
    "signals to partners": {"signals": "partner"},
    "public signals": {"signals": "public", "show_points": "all"},
    "aces must open": {"must_open_ace": True, "dissle_lead": "face_up"},
    "pairs must be played": {
        "meld_must_play": True,
        "post_talon": "follow_only",
        "claims": "safe",
        "show_points": "off",
    },
}
TABLES = [Optioned("gaigel_v0", name, players) for name in OPTIONS for players in (3, 4, 6)]
each_variant = pytest.mark.parametrize("variant", TABLES, ids=str)
each_option = pytest.mark.parametrize(
    "variant", [each if number % 4 == 0 else slowly(each)[0] for number, each in enumerate(TABLES)], ids=str
)


@each_variant
def test_hidden_cards_change_nothing(variant):
    test_hidden.test_hidden_cards_change_nothing_that_a_seat_gets(variant, "deal")


@each_option
def test_resampled_worlds_agree(variant):
    test_hidden.test_resampled_worlds_agree_with_what_the_seat_knows(variant, "deal")


@each_option
def test_resampled_deals_can_be_played(variant):
    test_hidden.test_a_resampled_deal_can_be_played_to_the_same_position(variant)


def rows(env, agent: str) -> list[list[str]]:
    """The actions of the deal as this seat's history has them: one name each, none for one it cannot know."""
    seen = env.encoding.named(env.observe(agent)["observation"])
    actions = seen["actions"].reshape(-1, len(env.action_names))[: int(seen["actors"].sum())]
    return [[env.action_names[action] for action in np.flatnonzero(row)] for row in actions]


@pytest.mark.parametrize(
    ("signals", "seen"), [("partner", [True, False, True, False]), ("public", [True] * 4)]
)
def test_who_sees_a_signal(signals, seen):
    env = on_lead("d7", signals=signals, observation="history")
    env.step("signal d")
    assert [["signal d"] in rows(env, agent) for agent in env.possible_agents] == seen
    env.step("play d7")
    for agent, sees in zip(env.possible_agents, seen, strict=True):
        assert len(rows(env, agent)) == (7 if sees else 6), "to those who may not know, nothing has happened"


def test_nobody_but_the_mates_sees_a_signal_among_three():
    env = on_lead(signals="partner", players=3, observation="history")
    env.step("signal d")
    assert [["signal d"] in rows(env, agent) for agent in env.possible_agents] == [True, False, False]


FACE_DOWN = "open hoeher_hat, play cJ, play cT"


def test_a_face_down_card_is_known_to_its_owner_alone():
    env = set_deal("cJ", "cT", "d7", "s7", actions=FACE_DOWN, observation="history")
    opening, jack, ten = ["open hoeher_hat"], ["play cJ"], ["play cT"]
    assert rows(env, "player_0") == [opening, jack, []]
    assert rows(env, "player_1") == [opening, [], ten]
    assert rows(env, "player_2") == rows(env, "player_3") == [opening, [], []]
    for action in ("play d7", "play s7"):
        env.step(action)
    for agent in env.possible_agents:
        assert rows(env, agent) == [opening, jack, ten, ["play d7"], ["play s7"]]


def test_worlds_during_a_face_down_trick_have_cards_that_may_lie_there():
    env = set_deal("cA", "cT", "d7", "s7", actions="open andere_alte, play cA, play cT")
    leads, answers = set(), set()
    for seed in range(300):
        world = env.resample("player_2", seed)[0]
        leads.add(env.game.pack.names[world.table[0]])
        answers.add(env.game.pack.names[world.table[1]])
    assert leads == {"sA", "dA", "cA"}
    assert not {card for card in answers if card[0] == "h"}
    assert len(answers) > 12


def test_forehand_who_passes_an_ace_by_has_none():
    env = set_deal("cJ", "cT", "d7", "s7", actions=FACE_DOWN, must_open_ace=True)
    for seed in range(50):
        dealt = env.resample("player_2", seed)[0]
        assert not {"sA", "dA", "cA"} & {
            env.game.pack.names[dealt.deck[place]]
            for place, owner in enumerate(owners(env.game, dealt))
            if owner == 0
        }


def test_the_face_down_trick_is_looked_at_often_enough():
    """The generic tests meet it: random play opens face down in about every second deal."""
    env = Variant("gaigel_v0", "source", 4).env()
    down = sum(
        any(action == NONE for _, action in log_entries(env.view(agent)[0]))
        for agent in positions(env, 21, episodes=6)
    )
    assert down > 4
