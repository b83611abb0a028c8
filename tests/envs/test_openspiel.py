"""OpenSpiel plays every game: its own checks pass, and it tells a player what that player knows."""

import random
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import (
    best_response,
    cfr,
    exploitability,
    generate_playthrough,
    ismcts,
    mcts,
)
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.egt import alpharank
from open_spiel.python.policy import UniformRandomPolicy

from stichwerk.envs import InputError, make_game
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.openspiel import SpielState, load_game, register
from stichwerk.support.errors import IllegalAction
from tests.envs.support import python, refused, thoroughly

FAMILIES = ("schnapsen", "snapszer", "gaigel", "preferans")
NAMES = (*FAMILIES, "sixty_six", "gaigel(players=6,signals=partner)")
OTHERS = ("gaigel(players=3)", "preferans(players=4)")
TINY = "schnapsen(dealer=0,goal=10,hand_size=1,pack=sA sT hA hT)"
SMALL = "schnapsen(goal=20,hand_size=2,pack=sA sT sK hA hT hK)"
BRISCOLA = Path(__file__).parents[2] / "examples" / "briscola"


def slow(*names: str) -> list:
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


each_name = pytest.mark.parametrize("name", [*NAMES, *slow(*OTHERS)])


def dealt(game: pyspiel.Game, rng: random.Random, steps: int = 0) -> SpielState:
    """A state after a random deal and so many random actions, fewer if the deal ends before the last one."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    for _ in range(steps):
        if state.is_terminal() or (child := state.child(rng.choice(state.legal_actions()))).is_terminal():
            break
        state = child
    return state


# Their own checks


@each_name
def test_openspiels_simulations(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [TINY, *slow(*NAMES, *OTHERS)])
def test_openspiels_playthrough(name):
    """It comes out the same when its actions are played again."""
    first = generate_playthrough.playthrough(name, [], seed=1)
    actions = [int(line.split()[1]) for line in first.splitlines() if line.startswith("action: ")]
    assert generate_playthrough.playthrough(name, actions) == first


class TestOpenSpielsChecksOfAWholeTree(api_test.EnforceAPIOnFullTreeBase):
    """Among them perfect recall, of texts and of tensors."""

    game_name, game = TINY, pyspiel.load_game(TINY)

    def setUp(self):
        api_test.TOTAL_NUM_STATES[TINY] = (41, 144, 72)
        api_test.PERFECT_RECALL_NUM_STATES[TINY] = 120


class TestOpenSpielsChecksOfPartOfATree(api_test.EnforceAPIOnPartialTreeBase):
    game_name, game = "schnapsen", pyspiel.load_game("schnapsen")


@pytest.mark.slow
@each_name
def test_openspiels_checks_of_part_of_each_tree(name):
    class Checks(api_test.EnforceAPIOnPartialTreeBase):
        game_name, game = name, pyspiel.load_game(name)

    result = api_test.unittest.TestResult()
    api_test.unittest.defaultTestLoader.loadTestsFromTestCase(Checks).run(result)
    assert result.testsRun > 3
    assert result.wasSuccessful(), result.errors + result.failures


# What the games are


@pytest.mark.parametrize(
    ("name", "players", "least", "most"),
    [
        ("schnapsen", 2, -3, 3),
        ("sixty_six", 2, -3, 3),
        ("snapszer", 4, -9, 3),
        ("snapszer(solo_multiplier=3)", 4, -27, 9),
        ("gaigel(players=3)", 3, -4, 4),
        ("gaigel", 4, -2, 2),
        ("gaigel(players=6)", 6, -2, 2),
        ("preferans(max_kontra=0)", 3, 16 * (-10 * 2 / 3 - 10), 16 * (10 / 3 + 10)),
        ("preferans(players=4,enable_preferans=True)", 4, 18 * 16 * -17.5, 18 * 16 * 12.5),
    ],
)
def test_players_and_utilities(name, players, least, most):
    game = pyspiel.load_game(name)
    assert game.num_players() == players
    assert game.min_utility() == pytest.approx(least)
    assert game.max_utility() == pytest.approx(most)
    assert game.utility_sum() == 0
    kind = game.get_type()
    assert kind.min_num_players <= players <= kind.max_num_players


def test_chance_deals_card_by_card():
    state = pyspiel.load_game("gaigel(players=3)").new_initial_state()
    assert state.chance_outcomes() == [(seat, pytest.approx(1 / 3)) for seat in range(3)]
    state.apply_action(1)
    assert state.chance_outcomes() == [(card, pytest.approx(2 / 48)) for card in range(24)]
    for card in (5, 5, 7):
        state.apply_action(card)
    left = dict(state.chance_outcomes())
    assert 5 not in left
    assert left[7] == pytest.approx(1 / 45)
    assert left[8] == pytest.approx(2 / 45)
    assert state.action_to_string(8) == "deal hK"


def test_the_deal_is_the_games_own():
    """The same deck and actions lead to the same place as in an AEC environment."""
    state = dealt(load_game("snapszer"), random.Random(3), steps=8)
    game = make_game("snapszer_v0")
    env = CardGameEnv("snapszer_v0")
    env.reset(options={"deck": [game.pack.names[card] for card in state.deck], "dealer": state.dealer})
    for each in state.full_history():
        if each.player >= 0:
            assert env.agent_selection == f"player_{each.player}"
            env.step(each.action)
    assert state.legal_actions() == np.flatnonzero(env.last()[0]["action_mask"]).tolist()
    assert state.observation_string(2) == game.text(env.view("player_2"), 2)
    while not state.is_terminal():
        action = random.Random(1).choice(state.legal_actions())
        state.apply_action(action)
        env.step(action)
    assert state.returns() == list(env.rewards.values())


@pytest.mark.slow
def test_a_game_of_another_package():
    program = """
