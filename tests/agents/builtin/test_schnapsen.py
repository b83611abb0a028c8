"""The rule-based player of Schnapsen and Sixty-six keeps to its principles, and plays an exhausted stock
perfectly."""

import random
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.builtin.rules import schnapsen
from stichwerk.agents.evaluation.playing.matches import Series, play_deals, play_pair
from stichwerk.envs import make_game, schnapsen_v0
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games.schnapsen.state import ACTIONS, CARDS, CLAIM, CLOSE, EXCHANGE, MELD, Phase
from tests.agents.support import Onlooker
from tests.envs.games.schnapsen.model import FULL_PACK, card_points, mask, rules
from tests.envs.support import VARIANTS, Variant, change, few, legal, positions, true_state

RANDOM = RandomAgent("random")
FAMILY = [variant for variant in VARIANTS if variant.env_id in schnapsen.PLAYS]
CLAIMED = [variant for variant in FAMILY if variant.game.rules.claims != "auto"]


# Principles


class Seen(NamedTuple):
    """Turns of the rule-based player in play against itself and against random play, one row each."""

    variant: Variant
    state: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    points: np.ndarray
    """Its own credited points."""
    exhausted: np.ndarray
    """The stock is used up without having been closed."""


@pytest.fixture(scope="module", params=FAMILY, ids=str)
def seen(request):
    game = request.param.game
    player = Onlooker(RulesAgent("rules", game))
    play_pair(game, player, player, Series(500, seed=1))
    play_pair(game, player, RANDOM, Series(500, seed=2))
    turns, actions = player.seen()
    state, rows = turns.all_views, np.arange(len(turns))
    exhausted = (state["closed_by"] == NONE) & (state["top"] == len(game.deck))
    return Seen(
        request.param,
        state,
        turns.mask.astype(bool),
        actions,
        state["points"][rows, turns.all_seats],
        exhausted,
    )


def test_claims_at_once_and_only_with_the_goal(seen):
    reached = seen.points >= seen.variant.game.rules.goal
    claimable = seen.legal[:, CLAIM]
    if seen.variant not in CLAIMED:
        assert not claimable.any()
        return
    assert (claimable & reached).sum() > 100
    assert (claimable & ~reached).sum() > 100
    assert ((seen.action == CLAIM) == (claimable & reached)).all()


def test_exchanges_whenever_it_may(seen):
    may = seen.legal[:, EXCHANGE] & (seen.action != CLAIM)
    assert may.sum() > 50
    assert (seen.action[may] == EXCHANGE).all()


def test_leads_from_its_marriages_while_cards_are_drawn(seen):
    marriages = seen.legal[:, MELD : MELD + 4]
    free = marriages.any(axis=1) & ~seen.exhausted & ~np.isin(seen.action, [CLAIM, EXCHANGE, CLOSE])
    free &= seen.state["closed_by"] == NONE
    assert free.sum() > 100
    assert ((seen.action[free] >= MELD) & (seen.action[free] < MELD + 4)).all()
    trump = seen.state["trump"][free]
    in_trumps = marriages[free, trump]
    assert in_trumps.any()
    assert (seen.action[free][in_trumps] == MELD + trump[in_trumps]).all(), "trumps first"
    shown = seen.state["phase"] == Phase.MELDED
    assert (seen.action[shown] < CARDS).sum() > 50


@pytest.mark.parametrize("variant", few(3, CLAIMED), ids=str)
@pytest.mark.parametrize("opponent", few(1, ["random", "rules"]))
def test_no_claim_is_lost(variant, opponent):
    player = RulesAgent("rules", variant.game)
    other = RANDOM if opponent == "random" else player
    claims = 0
    for seat in (0, 1):
        lanes = Lanes(variant.game, 2000)
        rewards = play_deals(lanes, [player, other] if seat == 0 else [other, player], 3, Use.TEST, lanes.all)
        claimed = np.array([log_entries(state)[-1] == (seat, CLAIM) for state in lanes.states])
        assert (rewards[claimed, seat] > 0).all()
        claims += claimed.sum()
    assert claims > 1000


