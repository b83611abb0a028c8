"""Players that search: worlds, weights and playouts against slow ways to the same numbers; their manners."""

import time
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.builtin.rules import find_rule_player
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.playing.regret import measure_regret
from stichwerk.agents.search import blocks as blocks_module
from stichwerk.agents.search.endgame import ExactPlayer, endings_for
from stichwerk.agents.search.guided import UNIFORM_SHARE, GuidedPlayer, NetworkRolloutPlayer
from stichwerk.agents.search.ismcts import ISMCTSPlayer
from stichwerk.agents.search.pimc import PIMCPlayer
from stichwerk.agents.search.player import SearchPlayer, effective_number, tempered
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.agents.search.rollout import RolloutPlayer, gains_over, surely_best
from stichwerk.agents.solver import solve
from stichwerk.agents.solver.kernel import SOLVING
from stichwerk.commands.inspect import regret as regret_command
from stichwerk.envs import make_game, schnapsen_v0
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries, write_log
from stichwerk.envs.engine.equity import NO_EQUITY
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.games.preferans.state import Phase
from stichwerk.envs.games.schnapsen.state import LONGEST_DEAL
from tests.agents.support import assert_redacted, ppo_agent

GAMES = {
    "schnapsen": make_game("schnapsen_v0"),
    "snapszer": make_game("snapszer_v0"),
    "gaigel": make_game("gaigel_v0", {"players": 4}),
    "preferans": make_game("preferans_v0"),
}
# Compiling a game's playouts and solver takes longer than all else here.
QUICK = "schnapsen"
each_game = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == QUICK else pytest.mark.slow) for name in GAMES]
)


MAKE = {
    "rollout": lambda game, **settings: RolloutPlayer("rollout", game, **settings),
    "pimc": lambda game, **settings: PIMCPlayer("pimc", game, **settings),
    "pimc, at once": lambda game, **settings: PIMCPlayer("pimc", game, turns=0, limit=2000, **settings),
    "ismcts": lambda game, **settings: ISMCTSPlayer("ismcts", game, **settings),
    "ismcts, one": lambda game, **settings: ISMCTSPlayer("ismcts", game, observers=1, **settings),
    "search": lambda game, **settings: GuidedPlayer("search", game, ppo_agent(game), **settings),
    "rollout, by a network": lambda game, **settings: NetworkRolloutPlayer(
        "rollout", game, ppo_agent(game), **settings
    ),
    "search, by rules": lambda game, **settings: GuidedPlayer(
        "search", game, ppo_agent(game), by_rules=True, **settings
    ),
}
each_kind = pytest.mark.parametrize("kind", MAKE)
ON_ANY_THREADS = {"rollout", "pimc", "pimc, at once"}


def in_play(game, moves: int, lanes: int = 40, player: Agent | None = None) -> Lanes:
    """Lanes after so many moves of one player in all seats; without one, of random play that does not end
    deals early."""
    player = player or RandomAgent("random")
    player.seed(1)
    playing = Lanes(game, lanes)
    playing.seed(1)
    playing.start()
    for _ in range(moves):
        playing.step(player.act(Turns.of(playing, playing.all)))
    return playing


def views(lanes: Lanes):
    """For each lane what the seat to act sees, as an array of one record, and the seat."""
    return [(lanes.views[i : i + 1], int(lanes.seats[i])) for i in lanes.all]


def tools(game):
    return playouts_for(game.env_id, game.spec, find_rule_player(game.env_id)), game.rules_record


@each_game
def test_the_first_world_is_that_of_resample(name):
    game = GAMES[name]
    playouts, rules = tools(game)
    resample = loops_for(game, "summary").resample
    for view, seat in views(in_play(game, 7)):
        worlds, one = np.empty(3, game.state), view.copy()
        playouts.sample(rules, view, seat, 77, 0, worlds)
        resample(rules, one, 0, seat, 77)
        assert worlds[0] == one[0]
        later = np.empty(1, game.state)
        playouts.sample(rules, view, seat, 77, 2, later)
        assert later[0] == worlds[2], "a world depends on its number alone"


