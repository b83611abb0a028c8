"""The state of a hand: games, actions, decision nodes, every field of the record, and who sits where.

Three of the seats are in a deal, from forehand on, the seat after the dealer; of four players the dealer sits
out. Cards are numbered by their strength in tricks: A K Q J 10 9 8 7. Actions name them in the order A 10 K Q
J 9 8 7.

What the log tells and is seldom asked for is not stored again: the discards are read there.
"""

from enum import IntEnum

import numpy as np

from stichwerk.envs.core.actions import Action, card_actions, number_actions
from stichwerk.envs.core.cards import NONE, NOTHING, SUITS, Pack, bit, count
from stichwerk.envs.core.log import logged_action
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.preferans.options import PACK, PreferansRules
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.fields import FLAG, SUIT_SET, Field, Kind, card, member, seat, seat_set
from stichwerk.envs.spec.fields import count as number
from stichwerk.envs.spec.state import state_layout

SEATS = 4  # at most; `rules.players` says how many there are
ACTIVE = 3  # who play in a deal
CARDS = len(PACK)
ALL_CARDS = (1 << CARDS) - 1
RANKS_PER_SUIT = 8
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
    *card_actions("play", CARD_ACTIONS),
    *card_actions("discard", CARD_ACTIONS),
    Action("pass"),
    *number_actions("bid", NUMBERS),
    Action("igra"),
    Action("igra betl"),
    Action("igra sans"),
    Action("igra preferans"),
    *number_actions("declare", NUMBERS),
    Action("come"),
    Action("stay out"),
    Action("alone"),
    Action("together"),
    Action("kontra"),
    Action("accept"),
    *number_actions("offer", range(OFFERS)),
    Action("no offer"),
    Action("agree"),
    Action("refuse"),
)
PLAY, DISCARD, PASS = 0, CARDS, 2 * CARDS
BID, IGRA, IGRA_BETL, DECLARE = PASS + 1, PASS + 8, PASS + 9, PASS + 12  # BID, DECLARE: of the number 2
COME, STAY_OUT, ALONE, TOGETHER, KONTRA, ACCEPT, OFFER = range(
    DECLARE + len(NUMBERS), DECLARE + len(NUMBERS) + 7
)
NO_OFFER, AGREE, REFUSE = range(OFFER + OFFERS, len(ACTIONS))

MOST_REFAS = 10_000  # as many as `refa_limit` may allow
# Thirteen calls, two discards, the declaration, two who come, five for kontra, thirty cards.
LONGEST_DEAL = 53


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
    """The ways in which a deal ends."""

    NONE = 0
    ALL_PASS = 1
    UNPLAYED = 2  # a plain 2 that was not played and counted for nobody
    MADE = 3
    FAILED = 4


# A set of cards whose last one is the sign: see `as_set`. Sets of 64 bits, beside a log of 16, make a step of
# the vector environment 2 to 4 % longer with 1,024 lanes and 6 to 8 % with 8,192 (benchmarks/compare.py,
# against sets and log both packed; the log alone: -2 to 3 %).
CARDS_IN_32_BITS = Kind(-(1 << 31), (1 << 31) - 1)
ON_PAPER = Kind(-(1 << 31), (1 << 31) - 1)  # a match of many hands may go on and on

STATE = state_layout(
    [
        # The score sheet.
        Field(
            "sheet",
            ON_PAPER,
            (SEATS, SEATS),
            "supe: points each seat has received from each; on the diagonal the own columns, which are below "
            "zero (or at zero) under the hat",
            lasts="match",
        ),
        Field("refas", number(MOST_REFAS), SEATS, "not used up yet", lasts="match"),
        Field("refas_written", number(MOST_REFAS), (), "how often in this match", lasts="match"),
        # The cards.
        Field("hand", CARDS_IN_32_BITS, SEATS, "cards in hand", known="owner"),
        Field("played", CARDS_IN_32_BITS, SEATS, "cards, by the seat that played them"),
        Field("table", CARDS_IN_32_BITS, (), "cards on the table"),
        Field("talon", card(CARDS), TALON, "its cards, once it has been turned up"),
        Field("surplus", number(TALON), (), "cards that the declarer has still to discard"),
        Field("calls", number(LONGEST_DEAL), (), "actions in the log before the discards"),
        Field("void", SUIT_SET, SEATS, "suits of which a hand has been proven to hold no card"),
        # The auction: sets of seats, and the highest calls.
        Field("passed", seat_set(SEATS), (), "who have passed"),
        Field("numbered", seat_set(SEATS), (), "who have said a number"),
        Field("callers", seat_set(SEATS), (), "who have said igra of any kind"),
        Field("namers", seat_set(SEATS), (), "of those: whose game has been named"),
        Field("level", number(PREFERANS), (), "last number said, or 0"),
        Field("level_seat", seat(SEATS), (), "who said it"),
        Field("named", number(PREFERANS), (), "best hand game named, or 0"),
        Field("named_seat", seat(SEATS), (), "who named it"),
        # The contract.
        Field("declarer", seat(SEATS), (), "who plays the game"),
        Field("igra", FLAG, (), "a hand game: the talon stays face down"),
        Field("game", number(PREFERANS), (), "2 to 8, or 0 before it is declared"),
        Field("came", seat_set(SEATS), (), "the defenders who came, both in betl and preferans"),
        Field(
            "taker",
            seat(SEATS),
            (),
            "the defender to whom all tricks of the defence count: who took the other along, or doubled",
        ),
        Field("doubler", seat(SEATS), (), "the defender who doubled first"),
        Field("doublings", number(max(PreferansRules.values("max_kontra"))), (), "how often it was doubled"),
        Field(
            "offered", Kind(NONE, OFFERS - 1, NONE), (), "tricks that a lone defender offers to settle for"
        ),
        # The play.
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("led", card(CARDS), (), "its first card"),
        Field("best", card(CARDS), (), "the card now winning it"),
        Field("winning", seat(SEATS), (), "the seat of that card"),
        Field("tricks", number(IN_HAND), SEATS, "tricks won"),
        Field("outcome", member(Outcome), (), "how the hand has ended"),
    ],
    seats=SEATS,
    kinds=CARDS,
    deck=CARDS,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=LONGEST_DEAL,
)


