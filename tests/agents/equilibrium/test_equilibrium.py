"""Equilibria of public states, by play on the game's own functions and by OpenSpiel."""

from itertools import pairwise

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.equilibrium import solve_equilibrium
from stichwerk.agents.equilibrium.schnapsen import worlds_of
from stichwerk.agents.equilibrium.solve import arranged, likelihood
from stichwerk.envs import InputError, make_game
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.replay import Replay
from tests.agents.equilibrium.support import EquilibriumPlayer, positions

SMALL = {"pack": ["sA", "sK", "sQ", "hA", "hK", "hQ"], "hand_size": 1, "goal": 15}
LARGER = {"pack": ["sA", "sK", "sQ", "hA", "hK", "hQ"], "hand_size": 2, "goal": 30}


def first_solvable(game, seed, down):
    """A position at the lead with so many face-down cards of an open stock."""
    for state in positions(game, seed):
        if state[0]["phase"] == 0 and game.rules_record[0].deck_size - state[0]["top"] == down:
            return state
    raise AssertionError("no such position")


def value_by_play(game, player, states):
    """What seat 0 gets if a player plays both seats, by the game's own functions."""
    replay, engine = Replay(game), engine_for(game.spec, False)
    if states[0]["over"]:
        return float(states[0]["deal_points"][0])
    seat = int(states[0]["seat"])
    view, mask = replay.seen_by(states, seat)
    rating, total = player.rate(Turns.one(view, seat, mask)), 0.0
    for action, chance in zip(rating.actions, rating.probabilities, strict=True):
        if chance:
            after = states.copy()
            engine.apply(game.rules_record[0], after[0], action)
            total += chance * value_by_play(game, player, after)
    return total


@pytest.mark.parametrize("rules", [SMALL, LARGER])
def test_value_is_what_the_games_own_functions_give(rules):
    game = make_game("schnapsen_v0", rules)
    player, cards = EquilibriumPlayer(game), [game.pack.parse(name) for name in game.deck]
    size = game.rules.in_hand
    start = Replay(game).deal([*cards[: 2 * size], cards[-1], *cards[2 * size : -1]], 0)
    worlds = worlds_of(game, start[0], 1000)
    found = solve_equilibrium(game, start, gap=1e-4, laid_open=0)
    states = arranged(game, start, worlds.hands, worlds.stock)
    values = [value_by_play(game, player, states[i : i + 1]) for i in range(len(states))]
    leader = int(start[0]["seat"])
    value = worlds.weights @ values * (1 if leader == 0 else -1)
    assert value == pytest.approx(found.value, abs=1e-3)
    assert found.gap <= 1e-4


@pytest.mark.slow  # OpenSpiel walks 720 deals
@pytest.mark.parametrize("rules", [SMALL, LARGER])
def test_openspiel_finds_no_better_response(rules):
    best_response = pytest.importorskip("stichwerk.agents.evaluation.statistics.best_response")
    game = make_game("schnapsen_v0", rules)
    player = EquilibriumPlayer(game)
    exploited = best_response.exploitability(game, player)
    gaps = [found.gap for found in player.found.values()]
    assert len(gaps) == 6
    assert 0 <= 2 * exploited <= np.mean(gaps) + 1e-6


@pytest.mark.parametrize("env_id", ["schnapsen_v0", "sixty_six_v0"])
def test_worlds_are_true_states_that_look_the_same_to_all(env_id):
    game = make_game(env_id)
    state = first_solvable(game, 5, 1)
    worlds = worlds_of(game, state[0], 20_000)
    assert worlds.weights.sum() == pytest.approx(1)
    assert (state[0]["hand"] == worlds.hands).all(axis=1).sum() == 1
    some = np.arange(0, len(worlds.hands), 97)
    states, replay = arranged(game, state, worlds.hands[some], worlds.stock[some]), Replay(game)
    public = [field.name for field in game.spec.state.fields if field.known == "all"]
    for i in range(len(some)):
        assert replay.is_true(states[i : i + 1])
        assert log_entries(states[i]) == log_entries(state[0])
        assert (states[i]["hand"] == worlds.hands[some[i]]).all()
    assert {"taken", "points", "shown", "trump"} <= {*public}
    for name in {*public} - {"random"}:
        assert (states[name] == state[name]).all(), name


def test_prior_is_the_likelihood_of_past_play(game):
    """A random network would weigh nothing; the shipped one prefers hands with which it plays what was
    played."""
    state = first_solvable(game, 7, 1)
    worlds = worlds_of(game, state[0], 20_000)
    found = likelihood(game, state, worlds, make_agent_for("ppo:schnapsen", game))
    assert found.shape == worlds.weights.shape
    assert (found >= 0).all()
    assert found.max() > 2 * found.mean()


def test_decisions_go_together():
    game = make_game("schnapsen_v0", LARGER)
    found = solve_equilibrium(game, first_solvable(game, 1, 1), laid_open=0)
    decisions = [*found.decisions()]
    roots = [each for each in decisions if not each.path]
    assert sum(each.likely for each in roots) == pytest.approx(1)
    assert sum(each.likely * (each.chances @ each.values) for each in roots) == pytest.approx(
        found.value, abs=1e-3
    )
    assert all(one.likely <= 1 and len(one.path) <= len(two.path) for one, two in pairwise(decisions))
    assert all(each.chances.sum() == pytest.approx(1) for each in decisions)


def test_what_cannot_be_solved_is_refused(game):
    exhausted = [*positions(game, 3)][-1]
    with pytest.raises(InputError, match="both seats can tell"):
        solve_equilibrium(game, exhausted)
    first = next(positions(game, 3))
    with pytest.raises(InputError, match="worlds; expected at most"):
        solve_equilibrium(game, first)
    with pytest.raises(InputError, match="more than 1,000 edges"):
        solve_equilibrium(game, first_solvable(game, 3, 1), most_edges=1_000)
    with pytest.raises(InputError, match="expected one of schnapsen_v0"):
        solve_equilibrium(make_game("snapszer_v0"), first)
