"""Positions in which tables begin: read from records, snapshots and single lines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.file import read_deal
from stichwerk.envs.records.jsonl import read_records
from stichwerk.envs.records.notation import read_deals
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_json, read_text
from stichwerk.table.exercises import Exercise

HEAD = 1_000  # characters that tell a snapshot from a record


@dataclass(frozen=True)
class Position:
    """Where a table begins.

    Attributes:
        game: with its rules
        deal: the cards, and the actions that lead there
        seat: the seat to act
        before: the move that was played there before, with the values of all actions, if that is known
        exercise: what a person is asked there, if it is one
    """

    game: Game
    deal: DealRecord
    seat: int
    before: Move | None = None
    exercise: Exercise | None = None

    @property
    def person(self) -> int:
        """Where a person sits who plays it: the seat whose record it is, or else the seat to act."""
        return self.seat if self.deal.seat is None else self.deal.seat


def position_in(game: Game, deal: DealRecord, step: int | None = None) -> Position:
    """The position of a record.

    Args:
        game: of the deal
        deal: is played again and checked
        step: the number of moves before the position; None: all of them, or none of a deal that is over

    Raises:
        InputError: no play leads to the record, or the deal is over at this step.
    """
    step = step if step is not None else len(deal.moves) if deal.points is None else 0
    states = RecordReplay(game).at(deal, step)
    if states[0].over:
        raise InputError(f"step: got {step}, the end of the deal; expected an earlier one")
    before = deal.moves[step] if step < len(deal.moves) and deal.moves[step].values else None
    begun = replace(deal, moves=deal.moves[:step], points=None, players=(), number=None)
    return Position(game, begun, int(states[0].seat), before)


def read_position(text: str, deal: int = 1, step: int | None = None) -> Position:
    """The position of a text: of a record in either form, of one line, or of a snapshot.

    Args:
        text: from anywhere
        deal: the number of the deal in a record, from 1
        step: as for `position_in`

    Raises:
        InputError: the text is none of these, or leads to no position.
    """
    text = text.strip()
    if _is_snapshot(text[:HEAD]):
        return position_in(*_of_snapshot(read_json(text)), step)
    deals: Iterator = read_records(text.splitlines()) if text.startswith("{") else read_deals(text)
    for game, found in islice(deals, deal - 1, deal):
        return position_in(game, found, step)
    raise InputError(f"deal: got {deal}; expected the number of a deal in the record")


def position_of(exercise: Exercise) -> Position:
    """The position of an exercise."""
    return replace(read_position(exercise.position), exercise=exercise)


def open_position(source: str, deal: int = 1, step: int | None = None) -> Position:
    """Read a position from a file, or from a line of text itself; InputError and OSError name the file."""
    if source.startswith(("[", "{")):
        return read_position(source, deal, step)
    path = Path(source)
    with open(path, encoding="utf-8", errors="replace") as file:
        snapshot = _is_snapshot(file.read(HEAD))
    game, found = _of_snapshot(read_json(read_text(path))) if snapshot else read_deal(path, deal)
    try:
        return position_in(game, found, step)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _is_snapshot(head: str) -> bool:
    """Whether a text that begins so is JSON, but no event of a record."""
    first = head.lstrip().partition("\n")[0]
    return first.startswith("{") and '"event"' not in first


def _of_snapshot(snapshot: Any) -> tuple[Game, DealRecord]:
    """The present deal of a snapshot, which is proved by play."""
    given: Mapping[str, Any] = snapshot if isinstance(snapshot, dict) else {}
    env_id = given.get("env_id")
    if not isinstance(env_id, str) or ":" in env_id:  # MODULE:ID would import a module
        raise InputError(f"snapshot: got env_id {quoted(env_id)}; expected what `snapshot()` returns")
    env = CardGameEnv(env_id, given.get("rules"), given.get("episode", "deal"))
    env.restore(given)
    return env.game, env.deals()[-1]