# Cards


@compiled
def suit_set(suit):
    """All cards of a suit."""
    return np.int64(0xFF) << (suit * RANKS_PER_SUIT)


@compiled
def trump_set(state):
    """All trumps of the declared game, which may have none."""
    return suit_set(TRUMP_SUIT[state.game - SPADES]) if state.game < BETL else NOTHING


@compiled
def in_action_order(cards):
    """A set of cards as the set of their action numbers: the ten stands after the ace."""
    return cards & 0xE1E1E1E1 | (cards & 0x0E0E0E0E) << 1 | (cards & 0x10101010) >> 3


@compiled
def as_set(number):
    """The cards of a stored number. All its 32 bits are cards, so it is negative with the last one."""
    return np.int64(number) & ALL_CARDS


@compiled
def as_number(cards):
    """The number to store for a set of cards."""
    return cards - ((cards & bit(CARDS - 1)) << 1)


@compiled
def hand_of(state, seat):
    """The cards in a hand."""
    return as_set(state.hand[seat])


@compiled
def set_hand(state, seat, cards):
    state.hand[seat] = as_number(cards)


@compiled
def played_by(state, seat):
    """The cards that a seat has played."""
    return as_set(state.played[seat])


@compiled
def on_table(state):
    """The cards on the table."""
    return as_set(state.table)


@compiled
def talon_of(state):
    """The talon, once it has been turned up."""
    if state.talon[0] == NONE:
        return NOTHING
    return bit(state.talon[0]) | bit(state.talon[1])


@compiled
def discard_entries(state):
    """The places of the discards in the log, which follow the auction."""
    discards = 0 if state.talon[0] == NONE else TALON - state.surplus
    return range(state.calls, state.calls + discards)


@compiled
def discards_of(state):
    """The declarer's discards, as far as the log shows them."""
    cards = NOTHING
    for entry in discard_entries(state):
        action = logged_action(state, entry)
        if action != NONE:
            cards |= bit(CARD_OF[action - DISCARD])
    return cards


@compiled
def dealt_to(state, seat):
    """The ten cards of the deal, of a seat whose hand and discards are known."""
    cards = hand_of(state, seat) | played_by(state, seat)
    return (cards | discards_of(state)) & ~talon_of(state) if seat == state.declarer else cards


@compiled
def cards_held(state, owner):
    """The number of cards that an active seat holds, as everybody can tell."""
    surplus = state.surplus if owner == state.declarer else 0
    return IN_HAND + surplus - count(played_by(state, owner))


# Seats


@compiled
def active_seat(rules, state, place):
    """The seats in the deal: forehand is at place 0, then 1 and 2."""
    return wrapped(rules, state.dealer + 1 + place)


@compiled
def place_of(rules, state, seat):
    """Earlier seats have the smaller place; a dealer who sits out has place 3."""
    return wrapped(rules, seat - state.dealer - 1 + rules.players)


@compiled
def next_active(rules, state, seat):
    place = place_of(rules, state, seat) + 1
    return active_seat(rules, state, place - ACTIVE if place >= ACTIVE else place)


@compiled
def left_of(rules, state, seat):
    """The active player just before a seat."""
    place = place_of(rules, state, seat) + 2
    return active_seat(rules, state, place - ACTIVE if place >= ACTIVE else place)


@compiled
def first_defender(rules, state):
    return next_active(rules, state, state.declarer)


@compiled
def second_defender(rules, state):
    return left_of(rules, state, state.declarer)


@compiled
def missing_from(rules, state, seat):
    """The cards proven not to be in a hand: of suits it is out of, and a talon that somebody else took."""
    cards = NOTHING
    for suit in range(4):
        if state.void[seat] >> suit & 1:
            cards |= suit_set(suit)
    if seat != state.declarer and place_of(rules, state, seat) < ACTIVE:
        cards |= talon_of(state)
    return cards


# The contract


@compiled
def highest_game(rules):
    return PREFERANS if rules.enable_preferans else SANS


@compiled
def all_defend(state):
    """Betl and preferans: both defenders play without being asked."""
    return state.game == BETL or state.game == PREFERANS


@compiled
def is_plain_two(state):
    """A 2 with the talon, without refa, and not doubled."""
    return (
        state.game == SPADES and not state.igra and state.doublings == 0 and state.refas[state.declarer] == 0
    )


@compiled
def plays(rules, state, seat):
    """True if a seat plays cards in this contract: a lone defender may leave the other out."""
    if seat == state.declarer:
        return True
    return place_of(rules, state, seat) < ACTIVE and (state.taker != NONE or state.came & bit(seat) != 0)


@compiled
def defence_tricks(state):
    """The tricks of all but the declarer."""
    return (
        state.tricks[0] + state.tricks[1] + state.tricks[2] + state.tricks[3] - state.tricks[state.declarer]
    )