@given(rules())
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_plays_under_any_rules(options):
    """Small packs, odd goals, engine claims: `Lanes` refuses illegal actions, and no claim is lost."""
    game = make_game("schnapsen_v0", options)
    player = Onlooker(RulesAgent("rules", game))
    play_pair(game, player, RANDOM, Series(10, seed=4))
    turns, actions = player.seen()
    points = turns.views["points"][turns.which, turns.all_seats]
    assert (points[actions == CLAIM] >= game.rules.goal).all()


# Set positions


def chosen(phase: Phase, hand: str, trump: str = "s", **fields) -> str:
    """What the player does with this hand in Schnapsen; while cards are drawn, if no field says otherwise."""
    env = schnapsen_v0.raw_env("schnapsen")
    env.reset(seed=1)
    other = [card for card in env.game.deck if card not in [*hand.split(), f"{trump}J", fields.get("led")]]
    jack = ACTIONS.index(f"play {trump}J")
    position = {
        "phase": int(phase), "seat": 0, "leader": 0, "trump": "shdc".index(trump), "indicator": jack,
        "turned_up": jack, "hand": [mask(hand.split()), mask(other[:5])], "tricks": (1, 1),
    }  # fmt: skip
    if "led" in fields:
        fields |= {"led": ACTIONS.index(f"play {fields['led']}"), "leader": 1}
        position["hand"][1] = mask(other[:4])
    change(env, **{**position, **fields})
    return ACTIONS[RulesAgent("rules", env.game).act_in(env)]


def test_closes_when_its_tricks_get_home_against_most_hands():
    assert chosen(Phase.LEAD, "sA sT sK hA hT", points=(10, 20)) == "close"
    assert chosen(Phase.LEAD, "sT sK hA hQ dJ", points=(10, 20)) != "close", "too few points"
    assert chosen(Phase.LEAD, "sK sQ hA hT dA", points=(20, 20)) == "close", (
        "trump marriage, and aces after it"
    )
    assert chosen(Phase.LEAD, "hA hT dA dT cA", points=(20, 20)) != "close", "the other may hold any trumps"


def test_shows_a_marriage_of_a_closed_stock_when_it_helps():
    closed = {"closed_by": 0, "closed_tricks": (1, 1)}
    assert chosen(Phase.LEAD, "sA sK sQ hA hT", points=(30, 0), **closed) == "meld s", "that makes 66"
    assert chosen(Phase.LEAD, "sA hK hQ dA dT", points=(12, 0), **closed) == "play sA", "high cards first"


def test_answers_keep_marriages_and_mind_how_near_the_opponent_is():
    assert chosen(Phase.ANSWER, "hK hQ hJ dK", led="cA") == "play hJ"
    assert chosen(Phase.ANSWER, "hK hQ dT dK sQ", led="cJ", points=(46, 0)) != "play hQ"
    assert chosen(Phase.ANSWER, "sK dJ cT hA hT", led="cQ", points=(0, 0)) == "play cT"
    assert chosen(Phase.ANSWER, "sK dJ hA hT dA", led="cQ", points=(0, 0)) == "play dJ"
    assert chosen(Phase.ANSWER, "sK dJ hA hT dA", led="cQ", points=(0, 56)) == "play sK"


# The exhausted stock, against a search of all play in plain Python


STUDY = {"pack": [card for card in FULL_PACK if card[1] in "AKQ"][:10], "hand_size": 4, "goal": 50}
ENDGAME_RULES = {
    "wins": {},
    "ten": {"last_trick": "ten", "unclaimed": "table"},
    "any turn": {"claim_window": "any_turn", "last_trick": "ten"},
    "after tricks": {"claim_window": "after_trick", "king_leads_marriage": True},
    "loose": {"must_head": False},
    "safe": {"claims": "safe", "first_marriage_counts": "that_trick"},
    "auto": {"claims": "auto", "last_trick": "ten"},
}


def minimax(game, state: np.ndarray, seat: int) -> float:
    """What the deal is worth to this seat with best play of both, every legal action tried."""
    if state[0].over:
        return float(state[0].reward[seat])
    values = [minimax(game, after(game, state, action), seat) for action in legal_actions(game, state)]
    return max(values) if state[0].seat == seat else min(values)


