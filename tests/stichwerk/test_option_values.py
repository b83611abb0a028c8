"""Every value of every rule option can be written as messages and tables write it, wherever rules are given,
and what is written back is read as the same."""

import json
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from stichwerk.agents.evaluation.statistics.sequential import Sprt
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import config_from, load_config
from stichwerk.cli import parse
from stichwerk.commands import eval as evaluation
from stichwerk.commands import train
from stichwerk.commands.eval import EvalOptions
from stichwerk.commands.sweep import SweepOptions, read_space
from stichwerk.envs import make_game
from stichwerk.envs.games import GAMES, OWN_GAMES
from stichwerk.support.parsing import read_json, read_yaml, write_yaml
from tests.agents.support import here, write_config

NUMBERS = {"1": 1, "9_999": 9_999, "1e4": 10_000, "2.5e3": 2_500}
PACK = tuple(suit + rank for rank in "ATKQJ" for suit in "shdc")
HAND_SIZES = {"4": 4, "4e0": 4}  # other ones need a pack for them


def written(name: str, hint: Any) -> dict[str, Any]:
    """The values that an option of this type may hold, by how they are written."""
    if get_origin(hint) is Literal:
        return {str(value): value for value in get_args(hint)}
    if hint is bool:
        return {"true": True, "false": False, "True": True, "False": False}
    if hint is int:
        return HAND_SIZES if name == "hand_size" else NUMBERS
    if hint is type(None):
        return {"none": None, "null": None, "~": None}
    if get_origin(hint) is tuple:
        return {f"[{', '.join(PACK)}]": PACK}
    return {word: value for part in get_args(hint) for word, value in written(name, part).items()}


def options() -> dict[str, tuple[str, dict[str, Any]]]:
    """For each option of each game an environment id, and its values by how they are written."""
    found = {}
    for env_id in OWN_GAMES:
        hints = get_type_hints(GAMES[env_id].rules)
        for field in fields(GAMES[env_id].rules):
            found[f"{env_id} {field.name}"] = env_id, written(field.name, hints[field.name])
    return found


OPTIONS = options()


def test_all_values_are_looked_at():
    """The counter-check of the tests below."""
    signals, hands = OPTIONS["gaigel_v0 signals"][1], OPTIONS["preferans_v0 max_hands"][1]
    assert {*signals} == {"off", "partner", "public"}
    assert {"none", "1e4"} < {*hands}
    distinct = {
        (GAMES[env_id].rules, option, repr(value))
        for option, (env_id, values) in OPTIONS.items()
        for value in values.values()
    }
    assert len(distinct) >= 110


@pytest.mark.parametrize("option", OPTIONS)
def test_every_value_is_read_as_it_is_written(option, tmp_path):
    """In files; and on command lines, which all read it by one function, by one command in turn."""
    env_id, values = OPTIONS[option]
    name = option.split()[1]
    for number, (word, value) in enumerate(values.items(), start=[*OPTIONS].index(option)):
        text = f"{{{name}: {word}}}"
        file = tmp_path / "config.yaml"
        file.write_text(f"version: 1\nenv: {env_id}\nrules:\n  {name}: {word}\n", encoding="utf-8")
        config = load_config(file)
        kept = config_from(read_yaml(write_yaml(config.as_dict())), "config.yaml")
        assert kept == config
        words = ["--env", env_id, "--rules", text]
        if number % 3 == 0:
            there = parse(TrainConfig, words, default=TrainConfig()).game.make()
        elif number % 3 == 1:
            there = parse(SweepOptions, words, default=SweepOptions()).training.game.make()
        else:
            there = parse(EvalOptions, ["--agents", "a", "b", *words]).game()
        rules = config.game.make().rules
        again = make_game(env_id, read_json(json.dumps(rules.as_dict()))).rules
        for each in (rules, kept.game.make().rules, there.rules, again):
            read = getattr(each, name)
            assert (read, type(read)) == (value, type(value)), word


def test_texts_of_a_space_are_read_as_they_are_written(tmp_path):
    text = "{a: [off, on, yes, no, none, 010, 1:30], b: {low: 1e-3, high: 1e6, log: true}}"
    (tmp_path / "space.yaml").write_text(text, encoding="utf-8")
    for given in (text, str(tmp_path / "space.yaml")):
        read = read_space(given)
        assert read["a"] == ["off", "on", "yes", "no", "none", "010", "1:30"]
        assert repr(read["b"]) == "{'low': 0.001, 'high': 1000000, 'log': True}"


RULES = "{signals: off, show_points: off, target: 1e1}"
AS_READ = {"signals": "off", "show_points": "off", "target": 10}


def test_commands_keep_what_is_written(tmp_path, monkeypatch):
    """Evaluation and training: what their folders say of the rules is what was meant."""
    monkeypatch.chdir(tmp_path)
    words = ["--env", "gaigel_v0", "--rules", RULES]
    assert here(evaluation.main, *words, "--agents", "random", "rules", "--deals", "2e0", "--out", "out") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["rules"].items() >= AS_READ.items()
    assert results["deals"] == 2
    begin = ["--run", "run", "--decisions", "2.56e2", "--evaluate-deals", "2", "--final-deals", "2"]
    config = write_config(tmp_path, opponents="{rules: 1}")
    assert here(train.main, config, *words, *begin) == 0
    kept = load_config(tmp_path / "run" / "config.yaml")
    assert kept.ppo.decisions == 256
    assert kept.game.make().rules.as_dict().items() >= AS_READ.items()
    for network in ("best", "last"):
        manifest = json.loads((tmp_path / "run" / network / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["rules"].items() >= AS_READ.items()
    again = [config, *words[:3], "{target: 10, show_points: 'off', signals: 'off'}", *begin, "--resume"]
    assert here(train.main, *again) == 0


def test_whole_numbers_as_people_write_them(tmp_path):
    for word, number in {"1e6": 10**6, "1_000_000": 10**6, "1.5e3": 1_500, "20000": 20_000}.items():
        (tmp_path / "config.yaml").write_text(f"decisions: {word}\nseeds: [{word}]\n", encoding="utf-8")
        words = ["--decisions", word, "--seeds", word]
        for config in (
            load_config(tmp_path / "config.yaml"),
            parse(TrainConfig, words, default=TrainConfig()),
        ):
            assert repr((config.ppo.decisions, config.execution.seeds)) == repr((number, (number,)))
        given = parse(EvalOptions, ["--agents", "a", "b", "--deals", word, "--seed", word])
        assert repr((given.deals, given.seed)) == repr((number, number))


def test_bounds_below_zero():
    assert parse(EvalOptions, ["a", "b", "--sprt", "-0.02,0.02"]).rule == Sprt(-0.02, 0.02)


@pytest.mark.parametrize("given", [["1,2,3"], ["1, 2, 3"], ["[1, 2, 3]"], ["1", "2", "3"], ["1,", "2", "3"]])
def test_lists_of_whole_numbers(given):
    assert parse(TrainConfig, ["--seeds", *given], default=TrainConfig()).execution.seeds == (1, 2, 3)
