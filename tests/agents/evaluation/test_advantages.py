"""Less luck: the same points in expectation, in the true deal alone the very same, and shorter intervals."""

import json
from functools import cache

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import FORFEIT
from stichwerk.agents.evaluation.playing.advantages import NetworkAdvantages, judged_agent
from stichwerk.agents.evaluation.playing.matches import Playing, Series, pair_seatings, play_here, play_pair
from stichwerk.agents.evaluation.reports.page import without_markup
from stichwerk.commands import eval as evaluation
from stichwerk.envs import make_game
from tests.agents.support import save_random_network

SCHNAPSEN = make_game("schnapsen_v0")
SMALL_PACK = {"pack": ["sA", "sT", "sK", "hA", "hT", "hK"], "hand_size": 2, "goal": 20}
GAMES = {
    "schnapsen": SCHNAPSEN,
    "small pack": make_game("schnapsen_v0", SMALL_PACK),
    "sixty_six": make_game("sixty_six_v0"),
    "snapszer": make_game("snapszer_v0"),
    "gaigel, three": make_game("gaigel_v0", {"players": 3}),
    "preferans": make_game("preferans_v0"),
}
SLOW = [name for name in GAMES if name != "small pack"]
DEALS = {"small pack": 4_000, "schnapsen": 2_000, "sixty_six": 2_000}


class Resigns(RulesAgent):
    """Gives up where it has fewer than four legal actions."""

    outside = False

    def act_or_forfeit(self, turns):
        return np.where(turns.mask.sum(axis=1) < 4, FORFEIT, self.act(turns))


