"""Exercises of a game: positions with one best action, and why it is that.

Each game has a file in `exercises/`, a list of mappings with the fields of `Exercise`.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from stichwerk.support.errors import InputError
from stichwerk.support.parsing import read_text, read_yaml

FOLDER = Path(__file__).parent / "exercises"


@dataclass(frozen=True)
class Exercise:
    """A position with one best action.

    Attributes:
        title: a few words
        question: what a person is asked
        position: a line, as `stichwerk.table.position` reads it
        answer: the best action, by name
        why: why it is the best, in sentences
        proof: how that is proved, in one of three ways. "only": no other action is legal. "exact": by exact
            values, as the seat can tell all cards. "worlds": by exact values in every deal that agrees with
            what the seat knows
    """

    title: str
    question: str
    position: str
    answer: str
    why: str
    proof: Literal["only", "exact", "worlds"]


@cache
def exercises_of(env_id: str) -> tuple[Exercise, ...]:
    """The exercises of a game; none where it has no file."""
    path = FOLDER / f"{env_id}.yaml"
    return tuple(Exercise(**each) for each in read_yaml(read_text(path))) if path.is_file() else ()


def exercise_of(env_id: str, number: int) -> Exercise:
    """The exercise of this number, from 1; InputError if the game has none."""
    found = exercises_of(env_id)
    if not 1 <= number <= len(found):
        expected = f"1 to {len(found)}" if found else f"none, as {env_id} has no exercises"
        raise InputError(f"exercise: got {number}; expected {expected}")
    return found[number - 1]


def number_after(env_id: str, exercise: Exercise) -> int | None:
    """The number of the exercise after this one of a game, from 1; None after the last."""
    found = exercises_of(env_id)
    number = found.index(exercise) + 2
    return number if number <= len(found) else None
