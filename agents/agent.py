"""What an agent is: it gets a batch of turns, each seen by the seat to act, and answers with one action a turn."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from pettingzoo import AECEnv

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.errors import InputError
from stichwerk.envs.core.lanes import Lanes


class AgentError(InputError):
    """An agent that does not exist or cannot play this game; the message says what is allowed."""


@dataclass(frozen=True)
class Turns:
    """A batch of turns in one game: the lanes `which`, int64[n], of the arrays below, which hold further lanes.

    all_views: state records redacted for the seat to act; all_seats: int64; all_masks: the legal actions, int8[lanes, actions]
    """

    which: np.ndarray
    all_views: np.ndarray
    all_seats: np.ndarray
    all_masks: np.ndarray

    @classmethod
    def of(cls, lanes: Lanes, which: np.ndarray) -> "Turns":
        return cls(which, lanes.views, lanes.seats, lanes.mask)

    @classmethod
    def at(cls, env: CardGameEnv) -> "Turns":
        """The one turn of an AEC environment."""
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"]
        seat = env.possible_agents.index(agent)
        return cls(np.zeros(1, np.int64), env.view(agent), np.array([seat]), mask[None])

    def __len__(self) -> int:
        return len(self.which)

    @property
    def views(self) -> np.ndarray:
        """The redacted state of each turn, [n]."""
        return self.all_views[self.which]

    @property
    def mask(self) -> np.ndarray:
        """The legal actions of each turn, int8[n, actions]."""
        return self.all_masks[self.which]


class Agent(ABC):
    """A player. It sees nothing but the turns it is given; `random` is its own chance."""

    def __init__(self, name: str):
        self.name = name
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Start the agent's own chance anew."""
        self.random = np.random.default_rng(seed)

    def act_in(self, env: AECEnv) -> int:
        """The action for the seat to act in one of the suite's AEC environments, wrapped or not."""
        return int(self.act(Turns.at(env.unwrapped))[0])

    @abstractmethod
    def act(self, turns: Turns) -> np.ndarray:
        """One legal action id for each turn, int64[n]."""
