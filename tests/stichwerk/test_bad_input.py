"""The commands answer bad input with one clear line and status 2, write nothing, and leave what is there
alone."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from stichwerk.agents.training.config import SETTINGS
from stichwerk.agents.training.config_files import find_config, load_config, shipped
from stichwerk.commands import eval as evaluation
from stichwerk.commands import train
from tests.agents.support import ROOT, command, here, nothing_changes, save_random_network, write_config
from tests.envs.support import OBSERVATIONS, slowly

PRESET = "schnapsen_tournament"


@pytest.fixture
def refusal(tmp_path, monkeypatch, capfd):
    """`refusal(main, words)`: the line with which a command, run in an empty folder or what the test put
    there, refuses them."""
    monkeypatch.chdir(tmp_path)

    def refuse(main, *words) -> str:
        capfd.readouterr()
        with nothing_changes(tmp_path):
            assert here(main, *words) == 2
        err = capfd.readouterr().err
        assert err.startswith("error: ")
        assert err.find("\n") == len(err) - 1
        assert len(err) < 2_100
        assert "---" not in err, "no frame around the words"
        return err

    return refuse


# A wrong entry of the config file, and words that the answer must hold: the value, and something that is
# allowed.
ENTRIES = {
    "field": ({"gamma": 1.0}, ["'gamma'", "gae_lambda"]),
    "a field and the name it had before": (
        {"situations": False, "start_states": False},
        ["got situations and start_states", "start_states alone"],
    ),
    "version": ({"version": 3}, ["got 3", "version 1 or 2"]),
    "field of a group": ({"ppo": {"gamma": 1.0}}, ["'ppo.gamma'", "gae_lambda"]),
    "field of another group": ({"ppo": {"widths": [8]}}, ["'ppo.widths'", "gae_lambda"]),
    "value in a group": ({"ppo": {"clip": 1e308}}, ["clip: got 1e+308", "to 100"]),
    "a field in its group and outside": (
        {"ppo": {"clip": 0.1}, "clip_coef": 0.1},
        ["got ppo.clip and clip_coef", "clip alone"],
    ),
    "a group that is none": ({"ppo": 7}, ["ppo: got 7", "mapping of its settings"]),
    "version of another type": ({"version": "1"}, ["'1'", "version 1"]),
    "env": ({"env": "whist_v0"}, ["'whist_v0'", "schnapsen_v0", "sixty_six_v0"]),
    "env of another type": ({"env": 66}, ["66", "text"]),
    "preset": ({"rules": "bridge"}, ["'bridge'", PRESET]),
    "preset in a mapping": ({"rules": {"preset": "bridge"}}, ["'bridge'", PRESET]),
    "rule option": ({"rules": {"joker": True}}, ["'joker'", "must_head"]),
    "rule option's value": ({"rules": {"claims": "never"}}, ["'never'", "free", "safe", "auto"]),
    "rules of another type": ({"rules": 7}, ["7", "a text or a mapping"]),
    "rules that are a list": ({"rules": "[1, 2]"}, ["[1, 2]", "preset"]),
    "device": ({"device": "tpu"}, ["'tpu'", "auto or cpu or cuda"]),
    "tracker": ({"tracker": "paper"}, ["'paper'", "wandb or trackio"]),
    "promotion": ({"promote": 1.5}, ["promote: got 1.5", "from 0 to 1"]),
    "promotion of nobody": (
        {"promote": 0.5, "opponents": {"latest": 1}},
        ["promote: got 0.5", "opponents past"],
    ),
    "rules that are no YAML": ({"rules": "{claims: "}, ["{claims: ", "YAML"]),
    "rules that are a date": ({"rules": "2020-13-01"}, ["'2020-13-01'", PRESET]),
    "a digit before a number": ({"lanes": "010"}, ["lanes: got '010'", "whole number"]),
    "a time for a number": ({"decisions": "1:30"}, ["decisions: got '1:30'", "whole number"]),
    "a part of a decision": ({"decisions": 1.5}, ["decisions: got 1.5", "whole number"]),
    "a word of YAML 1.1 for a flag": ({"start_states": "on"}, ["start_states: got 'on'", "true or false"]),
    "another one in the rules": ({"rules": {"nines": "off"}}, ["nines: got 'off'", "True / False"]),
    "observation": ({"observation": "pixels"}, ["'pixels'", *OBSERVATIONS]),
    "episode": ({"episode": "rubber"}, ["'rubber'", "deal", "match"]),
    "seed below zero": ({"seed": -1}, ["-1", "from 0"]),
    "seed too large": ({"seed": 2**32}, [str(2**32), "seed"]),
    "seed of many digits": ({"seed": 10**30}, [str(10**30), "seed"]),
    "lanes": ({"lanes": 0}, ["lanes: got 0", "from 1"]),
    "lanes beyond memory": ({"lanes": 100_000_000}, ["lanes: got 100000000", "to 65536"]),
    "steps beyond memory": ({"steps": 1_000_000_000}, ["steps: got 1000000000", "to 65536"]),
    "decisions beyond memory": ({"lanes": 65_536, "steps": 65_536}, ["lanes x steps", "16777216"]),
    "decisions without end": ({"decisions": 10**13}, ["decisions: got 10000000000000", "to 1000000000000"]),
    "epochs": ({"epochs": 10**6}, ["epochs: got 1000000", "to 1000"]),
    "threads beyond any machine": ({"threads": 10**9}, ["threads: got 1000000000", "to 1024"]),
    "past beyond memory": ({"past_size": 10_000_000}, ["past_size: got 10000000", "to 100"]),
    "more deals than there are": (
        {"final_deals": 10**12},
        ["final_deals: got 1000000000000", "to 4294967296"],
    ),
    "deals on the way": ({"evaluate_deals": 10**12}, ["evaluate_deals: got 1000000000000", "to 4294967296"]),
    "lanes of another type": ({"lanes": 16.0}, ["16.0", "whole number"]),
    "a flag for a number": ({"lanes": True}, ["True", "whole number"]),
    "nothing for a number": ({"steps": None}, ["None", "whole number"]),
    "text for a number": ({"learning_rate": "fast"}, ["'fast'", "number"]),
    "one deal": ({"final_deals": 1}, ["final_deals: got 1", "from 2"]),
    "learning rate": ({"learning_rate": 0}, ["learning_rate: got 0", "from 1e-09 to 1"]),
    "learning rate beyond reason": ({"learning_rate": 1e308}, ["learning_rate: got 1e+308", "to 1"]),
    "reward scale beyond reason": ({"reward_scale": 1e308}, ["reward_scale: got 1e+308", "to 1e+06"]),
    "reward scale of many digits": ({"reward_scale": 10**400}, ["reward_scale", "number"]),
    "reward limit beyond reason": ({"reward_limit": 1e-300}, ["reward_limit: got 1e-300", "from 1e-06"]),
    "clip": ({"clip": 1e308}, ["clip: got 1e+308", "to 100"]),
    "no number": ({"learning_rate": float("nan")}, ["nan", "from 1e-09"]),
    "learning rate without end": ({"learning_rate": float("inf")}, ["inf", "learning_rate"]),
    "entropy without end": ({"entropy": float("inf")}, ["inf", "entropy"]),
    "entropy": ({"entropy": -0.1}, ["-0.1", "from 0 to 100"]),
    "entropy left": ({"entropy_final_fraction": 1.5}, ["entropy_final_fraction: got 1.5", "from 0 to 1"]),
    "a seed twice": ({"seeds": [1, 1]}, ["(1, 1)", "different whole numbers"]),
    "precision": ({"precision": "float16"}, ["'float16'", "auto or float32 or bfloat16"]),
    "lambda": ({"gae_lambda": 1.5}, ["1.5", "from 0 to 1"]),
    "widths": ({"widths": [16, 0]}, ["16, 0", "from 1 to 8192"]),
    "widths beyond memory": ({"widths": [10_000_000]}, ["10000000", "from 1 to 8192"]),
    "no widths": ({"widths": []}, ["widths", "one to 16"]),
    "layers without end": ({"widths": [8] * 5_000}, ["widths", "one to 16", "..."]),
    "widths of another type": ({"widths": 16}, ["16", "list of whole numbers"]),
    "minibatches": ({"minibatches": 7}, ["7", "divisor", "256"]),
    "minibatches of one decision": ({"minibatches": 256}, ["256", "minibatches"]),
    "opponent": ({"opponents": {"latest": 0.5, "human": 0.5}}, ["'human'", "random", "rules", "ppo:FOLDER"]),
    "half of the shares": ({"opponents": {"latest": 0.5}}, ["add up to 1, not to 0.5"]),
    "opponent by number": ({"opponents": {7: 1.0}}, ["7", "agents", "rules"]),
    "opponent's network": ({"opponents": {"ppo:nowhere": 1}}, ["'ppo:nowhere'", "got no folder"]),
    "imitation_agent": ({"imitation_agent": "human"}, ["imitation_agent", "'human'", "rules"]),
    "rollout_policy": ({"rollout_policy": "human"}, ["rollout_policy", "'human'", "rules"]),
    "an adviser without rules": (
        {"rollout_policy": "random"},
        ["rollout_policy", "'random'", "rules:VERSION"],
    ),
    "an adviser of no version": ({"rollout_policy": "rules:9"}, ["rollout_policy", "'9'"]),
    "an adviser with settings": (
        {"rollout_policy": "ppo:schnapsen,greedy=no"},
        ["rollout_policy: agent: got 'ppo:schnapsen,greedy=no'", "without settings"],
    ),
    "an adviser of one's own": (
        {"rollout_policy": "python:no_module:make"},
        ["rollout_policy", "python:", "rules"],
    ),
    "an adviser of matches": (
        {"rollout_policy": "rules", "episode": "match"},
        ["rollout_policy", "'rules'", "match"],
    ),
    "rollout_weight": ({"rollout_weight": 2}, ["rollout_weight: got 2", "from 1e-06 to 1"]),
    "no advice of an rollout_policy": (
        {"rollout_policy": "rules", "rollout_weight": 0},
        ["rollout_weight: got 0", "from 1e-06 to 1"],
    ),
    "advice left": ({"rollout_final_fraction": -1}, ["rollout_final_fraction: got -1", "from 0 to 1"]),
    "lessons": ({"imitation_decisions": -1}, ["imitation_decisions: got -1", "from 0"]),
    "deals for whom": ({"measured_against": "rules"}, ["'rules'", "agents other than", "from 2"]),
    "other deals for a baseline": ({"measured_against": {"random": 20}}, ["random", "other than rules:0.1"]),
    "one deal against another": ({"measured_against": {"rules": 1}}, ["rules: 1", "from 2 to 4294967296"]),
    "half a deal against another": ({"measured_against": {"rules": 2.5}}, ["rules: 2.5", "whole number"]),
    "an unknown one to be measured against": (
        {"measured_against": {"human": 20}},
        ["measured_against", "'human'", "rules"],
    ),
    "shares": ({"opponents": {"latest": 0.5, "rules": 0.6}}, ["0.6", "add up to 1"]),
    "share of no lane": ({"lanes": 16, "opponents": {"latest": 0.97, "random": 0.03}}, ["0.03", "16 lanes"]),
    "share of many digits": ({"opponents": {"rules": 10**400}}, ["rules: 1000", "add up to 1"]),
    "share of many digits beside another": (
        {"opponents": {"latest": 0.5, "rules": 10**400}},
        ["rules: 1000", "add up to 1"],
    ),
    "share below zero": ({"opponents": {"latest": 1.5, "rules": -0.5}}, ["-0.5", "above 0"]),
    "share of another type": ({"opponents": {"latest": "all"}}, ["all", "shares"]),
    "a flag for a share": ({"opponents": {"latest": True}}, ["true", "shares"]),
    "opponents that are a text": ({"opponents": "rules"}, ["'rules'", "shares"]),
    "opponents that are a list": ({"opponents": ["rules"]}, ["rules", "opponents"]),
    "opponents that are no YAML": (
        {"opponents": "{rules: "},
        ["{rules: ", "YAML", "opponents", "small.yaml"],
    ),
    "past without a place": ({"past_size": 0}, ["past_size: got 0", "at least 1"]),
    "start states": ({"start_states": True}, ["start_states", "schnapsen_v0"]),
    "past by default without a place": (
        {"opponents": {}, "past_size": 0},
        ["past_size: got 0", "at least 1"],
    ),
    "a long text": ({"rules": "x" * 90_000}, ["'xxx", "xxx'", PRESET]),
    "a long list": ({"rules": {"claims": ["free"] * 9_000}}, ["'free'", "safe"]),
    "a long opponent": ({"opponents": {"x" * 90_000: 1}}, ["'xxx", "ppo:FOLDER"]),
    "line breaks in an opponent": ({"opponents": {"one\ntwo": 1}}, ["one\\ntwo", "ppo:FOLDER"]),
    "NUL in an opponent's folder": ({"opponents": {"ppo:a\0b": 1}}, ["ppo:a\\x00b", "null"]),
    "NUL in the run folder": ({"run": "runs/a\0b"}, ["runs/a\\x00b", "null"]),
    "half a letter in the run folder": ({"run": "runs/\udcff"}, ["runs/\\udcff"]),
    "a name of many letters": ({"run": "x" * 5_000}, ["xxx", "name too long"]),
    "module of a game": ({"env": "nowhere:club_v0"}, ["'nowhere:club_v0'", "nowhere"]),
    "resume": ({"resume": "yes please"}, ["'yes please'", "true or false"]),
}


@pytest.mark.parametrize("fault", ENTRIES)
def test_wrong_entry_of_the_config(fault, refusal, tmp_path):
    entry, words = ENTRIES[fault]
    message = refusal(train.main, write_config(tmp_path, **entry))
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    "fault", ["env", "preset", "observation", "seed below zero", "lanes", "lambda", "minibatches"]
)
def test_wrong_entry_from_the_command_line(fault, refusal, tmp_path):
    """The same checks and words, whichever way a value comes."""
    entry, words = ENTRIES[fault]
    ((name, value),) = entry.items()
    message = refusal(train.main, write_config(tmp_path), f"--{name.replace('_', '-')}", value)
    for word in words:
        assert word in message


def test_an_update_beyond_memory(refusal, tmp_path, monkeypatch):
    """As on a machine with a megabyte."""
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 256, "SC_PAGE_SIZE": 4096}.__getitem__)
    message = refusal(train.main, write_config(tmp_path, steps=1024))
    for word in ["lanes x steps: got 16384", "memory"]:
        assert word in message


NESTED_ALIASES = "rules:\n  a0: &a0 [x, x, x, x, x, x, x, x]\n" + "".join(
    f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 9)
)  # eight to the ninth power

# Other texts in place of a config, and words that the answer must hold.
CONFIGS = {
    "empty": (b"", ["holds no fields"]),
    "a list": (b"- 1\n", ["holds no fields"]),
    "a text": (b"schnapsen", ["holds no fields"]),
    "not YAML": (b"env: [", ["not YAML"]),
    "a tab": (b"env:\n\t- x", ["not YAML"]),
    "a date": (b"seed: 2020-13-01", ["seed: got '2020-13-01'", "whole number"]),
    "a number in base 8": (b"seed: 010", ["seed: got '010'", "whole number"]),
    "a number in base 60": (b"seed: 1:30", ["seed: got '1:30'", "whole number"]),
    "a number that is not whole": (b"seed: 1.5e0", ["seed: got 1.5", "whole number"]),
    "yes": (b"start_states: yes", ["start_states: got 'yes'", "true or false"]),
    "binary": (b"\xff\xfe\x00", ["not a text"]),
    "a picture": (b"\x89PNG\r\n\x1a\n", ["not a text"]),
    "nested aliases": (NESTED_ALIASES.encode(), ["reference", "*a"]),
    "deep lists": (b"rules: " + b"[" * 40_000, ["too deep", "20"]),
    "deep mappings": (b"rules: " + b"{a: " * 15_000 + b"}" * 15_000, ["too deep", "20"]),
    "much": (b"# " + b"x" * 200_000, ["too large", "200,002"]),
    "more": (b"# " + b"x" * 20_000_000, ["too large", "20,000,002"]),
    "a number of many digits": (b"seed: " + b"9" * 5_000, ["not YAML", "4300 digits"]),
    "a number in base 16": (b"seed: 0x" + b"f" * 50_000, ["seed: got '0xfff", "whole number"]),
    "a time by its tag": (b"seed: !!timestamp noon", ["not YAML"]),
    "no flag": (b"resume: !!bool perhaps", ["not YAML", "got 'perhaps'; expected true or false"]),
    "a flag of YAML 1.1": (b"resume: !!bool yes", ["not YAML", "got 'yes'; expected true or false"]),
    "no number at all": (b"seed: !!int ''", ["not YAML", "got ''; expected a number"]),
    "an object": (b"seed: !!python/object/apply:os.getcwd []", ["not YAML"]),
}


@pytest.mark.parametrize("fault", CONFIGS)
def test_file_that_is_no_config(fault, refusal, tmp_path):
    content, words = CONFIGS[fault]
    (tmp_path / "small.yaml").write_bytes(content)
    message = refusal(train.main, "small.yaml")
    for word in ["small.yaml", *words]:
        assert word in message


@pytest.mark.parametrize("name", shipped(ROOT / "configs"))
def test_shipped_configs_are_right(name):
    """The counter-check; each has its name, those of shipped players too."""
    found, config = find_config(name, ROOT / "configs")
    assert found == name.removeprefix("strong/")
    assert config == load_config(ROOT / "configs" / f"{name}.yaml")
    config.game.make()


# Wrong words after `train.py`, with CONFIG for a right config; then what the answer must hold.
TRAIN = {
    "": ["stichwerk train schnapsen"],
    "--seed 1": ["stichwerk train schnapsen"],
    "nowhere.yaml": ["nowhere.yaml", "there are"],
    "whist_v0": ["whist_v0", "unknown config", "schnapsen_v0"],
    "nowhere:club_v0": ["nowhere:club_v0", "unknown config"],
    ".": ["."],
    "CONFIG --colour red": ["--colour", "--help"],
    "CONFIG --sed 2": ["--sed", "--seed"],
    "CONFIG further": ["further", "--help"],
    "CONFIG --seed": ["--seed", "value"],
    "CONFIG --seed one": ["--seed: got 'one'; expected a whole number"],
    "CONFIG --seed 010": ["--seed: got '010'; expected a whole number"],
    "CONFIG --seed 1.5e0": ["--seed: got '1.5e0'; expected a whole number"],
    "CONFIG --widths 8 x": ["--widths: got 'x'; expected a whole number"],
    "CONFIG --entropy much": ["--entropy: got 'much'; expected a number"],
    "CONFIG --run runs/a,b": ["runs/a,b", "--run"],
    "CONFIG --run lr=0.1": ["lr=0.1", "--run"],
    "CONFIG --lr 7": ["learning_rate: got 7.0", "to 1"],
    "CONFIG --ppo.clip 700": ["clip: got 700.0", "to 100"],
    "CONFIG --teacher human": ["imitation_agent", "'human'"],
    "CONFIG --rate 0.1": ["--rate", "do you mean --learning-rate?"],
    "CONFIG --evaluate 5": ["--evaluate", "do you mean --evaluate-every or --evaluate-deals?"],
    "CONFIG --opponents rules": ["got 'rules'", "{latest: 0.5, rules: 0.5}"],
    "CONFIG --run small.yaml": ["small.yaml", "--run"],
    "CONFIG --run small.yaml --resume": ["small.yaml", "--run"],
    "CONFIG --run small.yaml/run": ["small.yaml/run"],
}


@pytest.mark.parametrize("line", TRAIN)
def test_wrong_words_for_train(line, refusal, tmp_path):
    config = write_config(tmp_path)
    message = refusal(train.main, *(config.name if word == "CONFIG" else word for word in line.split()))
    for word in TRAIN[line]:
        assert word in message


# Run folders


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of a run, and its config beside it."""
    write_config(tmp_path)
    return Path(shutil.copytree(finished, tmp_path / "run"))


