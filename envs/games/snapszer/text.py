"""The game in words: the match state of a set deal, the roles of a finished one, and what a seat reads."""

from collections.abc import Mapping, Sequence
from typing import Any

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
    listed,
    no_trick,
    paid,
    results,
    seat_name,
    suit_symbol,
    to_act,
    tricks_won,
    waiting,
)
from stichwerk.envs.games.snapszer.hidden import cards_held
from stichwerk.envs.games.snapszer.options import CARRY, PACK
from stichwerk.envs.games.snapszer.state import (
    ACTIONS,
    CLAIM,
    GOAL,
    MOST_CARRIED,
    SEATS,
    Phase,
    forehand,
    same_side,
)
from stichwerk.envs.spec.match import check_score
from stichwerk.support.errors import SetupError
from stichwerk.support.language import mark, tr

DOING = {
    Phase.NAME: mark("to name a card"),
    Phase.LEAD: mark("to lead"),
    Phase.MELDED: mark("to lead from the marriage"),
    Phase.ANSWER: mark("to answer"),
    Phase.AFTER: mark("won the last trick"),
}

SNAPSZER = mark("""\
Snapszer is a trick-taking game for four with 24 cards, from the highest down: ace 11 card points, ten 10,
king 4, queen 3, jack 2, nine 0. Collect 66 points for the own side and claim them.

Each player gets three cards. Forehand, the seat after the dealer, names a card that is not among them. Its
suit is trumps, and its holder is forehand's partner, in secret until the card is seen. Three more follow. If
forehand gets the named card, forehand plays alone against three.

Forehand leads; the winner of a trick leads the next. The highest trump wins, else the highest card of the
suit led. Others must follow suit, else trump, and must beat the best card on the table if possible, a
partner's too. The last trick brings ten points.

On lead a player may
- show a marriage, king and queen of a suit, and lead one of them: 20 points, in trumps 40. With the very
  first lead it counts once its owner has won a trick;
- claim that the own side has 66 points, after winning a trick. The last trick's winner may, too.

A right claim wins 1 game point for each member of the side; 2 if the other side has at most 32 points; 3 if
no trick. A wrong claim loses 2, or 3 if the other side has no trick. Without a claim the higher total wins by
the same table.
""")
RULES_TEXT = {"snapszer_v0": SNAPSZER}


