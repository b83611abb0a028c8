"""The rule-based player of Preferans keeps to its principles."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.builtin.rules import preferans
from stichwerk.agents.builtin.rules.preferans_bidding import (
    ESTIMATE,
    OLDER_ESTIMATE,
    betl_log_odds,
    suit_log_odds,
)
from stichwerk.agents.evaluation.playing.matches import Series, play_deals, play_pair
from stichwerk.envs import make_game, preferans_v0
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games.preferans.options import PACK
from stichwerk.envs.games.preferans.state import BETL, Phase
from tests.agents.support import Onlooker
from tests.envs.games.preferans.model import rules
from tests.envs.games.preferans.test_flow import DECK
from tests.envs.support import change

GAME = make_game("preferans_v0")
RANDOM = RandomAgent("random")


class Played(NamedTuple):
    roles: dict[str, np.ndarray]
    points: np.ndarray


@pytest.fixture(scope="module")
def played() -> Played:
    """Many deals of the player with itself, by roles."""
    lanes = Lanes(GAME, 4000)
    points = play_deals(lanes, [RulesAgent("rules", GAME)] * 3, 1, Use.TEST, lanes.all)
    return Played(dict(GAME.roles(lanes.states)), points)


def test_roles_divide_the_seats(played):
    parts = [played.roles[role] for role in ("declarer", "defender", "stayed out", "sitting out", "all pass")]
    assert (np.sum(parts, axis=0) == 1).all()
    assert (
        played.roles["declarer, made"] | played.roles["declarer, failed"] == played.roles["declarer"]
    ).all()
    declared = [
        has_role
        for role, has_role in played.roles.items()
        if role.startswith("declared ") and "made" not in role
    ]
    assert (np.sum(declared, axis=0) == played.roles["declarer"]).all()


def test_declares_what_it_can_make(played):
    made, declared = played.roles["declarer, made"].sum(), played.roles["declarer"].sum()
    assert 0.6 < declared / len(played.points) < 0.95, "not every hand is worth a game, most are"
    assert made > 0.7 * declared
    assert played.points[played.roles["declarer"]].mean() > 5
    assert played.points[played.roles["doubled"]].mean() > 0


def test_each_game_is_declared(played):
    for suit in ("spades", "diamonds", "hearts", "clubs"):
        assert played.roles[f"declared {suit}"].sum() > 20
    assert played.roles["declared sans"].sum() > 20
    assert played.roles["declared betl"].sum() > 3


def held(text: str) -> int:
    return PACK.mask(text.split())


def test_betl_hands_are_counted_from_below():
    out = ~held("s7 s9 sJ h7 h9 d7 d8 c7 c8 c9") & 0xFFFFFFFF
    safe = betl_log_odds(ESTIMATE, held("s7 s9 sJ h7 h9 d7 d8 c7 c8 c9"), out)
    for worse in (
        "s7 s9 sA h7 h9 d7 d8 c7 c8 c9",
        "s8 s9 sJ h7 h9 d7 d8 c7 c8 c9",
        "sQ h7 h9 d7 d8 c7 c8 c9 cT dJ",
    ):
        odds = betl_log_odds(ESTIMATE, held(worse), ~held(worse) & 0xFFFFFFFF)
        assert odds < safe


def test_more_trumps_and_higher_cards_make_a_better_game():
    hands = (
        "sA sK sQ sJ sT s9 hA dA d7 c7",
        "sA sK sQ sJ sT hA dA d8 d7 c7",
        "sA sK sQ sJ s9 hK dA d8 d7 c7",
        "sK sQ sJ s9 hQ h8 dK d8 d7 c7",
    )
    for estimate in (OLDER_ESTIMATE, ESTIMATE):
        odds = [suit_log_odds(estimate, held(hand), 0) for hand in hands]
        assert odds == sorted(odds, reverse=True)


def test_passes_without_a_hand_and_bids_with_one():
    env = preferans_v0.raw_env()
    first, second = ["s8", "h8", "d8", "c8", "s9"], ["hK", "dK", "cQ", "cT", "hT"]
    rest = [card for card in DECK if card not in first + second]
    weak = [*first, *rest[:12], *second, *rest[12:]]
    for deck, call in ((DECK, "igra"), (weak, "pass")):
        env.reset(seed=1, options={"deck": deck, "dealer": 2})
        assert env.action_names[RulesAgent("rules", env.game).act_in(env)] == call


def test_goes_under_in_betl():
    """The declarer never takes a trick that can be left to others."""
    player = Onlooker(RulesAgent("rules", GAME))
    play_pair(GAME, player, player, Series(1500, seed=1))
    turns, actions = player.seen()
    mine = (turns.views["game"] == BETL) & (turns.views["phase"] == Phase.PLAY) & (turns.views["led"] >= 0)
    mine &= turns.views["declarer"] == turns.all_seats[turns.which]
    answers = 0
    for view, legal, action in zip(turns.views[mine], turns.mask[mine], actions[mine], strict=True):
        under = [card for card in np.flatnonzero(legal) if goes_under(GAME.actions[card], view)]
        assert not under or goes_under(GAME.actions[action], view)
        answers += len(under) > 0
    assert answers > 50


def goes_under(action: str, view: np.record) -> bool:
    best, card = PACK.names[view.best], action.removeprefix("play ")
    return card[0] != best[0] or PACK.index[card] > view.best


def test_touching_cards_and_masters():
    out = held("sA sJ s9")
    assert preferans.touching(PACK.index["sK"], held("sQ sT"), out) == 1, "the queen, not the ten"
    assert preferans.touching(PACK.index["sQ"], held("sK s7"), out) == 1, "the king, not the seven"
    assert not preferans.has_master(held("sK sQ"), out)
    assert preferans.has_master(held("sA sQ"), held("sK"))
    assert not preferans.has_master(0, out)


def answer(hand: str, *table: str) -> str:
    """What a defender plays last, in the first trick of a game in spades, to the declarer's card and the
    other defender's."""
    env = preferans_v0.raw_env()
    env.reset(seed=1)
    first, second = (PACK.index[card] for card in table)
    takes = table[0][0] == table[1][0] and second < first
    hands = np.array([held(hand), 0, 0], np.uint32).astype(np.int32).tolist()
    change(
        env, phase=int(Phase.PLAY), seat=0, dealer=0, declarer=1, leader=1, game=2, came=0b101,
        led=first, best=second if takes else first, winning=2 if takes else 1,
        hand=hands, played=[0, held(table[0]), held(table[1])], table=held(" ".join(table)),
    )  # fmt: skip
    return env.action_names[RulesAgent("rules", env.game).act_in(env)]


