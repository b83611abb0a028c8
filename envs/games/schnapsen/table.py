"""The table in words: the match state of a set deal on the way in, and the text that one seat reads."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import SUIT_SYMBOLS, SUITS, pretty
from stichwerk.envs.core.errors import SetupError
from stichwerk.envs.games.schnapsen.play import ACTIONS, NONE, Phase, drawable, face_down
from stichwerk.envs.games.schnapsen.rules import PACK, TABLE
from stichwerk.envs.games.schnapsen.views import cards_held


def set_match(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    """Write the match state `{"score": [a, b]}`: game points won so far, each below the target."""
    if not isinstance(match, Mapping) or set(match) != {"score"}:
        raise SetupError(f'match={match!r}: allowed is {{"score": [a, b]}}')
    score = match["score"]
    if not isinstance(score, (list, tuple)) or len(score) != 2 or not all(type(n) is int and 0 <= n < rules.target for n in score):
        raise SetupError(f"match score {score!r}: allowed are two whole numbers from 0 to {rules.target - 1}")
    state.score[:] = score


def table_text(rules: np.record, view: np.record, seat: int) -> str:
    """The table as one seat sees it, from that seat's redacted view."""
    other = 1 - seat
    lines = [
        f"deal {view.deal_number + 1}, dealt by player_{view.dealer}, score {view.score[0]} : {view.score[1]} to {rules.target}",
        f"stock     {_stock(rules, view)}",
        f"player_{other}  {cards_held(view, seat, other)} cards{_shown(view, other)}{_counts(rules, view, other)}",
        f"table     {_table(view)}",
        f"player_{seat}  {' '.join(map(pretty, PACK.cards(view.hand[seat]))) or 'no cards'}{_counts(rules, view, seat)}",
    ]
    if view.log_size:
        last = view.log_size - 1
        lines.append(f"last      player_{view.log_seat[last]}: {ACTIONS[view.log_action[last]]}")
    lines.append(_turn(view))
    return "\n".join(lines)


def _stock(rules: np.record, view: np.record) -> str:
    trump = SUIT_SYMBOLS[SUITS[view.trump]]
    if view.indicator == NONE:
        return f"drawn, trump {trump}"
    card = pretty(PACK.names[view.indicator])
    cards = f"{face_down(rules, view)} face down"
    if drawable(rules, view):
        return f"{card} and {cards}, trump {trump}"
    return f"closed by player_{view.closed_by} on {card}, {cards}, trump {trump}"


def _shown(view: np.record, owner: int) -> str:
    shown = PACK.cards(view.shown[owner])
    return f", shown {' '.join(map(pretty, shown))}" if shown else ""


def _counts(rules: np.record, view: np.record, owner: int) -> str:
    tricks = f"{view.tricks[owner]} trick{'' if view.tricks[owner] == 1 else 's'}"
    waiting = f", {view.pending[owner]} waiting" if view.pending[owner] else ""
    points = "" if rules.memory == TABLE else f", {view.points[owner]} points"
    return f"  [{tricks}{points}{waiting}]"


def _table(view: np.record) -> str:
    if view.led == NONE:
        return "empty"
    marriage = f" from a marriage in {SUIT_SYMBOLS[SUITS[view.melded]]}" if view.melded != NONE else ""
    return f"{pretty(PACK.names[view.led])} led by player_{view.leader}{marriage}"


def _turn(view: np.record) -> str:
    if view.phase == Phase.DONE:
        return f"over      player_0 {view.deal_points[0]:+.0f}, player_1 {view.deal_points[1]:+.0f}"
    doing = ("to lead", "to lead from the marriage", "to answer", "won the trick, before the draw")[view.phase]
    return f"turn      player_{view.seat}, {doing}"
