"""The game in words: the text that one seat reads."""

import numpy as np

from stichwerk.envs.core.cards import NONE, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import (
    Line,
    card_points,
    cards_in_hand,
    cards_text,
    few_points,
    headline,
    last_action,
    no_trick,
    paid,
    results,
    seat_name,
    suit_symbol,
    to_act,
    tricks_won,
    waiting,
)
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.schnapsen.hidden import cards_held
from stichwerk.envs.games.schnapsen.options import AT_CLOSE, LAST_TEN, MEMORY_OF_TABLE, PACK
from stichwerk.envs.games.schnapsen.state import ACTIONS, CLAIM, SEATS, Phase, drawable, face_down
from stichwerk.support.language import mark, tr

DOING = {
    Phase.LEAD: mark("to lead"),
    Phase.MELDED: mark("to lead from the marriage"),
    Phase.ANSWER: mark("to answer"),
    Phase.AFTER: mark("won the trick, before the draw"),
}

SCHNAPSEN = mark("""\
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
""")

SIXTY_SIX = mark("""\
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
""")

RULES_TEXT = {"schnapsen_v0": SCHNAPSEN, "sixty_six_v0": SIXTY_SIX}
"""The rules in short by environment id, each under its default preset."""


def text(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The table as one seat sees it, from its redacted view."""
    other = 1 - seat
    hand = cards_text(PACK, view.hand[seat], tr("no cards"))
    return [
        headline(view, score(rules, view)),
        stock_line(rules, view),
        Line(f"{_held(view, seat, other)}  [{counts(rules, view, other)}]", f"player_{other}"),
        Line(_table(view), tr("table")),
        Line(f"{hand}  [{counts(rules, view, seat)}]", f"player_{seat}"),
        *last_action(view, ACTIONS),
        turn_line(rules, view),
    ]


def score(rules: np.record, view: np.record) -> str:
    return tr("score {score} to {target}", score=" : ".join(map(str, view.score)), target=rules.target)


def stock_line(rules: np.record, view: np.record) -> Line:
    return Line(_stock(rules, view), tr("stock"))


def _stock(rules: np.record, view: np.record) -> str:
    trump = suit_symbol(view.trump)
    if view.indicator == NONE:
        return tr("drawn, trump {trump}", trump=trump)
    card, down = pretty(PACK.names[view.indicator]), face_down(rules, view)
    if drawable(rules, view):
        return tr("{card} and {number} face down, trump {trump}", card=card, number=down, trump=trump)
    closed = tr("closed by {seat} on {card}, {number} face down, trump {trump}")
    return closed.format(seat=seat_name(view.closed_by), card=card, number=down, trump=trump)


def _held(view: np.record, seat: int, owner: int) -> str:
    shown = tr(", shown {cards}", cards=cards_text(PACK, view.shown[owner])) if view.shown[owner] else ""
    return f"{cards_in_hand(cards_held(view, seat, owner))}{shown}"


def counts(rules: np.record, view: np.record, owner: int) -> str:
    parts = [tricks_won(view.tricks[owner])]
    if rules.memory != MEMORY_OF_TABLE:
        parts.append(card_points(view.points[owner]))
    return ", ".join([*parts, *waiting(view.pending[owner])])


def _table(view: np.record) -> str:
    if view.led == NONE:
        return tr("empty")
    card, seat = pretty(PACK.names[view.led]), seat_name(view.leader)
    return tr("{card} led by {seat}", card=card, seat=seat) + marriage(view)


def marriage(view: np.record) -> str:
    """Words on the marriage that the lead is from, if it is."""
    return tr(" from a marriage in {suit}", suit=suit_symbol(view.melded)) if view.melded != NONE else ""


def turn_line(rules: np.record, view: np.record) -> Line:
    if view.phase == Phase.DONE:
        return results(view.deal_points)
    if view.phase == Phase.AFTER and not drawable(rules, view):
        return to_act(view.seat, mark("won the trick, the last one"))
    return to_act(view.seat, DOING[Phase(int(view.phase))])


def account(rules: np.record, before: np.record, after: np.record) -> list[str]:
    """Why the deal paid what it did. Source: docs/rules/schnapsen.md#the-end-of-a-deal"""
    won = next((seat for seat in range(SEATS) if after.deal_points[seat] > 0), NONE)
    if won == NONE:
        return [tr("Nobody won: both had {points} points.", points=after.points[0])]
    lost, value = 1 - won, int(after.deal_points[won])
    return [paid(value, _reason(rules, after, won, lost), _worth(rules, after, won, lost))]


def _reason(rules: np.record, after: np.record, won: int, lost: int) -> str:
    last, action = log_entries(after)[-1]
    claims, enough = action == CLAIM, after.points[won] >= rules.goal
    if claims and last == lost:
        told = tr("{loser} claimed {goal} with only {less} points")
    elif after.closed_by == lost:
        told = (
            tr("{loser} closed the stock, but {winner} had {goal} first, with {points} points")
            if enough
            else tr("{loser} closed the stock, but had only {less} points in the end")
        )
    elif after.closed_by == won:
        told = tr("{winner} closed the stock and had {points} points")
    elif enough and (claims or rules.claims == AUTO):
        told = tr("{winner} claimed {goal} with {points} points")
    elif rules.last_trick != LAST_TEN:
        told = tr("Nobody claimed, and {winner} won the last trick")
    else:
        told = tr("Nobody claimed; {winner} had {points} points and {loser} {less}")
    counts = {"points": after.points[won], "less": after.points[lost], "goal": rules.goal}
    return told.format(winner=seat_name(won), loser=seat_name(lost), **counts)


def _worth(rules: np.record, after: np.record, won: int, lost: int) -> str:
    """The reason for more than one game point."""
    closed = after.closed_by != NONE and rules.score_at == AT_CLOSE
    then = tr(" when the stock was closed") if closed else ""
    last, action = log_entries(after)[-1]
    paid_back = after.closed_by == lost or (action == CLAIM and last == lost)
    if after.deal_points[won] == 3:
        return no_trick(seat_name(won if paid_back else lost)) + then
    points = (after.closed_points if closed else after.points)[lost]
    few = after.deal_points[won] == 2 and not paid_back
    return few_points(seat_name(lost), points) + then if few else ""


def puzzle_kind(rules: np.record, state: np.record) -> str:
    """The kind of puzzle that a position may be; empty while cards may be drawn."""
    if state.closed_by != NONE:
        return "closed"
    return "endgame" if state.indicator == NONE else ""
