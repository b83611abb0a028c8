"""The state of a deal: seats, actions, decision nodes, and every field of the record.

Arrays have room for six seats and three sides; `rules.players` and `rules.side_count` say how many there are.
Hands are double sets (`double.py`).
"""

from enum import IntEnum

import numpy as np

from stichwerk.envs.core.actions import Action, card_actions, suit_actions
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.family import ACE, RANKS_PER_SUIT
from stichwerk.envs.games.gaigel.cards.double import KINDS
from stichwerk.envs.games.gaigel.options import IN_HAND, PACK
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.fields import (
    FLAG,
    SUIT_SET,
    Field,
    Kind,
    card,
    card_set,
    count,
    packed,
    seat,
    seat_set,
    suit,
)
from stichwerk.envs.spec.state import state_layout

SEATS, SIDES = 6, 3  # at most
CARDS = 2 * KINDS
SEVEN = RANKS_PER_SUIT - 1
ACES = sum(1 << suit * RANKS_PER_SUIT + ACE for suit in range(4))
SEVENS = sum(1 << suit * RANKS_PER_SUIT + SEVEN for suit in range(4))
ALL_SUITS = 0b1111
GOAL = 101
MOST_POINTS = 1_000  # far above what cards, pairs and the last trick bring
MOST_TOKENS = 20_000  # or game points


class Opening(IntEnum):
    """The announcement of forehand before the first trick."""

    GEELFEN = 0  # an ace, face up, which wins
    ANDERE_ALTE = 1  # an ace, face down; the other copy of it wins
    HOEHER_HAT = 2  # another card, face down; the highest of its suit wins
    DISSLE = 3  # to collect five sevens
    TRUMP = 4  # from five trumps


ACTIONS = (
    *(Action(f"open {opening.name.lower()}") for opening in Opening),
    *card_actions("play", PACK.names),
    *suit_actions("meld"),
    Action("exchange"),
    Action("aus"),
    Action("continue"),
    *suit_actions("signal"),
)
ACTION_COUNT = len(ACTIONS)
OPEN, PLAY, MELD = 0, len(Opening), len(Opening) + KINDS
EXCHANGE, AUS, CONTINUE, SIGNAL = MELD + 4, MELD + 5, MELD + 6, MELD + 7

# Each is most with three players.
MAX_TRICKS = 16
MAX_DRAWS = MAX_TRICKS - IN_HAND  # of each seat, with the indicator
MAX_SIGNALS = (MAX_TRICKS - 1) * 3  # a trick and player, from trick 2 on
# Opening, cards, pairs, exchange and chain, signals, `aus` or `continue`.
LONGEST_DEAL = 1 + CARDS + 8 + 2 + MAX_SIGNALS + 1


class Phase(IntEnum):
    """The decision nodes."""

    OPEN = 0  # forehand announces
    TURN = 1  # one action after another until a card is played
    AFTER = 2  # the winner of the last trick
    DONE = 3  # no decision: the deal is over


STATE = state_layout(
    [
        Field(
            "score", count(MOST_TOKENS), SIDES, "tokens held, or game points won in the match", lasts="match"
        ),
        Field("pool", count(MOST_TOKENS), (), "tokens left", lasts="match"),
        Field("returning", FLAG, (), "the winners give tokens back: stage 2 of a match", lasts="match"),
        Field("top", count(CARDS), (), "position in `deck` of the next face-down card"),
        Field("drew_first", seat(SEATS), MAX_DRAWS, "who drew first in each round of drawing"),
        Field("trump", suit(always=True), (), "trump suit"),
        Field("turned_up", card(KINDS, always=True), (), "the card turned up in the deal"),
        Field("indicator", card(KINDS), (), "the card that now lies there; NONE once it is drawn"),
        Field("hand", card_set(CARDS), SEATS, "double sets", known="owner"),
        Field("shown", card_set(CARDS), SEATS, "cards publicly known to be in a hand"),
        Field("declared", card_set(CARDS), SEATS, "those of them that have been declared in a pair"),
        Field(
            "missing",
            card_set(KINDS),
            SEATS,
            "kinds publicly proven not to be in a hand, until the next draw",
        ),
        Field("held", count(IN_HAND), SEATS, "how many cards a hand has"),
        Field(
            "opening", Kind(NONE, max(Opening), NONE), (), "how forehand opened; NONE before it is announced"
        ),
        Field("trick", count(MAX_TRICKS + 1), (), "number of the present trick, from 1", fresh=1),
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("table", card(KINDS), SEATS, "each seat's card on the table", known="some"),
        Field(
            "best",
            card(KINDS),
            (),
            "the card now winning the trick; NONE, as before the first, while cards lie face down",
        ),
        Field("winning", seat(SEATS), (), "its seat"),
        Field("melded", SUIT_SET, (), "suits declared in the present turn"),
        Field("owed", suit(), (), "of a pair declared on a partner's sure trick, to be played now"),
        Field("gone", card_set(CARDS), (), "double set of the cards in finished tricks"),
        Field("points", count(MOST_POINTS), SIDES, "card points taken and pairs"),
        Field("tricks", count(MAX_TRICKS), SIDES, "tricks won"),
        Field("laid_by", seat(SEATS), (), "whose 7 is now the indicator"),
        Field("taken", card(KINDS), (), "the card taken for it"),
        Field("chained", FLAG, (), "the partner's chain has been used"),
        Field("asker", seat(SEATS), (), "who can tell at his turns whether the chain is open", known="some"),
        Field(
            "answers",
            count((1 << MAX_DRAWS) - 1),
            (),
            "what he has found, a bit each time, the latest lowest",
            known="some",
        ),
        Field("signal", suit(), SEATS, "that each seat signalled last", known="some"),
        Field("signalled", seat_set(SEATS), (), "who has signalled in the present trick", known="some"),
        Field(
            "proofs",
            count(CARDS),
            (),
            "how many cards have been seen that came from the deck, without having been known in a hand",
        ),
        Field("seen", card_set(CARDS), (), "double set of these and the card turned up"),
        Field("proof", packed(KINDS * SEATS - 1), CARDS, "these in order, and in whose hand; see `hands.py`"),
        Field(
            "proofs_before",
            count(CARDS),
            MAX_DRAWS,
            "how many there had been before each round of drawing",
            fresh=CARDS,
        ),
    ],
    seats=SEATS,
    kinds=KINDS,
    deck=CARDS,
    deck_known="some",
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=LONGEST_DEAL,
    paid_in=np.int8,
)


# Facts about a position


@compiled
def forehand(rules, state):
    return wrapped(rules, state.dealer + 1)


@compiled
def side_of(rules, seat):
    """With three players each seat is a side; partners sit in alternate seats."""
    return seat if rules.side_count == 3 else seat & 1


@compiled
def next_side(rules, side):
    return side + 1 if side + 1 < rules.side_count else 0


@compiled
def trump_seven(state):
    return state.trump * RANKS_PER_SUIT + SEVEN


@compiled
def reached_goal(rules, state, seat):
    return state.points[side_of(rules, seat)] >= GOAL
