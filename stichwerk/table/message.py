"""Positions as pages get them, made from the redacted view of the seat alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stichwerk.agents.core.agent import Agent
from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR, Scene
from stichwerk.envs.spec.verbs import PLAY
from stichwerk.support.language import mark, tr
from stichwerk.table.compiling import is_interpreted
from stichwerk.table.positions.exercises import number_after
from stichwerk.table.protocol import (
    ActionData,
    Entry,
    PositionData,
    ResultData,
    SceneData,
    TableMessage,
    Task,
    allowed,
)
from stichwerk.table.words import doubtful_claims, short_names, verdict

if TYPE_CHECKING:
    from stichwerk.table.table import Table

Seat = str | Agent | None
"""The player of a seat: an agent by its text or as an object, or None for a person."""
Trick = Mapping[int, str]
"""The cards of a trick, by name, by the seats that played them, in this order."""


@dataclass(frozen=True)
class Sight:
    """The memory that a seat has of the tricks between two positions.

    Attributes:
        trick: the cards on the table, or those of the trick that was completed by the last action
        complete: True if that trick is complete
        last: the trick before that one
    """

    trick: Trick
    complete: bool
    last: Trick

    def after(self, game: Game, view: np.ndarray, seat: int) -> "Sight":
        """The memory one action later.

        Args:
            game: with its rules
            view: the state redacted for the seat, an array of one record
            seat: the seat that remembers
        """
        table = {
            int(hand.seat): hand.played for hand in game.scene(view, seat).hands if hand.played is not None
        }
        last = self.trick if self.complete else self.last
        if table:
            played = {actor: table[actor] for actor in (*self.trick, *table) if actor in table}
            return Sight(played, False, last)
        size = 0 if self.complete else len(self.trick)
        plays = [
            (actor, game.actions[action].card)
            for actor, action in log_entries(view[0])
            if action != NONE and game.actions[action].verb == PLAY
        ]
        if size and len(plays) > size:
            done = {actor: str(card) for actor, card in plays[-size - 1 :]}
            if self.trick.keys() < done.keys():
                return Sight(done, True, last)
        return Sight({}, False, self.trick or self.last)


FIRST_DEALS = mark("The first deals are played without a search, while faster code is compiled.")
NOTHING_SEEN = Sight({}, False, {})


def action_data(game: Game, action: Action) -> ActionData:
    """An action as data: its id, its name and parts, and the words of its button."""
    return {
        "id": game.action_index[action],
        "name": str(action),
        "verb": action.verb,
        "card": action.card,
        "suit": action.suit,
        "number": action.number,
        "label": game.label(action),
    }


def position_data(
    game: Game, view: np.ndarray, seat: int, legal: Sequence[Action], sight: Sight
) -> PositionData:
    """A position as a seat sees it, as values that JSON can hold.

    Args:
        game: with its rules
        view: the state redacted for the seat, an array of one record
        seat: the seat that gets it
        legal: its legal actions; none where it is not to act
        sight: its memory of the tricks
    """
    scene = game.scene(view, seat)
    return {
        "scene": _scene_data(scene),
        "legal": [action_data(game, action) for action in legal],
        "log": [entry_data(game, actor, action) for actor, action in log_entries(view[0])],
        "trick": list(sight.trick.items()),
        "trick_complete": sight.complete,
        "last_trick": list(sight.last.items()),
    }


def table_message(table: "Table", seat: int) -> TableMessage:
    """The table as a seat sees it, made of its view alone; for SPECTATOR with all cards."""
    result: ResultData | None = None
    legal = table.legal(seat) if seat in table.people else ()
    view = table.view(seat if table.sees(seat) is not None else SPECTATOR)  # the others' hands after a deal
    if table.result:
        result = {
            "points": list(table.result.points),
            "account": table.account(seat),
            "further": [list(points) for points in table.result.further],
            "match_over": table.result.episode_over and table.episode == "match",
            "waits_for": sorted(table.waits_for),
        }
    return {
        "type": "table",
        "version": table.version,
        "env": table.game.env_id,
        "title": tr(table.game.title),
        "episode": table.episode,
        "seat": seat,
        "names": short_names(table.names),
        "people": list(table.people),
        "covered": sorted(table.covered),
        "learned": table.learned,
        "note": tr(FIRST_DEALS) if is_interpreted() else "",
        "sides": list(table.game.sides),
        "study": table.is_study,
        "watched": table.is_watched,
        "may": allowed(table.role),
        "from_position": table.start is not None,
        "exercise": _task(table),
        "verdict": _verdict(table, seat, view),
        "can_undo": table.can_undo,
        "doubtful": doubtful_claims(table.game, view, seat, legal),
        "totals": table.totals.tolist(),
        "deals_played": table.deals_played,
        "result": result,
        **position_data(table.game, view, seat, legal, table.sight(seat)),
    }


def _task(table: "Table") -> Task | None:
    """The exercise of the start position, with the number of the one after it."""
    exercise = table.start.exercise if table.start else None
    if exercise is None or not table.shows_start():
        return None
    following = number_after(table.game, exercise)
    return {"title": tr(exercise.title), "question": tr(exercise.question), "next": following}


def _verdict(table: "Table", seat: int, view: np.ndarray) -> str:
    """The verdict on the seat's choice in the start position; empty before it, and without one."""
    if table.start is None or table.start.seat != seat or not table.shows_start():
        return ""
    return verdict(table.game, table.start, log_entries(view[0]))


def _scene_data(scene: Scene) -> SceneData:
    """A scene in plain values: games may name seats by NumPy's numbers."""
    return {
        "lines": [{"label": each.label, "words": each.words, "kind": each.kind} for each in scene.lines],
        "hands": [
            {
                "seat": int(hand.seat),
                "cards": list(hand.cards),
                "notes": list(hand.notes),
                "points": hand.points,
                "played": hand.played,
                "won": int(hand.won),
            }
            for hand in scene.hands
        ],
        "piles": [{"label": pile.label, "cards": list(pile.cards)} for pile in scene.piles],
        "dealer": int(scene.dealer),
        "turn": int(scene.turn),
        "sheet": [list(row) for row in scene.sheet],
        "trump": scene.trump,
        "score": (list(scene.score[0]), scene.score[1]) if scene.score else None,
    }


def entry_data(game: Game, actor: int, action: int) -> Entry:
    """A line of the log; an action that the seat did not see has no words."""
    if action == NONE:
        return {"seat": actor, "words": "", "plays": False}
    chosen = game.actions[action]
    return {"seat": actor, "words": game.label(chosen), "plays": chosen.verb == PLAY}


def names_of(seats: Sequence[Seat]) -> tuple[str, ...]:
    """A name for each seat: the text of its agent, with a number where several are the same."""
    names, texts = [], [who.name if isinstance(who, Agent) else who for who in seats]
    for seat, text in enumerate(texts):
        if text is None:
            names.append(f"player_{seat}")
        else:
            place = texts[: seat + 1].count(text)
            names.append(text if texts.count(text) == 1 else f"{text} {place}")
    return tuple(names)
