"""Exercises of a game: positions with one best action, and its reason.

A game declares a file of them, `GameSpec.exercises`. It is YAML: by environment id a list of mappings with
the fields of `Exercise`, or with `positions`, a list of mappings with a position and its answer each.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_text, read_yaml

PROOFS = ("only", "exact", "worlds")


@dataclass(frozen=True)
class Exercise:
    """A position with one best action.

    Attributes:
        title: a few words
        question: the question to a person
        position: a line, as `stichwerk.table.positions.position` reads it
        answer: the best action, by name
        why: the reason, in sentences
        proof: "only": no other action is legal. "exact": by exact values, as the seat can tell all cards.
            "worlds": by exact values in every deal that agrees with the seat's view
    """

    title: str
    question: str
    position: str
    answer: str
    why: str
    proof: str


def exercises_of(game: Game) -> tuple[Exercise, ...]:
    """The exercises of a game; none where it declares no file.

    Raises:
        InputError: the file cannot be read, or is damaged; the message names it.
    """
    return _read(game.spec.exercises).get(game.env_id, ()) if game.spec.exercises else ()


@cache
def _read(path: Path) -> dict[str, tuple[Exercise, ...]]:
    try:
        content = read_yaml(read_text(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(each, list) for each in content.values()):
        raise InputError(f"{path}: got {quoted(content)}; expected lists of exercises by environment id")
    return {
        env_id: tuple(
            exercise
            for n, each in enumerate(listed, 1)
            for exercise in _exercises(f"{path}: {env_id}, exercise {n}", each)
        )
        for env_id, listed in content.items()
    }


def _exercises(where: str, given: Any) -> Iterator[Exercise]:
    """One exercise, or those of several positions with the same question."""
    if isinstance(given, dict) and isinstance(positions := given.get("positions"), list):
        shared = {name: value for name, value in given.items() if name != "positions"}
        for each in positions:
            yield _exercise(where, {**shared, **each} if isinstance(each, dict) else each)
    else:
        yield _exercise(where, given)


def _exercise(where: str, given: Any) -> Exercise:
    names = {field.name for field in fields(Exercise)}
    if not isinstance(given, dict) or given.keys() != names:
        raise InputError(f"{where}: got {quoted(given)}; expected {', '.join(sorted(names))}")
    if wrong := [name for name, value in given.items() if not isinstance(value, str)]:
        raise InputError(f"{where}: {wrong[0]}: got {quoted(given[wrong[0]])}; expected text")
    if given["proof"] not in PROOFS:
        raise InputError(f"{where}: proof: got {quoted(given['proof'])}; expected one of {', '.join(PROOFS)}")
    return Exercise(**given)


def exercise_of(game: Game, number: int) -> Exercise:
    """The exercise of this number, from 1; InputError if the game has none."""
    found = exercises_of(game)
    if not 1 <= number <= len(found):
        expected = f"1 to {len(found)}" if found else f"none, as {game.env_id} has no exercises"
        raise InputError(f"exercise: got {number}; expected {expected}")
    return found[number - 1]


def number_after(game: Game, exercise: Exercise) -> int | None:
    """The number of the exercise after this one of a game, from 1; None after the last."""
    found = exercises_of(game)
    number = found.index(exercise) + 2
    return number if number <= len(found) else None
