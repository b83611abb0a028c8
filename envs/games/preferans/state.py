"""The words of Preferans: games, actions, decision nodes, the state of a table, and who sits where.

Three of the seats are in a deal, from forehand on, the seat after the dealer; of four players the dealer sits out. Cards are numbered
by their strength in tricks, A K Q J 10 9 8 7; actions name them in the order A 10 K Q J 9 8 7.
"""

from enum import IntEnum

import numpy as np
from numba import njit

from stichwerk.envs.core.cards import SUITS, Pack, bit, count
from stichwerk.envs.core.course import NONE
from stichwerk.envs.core.state import shared_ranges, state_dtype
from stichwerk.envs.games.preferans.rules import PACK

SEATS = 4  # at most; `rules.players` says how many there are
ACTIVE = 3  # who play in a deal
CARDS = len(PACK.names)
RANKS_PER_SUIT = 8
DECK = np.arange(CARDS)
IN_HAND = 10
PACKET = 5
TALON_AT = ACTIVE * PACKET  # where the talon lies in a deck
TALON = 2

# The games by number: four suits, then those without trumps.
SPADES, CLUBS, BETL, SANS, PREFERANS = 2, 5, 6, 7, 8
GAMES = ("♠", "♦", "♥", "♣", "betl", "sans", "preferans")
TRUMP_SUIT = np.array([SUITS.index(suit) for suit in "sdhc"])  # from game 2 on

CARD_ACTIONS = Pack("ATKQJ987").names
CARD_OF = np.array([PACK.index[name] for name in CARD_ACTIONS])  # the card of a card action …
ACTION_OF = np.argsort(CARD_OF)  # … and back
NUMBERS = range(SPADES, PREFERANS + 1)
OFFERS = 6  # from none to five tricks
ACTIONS = (
    *(f"play {name}" for name in CARD_ACTIONS),
    *(f"discard {name}" for name in CARD_ACTIONS),
    "pass",
    *(f"bid {number}" for number in NUMBERS),
    "igra",
    "igra betl",
    "igra sans",
    "igra preferans",
    *(f"declare {number}" for number in NUMBERS),
    "come",
    "stay out",
    "alone",
    "together",
    "kontra",
    "accept",
    *(f"offer {tricks}" for tricks in range(OFFERS)),
    "no offer",
    "agree",
    "refuse",
)
PLAY, DISCARD, PASS = 0, CARDS, 2 * CARDS
BID, IGRA, IGRA_BETL, DECLARE = PASS + 1, PASS + 8, PASS + 9, PASS + 12  # BID and DECLARE stand for the number 2
COME, STAY_OUT, ALONE, TOGETHER, KONTRA, ACCEPT, OFFER = range(DECLARE + len(NUMBERS), DECLARE + len(NUMBERS) + 7)
NO_OFFER, AGREE, REFUSE = range(OFFER + OFFERS, len(ACTIONS))
MAX_LOG = 53  # thirteen calls, two discards, declaration, two who come, five for kontra, thirty cards


class Phase(IntEnum):
    """The decision nodes."""

    AUCTION = 0  # calls, and the naming among several who said igra
    DISCARD = 1  # the declarer, with the talon in hand
    DECLARE = 2
    COME = 3  # each defender in turn
    JOIN = 4  # the only one who came
    KONTRA = 5  # a defender, then declarer and doubler in turn
    OFFER = 6  # a lone defender
    REPLY = 7  # the declarer, to the offer
    PLAY = 8
    DONE = 9  # no decision: the deal is over


class Outcome(IntEnum):
    """How a deal has ended."""

    NONE = 0
    ALL_PASS = 1
    UNPLAYED = 2  # a plain 2 that was not played and counted for nobody
    MADE = 3
    FAILED = 4


STATE = state_dtype(
    players=SEATS,
    pack_size=CARDS,
    log_size=MAX_LOG,
    fields=[
        ("phase", np.int64),
        # The score sheet.
        ("own", np.int32, (SEATS,)),  # own columns; below zero (or at zero) under the hat
        ("received", np.int32, (SEATS, SEATS)),  # supe: points that the first has received from the second
        ("refas", np.int32, (SEATS,)),  # not used up yet
        ("refas_written", np.int64),  # how often in this match
        # The cards.
        ("hand", np.int64, (SEATS,)),  # card sets
        ("dealt", np.int64, (SEATS,)),  # the ten cards of the deal; hidden from the other seats
        ("talon", np.int64),  # once it has been turned up
        ("surplus", np.int64),  # cards that the declarer has still to discard
        ("discards", np.int64),  # known to the declarer alone
        ("missing", np.int64, (SEATS,)),  # cards publicly proven not to be in a hand
        # The auction: sets of seats, and the highest calls.
        ("passed", np.int64),
        ("numbered", np.int64),  # said a number
        ("callers", np.int64),  # said igra of any kind
        ("namers", np.int64),  # of those: whose game has been named
        ("level", np.int64),  # last number said, or 0
        ("level_seat", np.int64),
        ("named", np.int64),  # best hand game named, or 0
        ("named_seat", np.int64),
        # The contract.
        ("declarer", np.int64),
        ("igra", np.int64),  # a hand game: the talon stays face down
        ("game", np.int64),  # 2 to 8, or 0 before it is declared
        ("came", np.int64),  # set of the defenders who came, of both in betl and preferans
        ("taker", np.int64),  # the defender to whom all tricks of the defence count: who took the other along, or doubled
        ("doubler", np.int64),
        ("doublings", np.int64),
        ("offered", np.int64),  # tricks that a lone defender offers to settle for
        # The play.
        ("leader", np.int64),  # of the present trick
        ("led", np.int64),  # its first card
        ("best", np.int64),  # card now winning it
        ("winning", np.int64),  # the seat of that card
        ("table", np.int64),  # its cards so far
        ("played", np.int64, (SEATS,)),  # card sets, by the seat that played them
        ("tricks", np.int64, (SEATS,)),
        ("outcome", np.int64),
    ],
)