def set_match(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    """Write the match state `{"score": [four], "carry": 0}`: game points won, and drawn deals that wait.

    Source: docs/rules/snapszer.md#the-match
    """
    if not isinstance(match, Mapping) or not {"score"} <= set(match) <= {"score", "carry"}:
        raise SetupError(f'match: got {match!r}; expected {{"score": [four numbers], "carry": 0}}')
    score, carry = check_score(match["score"], SEATS, rules.target), match.get("carry", 0)
    most = MOST_CARRIED if rules.tie == CARRY else 0
    if type(carry) is not int or not 0 <= carry <= most:
        allowed = f"a whole number from 0 to {most}" if most else "only 0 unless tie=carry"
        raise SetupError(f"match carry: got {carry!r}; expected {allowed}")
    state.score[:] = score
    state.carry = carry


def match_of(rules: np.record, state: np.record) -> dict[str, Any]:
    """The argument of `set_match` that writes the match of this state."""
    return {"score": state.score.tolist(), "carry": int(state.carry)}


def roles(rules: np.record, states: np.ndarray) -> dict[str, np.ndarray]:
    """The roles of seats in finished deals: bool[deals, seats] for each. Every seat has one."""
    seats = np.arange(SEATS)
    calls = (states["dealer"][:, None] + 1) % SEATS == seats
    holds = states["holder"][:, None] == seats
    return {
        "forehand": calls & ~holds,
        "partner": holds & ~calls,
        "opponent": ~calls & ~holds,
        "alone": calls & holds,
    }


def text(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The table as one seat sees it, from its redacted view."""
    return [
        headline(view, score(rules, view)),
        Line(_named(view, seat), tr("named")),
        *(_other(view, seat, (seat + i) % SEATS) for i in range(1, SEATS)),
        Line(_table(view), tr("table")),
        Line(
            f"{cards_text(PACK, view.hand[seat], tr('no cards'))}  [{counts(view, seat)}]", f"player_{seat}"
        ),
        *last_action(view, ACTIONS),
        turn_line(view),
    ]


def score(rules: np.record, view: np.record) -> str:
    return tr("score {score} to {target}", score=" : ".join(map(str, view.score)), target=rules.target)


def _named(view: np.record, seat: int) -> str:
    caller = seat_name(forehand(view))
    if view.named == NONE:
        return tr("nothing yet, {seat} is forehand", seat=caller)
    parts = [tr("{card} by {seat}", card=pretty(PACK.names[view.named]), seat=caller)]
    if view.holder != NONE:
        own = view.holder == seat and not view.public
        parts.append(tr("in your hand") if own else tr("held by {seat}", seat=seat_name(view.holder)))
        if view.holder == forehand(view):
            parts.append(tr("who plays alone"))
    return ", ".join(parts)


def _other(view: np.record, seat: int, other: int) -> Line:
    shown = tr(", shown {cards}", cards=cards_text(PACK, view.shown[other])) if view.shown[other] else ""
    cards = f"{cards_in_hand(cards_held(view, other))}{shown}"
    return Line(f"{cards}{_side(view, seat, other)}  [{counts(view, other)}]", f"player_{other}")


def _side(view: np.record, seat: int, other: int) -> str:
    if view.holder == NONE:
        return ""
    return tr(", partner") if same_side(view, seat, other) else tr(", opponent")


def counts(view: np.record, owner: int) -> str:
    parts = tricks_won(view.tricks[owner]), card_points(view.points[owner]), *waiting(view.pending[owner])
    return ", ".join(parts)


def _table(view: np.record) -> str:
    seats = [(view.leader + i) % SEATS for i in range(SEATS)]
    cards = [f"{pretty(PACK.names[view.table[s]])} player_{s}" for s in seats if view.table[s] != NONE]
    return ", ".join(cards) + marriage(view) if cards else tr("empty")


def marriage(view: np.record) -> str:
    """Words on the marriage that the lead is from, if it is."""
    return tr(", from a marriage in {suit}", suit=suit_symbol(view.melded)) if view.melded != NONE else ""


def account(rules: np.record, before: np.record, after: np.record) -> list[str]:
    """Why the deal paid what it did. Source: docs/rules/snapszer.md#the-end-of-a-deal"""
    callers = {forehand(after), int(after.holder)}
    sides = [sorted(callers), [seat for seat in range(SEATS) if seat not in callers]]
    won = next((side for side in sides if after.deal_points[side[0]] > 0), None)
    if won is None:
        told = tr("Nobody won: both sides had {points} points", points=_sum(after.points, sides[0]))
        more = tr(", and the next deal brings one game point more") if rules.tie == CARRY else ""
        return [f"{told}{more}."]
    lost = sides[1] if won is sides[0] else sides[0]
    value = int(after.deal_points[won[0]])
    return [paid(value, _reason(after, won, lost), _worth(rules, after, won, lost))]


def _sum(counts: np.ndarray, side: Sequence[int]) -> int:
    return sum(int(counts[seat]) for seat in side)


def _claimed_wrongly(after: np.record, lost: Sequence[int]) -> bool:
    last, action = log_entries(after)[-1]
    return action == CLAIM and last in lost


def _reason(after: np.record, won: Sequence[int], lost: Sequence[int]) -> str:
    points, others = _sum(after.points, won), _sum(after.points, lost)
    if _claimed_wrongly(after, lost):
        told = tr("{seat} claimed {goal}, but {losers} had only {less} points")
    elif points >= GOAL:
        told = tr("{winners} had {points} points")
    elif points == others:
        told = tr("Both sides had {points} points, and {winners} won the last trick")
    else:
        told = tr("Nobody claimed; {winners} had {points} points and {losers} {less}")
    seats = {"seat": seat_name(log_entries(after)[-1][0]), "winners": listed(won), "losers": listed(lost)}
    return told.format(**seats, points=points, less=others, goal=GOAL)


def _worth(rules: np.record, after: np.record, won: Sequence[int], lost: Sequence[int]) -> str:
    """The parts of the game points, where they are more than one."""
    lone = rules.solo_multiplier if after.holder == forehand(after) else 1
    tricks, points = _sum(after.tricks, lost), _sum(after.points, lost)
    if _claimed_wrongly(after, lost):
        base = 2 if _sum(after.tricks, won) else 3
        reasons = no_trick(listed(won)) if base == 3 else ""
    else:
        base = 3 if not tricks else 2 if points <= rules.schneider_max else 1
        reasons = {3: no_trick(listed(lost)), 2: few_points(listed(lost), points)}.get(base, "")
    if lone > 1:
        reasons += tr(", times {factor} for playing alone", factor=lone)
    if after.deal_points[won[0]] > base * lone:
        reasons += tr(", with what drawn deals have left")
    return reasons


def turn_line(view: np.record) -> Line:
    if view.phase == Phase.DONE:
        return results(view.deal_points)
    return to_act(view.seat, DOING[Phase(int(view.phase))])
