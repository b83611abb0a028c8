"""Searching agents and the solver on games that the suite does not know: no rule-based player, no kernel."""

import os
import sys

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.search.playout_policy import random_policy
from stichwerk.agents.solver import find_kernel, register_kernel, solve
from stichwerk.agents.solver.schnapsen import KERNEL
from stichwerk.agents.solver.snapszer import KERNEL as ANOTHER
from stichwerk.envs import InputError, make_game
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.support import ROOT
from tests.envs.support import over, python

LATE = 34  # actions, after which three tricks are left in Briscola, and each seat can tell the other's cards
SEARCHES = (
    "rollout:worlds=16",
    "pimc:worlds=8,limit=1000",
    "pimc:turns=0,worlds=8,limit=1000",
    "ismcts:worlds=64",
)


@pytest.fixture(scope="module")
def briscola():
    """The example, which has neither a rule-based player nor a solver kernel."""
    sys.path.insert(0, str(ROOT / "examples" / "briscola"))
    yield make_game("briscola:briscola_v0")
    sys.path.pop(0)


def at_random(game, moves: int, seed: int) -> CardGameEnv:
    """A table after so many random actions."""
    env, random = CardGameEnv(f"briscola:{game.env_id}"), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(moves):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(random.choice(np.flatnonzero(mask))))
    return env


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.slow
def test_a_search_wins_from_random_play(name, briscola):
    players = [make_agent_for(name, briscola), make_agent_for("random", briscola)]
    points = 0.0
    for deal in range(20):
        env = CardGameEnv("briscola:briscola_v0")
        env.reset(seed=deal // 2)
        for place, player in enumerate(players):
            player.seed([deal, place])
        while not over(env):
            searches = env.agent_selection == f"player_{deal % 2}"
            env.step(players[0 if searches else 1].act_in(env))
        points += env.rewards[f"player_{deal % 2}"]
    assert points >= 8, "of twenty deals, a point each"


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.slow
def test_a_search_plays_exactly_where_all_cards_are_known(name, briscola):
    agent = make_agent_for(name, briscola)
    decided = 0
    for seed in range(30):
        env = at_random(briscola, LATE, seed)
        values = solve(briscola, env.copy_state())
        best = max(values.values())
        assert values[env.action_names[agent.act_in(env)]] == best
        decided += min(values.values()) < best
    assert decided >= 2, "positions in which the choice matters"


def test_random_playouts_use_every_legal_action(briscola):
    """And the same one where the seat sees the same."""
    choose, lanes = random_policy(briscola.spec), Lanes(briscola, 200)
    lanes.seed(1)
    lanes.start()
    turns = Turns.of(lanes, lanes.all)
    rules, places = briscola.rules_record[0], []
    for view, seat, mask in zip(turns.all_views, turns.all_seats, turns.all_masks, strict=True):
        action = choose(rules, view, seat)
        assert mask[action]
        assert choose(rules, view, seat) == action
        places.append(mask[:action].sum())
    counts = np.bincount(places, minlength=3)
    assert len(counts) == 3
    assert counts.min() > 40, "of 200 choices among three cards"


# Kernels of other packages

GAME = """
from dataclasses import replace
from stichwerk.envs.games.schnapsen import GAME as SCHNAPSEN

GAME = replace(SCHNAPSEN, env_ids={"club_v0": "schnapsen"}, title="Club Schnapsen")
"""
POINTS = """
[stichwerk.games]
club_v0 = clubgame:GAME
[stichwerk.solver_kernels]
club_v0 = clubkernel:KERNEL
broken_v0 = clubkernel:NO_SUCH_KERNEL
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder on the path like that of an installed package with a game and its kernel."""
    (tmp_path / "clubgame.py").write_text(GAME)
    (tmp_path / "clubkernel.py").write_text("from stichwerk.agents.solver.schnapsen import KERNEL\n")
    facts = tmp_path / "club-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: club\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(POINTS)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))


def test_an_installed_kernel_is_loaded_when_it_is_asked_for(installed):
    program = """
import sys
from stichwerk.agents.solver import find_kernel, solved_games, solver_for
from stichwerk.envs import make_game
game = make_game("club_v0")
print("club_v0" in solved_games(), "clubkernel" in sys.modules)
print(find_kernel("club_v0") is find_kernel("schnapsen_v0"), find_kernel("whist_v0"))
print("table" in solver_for(game, game.spec.state.fresh[0])[1].dtype.names)
try:
    find_kernel("broken_v0")
except ValueError as error:
    print(error)
"""
    *seen, error = python(program).splitlines()
    assert seen == ["True False", "True None", "True"]
    assert error.startswith("the solver kernel of broken_v0 cannot be loaded: ")
    assert "NO_SUCH_KERNEL" in error


@pytest.mark.parametrize("kernel", [None, "schnapsen", ANOTHER])
def test_a_kernel_that_cannot_be_registered(kernel):
    with pytest.raises(InputError, match="schnapsen_v0"):
        register_kernel("schnapsen_v0", kernel)
    assert find_kernel("schnapsen_v0") is KERNEL