def test_follows_with_what_is_needed_and_keeps_masters():
    assert answer("dA dQ d7 hK h9 h8 cT c9 c8 c7", "dK", "dT") == "play dA"
    assert answer("dQ d8 d7 hK h9 h8 cT c9 c8 c7", "dK", "dA") != "play dQ", "the partner has it"
    assert answer("hA hQ h9 h8 cA cQ cJ c9 c8 c7", "dK", "dA") not in ("play hA", "play cA")


@given(rules())
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_plays_under_any_rules(options):
    """`Lanes` refuses illegal actions."""
    game = make_game("preferans_v0", options)
    result = play_pair(game, RulesAgent("rules", game), RANDOM, Series(10, seed=4))
    assert np.isfinite(result.mean)


@pytest.mark.slow
def test_version_0_1_plays_as_it_did():
    """It is a fixed mark: what it did in 50 deals against itself, added up."""
    player = Onlooker(RulesAgent("rules:0.1", GAME, "0.1"))
    play_pair(GAME, player, player, Series(50, seed=1))
    _, actions = player.seen()
    assert (len(actions), int(actions @ np.arange(len(actions)))) == (3873, 234349179)


@pytest.mark.slow
def test_beats_version_0_1():
    """In start states of a match, by more than its cards alone are better played."""
    mine, theirs = RulesAgent("rules", GAME), RulesAgent("rules:0.1", GAME, "0.1")
    result = play_pair(GAME, mine, theirs, Series(3000, seed=3, start_states=True))
    assert result.mean > 8
    assert result.low > 5
