"""Values in matches: what a deal changes of the probability to win, and its points everywhere else."""

import numpy as np
import pytest

from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.envs.learning import LearningLanes
from stichwerk.agents.envs.rollout_targets import RolloutTargets
from stichwerk.agents.search.endgame import endings_for
from stichwerk.envs import InputError, make_game
from stichwerk.envs.engine.equity import equity_in, gains_by_points, match_equity
from stichwerk.envs.engine.lanes import Lanes
from tests.agents.search.test_search import GAMES, MAKE, QUICK, in_play, tools

SCHNAPSEN = GAMES[QUICK]
WITH_EQUITY = [pytest.param(name, marks=[] if name == QUICK else pytest.mark.slow) for name in GAMES][:3]


def at_score(lanes: Lanes, score: list[int], match: int = 1) -> Lanes:
    """The same deals, in matches at this score."""
    lanes.states["match"], lanes.states["score"] = match, score
    lanes.observe(lanes.all)
    return lanes


@pytest.mark.parametrize("kind", ["rollout", "pimc", "pimc, at once", "search", "search, by rules"])
def test_values_are_those_of_the_points(kind):
    """The same playouts, each with the change of probability that its points bring."""
    player = MAKE[kind](SCHNAPSEN, worlds=8)
    deals, match = (at_score(in_play(SCHNAPSEN, 5, lanes=6), [5, 3], match) for match in (0, 1))
    seen = set()
    for lane in deals.all:
        seat, actions = int(deals.seats[lane]), np.flatnonzero(deals.mask[lane])
        if len(actions) < 2:
            continue
        points, values = (
            tried_out(player, lanes.views[lane : lane + 1], seat, actions) for lanes in (deals, match)
        )
        view = match.views[lane : lane + 1]
        expected = gains_by_points(SCHNAPSEN, view, seat, points.ravel()).reshape(points.shape)
        np.testing.assert_allclose(values, expected, atol=1e-12)
        seen |= {*points.ravel()}
    assert len(seen) > 2


def tried_out(player, view, seat, actions) -> np.ndarray:
    """The values of each action in each world."""
    if hasattr(player, "try_out"):
        return player.try_out(view, seat, actions, 3)[0]
    worlds, _ = player._sampled(view, seat, 3).draw(0, 8)
    worlds["match"] = view["match"]
    return player._played_out(worlds, seat, actions, 0, None)[0]


@pytest.mark.parametrize("kind", MAKE)
def test_ratings_say_their_unit(kind):
    """At 6:6 whatever is won wins the match, so nothing gains or loses more than that."""
    player = MAKE[kind](SCHNAPSEN, worlds=8)
    for lanes, of_match in (
        (in_play(SCHNAPSEN, 4, lanes=2), False),
        (at_score(in_play(SCHNAPSEN, 4, lanes=2), [6, 6]), True),
    ):
        rating = player.rate(Turns.of(lanes, lanes.all[:1]))
        assert rating.of_match == of_match
        if of_match:
            own = match_equity(SCHNAPSEN).of(lanes.states[:1])[0, lanes.seats[0]]
            tried = rating.values[~np.isnan(rating.values)]
            assert ((tried >= -own - 1e-9) & (tried <= 1 - own + 1e-9)).all()


def test_a_sure_match_is_not_risked_for_points():
    """At 6:0 one point wins the match: no action is better than the claim, however much others may bring."""
    lanes = at_score(in_play(SCHNAPSEN, 0, lanes=1), [6, 0])
    lanes.states["points"][:, lanes.seats[0]], lanes.states["tricks"][:, lanes.seats[0]] = 66, 1
    lanes.observe(lanes.all)
    rating = MAKE["rollout"](SCHNAPSEN, worlds=20).rate(Turns.of(lanes, lanes.all))
    claim = rating.values[rating.actions == SCHNAPSEN.action_index["claim"]]
    own = match_equity(SCHNAPSEN).of(lanes.states)[0, lanes.seats[0]]
    won = lanes.seats[0] == 0
    assert claim >= rating.values.max() - 1e-9
    assert not won or claim == pytest.approx(1 - own)


