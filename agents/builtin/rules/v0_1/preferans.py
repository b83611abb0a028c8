"""The rule-based player of Preferans of version 0.1.

It adds up what each card and each short suit of a hand says for a game, and what each card risks in betl. The
sums become the odds of making each game. It bids as far as the odds carry and discards for the best contract.
As a defender it comes when the tricks of its own hand are enough, and doubles when the count of the defence
says so. In play it weighs each card by the chance that its side wins the trick, against what the card is
worth kept. In betl the declarer plays low, and the defence keeps its low cards to play below the declarer.
"""

import numpy as np

from stichwerk.agents.builtin.rules.preferans import DRAWING, WORTH, WORTH_TRUMP, betl_value, trick_odds
from stichwerk.agents.builtin.rules.preferans_bidding import (
    OLDER_ESTIMATE,
    choose_call,
    choose_discard,
    choose_game,
    choose_reply,
    comes,
    doubles,
)
from stichwerk.envs.core.cards import NONE, bit, count
from stichwerk.envs.games.preferans.flow import legal
from stichwerk.envs.games.preferans.hidden import unseen
from stichwerk.envs.games.preferans.state import (
    ACCEPT,
    ACTION_OF,
    ACTIONS,
    ALONE,
    BETL,
    CARDS,
    COME,
    KONTRA,
    NO_OFFER,
    PLAY,
    RANKS_PER_SUIT,
    STAY_OUT,
    Phase,
    suit_set,
    trump_set,
)
from stichwerk.envs.jit.compiled import compiled

PLAYS = ("preferans_v0",)
SINCE = "0.1"

# Own tricks enough to come after one who came, and to double with the other defender in. They were settled by
# playing variants against each other.
COMES_WITH, DOUBLES_WITH = 1.8, 2.9


@compiled
def choose(rules, view, seat):
    """The action of the seat to act, from its redacted view."""
    mask = np.zeros(len(ACTIONS), np.int8)
    legal(rules, view, mask)
    if view.phase == Phase.AUCTION:
        return choose_call(OLDER_ESTIMATE, rules, view, seat, mask)
    if view.phase == Phase.DISCARD:
        return choose_discard(OLDER_ESTIMATE, view, seat)
    if view.phase == Phase.DECLARE:
        return choose_game(OLDER_ESTIMATE, view, seat, mask)
    if view.phase == Phase.COME:
        return COME if comes(rules, view, seat, COMES_WITH) else STAY_OUT
    if view.phase == Phase.JOIN:
        return ALONE  # every variant that took the other one along did worse
    if view.phase == Phase.KONTRA:
        return KONTRA if doubles(view, seat, DOUBLES_WITH) else ACCEPT
    if view.phase == Phase.OFFER:
        return NO_OFFER
    if view.phase == Phase.REPLY:
        return choose_reply(view, seat)
    return best_card(rules, view, seat, mask)


# The cards


@compiled
def best_card(rules, view, seat, mask):
    best, value = NONE, -np.inf
    out = unseen(view, seat)
    for card in range(CARDS):
        action = PLAY + ACTION_OF[card]
        if mask[action]:
            if view.game == BETL:
                worth = betl_value(rules, view, seat, out, card)
            else:
                worth = card_value(rules, view, seat, out, card)
            if worth > value:
                best, value = action, worth
    return best


@compiled
def card_value(rules, view, seat, out, card):
    """The chance that the own side wins the trick, less what the card is worth kept."""
    declarers, _ = trick_odds(rules, view, seat, out, card)
    wins = declarers if seat == view.declarer else 1.0 - declarers
    suit, trumps = suit_set(card // RANKS_PER_SUIT), trump_set(view)
    higher = count(out & suit & (bit(card) - 1))
    worth = WORTH[higher] + (WORTH_TRUMP if suit == trumps else 0.0)
    value = wins - worth
    if view.led == NONE and seat == view.declarer and suit == trumps and out & trumps:
        value += DRAWING
    return value
