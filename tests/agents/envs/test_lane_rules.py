"""Lanes of many rule sets: each plays as it would alone, and its rules are drawn by shares."""

from collections import Counter

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.envs.lane_rules import LaneRules
from stichwerk.agents.envs.rollout_targets import RolloutTargets
from stichwerk.envs import Game, make_game
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.spec.rule_inputs import RULES
from stichwerk.envs.spec.rule_sets import KINDS, RuleSets
from tests.envs.support import FIRST_VARIANTS

LANES = 12


def rule_sets(game: Game) -> RuleSets:
    return RuleSets(game.spec.rules, list(game.spec.env_ids.values()))


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("variant", FIRST_VARIANTS, ids=str)
def test_mixed_lanes_play_as_each_would_alone(variant, episode):
    """States, observations, masks, rewards, rule-based players and rollout targets."""
    game, chance = variant.game, np.random.default_rng(1)
    drawn = [rule_sets(game).draw(KINDS[lane % len(KINDS)], chance) for lane in range(LANES)]
    records = np.concatenate([rules.record() for rules in drawn])
    mixed = Lanes(game, LANES, episode, RULES, rules=records)
    alone = [Lanes(Game(variant.env_id, game.spec, rules), 1, episode, RULES) for rules in drawn]
    mixed.seed(2)
    for lane, each in enumerate(alone):
        each.seed(0)
        each.states["seed"] = mixed.states["seed"][lane]
    for lanes in (mixed, *alone):
        lanes.start()
    player, targets = make_agent_for("rules", game), RolloutTargets("rules:0.1", game)
    players = [make_agent_for("rules", each.game) for each in alone]
    ended = 0
    for step in range(60):
        by_rules = player.act(Turns.of(mixed, mixed.all))
        assert by_rules.tolist() == [
            int(agent.act(Turns.of(each, each.all))[0]) for agent, each in zip(players, alone, strict=True)
        ]
        if step == 5:
            values = targets.action_values(mixed, mixed.all)
            for lane, each in enumerate(alone):
                own = RolloutTargets("rules:0.1", each.game).action_values(each, each.all)
                np.testing.assert_array_equal(values[lane], own[0])
        actions = np.array([chance.choice(np.flatnonzero(mask)) for mask in mixed.mask])
        actions = by_rules if step % 2 else actions
        mixed.step(actions)
        for lane, each in enumerate(alone):
            each.step(actions[lane : lane + 1])
            assert each.states.tobytes() == mixed.states[lane : lane + 1].tobytes()
            for name in ("observation", "mask", "seats", "terminations"):
                np.testing.assert_array_equal(getattr(each, name)[0], getattr(mixed, name)[lane])
            seats = each.game.seats
            np.testing.assert_array_equal(each.rewards[0], mixed.rewards[lane, :seats])
            assert not mixed.rewards[lane, seats:].any()
        ended += int(mixed.terminations.sum())
    assert ended > 3 or episode == "match"


@pytest.mark.parametrize("variant", FIRST_VARIANTS, ids=str)
def test_the_rules_of_a_kind(variant):
    game, chance = variant.game, np.random.default_rng(3)
    sets, options = rule_sets(game), game.spec.rules
    defaults = [options.make(None, preset).as_dict() for preset in game.spec.env_ids.values()]
    presets = [options.make(None, preset).as_dict() for preset in options.PRESETS]
    for _ in range(30):
        drawn = {kind: sets.draw(kind, chance).as_dict() for kind in KINDS}
        for each in drawn.values():
            each.pop("players", None)
        for each in (*defaults, *presets):
            each.pop("players", None)
        assert drawn["defaults"] in defaults
        assert drawn["presets"] in presets
        changed = [sum(drawn["singles"][name] != each[name] for name in each) for each in defaults]
        assert min(changed) == 1
    seldom = Counter(str(sets.draw("random", chance)) for _ in range(50))
    assert len(seldom) > 40


def test_each_option_that_changes_a_deal_is_changed_alone():
    game = make_game("schnapsen_v0")
    singles = list(rule_sets(game).singles(game.rules))
    names = {name for name, _, _ in singles}
    assert names == set(game.rules.as_dict()) - {"memory", "next_dealer", "target"}
    for name, value, rules in singles:
        assert getattr(rules, name) == value != getattr(game.rules, name)


def test_shares_of_the_lanes_and_when_they_are_drawn():
    game = make_game("schnapsen_v0", "schnapsen_vu")
    rules = LaneRules(game, {"given": 0.25, "random": 0.75}, 400, seed=1, every=3)
    given = rules.records.copy() == game.rules_record
    assert 70 < given.sum() < 130
    before = rules.records.copy()
    assert [rules.draw_for(update) for update in range(7)] == [False] * 3 + [True] + [False] * 2 + [True]
    assert rules.records.tobytes() != before.tobytes()
    assert rules.draw_for(0)
    assert rules.records.tobytes() == before.tobytes(), "the same as at first"
    other = LaneRules(game, {"given": 0.25, "random": 0.75}, 400, seed=2, every=3)
    assert other.records.tobytes() != before.tobytes()


def test_seats_of_the_lanes():
    rules = LaneRules(make_game("gaigel_v0"), {"defaults": 1.0}, 60, seed=1, every=1)
    assert set(rules.seats) == {3, 4, 6}
    for seats, sides in zip(rules.seats, rules.sides, strict=True):
        assert (sides[seats:] == -1).all()
        assert sides[:seats].tolist() == [seat % (3 if seats == 3 else 2) for seat in range(seats)]
