"""The plain search on a game's own functions, against trying out everything at a table."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from stichwerk.agents.solver import find_kernel
from stichwerk.envs.aec import CardGameEnv
from tests.agents.solver.support import solve_by_contract
from tests.envs.support import choose, legal, over

SMALL_PACK = {"pack": ["sA", "sK", "sQ", "sJ", "hT", "hQ", "hJ", "hA"], "hand_size": 2, "goal": 30}
LATE = 6  # cards in all hands
FEW = 200  # positions to try out below one
COMPILED_LONG = "gaigel_v0", "sixty_six_v0", "snapszer_v0"
GAMES = {
    "a small pack": ("schnapsen_v0", SMALL_PACK),
    "a small pack with claims by the engine": ("sixty_six_v0", {**SMALL_PACK, "claims": "auto"}),
    "partners": ("snapszer_v0", {}),
    "a declarer": ("preferans_v0", {}),
    "teams with a double pack": ("gaigel_v0", {"players": 4}),
    "three sides": ("gaigel_v0", {"players": 3}),
}


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, id=name, marks=[pytest.mark.slow] if game[0] in COMPILED_LONG else [])
        for name, game in GAMES.items()
    ],
)
def test_everything_tried_out(game):
    env = CardGameEnv(*game)
    check_late_positions(env, find_kernel(env.game.env_id).sides)


def test_everything_tried_out_by_many_sides():
    """Max^n, as Gaigel for three is solved; here each of four seats is a side."""
    check_late_positions(CardGameEnv("snapszer_v0"), lambda game, state: list(game.sides))


def cards_in(hand: np.integer) -> int:
    """Of a set, also one whose last bit is the number's sign."""
    return (int(hand) % (1 << 8 * hand.itemsize)).bit_count()


def check_late_positions(env: CardGameEnv, sides_of: Callable) -> None:
    rng, found = random.Random(1), 0
    while found < 2:
        env.reset(seed=rng.getrandbits(32))
        while not over(env):
            state = env.copy_state()
            sides = sides_of(env.game, state[0])
            late = sum(cards_in(hand) for hand in state[0]["hand"]) <= LATE
            expected = try_out(env, sides, [FEW]) if late else None
            env.set_state(state)
            if expected is not None:
                found += 1
                side = sides[state[0]["seat"]]
                values = solve_by_contract(env.game, state, sides)
                found_values = {env.action_names[i]: values[i] for i in np.flatnonzero(values == values)}
                assert found_values == pytest.approx({name: paid[side] for name, paid in expected.items()})
                break
            env.step(choose(env, rng))


def try_out(env: CardGameEnv, sides: list[int], left: list[int]) -> dict[str, list[float]] | None:
    """What each action brings each side if all sides then take what is best for them, of equals the first;
    None if there are more than so many positions `left` to look at."""
    state, values = env.copy_state(), {}
    for action in legal(env):
        left[0] -= 1
        if left[0] < 0:
            return None
        env.set_state(state)
        env.step(action)
        if over(env):
            values[action] = state_points(env, sides)
            continue
        side = sides[env.copy_state()[0]["seat"]]
        below = try_out(env, sides, left)
        if below is None:
            return None
        values[action] = max(below.values(), key=lambda paid: paid[side])
    return values


def state_points(env: CardGameEnv, sides: list[int]) -> list[float]:
    """The mean of what the seats of each side got for the deal."""
    points = env.copy_state()[0]["deal_points"]
    seats_of = [[seat for seat in range(len(sides)) if sides[seat] == side] for side in range(max(sides) + 1)]
    return [float(points[seats].mean()) for seats in seats_of]