@pytest.mark.parametrize("name", WITH_EQUITY)
def test_playouts_and_training_value_deals_alike(name):
    """The reward of a deal that the rule-based player plays out is its playout's value."""
    game = GAMES[name]
    playouts, rules = tools(game)
    lanes = LearningLanes(game, 12, [], seed=4, episode="match", start_states=True, by_equity=True)
    lanes.start()
    player, workspace = RulesAgent("rules", game), endings_for(game.env_id, game.spec).make_workspace()
    states, seen = lanes.lanes.states.copy(), np.zeros(12, bool)
    equity, expected = equity_in(game, states), np.zeros((12, game.seats))
    for lane in lanes.lanes.all:
        first = player.act(Turns.of(lanes.lanes, lanes.lanes.all[lane : lane + 1]))
        for seat in range(game.seats):
            value = expected[lane : lane + 1, seat : seat + 1]
            playouts.play_out(rules, states[lane : lane + 1], seat, first, workspace, equity, value)
    while not seen.all():
        turns = lanes.own_turns()
        own = player.act(Turns.of(lanes.lanes, turns.lanes))
        canonical = (
            np.array(
                [
                    np.flatnonzero(
                        lanes.symmetry.true_actions(np.arange(len(game.actions)), order) == action
                    )[0]
                    for order, action in zip(np.repeat(turns.orders, 1), own, strict=True)
                ]
            )
            if len(own)
            else own
        )
        rewards, ended = lanes.move(turns, canonical)
        for lane in np.flatnonzero(ended & ~seen):
            if name != QUICK:  # whose endings playouts solve
                np.testing.assert_allclose(rewards[lane], expected[lane], atol=1e-6)
            assert abs(rewards[lane].sum()) < 1e-6 or game.seats > 2
        seen |= ended


def test_the_rewards_of_a_match_add_up_to_its_result():
    lanes = LearningLanes(SCHNAPSEN, 4, [], seed=4, episode="match", start_states=True, by_equity=True)
    lanes.start()
    begun = match_equity(SCHNAPSEN).of(lanes.lanes.states)
    total, over = np.zeros((4, 2)), np.zeros(4, bool)
    while not over.all():
        turns = lanes.own_turns()
        rewards, ended = lanes.move(turns, turns.masks.argmax(axis=1))
        assert not rewards[~ended].any()
        total[~over] += rewards[~over]
        done = lanes.lanes.terminations & ~over
        won = lanes.lanes.rewards[done] > 0
        np.testing.assert_allclose(total[done], won - begun[done], atol=1e-5)
        over |= done


def test_rollout_targets_are_those_of_the_points():
    deals, match = in_play(SCHNAPSEN, 5), at_score(in_play(SCHNAPSEN, 5), [5, 3])
    points = RolloutTargets("rules:0.1", SCHNAPSEN).action_values(deals, deals.all)
    np.testing.assert_array_equal(
        RolloutTargets("rules:0.1", SCHNAPSEN).action_values(match, match.all), points, "without it points"
    )
    targets = RolloutTargets("rules:0.1", SCHNAPSEN, by_equity=True)
    np.testing.assert_array_equal(targets.action_values(deals, deals.all), points)
    values = targets.action_values(match, match.all)
    for lane in match.all[match.mask.sum(axis=1) > 1]:
        legal, seat = np.flatnonzero(match.mask[lane]), int(match.seats[lane])
        state = match.states[lane : lane + 1]
        expected = gains_by_points(SCHNAPSEN, state, seat, points[lane, legal].astype(float))
        np.testing.assert_allclose(values[lane, legal], expected, atol=1e-6)


@pytest.mark.parametrize(("env_id", "episode"), [("schnapsen_v0", "deal"), ("preferans_v0", "match")])
def test_deals_and_matches_without_a_winner_have_no_equity(env_id, episode):
    with pytest.raises(InputError, match="match_equity: got"):
        LearningLanes(make_game(env_id), 2, [], seed=1, episode=episode, by_equity=True)
