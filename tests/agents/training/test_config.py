"""The settings of a training: groups of them in files, all by their own names elsewhere."""

from dataclasses import fields

import pytest

from stichwerk.agents.training.config import GROUPS, SETTINGS, TrainConfig
from stichwerk.agents.training.config_files import config_from
from stichwerk.agents.training.settings import ConfigError
from stichwerk.support.parsing import read_yaml, write_yaml
from stichwerk.support.terminal.arguments import docstrings, parse

GIVEN = {
    "learning_rate": 0.002,
    "opponents": {"rules": 0.5, "latest": 0.5},
    "rules": {"claims": "auto"},
    "widths": (8, 8),
    "start_states": True,
}
CONFIG = TrainConfig.of(**GIVEN)


def test_a_name_stands_for_one_setting_and_says_what_it_means():
    assert len(SETTINGS) == sum(len(fields(kind)) for kind in GROUPS.values())
    others = [name for each in SETTINGS.values() for name in (*each.aliases, *each.formerly)]
    assert len({*others, *SETTINGS}) == len(others) + len(SETTINGS)
    assert SETTINGS.keys().isdisjoint(GROUPS), "so that a file can hold both"
    for kind in GROUPS.values():
        assert docstrings(kind).keys() == {each.name for each in fields(kind)}
        assert all(meaning.endswith(".") for meaning in docstrings(kind).values())


def test_what_a_setting_needs_is_a_setting_or_an_opponent():
    assert {each.needs for each in SETTINGS.values()} <= {"", "past", *SETTINGS}


@pytest.mark.parametrize(
    "text",
    [
        "{version: 2, ppo: {learning_rate: 2e-3}, pool: {opponents: {latest: 0.5, rules: 0.5}}, "
        "game: {rules: {claims: auto}, start_states: true}, network: {widths: [8, 8]}}",
        "{version: 1, learning_rate: 0.002, opponents: '{latest: 0.5, rules: 0.5}', rules: '{claims: auto}', "
        "situations: true, widths: [8, 8]}",
        "{lr: 0.002, pool.opponents: {latest: 0.5, rules: 0.5}, rules: {claims: auto}, "
        "start_states: true, widths: [8, 8]}",
    ],
)
def test_files_with_groups_and_without(text):
    assert config_from(read_yaml(text), "file") == CONFIG


def test_what_is_written_is_read_as_the_same():
    assert config_from(read_yaml(write_yaml(CONFIG.as_dict())), "file") == CONFIG
    assert config_from(read_yaml(write_yaml(CONFIG.flat())), "file") == CONFIG


def test_the_command_line_names_settings_in_every_way():
    words = ["--lr", "2e-3", "--pool.opponents", "{rules: 0.5, latest: 0.5}", "--rules", "{claims: auto}"]
    assert parse(TrainConfig, [*words, "--situations", "--widths", "8", "8"]) == CONFIG


def test_other_values_of_some_settings():
    other = CONFIG.replace(**{"ppo.entropy": 1, "seed": 3})
    assert (other.ppo.entropy, other.execution.seed) == (1.0, 3)
    assert other.replace(entropy=CONFIG.ppo.entropy, seed=CONFIG.execution.seed) == CONFIG
    assert other.value("entropy") == 1.0
    assert {name for name in GIVEN if CONFIG.value(name) == GIVEN[name]} == {*GIVEN}
    with pytest.raises(ConfigError, match="unknown field 'gamma'; there are env"):
        CONFIG.replace(gamma=1)
    with pytest.raises(ConfigError, match="config lanes: got '8'; expected a whole number"):
        CONFIG.replace(lanes="8")
    with pytest.raises(ConfigError, match="none with episode match"):
        CONFIG.replace(episode="match", rollout_policy="rules")


def test_the_order_of_opponents_in_a_file_does_not_matter():
    """As it would decide which of them plays in which lane."""
    assert [*CONFIG.pool.shares] == ["latest", "rules"]