@each_game
def test_the_truth_is_certain_among_rule_based_players(name):
    game = GAMES[name]
    playouts, rules = tools(game)
    by_rules, at_random = in_play(game, 9, player=RulesAgent("rules", game)), in_play(game, 9)
    for lanes, certain in ((by_rules, True), (at_random, False)):
        weights = np.zeros(1)
        seen = []
        for i in lanes.all:
            world = lanes.states[i : i + 1]
            playouts.weigh(rules, world, world, int(lanes.seats[i]), 0.5, weights)
            seen.append(weights[0])
        assert (np.array(seen) == 1).all() == certain
        assert (np.log2(seen) % 1 == 0).all(), "one half for each slip"


@pytest.mark.slow
def test_the_order_of_hidden_discards_does_not_count():
    """What is drawn second may be what would be discarded first: it cannot be discarded twice."""
    game = GAMES["preferans"]
    playouts, rules = tools(game)
    swapped = 0
    for view, seat in views(in_play(game, 9, lanes=800, player=RulesAgent("rules", game))):
        hidden = [entry for entry, (_, action) in enumerate(log_entries(view[0])) if action == NONE]
        if len(hidden) != 2:
            continue
        worlds, before, after = np.empty(1, game.state), np.empty(1), np.empty(1)
        playouts.sample(rules, view, seat, 5, 0, worlds)
        playouts.weigh(rules, view, worlds, seat, 0.5, before)
        told = worlds.copy()
        (who, one), (_, other) = (log_entries(worlds[0])[entry] for entry in hidden)
        write_log(worlds[0], hidden[0], who, other)
        write_log(worlds[0], hidden[1], who, one)
        playouts.weigh(rules, view, worlds, seat, 0.5, after)
        playouts.weigh(rules, told, told, seat, 0.5, weight := np.empty(1))
        if weight == before and before == 1:
            swapped += 1
            assert after == before
            assert worlds[0] == told[0]
    assert swapped > 10


def is_exhausted(lanes: Lanes, lane: int) -> bool:
    """Whether both of two seats know all cards."""
    return lanes.game.env_id == "schnapsen_v0" and lanes.states["top"][lane] == len(lanes.game.deck)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "moves"), [("gaigel", 4), ("preferans", 9)])
def test_what_others_did_in_secret_is_what_they_would_do(name, moves):
    """Discards, and cards laid face down, are chosen as well as what everybody sees; the worlds still agree
    with the view."""
    game, secrets = GAMES[name], 0
    playouts, rules = tools(game)
    for view, seat in views(in_play(game, moves, player=RulesAgent("rules", game))):
        secrets += any(action == NONE for _, action in log_entries(view[0]))
        worlds, weights, told = np.empty(8, game.state), np.empty(8), np.empty(8)
        playouts.sample(rules, view, seat, 5, 0, worlds)
        playouts.weigh(rules, view, worlds, seat, 0.5, weights)
        playouts.weigh(rules, worlds, worlds, seat, 0.5, told)
        assert (weights == told).all(), "what was hidden counts as a slip only where it could not be chosen"
        twins = Lanes(game, len(worlds))
        twins.states[:] = worlds
        twins.observe(twins.all)
        assert (twins.views == view).all()
    assert secrets > 5


@pytest.mark.slow
def test_signals_that_a_seat_does_not_see_are_no_slips():
    """A rule-based player signals before it plays: what others then see is just what it does."""
    game, signals = make_game("gaigel_v0", {"players": 4, "signals": "partner"}), 0
    playouts, rules = tools(game)
    lanes = in_play(game, 25, player=RulesAgent("rules", game))
    for i, (view, seat) in enumerate(views(lanes)):
        world = lanes.states[i : i + 1].copy()
        signals += int(world["log_size"][0] - view["log_size"][0])
        world["log"], world["log_size"] = view["log"], view["log_size"]
        playouts.weigh(rules, view, world, seat, 0.5, weight := np.empty(1))
        assert weight == 1
    assert signals > 20


@pytest.mark.slow
def test_defenders_think_of_their_own_points():
    """What solving tells of a defence is the mean of both: they play on, from coming to the last card."""
    game = GAMES["preferans"]
    solving, playing = (MAKE[kind](game, worlds=8) for kind in ("pimc", "rollout"))
    met = Counter()
    for moves in (3, 4, 5, 6, 7, 8, 12, 20, 28):
        lanes = in_play(game, moves, player=RulesAgent("rules", game))
        for i, (view, seat) in enumerate(views(lanes)):
            if view["declarer"][0] not in (NONE, seat):
                actions = np.flatnonzero(lanes.mask[i])
                one, other = (player.try_out(view, seat, actions, 1)[0] for player in (solving, playing))
                assert (one == other).all()
                met[Phase(view["phase"][0])] += 1
    assert min(met[Phase.COME], met[Phase.PLAY]) > 5


