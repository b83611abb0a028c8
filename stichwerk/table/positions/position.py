"""Positions in which tables begin: read from records, snapshots and single lines."""

from dataclasses import dataclass, replace
from pathlib import Path

from stichwerk.envs.deal import HEAD, read_record
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.file import read_deal
from stichwerk.envs.records.foreign import restored
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import MOST_JSON, read_text
from stichwerk.table.positions.exercises import Exercise


@dataclass(frozen=True)
class Position:
    """The beginning of a table.

    Attributes:
        game: with its rules
        deal: the cards, and the actions that lead there
        seat: the seat to act
        before: the move that was played there before, with the values of all actions, if that is known
        exercise: the exercise whose position it is, if any
    """

    game: Game
    deal: DealRecord
    seat: int
    before: Move | None = None
    exercise: Exercise | None = None

    @property
    def person(self) -> int:
        """The seat of a person who plays it: the seat whose record it is, or else the seat to act."""
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
    return position_in(*read_record(text, deal), step)


def position_of(game: Game, exercise: Exercise) -> Position:
    """The position of an exercise of a game.

    Raises:
        InputError: no play leads there, it is of another game, or the answer is not legal there.
    """
    found = read_position(exercise.position)
    if found.game.spec is not game.spec:
        raise InputError(f"exercise: got a position of {found.game.env_id}; expected {game.env_id}")
    replay = RecordReplay(found.game)
    legal = replay.legal(replay.at(found.deal, len(found.deal.moves)))
    if exercise.answer not in legal:
        raise InputError(f"exercise: got the answer {quoted(exercise.answer)}; expected {', '.join(legal)}")
    # Another process finds a game of a module by its address, which no position has.
    return replace(found, game=replace(found.game, address=game.address), exercise=exercise)


def open_position(source: str, deal: int = 1, step: int | None = None) -> Position:
    """Read a position from a file, or from a line of text itself; InputError and OSError name the file."""
    if source.startswith(("[", "{")) or restored(source[:HEAD]).startswith(("[game ", "{")):
        return read_position(source, deal, step)
    path = Path(source)
    try:
        if path.is_file() and path.stat().st_size > MOST_JSON:  # a long record
            return position_in(*read_deal(path, deal), step)
        return read_position(read_text(path), deal, step)
    except InputError as error:
        fault = str(error).removeprefix(f"{path}: ")
        raise InputError(f"{path}: {fault}") from None
