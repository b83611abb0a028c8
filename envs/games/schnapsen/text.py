"""The game in words: the text that one seat reads."""

import numpy as np

from stichwerk.envs.core.cards import NONE, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import (
    Line,
    cards_text,
    counted,
    deal_in_episode,
    last_action,
    results,
    suit_symbol,
    to_act,
)
from stichwerk.envs.games.schnapsen.hidden import cards_held
from stichwerk.envs.games.schnapsen.options import AT_CLOSE, LAST_TEN, MEMORY_OF_TABLE, PACK
from stichwerk.envs.games.schnapsen.state import ACTIONS, CLAIM, SEATS, Phase, drawable, face_down
from stichwerk.envs.spec.claims import AUTO

DOING = {
    Phase.LEAD: "to lead",
    Phase.MELDED: "to lead from the marriage",
    Phase.ANSWER: "to answer",
    Phase.AFTER: "won the trick",
}

SCHNAPSEN = """\
Schnapsen is for two, with 20 cards, from the highest down: ace 11 card points, ten 10, king 4, queen 3, jack
2. Collect 66 points and claim them.

Each player gets five cards. The next one is turned up: its suit is trumps. It lies under the stock of nine
face-down cards and is drawn last. The dealer's opponent leads.

The highest trump wins a trick, else the highest of the suit led. While cards can be drawn, any card may be
played; the trick's winner draws first, and leads. When the stock is exhausted or closed, the second player
must follow suit and beat the led card, else trump, if possible.

On lead a player may
- exchange the jack of trumps for the card turned up;
- close the stock: no more cards are drawn;
- show a marriage, king and queen of a suit, and lead one of them: 20 points, in trumps 40. With the very
  first lead it counts once its owner has won a trick;
- claim 66 points.

A right claim wins 1 game point; 2 if the opponent has at most 32 points; 3 if no trick. A wrong claim loses
2, or 3 if the opponent has no trick. After closing, the counts at that moment decide between these, and a
closer who ends below 66 loses 2, or 3. If an open deal's cards run out without a claim, the last trick wins
like a right claim.
"""

SIXTY_SIX = """\
Sixty-six is for two, with 24 cards, highest first: ace 11 card points, ten 10, king 4, queen 3, jack 2, nine
0. Collect 66 points and claim them.

Each player gets six cards. The next one is turned up: its suit is trumps. It lies under the stock of eleven
face-down cards and is drawn last. The dealer's opponent leads.

The highest trump wins a trick, else the highest of the suit led. While cards can be drawn, any card may be
played; the trick's winner draws first, and leads. When the stock is exhausted or closed, the second player
must follow suit and beat the led card, else trump, if possible.

- Exchange the nine of trumps for the card turned up: after a trick won, before the draw.
- Close the stock, to end drawing: then too, or on lead.
- Show a marriage, king and queen of a suit, and lead one of them: while cards can be drawn. 20 points, in
  trumps 40; with the very first lead once its owner has won a trick.
- Claim 66 points: after a trick won or a marriage.

A right claim wins 1 game point; 2 if the opponent has at most 33 points; 3 if no trick. A wrong claim, and a
closer who ends below 66, lose 2, or 3 if the opponent has no trick. With an exhausted stock the last trick
brings ten points. Without a claim the higher total wins 1.
"""

RULES_TEXT = {"schnapsen_v0": SCHNAPSEN, "sixty_six_v0": SIXTY_SIX}
"""The rules in short by environment id, each under its default preset."""


def text(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The table as one seat sees it, from its redacted view."""
    other = 1 - seat
    hand = cards_text(PACK, view.hand[seat], "no cards")
    return [
        headline(rules, view),
        stock_line(rules, view),
        Line(f"{_held(view, seat, other)}  [{counts(rules, view, other)}]", f"player_{other}"),
        Line(_table(view), "table"),
        Line(f"{hand}  [{counts(rules, view, seat)}]", f"player_{seat}"),
        *last_action(view, ACTIONS),
        turn_line(rules, view),
    ]


def headline(rules: np.record, view: np.record) -> Line:
    score = f"score {view.score[0]} : {view.score[1]} to {rules.target}"
    return Line(f"deal {deal_in_episode(view)}, dealt by player_{view.dealer}, {score}")


def stock_line(rules: np.record, view: np.record) -> Line:
    return Line(_stock(rules, view), "stock")


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


def turn_line(rules: np.record, view: np.record) -> Line:
    if view.phase == Phase.DONE:
        return results(view.deal_points)
    doing = DOING[Phase(int(view.phase))]
    if view.phase == Phase.AFTER:
        doing += ", before the draw" if drawable(rules, view) else ", the last one"
    return to_act(view.seat, doing)


def account(rules: np.record, before: np.record, after: np.record) -> list[str]:
    """Why the deal paid what it did. Source: docs/rules/schnapsen.md#the-end-of-a-deal"""
    won = next((seat for seat in range(SEATS) if after.deal_points[seat] > 0), NONE)
    if won == NONE:
        return [f"Nobody won: both had {after.points[0]} points."]
    lost, value = 1 - won, int(after.deal_points[won])
    reason, worth = _reason(rules, after, won, lost), _worth(rules, after, won, lost)
    return [f"{reason}: {counted(value, 'game point')}{worth}."]


def _reason(rules: np.record, after: np.record, won: int, lost: int) -> str:
    last, action = log_entries(after)[-1]
    claims, points = action == CLAIM, after.points
    if claims and last == lost:
        return f"player_{lost} claimed {rules.goal} with only {points[lost]} points"
    if after.closed_by == lost:
        if points[won] >= rules.goal:
            first = f"player_{won} had {rules.goal} first, with {points[won]} points"
            return f"player_{lost} closed the stock, but {first}"
        return f"player_{lost} closed the stock, but had only {points[lost]} points in the end"
    if after.closed_by == won:
        return f"player_{won} closed the stock and had {points[won]} points"
    if points[won] >= rules.goal and (claims or rules.claims == AUTO):
        return f"player_{won} claimed {rules.goal} with {points[won]} points"
    if rules.last_trick != LAST_TEN:
        return f"Nobody claimed, and player_{won} won the last trick"
    return f"Nobody claimed; player_{won} had {points[won]} points and player_{lost} {points[lost]}"


def _worth(rules: np.record, after: np.record, won: int, lost: int) -> str:
    """The reason for more than one game point."""
    closed = after.closed_by != NONE and rules.score_at == AT_CLOSE
    then = " when the stock was closed" if closed else ""
    last, action = log_entries(after)[-1]
    if after.closed_by == lost or (action == CLAIM and last == lost):
        return f", as player_{won} had no trick{then}" if after.deal_points[won] == 3 else ""
    points = (after.closed_points if closed else after.points)[lost]
    had = {2: f"only {points} points", 3: "no trick"}.get(int(after.deal_points[won]), "")
    return had and f", as player_{lost} had {had}{then}"


def puzzle_kind(rules: np.record, state: np.record) -> str:
    """The kind of puzzle that a position may be; empty while cards may be drawn."""
    if state.closed_by != NONE:
        return "closed"
    return "endgame" if state.indicator == NONE else ""