def test_run_that_is_there_already(folder, refusal):
    message = refusal(train.main, "small.yaml", "--run", folder)
    assert str(folder) in message
    assert "--resume" in message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seed", 2),
        ("decisions", 512),
        ("lanes", 32),
        ("entropy", 0.1),
        ("rules", PRESET),
        ("widths", 8),
        ("opponents", "{rules: 1}"),
    ],
)
def test_run_of_another_config(option, value, folder, refusal):
    message = refusal(train.main, "small.yaml", f"--{option}", value, "--run", folder, "--resume")
    assert str(folder) in message
    assert option in message
    assert str(value) in message


def test_folder_that_is_no_run(refusal, tmp_path):
    write_config(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "letter.txt").write_text("keep me")
    for words in ([], ["--resume"]):
        assert "run" in refusal(train.main, "small.yaml", "--run", "run", *words)


def test_run_with_a_damaged_config(folder, refusal):
    (folder / "config.yaml").write_text("env: [")
    assert str(folder / "config.yaml") in refusal(train.main, "small.yaml", "--run", folder, "--resume")


def rewritten(change) -> Callable[[Path], None]:
    """A damage to the tensors and the metadata of a checkpoint."""

    def damage(path: Path) -> None:
        tensors = load_file(path)
        with safe_open(path, "pt") as file:
            metadata = file.metadata()
        change(tensors, metadata)
        save_file(tensors, path, metadata)

    return damage