def both(game, agents, deals: int, worlds: int, start_states: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """What each deal brings the first agent, float64[deals], as it went and with less luck."""
    seatings = pair_seatings(game, False)
    series = Series(deals, 1, start_states=start_states, less_luck=worlds, seatings=seatings)
    parts = list(play_here(game, agents, series, lambda games: None))
    own = np.array(seatings) == 0
    raw = np.concatenate([part.rewards[:, own].mean(axis=1) for part in parts])
    assert all(part.less_luck is not None for part in parts)
    return raw, np.concatenate([part.less_luck[:, own].mean(axis=1) for part in parts])


@pytest.mark.parametrize("name", ["schnapsen", pytest.param("preferans", marks=pytest.mark.slow)])
@pytest.mark.parametrize("first", [RandomAgent("random"), None], ids=["random", "rules:0.1"])
def test_the_true_deal_alone_gives_the_points_as_they_went(name, first):
    game = GAMES[name]
    first = first or RulesAgent("rules:0.1", game, "0.1")
    raw, again = both(
        game, (first, RulesAgent("rules", game)), 100, worlds=1, start_states=name == "preferans"
    )
    assert raw.std() > 0
    assert again == pytest.approx(raw, abs=1e-9)


def test_a_deal_that_is_given_up_counts_as_a_decision():
    agents = Resigns("resigns", SCHNAPSEN), RulesAgent("rules", SCHNAPSEN)
    raw, again = both(SCHNAPSEN, agents, 50, worlds=1)
    assert raw.mean() < -1
    assert again == pytest.approx(raw, abs=1e-9)


def test_in_games_of_two_what_one_gains_the_other_loses():
    kept = []

    class Keeping:
        def add(self, agents, seatings, points):
            kept.append(points.less_luck)

    agents = RandomAgent("random"), RulesAgent("rules", SCHNAPSEN)
    play_pair(SCHNAPSEN, *agents, Series(20, seed=1, less_luck=2), playing=Playing(keeper=Keeping()))
    (less,) = kept
    assert less.any()
    assert not less.sum(axis=2).any()


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A network with random weights, which plays its likeliest actions, by the name of a game."""

    def make(name):
        folder = save_random_network(tmp_path_factory.mktemp(name[:5]) / "network", GAMES[name], greedy=True)
        return NetworkAgent.load("network", folder, GAMES[name])

    return cache(make)


@pytest.mark.parametrize("name", ["small pack", *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_the_true_deal_alone_gives_the_points_as_they_went_against_a_network(name, network):
    agents = RandomAgent("random"), network(name)
    raw, again = both(GAMES[name], agents, 40, worlds=1, start_states=name == "preferans")
    assert raw.std() > 0
    assert again == pytest.approx(raw, abs=1e-9)


def test_a_deal_that_is_given_up_counts_against_a_network_too(network):
    game = GAMES["small pack"]
    raw, again = both(game, (Resigns("resigns", game), network("small pack")), 20, worlds=1)
    assert raw.mean() < -1
    assert again == pytest.approx(raw, abs=1e-9)


@pytest.mark.parametrize("name", ["small pack", *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_no_bias_against_a_network(name, network):
    """By chance it fails once in 16,000 times."""
    deals = 600 if name == "small pack" else 300
    raw, less = both(GAMES[name], (RandomAgent("random"), network(name)), deals, worlds=8)
    difference = less - raw
    assert difference.std() > 0
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(deals)


def test_a_network_agrees_with_what_it_has_done(network):
    """In the true deal it acts as it acted, so sampled deals are held to the same."""
    agent, asked = network("small pack"), []

    class Asks(NetworkAdvantages):
        def _worlds(self, states, view, seat, seed, first):
            asked.append(bool(self._agrees(states, seat)[0]))
            return states

    advantages = Asks(GAMES["small pack"], agent, 0, 2, False)
    seatings = pair_seatings(GAMES["small pack"], False)
    series = Series(30, 1, records=True, seatings=seatings)
    for part in play_here(GAMES["small pack"], (RandomAgent("random"), agent), series, lambda games: None):
        advantages.points(part.rewards, part.played, seatings)
    assert len(asked) > 30
    assert all(asked)


@pytest.mark.parametrize(
    "name", [each if each == "small pack" else pytest.param(each, marks=pytest.mark.slow) for each in GAMES]
)
def test_no_bias(name):
    """By chance it fails once in 16,000 times."""
    game, deals = GAMES[name], DEALS.get(name, 500)
    first = RandomAgent("random") if name == "small pack" else RulesAgent("rules:0.1", game, "0.1")
    raw, less = both(game, (first, RulesAgent("rules", game)), deals, worlds=8)
    difference = less - raw
    assert difference.std() > 0
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(deals)


def test_intervals_are_shorter_and_the_same_in_blocks():
    one, two = RulesAgent("rules:0.1", SCHNAPSEN, "0.1"), RulesAgent("rules", SCHNAPSEN)
    plain = play_pair(SCHNAPSEN, one, two, Series(300, seed=1))
    whole, parts = (
        play_pair(SCHNAPSEN, one, two, Series(300, seed=1, less_luck=16, block=block)) for block in (0, 70)
    )
    assert whole == parts
    assert whole.high - whole.low < 0.85 * (plain.high - plain.low)
    assert (whole.win_rate, whole.roles) == (plain.win_rate, plain.roles)  # nothing but the points has less


def test_who_is_judged():
    anybody, rules, partners = RandomAgent("random"), RulesAgent("rules", SCHNAPSEN), make_game("gaigel_v0")
    assert judged_agent(SCHNAPSEN, (anybody, rules)) == 0
    assert judged_agent(SCHNAPSEN, (rules, anybody)) == 1
    assert judged_agent(SCHNAPSEN, (anybody, anybody)) is None
    greedy, drawing = (make_agent_for(f"ppo:schnapsen,greedy={word}", SCHNAPSEN) for word in ("yes", "no"))
    assert judged_agent(SCHNAPSEN, (anybody, greedy)) == 0
    assert judged_agent(SCHNAPSEN, (greedy, anybody)) == 1
    assert judged_agent(SCHNAPSEN, (rules, greedy)) == 1, "what takes less time"
    assert judged_agent(SCHNAPSEN, (anybody, drawing)) is None
    three = GAMES["preferans"]
    assert judged_agent(three, (RulesAgent("rules", three), anybody)) is None
    assert judged_agent(partners, (anybody, RulesAgent("rules", partners))) is None


def test_results_say_so(tmp_path, capsys):
    evaluation.main(["random", "rules", "--deals", "20", "--less-luck", "3", "--out", str(tmp_path / "out")])
    assert "each decision in at most 3 worlds: random – rules" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "results.json").read_text())["less_luck"] == 3
    said = without_markup((tmp_path / "out" / "report.html").read_text())
    assert "3 worlds a decision at most" in said
    assert "--less-luck 3" in said
