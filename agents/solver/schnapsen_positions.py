"""Positions of Schnapsen and Sixty-six that somebody set up by hand, not by playing."""

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.games.family import MARRIAGE, RANKS_PER_SUIT, TRUMP_MARRIAGE, card_points
from stichwerk.envs.games.schnapsen.options import NEXT_TRICK
from stichwerk.envs.games.schnapsen.state import CARDS, Phase
from stichwerk.envs.spec.game import Game

MARRIAGES = TRUMP_MARRIAGE + 3 * MARRIAGE  # points of all together


def fits(game: Game, state: np.record) -> bool:
    """True if a position on lead or to answer, set up by hand, can be played on.

    Every card is in one place, and hands are of one size. A stock that is not closed has an even number of
    cards. Points and tricks are such as the cards that are gone can have brought.
    """
    answers = state.phase == Phase.ANSWER
    leader = 1 - state.seat if answers else state.seat
    if state.phase not in (Phase.LEAD, Phase.ANSWER) or state.leader != leader:
        return False
    hands = [[card for card in range(CARDS) if hand >> card & 1] for hand in state.hand]
    led = [state.led] if answers else []
    sizes = len(hands[leader]) + len(led), len(hands[1 - leader])
    is_open = state.closed_by == NONE
    stock = state.deck[state.top : len(game.deck)].tolist() if is_open else []
    if stock or (not is_open and state.indicator != NONE):
        stock.append(state.indicator)
    cards = [*hands[0], *hands[1], *led, *stock]
    pack = {game.pack.parse(name) for name in game.deck}
    if sizes[0] != sizes[1] or not sizes[0] or (is_open and len(stock) % 2):
        return False
    if not pack >= set(cards) or len(set(cards)) < len(cards):
        return False
    if stock and stock[-1] // RANKS_PER_SUIT != state.trump:  # the indicator
        return False
    gone = pack - set(cards)
    tricks, without = 2 * int(state.tricks.sum()), state.tricks == 0
    waits = game.rules_record[0].marriages_count == NEXT_TRICK
    most = sum(card_points(card) for card in gone) + MARRIAGES
    return bool(
        (tricks == len(gone) if is_open else tricks <= len(gone))
        and state.points.sum() + state.pending.sum() <= most
        and not state.points[without].any()
        and (waits or not state.pending[~without].any())
        and (state.pending <= TRUMP_MARRIAGE).all()
        and (state.closed_points <= state.points).all()
        and (state.closed_tricks <= state.tricks).all()
    )
