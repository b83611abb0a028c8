"""Custom agents: players from outside the suite, each held to what an agent owes.

A fault is a crash, an answer that is no legal action, or a decision that takes too long or never comes. It is
an AgentError with the agent's name. The agent is shown copies of its turns, so it can change nothing else.
"""

import operator
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from time import perf_counter
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from stichwerk.agents.core.agent import Agent, AgentError, Turns, are_legal, differences, identity
from stichwerk.agents.external.guard import Guard, OutOfTime
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import error_line, quoted

ENTRY_POINTS = "stichwerk.agents"
KEEP = "__closure__", "__defaults__", "__kwdefaults__", "__dict__"  # where a function may remember something


class ActsOnTurns(Protocol):
    """An object that answers a batch of turns with an action id for each. It may have `seed(int)`, and
    `random`, a NumPy generator that a training run then keeps in its checkpoints."""

    def act(self, turns: Turns, /) -> Any: ...


Player = Agent | ActsOnTurns | Callable[[np.ndarray, np.ndarray], Any]
"""All that can be made an agent. A function `(observation, mask) -> action` gets one row of the `summary`
encoding, float32[features], and its mask, int8[actions], in true suits, and returns an action's id or
name."""
Maker = Callable[[Game], Player]


def as_agent(player: Player, game: Game, name: str = "own") -> Agent:
    """Make an agent of a player.

    Args:
        player: An `Agent`, an object with `act(turns)`, or a function `(observation, mask) -> action` of
            float32[features] and int8[actions], which returns an action's id or name.
        game: The game that it plays.
        name: The agent's name.

    Raises:
        AgentError: if the player is none of these, or an agent of another game.
    """
    return CustomAgent(name, player, game)


def fresh(agent: Agent, game: Game) -> Agent:
    """An agent that remembers nothing of what this one has played. An agent from outside is made again. One
    of the suite is returned as it is, since it keeps nothing but its chance."""
    return (CustomAgent(agent.name, agent, game) if type(agent).outside else agent).fresh()


