"""The game in words: the text that one seat reads."""

import numpy as np

from stichwerk.envs.core.cards import NONE, pretty
from stichwerk.envs.core.text import cards_text, counted, deal_in_episode, last_action, results, suit_symbol
from stichwerk.envs.games.schnapsen.hidden import cards_held
from stichwerk.envs.games.schnapsen.options import MEMORY_OF_TABLE, PACK
from stichwerk.envs.games.schnapsen.state import ACTIONS, Phase, drawable, face_down

DOING = {
    Phase.LEAD: "to lead",
    Phase.MELDED: "to lead from the marriage",
    Phase.ANSWER: "to answer",
    Phase.AFTER: "won the trick",
}


def text(rules: np.record, view: np.record, seat: int) -> str:
    """What one seat sees, from its redacted view."""
    other = 1 - seat
    lines = [
        headline(rules, view),
        stock_line(rules, view),
        f"player_{other}  {_held(view, seat, other)}  [{counts(rules, view, other)}]",
        f"table     {_table(view)}",
        f"player_{seat}  {cards_text(PACK, view.hand[seat], 'no cards')}  [{counts(rules, view, seat)}]",
        *last_action(view, ACTIONS),
        turn_line(rules, view),
    ]
    return "\n".join(lines)


def headline(rules: np.record, view: np.record) -> str:
    score = f"score {view.score[0]} : {view.score[1]} to {rules.target}"
    return f"deal {deal_in_episode(view)}, dealt by player_{view.dealer}, {score}"


def stock_line(rules: np.record, view: np.record) -> str:
    return f"stock     {_stock(rules, view)}"


def _stock(rules: np.record, view: np.record) -> str:
    trump = suit_symbol(view.trump)
    if view.indicator == NONE:
        return f"drawn, trump {trump}"
    card = pretty(PACK.names[view.indicator])
    cards = f"{face_down(rules, view)} face down"
    if drawable(rules, view):
        return f"{card} and {cards}, trump {trump}"
    return f"closed by player_{view.closed_by} on {card}, {cards}, trump {trump}"


def _held(view: np.record, seat: int, owner: int) -> str:
    shown = f", shown {cards_text(PACK, view.shown[owner])}" if view.shown[owner] else ""
    return f"{counted(cards_held(view, seat, owner), 'card')}{shown}"


def counts(rules: np.record, view: np.record, owner: int) -> str:
    tricks = counted(view.tricks[owner], "trick")
    waiting = f", {view.pending[owner]} waiting" if view.pending[owner] else ""
    points = "" if rules.memory == MEMORY_OF_TABLE else f", {view.points[owner]} points"
    return f"{tricks}{points}{waiting}"


def _table(view: np.record) -> str:
    if view.led == NONE:
        return "empty"
    return f"{pretty(PACK.names[view.led])} led by player_{view.leader}{marriage(view)}"


def marriage(view: np.record) -> str:
    """Words on the marriage that the lead is from, if it is."""
    return f" from a marriage in {suit_symbol(view.melded)}" if view.melded != NONE else ""


def turn_line(rules: np.record, view: np.record) -> str:
    if view.phase == Phase.DONE:
        return results(view.deal_points)
    doing = DOING[Phase(int(view.phase))]
    if view.phase == Phase.AFTER:
        doing += ", before the draw" if drawable(rules, view) else ", the last one"
    return f"turn      player_{view.seat}, {doing}"
