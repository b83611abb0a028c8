"""The beginning and the end of a deal."""

import numpy as np
import pytest

from stichwerk.envs import make_game
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.deal import begin_deal, deal_card, end_deal, hide_deck, turn_up

GAME = make_game("preferans_v0")
RULES = GAME.rules_record[0]


@pytest.fixture
def state():
    """A state with a seed, before its first deal."""
    state = np.repeat(GAME.spec.state.fresh, 1)[0]
    state.seed, state.dealer, state.deck_is_set = 11, NONE, 0
    return state


def test_the_cards_do_not_depend_on_the_dealer(state):
    begin_deal(RULES, state)
    deck, dealer = state.deck.copy(), int(state.dealer)
    assert sorted(deck[: RULES.deck_size]) == sorted(RULES.deck[: RULES.deck_size])
    assert 0 <= dealer < RULES.players
    state.dealer = (dealer + 1) % RULES.players
    begin_deal(RULES, state)
    assert state.dealer == (dealer + 1) % RULES.players, "a dealer that is set stays"
    assert (state.deck == deck).all()


def test_another_number_is_another_deal(state):
    begin_deal(RULES, state)
    deck = state.deck.copy()
    state.deal_number += 1
    begin_deal(RULES, state)
    assert (state.deck != deck).any()


def test_a_deck_that_is_set_is_dealt_once(state):
    state.deck[: RULES.deck_size], state.deck_is_set = RULES.deck[: RULES.deck_size][::-1], 1
    begin_deal(RULES, state)
    assert (state.deck[: RULES.deck_size] == RULES.deck[: RULES.deck_size][::-1]).all()
    begin_deal(RULES, state)
    assert (state.deck[: RULES.deck_size] != RULES.deck[: RULES.deck_size][::-1]).any()


def test_the_end_of_a_deal(state):
    state.deal_points[:] = np.arange(len(state.deal_points))
    end_deal(state)
    assert (state.deals_done, state.over) == (1, 1)
    assert (state.reward == state.deal_points).all()


def test_a_match_goes_on_after_a_deal(state):
    state.match, state.reward[:] = 1, 0
    state.deal_points[:] = 5
    end_deal(state)
    assert (state.deals_done, state.over) == (1, 0)
    assert not state.reward.any()


def test_what_of_the_deck_a_seat_sees():
    arrays = [("hand", np.int64, 2), *((name, np.int16, 5) for name in ("deck", "deck_owner", "deck_time"))]
    fields = [*arrays, ("deck_open", np.int64), ("log_size", np.int64)]
    state = np.zeros(1, np.dtype((np.record, fields)))[0]
    state.deck[:], state.deck_owner[:], state.log_size = [7, 3, 9, 1, 5], NONE, 4
    assert (deal_card(state, 0, 0), deal_card(state, 1, 1), turn_up(state, 2)) == (7, 3, 9)
    assert state.hand.tolist() == [1 << 7, 1 << 3]
    assert state.deck_time.tolist() == [4, 4, 0, 0, 0]
    hide_deck(state, 0)
    assert state.deck.tolist() == [7, NONE, 9, NONE, NONE]