def legal_actions(game, state: np.ndarray) -> list[int]:
    allowed = np.zeros(len(ACTIONS), np.int8)
    game.spec.legal(game.rules_record[0], state[0], allowed)
    return np.flatnonzero(allowed).tolist()


def after(game, state: np.ndarray, action: int) -> np.ndarray:
    child = state.copy()
    game.spec.apply(game.rules_record[0], child[0], action)
    return child


def exhausted_positions(env, seed: int):
    """Positions of random deals in which the stock is used up and there is a choice."""
    for _ in positions(env, seed, episodes=2000):
        record = true_state(env)[0]
        if record.closed_by == NONE and record.top == len(env.game.deck) and len(legal(env)) > 1:
            yield


@pytest.mark.parametrize("variant", few(3, ENDGAME_RULES))
def test_plays_an_exhausted_stock_perfectly(variant):
    env = schnapsen_v0.raw_env({**STUDY, **ENDGAME_RULES[variant]})
    player, losing = RulesAgent("rules", env.game), 0
    for _ in islice(exhausted_positions(env, seed=5), 60):
        state, seat = true_state(env), int(true_state(env)[0].seat)
        action = player.act_in(env)
        values = {
            action: minimax(env.game, after(env.game, state, action), seat)
            for action in legal_actions(env.game, state)
        }
        assert values[action] == max(values.values()), {
            ACTIONS[action]: value for action, value in values.items()
        }
        losing += min(values.values()) < max(values.values())
    assert losing > 15, "many of these positions have a wrong action"


# Problems by Martin Tompa, psellos.com/schnapsen/blog: the stock is used up, X leads and has to find the one
# way to win.
PROBLEMS = {
    "2012/04, elimination": ("d", "sK hQ hA cQ cJ", "hT hJ dA sJ cK", (34, 34), (3, 2), "sK cQ cJ"),
    "2019/12, last trick": ("c", "sK hT cK dT dQ", "hJ cJ dA dK dJ", (36, 32), (2, 3), "hT"),
    "2012/08, tempo": ("s", "sJ hQ cA cK cJ", "sA hA hK hJ cQ", (38, 29), (3, 2), "cK cA"),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_solves_published_problems(problem):
    trump, mine, other, points, tricks, best = PROBLEMS[problem]
    env = schnapsen_v0.raw_env("schnapsen")
    held = mine.split() + other.split()
    piles = share_out([card for card in env.game.deck if card not in held], points, tricks)
    env.reset(seed=1)
    fields = {
        "phase": int(Phase.LEAD), "seat": 0, "leader": 0, "trump": "shdc".index(trump), "indicator": NONE,
        "top": len(env.game.deck), "draws": 5, "hand": [mask(mine.split()), mask(other.split())],
        "taken": list(map(mask, piles)), "points": points, "tricks": tricks,
    }  # fmt: skip
    change(env, **fields)
    assert set(legal(env)) >= {f"play {card}" for card in mine.split()}
    action = RulesAgent("rules", env.game).act_in(env)
    assert ACTIONS[action] in {f"play {card}" for card in best.split()}


def share_out(
    cards: list[str], points: tuple[int, int], tricks: tuple[int, int]
) -> tuple[list[str], list[str]]:
    """Tricks for both sides that add up to their points."""
    rng = random.Random(1)
    while True:
        rng.shuffle(cards)
        piles = cards[: 2 * tricks[0]], cards[2 * tricks[0] :]
        if tuple(map(card_points, piles)) == points:
            return piles


# Version 0.1


def test_version_0_1_plays_as_it_did():
    """It is a fixed mark: what it did in 50 deals against itself, added up."""
    game = make_game("schnapsen_v0")
    player = Onlooker(RulesAgent("rules:0.1", game, "0.1"))
    play_pair(game, player, player, Series(50, seed=1))
    _, actions = player.seen()
    assert (len(actions), int(actions @ np.arange(len(actions)))) == (1552, 16691862)
