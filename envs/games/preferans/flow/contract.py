"""From the auction to the first lead: talon and discards, the declaration, who defends, kontra, the offer.

Source: docs/rules/preferans.md#talon-and-discards, #the-declaration, #coming-and-staying-out, #kontra,
#offers
"""

from stichwerk.envs.core.cards import NONE, NOTHING, bit, count, lay_cards
from stichwerk.envs.games.preferans.flow.tricks import begin_play
from stichwerk.envs.games.preferans.options import LEVEL, LEVEL_MINUS_ONE, PLAY_TWO
from stichwerk.envs.games.preferans.scoring import score_hand, score_plain_two, score_undefended
from stichwerk.envs.games.preferans.state import (
    ACCEPT,
    AGREE,
    ALONE,
    CARDS,
    CLUBS,
    COME,
    DECLARE,
    DISCARD,
    IN_HAND,
    KONTRA,
    NO_OFFER,
    OFFER,
    OFFERS,
    REFUSE,
    SPADES,
    STAY_OUT,
    TALON,
    TALON_AT,
    TOGETHER,
    Phase,
    all_defend,
    first_defender,
    hand_of,
    highest_game,
    in_action_order,
    is_plain_two,
    second_defender,
    set_hand,
)
from stichwerk.envs.jit.bitsets import put_set
from stichwerk.envs.jit.compiled import compiled

# The talon


@compiled
def take_talon(state):
    """The winner of the auction by a number turns up the talon and takes it; everybody has seen its cards."""
    cards = NOTHING
    for position in range(TALON_AT, TALON_AT + TALON):
        cards |= bit(state.deck[position])
    lay_cards(state.talon, 0, TALON, cards)
    set_hand(state, state.declarer, hand_of(state, state.declarer) | cards)
    state.surplus, state.calls = TALON, state.log_size
    state.phase = Phase.DISCARD


@compiled
def legal_discard(state, mask):
    put_set(mask, DISCARD, in_action_order(hand_of(state, state.seat)), CARDS)


@compiled
def apply_discard(state, card):
    set_hand(state, state.seat, hand_of(state, state.seat) & ~bit(card))
    state.surplus -= 1
    if state.surplus == 0:
        state.phase = Phase.DECLARE


# The declaration


@compiled
def least_igra(rules, state):
    """The least hand game that may be named, after the last number said."""
    if rules.igra_min_level == LEVEL:
        return max(SPADES, state.level)
    return max(SPADES, state.level - 1) if rules.igra_min_level == LEVEL_MINUS_ONE else SPADES


@compiled
def highest_igra(rules):
    """The highest game that plain igra may become."""
    return highest_game(rules) if rules.igra_may_declare_notrump else CLUBS


@compiled
def legal_declare(rules, state, mask):
    """Any game from the winning number on; after igra any suit."""
    low = least_igra(rules, state) if state.igra else state.level
    high = highest_igra(rules) if state.igra else highest_game(rules)
    mask[DECLARE + low - SPADES : DECLARE + high - SPADES + 1] = 1


@compiled
def apply_declare(rules, state, game):
    state.game = game
    if all_defend(state):
        state.came = bit(first_defender(rules, state)) | bit(second_defender(rules, state))
        begin_kontra(rules, state)
    else:
        state.phase = Phase.COME
        state.seat = first_defender(rules, state)


# Who defends


@compiled
def legal_come(mask):
    mask[COME] = 1
    mask[STAY_OUT] = 1


@compiled
def apply_come(rules, state, action):
    if action == COME:
        state.came |= bit(state.seat)
    if state.seat == first_defender(rules, state):
        state.seat = second_defender(rules, state)
    elif state.came == 0:
        end_undefended(rules, state)
    elif count(state.came) == 1 and not may_stay_unplayed(rules, state):
        state.phase = Phase.JOIN
        state.seat = first_to_double(rules, state)
    else:
        begin_kontra(rules, state)


@compiled
def may_stay_unplayed(rules, state):
    """True if the table does not play this contract unless somebody doubles it."""
    return rules.plain_two != PLAY_TWO and is_plain_two(state)


@compiled
def end_undefended(rules, state):
    if may_stay_unplayed(rules, state):
        score_plain_two(rules, state)
    else:
        score_undefended(rules, state)


@compiled
def legal_join(mask):
    mask[ALONE] = 1
    mask[TOGETHER] = 1


@compiled
def apply_join(rules, state, action):
    if action == TOGETHER:
        state.taker = state.seat
    begin_kontra(rules, state)


# Kontra


@compiled
def first_to_double(rules, state):
    """The first defender who came."""
    first = first_defender(rules, state)
    return first if state.came & bit(first) else second_defender(rules, state)


@compiled
def begin_kontra(rules, state):
    state.phase = Phase.KONTRA
    state.seat = first_to_double(rules, state)
    if rules.max_kontra == 0:
        end_kontra(rules, state)


@compiled
def legal_kontra(mask):
    mask[KONTRA] = 1
    mask[ACCEPT] = 1


@compiled
def apply_kontra(rules, state, action):
    """A defender doubles, taking the other along; then declarer and doubler in turn may, till one accepts."""
    if action == KONTRA:
        if state.doublings == 0:
            state.doubler, state.taker = state.seat, state.seat
        state.doublings += 1
        state.seat = state.declarer if state.seat == state.doubler else state.doubler
        if state.doublings == rules.max_kontra:
            end_kontra(rules, state)
    elif state.doublings == 0 and count(state.came) == 2 and state.seat == first_defender(rules, state):
        state.seat = second_defender(rules, state)
    else:
        end_kontra(rules, state)


@compiled
def end_kontra(rules, state):
    if may_stay_unplayed(rules, state):
        score_plain_two(rules, state)
    elif rules.trick_offer and count(state.came) == 1 and state.taker == NONE:
        state.phase = Phase.OFFER
        state.seat = first_to_double(rules, state)
    else:
        begin_play(rules, state)


# The offer of a lone defender


@compiled
def legal_offer(mask):
    mask[OFFER : OFFER + OFFERS] = 1
    mask[NO_OFFER] = 1


@compiled
def apply_offer(rules, state, action):
    if action == NO_OFFER:
        begin_play(rules, state)
    else:
        state.offered = action - OFFER
        state.phase = Phase.REPLY
        state.seat = state.declarer


@compiled
def legal_reply(mask):
    mask[AGREE] = 1
    mask[REFUSE] = 1


@compiled
def apply_reply(rules, state, action):
    """An offer agreed to is scored as if it had been played."""
    if action == AGREE:
        state.tricks[first_to_double(rules, state)] = state.offered
        state.tricks[state.declarer] = IN_HAND - state.offered
        score_hand(rules, state)
    else:
        begin_play(rules, state)
