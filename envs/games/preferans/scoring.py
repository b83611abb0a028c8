"""The score sheet of Preferans: what a hand brings, refas, and the end of a match.

Own columns are signed numbers, good when small. Under the hat the pencil writes the absolute value and every
addition flips; here the number is negative (or zero). They stand on the diagonal of `sheet`, the supe beside
it.

Source: docs/rules/preferans.md#all-pass-and-refas, #the-score-sheet, #scoring-a-hand, #the-end-of-the-match
"""

from stichwerk.envs.core.cards import NONE, bit, count
from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.core.seats import wrapped
from stichwerk.envs.games.preferans.options import (
    EACH_TWO,
    GREATER,
    KONTRA_ONLY,
    REFA_OR_HAT_WIN,
    WIN_TWO,
    PreferansRules,
)
from stichwerk.envs.games.preferans.state import (
    BETL,
    IN_HAND,
    PREFERANS,
    SANS,
    SEATS,
    Outcome,
    Phase,
    all_defend,
    defence_tricks,
    first_defender,
    second_defender,
)
from stichwerk.envs.jit.compiled import compiled

DEFENCE_GOAL = 5  # tricks that topple a suit game or sans
QUOTA = 4  # tricks that the defence owes together …
LONE_QUOTA = 2  # … and a lone defender, or each of two
BETL_TRICKS = 5  # tricks that a failed betl or preferans pays each defender


# The sheet


@compiled
def own_total(state):
    """The sum of all own columns; the match ends when it is zero."""
    total = 0
    for seat in range(SEATS):  # a constant number is quicker; who is not there has zeros
        total += state.sheet[seat, seat]
    return total


@compiled
def supe_balance(state, seat):
    """Points that a seat has received less those that it has given."""
    balance = 0
    for other in range(SEATS):
        balance += state.sheet[seat, other] - state.sheet[other, seat]
    return balance


@compiled
def result(state, seat):
    """The result of a seat in the match if it is over."""
    return supe_balance(state, seat) - 10 * state.sheet[seat, seat]


@compiled
def shared_standing(rules, state, seat):
    """The result of a seat if the match were stopped now, times the players to keep it whole."""
    return rules.players * result(state, seat) + 10 * own_total(state)


@compiled
def under_hat(rules, state, seat):
    return state.sheet[seat, seat] < (1 if rules.hat_at_zero else 0)


@compiled
def may_write_refa(rules, state):
    """Refas are written while nobody is under the hat, and only so often in a match."""
    hats = 0
    for seat in range(rules.players):
        hats += under_hat(rules, state, seat)
    return hats == 0 and state.refas_written < rules.refa_limit


@compiled
def write_refa(rules, state):
    for seat in range(rules.players):
        state.refas[seat] += 1
    state.refas_written += 1


# One hand


@compiled
def game_points(state):
    """The game points of the contract. Source: docs/rules/preferans.md#game-points"""
    points = 2 * state.game + (2 if state.igra else 0)
    return points << (state.doublings + (1 if state.refas[state.declarer] > 0 else 0))


@compiled
def is_last_hand(rules, state):
    """True if success in this contract would end the match."""
    return would_end(rules, game_points(state), own_total(state))


@compiled
def would_end(rules, points, total):
    """True if these game points, taken off the sum of the own columns, would end the match."""
    return points > total or (points == total and rules.last_hand_test != GREATER)


@compiled
def contract_made(state):
    if state.game == BETL:
        return state.tricks[state.declarer] == 0
    return defence_tricks(state) < (1 if state.game == PREFERANS else DEFENCE_GOAL)


@compiled
def falls_short(rules, state, seat):
    """True if a defender has taken too few tricks, and adds the game to the own column."""
    made, together = contract_made(state), defence_tricks(state)
    if all_defend(state):
        return made and seat == state.doubler and rules.betl_kontra_penalty != 0
    if state.taker != NONE:
        return seat == state.taker and together < (rules.kontra_target if state.doublings > 0 else QUOTA)
    if not state.came & bit(seat) or not made:
        return False
    safe_together = count(state.came) == 2 and rules.two_defender_quota != EACH_TWO and together >= QUOTA
    return state.tricks[seat] < LONE_QUOTA and not safe_together


