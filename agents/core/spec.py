"""Agents as short texts: `kind:argument,key=value,…`, read by what each kind allows."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stichwerk.agents.core.agent import Agent, AgentError
from stichwerk.envs.spec.game import Game
from stichwerk.support.check import Allowed, between
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.numbers import whole_number

KEY = re.compile(r"[A-Za-z_]+=")
ALIAS = re.compile(r"([\w.+#-]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Setting:
    """A value behind a key.

    Attributes:
        parse: the value of a text, or None or ValueError where it stands for none
        allowed: the values that it may have
    """

    parse: Callable[[str], Any]
    allowed: Allowed

    def read(self, text: str) -> Any:
        """The value of a text; ValueError unless it is allowed."""
        value = self.parse(text)
        if value is None or not self.allowed.includes(value):
            raise ValueError
        return value


@dataclass(frozen=True)
class Kind:
    """A kind of agent.

    Attributes:
        make: makes one by `make(name, game, argument, **settings)`; settings that a text leaves out are not
            given
        form: how a text of this kind looks, without settings
        about: what it does, in a few words
        argument: whether an argument is required; None: optional
        settings: what may stand behind each key
        plays_by_rules: whether it plays by the game's rule-based player
        searches: whether it searches, for which it needs that player too
        by_network: whether the argument, if there is one, names a network
        env_id: the environment that it plays; empty: any
        runs_code: whether the text names code, which is run
    """

    make: Callable[..., Agent]
    form: str
    about: str
    argument: bool | None = False
    settings: Mapping[str, Setting] = field(default_factory=dict)
    plays_by_rules: bool = False
    searches: bool = False
    by_network: bool = False
    env_id: str = ""
    runs_code: bool = False

    def agent(self, text: str, game: Game) -> Agent:
        argument, words = split_spec(text)
        if text.endswith(":") or (self.argument is not None and bool(argument) != self.argument):
            raise AgentError(f"agent {quoted(text)}: {self._allowed()}")
        values = {}
        for key, is_set, value in words:
            if key not in self.settings:
                raise AgentError(f"agent {quoted(text)}: unknown {quoted(key)}; {self._allowed()}")
            if not is_set:
                raise AgentError(f"agent {quoted(text)}: {key} has no value; {self._allowed()}")
            if key in values:
                raise AgentError(f"agent {quoted(text)}: {key} is given twice; {self._allowed()}")
            try:
                values[key] = self.settings[key].read(value)
            except ValueError:
                allowed = self.settings[key].allowed.words
                raise AgentError(
                    f"agent {quoted(text)}: {key}: got {quoted(value)}; expected {allowed}"
                ) from None
        return self.make(text, game, argument, **values)

    def _allowed(self) -> str:
        """In words, with all settings."""
        settings = [f"{key}={setting.allowed.words}" for key, setting in self.settings.items()]
        return f"expected {self.form}" + (f", then perhaps {', '.join(settings)}" if settings else "")


def split_spec(text: str) -> tuple[str, list[tuple[str, str, str]]]:
    """The argument, if any, and the other words, split at their `=`."""
    words = text.partition(":")[2].split(",")
    argument = "" if KEY.match(words[0]) else words.pop(0)
    return argument, [word.partition("=") for word in words]


def whole(least: int, most: int) -> Setting:
    """A whole number in this range."""
    return Setting(whole_number, between(least, most))


def fraction(least: float, most: float) -> Setting:
    """A number in this range."""
    return Setting(float, between(float(least), float(most)))


def choice(**values: Any) -> Setting:
    """One of some words, each of which stands for a value."""
    return Setting(values.get, Allowed(lambda value: True, " or ".join(values)))


def named(words: Sequence[str]) -> list[tuple[str, str]]:
    """The name and the text of each agent.

    An agent is `NAME=TEXT`, or a text that is its own name. The second agent of one such text is called
    rules#2.

    Raises:
        InputError: a name is given twice.
    """
    aliases, seen, agents = [ALIAS.fullmatch(word) for word in words], Counter[str](), []
    for word, alias in zip(words, aliases, strict=True):
        if alias:
            agents.append((alias[1], alias[2]))
        else:
            seen[word] += 1
            agents.append((word if seen[word] == 1 else f"{word}#{seen[word]}", word))
    counts = Counter(name for name, _ in agents)
    for name, count in counts.items():
        if count > 1:
            raise InputError(f"agent name {quoted(name)}: got it {count} times; expected once")
    return agents
