"""The interface of agents: an agent gets a batch of turns, each seen by the seat to act, and answers each
with an action."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from pettingzoo import AECEnv

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.jit.compiled import SUITE
from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import Options
from stichwerk.envs.vector import CardVectorEnv, Seen
from stichwerk.support.chance import TurnChance
from stichwerk.support.errors import InputError, quoted

FORFEIT = -1
"""Stands for an action where an agent gives a deal up."""
FOR_ALL_SEEDS = 0x5EED_0F_A11  # in place of the run's seed, for agents that must not learn it
NO_VIEWS = np.zeros(0, np.int8)


class AgentError(InputError):
    """An agent that does not exist or cannot play this game; the message says what was expected."""


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any], within: str = "") -> str:
    """The differences between two mappings, entry by entry, nested ones included; empty if they are equal.

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
    """A batch of turns in one game: some lanes of arrays that hold more of them.

    Attributes:
        which: the lanes of these turns, int64[n]
        all_views: state records redacted for the seat to act, [lanes], or none where nothing but the
            observation is known
        all_seats: the seats to act, int64[lanes]
        all_masks: the legal actions, int8[lanes, actions]
        written: observations of all lanes, where there are any
        chance: a seed for the turn of each lane, uint64[lanes]; None: agents draw on as they go
        all_rules: the rules of each lane as records, [lanes], where they differ; None: all are those of the
            agent's game
    """

    which: np.ndarray
    all_views: np.ndarray
    all_seats: np.ndarray
    all_masks: np.ndarray
    written: Written | None = None
    chance: np.ndarray | None = None
    all_rules: np.ndarray | None = None

    @classmethod
    def of(cls, lanes: Lanes, which: np.ndarray) -> "Turns":
        written = Written(lanes.encoding, lanes.game.rules, lanes.observation)
        rules = None if lanes.rules is lanes.game.rules_record else lanes.rules
        return cls(which, lanes.views, lanes.seats, lanes.mask, written, all_rules=rules)

    @classmethod
    def in_vector(cls, env: CardVectorEnv) -> "Turns":
        """The turns of all lanes of a vector environment that wait for a decision, each seen by its seat."""
        return replace(cls.of(env.lanes, env.to_act), all_views=env.views())

    @classmethod
    def at(cls, env: CardGameEnv) -> "Turns":
        """The one turn of an AEC environment.

        Raises:
            InputError: if the episode has not begun or is over.
        """
        env.check_under_way()
        agent = env.agent_selection
        seen = env.observe(agent)
        seat = env.possible_agents.index(agent)
        written = Written(env.encoding, env.game.rules, seen["observation"][None])
        return cls.one(env.view(agent), seat, seen["action_mask"], written)

    @classmethod
    def one(cls, view: np.ndarray, seat: int, mask: np.ndarray, written: Written | None = None) -> "Turns":
        """One turn alone.

        Args:
            view: The state redacted for the seat, an array of one record.
            seat: The seat to act.
            mask: Its legal actions, int8[actions].
            written: What it sees in an encoding, if that is written already.
        """
        return cls(np.zeros(1, np.int64), view, np.array([seat]), mask[None], written)

    def __len__(self) -> int:
        return len(self.which)

    def apart(self) -> "Turns":
        """Copy these turns into arrays of their own, a row for each turn."""
        views = self.views if len(self.all_views) else self.all_views
        written = self.written and replace(self.written, rows=self.written.rows[self.which])
        chance, rules = (None if each is None else each[self.which] for each in (self.chance, self.all_rules))
        return Turns(
            np.arange(len(self)), views, self.all_seats[self.which], self.mask, written, chance, rules
        )

    @property
    def views(self) -> np.ndarray:
        """The redacted state of each turn, [n]."""
        return self.all_views[self.which]

    @property
    def mask(self) -> np.ndarray:
        """The legal actions of each turn, int8[n, actions]."""
        return self.all_masks[self.which]

    def rules(self, game: Game) -> np.ndarray:
        """The rules of each lane, or the one record of all, those of the game."""
        return game.rules_record if self.all_rules is None else self.all_rules

    def observation(self, game: Game, name: str = "summary") -> np.ndarray:
        """The observation of each seat in one of the game's encodings.

        Args:
            name: The encoding, such as `summary` or `history`.

        Returns:
            The observations, float32[n, features]: as the environment has written them, or else written now
            from the views.

        Raises:
            AgentError: if there are neither views nor observations in this encoding.
        """
        encoding = game.encoding(name)
        written = self.written
        if (
            written
            and written.encoding is encoding
            and (self.all_rules is not None or written.rules == game.rules)
        ):
            return written.rows[self.which]
        if not len(self.all_views):
            raise AgentError(f"observation: got another one; expected {name!r}, which the agent plays by")
        observation = np.empty((len(self), encoding.size), np.float32)
        observe_views = loops_for(game, name).observe_views
        observe_views(self.rules(game), self.which, self.all_views, self.all_seats, observation)
        return observation


