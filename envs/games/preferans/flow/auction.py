"""The auction: numbers with holds, igra, no-trump games by name, and the naming among several who said igra.

The earlier seat may hold the last number; the later one must say the next.
Source: docs/rules/preferans.md#the-auction
"""

from stichwerk.envs.core.cards import NONE, bit, count, first
from stichwerk.envs.games.preferans.flow.contract import apply_declare, highest_igra, least_igra, take_talon
from stichwerk.envs.games.preferans.options import LAST_NAMED
from stichwerk.envs.games.preferans.scoring import score_all_pass
from stichwerk.envs.games.preferans.state import (
    ACTIVE,
    BETL,
    BID,
    DECLARE,
    IGRA,
    IGRA_BETL,
    PASS,
    SPADES,
    Phase,
    active_seat,
    highest_game,
    next_active,
    place_of,
)
from stichwerk.envs.jit.compiled import compiled


@compiled
def legal_auction(rules, state, mask):
    seat = state.seat
    if state.callers & ~state.namers & bit(seat):
        legal_naming(rules, state, mask)
        return
    mask[PASS] = 1
    if not (state.numbered | state.callers) & bit(seat):
        legal_igra(rules, state, mask)
    number = next_number(rules, state)
    if state.callers == 0 and number <= highest_game(rules):
        mask[BID + number - SPADES] = 1


@compiled
def legal_igra(rules, state, mask):
    """Only the first call may be igra; without trumps it goes by name, and above any name."""
    mask[IGRA] = state.named == 0
    for game in range(BETL, highest_game(rules) + 1):
        mask[IGRA_BETL + game - BETL] = game > state.named


@compiled
def next_number(rules, state):
    """The only number to say: the last one, as a hold, if a later seat has said it; else the next."""
    held = state.level_seat != NONE and place_of(rules, state, state.level_seat) > place_of(
        rules, state, state.seat
    )
    return state.level if held else max(SPADES, state.level + 1)


@compiled
def legal_naming(rules, state, mask):
    """A seat that said igra, and was not alone, names a game above the best or passes; the first must name.

    Source: docs/rules/preferans.md#naming
    """
    for game in range(least_igra(rules, state), highest_igra(rules) + 1):
        mask[DECLARE + game - SPADES] = game > state.named or (
            game == state.named and rules.igra_tie == LAST_NAMED
        )
    if state.named != 0:
        mask[PASS] = 1
        if rules.igra_two_needs_first:
            mask[DECLARE] = 0


@compiled
def apply_auction(rules, state, action):
    seat = state.seat
    if action == PASS:
        state.passed |= bit(seat)
    elif action < IGRA:
        state.numbered |= bit(seat)
        state.level, state.level_seat = action - BID + SPADES, seat
    else:
        state.callers |= bit(seat)
        if action >= DECLARE:
            name_game(state, action - DECLARE + SPADES)
        elif action >= IGRA_BETL:
            name_game(state, action - IGRA_BETL + BETL)
    go_on(rules, state)


@compiled
def name_game(state, game):
    state.namers |= bit(state.seat)
    state.named, state.named_seat = game, state.seat


@compiled
def go_on(rules, state):
    """The turn goes to the next who has not passed; the auction ends with none left or one who called."""
    left = state.passed & 0
    for place in range(ACTIVE):
        left |= bit(active_seat(rules, state, place))
    left &= ~state.passed
    if left == 0:
        score_all_pass(rules, state)
    elif count(left) == 1 and left & (state.numbered | state.callers):
        win_auction(rules, state, first(left))
    else:
        state.seat = next_active(rules, state, state.seat)
        while state.passed & bit(state.seat):
            state.seat = next_active(rules, state, state.seat)


@compiled
def win_auction(rules, state, seat):
    state.declarer, state.seat = seat, seat
    if state.numbered & bit(seat):
        take_talon(state)
        return
    state.igra = 1
    if state.namers & bit(seat):
        apply_declare(rules, state, state.named)
    else:
        state.phase = Phase.DECLARE
