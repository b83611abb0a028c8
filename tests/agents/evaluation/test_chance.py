"""The chance of an agent derives from what it was made of, its copy, the deal and the seat, and from nothing
else: not from the agent's place in a field, its opponents or the deals before."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.agents import make_agent_for, make_agents
from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.action_stats import measure_actions
from stichwerk.agents.evaluation.playing.matches import Series, play_block, play_here, play_pair, seatings
from stichwerk.agents.evaluation.playing.regret import measure_regret
from stichwerk.agents.evaluation.playing.tournament import Tournament
from stichwerk.agents.evaluation.playing.workers import LineUp
from stichwerk.agents.external.custom import as_agent
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs import make_game
from stichwerk.support.chance import TurnChance
from tests.agents.support import ppo_agent

GAME, SNAPSZER = make_game("schnapsen_v0"), make_game("snapszer_v0")
GAIGEL = make_game("gaigel_v0", {"players": 3})
DRAWING = "random", "rollout:worlds=2", "ismcts:worlds=2", "pimc:worlds=1"


def rewards(game, agents, deals: int, block: int = 0, **how) -> np.ndarray:
    series = Series(deals, 1, block=block, seatings=seatings(game), **how)
    return np.concatenate([points.rewards for points in play_here(game, agents, series, lambda games: None)])


@pytest.mark.parametrize("game", [GAME, SNAPSZER, GAIGEL], ids=lambda game: game.env_id)
@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_deals_do_not_depend_on_those_played_before(game, data):
    """Any block of them brings the same points, in any order, for any agents of the suite that draw."""
    text = data.draw(st.sampled_from(DRAWING if game is GAME else DRAWING[:1]))  # others compile long
    agents = [make_agent_for(text, game), make_agent_for("random", game)]
    if game is GAME and data.draw(st.booleans()):
        agents[0] = ppo_agent(game, greedy=False)
    whole = rewards(game, agents, 12)
    assert np.array_equal(rewards(game, agents, 12, block=data.draw(st.integers(1, 12))), whole)
    first = data.draw(st.integers(0, 11))
    series = Series(12, 1, seatings=seatings(game))
    ((part, *_),) = play_block(game, agents, series, (first, 12))
    assert np.array_equal(part, whole[first:])


@given(st.permutations(["random", "random", "rules:0.1", "rules"]))
@settings(max_examples=6, deadline=None)
def test_a_table_is_the_same_in_every_field(order):
    """Whatever the names of the agents, and wherever they stand."""

    def tables(texts):
        line_up = LineUp("schnapsen_v0", "", tuple((f"{text}-{i}", text) for i, text in enumerate(texts)))
        played = Tournament(line_up, GAME, "all", 10, seed=1, block=10)
        played.play()
        agents = line_up.make()[1]
        points = {}
        for table, results in zip(played.tables, played.results, strict=True):
            a, b = (agents[number].origin for number in table.agents)
            points[a, b], points[b, a] = results.sums[:, 0].tolist(), results.sums[:, 1].tolist()
        return points

    assert tables(order) == tables(["rules", "random", "rules:0.1", "random"])


def test_six_random_agents_play_other_games_at_every_table():
    """Of 15 tables no two bring the same, and tables of other agents are independent."""
    line_up = LineUp("schnapsen_v0", "", tuple((f"r{number}", "random") for number in range(6)))
    tournament = Tournament(line_up, GAME, "all", 400, seed=1, block=400)
    tournament.play()
    points = [results.sums[:, 0] for results in tournament.results]
    for one, other in combinations(range(15), 2):
        assert not np.array_equal(points[one], points[other])
        if not {*tournament.tables[one].agents} & {*tournament.tables[other].agents}:
            assert abs(np.corrcoef(points[one], points[other])[0, 1]) < 4 / 400**0.5


def test_copies_at_one_table():
    """Two copies do not mirror each other's games, also where nobody has numbered them."""
    for agents in (make_agents([("a", "random"), ("b", "random")], GAME), [RandomAgent("random")] * 2):
        played = rewards(GAME, agents, 50)
        assert (played[:, 0, 0] != played[:, 1, 1]).any()


def test_who_sits_in_several_seats_draws_for_each():
    told: list[np.ndarray] = []

    class Listens(RandomAgent):
        outside = False

        def act(self, turns: Turns) -> np.ndarray:
            told.append(turns.chance[turns.which])
            return super().act(turns)

    play_pair(GAIGEL, Listens("one"), Listens("two"), Series(40, seed=1))
    drawn = np.concatenate(told)
    # Games of one deal that have gone alike so far share their chance: seats of 3 seatings, at most.
    assert len(np.unique(drawn)) > 0.4 * len(drawn)
    assert np.bincount(np.unique(drawn, return_counts=True)[1]).nonzero()[0].max() <= 3


