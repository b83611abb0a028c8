"""The table of Snapszer in words: the match state of a set deal, the roles of a finished one, and the text that one seat reads."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import SUIT_SYMBOLS, SUITS, pretty
from stichwerk.envs.core.errors import SetupError
from stichwerk.envs.games.snapszer.play import ACTIONS, NONE, SEATS, Phase, forehand, same_side
from stichwerk.envs.games.snapszer.rules import PACK
from stichwerk.envs.games.snapszer.views import cards_held

DOING = {
    Phase.NAME: "to name a card",
    Phase.LEAD: "to lead",
    Phase.MELDED: "to lead from the marriage",
    Phase.ANSWER: "to answer",
    Phase.AFTER: "won the last trick",
}


def set_match(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    """Write the match state `{"score": [four], "carry": 0}`: game points won, each below the target, and drawn deals carried over."""
    if not isinstance(match, Mapping) or not {"score"} <= set(match) <= {"score", "carry"}:
        raise SetupError(f'match={match!r}: allowed is {{"score": [four numbers], "carry": 0}}')
    score, carry = match["score"], match.get("carry", 0)
    if not isinstance(score, (list, tuple)) or len(score) != SEATS or not all(type(n) is int and 0 <= n < rules.target for n in score):
        raise SetupError(f"match score {score!r}: allowed are four whole numbers from 0 to {rules.target - 1}")
    if type(carry) is not int or carry < 0:
        raise SetupError(f"match carry {carry!r}: allowed is a whole number of at least 0")
    state.score[:] = score
    state.carry = carry


def roles(states: np.ndarray) -> dict[str, np.ndarray]:
    """Who was what in finished deals: bool[deals, seats] for each role. Every seat has one."""
    seats = np.arange(SEATS)
    calls = (states["dealer"][:, None] + 1) % SEATS == seats
    holds = states["holder"][:, None] == seats
    return {"forehand": calls & ~holds, "partner": holds & ~calls, "opponent": ~calls & ~holds, "alone": calls & holds}


def table_text(rules: np.record, view: np.record, seat: int) -> str:
    """The table as one seat sees it, from that seat's redacted view."""
    score = " : ".join(str(n) for n in view.score)
    lines = [f"deal {view.deal_number + 1}, dealt by player_{view.dealer}, score {score} to {rules.target}", _named(view, seat)]
    for i in range(1, SEATS):
        other = (seat + i) % SEATS
        shown = PACK.cards(view.shown[other])
        cards = f"{cards_held(view, other)} cards" + (f", shown {' '.join(map(pretty, shown))}" if shown else "")
        lines.append(f"player_{other}  {cards}{_side(view, seat, other)}{_counts(view, other)}")
    lines.append(f"table     {_table(view)}")
    lines.append(f"player_{seat}  {' '.join(map(pretty, PACK.cards(view.hand[seat]))) or 'no cards'}{_counts(view, seat)}")
    if view.log_size:
        last = view.log_size - 1
        lines.append(f"last      player_{view.log_seat[last]}: {ACTIONS[view.log_action[last]]}")
    lines.append(_turn(view))
    return "\n".join(lines)


def _named(view: np.record, seat: int) -> str:
    caller = f"player_{forehand(view)}"
    if view.named == NONE:
        return f"named     nothing yet, {caller} is forehand"
    card = f"named     {pretty(PACK.names[view.named])} by {caller}"
    if view.holder == NONE:
        return card
    where = "in your hand" if view.holder == seat and not view.public else f"held by player_{view.holder}"
    return f"{card}, {where}{', who plays alone' if view.holder == forehand(view) else ''}"


def _side(view: np.record, seat: int, other: int) -> str:
    if view.holder == NONE:
        return ""
    return ", partner" if same_side(view, seat, other) else ", opponent"


def _counts(view: np.record, owner: int) -> str:
    tricks = f"{view.tricks[owner]} trick{'' if view.tricks[owner] == 1 else 's'}"
    waiting = f", {view.pending[owner]} waiting" if view.pending[owner] else ""
    return f"  [{tricks}, {view.points[owner]} points{waiting}]"


def _table(view: np.record) -> str:
    cards = [(view.leader + i) % SEATS for i in range(SEATS) if view.table[(view.leader + i) % SEATS] != NONE]
    marriage = f", from a marriage in {SUIT_SYMBOLS[SUITS[view.melded]]}" if view.melded != NONE else ""
    return ", ".join(f"{pretty(PACK.names[view.table[s]])} player_{s}" for s in cards) + marriage if cards else "empty"


def _turn(view: np.record) -> str:
    if view.phase == Phase.DONE:
        return "over      " + ", ".join(f"player_{seat} {points:+.3g}" for seat, points in enumerate(view.deal_points))
    return f"turn      player_{view.seat}, {DOING[Phase(int(view.phase))]}"
