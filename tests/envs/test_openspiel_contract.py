"""What OpenSpiel asks of a game besides play: copies, pickles, texts, observers, bounds, under any rules."""

import copy
import pickle
import random
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import cfr, get_all_states, outcome_sampling_mccfr
from open_spiel.python.observation import make_observation

from stichwerk.envs import InputError
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.games import OWN_GAMES
from stichwerk.envs.openspiel import SpielGame, SpielState, load_game
from tests.envs.support import model_of, python
from tests.envs.test_openspiel import BRISCOLA, TINY, dealt

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def pickled(thing, protocol: int = pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))


STATE_COPIES: dict[str, Callable[[SpielState], SpielState]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "clone": lambda state: state.clone(),
    "serialize": lambda state: state.get_game().deserialize_state(state.serialize()),
    "together": lambda state: pyspiel.deserialize_game_and_state(
        pyspiel.serialize_game_and_state(state.get_game(), state)
    )[1],
    **{f"pickle {protocol}": partial(pickled, protocol=protocol) for protocol in PROTOCOLS},
}
GAME_COPIES: dict[str, Callable[[SpielGame], SpielGame]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "text": lambda game: pyspiel.load_game(str(game)),
    "serialize": lambda game: pyspiel.deserialize_game(game.serialize()),
    "parameters": lambda game: pyspiel.load_game(game.get_type().short_name, game.get_parameters()),
    **{f"pickle {protocol}": partial(pickled, protocol=protocol) for protocol in PROTOCOLS},
}


def seen(state: SpielState) -> list:
    """All that a state tells anybody."""
    told = [str(state), state.history(), state.current_player(), state.legal_actions(), state.returns()]
    if state.is_chance_node():
        return [*told, state.chance_outcomes()]
    for player in range(state.num_players()):
        told += [state.information_state_string(player), state.information_state_tensor(player)]
        told += [state.observation_string(player), state.observation_tensor(player)]
    return told


@st.composite
def games(draw) -> SpielGame:
    """Any game under any rules."""
    env_id = draw(st.sampled_from(sorted(OWN_GAMES)))
    rules = draw(model_of(env_id).rules())
    dealer = draw(st.integers(NONE, 1))
    return load_game(env_id, rules, dealer)


@given(games(), st.sampled_from(sorted(GAME_COPIES)))
@settings(max_examples=20, deadline=None)
def test_copies_of_games_are_equal_under_any_rules(game, way):
    twin = GAME_COPIES[way](game)
    assert twin == game
    assert type(twin) is type(game)
    assert (twin.game.rules, twin.dealer) == (game.game.rules, game.dealer)


@given(games(), st.sampled_from(sorted(STATE_COPIES)), st.integers(0, 2**32), st.integers(0, 60))
@settings(max_examples=20, deadline=None)
def test_copies_of_states_are_equal_and_apart_under_any_rules(game, way, seed, steps):
    rng = random.Random(seed)
    for state in (game.new_initial_state(), dealt(game, rng, steps)):
        before, action = seen(state), rng.choice(state.legal_actions())
        twin = STATE_COPIES[way](state)
        assert seen(twin) == before
        assert twin.get_game() == game
        twin.apply_action(action)
        assert seen(twin) == seen(state.child(action))
        assert seen(state) == before, "they share memory"


