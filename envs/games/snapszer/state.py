"""The state of a deal: seats, actions, decision nodes, every field of the record, and the sides.

Four seats; forehand, the seat after the dealer, names a card, and its holder is forehand's partner. `holder`
is where the named card was dealt. One side is forehand and the holder. If forehand holds the card, it plays
alone against three.
"""

from enum import IntEnum

from stichwerk.envs.core.actions import Action, card_actions, suit_actions
from stichwerk.envs.core.cards import bit, bit_of, first
from stichwerk.envs.games.family import RANKS_PER_SUIT, TRUMP_MARRIAGE
from stichwerk.envs.games.snapszer.options import PACK
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.fields import FLAG, SUIT_SET, Field, card, card_set, count, seat, suit
from stichwerk.envs.spec.state import state_layout

SEATS = 4
ALL_SEATS = (1 << SEATS) - 1
CARDS = len(PACK)
ALL_CARDS = (1 << CARDS) - 1
IN_HAND = CARDS // SEATS
PACKET = 3  # cards that are dealt to a seat at a time, before and after the naming
GOAL = 66
MOST_POINTS = 1_000  # far above what cards, marriages and the last trick bring
MOST_CARRIED = 1_000_000  # drawn deals in a row
MOST_SCORE = 2_000_000  # a score below the target, and a deal that brings all that was carried

ACTIONS = (
    *card_actions("name", PACK.names),
    *card_actions("play", PACK.names),
    *suit_actions("meld"),
    Action("claim"),
    Action("continue"),
)
ACTION_COUNT = len(ACTIONS)
NAME, PLAY, MELD, CLAIM, CONTINUE = 0, CARDS, 2 * CARDS, 2 * CARDS + 4, 2 * CARDS + 5
LONGEST_DEAL = 1 + CARDS + 4 + 2  # the name, every card, every marriage, a claim and the last `continue`


class Phase(IntEnum):
    """The decision nodes."""

    NAME = 0  # forehand, with three cards, names one
    LEAD = 1
    MELDED = 2  # a marriage is shown, one of its cards must be led
    ANSWER = 3
    AFTER = 4  # the winner of the last trick
    DONE = 5  # no decision: the deal is over


STATE = state_layout(
    [
        Field("score", count(MOST_SCORE), SEATS, "game points won in the match", lasts="match"),
        Field(
            "carry",
            count(MOST_CARRIED),
            (),
            "deals without winners that wait for the next winners",
            lasts="match",
        ),
        Field("hand", card_set(CARDS), SEATS, "cards in hand", known="owner"),
        Field("dealt", card_set(CARDS), SEATS, "the first three cards", known="owner"),
        Field("named", card(CARDS), (), "the named card"),
        Field(
            "holder",
            seat(SEATS),
            (),
            "seat to which it was dealt; until it is public, `redact` hides it from all other seats",
        ),
        Field("public", FLAG, (), "the named card has been seen"),
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("table", card(CARDS), SEATS, "each seat's card on the table"),
        Field("best", card(CARDS), (), "card now winning the trick"),
        Field("winning", seat(SEATS), (), "its seat"),
        Field("melded", suit(), (), "of the marriage shown with the present lead"),
        Field("played", card_set(CARDS), SEATS, "cards, by the seat that played them"),
        Field("points", count(MOST_POINTS), SEATS, "card points taken and marriages credited"),
        Field("pending", count(TRUMP_MARRIAGE), SEATS, "a first-trick marriage that waits for a trick"),
        Field(
            "by_partner",
            count(TRUMP_MARRIAGE),
            SEATS,
            "of the points: a marriage that a partner's trick has credited; hidden by `redact`",
        ),
        Field(
            "voided",
            count(TRUMP_MARRIAGE),
            SEATS,
            "a marriage that trick 1 has lost; hidden by `redact` if a partner could have saved it",
        ),
        Field("first_winner", seat(SEATS), (), "seat that won trick 1"),
        Field("tricks", count(IN_HAND), SEATS, "tricks won"),
        Field("marriages", SUIT_SET, SEATS, "suits of the marriages declared"),
        Field("shown", card_set(CARDS), SEATS, "cards publicly known to be in a hand"),
        Field("missing", card_set(CARDS), SEATS, "cards publicly proven not to be in a hand"),
    ],
    seats=SEATS,
    kinds=CARDS,
    deck=CARDS,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=LONGEST_DEAL,
)


# Facts about a position


@compiled
def seat_after(seat, places):
    """The seat so many places after another; `& 3` stands for `% 4`, which would first look at signs."""
    return (seat + places) & (SEATS - 1)


@compiled
def forehand(state):
    return seat_after(state.dealer, 1)


@compiled
def trump(state):
    """The trump suit: that of the named card."""
    return state.named // RANKS_PER_SUIT


# Sides: docs/rules/snapszer.md#sides


@compiled
def side_of(state, seat):
    """The set of the seats on the side of a seat; the truth only if `holder` is known."""
    callers = bit(forehand(state)) | bit_of(state.holder)
    return callers if callers & bit(seat) else ALL_SEATS & ~callers


@compiled
def same_side(state, seat, other):
    return side_of(state, seat) & bit(other) != 0


@compiled
def opponent_of(state, seat):
    """One seat of the other side; there always is one."""
    return first(ALL_SEATS & ~side_of(state, seat))


@compiled
def knows_sides(state, seat):
    """True if a seat can tell who its partners are: the holder at once, the others from the card itself."""
    return state.public != 0 or state.holder == seat


@compiled
def side_total(state, seat, counts):
    """The sum of a seat's and its partners' `state.points` or `state.tricks`."""
    total, side = 0, side_of(state, seat)
    for other in range(SEATS):
        total += counts[other] * (side >> other & 1)
    return total


@compiled
def side_points(state, seat):
    return side_total(state, seat, state.points)


@compiled
def side_tricks(state, seat):
    return side_total(state, seat, state.tricks)


@compiled
def provable_points(state, seat):
    """The points a seat can be sure of on its side: not knowing it, its own that no partner credited."""
    if knows_sides(state, seat):
        return side_points(state, seat)
    return state.points[seat] - state.by_partner[seat]