@compiled
def score_hand(rules, state):
    """Write down a hand whose tricks have been counted."""
    declarer, first, second = state.declarer, first_defender(rules, state), second_defender(rules, state)
    made = contract_made(state)
    first_short, second_short = falls_short(rules, state, first), falls_short(rules, state, second)
    game, last = game_points(state), is_last_hand(rules, state)
    if made and not first_short and not second_short:
        game = min(game, own_total(state))

    open_account(rules, state)
    pay_supe(rules, state, first, game, made)
    pay_supe(rules, state, second, game, made)
    state.sheet[first, first] += game if first_short else 0
    state.sheet[second, second] += game if second_short else 0
    if made:
        state.sheet[declarer, declarer] -= game
    else:
        state.sheet[declarer, declarer] += 2 * game if last and rules.last_hand_double_fail else game
    state.refas[declarer] -= 1 if state.refas[declarer] > 0 else 0
    close_account(rules, state)
    end_hand(rules, state, Outcome.MADE if made else Outcome.FAILED)


@compiled
def pay_supe(rules, state, seat, game, made):
    """Write what one defender receives from the declarer."""
    if all_defend(state):
        shares = rules.betl_kontra_supe != KONTRA_ONLY or state.doublings == 0 or seat == state.doubler
        tricks = BETL_TRICKS if shares and not made else 0
    elif state.taker != NONE:
        tricks = defence_tricks(state) if seat == state.taker else 0
    else:
        tricks = state.tricks[seat]
    state.sheet[seat, state.declarer] += tricks * game


@compiled
def score_undefended(rules, state):
    """Nobody defends: the declarer has won all ten tricks."""
    state.came = 0
    state.tricks[state.declarer] = IN_HAND
    score_hand(rules, state)


@compiled
def score_plain_two(rules, state):
    """A plain 2 that is not played: a refa for everybody, or ten tricks for the declarer, or nothing.

    Source: docs/rules/preferans.md#the-plain-two
    """
    if rules.plain_two != WIN_TWO and may_write_refa(rules, state):
        write_refa(rules, state)
    elif rules.plain_two != REFA_OR_HAT_WIN or under_hat(rules, state, state.declarer):
        came = state.came
        score_undefended(rules, state)
        state.came = came  # they were ready to defend, and have no tricks to answer for
        return
    state.deal_points[:] = 0
    end_hand(rules, state, Outcome.UNPLAYED)


@compiled
def score_all_pass(rules, state):
    if may_write_refa(rules, state):
        write_refa(rules, state)
    state.deal_points[:] = 0
    end_hand(rules, state, Outcome.ALL_PASS)


# The reward of a hand is the change of standing, which adds up to zero


def stakes(options: PreferansRules) -> tuple[float, float]:
    """The most by which a contract can move a standing: ten times the own column, less everybody's share of
    it, and ten tricks of supe."""
    game = 2 * (PREFERANS if options.enable_preferans else SANS) + 2 << options.max_kontra
    failed = 2 * game if options.last_hand_double_fail else game
    supe, share = IN_HAND * game, 10 * failed / options.players
    return share - 10 * failed - supe, share + supe


@compiled
def open_account(rules, state):
    for seat in range(rules.players):
        state.deal_points[seat] = -shared_standing(rules, state, seat)


@compiled
def close_account(rules, state):
    for seat in range(rules.players):
        state.deal_points[seat] = (
            state.deal_points[seat] + shared_standing(rules, state, seat)
        ) / rules.players


@compiled
def end_hand(rules, state, outcome):
    """End the deal, and the match if the own columns make zero or it has had its hands; else pass the deal.

    Source: docs/rules/preferans.md#the-end-of-the-match
    """
    state.outcome = outcome
    state.phase = Phase.DONE
    end_deal(state)
    if not state.match:
        return
    if own_total(state) == 0 or state.deals_done == rules.max_hands:
        share_out_rest(rules, state)
        state.over = 1
        for seat in range(rules.players):
            state.reward[seat] = result(state, seat)
    else:
        state.dealer = wrapped(rules, state.dealer + 1)


@compiled
def share_out_rest(rules, state):
    """Bring the sum of the own columns to zero: equal parts for all, and what is left from the largest.

    Source: docs/rules/preferans.md#early-stop
    """
    total = own_total(state)
    for seat in range(rules.players):
        state.sheet[seat, seat] -= total // rules.players
    reduced = 0
    for _ in range(total % rules.players):
        largest = NONE
        for seat in range(rules.players):
            if not reduced & bit(seat) and (
                largest == NONE or state.sheet[seat, seat] > state.sheet[largest, largest]
            ):
                largest = seat
        reduced |= bit(largest)
    for seat in range(rules.players):
        state.sheet[seat, seat] -= (reduced >> seat) & 1