@dataclass(frozen=True)
class Rating:
    """An agent's rating of the legal actions of one turn.

    Attributes:
        actions: their ids, int64[n]
        chosen: the id of the action that the agent plays
        probabilities: of playing each action, float64[n]; None: the agent has none
        values: the game points expected of each action, float64[n]; None: the agent has none
        margins: half of the 95 % interval of each value, float64[n]; infinite where there is too little to
            tell
        of_match: whether values are what the seat gains of its probability to win the match, instead of game
            points
    """

    actions: np.ndarray
    chosen: int
    probabilities: np.ndarray | None = None
    values: np.ndarray | None = None
    margins: np.ndarray | None = None
    of_match: bool = False


def are_legal(actions: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The legality of these actions, int[n], by int8[n, actions]: bool[n]."""
    known = (actions >= 0) & (actions < mask.shape[1])
    return known & (mask[np.arange(len(mask)), np.where(known, actions, 0)] != 0)


def with_choice(mask: np.ndarray) -> np.ndarray:
    """The rows of int8[n, actions] that have more than one legal action, int64."""
    return np.flatnonzero(mask.sum(axis=1) > 1)


class Agent(ABC):
    """A player, which sees nothing but the turns that it is given.

    Attributes:
        name: what results call it
        origin: the text that it was made of, and its number among the agents of that text in a field. Its
            chance in a comparison derives from them; from its name if the text is empty
        game: the one game under its rules that it can play; None: any
        random: its own chance, a NumPy generator
        reads_views: whether it needs the views of its turns, not just their observations and masks
        plays_any_rules: whether it plays lanes of other rules of its game, `Turns.all_rules`
        draws: whether it draws random numbers
        outside: whether its code is not the suite's. It is then shown copies, begins each seating afresh, and
            gets seeds from which nobody can find that of the deals
    """

    origin: tuple[str, int] = "", 0
    reads_views = True
    plays_any_rules = False
    draws = True
    outside = True

    def __init_subclass__(cls, **how: Any):
        super().__init_subclass__(**how)
        if "outside" not in cls.__dict__:
            cls.outside = cls.__module__.partition(".")[0] != SUITE

    def __init__(self, name: str, game: Game | None = None):
        self.name = name
        self.game = game
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Seed the agent's own chance.

        Args:
            seed: Any whole number from 0 on.
        """
        self.random = np.random.default_rng(seed)

    def seed_for(self, seed: int, use: Use, *place: int) -> None:
        """Seed its chance for this place in the deals that are played from a seed.

        Deals derive from that seed, and small ones are soon tried out, so agents from outside get the same
        for all seeds.
        """
        self.seed(int(stream_seed(FOR_ALL_SEEDS if self.outside else seed, use, *place)))

    def chance_in(self, turns: Turns) -> np.random.Generator | TurnChance:
        """Its random numbers for some turns: a row for each, or where turns have none its own generator."""
        return self.random if turns.chance is None else TurnChance(turns.chance[turns.which])

    def fresh(self) -> "Agent":
        """An agent that remembers nothing of its turns: this one, which keeps nothing but its chance."""
        return self

    @overload
    def act_in(self, env: CardGameEnv) -> int: ...

    @overload
    def act_in(self, env: CardVectorEnv) -> np.ndarray: ...

    @overload
    def act_in(self, env: AECEnv) -> int: ...

    def act_in(self, env):
        """Choose for the seat to act in an environment of the suite.

        Args:
            env: An AEC environment, wrapped or not, or a vector environment.

        Returns:
            The id of a legal action; in a vector environment one for each lane, int64[num_envs], and 0 where
            the next step ignores it.

        Raises:
            AgentError: for an environment of another game, or under other rules than the agent plays by.
            InputError: if the episode has not begun or is over.
        """
        env = env.unwrapped
        if not isinstance(env, (CardGameEnv, CardVectorEnv)):
            raise AgentError(f"agent {self.name} plays in environments of this suite only, not in {env}")
        if self.game and (faults := differences(identity(self.game), identity(env.game))):
            raise AgentError(f"agent {self.name} does not fit this environment: {faults}")
        if isinstance(env, CardVectorEnv):
            turns = Turns.in_vector(env)
            actions = np.zeros(env.num_envs, np.int64)
            if len(turns):
                actions[turns.which] = self.act(turns.apart() if self.outside else turns)
            return actions
        turn = Turns.at(env)
        _check_turn(turn.all_masks[0])
        return int(self.act(turn)[0])

    def act_on(self, observation: Seen) -> int:
        """Choose for one observation.

        Args:
            observation: As `last` and `observe` of an environment give it: `observation`, float32[features],
                and `action_mask`, int8[actions].

        Returns:
            The id of a legal action.

        Raises:
            AgentError: if the agent needs more than an observation.
            InputError: if the observation is not one of this game.
        """
        if self.reads_views:
            raise AgentError(f"agent {self.name} reads the seat's view, not an observation: use act_in(env)")
        if not isinstance(observation, Mapping):
            given = type(observation).__name__
            raise InputError(f"observation: got {given}; expected a dict of observation and action_mask")
        mask, written = _numbers(observation, "action_mask"), None
        if self.game:
            vector = _numbers(observation, "observation")
            sizes = {encoding.size: encoding for encoding in self.game.encodings.values()}
            actions = len(self.game.actions)
            if vector.ndim != 1 or vector.size not in sizes or mask.shape != (actions,):
                allowed = f"float32[{' or '.join(map(str, sizes))}], action_mask int8[{actions}]"
                given = f"shape {vector.shape}, action_mask in shape {mask.shape}"
                raise InputError(f"observation: got {given}; expected {allowed}")
            written = Written(sizes[vector.size], self.game.rules, vector.astype(np.float32)[None])
        if mask.ndim != 1 or not np.isin(mask, (0, 1)).all():
            given = f"action_mask {quoted(mask.tolist())}"
            raise InputError(f"observation: got {given}; expected int8[actions] of 0 and 1")
        _check_turn(mask)
        return int(self.act(Turns.one(NO_VIEWS, 0, mask, written))[0])

    @abstractmethod
    def act(self, turns: Turns) -> np.ndarray:
        """Choose in each turn of a batch.

        Args:
            turns: Of the agent's own game, each with a legal action.

        Returns:
            The id of a legal action for each turn, int64[n].
        """

    def act_or_forfeit(self, turns: Turns) -> np.ndarray:
        """Choose in each turn, where deals can be given up, each by FORFEIT instead of its action."""
        return self.act(turns)

    def rate(self, turn: Turns) -> Rating:
        """Rate the legal actions of one turn.

        Agents with probabilities or values extend this.

        Args:
            turn: A batch of one.

        Returns:
            The ids of the legal actions and the action that the agent plays, without probabilities or values.
        """
        return Rating(np.flatnonzero(turn.mask[0]), int(self.act(turn)[0]))


def _numbers(observation: Mapping[str, Any], name: str) -> np.ndarray:
    """An entry of an observation as an array; InputError unless it holds real numbers or truth values."""
    value = observation.get(name)
    with suppress(ValueError):  # of rows that differ in length
        if (array := np.asarray(value)).dtype.kind in "biuf":
            return array
    raise InputError(f"observation: got {name} {quoted(value)}; expected an array of numbers")


def _check_turn(mask: np.ndarray) -> None:
    if not mask.any():
        raise InputError("there is no legal action: this seat is not to act")


def identity(game: Game) -> dict[str, Any]:
    return {"env": game.env_id, "rules": game.rules.as_dict()}