def test_an_agent_meets_copies_of_another_with_the_same_chance():
    """So that copies without chance of their own have exactly the same results."""
    agents = make_agents([("a", "random"), ("b", "rules"), ("c", "rules")], GAME)
    assert np.array_equal(
        rewards(GAME, [agents[0], agents[1]], 50), rewards(GAME, [agents[0], agents[2]], 50)
    )


class Shown(RandomAgent):
    """From outside."""

    def __init__(self, kept):
        super().__init__("shown")
        self.kept = kept

    def __deepcopy__(self, memo):
        return Shown(self.kept)

    def act(self, turns: Turns) -> np.ndarray:
        self.kept.append(turns.chance)
        return super().act(turns)


@pytest.mark.parametrize("wrap", [lambda agent: agent, lambda agent: as_agent(agent, GAME)])
def test_agents_from_outside_are_not_shown_a_chance_that_tells_the_seed(wrap):
    kept: list[np.ndarray | None] = []
    agent = wrap(Shown(kept))
    assert agent.outside
    play_pair(GAME, agent, RandomAgent("random"), Series(4, seed=1))
    measure_actions(GAME, agent, RandomAgent("random"), 4, seed=1)
    measure_regret(GAME, agent, RolloutPlayer("judge", GAME, worlds=2), 2, seed=1)
    assert len(kept) > 20
    assert all(chance is None for chance in kept)


def test_agents_from_outside_get_seeds_by_their_origin():
    """Other ones for each copy and each seating, and the same against anybody."""
    seeds: dict[tuple[int, str], list[int]] = {}

    class Own:
        def __init__(self, copy: int, other: str):
            self.key = copy, other

        def seed(self, seed: int) -> None:
            seeds.setdefault(self.key, []).append(seed)

        def act(self, turns: Turns) -> np.ndarray:
            return turns.mask.argmax(axis=1)

    for copy, other in ((0, "rules"), (0, "random"), (1, "rules")):
        agent = as_agent(Own(copy, other), GAME, "own")
        agent.origin = "own", copy
        seeds[copy, other] = []  # without those of its making
        play_pair(GAME, agent, make_agent_for(other, GAME), Series(6, seed=1, block=3))
    first, again, second = seeds[0, "rules"], seeds[0, "random"], seeds[1, "rules"]
    assert first == again
    used = [seed for seed in first if seed != 0]
    assert len(used) == len({*used}) == 4, "two blocks in two seatings"
    assert not {*used} & {*second}


def test_actions_of_copies_are_counted_in_games_of_their_own():
    one, two = make_agents([("a", "random"), ("b", "random")], GAME)
    other = make_agent_for("rules", GAME)
    found = [measure_actions(GAME, agent, other, 60, seed=1) for agent in (one, two, one)]
    assert found[0] == found[2]
    assert found[0] != found[1]


def test_matches_have_chance_of_their_own():
    agents = [make_agent_for("random", GAME), make_agent_for("rules", GAME)]
    whole = rewards(GAME, agents, 10, episode="match")
    assert np.array_equal(rewards(GAME, agents, 10, block=3, episode="match"), whole)


@given(st.integers(0, 2**63), st.sampled_from([0, 1, 7, 63]))
@settings(max_examples=20, deadline=None)
def test_numbers_of_neighbouring_turns_are_independent(first, shift):
    """Seeds that differ in a bit or by one: uniform, exponential, and no correlation; four deviations."""
    number = 20_000
    seeds = np.uint64(first) ^ (np.arange(number, dtype=np.uint64) << np.uint64(shift if shift < 40 else 0))
    drawn = TurnChance(seeds).random((number, 2))
    assert (drawn >= 0).all()
    assert (drawn < 1).all()
    assert abs(drawn.mean(axis=0) - 0.5).max() < 4 * (1 / 12 / number) ** 0.5
    for one, other in ((drawn[:, 0], drawn[:, 1]), (drawn[1:, 0], drawn[:-1, 0])):
        assert abs(np.corrcoef(one, other)[0, 1]) < 4 / number**0.5
    exponential = TurnChance(seeds).standard_exponential((number, 1), np.dtype(np.float32))
    assert abs(exponential.mean() - 1) < 4 / number**0.5
    whole = TurnChance(seeds).integers(1 << 62, number)
    assert whole.min() >= 0
    assert abs(whole.mean() / 2**62 - 0.5) < 4 * (1 / 12 / number) ** 0.5


def test_the_next_numbers_of_a_turn_are_other_ones():
    chance = TurnChance(np.arange(100, dtype=np.uint64))
    drawn = np.concatenate([chance.random((100, 5)) for _ in range(4)], axis=1)
    assert len(np.unique(drawn)) == drawn.size
