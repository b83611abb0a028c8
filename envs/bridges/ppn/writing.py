"""Deals as the text of a file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stichwerk.envs.bridges.ppn.auction import bids_of, names_late
from stichwerk.envs.bridges.ppn.form import (
    BOTH,
    DOUBLINGS,
    LETTER_OF,
    NO_DISCARDS,
    NOTHING,
    PACKET,
    TALON,
    TALON_AT,
    check_game,
    default_rules,
    letters_of,
    order_of,
    quoted_tag,
)
from stichwerk.envs.games.preferans.scoring import game_points, result
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.parsing import yaml_line


def write_ppn(game: Game, deals: Iterable[DealRecord]) -> str:
    """The text of deals. Consecutive deals of a match are grouped under its tags.

    Raises:
        InputError: it is another game or four play, a deal goes on or is impossible, or has an offer.
    """
    check_game(game)
    replay, parts = RecordReplay(game), list[str]()
    section: _Section | None = None
    for deal in deals:
        states = [*replay.states(deal)]
        if deal.points is None:
            raise InputError("PPN: got an unfinished deal; expected finished ones")
        if section is None or not section.goes_on_with(deal):
            parts += section.text() if section else []
            section = _Section(game, deal)
        section.add(deal, states)
    return "".join(f"{line}\n" for line in [*parts, *(section.text() if section else [])])


class _Section:
    """The deals of one match, or of a part of it."""

    def __init__(self, game: Game, first: DealRecord):
        self._game, self._first = game, first
        self._lines: list[str] = []
        self._invited: list[str] = []
        self._after: Mapping[str, Any] | None = None

    def goes_on_with(self, deal: DealRecord) -> bool:
        """True if a deal follows the last one by its score sheet, with the same players."""
        return dict(deal.match) == self._after and deal.players == self._first.players

    def add(self, deal: DealRecord, states: Sequence[np.ndarray]) -> None:
        number = len(self._lines) + 1
        self._lines.append(written_line(self._game, deal, states, number))
        if {"together", "kontra"} <= {move.action for move in deal.moves}:
            self._invited.append(str(number))
        self._last = states[-1][0]
        try:
            self._after = dict(self._game.match_of(self._last))
        except InputError:  # the match is over
            self._after = None

    def text(self) -> list[str]:
        """Its lines: tags, then deals."""
        game, first = self._game, self._first
        rules, default = game.rules.as_dict(), default_rules()
        other = {
            name: value
            for name, value in rules.items()
            if value != default[name] and name not in ("start", "refa_limit")
        }
        names = first.players or tuple(f"player_{seat}" for seat in range(3))
        fresh = game.match_of(RecordReplay(game).begun({})[0])
        tags = {
            "Bula": str(rules["start"]),
            "Refe": str(int(game.rules_record[0].refa_limit)),
            **{f"Player{seat + 1}": name for seat, name in enumerate(names)},
            **{f"Result{seat + 1}": str(result(self._last, seat)) for seat in range(3)},
            "Rules": yaml_line(other) if other else "",
            "Match": "" if dict(first.match) == dict(fresh) else yaml_line(dict(first.match)),
            "Invited": " ".join(self._invited),
        }
        return [*(f"[{name} {quoted_tag(value)}]" for name, value in tags.items() if value), *self._lines]


def written_line(game: Game, deal: DealRecord, states: Sequence[np.ndarray], number: int) -> str:
    """The line of a deal."""
    if names_late(deal.moves):
        raise InputError("PPN: got igra that became a game without trumps; expected it named at once")
    order = order_of(deal.dealer)
    hands = "".join(letters_of(_hand(deal.deck, place)) for place in range(3))
    cards = hands + letters_of(deal.deck[TALON_AT : TALON_AT + TALON])
    ids = "".join(str(seat + 1) for seat in order)
    words = [str(number), ids, cards, ",".join(bids_of(deal.moves, order))]
    state = states[-1][0]
    if state.declarer >= 0:
        words += _contract(deal.moves, states)
        words += _play(deal.moves, states)
        words.append(",".join(_summary(states, order)))
    return f"[{' '.join(words)}]"


def _hand(deck: Sequence[str], place: int) -> list[str]:
    """The cards of the player at a place after the dealer: a packet before the talon, and one after it."""
    first, second = PACKET * place, TALON_AT + TALON + PACKET * place
    return [*deck[first : first + PACKET], *deck[second : second + PACKET]]


def _contract(moves: Sequence[Move], states: Sequence[np.ndarray]) -> list[str]:
    """Declarer, discards, contract, who defends, doublings, refa and value."""
    state = states[-1][0]
    before = states[0][0]
    discards = [move.action.split()[1] for move in moves if move.action.startswith("discard ")]
    came = {move.seat for move in moves if move.action == "come"}
    kontras = [move.seat for move in moves if move.action == "kontra"]
    invited = [move.seat for move in moves if move.action == "together"]
    if any(move.action.startswith(("offer ", "agree", "refuse")) for move in moves):
        raise InputError("PPN: got an offer of tricks; expected a deal without one, as the notation has none")
    if kontras:
        kontra = f"{DOUBLINGS[len(kontras) - 1]}{kontras[0] + 1}"
    else:
        kontra = f"I{invited[0] + 1}" if invited else NOTHING
    no_trump = not came and not any(move.action == "stay out" for move in moves)
    defends = BOTH if no_trump or len(came) == 2 else str(min(came) + 1) if came else NOTHING
    played = states[-1].copy()
    played["refas"] = states[0]["refas"]  # one of which may have been used up
    return [
        str(state.declarer + 1),
        letters_of(discards) or NO_DISCARDS,
        f"{'G' if state.igra else ''}{state.game}",
        defends,
        kontra,
        str(int(before.refas[state.declarer] > 0)),
        str(int(game_points(played[0]))),
    ]


def _play(moves: Sequence[Move], states: Sequence[np.ndarray]) -> list[str]:
    """The first leader, and the tricks: cards in order, then who took them."""
    tricks, cards = list[str](), ""
    starts = ""
    for number, move in enumerate(moves):
        if move.action.startswith("play "):
            starts = starts or str(move.seat + 1)
            cards += LETTER_OF[move.action.split()[1]]
            now, then = states[number][0].tricks[:3], states[number + 1][0].tricks[:3]
            if (won := np.flatnonzero(then > now)).size:
                tricks.append(f"{cards}{won[0] + 1}")
                cards = ""
    return [starts, ",".join(tricks)] if starts else []


def _summary(states: Sequence[np.ndarray], order: Sequence[int]) -> list[str]:
    """Of each player tricks, points in the left column and in the middle one, as far as they change."""
    before, state = states[0][0], states[-1][0]
    change = state.sheet[:3, :3].astype(int) - before.sheet[:3, :3].astype(int)
    parts = []
    for seat in order:
        left, middle = int(sum(change[seat]) - change[seat, seat]), int(change[seat, seat])
        if seat == state.declarer:
            parts.append(f"M{state.tricks[seat]}:{middle}")
        elif left or middle or state.tricks[seat]:
            parts.append(f"F{state.tricks[seat]}:L{left}" + (f":{middle}" if middle else ""))
        else:
            parts.append("0")
    return parts
