"""Hidden information: a seat is shown nothing that the worlds which it must hold possible do not share."""

import random

import numpy as np

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.records import to_plain
from stichwerk.envs.engine.replay import Replay, same_position
from stichwerk.envs.engine.set_deal import replay_options
from stichwerk.envs.spec.game import Game
from stichwerk.envs.testing.playing import Chooser, naming_the_place, positions


def check_worlds(game: Game, choose: Chooser, seed: int = 0, episodes: int = 3) -> None:
    """A seat's view fits every world that it must hold possible; a leak would fit the true one alone.

    A world is a whole deal. Dealt and played again it leads to its own position, and in it the seat sees what
    it sees.
    """
    env, replay = CardGameEnv(game.env_id, game.rules), Replay(game)
    onlookers = [CardGameEnv(game.env_id, game.rules, observation=name) for name in game.encodings]
    rng = random.Random(seed)
    for step, _ in enumerate(positions(env, choose, seed, episodes)):
        if rng.random() < 0.5:
            with naming_the_place(env, seed):
                check_worlds_here(env, onlookers, replay, step)


def check_worlds_here(env: CardGameEnv, onlookers: list[CardGameEnv], replay: Replay, seed: int) -> None:
    """`check_worlds` for one position of one environment; `onlookers` are environments with each
    observation."""
    before = env.copy_state()
    for seat, agent in enumerate(env.possible_agents):
        world, other, again = (
            env.resample(agent, seed),
            env.resample(agent, seed + 1),
            env.resample(agent, seed),
        )
        assert (world == again).all(), "one seed gives two worlds"
        assert world[0].seed != other[0].seed, "the deals to come are not drawn anew"
        played = replay.again(world[0])
        assert played is not None, (
            f"a world of {agent} cannot be played: {replay_options(env.game, world[0])}"
        )
        wrong = [
            name for name in world.dtype.names or () if not same_position(world[[name]][0], played[[name]][0])
        ]
        assert not wrong, f"a world of {agent}, dealt and played again, differs in {', '.join(wrong)}"
        onlookers[0].restore({**env.snapshot(), "state": to_plain(world[0], env.game.spec.state)})
        for onlooker in onlookers:
            _check_same_sight(onlooker, seat, env.copy_state(), world)
    assert (env.copy_state() == before).all(), "resampling changed the game"


def _check_same_sight(env: CardGameEnv, seat: int, one: np.ndarray, two: np.ndarray) -> None:
    """A seat observes, reads, sees drawn and may do the same in two states."""
    agent, sights = env.possible_agents[seat], []
    for state in (one, two):
        env.set_state(state)
        view, seen = env.view(agent), env.observe(agent)
        arrays = [view.tobytes(), *(array.tobytes() for array in seen.values())]
        sights.append([*arrays, env.game.text(view, seat), env.picture(agent).svg()])
    kinds = ("view", "observation", "action mask", "text", "picture")
    for what, first, second in zip(kinds, *sights, strict=True):
        assert first == second, f"the {what} of {agent} tells what it cannot know"
