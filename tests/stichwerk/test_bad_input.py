"""Configs, run folders and other files that the commands refuse: one line and status 2, and everything stays
as it is. The lines are in `tests/refusals`."""

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
from tests.agents.support import ROOT, command, here, nothing_changes, write_config


@pytest.fixture
def refusal(tmp_path, monkeypatch, capfd):
    """`refusal(words)`: the line with which `train` refuses them, in the folder of the test."""
    monkeypatch.chdir(tmp_path)

    def refuse(*words) -> str:
        capfd.readouterr()
        with nothing_changes(tmp_path):
            assert here(train.main, *words) == 2, words
        err = capfd.readouterr().err
        assert err.startswith("error: ")
        assert len(err) < 2_100
        return err

    return refuse


# Entries that YAML cannot hold, or not in short.
ENTRIES = {
    "a long text": {"rules": "x" * 90_000},
    "a long list": {"rules": {"claims": ["free"] * 9_000}},
    "a long opponent": {"opponents": {"x" * 90_000: 1}},
    "a name of many letters": {"run": "x" * 5_000},
    "half a letter in the run folder": {"run": "runs/\udcff"},
    "layers without end": {"widths": [8] * 5_000},
    "reward scale of many digits": {"reward_scale": 10**400},
    "share of many digits": {"opponents": {"rules": 10**400}},
    "share of many digits beside another": {"opponents": {"latest": 0.5, "rules": 10**400}},
}


def test_wrong_entries_of_the_config(refusal, refusals, tmp_path):
    refusals("config_entries", lambda entry: refusal(write_config(tmp_path, **entry).name), ENTRIES)


def test_an_update_beyond_memory(refusal, tmp_path, monkeypatch):
    """As on a machine with a megabyte."""
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 256, "SC_PAGE_SIZE": 4096}.__getitem__)
    message = refusal(write_config(tmp_path, steps=1024))
    for word in ["lanes x steps: got 16384", "memory"]:
        assert word in message


NESTED_ALIASES = "rules:\n  a0: &a0 [x, x, x, x, x, x, x, x]\n" + "".join(
    f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 9)
)  # eight to the ninth power

# Other texts in place of a config.
CONFIGS = {
    "empty": b"",
    "a list": b"- 1\n",
    "a text": b"schnapsen",
    "not YAML": b"env: [",
    "a tab": b"env:\n\t- x",
    "a date": b"seed: 2020-13-01",
    "a number in base 8": b"seed: 010",
    "a number in base 60": b"seed: 1:30",
    "a number that is not whole": b"seed: 1.5e0",
    "yes": b"start_states: yes",
    "binary": b"\xff\xfe\x00",
    "a picture": b"\x89PNG\r\n\x1a\n",
    "nested aliases": NESTED_ALIASES.encode(),
    "deep lists": b"rules: " + b"[" * 40_000,
    "deep mappings": b"rules: " + b"{a: " * 15_000 + b"}" * 15_000,
    "much": b"# " + b"x" * 200_000,
    "more": b"# " + b"x" * 20_000_000,
    "a number of many digits": b"seed: " + b"9" * 5_000,
    "a number in base 16": b"seed: 0x" + b"f" * 50_000,
    "a time by its tag": b"seed: !!timestamp noon",
    "no flag": b"resume: !!bool perhaps",
    "a flag of YAML 1.1": b"resume: !!bool yes",
    "no number at all": b"seed: !!int ''",
    "an object": b"seed: !!python/object/apply:os.getcwd []",
}


def test_files_that_are_no_config(refusal, refusals, tmp_path):
    def refuse(content: bytes) -> str:
        (tmp_path / "small.yaml").write_bytes(content)
        return refusal("small.yaml")

    refusals("configs", refuse, CONFIGS)


def test_shipped_configs_are_right():
    """The counter-check; each has its name, those of shipped players too."""
    for name in shipped(ROOT / "configs"):
        found, config = find_config(name, ROOT / "configs")
        assert found == name.removeprefix("strong/")
        assert config == load_config(ROOT / "configs" / f"{name}.yaml")
        config.game.make()


# Run folders


def rewritten(change) -> Callable[[Path], None]:
    """A damage to the tensors and the metadata of a checkpoint."""

    def damage(run: Path) -> None:
        path = run / "checkpoint.safetensors"
        tensors = load_file(path)
        with safe_open(path, "pt") as file:
            metadata = file.metadata()
        change(tensors, metadata)
        save_file(tensors, path, metadata)
        (run / "results.json").unlink()

    return damage