import pyspiel
from stichwerk.envs.openspiel import load_game
game = load_game("briscola:briscola_v0", {"target": 2})
pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
print(game, pyspiel.load_game("briscola").max_utility())
"""
    assert python(program, PYTHONPATH=str(BRISCOLA)).splitlines()[-1] == "briscola(target=2) 1.0"


# What a player is told


@thoroughly
@given(
    name=st.sampled_from([*NAMES, TINY]),
    seed=st.integers(0, 2**32),
    steps=st.integers(0, 40),
    places=st.tuples(st.integers(0, 100), st.integers(0, 100)),
)
def test_information_states_tell_what_is_known(name, seed, steps, places):
    """After an exchange of two cards of the deck, with the same actions, a player's information state is the
    same if and only if the player's view of the game is: what it holds, what is public, and nothing else."""
    rng = random.Random(seed)
    state = dealt(pyspiel.load_game(name), rng, steps)
    twin = exchanged(state, *places)
    if twin is None:
        return
    for player in range(state.num_players()):
        known = knowledge(state, player) == knowledge(twin, player)
        assert (state.information_state_string(player) == twin.information_state_string(player)) == known
        assert (state.information_state_tensor(player) == twin.information_state_tensor(player)) == known
        if known:
            assert state.observation_string(player) == twin.observation_string(player)
            assert state.observation_tensor(player) == twin.observation_tensor(player)


def exchanged(state: SpielState, one: int, two: int) -> SpielState | None:
    """The state after the same actions from a deck in which two cards are exchanged; None if they cannot be
    played."""
    twin = state.get_game().new_initial_state()
    cards = list(state.deck)
    one, two = one % len(cards), two % len(cards)
    cards[one], cards[two] = cards[two], cards[one]
    cards.reverse()
    for each in state.full_history():
        if each.player >= 0 and (twin.current_player(), True) != (
            each.player,
            each.action in twin.legal_actions(),
        ):
            return None
        twin.apply_action(cards.pop() if each.player < 0 and twin.dealer >= 0 else each.action)
    return None if twin.is_terminal() else twin


def knowledge(state: SpielState, player: int) -> list[bytes]:
    """A player's view. Of the deck it may hold the own cards; the order of those dealt at first tells
    nothing."""
    view = state.get_game().look(state.record, player)[0]
    names = [name for name in view.dtype.names or () if name != "deck"]
    dealt, drawn = np.split(view["deck"][0], [5 * state.num_players() + 1])
    return [view[name].tobytes() for name in names] + [np.sort(dealt).tobytes(), drawn.tobytes()]


@thoroughly
@given(name=st.sampled_from(FAMILIES), seed=st.integers(0, 2**32), steps=st.integers(0, 40))
def test_worlds(name, seed, steps):
    """A resampled state is one that the player cannot tell from the true one; the deal goes on in it."""
    rng = random.Random(seed)
    state = dealt(pyspiel.load_game(name), rng, steps)
    for player in range(state.num_players()):
        world = state.resample_from_infostate(player, rng.random)
        assert world.information_state_string(player) == state.information_state_string(player)
        assert world.information_state_tensor(player) == state.information_state_tensor(player)
        assert world.current_player() == state.current_player()


