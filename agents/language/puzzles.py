"""Puzzles: positions with all cards open, the exact value of every legal action, and answers scored by value
lost.

A puzzle is a line of JSON with the fields of `Puzzle`. `generator.py` makes them.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from stichwerk.agents.language.answers import AnswerError, read_answer
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import read_events
from stichwerk.envs.spec.game import Game
from stichwerk.support.check import is_number
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_json

SHIPPED = Path(__file__).with_name("puzzles.jsonl.gz")
"""A thousand puzzles, two hundred of each game of the suite, of seed 1."""
MOST_BYTES = 200_000_000  # of a file of puzzles or answers, unpacked


class Score(NamedTuple):
    """The score of an answer to a puzzle.

    Attributes:
        action: the action that was answered; None for a wrong answer, which counts as the worst action
        lost: game points that the best action brings more
        reward: 1 for a best action, 0 for a worst one, in between by the value lost
    """

    action: str | None
    lost: float
    reward: float


@dataclass(frozen=True)
class Puzzle:
    """A position with the value of every legal action.

    Attributes:
        id: environment id, seed and number
        env: the environment id
        kind: "endgame", with no card to draw; "closed", after the stock was closed; "hand", from a game
            without a stock
        seat: the seat to act
        record: the events of the position's record, as `docs/reference/records.md` describes them
        question: the position in words, with the rules and the legal actions
        actions: the legal actions, in the order of their numbers
        values: by action, the game points for a seat of the side to act if everybody plays best
        difficulty: `cards` in all hands, the number of legal `actions`, and the `gap` in game points from
            the best value to the next one
    """

    id: str
    env: str
    kind: str
    seat: int
    record: tuple[Mapping[str, Any], ...]
    question: str
    actions: tuple[str, ...]
    values: Mapping[str, float]
    difficulty: Mapping[str, float]

    @cached_property
    def best(self) -> float:
        """The value of the best action."""
        return max(self.values.values())

    def score(self, answer: str | int) -> Score:
        """Score an answer in free text, which is read as `answers.py` says."""
        worst = min(self.values.values())
        try:
            action = read_answer(answer, self.actions)
        except AnswerError:
            return Score(None, self.best - worst, 0.0)
        lost = self.best - self.values[action]
        return Score(action, lost, 1 - lost / (self.best - worst))

    def position(self) -> tuple[Game, DealRecord]:
        """The game and the record of the position; InputError if the record is none."""
        try:
            ((game, deal),) = read_events(self.record)
        except (InputError, ValueError) as error:
            raise InputError(f"puzzle {self.id}: record: {error}") from None
        return game, deal

    def line(self) -> str:
        """The puzzle as a line of JSON, with its end."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"


def read_puzzle(value: Any) -> Puzzle:
    """A puzzle from the value of its line; InputError unless it is one."""
    names = [each.name for each in fields(Puzzle)]
    if not isinstance(value, dict) or set(value) != set(names):
        raise InputError(f"puzzle: got {quoted(value)}; expected the fields {', '.join(names)}")
    for name in ("id", "env", "kind", "question"):
        if not isinstance(value[name], str):
            raise InputError(f"puzzle {name}: got {quoted(value[name])}; expected a text")
    actions, values, record = value["actions"], value["values"], value["record"]
    is_list = isinstance(actions, list) and all(isinstance(each, str) for each in actions)
    if not is_list or len(set(actions)) != len(actions) or len(actions) < 2:
        raise InputError(f"puzzle actions: got {quoted(actions)}; expected two different names or more")
    if (
        not isinstance(values, dict)
        or set(values) != set(actions)
        or not all(map(is_number, values.values()))
    ):
        raise InputError(f"puzzle values: got {quoted(values)}; expected a number for each action")
    if len(set(values.values())) < 2:
        raise InputError(f"puzzle values: got {quoted(values)}; expected two different ones or more")
    if not isinstance(value["difficulty"], dict) or not all(map(is_number, value["difficulty"].values())):
        raise InputError(f"puzzle difficulty: got {quoted(value['difficulty'])}; expected numbers by name")
    if not isinstance(record, list):
        raise InputError(f"puzzle record: got {quoted(record)}; expected events")
    return Puzzle(**{**value, "actions": tuple(actions), "record": tuple(record)})


def read_puzzles(path: Path = SHIPPED) -> list[Puzzle]:
    """The puzzles of a file, packed by gzip or not; without a path those that come with the package.

    Raises:
        InputError: a line is no puzzle, or two have one id; the message names file and line.
    """
    return parse_puzzles(_text(path), path)


def parse_puzzles(text: str, path: Path) -> list[Puzzle]:
    """Read puzzles from the text of a file; InputError for what is none names `path`."""
    puzzles: dict[str, Puzzle] = {}
    for number, value in _values(text, path):
        try:
            puzzle = read_puzzle(value)
            if puzzle.id in puzzles:
                raise InputError(f"id: got {quoted(puzzle.id)} twice; expected it once")
        except InputError as error:
            raise InputError(f"{path}: line {number}: {error}") from None
        puzzles[puzzle.id] = puzzle
    return list(puzzles.values())


def read_answers(path: Path, puzzles: Iterable[Puzzle]) -> dict[str, str | int]:
    """The answers of a file by the puzzle's id: lines such as {"id": "…", "answer": "…"}, or with a number.

    Raises:
        InputError: a line is no answer to one of the puzzles, or the second one to it.
    """
    answers: dict[str, str | int] = {}
    known = {puzzle.id for puzzle in puzzles}
    for number, value in _values(_text(path), path):
        if (
            not isinstance(value, dict)
            or not isinstance(value.get("id"), str)
            or type(value.get("answer")) not in (str, int)
        ):
            raise InputError(f"{path}: line {number}: got {quoted(value)}; expected id and answer as texts")
        if value["id"] not in known or value["id"] in answers:
            fault = "twice" if value["id"] in answers else "of no puzzle"
            raise InputError(f"{path}: line {number}: got id {quoted(value['id'])} {fault}")
        answers[value["id"]] = value["answer"]
    return answers


def _text(path: Path) -> str:
    """The content of a file; InputError if it is no text, or too long."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(f"{path}: got more than {MOST_BYTES:,} bytes; expected fewer")
        return content.decode()
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: not JSON Lines: {error}") from None


def _values(text: str, path: Path) -> Iterator[tuple[int, Any]]:
    """The values of JSON Lines with the numbers of their lines; InputError if they are none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, read_json(line)
            except InputError as error:
                raise InputError(f"{path}: line {number}: {error}") from None
