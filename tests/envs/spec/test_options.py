"""Rule options: made from presets and dicts, written down, and refused with what is allowed."""

import json
from dataclasses import FrozenInstanceError, dataclass
from typing import Literal

import pytest

from stichwerk.envs import RulesError, make_game
from stichwerk.envs.games import OWN_GAMES
from stichwerk.envs.spec.options import Options, Preset, option
from tests.envs.support import every_variant, refused


@dataclass(frozen=True)
class Rules(Options):
    """A game that nobody plays."""

    jokers: int = option(2, "jokers in the pack", "-", minimum=0)
    order: Literal["high", "low"] = option("high", "which rank is strongest", "-")
    open_hands: bool = option(False, "everybody sees everything", "-")
    pack: tuple[str, ...] | None = option(None, "the cards", "-")

    PRESETS = {"plain": {}, "wild": Preset("a tale", jokers=(4, "its end"), order=("low", "a song"))}

    def __post_init__(self):
        self.check()


def test_rules_are_made_from_presets_dicts_and_rules():
    assert Rules.make(None, "wild") == Rules.make("wild", "plain") == Rules(jokers=4, order="low")
    assert Rules.make({"jokers": 1}, "wild") == Rules(jokers=1, order="low")
    assert Rules.make({"preset": "plain", "jokers": 1}, "wild") == Rules(jokers=1)
    assert Rules.make(Rules(jokers=9), "plain") == Rules(jokers=9)
    assert Rules.make({"pack": ["sA"]}, "plain").pack == ("sA",)


def test_presets_cite_where_each_value_is_from():
    assert Rules.PRESET_SOURCES == {"wild": {"": "a tale", "jokers": "its end", "order": "a song"}}
    for spec in {make_game(env_id).spec for env_id in OWN_GAMES}:
        rules = spec.rules
        for preset, values in rules.PRESETS.items():
            assert rules.PRESET_SOURCES[preset].keys() == {"", *values}, preset
            assert all(len(source) > 10 for source in rules.PRESET_SOURCES[preset].values())
            for name, value in values.items():
                assert value != getattr(rules(), name), f"{preset}: {name} cites a default"


def test_rules_go_through_json():
    for rules in (Rules(), Rules(jokers=0, order="low", open_hands=True, pack=("sA", "hA"))):
        assert Rules.make(json.loads(json.dumps(rules.as_dict())), "wild") == rules


def test_rules_know_their_preset():
    assert Rules().preset_name() == "plain"
    assert Rules(jokers=4, order="low").preset_name() == "wild"
    assert Rules(jokers=3).preset_name() is None


def test_rules_are_coded_by_position_or_number():
    rules = Rules(jokers=3, order="low", open_hands=True)
    assert [rules.code(name, getattr(rules, name)) for name in ("jokers", "order", "open_hands")] == [3, 1, 1]


def test_rules_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Rules().jokers = 1


def test_a_wrong_value_is_answered_by_what_is_allowed(refusals):
    refusals("options", refused(lambda value: Rules(**value), RulesError))


@every_variant
def test_presets_are_presets(variant):
    rules = make_game(variant.env_id, variant.preset).rules
    assert rules == type(rules).make(variant.preset, variant.preset)
    assert (
        rules.PRESETS[variant.preset].items()
        <= {name: getattr(rules, name) for name in rules.as_dict()}.items()
    )
    assert rules == type(rules).make(json.loads(json.dumps(rules.as_dict())), variant.preset)