def file(name: str, content: str | Callable[[bytes], bytes], *lost: str) -> Callable[[Path], None]:
    """Another content of one file; others are lost."""

    def damage(run: Path) -> None:
        path = run / name
        path.write_bytes(content(path.read_bytes()) if callable(content) else f"{content}\n".encode())
        for each in lost:
            (run / each).unlink()

    return damage


def a_letter(run: Path) -> None:
    """A folder that is no run."""
    shutil.rmtree(run)
    run.mkdir()
    (run / "letter.txt").write_text("keep me")


PAIR = {
    "a": "ppo", "b": "rules", "deals": 30, "mean": 0.1, "low": 0.0, "high": 0.2,
    "win_rate": 0.5, "win_low": 0.4, "win_high": 0.6, "roles": [],
}  # fmt: skip
ROLE = {"agent": "ppo", "role": "alone", "share": 0.5, "mean": 0.1, "low": None, "high": None}
PAIRS = [{"mean": "much"}, {"low": None}, {"a": 7}, {"roles": [7]}, {"roles": [ROLE | {"share": "all"}]}]
RESULTS = {
    **{text[:20]: text for text in ["", "{", "[]", "{}", '{"pairs": []}', '{"pairs": 7}', "[" * 100_000]},
    "short": '{"pairs": [{"a": "ppo"}]}',
    **{f"with {wrong}": json.dumps({"pairs": [PAIR | wrong]}) for wrong in PAIRS},
}
ROWS = [
    *["noise", "[]", "{}", '{"kind": "update"}', '{"kind": "update", "decisions": "256"}', "[" * 100_000],
    *[
        '{"kind": "evaluation", "decisions": 256}',
        '{"kind": ["update"], "decisions": 256}',
        '{"kind": 7}',
        "\0",
    ],
]
CHECKPOINT = "checkpoint.safetensors"
# What happens to a run, and the words with which it is to go on.
RUNS = {
    "there already": (lambda run: None, ""),
    "no run": (a_letter, ""),
    "no run to go on with": (a_letter, "--resume"),
    **{
        f"another config: {words}": (lambda run: None, f"--resume {words}")
        for words in ("--seed 2", "--decisions 512", "--lanes 32", "--entropy 0.1", "--widths 8")
    },
    "other rules": (lambda run: None, "--resume --rules schnapsen_tournament"),
    "other opponents": (lambda run: None, '--resume --opponents {"rules":1}'),
    "config": (file("config.yaml", "env: ["), "--resume"),
    "empty checkpoint": (file(CHECKPOINT, lambda data: b"", "results.json"), "--resume"),
    "checkpoint cut off": (file(CHECKPOINT, lambda data: data[:-100], "results.json"), "--resume"),
    "noise for a checkpoint": (file(CHECKPOINT, lambda data: b"\xff" * 1000, "results.json"), "--resume"),
    "checkpoint of another format": (rewritten(lambda tensors, about: about.update(format="0")), "--resume"),
    "checkpoint without facts": (rewritten(lambda tensors, about: about.pop("facts")), "--resume"),
    "checkpoint without tensors": (rewritten(lambda tensors, about: tensors.clear()), "--resume"),
    **{f"results {name}": (file("results.json", text), "--resume") for name, text in RESULTS.items()},
    **{
        f"metrics {row[:60]}{end}": (file("metrics.jsonl", row, *lost), words)
        for row in ROWS
        for end, lost, words in (
            (" beyond the end", [], "--resume --decisions 1000000"),
            ("", ["results.json"], "--resume"),
        )
    },
}


def test_damaged_runs(refusal, refusals, finished, tmp_path):
    write_config(tmp_path)

    def refuse(case: tuple[Callable[[Path], None], str]) -> str:
        damage, words = case
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        damage(Path(shutil.copytree(finished, tmp_path / "run")))
        return refusal("small.yaml", "--run", "run", *shlex.split(words))

    refusals("runs", refuse, RUNS)


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "words", "named"),
    [
        ("train.py", ["small.yaml", "--observation", "pixels"], ["'pixels'", "summary"]),
        ("eval.py", ["--agents", "rules", "human", "--out", "out"], ["'human'", "random"]),
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