def played_on(lanes: Lanes, lane: int, player: Agent) -> tuple[np.ndarray, int]:
    """What the seat to act gets after each of its actions, if the player goes on in all seats, until
    the stock is exhausted in games where both then know all cards; and how many moves that were."""
    seat, actions = int(lanes.seats[lane]), np.flatnonzero(lanes.mask[lane])
    twins = Lanes(lanes.game, len(actions))
    twins.states[:] = lanes.states[lane]
    twins.observe(twins.all)
    twins.step(actions, restart=False)
    points, moves = twins.rewards[:, seat].copy(), len(actions)
    left = np.flatnonzero(~twins.terminations)
    while len(left):
        for twin in left[[is_exhausted(twins, twin) for twin in left]]:
            best = max(solve(twins.game, twins.states[twin]).values())
            points[twin] = best if twins.seats[twin] == seat else -best
            left = left[left != twin]
        twins.step(player.act(Turns.of(twins, left)), left, restart=False)
        moves += len(left)
        points[left] = twins.rewards[left, seat]
        left = left[~twins.terminations[left]]
    return points, moves


@each_game
def test_playouts_are_deals_of_the_rule_based_player(name):
    game = GAMES[name]
    playouts, rules = tools(game)
    lanes, player = in_play(game, 6, lanes=20), RulesAgent("rules", game)
    for i in lanes.all:
        seat, actions = int(lanes.seats[i]), np.flatnonzero(lanes.mask[i])
        values = np.zeros((1, len(actions)))
        workspace = endings_for(game.env_id, game.spec).make_workspace()
        nodes = playouts.play_out(rules, lanes.states[i : i + 1], seat, actions, workspace, NO_EQUITY, values)
        points, moves = played_on(lanes, i, player)
        np.testing.assert_allclose(values[0], points, rtol=1e-6)
        assert nodes >= moves if name == "schnapsen" else nodes == moves, "nodes of solvings count too"


@each_game
def test_playouts_are_deals_of_the_network(name):
    """One that is sure of every move, so that its draws are no matter of chance."""
    game = GAMES[name]
    guide = ppo_agent(game)
    for numbers in guide.network.layers[-1]:
        numbers *= 1e6
    player = GuidedPlayer("search", game, guide)
    lanes = in_play(game, 6, lanes=20)
    for i in lanes.all:
        seat, actions = int(lanes.seats[i]), np.flatnonzero(lanes.mask[i])
        worlds = np.repeat(lanes.states[i : i + 1], 2)
        random, (points, moves) = np.random.default_rng(1), played_on(lanes, i, guide)
        values, nodes = player.playouts.play_each(worlds, seat, actions, player.ending_workspaces[0], random)
        np.testing.assert_allclose(values, [points] * 2, rtol=1e-6)
        assert nodes >= 2 * moves if name == "schnapsen" else nodes == 2 * moves


@each_game
def test_likelihood_of_what_the_others_did(name):
    """The network's probabilities, asked move by move while the deal is played."""
    game = GAMES[name]
    player = MAKE["search"](game)
    lanes, rng = Lanes(game, 12), np.random.default_rng(1)
    lanes.seed(3)
    lanes.start()
    total = np.zeros((len(lanes), game.seats))
    for _ in range(8):
        actions = (rng.random(lanes.mask.shape) * lanes.mask).argmax(axis=1)
        follow = np.exp(player.guide.log_probabilities(lanes.observation, lanes.mask))
        legal = lanes.mask.sum(axis=1)
        likely = (1 - UNIFORM_SHARE) * follow[lanes.all, actions] + UNIFORM_SHARE / legal
        others = np.arange(game.seats) != lanes.seats[:, None]
        total += np.where(others & (legal > 1)[:, None], np.log(likely)[:, None], 0)
        lanes.step(actions)
        total[lanes.terminations] = 0
    for i in lanes.all:
        for seat in range(game.seats):
            state = lanes.states[i : i + 1]
            likelihood = player.log_likelihood(state, state, seat)[0]
            assert likelihood == pytest.approx(total[i, seat], abs=1e-4)


