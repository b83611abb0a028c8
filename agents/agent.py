"""What an agent is: it gets a batch of turns, each seen by the seat to act, and answers each with an
action."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.encoding import Encoding
from stichwerk.envs.core.errors import InputError, quoted
from stichwerk.envs.core.game import Game
from stichwerk.envs.core.lanes import Lanes
from stichwerk.envs.core.loops import loops_for
from stichwerk.envs.core.options import Options


class AgentError(InputError):
    """An agent that does not exist or cannot play this game; the message says what is allowed."""


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any], within: str = "") -> str:
    """What of two mappings is not the same, entry by entry, also in mappings inside them; empty if all is.

    Of another game, by its `env`, nothing else is compared.
    """
    if theirs.get("env") != ours.get("env"):
        theirs, ours = {"env": theirs.get("env")}, {"env": ours.get("env")}
    found = []
    for name in dict.fromkeys((*theirs, *ours)):
        their, our = theirs.get(name), ours.get(name)
        if isinstance(their, Mapping) and isinstance(our, Mapping):
            found.append(differences(their, our, f"{within}{name} "))
        elif type(their) is not type(our) or their != our:
            found.append(f"its {within}{name} is {quoted(their)}, here it must be {quoted(our)}")
    return "; ".join(filter(None, found))


@dataclass(frozen=True)
class Written:
    """Observations that an environment has written already, a row for each lane."""

    encoding: Encoding
    rules: Options
    rows: np.ndarray


@dataclass(frozen=True)
class Turns:
    """A batch of turns in one game: the lanes `which`, int64[n], of the arrays below, which hold more lanes.

    all_views: state records redacted for the seat to act; all_seats: int64
    all_masks: the legal actions, int8[lanes, actions]
    written: observations of all lanes, where there are any
    """

    which: np.ndarray
    all_views: np.ndarray
    all_seats: np.ndarray
    all_masks: np.ndarray
    written: Written | None = None

    @classmethod
    def of(cls, lanes: Lanes, which: np.ndarray) -> "Turns":
        written = Written(lanes.encoding, lanes.game.rules, lanes.observation)
        return cls(which, lanes.views, lanes.seats, lanes.mask, written)

    @classmethod
    def at(cls, env: CardGameEnv) -> "Turns":
        """The one turn of an AEC environment."""
        agent = env.agent_selection
        seen = env.observe(agent)
        seat = env.possible_agents.index(agent)
        written = Written(env.encoding, env.game.rules, seen["observation"][None])
        return cls(
            np.zeros(1, np.int64), env.view(agent), np.array([seat]), seen["action_mask"][None], written
        )

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

    def observation(self, game: Game, name: str = "summary") -> np.ndarray:
        """What each seat sees in one of the game's encodings, float32[n, features]: as the environment has
        written it, or else written now from the views."""
        encoding = game.encoding(name)
        if self.written and self.written.encoding is encoding and self.written.rules == game.rules:
            return self.written.rows[self.which]
        observation = np.empty((len(self), encoding.size), np.float32)
        observe = loops_for(game, name).observe
        observe(game.rules_record, self.which, self.all_views, self.all_seats, observation)
        return observation


class Agent(ABC):
    """A player. It sees nothing but the turns it is given; `random` is its own chance.

    game: the one game under its rules that it can play; None: any
    """

    def __init__(self, name: str, game: Game | None = None):
        self.name = name
        self.game = game
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Start the agent's own chance anew."""
        self.random = np.random.default_rng(seed)

    def act_in(self, env: AECEnv) -> int:
        """The action for the seat to act in one of the suite's AEC environments, wrapped or not.

        Raises AgentError for an environment of another game, or under other rules than the agent plays by.
        """
        table = env.unwrapped
        if not isinstance(table, CardGameEnv):
            raise AgentError(f"agent {self.name} plays in environments of this suite only, not in {table}")
        if self.game and (faults := differences(_identity(self.game), _identity(table.game))):
            raise AgentError(f"agent {self.name} does not fit this environment: {faults}")
        return int(self.act(Turns.at(table))[0])

    @abstractmethod
    def act(self, turns: Turns) -> np.ndarray:
        """One legal action id for each turn, int64[n]."""


def _identity(game: Game) -> dict[str, Any]:
    return {"env": game.env_id, "rules": game.rules.as_dict()}
