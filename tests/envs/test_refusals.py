"""Games say why an action is not legal, and each reason is true."""

import importlib
import random
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.envs import GAMES
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.cards import Pack
from stichwerk.envs.core.refusals import why_not_follow
from tests.envs.asked import Asked, is_true
from tests.envs.support import each_variant, legal, model_of, positions, true_state

SAMPLE = 12  # illegal actions of each position


def test_a_card_that_may_follow_has_no_reason_against_it():
    """Also where no card must be beaten."""
    pack = Pack("ATKQJ7")
    assert why_not_follow(pack, "sQ", ["sQ", "sA"], "sK") == ""
    assert why_not_follow(pack, "dQ", ["dQ", "cA"], "sK") == ""
    assert why_not_follow(pack, "sA", ["sQ", "sA"], "sK", to_beat="sK") == ""
    assert why_not_follow(pack, "sQ", ["sQ", "sA"], "sK", to_beat="sK") == "you can beat ♠K, so you must"


def reasons_of(env_id: str) -> ModuleType:
    return importlib.import_module(f"{model_of(env_id).__name__.rpartition('.')[0]}.reasons")


def refused(env: CardGameEnv, rng: random.Random, most: int = SAMPLE) -> Iterator[str]:
    """The patterns of the refusals of illegal actions in the present position, which are true."""
    game, state, reasons = env.game, true_state(env)[0], reasons_of(env.game.env_id)
    seat = int(state.seat)
    allowed = [game.actions[game.action_index[name]] for name in legal(env)]
    hand, (cards, trump) = reasons.hand_of(game, state, seat), reasons.table_of(game, state)
    others = [action for action in game.actions if action not in allowed]
    for action in rng.sample(others, min(most, len(others))):
        said = game.why_not(env.view(env.agent_selection), seat, allowed, action)
        asked = Asked(game, state, action, frozenset(map(str, allowed)), hand, cards, trump)
        yield is_true(reasons.REASONS, asked, said)


def refused_in_play(env: CardGameEnv, seed: int, episodes: int = 1, share: float = 1.0) -> set[str]:
    rng = random.Random(seed)
    return {said for _ in positions(env, seed, episodes, share) for said in refused(env, rng)}


def refused_seldom(env_id: str) -> set[str]:
    found = set()
    for rules, options in reasons_of(env_id).SELDOM:
        env = CardGameEnv(env_id, rules)
        env.reset(seed=1, options=options)
        found |= {*refused(env, random.Random(1), len(env.game.actions))}
    return found


@each_variant
def test_every_reason_is_true(variant):
    assert len(refused_in_play(variant.env(), seed=51, episodes=2, share=0.5)) > 4


@pytest.mark.parametrize("env_id", GAMES)
def test_every_reason_is_true_in_positions_that_are_seldom(env_id):
    assert bool(refused_seldom(env_id)) == bool(reasons_of(env_id).SELDOM)


@pytest.mark.parametrize("env_id", GAMES)
def test_every_refusal_names_a_rule_under_any_rules(env_id):
    """None is empty, and none says no more than that the rules do not allow it."""

    @settings(max_examples=3, deadline=None, database=None)
    @given(model_of(env_id).rules(), st.integers(0, 2**32))
    def check(rules, seed):
        env, rng = CardGameEnv(env_id, rules), random.Random(seed)
        for _ in positions(env, seed, share=0.1):
            view, seat = env.view(env.agent_selection), env.possible_agents.index(env.agent_selection)
            allowed = [env.game.actions[env.game.action_index[name]] for name in legal(env)]
            for action in rng.sample(env.game.actions, SAMPLE):
                if action not in allowed:
                    said = env.game.why_not(view, seat, allowed, action)
                    assert len(said.split()) > 2
                    assert not said.startswith("the rules do not allow"), (rules, action)

    check()


@pytest.mark.parametrize("env_id", GAMES)
@pytest.mark.slow
def test_every_reason_is_true_under_any_rules(env_id):
    """Random rules and deals come to every reason that a game has."""
    found = refused_seldom(env_id)

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(model_of(env_id).rules(), st.integers(0, 2**32))
    def check(rules, seed):
        found.update(refused_in_play(CardGameEnv(env_id, rules), seed))

    check()
    assert {*reasons_of(env_id).REASONS} - found == set()