def ranges(players: int) -> dict[str, tuple[int, int]]:
    seat, seat_set, card_set = (NONE, players - 1), (0, (1 << players) - 1), (0, (1 << CARDS) - 1)
    return {
        **shared_ranges(players, CARDS, MAX_LOG, len(ACTIONS)),
        "phase": (Phase.AUCTION, Phase.DONE),
        "outcome": (Outcome.NONE, Outcome.FAILED),
        "surplus": (0, TALON),
        "level": (0, PREFERANS),
        "named": (0, PREFERANS),
        "game": (0, PREFERANS),
        "igra": (0, 1),
        "doublings": (0, 4),
        "offered": (NONE, OFFERS - 1),
        "leader": (0, players - 1),
        "led": (NONE, CARDS - 1),
        "best": (NONE, CARDS - 1),
        "tricks": (0, IN_HAND),
        **dict.fromkeys(("level_seat", "named_seat", "declarer", "taker", "doubler", "winning"), seat),
        **dict.fromkeys(("passed", "numbered", "callers", "namers", "came"), seat_set),
        **dict.fromkeys(("hand", "dealt", "talon", "discards", "missing", "table", "played"), card_set),
    }


RANGES = {players: ranges(players) for players in (3, 4)}


# Cards


@njit(cache=True)
def suit_set(suit):
    """All cards of a suit."""
    return np.int64(0xFF) << (suit * RANKS_PER_SUIT)


@njit(cache=True)
def trump_set(state):
    """All trumps of the declared game, which may have none."""
    return suit_set(TRUMP_SUIT[state.game - SPADES]) if state.game < BETL else np.int64(0)


@njit(cache=True)
def in_action_order(cards):
    """A set of cards as the set of their action numbers: the ten stands after the ace."""
    return cards & 0xE1E1E1E1 | (cards & 0x0E0E0E0E) << 1 | (cards & 0x10101010) >> 3


@njit(cache=True)
def cards_held(state, owner):
    """How many cards an active seat holds, as everybody can tell."""
    surplus = state.surplus if owner == state.declarer else 0
    return IN_HAND + surplus - count(state.played[owner])


# Seats


@njit(cache=True)
def wrapped(rules, number):
    """A seat counted past the last one: the number modulo players, which is cheaper without a division."""
    return number - rules.players if number >= rules.players else number


@njit(cache=True)
def active_seat(rules, state, place):
    """The seats in the deal: forehand is at place 0, then 1 and 2."""
    return wrapped(rules, state.dealer + 1 + place)


@njit(cache=True)
def place_of(rules, state, seat):
    """Earlier seats have the smaller place; a dealer who sits out has place 3."""
    return wrapped(rules, seat - state.dealer - 1 + rules.players)


@njit(cache=True)
def next_active(rules, state, seat):
    return active_seat(rules, state, (place_of(rules, state, seat) + 1) % ACTIVE)


@njit(cache=True)
def left_of(rules, state, seat):
    """The active player just before a seat."""
    return active_seat(rules, state, (place_of(rules, state, seat) + 2) % ACTIVE)


@njit(cache=True)
def first_defender(rules, state):
    return next_active(rules, state, state.declarer)


@njit(cache=True)
def second_defender(rules, state):
    return left_of(rules, state, state.declarer)


# The contract


@njit(cache=True)
def highest_game(rules):
    return PREFERANS if rules.enable_preferans else SANS


@njit(cache=True)
def all_defend(state):
    """Betl and preferans: both defenders play without being asked."""
    return state.game == BETL or state.game == PREFERANS


@njit(cache=True)
def is_plain_two(state):
    """A 2 with the talon, without refa, and not doubled."""
    return state.game == SPADES and not state.igra and state.doublings == 0 and state.refas[state.declarer] == 0


@njit(cache=True)
def plays(rules, state, seat):
    """Whether a seat plays cards in this contract: a lone defender may leave the other out."""
    if seat == state.declarer:
        return True
    return place_of(rules, state, seat) < ACTIVE and (state.taker != NONE or state.came & bit(seat) != 0)


@njit(cache=True)
def defence_tricks(rules, state):
    return state.tricks[first_defender(rules, state)] + state.tricks[second_defender(rules, state)]
