"""An RLCard environment behind PettingZoo's AEC interface, for the checks."""

import string
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra


class RlcardEnv(AECEnv):
    """One game of RLCard. Its observation is RLCard's `obs`, as an array; `raw_obs` is beside it as text.

    Args:
        name: such as gin-rummy
        seed: of the first game
    """

    metadata = {"render_modes": [], "name": "rlcard"}

    def __init__(self, name: str, seed: int = 0):
        rlcard = from_extra("rlcard", "rlcard")
        try:
            self.inner = rlcard.make(name, config={"seed": seed})
        except Exception:
            raise InputError(
                f"rlcard game: got {quoted(name)}; expected one that rlcard.make knows"
            ) from None
        super().__init__()
        self.possible_agents = [f"player_{seat}" for seat in range(self.inner.num_players)]
        self.agents: list[str] = []

    def action_space(self, agent: str) -> spaces.Discrete:
        return spaces.Discrete(self.inner.num_actions)

    def observation_space(self, agent: str) -> spaces.Dict:
        shape = np.asarray(self.observe(agent)["observation"]).shape
        return spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, shape, np.float64),
                "action_mask": spaces.Box(0, 1, (self.inner.num_actions,), np.int8),
                "raw_obs": spaces.Text(1_000_000, charset=string.printable),
            }
        )

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        if seed is not None:
            self.inner.seed(seed)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        _, seat = self.inner.reset()
        self.agent_selection = self.possible_agents[seat]

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        state = self.inner.get_state(seat)
        mask = np.zeros(self.inner.num_actions, np.int8)
        if agent == self.agent_selection and not self.inner.is_over():
            mask[[*state["legal_actions"]]] = 1
        seen = np.asarray(state["obs"], np.float64)
        return {"observation": seen, "action_mask": mask, "raw_obs": str(state["raw_obs"])}

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        if not self.observe(agent)["action_mask"][action]:
            raise InputError(f"action: got {action}; expected a legal one")  # RLCard takes any
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        _, seat = self.inner.step(action)
        self.agent_selection = self.possible_agents[seat]
        if self.inner.is_over():
            self.rewards = dict(zip(self.agents, map(float, self.inner.get_payoffs()), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