@pytest.mark.slow
def test_weights_ignore_hidden_actions():
    """The discards in a world are the rule-based player's: that the network would choose others tells
    nothing of the world."""
    game, secret = GAMES["preferans"], 0
    player, (playouts, rules) = MAKE["search"](game), tools(game)
    for view, seat in views(in_play(game, 9, lanes=200, player=RulesAgent("rules", game))):
        worlds = np.empty(1, game.state)
        playouts.sample(rules, view, seat, 5, 0, worlds)
        seen, known = (player.log_likelihood(told, worlds, seat)[0] for told in (view, worlds))
        if any(action == NONE for _, action in log_entries(view[0])):
            assert seen > known
            secret += 1
        else:
            assert seen == known
    assert secret > 20


def test_gains_over_an_action():
    """Two worlds of weights 3/4 and 1/4; the second action loses 2 in one and gains 2 in the other."""
    gains, errors = gains_over(0, np.array([[1.0, -1.0], [0.0, 2.0]]), np.array([0.75, 0.25]))
    assert gains.tolist() == [0, -1]
    assert errors[0] == 0
    assert errors[1] == pytest.approx(np.sqrt((0.75**2 * 1 + 0.25**2 * 9) / (2 * 0.75 * 0.25)))
    gains, errors = gains_over(0, np.array([[1.0, -1.0], [0.0, 2.0]]), np.array([1.0, 0.0]))
    assert gains.tolist() == [0, -2]
    assert errors.tolist() == [np.inf, np.inf], "one world tells nothing of chance"


def test_tempered_weights():
    """Those that let too few worlds count are drawn nearer to each other, in the same order."""
    even = np.array(4 * [1.0, 0.2])
    assert tempered(np.log(even)) == pytest.approx(even / even.sum())
    few = tempered(np.log(0.2 ** np.arange(8.0)))
    assert effective_number(few) == pytest.approx(4, abs=0.01), "of eight as well"
    assert tempered(np.log(0.2 ** np.arange(3.0))) == pytest.approx(1 / 3, abs=0.001), "three count alike"
    shares = tempered(np.log(0.2 ** np.arange(50.0)))
    assert shares.sum() == pytest.approx(1)
    assert effective_number(shares) == pytest.approx(10, abs=0.01), "a fifth"
    assert (np.diff(shares) < 0).all()
    assert np.diff(np.log(shares)) == pytest.approx(np.log(shares[1] / shares[0])), "a power of them"


@each_game
@each_kind
def test_manners(name, kind):
    """Legal actions from views that stay as they are; the same again for a seed, of some players on
    two cores too, from a budget of worlds and of nodes."""
    game = GAMES[name]
    lanes = in_play(game, 5, lanes=6)
    turns = Turns.of(lanes, lanes.all)
    assert_redacted(turns)
    before = lanes.views.tobytes()
    for budget in ({"worlds": 40}, {"nodes": 4_000}):
        chosen = []
        for threads in (1, 1, 2):
            player = MAKE[kind](game, threads=threads, **budget)
            player.seed(9)
            chosen.append(player.act(turns))
        assert lanes.mask[lanes.all, chosen[0]].all()
        assert (chosen[0] == chosen[1]).all()
        assert kind not in ON_ANY_THREADS or (chosen[0] == chosen[2]).all()
        assert lanes.mask[lanes.all, chosen[2]].all()
    assert lanes.views.tobytes() == before


