"""OpenSpiel, Euchre: a state in C++, with information state tensors and masks"""

import random

import pyspiel

PACKAGE = "open_spiel"
game, rng = pyspiel.load_game("euchre"), random.Random(1)


def play() -> int:
    state, decisions = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = [outcome for outcome, _ in state.chance_outcomes()]
            state.apply_action(rng.choice(outcomes))
            continue
        state.information_state_tensor()
        state.legal_actions_mask()
        state.apply_action(rng.choice(state.legal_actions()))
        decisions += 1
    return decisions
