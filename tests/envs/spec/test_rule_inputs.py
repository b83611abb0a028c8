"""The rule options as features of the encoding `rules`: each by its own name, and none left out."""

from dataclasses import dataclass, fields
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.envs import RulesError, make_game
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games.schnapsen.options import SchnapsenRules
from stichwerk.envs.spec.options import option
from stichwerk.envs.spec.rule_inputs import RULES, rule_features, rule_writer
from tests.envs.support import FIRST_VARIANTS, each_game, each_variant, model_of, thoroughly

writer = cache(lambda options: rule_writer(options, 0))


def inputs(env_id: str, rules: dict, match: int) -> np.ndarray:
    """The rule features alone."""
    game = make_game(env_id, rules)
    out = np.zeros(sum(feature.size for feature in rule_features(game.spec.rules)), np.float32)
    writer(game.spec.rules)(game.rules_record[0], match, out)
    return out


def that_matter(env_id: str, rules: dict, match: bool) -> dict:
    """What compiled rules read of the options, by name: without those that an observation shows by, and in a
    single deal without those of matches."""
    game = make_game(env_id, rules)
    without = (*game.rules.SHOWN_BY, *(() if match else game.rules.OF_MATCHES))
    record = game.rules_record[0]
    found = {each.name: None for each in fields(game.rules) if each.name not in without}
    for name in found:
        has_number = game.rules.has_number(name)
        found[name] = int(record[name]) if has_number else sorted(game.deck)
    return found


@each_game
@thoroughly
@given(data=st.data(), match=st.booleans())
def test_rules_are_told_apart_by_every_option_that_matters(env_id, data, match):
    one = data.draw(model_of(env_id).rules(), "one")
    other = dict(one)
    for name in data.draw(st.lists(st.sampled_from(sorted(one)), max_size=2), "changed"):
        other |= {name: data.draw(model_of(env_id).rules(), "other").get(name, one[name])}
    try:
        alike = that_matter(env_id, one, match) == that_matter(env_id, other, match)
    except RulesError:  # two options that do not go together
        return
    assert np.array_equal(inputs(env_id, one, match), inputs(env_id, other, match)) == alike


@pytest.mark.parametrize("variant", FIRST_VARIANTS, ids=str)
def test_there_is_a_feature_for_every_option(variant):
    options = variant.game.spec.rules
    names = {feature.name for feature in rule_features(options)}
    assert names == {f"rule_{each.name}" for each in fields(options) if each.name not in options.SHOWN_BY}
    assert names <= variant.game.encoding(RULES).slices.keys()


def test_a_new_option_changes_the_meaning_of_no_other():
    @dataclass(frozen=True)
    class Newer(SchnapsenRules):
        PRESETS = SchnapsenRules.PRESETS
        slowly: bool = option(False, "in peace", "nowhere")

    old, new = rule_features(SchnapsenRules), rule_features(Newer)
    assert set(new) - set(old) == {new[-1]}
    assert new[-1].name == "rule_slowly"
    assert set(old) <= set(new)


@each_variant
def test_the_encoding_begins_with_the_summary(variant):
    """And is one for all numbers of players."""
    game = variant.game
    summary, with_rules = ([f.name for f in game.encoding(name).features] for name in ("summary", RULES))
    assert with_rules[: len(summary)] == summary
    for players in game.rules.values("players"):
        assert make_game(variant.env_id, {"players": players}).encoding(RULES) is game.encoding(RULES)


def test_a_table_that_shows_less_has_the_same_features():
    full, table = (
        Lanes(make_game("schnapsen_v0", {"memory": memory}), 8, observation=RULES)
        for memory in ("full", "table")
    )
    for lanes in (full, table):
        lanes.seed(1)
        lanes.start()
    for _ in range(40):
        np.testing.assert_array_equal(full.observation, table.observation)
        for lanes in (full, table):
            lanes.step(lanes.mask.argmax(axis=1))
