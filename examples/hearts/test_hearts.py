"""Hearts: the kit's checks, and the rules by example."""

import numpy as np
import pytest
from hearts import CARDS, GAME, RANKS

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.testing import check_game

ID = "hearts:hearts_v0"
SPADES_FIRST = list(GAME.pack.names)  # seat 1 gets the ace of spades, seat 2 the king, and so on


@pytest.mark.parametrize("rules", [None, {"limit": 20}])
@pytest.mark.slow
def test_the_kit(rules):
    check_game(ID, rules)


def after(*actions: str) -> CardGameEnv:
    """Player 0 deals the pack in its order; these cards are played."""
    env = CardGameEnv(ID)
    env.reset(seed=1, options={"deck": SPADES_FIRST, "dealer": 0, "actions": [f"play {a}" for a in actions]})
    return env


def legal(env: CardGameEnv) -> set[str]:
    mask = env.observe(env.agent_selection)["action_mask"]
    return {GAME.actions[action].card for action in np.flatnonzero(mask)}


def test_suit_is_followed():
    assert legal(after("sA")) == {"sK", "s9", "s5"}
    assert len(legal(after())) == RANKS, "any card may be led"


def test_the_highest_card_of_the_led_suit_wins_the_trick():
    env = after("s6", "sK", "sQ", "s7")
    assert env.agent_selection == "player_2"
    assert env.copy_state()[0].taken == GAME.pack.mask(["sK", "sQ", "s7", "s6"])


def test_each_heart_costs_a_point():
    env = CardGameEnv(ID)
    env.reset(seed=3)
    while not any(env.terminations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    hearts = env.copy_state()[0].hearts
    assert hearts.sum() == RANKS
    assert list(env.rewards.values()) == (RANKS - 4 * hearts).tolist()


@pytest.mark.slow
def test_worlds_respect_what_a_discard_proves():
    """A seat that has not followed suit holds no card of it in any world."""
    env, proven = CardGameEnv(ID), 0
    env.reset(seed=5)
    void = dict.fromkeys(range(4), 0)
    while env.copy_state()[0].log_size < CARDS - 8:
        state, seat = env.copy_state()[0], int(env.agent_selection[-1])
        card = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1])
        led = int(state.table[state.leader])
        if led >= 0 and card // RANKS != led // RANKS:
            void[seat] |= 0b1111111111111 << led // RANKS * RANKS
        env.step(card)
        for agent in env.possible_agents:
            world = env.resample(agent, seed=card)[0]
            assert all(int(world.hand[other]) & void[other] == 0 for other in range(4))
        proven += any(void.values())
    assert proven > 10