class CustomAgent(Agent):
    """A player from outside as an agent of one game.

    Args:
        limit_ms: milliseconds that a decision may take, as the mean over a batch; 0: any. The first batch may
            take `loading` more. A player that does not answer is interrupted (see `Guard`).
        make: makes the same player again; None: there is nothing but the player, to be copied
        guard: what runs the player; None: one of its own

    Attributes:
        loading: seconds that a player with a time limit has besides, to load and compile for its first answer
    """

    loading = 120.0

    def __init__(
        self,
        name: str,
        player: Player,
        game: Game,
        limit_ms: float = 0.0,
        make: Callable[[], Player] | None = None,
        guard: Guard | None = None,
    ):
        self.name = name
        self._player, self._make, self._guard = player, make, guard or Guard()
        self._game, self._limit_ms, self._warm = game, limit_ms, False
        with self._guarded("crashed"):
            self.outside = bool(make) or not isinstance(player, Agent) or player.outside
            self._is_function = not hasattr(player, "act")
            if self._is_function and not callable(player):
                allowed = "an Agent, an object with act(turns), or a function (observation, mask) -> action"
                raise AgentError(f"agent {name}: got {quoted(player)}; expected {allowed}")
            if isinstance(player, Agent):
                self.reads_views, self.draws = player.reads_views, player.draws
                self.origin = player.origin
                if player.game and (faults := differences(identity(player.game), identity(game))):
                    raise AgentError(f"agent {name} does not fit this game: {faults}")
            else:
                self.reads_views = not self._is_function
        super().__init__(name, game)

    def fresh(self) -> "CustomAgent":
        """Make this agent as it was before its first turn: its player is made again, or else copied."""
        if not self.outside:
            return self
        with self._guarded("cannot be started again", self._loading):
            if self._make:
                player = self._make()
            else:
                player = self._player.fresh() if isinstance(self._player, CustomAgent) else self._copied()
        return type(self)(self.name, player, self._game, self._limit_ms, self._make, self._guard)

    def _copied(self) -> Player:
        """A copy of the player, or itself with a warning where it may remember and cannot be copied."""
        why = "its copy is itself, and so is what it keeps"
        try:
            copied = deepcopy(self._player)
        except (KeyboardInterrupt, OutOfTime):
            raise
        except BaseException as error:
            copied, why = self._player, error_line(error)
        keeps = not isinstance(copied, FunctionType) or any(getattr(copied, name) for name in KEEP)
        if copied is self._player and keeps:
            warnings.warn(
                f"agent {self.name}: got a player that cannot be started again for each seating ({why}); "
                "expected python:MODULE:MAKER, or an object that can be copied",
                stacklevel=2,
            )
        return copied

    def seed(self, seed: int) -> None:
        """Seed the player's chance, if the player says how."""
        super().seed(seed)
        with self._guarded("crashed in seed", self._loading):
            if callable(reseed := getattr(self._player, "seed", None)):
                reseed(seed)
            chance = getattr(self._player, "random", None)
            if isinstance(chance, np.random.Generator) and isinstance(chance.bit_generator, np.random.PCG64):
                self.random = chance

    def act(self, turns: Turns) -> np.ndarray:
        shown = turns.apart()
        seconds = self._limit_ms * len(turns) / 1000 + (0.0 if self._warm else self._loading)
        with self._guarded("crashed", seconds):
            begin = perf_counter()
            answer = self._ask_function(shown) if self._is_function else self._player.act(shown)  # type: ignore[union-attr]
            self._check_time(1000 * (perf_counter() - begin) / len(turns))
            return self._checked(answer, turns)

    @property
    def _loading(self) -> float:
        """Seconds that the player may take to load; 0: any."""
        return self.loading if self._limit_ms else 0.0

    @contextmanager
    def _guarded(self, failed: str, seconds: float = 0.0) -> Iterator[None]:
        try:
            with self._guard(f"agent {self.name}", failed, seconds):
                yield
        except AgentError as error:
            if self.name in str(error):
                raise
            # An agent of the suite in there has only the name that its maker gave it.
            raise AgentError(f"agent {self.name}: {error}") from None

    def _ask_function(self, turns: Turns) -> list[int]:
        rows = zip(turns.observation(self._game), turns.mask, strict=True)
        return [self._number(self._player(*row)) for row in rows]  # type: ignore[operator]

    def _number(self, action: Any) -> int:
        """The id of an action that a function has answered with."""
        if isinstance(action, str):
            number = self._game.action_number(action)
        else:
            try:
                number = None if isinstance(action, (bool, np.bool_)) else operator.index(action)
            except TypeError:
                number = None
        if number is None:
            last = len(self._game.actions) - 1
            allowed = f"an action's name or its id, a whole number from 0 to {last}"
            raise AgentError(f"agent {self.name}: got the answer {quoted(action)}; expected {allowed}")
        return number

    def _check_time(self, ms: float) -> None:
        if self._limit_ms and self._warm and ms > self._limit_ms:
            raise AgentError(
                f"agent {self.name} is too slow: got {ms:,.3g} ms a decision; "
                f"expected at most {self._limit_ms:g}"
            )
        self._warm = True

    def _checked(self, answer: Any, turns: Turns) -> np.ndarray:
        try:
            actions = np.asarray(answer)
        except Exception:  # of lists of unequal length, and of tensors on other devices
            actions = np.array(None)
        if actions.shape != (len(turns),) or actions.dtype.kind not in "iu":
            raise AgentError(
                f"agent {self.name}: got the answer {quoted(answer)} to {len(turns)} turns; "
                f"expected whole numbers in shape ({len(turns)},)"
            )
        legal = are_legal(actions, turns.mask)
        if not legal.all():
            first = int(np.argmin(legal))
            raise AgentError(self._complaint(int(actions[first]), turns, turns.which[first]))
        return actions.astype(np.int64)

    def _complaint(self, action: int, turns: Turns, lane: int) -> str:
        names = self._game.actions
        name = repr(str(names[action])) if 0 <= action < len(names) else str(action)
        legal = ", ".join(names[each] for each in np.flatnonzero(turns.all_masks[lane]))
        return f"agent {self.name} plays {name}, which is not legal here; legal: {legal}"


# By name


@cache
def installed() -> dict[str, EntryPoint]:
    """The agents of installed packages: entry points of the group `stichwerk.agents`, each a
    `module:maker`."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def python_agent(text: str, game: Game, address: str) -> Agent:
    """The agent that a maker, `MODULE:MAKER`, makes for a game: `maker(game)` returns a Player."""
    maker, guard = find_maker(text, address), _guard_of(address)

    def make() -> Player:
        with guard(f"agent {quoted(text)}", "cannot be made"):
            return maker(game)

    return CustomAgent(text, make(), game, make=make, guard=guard)


@cache
def _guard_of(address: str) -> Guard:
    """One for all agents of a maker: its module may have changed the present folder in its import."""
    return Guard()


def find_maker(text: str, address: str) -> Maker:
    """The maker that `MODULE:MAKER` names; AgentError, with the text that led there, if there is none."""
    module, _, name = address.partition(":")
    if not module or not name.isidentifier():
        raise AgentError(f"agent: got {quoted(text)}; expected python:MODULE:MAKER")
    with _guard_of(address)(f"agent {quoted(text)}", "cannot be loaded"):
        maker = getattr(import_module(module), name)
    if not callable(maker):
        raise AgentError(f"agent {quoted(text)}: {name} is {quoted(maker)}, not a function maker(game)")
    return maker


def address_of(text: str) -> str | None:
    """The `MODULE:MAKER` behind an agent's text, if it names a custom agent."""
    kind, _, rest = text.partition(":")
    if kind == "python":
        return rest
    return installed()[kind].value if kind in installed() else None
