"""The environment in which a seat learns, as stable-baselines3 has it: a lane shows one learner seat, a pool
plays the others inside.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from stichwerk.agents.core.agent import Agent
from stichwerk.agents.envs.pool import scaled
from stichwerk.agents.envs.single_seat import SeatLanes
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.envs.spec.game import Game
from stichwerk.envs.vector import encoding_space


class SelfPlayEnv(SeatLanes, VecEnv):
    """`num_lanes` games for stable-baselines3. Observations, masks and actions are in canonical suits.

    Arguments, beside those of `SeatLanes`:
        reward_scale: rewards are multiplied by it
        reward_limit: then, unless it is 0, limited smoothly to ± this: limit · tanh(reward / limit)
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
        SeatLanes.__init__(
            self, game, num_lanes, opponents, seed, episode, observation, partner, start_states
        )
        self.symmetry = SuitSymmetry(game, self.lanes.encoding)
        VecEnv.__init__(
            self,
            num_lanes,
            encoding_space(self.lanes.encoding),
            spaces.Discrete(len(game.actions)),
        )
        self.reward_scale, self.reward_limit = reward_scale, reward_limit
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_lanes)]

    def reset(self) -> np.ndarray:
        """Begin an episode in every lane; after `seed` it is deal number 0 of that seed."""
        if (seed := self._seeds[0]) is not None:
            self.seed_lanes(seed)
            self._reset_seeds()
        self.start_lanes()
        return self.seen()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = self.symmetry.true_actions(actions, self._orders)

    def step_wait(self):
        rewards, dones = self.play(self._actions)
        return self.seen(), scaled(rewards, self.reward_scale, self.reward_limit), dones, self._infos

    def seen(self) -> np.ndarray:
        """The observations of all lanes as they are now, in canonical suits."""
        observation, self._mask, self._orders = self.symmetry.canonical(
            self.lanes.observation, self.lanes.mask
        )
        return observation

    # What stable-baselines3 asks of a vector environment

    def env_method(self, method_name: str, *args, indices=None, **kwargs) -> list[Any]:
        """`action_masks` of the chosen lanes: a row int8[actions] for each; AttributeError for others."""
        if method_name != "action_masks":
            raise AttributeError(f"{type(self).__name__}: got method {method_name!r}; expected action_masks")
        return [self._mask[lane] for lane in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        """An attribute that all lanes share, once for each of the chosen ones."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        """Set what all lanes share; AttributeError for some of the lanes only."""
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            given = f"{attr_name} for lanes {list(self._get_indices(indices))}"
            raise AttributeError(f"set_attr: got {given}; expected all lanes, which share it")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        pass
