"""The environment in which a seat learns: a lane shows one learner seat, a pool plays the others inside.

Rewards are summed between the learner's decisions, so each seat's decisions form a trajectory of their own:
nothing is lost when an opponent ends the deal, and no sign is flipped when a seat acts twice in a row.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from stichwerk.agents.agent import Agent, Turns
from stichwerk.agents.symmetry import SuitSymmetry
from stichwerk.envs.core.game import Game
from stichwerk.envs.core.lanes import Lanes, check_episode


class SelfPlayEnv(VecEnv):
    """`num_lanes` games for stable-baselines3. Observations, masks and actions are in canonical suits.

    Each lane keeps its opponent, by share; the learner moves on by one seat with every episode. An episode
    that ends before the learner has made a decision leaves no trace.

    Arguments:
        opponents: the pool, with each one's share of the lanes (together 1)
        partner: plays the other seats of the learner's side; None: the lane's opponent does
        reward_scale: rewards are multiplied by it
        reward_limit: then, unless it is 0, pressed smoothly into ± this: limit · tanh(reward / limit)
        start_states: episodes begin in start states of a match as they come up, drawn by the game
    """

    render_mode = None

    def __init__(
        self,
        game: Game,
        num_lanes: int,
        opponents: Sequence[tuple[Agent, float]],
        seed: int,
        episode: str = "deal",
        observation: str = "summary",
        partner: Agent | None = None,
        reward_scale: float = 1.0,
        reward_limit: float = 0.0,
        start_states: bool = False,
    ):
        self.lanes = Lanes(game, num_lanes, check_episode(episode), observation, start_states=start_states)
        self.lanes.seed(seed)
        self.symmetry = SuitSymmetry(game, self.lanes.encoding)
        super().__init__(
            num_lanes,
            spaces.Box(0, np.inf, (self.lanes.encoding.size,), np.float32),
            spaces.Discrete(len(game.actions)),
        )
        self.reward_scale, self.reward_limit = reward_scale, reward_limit
        self.opponents = [agent for agent, _ in opponents]
        self.partner = partner
        self._sides = np.array(game.sides)
        limits = np.cumsum([share for _, share in opponents]) * num_lanes
        self.opponent_of = np.searchsorted(np.round(limits), np.arange(num_lanes), side="right")
        self.learner = np.arange(num_lanes) % game.seats
        self.decided = np.zeros(num_lanes, bool)  # the learner has acted in the present episode
        self.games = 0  # finished so far
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_lanes)]

    def reset(self) -> np.ndarray:
        self.lanes.start()
        self._rewards, self._dones = self._fresh_results()
        self._play_others()
        return self._present()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = self.symmetry.true_actions(actions, self._orders)

    def step_wait(self):
        self._rewards, self._dones = self._fresh_results()
        self.decided[:] = True
        self._step(self.lanes.all, self._actions)
        self._play_others()
        return self._present(), self._for_learning(self._rewards), self._dones, self._infos

    def _for_learning(self, rewards: np.ndarray) -> np.ndarray:
        rewards = rewards * self.reward_scale
        return self.reward_limit * np.tanh(rewards / self.reward_limit) if self.reward_limit else rewards

    def _fresh_results(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool)

    def _play_others(self) -> None:
        """Let the pool play until the learner is to act in every lane."""
        while len(waiting := np.flatnonzero(self.lanes.seats != self.learner)):
            actions = np.empty(len(waiting), np.int64)
            owners = self.opponent_of[waiting]
            if self.partner:
                own_side = self._sides[self.lanes.seats[waiting]] == self._sides[self.learner[waiting]]
                owners[own_side] = len(self.opponents)
            for number, agent in enumerate([*self.opponents, self.partner]):
                own = owners == number
                if agent and own.any():
                    actions[own] = agent.act(Turns.of(self.lanes, waiting[own]))
            self._step(waiting, actions)

    def _step(self, which: np.ndarray, actions: np.ndarray) -> None:
        self.lanes.step(actions, which)
        ended = which[self.lanes.terminations[which]]
        counted = ended[self.decided[ended]]
        self._rewards[counted] += self.lanes.rewards[counted, self.learner[counted]]
        self._dones[counted] = True
        self.decided[ended] = False
        self.games += len(ended)
        self.learner[ended] = (self.learner[ended] + 1) % self.lanes.game.seats

    def look_again(self) -> np.ndarray:
        """The observations after a change of the lanes' states from outside."""
        self.lanes.look(self.lanes.all)
        return self._present()

    def _present(self) -> np.ndarray:
        observation, self._mask, self._orders = self.symmetry.canonical(
            self.lanes.observation, self.lanes.mask
        )
        return observation

    # What stable-baselines3 asks of a vector environment

    def env_method(self, method_name: str, *args, indices=None, **kwargs) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"{type(self).__name__} answers action_masks only, not {method_name}")
        return [self._mask]  # one array of all lanes: the caller stacks the list and reshapes

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        pass
