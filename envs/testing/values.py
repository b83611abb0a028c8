"""Copies play on as the first, and a seed gives one course of play."""

import copy
import json
import pickle

import numpy as np

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.spec.game import Game
from stichwerk.envs.testing.playing import Chooser, by_sight, naming_the_place, over
from stichwerk.envs.vector import CardVectorEnv

LONGEST_COPIED = 200  # steps that a copy follows


def check_copies(game: Game, choose: Chooser, episode: Episode = "deal") -> None:
    """A copy made in the middle, in whatever way, plays on the same and shares nothing with the first."""
    for steps in (0, 5, 12):
        env = CardGameEnv(game.env_id, game.rules, episode)
        env.reset(seed=steps)
        for _ in range(steps):
            if not over(env):
                env.step(choose(env))
        restored = CardGameEnv(game.env_id, game.rules, episode)
        restored.restore(json.loads(json.dumps(env.snapshot())))
        twins = [restored, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        before = env.snapshot()
        kept = copy.deepcopy(before)
        with naming_the_place(env, steps):
            for _ in range(LONGEST_COPIED):
                if over(env):
                    break
                action = choose(env)
                assert all(twin.snapshot() == env.snapshot() for twin in twins), "a copy differs"
                for each in (env, *twins):
                    each.step(action)
            assert all(twin.snapshot() == env.snapshot() for twin in twins), "a copy plays on otherwise"
            assert before == kept, "a snapshot changes with its environment"


def check_determinism(game: Game, choose: Chooser, episode: Episode = "deal") -> None:
    """One seed gives one course of play, here and in the first of many lanes; its cards do not depend on the
    play before."""
    decks = [_decks(game, choose, episode) for _ in range(2)]  # chance goes on, so they are played otherwise
    assert decks[0] == decks[1], "the cards of a deal depend on how the deals before were played"
    few_orders = len(game.deck) < 8  # of which one may well come twice
    assert len(set(decks[0])) >= (2 if few_orders else len(decks[0])), "deals of a seed have the same cards"
    env, vec = CardGameEnv(game.env_id, game.rules, episode), CardVectorEnv(game, 3, episode, seed=1)
    seen, _ = vec.reset(seed=1)
    env.reset(seed=1)
    for _ in range(60):
        while over(env):  # lanes pass over episodes that the cards end at once
            env.reset()
        single = env.observe(env.agent_selection)
        for name, array in seen.items():
            assert (array[0] == single[name]).all(), f"{name} of a lane differs from the single environment's"
        actions = [by_sight(*both) for both in zip(seen["observation"], seen["action_mask"], strict=True)]
        seen, rewards, terminations, _, _ = vec.step(actions)
        env.step(actions[0])
        assert (rewards[0] == np.array(list(env.rewards.values()), np.float32)).all(), (
            "rewards of a lane differ"
        )
        assert terminations[0] == over(env), "a lane ends otherwise"


def _decks(game: Game, choose: Chooser, episode: Episode, deals: int = 3) -> list[str]:
    """The first decks of a seed, as who plays like this comes upon them."""
    env, dealt = CardGameEnv(game.env_id, game.rules, episode), dict[int, str]()
    env.reset(seed=1)
    while len(dealt) < deals:
        while True:
            state = env.copy_state()[0]
            dealt.setdefault(int(state.deal_number), str(state.deck.tolist()))
            if over(env) or len(dealt) == deals:
                break
            env.step(choose(env))
        env.reset()
    return [dealt[number] for number in range(deals)]