def test_nothing_is_seen_of_the_deal():
    """Who got which card while cards are dealt is told once all are."""
    game = pyspiel.load_game("schnapsen(dealer=1)")
    states = [game.new_initial_state(), game.new_initial_state()]
    for one, two in zip(range(3), range(6, 9), strict=True):
        states[0].apply_action(one)
        states[1].apply_action(two)
    told = {state.information_state_string(player) for state in states for player in (0,)}
    assert told == {"player_0 | 3 cards dealt by player_1"}


def test_an_information_state_in_words():
    state = pyspiel.load_game(TINY).new_initial_state()
    for action in (0, 7, 1, 6, 0):  # two aces, which lie as ace and ten of hearts and spades
        state.apply_action(action)
    assert state.information_state_string(1) == (
        "player_1 | dealt sA | turned_up sT | own_actions 0 | actions 0:play sA | legal play sA, close"
    )


# Their algorithms, on a small pack


def test_cfr():
    """The average strategy can be exploited less and less."""
    game = pyspiel.load_game(TINY)
    solver = cfr.CFRPlusSolver(game)
    left = []
    for iterations in (1, 20):
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        left.append(exploitability.exploitability(game, solver.average_policy()))
    assert left[1] < 0.1 * left[0]


def test_best_response():
    game = pyspiel.load_game(TINY)
    uniform = UniformRandomPolicy(game)
    root = game.new_initial_state()
    best = best_response.BestResponsePolicy(game, 0, uniform)
    assert best.value(root) > policy_value(root, [uniform, uniform])[0]


def test_alpha_rank():
    """A best response outranks random play."""
    game = pyspiel.load_game(TINY)
    uniform, root = UniformRandomPolicy(game), game.new_initial_state()
    players = [[uniform, best_response.BestResponsePolicy(game, seat, uniform)] for seat in range(2)]
    values = np.array([[policy_value(root, [one, two]) for two in players[1]] for one in players[0]])
    masses = alpharank.compute([values[..., 0], values[..., 1]], alpha=10)[2]
    assert masses.argmax() == 3


@pytest.mark.parametrize("search", ["mcts", "ismcts"])
def test_monte_carlo_tree_search(search):
    game, rng = (
        pyspiel.load_game(SMALL),
        np.random.RandomState(1),
    )
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    if search == "mcts":
        bot = mcts.MCTSBot(game, 2.0, 30, evaluator, random_state=rng)
    else:
        bot = ismcts.ISMCTSBot(game, evaluator, 2.0, 30, random_state=rng)
    state = dealt(game, random.Random(1))
    while not state.is_terminal():
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


# Options, and what is wrong with them


def test_options_come_back():
    game = load_game(
        "schnapsen", {"preset": "schnapsen_tournament", "pack": ["sA", "sT", "hA", "hT"], "hand_size": 1}
    )
    again = pyspiel.load_game(str(game))
    assert again.game.rules == game.game.rules
    assert again.game.rules.king_leads_marriage
    assert str(pyspiel.load_game("schnapsen(hand_size=-1,pack=,dealer=-1)")) == "schnapsen()"


def one_line(error) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


def test_wrong_parameters(refusals):
    refusals("openspiel", refused(pyspiel.load_game, (ValueError, pyspiel.SpielError)))


def test_wrong_calls():
    game = pyspiel.load_game(TINY)
    state = game.new_initial_state()
    with pytest.raises(InputError, match="nobody knows anything yet"):
        state.resample_from_infostate(0, random.random)
    with pytest.raises(IllegalAction, match="action 3 is not legal; legal: deal sA, deal sT"):
        state.apply_action(3)
    assert state.deck == b""
    state = dealt(game, random.Random(1))
    with pytest.raises(IllegalAction, match="action 31 is not legal; legal: play"):
        state.apply_action(31)
    with pytest.raises(InputError, match="there are none"):
        game.make_py_observer(None, {"colour": "blue"})
    with pytest.raises(InputError, match="environment: got 'bridge_v0'; expected one of"):
        load_game("bridge_v0")


def test_names_of_others_are_left_alone(monkeypatch):
    monkeypatch.setattr(pyspiel, "registered_names", lambda: ["briscola"])
    monkeypatch.syspath_prepend(str(BRISCOLA))
    with pytest.raises(InputError, match="another game of the name 'briscola'"):
        register("briscola:briscola_v0")


def test_openspiel_is_named_where_it_is_missing():
    program = """
import sys
sys.modules["pyspiel"] = None
try:
    import stichwerk.envs.openspiel
except ImportError as error:
    print(error)
"""
    assert python(program).strip() == 'pyspiel is not installed: pip install "stichwerk[openspiel]"'