@given(games(), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_deals_stay_within_the_bounds_under_any_rules(game, seed):
    rng, state = random.Random(seed), dealt(game, random.Random(seed))
    assert game.max_chance_outcomes() >= len(game.new_initial_state().chance_outcomes())
    assert len(state.history()) <= game.max_chance_nodes_in_history()
    moves = 0
    while not state.is_terminal():
        legal = state.legal_actions()
        assert 0 <= min(legal) <= max(legal) < game.num_distinct_actions() == state.num_distinct_actions()
        assert len(set(map(state.action_to_string, legal))) == len(legal)
        assert [state.string_to_action(state.action_to_string(action)) for action in legal] == legal
        assert all(
            not state.legal_actions(player)
            for player in range(game.num_players())
            if player != state.current_player()
        )
        state.apply_action(rng.choice(legal))
        moves += 1
    assert moves <= game.max_game_length()
    assert len(state.history()) <= game.max_history_length()
    assert sum(state.returns()) == pytest.approx(0, abs=1e-6)
    assert game.min_utility() - 1e-6 <= min(state.returns())
    assert max(state.returns()) <= game.max_utility() + 1e-6


# In other processes


def step_there(thing) -> str:
    """What a worker makes of what it is sent, as a text."""
    if isinstance(thing, pyspiel.State):
        return str(seen(thing))
    if isinstance(thing, pyspiel.Game):
        return str(seen(dealt(thing, random.Random(1))))
    if isinstance(thing, policy.Policy):
        return str(thing.action_probabilities(decision(pyspiel.load_game(TINY))))
    thing.evaluate_and_update_policy()
    return str(thing.average_policy().action_probability_array.tolist())


def decision(game: SpielGame) -> SpielState:
    return dealt(game, random.Random(4))


@pytest.mark.slow
def test_what_holds_a_game_is_sent_to_a_worker():
    """One that has imported nothing of ours before: games of every kind, states, policies and solvers."""
    game = pyspiel.load_game(TINY)
    solver = cfr.CFRPlusSolver(game)
    solver.evaluate_and_update_policy()
    things = [
        *(pyspiel.load_game(name) for name in ("schnapsen", "gaigel(players=3,dealer=1)", "preferans")),
        dealt(load_game("snapszer", dealer=2), random.Random(2), 9),
        policy.TabularPolicy(game),
        solver.average_policy(),
        solver,
    ]
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(step_there, things) == [step_there(each) for each in things]


@pytest.mark.parametrize(
    "make",
    [
        cfr.CFRSolver,
        cfr.CFRPlusSolver,
        outcome_sampling_mccfr.OutcomeSamplingSolver,
        pyspiel.CFRSolver,
        pyspiel.CFRPlusSolver,
        pyspiel.ExternalSamplingMCCFRSolver,
        pyspiel.OutcomeSamplingMCCFRSolver,
        policy.TabularPolicy,
        policy.UniformRandomPolicy,
        policy.FirstActionPolicy,
    ],
)
def test_solvers_and_policies_are_saved(make):
    thing = make(pyspiel.load_game(TINY))
    for _ in range(2):
        thing = pickled(thing)


def test_a_training_environment_of_openspiel_is_saved():
    """`rl_environment`, as its agents use it, goes on where it was."""
    env = rl_environment.Environment(pyspiel.load_game("schnapsen"))
    env.seed(3)
    env.reset()
    twin = pickled(env)
    for _ in range(4):
        (mine, theirs) = env.get_time_step(), twin.get_time_step()
        assert mine.observations == theirs.observations
        action = mine.observations["legal_actions"][mine.observations["current_player"]][0]
        env.step([action])
        twin.step([action])


def test_games_are_found_in_a_fresh_process():
    """By name once ours are registered, and those of other packages by what was pickled."""
    program = """
import pickle
from stichwerk.envs.openspiel import load_game
game = load_game("briscola:briscola_v0", {"target": 2})
state = game.new_initial_state()
state.apply_action(1)
print(pickle.dumps((game, state)).hex())
"""
    sent = python(program, PYTHONPATH=str(BRISCOLA))
    names = ["schnapsen(goal=50,dealer=1)", "gaigel(players=6)", "preferans(players=4)"]
    program = f"""
import pickle, pyspiel
print(*pickle.loads(bytes.fromhex("{sent}")), sep="; ")
print(*map(pyspiel.load_game, {names}), sep="; ")
"""
    told = python(program, PYTHONPATH=str(BRISCOLA)).splitlines()
    assert told[0] == "briscola(target=2); dealer player_1"
    assert told[-1].split("; ") == [str(pyspiel.load_game(name)) for name in names]


# Observers


KINDS = [
    pyspiel.IIGObservationType(perfect_recall=recall, public_info=public, private_info=private)
    for recall in (True, False)
    for public in (True, False)
    for private in pyspiel.PrivateInfoType.__members__.values()
]


def test_every_kind_of_observer_is_there_or_refused():
    game = pyspiel.load_game("gaigel")
    state = dealt(game, random.Random(2), 9)
    made = []
    for kind in KINDS:
        observer = make_observation(game, kind)
        if observer is None:
            with pytest.raises(InputError, match=r"observer: got .*; expected what is public and"):
                game.make_observer(kind, {})
            continue
        made.append(kind)
        in_cpp = pyspiel._Observation(game, game.make_observer(kind, {}))
        for player in range(4):
            observer.set_from(state, player)
            in_cpp.set_from(state, player)
            assert np.array_equal(observer.tensor, np.frombuffer(in_cpp, np.float32))
            assert observer.string_from(state, player) == in_cpp.string_from(state, player)
    assert len(made) == 2
    assert game.make_observer({})


def test_an_observer_keeps_what_it_shows():
    game = pyspiel.load_game("schnapsen")
    observer = make_observation(game, KINDS[2])
    observer.set_from(dealt(game, random.Random(2), 5), 1)
    for twin in (pickled(observer), copy.deepcopy(observer)):
        assert np.array_equal(twin.tensor, observer.tensor)
        twin.set_from(dealt(game, random.Random(3)), 0)
        assert np.array_equal(np.concatenate([part.ravel() for part in twin.dict.values()]), twin.tensor)
        assert not np.array_equal(twin.tensor, observer.tensor)


# Whole trees, and actions that are none


def test_all_states_of_a_small_pack():
    game = pyspiel.load_game(TINY)
    every = get_all_states.get_all_states(
        game, include_chance_states=True, to_string=lambda state: state.history_str()
    )
    kinds = [(state.is_terminal(), state.is_chance_node()) for state in every.values()]
    assert (kinds.count((False, True)), kinds.count((False, False)), kinds.count((True, False))) == (
        41,
        144,
        72,
    )
    for state in random.Random(1).sample(list(every.values()), 20):
        assert seen(pickled(state)) == seen(state)


@pytest.mark.parametrize("action", [-1, 99, 10**9])
def test_actions_out_of_range_have_no_name(action):
    game = pyspiel.load_game("schnapsen(dealer=-1)")
    state = game.new_initial_state()
    for most in (1, 23):
        with pytest.raises(InputError, match=f"action: got {action}; expected 0 to {most}"):
            state.action_to_string(action)
        with pytest.raises(InputError, match=f"action: got {action}; expected 0 to {most}"):
            state.apply_action_with_legality_check(action)
        state.apply_action(0)
    state = decision(game)
    with pytest.raises(
        InputError, match=f"action: got {action}; expected 0 to {game.num_distinct_actions() - 1}"
    ):
        state.action_to_string(state.current_player(), action)
