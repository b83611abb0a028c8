"""The rule-based player of Snapszer keeps to its principles."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.envs import make_game, snapszer_v0
from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.games.snapszer.state import CLAIM, GOAL, MELD, NAME, PLAY, Phase
from tests.agents.support import Onlooker
from tests.envs.games.snapszer.model import forehand, names, rules

GAME = make_game("snapszer_v0")
RANDOM = RandomAgent("random")


class Turn(NamedTuple):
    """One turn of the player, and what it did."""

    view: np.record
    seat: int
    legal: np.ndarray
    action: int

    @property
    def hand(self) -> set[str]:
        return names(self.view.hand[self.seat])


@pytest.fixture(scope="module")
def seen() -> list[Turn]:
    player = Onlooker(RulesAgent("rules", GAME))
    play_pair(GAME, player, player, Series(100, seed=1))
    play_pair(GAME, player, RANDOM, Series(100, seed=2))
    turns, actions = player.seen()
    rows = zip(turns.views, turns.all_seats[turns.which].tolist(), turns.mask, actions.tolist(), strict=True)
    return [Turn(*row) for row in rows]


def test_names_the_highest_missing_card_of_the_longest_suit(seen):
    namings = [turn for turn in seen if turn.view.phase == Phase.NAME]
    assert len(namings) > 100
    for turn in namings:
        suit, rank = PACK.names[turn.action - NAME]
        lengths = {other: sum(card[0] == other for card in turn.hand) for other in "shdc"}
        assert lengths[suit] == max(lengths.values())
        assert all(f"{suit}{higher}" in turn.hand for higher in "ATKQJ9"[: "ATKQJ9".index(rank)])


def test_an_ace_on_its_own_stays_a_side_card():
    """Of three single cards, it is not the ace's suit that becomes trumps."""
    env = snapszer_v0.raw_env()
    deck = ["sA", "h9", "dJ", *(card for card in PACK.names if card not in ("sA", "h9", "dJ"))]
    env.reset(seed=1, options={"deck": deck, "dealer": 3})
    assert env.action_names[RulesAgent("rules", env.game).act_in(env)] == "name dA"


def test_shows_every_marriage_trumps_first(seen):
    holding = [turn for turn in seen if turn.legal[MELD : MELD + 4].any() and turn.action != CLAIM]
    assert len(holding) > 100
    for turn in holding:
        assert MELD <= turn.action < MELD + 4
        trump = turn.view.named // 6
        assert turn.action == MELD + trump or not turn.legal[MELD + trump]


def test_claims_at_once_what_it_can_be_sure_of_and_nothing_else(seen):
    claims = 0
    for turn in seen:
        if turn.view.holder >= 0:
            side = {forehand(turn.view), int(turn.view.holder)}
            mates = [seat for seat in range(4) if (seat in side) == (turn.seat in side)]
        else:
            mates = [turn.seat]
        sure = sum(turn.view.points[seat] for seat in mates) >= GOAL
        assert (turn.action == CLAIM) == bool(turn.legal[CLAIM] and sure)
        claims += turn.action == CLAIM
    assert claims > 100


def test_leads_trumps_as_the_caller(seen):
    """More often than not, while it has some and knows not who helps."""
    leads = [
        turn
        for turn in seen
        if turn.view.phase == Phase.LEAD and turn.seat == forehand(turn.view) and turn.view.holder < 0
    ]
    able = [
        turn
        for turn in leads
        if {card[0] for card in turn.hand} >= {PACK.names[turn.view.named][0]} and turn.action < MELD
    ]
    trumps = [turn for turn in able if (turn.action - PLAY) // 6 == turn.view.named // 6]
    assert len(able) > 100
    assert len(trumps) > 0.6 * len(able)


def test_feeds_points_to_its_partners_sure_trick_only():
    """Forehand leads the ace of hearts; the last to play holds ten and nine. With the named card that seat
    is forehand's partner."""
    hands = ("sK sQ hA", "hQ s9 hK", "sT sJ hJ", "hT h9 sA", "c9 cT cJ", "dJ cQ cK", "d9 dT cA", "dK dQ dA")
    env = snapszer_v0.raw_env()

    def answer(named: str) -> str:
        plays = [f"name {named}", "play hA", "play hK", "play hJ"]
        env.reset(seed=1, options={"deck": " ".join(hands).split(), "dealer": 3, "actions": plays})
        return env.action_names[RulesAgent("rules", env.game).act_in(env)]

    assert answer("sA") == "play hT"
    assert answer("sT") == "play h9"


@given(rules())
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_plays_under_any_rules(options):
    game = make_game("snapszer_v0", options)
    result = play_pair(game, RulesAgent("rules", game), RANDOM, Series(10, seed=4))
    assert np.isfinite(result.mean)


def test_beats_version_0_1():
    result = play_pair(
        GAME, RulesAgent("rules", GAME), RulesAgent("rules:0.1", GAME, "0.1"), Series(2000, seed=3)
    )
    assert result.low > 0


def test_version_0_1_plays_as_it_did():
    """It is a fixed mark: what it did in 50 deals against itself, added up."""
    player = Onlooker(RulesAgent("rules:0.1", GAME, "0.1"))
    play_pair(GAME, player, player, Series(50, seed=1))
    _, actions = player.seen()
    assert (len(actions), int(actions @ np.arange(len(actions)))) == (3764, 254300206)
