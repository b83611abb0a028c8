"""Many rule sets of one game: its presets, single options changed, and random combinations."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from stichwerk.envs.spec.options import Options
from stichwerk.support.errors import RulesError

KINDS = "defaults", "presets", "singles", "random"
TRIES = 1_000  # at a combination that is allowed


class RuleSets:
    """Draws rules of a game.

    Args:
        options: the game's options
        default_presets: the presets of its environment ids
    """

    def __init__(self, options: type[Options], default_presets: Sequence[str]):
        self._options = options
        self._defaults = [options.make(None, preset) for preset in dict.fromkeys(default_presets)]
        self._presets = [options.make(None, preset) for preset in options.PRESETS]
        self._usual = options.usual()

    def draw(self, kind: str, chance: np.random.Generator) -> Options:
        """Rules of one kind, with a random number of players where that is an option.

        Args:
            kind: `defaults`, those of an environment id; `presets`; `singles`, such defaults with another
                usual value of one option; `random`, a usual value of each option
            chance: the random numbers
        """
        match kind:
            case "defaults":
                rules = _one_of(self._defaults, chance)
            case "presets":
                rules = _one_of(self._presets, chance)
            case "singles":
                rules = self._single(chance)
            case _:
                rules = self._random(chance)
        players = self._options.values("players")
        return replace(rules, players=_one_of(players, chance)) if players else rules

    def singles(self, rules: Options) -> Iterator[tuple[str, Any, Options]]:
        """For each option that changes a deal and each other usual value of it the rules with it, as far as
        they are allowed."""
        for name, values in self._usual.items():
            if name in (*rules.SHOWN_BY, *rules.OF_MATCHES, "players"):
                continue
            for value in values:
                if value != getattr(rules, name):
                    with suppress(RulesError):
                        yield name, value, replace(rules, **{name: value})

    def _single(self, chance: np.random.Generator) -> Options:
        """Every option has the same chance, whatever the number of its values."""
        default = _one_of(self._defaults, chance)
        found: dict[str, list[Options]] = {}
        for name, _, rules in self.singles(default):
            found.setdefault(name, []).append(rules)
        return _one_of(found[_one_of(list(found), chance)], chance) if found else default

    def _random(self, chance: np.random.Generator) -> Options:
        """Numbers and lists have their default half of the time, listed values the same chance each."""
        default = self._defaults[0]
        for _ in range(TRIES):
            values = {}
            for name, usual in self._usual.items():
                stays = usual != (False, True) and not self._options.values(name) and chance.random() < 0.5
                values[name] = getattr(default, name) if stays else _one_of(usual, chance)
            with suppress(RulesError):
                return replace(default, **values)
        return default


def _one_of(values: Sequence[Any], chance: np.random.Generator) -> Any:
    return values[int(chance.integers(len(values)))]