DAMAGES = {
    "empty": (lambda path: path.write_bytes(b""), "Error while deserializing header"),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-100]), "Error while deserializing header"),
    "noise": (lambda path: path.write_bytes(b"\xff" * 1000), "Error while deserializing header"),
    "another format": (rewritten(lambda tensors, about: about.update(format="0")), "of another format"),
    "without facts": (rewritten(lambda tensors, about: about.pop("facts")), "it lacks its facts"),
    "without tensors": (rewritten(lambda tensors, about: tensors.clear()), "it must hold policy"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoint(damage, folder, refusal):
    (folder / "results.json").unlink()
    checkpoint = folder / "checkpoint.safetensors"
    make, reason = DAMAGES[damage]
    make(checkpoint)
    told = refusal(train.main, "small.yaml", "--run", folder, "--resume")
    assert str(checkpoint) in told
    assert reason in told


PAIR = {
    "a": "ppo", "b": "rules", "deals": 30, "mean": 0.1, "low": 0.0, "high": 0.2,
    "win_rate": 0.5, "win_low": 0.4, "win_high": 0.6, "roles": [],
}  # fmt: skip
ROLE = {"agent": "ppo", "role": "alone", "share": 0.5, "mean": 0.1, "low": None, "high": None}


@pytest.mark.parametrize(
    "content",
    [
        "", "{", "[]", "{}", '{"pairs": []}', '{"pairs": 7}', '{"pairs": [{"a": "ppo"}]}', "[" * 100_000,
        json.dumps({"pairs": [PAIR | {"mean": "much"}]}), json.dumps({"pairs": [PAIR | {"low": None}]}),
        json.dumps({"pairs": [PAIR | {"a": 7}]}), json.dumps({"pairs": [PAIR | {"roles": [7]}]}),
        json.dumps({"pairs": [PAIR | {"roles": [ROLE | {"share": "all"}]}]}),
    ],
)  # fmt: skip
def test_damaged_results(content, folder, refusal):
    (folder / "results.json").write_text(content)
    assert str(folder / "results.json") in refusal(train.main, "small.yaml", "--run", folder, "--resume")


@pytest.mark.parametrize(
    "row",
    ["noise", "[]", "{}", '{"kind": "update"}', '{"kind": "update", "decisions": "256"}', "[" * 100_000,
     '{"kind": "evaluation", "decisions": 256}', '{"kind": ["update"], "decisions": 256}', '{"kind": 7}',
     "\0"],
)  # fmt: skip
def test_damaged_metrics(row, folder, refusal):
    """Nor has a run that is to go on beyond its end lost its results then."""
    (folder / "metrics.jsonl").write_text(f"{row}\n")
    words = "small.yaml", "--run", folder, "--resume"
    assert str(folder / "metrics.jsonl") in refusal(train.main, *words, "--decisions", 10**6)
    (folder / "results.json").unlink()
    assert str(folder / "metrics.jsonl") in refusal(train.main, *words)


# Wrong words after `eval.py`; then what the answer must hold. `network` is one for ordinary Schnapsen.
EVAL = {
    "": ["agents: got nothing", "as in: stichwerk eval rules random"],
    "--agents": ["agents: got no value; expected one or more"],
    "--agents rules": ["rules", "two or more"],
    "--agents rules human": ["'human'", "random", "rules", "ppo:FOLDER"],
    "--agents rules random:9": ["'random:9'", "expected random"],
    "rules": ["got rules", "two or more"],
    "rules human": ["'human'", "random", "rules", "ppo:FOLDER"],
    "--agents rules random rules further --seed 1 extra": ["unknown extra", "--help"],
    "rules random --resume=yes": ["--resume: got a value; expected none"],
    "rules random --episode hand": ["--episode: got 'hand'; expected one of deal, match"],
    "--agents rules random --env Schnapsen-v0": ["'Schnapsen-v0'", "do you mean schnapsen_v0?"],
    "--agents rules random --env stichwerk/SixtySix-v0": ["do you mean sixty_six_v0?"],
    "--agents rules ppo:nowhere": ["'ppo:nowhere'", "got no folder"],
    "--agents rules ppo:network,greedy=maybe": ["greedy=maybe", "yes or no"],
    "--agents rules ppo:network --env sixty_six_v0": ["network", "'schnapsen_v0'", "'sixty_six_v0'"],
    "--agents rules random --start-states": ["start_states", "schnapsen_v0"],
    "--agents rules random --env nowhere:club_v0": ["'nowhere:club_v0'", "nowhere"],
    "--agents rules random --env whist_v0": ["'whist_v0'", "schnapsen_v0", "sixty_six_v0"],
    "--agents rules random --rules bridge": ["'bridge'", PRESET],
    "--agents rules random --rules '{joker: 1}'": ["'joker'", "must_head"],
    "--agents rules random --deals 1": ["1", "from 2"],
    "rules random --sprt 0.02 --out new": ["sprt: got 0.02; expected two numbers, such as 0,0.02"],
    "rules random --sprt 0.02,0 --out new": ["sprt: got 0.02,0", "the lower first"],
    "rules random --sprt 0,0.02 --alpha 0.7": ["alpha: got 0.7", "below 0.5"],
    "rules random --sprt 0,0.02 --until 1": ["--sprt", "--until", "one of them"],
    "rules random --until -1": ["until: got -1.0; expected a number from 0"],
    "rules random --until 1 --together": ["--until", "--together", "one of them"],
    "--agents rules random --deals 10000000000000": ["10000000000000", "to 4294967296"],
    "--agents rules random --out 'a\0b'": ["a\\x00b", "null"],
    "--agents rules random --deals 2 --out results": ["results/results.json", "--force"],
    "--agents rules random --deals 2 --out picture": ["picture/pairs.svg", "--force"],
    "--agents rules 'ppo:network\nnowhere'": ["network\\nnowhere", "got no folder"],
    "--agents rules 'human\nrace'": ["'human\\nrace'", "ppo:FOLDER"],
    "--agents rules random --rules '{a: &a [1], b: *a}'": ["{a: &a [1], b: *a}", "reference"],
    "--agents rules random --env gaigel_v0 --rules schnapsen": ["gaigel_v0: unknown preset 'schnapsen'"],
    "--agents rules random --deals many": ["--deals: got 'many'; expected a whole number"],
    "--agents rules random --deals 1.5": ["--deals: got '1.5'; expected a whole number"],
    "--agents rules random --seed -1": ["-1", "from 0"],
    "--agents rules random --colour red": ["--colour", "--help"],
    "--agents rules random --deal 5": ["--deal", "--deals"],
    "--agents rules random --deals 2 --out letter.txt": ["letter.txt"],
    "--agents rules random --deals 2 --out letter.txt/results": ["letter.txt/results"],
    "--agents rules ppo:letter.txt --out new": ["letter.txt", "got no folder"],
}


@pytest.mark.parametrize("line", EVAL)
def test_wrong_words_for_eval(line, refusal, tmp_path, game):
    save_random_network(tmp_path / "network", game)
    (tmp_path / "letter.txt").write_text("keep me")
    for folder, name in (("results", "results.json"), ("picture", "pairs.svg")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("keep me")
    message = refusal(evaluation.main, *shlex.split(line))
    for word in EVAL[line]:
        assert word in message


@pytest.mark.parametrize(
    ("main", "names"),
    [(train.main, [*SETTINGS]), (evaluation.main, [each.name for each in fields(evaluation.EvalOptions)])],
)
def test_help_names_every_option(main, names, capsys):
    assert here(main, "--help") == 0
    out = capsys.readouterr().out
    for name in names:
        assert re.search(rf"^  --{name.replace('_', '-')}[ ,]", out, re.MULTILINE), name


# The same in real processes


@pytest.mark.parametrize(
    ("script", "words", "named"),
    [
        ("train.py", ["small.yaml", "--observation", "pixels"], ["'pixels'", "summary"]),
        *slowly(("eval.py", ["--agents", "rules", "human", "--out", "out"], ["'human'", "random"])),
    ],
)
def test_status_and_one_line(script, words, named, tmp_path):
    write_config(tmp_path)
    with nothing_changes(tmp_path):
        status, out, err = command(script, *words, cwd=tmp_path)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for word in named:
        assert word in err
