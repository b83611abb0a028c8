"""The state of a deal of Gaigel: seats, actions, decision nodes, and every field of the record.

Arrays have room for six seats and three sides; `rules.players` and `rules.sides` say how many there are. Hands are double sets
(`double.py`).
"""

from enum import IntEnum

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import SUITS
from stichwerk.envs.core.course import NONE
from stichwerk.envs.core.state import shared_ranges, state_dtype, whole_words
from stichwerk.envs.games.family import ACE, RANKS_PER_SUIT
from stichwerk.envs.games.gaigel.double import ALL_KINDS, KINDS, WHOLE_PACK
from stichwerk.envs.games.gaigel.rules import PACK

SEATS, SIDES = 6, 3  # at most
CARDS = 2 * KINDS
DECK = np.repeat(np.arange(KINDS), 2)
IN_HAND, FIRST_PACKET = 5, 3
SEVEN = RANKS_PER_SUIT - 1
ACES = sum(1 << suit * RANKS_PER_SUIT + ACE for suit in range(4))
SEVENS = sum(1 << suit * RANKS_PER_SUIT + SEVEN for suit in range(4))
ALL_SEVENS = 5  # so many at the same time win
GOAL = 101
LAST_TRICK_TEN = 10


class Opening(IntEnum):
    """What forehand announces before the first trick."""

    GEELFEN = 0  # an ace, face up, which wins
    ANDERE_ALTE = 1  # an ace, face down; the other copy of it wins
    HOEHER_HAT = 2  # another card, face down; the highest of its suit wins
    DISSLE = 3  # to collect five sevens
    TRUMP = 4  # from five trumps


ACTIONS = (
    *(f"open {opening.name.lower()}" for opening in Opening),
    *(f"play {name}" for name in PACK.names),
    *(f"meld {suit}" for suit in SUITS),
    "exchange",
    "aus",
    "continue",
    *(f"signal {suit}" for suit in SUITS),
)
OPEN, PLAY, MELD = 0, len(Opening), len(Opening) + KINDS
EXCHANGE, AUS, CONTINUE, SIGNAL = MELD + 4, MELD + 5, MELD + 6, MELD + 7
MAX_SIGNALS = 15 * 3  # a trick and player, from trick 2 on, with three players
MAX_LOG = 1 + CARDS + 8 + 2 + MAX_SIGNALS + 1  # opening, cards, pairs, exchange and chain, signals, `aus` or `continue`


class Phase(IntEnum):
    """The decision nodes."""

    OPEN = 0  # forehand announces
    TURN = 1  # one action after another until a card is played
    AFTER = 2  # the winner of the last trick
    DONE = 3  # no decision: the deal is over


STATE = state_dtype(
    players=SEATS,
    pack_size=CARDS,
    log_size=MAX_LOG,
    fields=[
        ("phase", np.int64),
        ("score", np.int64, (SIDES,)),  # tokens held, or game points won in the match
        ("pool", np.int64),  # tokens left
        ("returning", np.int64),  # 0: the losers take tokens (stage 1 of a match); 1: the winners give them back (stage 2)
        ("owner", np.int8, (CARDS,)),  # for each position of `deck` the seat that was dealt it or drew it, or NONE
        ("top", np.int64),  # position in `deck` of the next face-down card
        ("trump", np.int64),  # suit
        ("turned_up", np.int64),  # the card turned up in the deal
        ("indicator", np.int64),  # the card that now lies there; NONE once it is drawn
        ("hand", np.int64, (SEATS,)),  # double sets
        ("shown", np.int64, (SEATS,)),  # cards publicly known to be in a hand
        ("declared", np.int64, (SEATS,)),  # those of them that have been declared in a pair
        ("missing", np.int64, (SEATS,)),  # kinds publicly proven not to be in a hand, until the next draw
        ("held", np.int8, (whole_words(SEATS),)),  # how many cards a hand has
        ("opening", np.int64),  # or NONE before it is announced
        ("trick", np.int64),  # number of the present trick, from 1
        ("leader", np.int64),  # of the present trick
        ("table", np.int8, (whole_words(SEATS),)),  # each seat's card on the table or NONE; hidden while it lies face down
        ("best", np.int64),  # card now winning the trick or NONE, as it is while cards lie face down
        ("winning", np.int64),  # its seat
        ("melded", np.int64),  # set of suits declared in the present turn
        ("owed", np.int64),  # suit of a pair declared on a partner's sure trick, one of which must be played, or NONE
        ("gone", np.int64),  # double set of the cards in finished tricks
        ("points", np.int64, (SIDES,)),  # card points taken and pairs
        ("tricks", np.int64, (SIDES,)),
        ("laid_by", np.int64),  # seat whose 7 is now the indicator, or NONE
        ("taken", np.int64),  # the card taken for it, or NONE
        ("chained", np.int64),  # the partner's chain has been used
        ("asker", np.int64),  # seat that can tell at its turns whether the chain is open, or NONE; known to that seat only
        ("answers", np.int64),  # what it has found, a bit each time, the latest lowest; known to that seat only
        ("signal", np.int8, (whole_words(SEATS),)),  # suit each seat signalled last or NONE; may be hidden from opponents
        ("signalled", np.int64),  # set of the seats that have signalled in the present trick; may be hidden from opponents
        ("proofs", np.int64),  # how many cards have been seen that came from the deck, without having been known in a hand …
        ("proof_card", np.int8, (CARDS,)),
        ("proof_seat", np.int8, (CARDS,)),  # … in whose hand …
        ("proof_top", np.int8, (CARDS,)),  # … and `top` at that moment: the card was dealt or drawn before
    ],
)


def ranges(players: int) -> dict[str, tuple[int, int]]:
    """See `Game.ranges`."""
    card, seat, suit = (NONE, KINDS - 1), (NONE, players - 1), (NONE, 3)
    return {
        **shared_ranges(players, KINDS, MAX_LOG, len(ACTIONS)),
        "phase": (Phase.OPEN, Phase.DONE),
        "returning": (0, 1),
        "top": (0, CARDS),
        "trump": (0, 3),
        "turned_up": (0, KINDS - 1),
        "opening": (NONE, Opening.TRUMP),
        "leader": (0, players - 1),
        "proofs": (0, CARDS),
        "proof_card": (0, KINDS - 1),
        "proof_seat": (0, players - 1),
        "proof_top": (0, CARDS),
        "held": (0, IN_HAND),
        "melded": (0, 0xF),
        **dict.fromkeys(("indicator", "table", "best", "taken"), card),
        **dict.fromkeys(("owner", "winning", "laid_by", "asker"), seat),
        **dict.fromkeys(("owed", "signal"), suit),
        **dict.fromkeys(("hand", "shown", "declared", "gone"), (0, WHOLE_PACK)),
        "missing": (0, ALL_KINDS),
    }


@njit(cache=True)
def forehand(rules, state):
    return (state.dealer + 1) % rules.players


@njit(cache=True)
def side_of(rules, seat):
    """With partners, they sit in alternate seats."""
    return seat % rules.sides