# Nodes at which a search has to decide in each game.
DECISIONS = {
    "schnapsen_v0": {"LEAD", "MELDED", "ANSWER"},
    "sixty_six_v0": {"LEAD", "MELDED", "ANSWER", "AFTER"},
    "snapszer_v0": {"NAME", "LEAD", "ANSWER"},
    "gaigel_v0": {"OPEN", "TURN"},
    "preferans_v0": {"AUCTION", "DISCARD", "DECLARE", "COME", "JOIN", "KONTRA", "PLAY"},
}
TABLES = [("gaigel_v0", 3), ("gaigel_v0", 4), ("gaigel_v0", 6), ("preferans_v0", 3), ("preferans_v0", 4)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rollout", "pimc", "ismcts", "search"])
@pytest.mark.parametrize(
    ("env_id", "players"),
    [("schnapsen_v0", None), ("sixty_six_v0", None), ("snapszer_v0", None), *TABLES],
)
def test_every_kind_of_decision(env_id, players, kind):
    """Auctions, calls, openings, discards and kontras go through the same search as cards."""
    game = make_game(env_id, {"players": players} if players else None)
    player, others = MAKE[kind](game, worlds=4), RandomAgent("random")
    player.seed(1)
    others.seed(1)
    lanes, name_of, decided = Lanes(game, 64), game.spec.state.words("phase"), set()
    lanes.seed(1)
    lanes.start()
    for _ in range(60):
        for phase in np.unique(lanes.states["phase"]):
            here = (lanes.states["phase"] == phase) & (lanes.mask.sum(axis=1) > 1)
            if name_of(phase).name not in decided and here.any():
                which = np.flatnonzero(here)[:2]
                actions = player.act(Turns.of(lanes, which))
                assert lanes.mask[which, actions].all()
                decided.add(name_of(phase).name)
        lanes.step(others.act(Turns.of(lanes, lanes.all)))
    assert decided >= DECISIONS[env_id]


@each_kind
def test_at_a_table(kind):
    env = schnapsen_v0.env()
    env.reset(seed=3)
    player = MAKE[kind](GAMES["schnapsen"], worlds=16)
    for agent in env.agent_iter(max_iter=8):
        action = player.act_in(env)
        assert env.observe(agent)["action_mask"][action]
        env.step(action)


@each_kind
def test_time_is_kept(kind):
    game = GAMES["schnapsen"]
    lanes = in_play(game, 2, lanes=4)
    player = MAKE[kind](game, ms=5)
    turns = Turns.of(lanes, lanes.all)
    player.act(turns)  # compiles
    start = time.perf_counter()
    assert lanes.mask[lanes.all, player.act(turns)].all()
    assert time.perf_counter() - start < 4, "where all worlds would take a minute"


@pytest.mark.parametrize(
    ("settings", "tried", "told"),
    [
        ({"ms": 1e-6}, [8], [8]),
        ({"ms": 4.5}, [8, 16], [16]),
        ({"ms": 18}, [8, 16, 32, 48, 64, 72], [32, 64, 72]),
        ({"worlds": 5}, [5], [5]),
        ({"worlds": 50}, [16, 32, 48, 50], [32, 50]),
        ({"worlds": 50, "ms": 1000}, [8, 16, 32, 48, 50], [32, 50]),
        ({"nodes": 1}, [8], [8]),
        ({"nodes": 6300}, [8, 16, 32, 48], [32, 48]),
        ({"nodes": 9600}, [8, 16, 32, 48, 64, 80, 96], [32, 64, 96]),
        ({"worlds": 50, "nodes": 9600}, [8, 16, 32, 48, 50], [32, 50]),
        ({"nodes": 9600, "ms": 4.5}, [8, 16], [16]),
    ],
    ids=str,
)
def test_the_budget_is_looked_at_more_often_at_first(settings, tried, told, monkeypatch):
    """Each world takes a quarter of a millisecond and a hundred nodes."""
    clock, done = SimpleNamespace(now=0.0), []
    monkeypatch.setattr(blocks_module.time, "perf_counter", lambda: clock.now)

    def work(start: int, stop: int, thread: int) -> int:
        clock.now += (stop - start) / 4000
        done.append(stop)
        return 100 * (stop - start)

    player = RolloutPlayer("rollout", GAMES["schnapsen"], **settings)
    assert (list(player.in_rounds(work)), done) == (told, tried)


@pytest.mark.parametrize("kind", ["rollout", "pimc", "search", "ismcts"])
def test_threads_share_the_worlds(kind, monkeypatch):
    """They have fewer to try one after another, and so try more in a time."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(blocks_module.time, "perf_counter", lambda: clock.now)

    def side_by_side(player, work, blocks):
        assert len(blocks) <= player.threads
        clock.now += max(stop - start for start, stop in blocks) / 4000
        return [work(start, stop, thread) for thread, (start, stop) in enumerate(blocks)]

    def tried(**settings) -> tuple[int, float]:
        clock.now = 0.0
        player = MAKE[kind](GAMES["schnapsen"], **settings)
        return list(player.in_rounds(lambda start, stop, thread: 1))[-1], 4000 * clock.now

    monkeypatch.setattr(SearchPlayer, "_at_once", side_by_side)
    for threads, share in ((2, 0.65), (4, 0.55)):
        for worlds in (64, 100, 300, 1000) if kind != "ismcts" else (300, 1000):
            done, one_after_another = tried(worlds=worlds, threads=threads)
            assert done == worlds
            assert one_after_another <= share * worlds
        for ms in (5, 20, 100):
            assert tried(ms=ms, threads=threads)[0] >= tried(ms=ms)[0]
    assert tried(ms=100, threads=4)[0] > 2 * tried(ms=100)[0]


@pytest.mark.parametrize("nodes", [1, 6_300, 9_600, 30_000, 50_000])
def test_as_many_worlds_count_on_any_number_of_threads(nodes):
    """Of those that are tried side by side, the ones after the budget do not."""

    def told(threads: int) -> list[int]:
        player = RolloutPlayer("rollout", GAMES["schnapsen"], nodes=nodes, threads=threads)
        return list(player.in_rounds(lambda start, stop, thread: (100 + start % 7) * (stop - start)))

    assert told(2) == told(3) == told(8) == told(1)


@each_kind
def test_nodes_are_counted(kind, monkeypatch):
    """A position after each action in each world, at least; what all worlds took is enough for all."""
    game, taken = GAMES["schnapsen"], []
    (view, seat), *_ = views(lanes := in_play(game, 2))
    (actions,) = np.nonzero(lanes.mask[0])
    at_once = SearchPlayer._at_once

    def counted(player, work, blocks):
        counts = list(at_once(player, work, blocks))
        taken.extend((stop - start, nodes) for (start, stop), nodes in zip(blocks, counts, strict=True))
        return counts

    monkeypatch.setattr(SearchPlayer, "_at_once", counted)
    MAKE[kind](game, worlds=64).decide(view, seat, actions, 5)
    assert all(nodes >= worlds * len(actions) for worlds, nodes in taken)
    worlds, nodes = np.sum(taken, axis=0)
    taken.clear()
    MAKE[kind](game, worlds=64, nodes=int(nodes) // 2).decide(view, seat, actions, 5)
    fewer, less = np.sum(taken, axis=0)
    assert 8 <= fewer < worlds
    assert less < 0.7 * nodes


def test_no_block_goes_on_after_the_last():
    """They share workspaces with the next decision."""
    player, at_work = RolloutPlayer("rollout", GAMES["schnapsen"], nodes=70_000, threads=4), []

    def work(start: int, stop: int, thread: int) -> int:
        at_work.append(start)
        time.sleep(0.001 * thread)
        at_work.remove(start)
        return 100 * (stop - start)

    for _ in player.in_rounds(work):
        assert not at_work
    assert not at_work


@each_kind
def test_the_last_two_tricks_are_played_without_fault(kind):
    """The stock is exhausted, so the opponent's cards are known: every fault costs game points."""
    game = GAMES["schnapsen"]
    lanes, player, matters = Lanes(game, 1), MAKE[kind](game, worlds=100), 0
    cards = np.arange(len(game.pack))  # the first actions
    rng = np.random.default_rng(1)
    for seed in range(30):
        lanes.seed(seed)
        lanes.start()
        while lanes.states["tricks"].sum() < 8 or lanes.mask[0].sum() < 2:
            lanes.step(rng.choice(np.flatnonzero(lanes.mask[0, cards]), 1))
        values = {action: value_of(lanes, action) for action in np.flatnonzero(lanes.mask[0])}
        matters += len(set(values.values())) > 1
        assert values[player.act(Turns.of(lanes, lanes.all))[0]] == max(values.values())
        ((view, seat),), actions = views(lanes), np.array(list(values))
        decided = actions[player.decide(view, seat, actions, seed)]
        assert values[decided] == max(values.values()), "also without being told that all cards are known"
    assert matters > 5


def value_of(lanes: Lanes, action: int) -> float:
    """What an action brings the seat to act with best play by both, every card seen."""
    after, seat = Lanes(lanes.game, 1), lanes.seats[0]
    after.states[:] = lanes.states
    after.observe(after.all)
    after.step(np.array([action]), restart=False)
    if after.terminations[0]:
        return float(after.rewards[0, seat])
    best = max(value_of(after, answer) for answer in np.flatnonzero(after.mask[0]))
    return best if after.seats[0] == seat else -best


def test_what_was_too_large_is_played_on():
    """No world of a block is tried before it has come further, and one that is solved is tried no more."""
    game, worlds = GAMES["schnapsen"], 8
    player, lanes = PIMCPlayer("pimc", game, limit=1), in_play(game, 1)
    for lane, (view, seat) in enumerate(views(lanes)):
        actions, work = np.flatnonzero(lanes.mask[lane]), player.workspaces[0]
        sampled, _ = player.weighed_worlds(view, seat, 1, 0, worlds)
        values, begun = np.empty((worlds, len(actions))), work["counts"][0, SOLVING]
        into = NO_EQUITY, work, player.ending_workspaces[0], values
        player.solve_worlds(player._rules, sampled, seat, actions, 1, *into)
        assert work["counts"][0, SOLVING] - begun <= LONGEST_DEAL + worlds * len(actions)


def test_nobody_plays_exactly_while_cards_are_hidden():
    game = GAMES["schnapsen"]
    player, lanes = ExactPlayer(game), in_play(game, 3)
    for lane, (view, seat) in enumerate(views(lanes)):
        assert player.decide(view, seat, np.flatnonzero(lanes.mask[lane]), 1) is None


@pytest.mark.parametrize("kind", ["rollout", "pimc", "pimc, at once"])
def test_the_rule_based_players_choice_stands(kind):
    """Where worlds leave in doubt that another action is better."""
    game = GAMES["schnapsen"]
    lanes = in_play(game, 3)
    choices = RulesAgent("rules", game).act(Turns.of(lanes, lanes.all))
    departures = {0: 0, 100: 0}
    for margin in departures:
        player = MAKE[kind](game, worlds=8, margin=margin)
        for lane, (view, seat) in enumerate(views(lanes)):
            actions = np.flatnonzero(lanes.mask[lane])
            departures[margin] += actions[player.decide(view, seat, actions, 1)] != choices[lane]
    assert departures[100] < departures[0] / 2


def test_one_world_decides_if_nothing_more_is_asked():
    values, alone = np.array([[0.0, 1.0]]), np.ones(1)
    assert surely_best(0, values, alone, margin=0) == 1
    assert surely_best(0, values, alone, margin=1) == 0, "one world leaves infinite doubt"


def test_what_is_sure_stands_before_what_may_be_more():
    """The last action gains most on average, but not in half of the worlds."""
    values = np.array([[0.0, 0.5, 3.0], [0.0, 0.4, -2.0]] * 4)
    even = np.full(8, 1 / 8)
    assert [surely_best(0, values, even, margin) for margin in (0, 1, 100)] == [2, 1, 0]


def test_worlds_are_solved():
    game = GAMES["schnapsen"]
    player, lanes = PIMCPlayer("pimc", game, turns=0), in_play(game, 13)
    _, rules = tools(game)
    seen = 0
    for i in lanes.all[lanes.states["tricks"].sum(axis=1) >= 3]:
        world, values = lanes.states[i : i + 1], np.empty((1, lanes.mask[i].sum()))
        actions = np.flatnonzero(lanes.mask[i])
        into = NO_EQUITY, player.workspaces[0], player.ending_workspaces[0], values
        player.solve_worlds(rules, world, int(lanes.seats[i]), actions, 0, *into)
        exact = solve(game, world)
        assert dict(zip(map(str, np.array(game.actions)[actions]), values[0], strict=True)) == exact
        seen += 1
    assert seen > 3


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("observers", [1, 2])
def test_trees_begin_with_what_the_seat_sees(threads, observers):
    """All worlds meet in one node, whatever is hidden; each has room for one of its own."""
    game = GAMES["schnapsen"]
    player = ISMCTSPlayer("ismcts", game, worlds=1000, threads=threads, observers=observers)
    view, seat = views(in_play(game, 4, lanes=1))[0]
    trees = player.trees(view, seat, 5)
    assert len(trees) == threads
    assert sum(tree.visits[0].sum() for tree in trees) == 1000
    for tree in trees:
        assert tree.size[0] <= tree.visits[0].sum() <= len(tree.visits)
    assert trees[0].size[0] > 1


def test_trees_begin_with_the_rule_based_player():
    """What it would do is tried first; the others' turn comes too."""
    game = GAMES["schnapsen"]
    lanes = in_play(game, 2, lanes=20)
    turns = Turns.of(lanes, lanes.all)
    once, often = (ISMCTSPlayer("ismcts", game, worlds=worlds) for worlds in (1, 300))
    for lane, choice in enumerate(RulesAgent("rules", game).act(turns)):
        legal = np.flatnonzero(lanes.mask[lane])
        if len(legal) > 1:
            view, seat = lanes.views[lane : lane + 1], int(lanes.seats[lane])
            first, tried = (
                np.flatnonzero(player.trees(view, seat, 1)[0].visits[0]) for player in (once, often)
            )
            assert first.tolist() == [choice]
            assert set(tried) <= set(legal)
            assert len(tried) > 1


def test_gains_of_other_actions():
    """Random play loses in every phase; the same deals and worlds give the same numbers."""
    game = GAMES["schnapsen"]
    judge = RolloutPlayer("judge", game, worlds=20)
    few = [measure_regret(game, RandomAgent("random"), judge, deals=4, seed=1) for _ in range(2)]
    assert few[0] == few[1]
    regrets, kinds = measure_regret(game, RandomAgent("random"), judge, deals=30, seed=1)
    assert {each.kind for each in kinds} == {"lead", "answer", "melded", "meld", "exchange", "close", "claim"}
    for kind in kinds:
        parts = [regret for regret in regrets if regret.kind == kind.kind]
        assert sum(part.mean for part in parts) == pytest.approx(kind.mean)
        assert sum(part.share for part in parts) == pytest.approx(kind.share)
    assert regrets == sorted(regrets, key=lambda regret: -regret.mean)
    assert {regret.phase for regret in regrets} == {"LEAD", "MELDED", "ANSWER"}
    assert all(regret.low <= regret.mean <= regret.high for regret in regrets)
    assert sum(regret.mean for regret in regrets if regret.own == regret.better == "play") > 0.3
    wrong_claims = [regret for regret in regrets if regret.own == "claim" and regret.better == "play"]
    assert sum(regret.mean for regret in wrong_claims) > 0.3
    assert sum(regret.share for regret in regrets) > 3, "decisions of each seat"


def test_gains_are_printed(capsys):
    regret_command.main(["--agent", "random", "--deals", "2", "--worlds", "2"])
    caption = "random: per deal and seat, game points ± 95 %; schnapsen_v0, 2 deals, seed 1"
    assert caption in " ".join(capsys.readouterr().out.split())


def test_what_a_rollout_by_a_network_takes_for_better():
    game = GAMES["schnapsen"]
    player = NetworkRolloutPlayer("rollout", game, ppo_agent(game), margin=1.0)
    even, log_policy = np.full(4, 0.25), np.log([0.2, 0.5, 0.3])
    sure = np.array([[0.0, 1, 3], [1, 1, 3], [0, 1, 3], [1, 1, 3]])
    assert player.judge(sure, even, log_policy)[0].argmax() == 2
    doubtful = np.array([[0.0, 1, 3], [1, 1, -2], [0, 1, 3], [1, 1, 1]])
    assert player.judge(doubtful, even, log_policy)[0].argmax() == 1, "the favourite stands"


def test_players_by_text():
    game = GAMES["schnapsen"]
    player = make_agent_for("rollout:worlds=7,slip=0.5,margin=2", game)
    assert isinstance(player, RolloutPlayer)
    assert (player.worlds, player.slip, player.margin, player.name) == (
        7,
        0.5,
        2,
        "rollout:worlds=7,slip=0.5,margin=2",
    )
    assert make_agent_for("ismcts:ms=20,observers=one", game).many is False
    guided = make_agent_for("search:schnapsen-0.1,temperature=0.5,by_rules=yes", game)
    assert isinstance(guided, GuidedPlayer)
    assert (guided.temperature, guided.by_rules) == (0.5, True)
    flat = make_agent_for("rollout:schnapsen-0.1,margin=2,worlds=8", game)
    assert isinstance(flat, NetworkRolloutPlayer)
    assert (flat.margin, flat.worlds) == (2, 8)
    assert make_agent_for("ppo:schnapsen-0.1", game).greedy
    with pytest.raises(ValueError, match="its env is 'schnapsen_v0'"):
        make_agent_for("ppo:schnapsen-0.1", GAMES["gaigel"])
