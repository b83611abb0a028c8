"""Words that the commands refuse: one line and status 2, and everything stays as it is."""

import os
import shlex
import sys

import pytest

from stichwerk import commands
from stichwerk.envs import CardGameEnv
from tests.agents.support import nothing_changes, save_random_network, write_config
from tests.envs.records.test_records import END, played

WRONG = (
    '{"event": "game", "format": 1, "env": "schnapsen_v0", "rules": {}}\n'
    '{"event": "deal", "dealer": 0, "match": {}, "deck": ["sA"]}\n'
)


@pytest.fixture
def folder(tmp_path, game):
    """Files that the command lines name: a config, a network, records, and results of others."""
    write_config(tmp_path)
    save_random_network(tmp_path / "network", game)
    for name in ("folder", "there", "results", "picture"):
        (tmp_path / name).mkdir()
    for name in ("letter.txt", "mine.jsonl", "there/letter.txt", "results/results.json", "picture/pairs.svg"):
        (tmp_path / name).write_text("keep me\n")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "wrong.jsonl").write_text(WRONG)
    schnapsen, preferans = (
        played(CardGameEnv(env_id), 4, END) for env_id in ("schnapsen_v0", "preferans_v0")
    )
    (tmp_path / "two.jsonl").write_text(schnapsen.record() + preferans.record())
    (tmp_path / "own.jsonl").write_text(schnapsen.record(seat=1))
    return tmp_path


def test_refused_words(folder, refusals, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    # Without it a table of a game that is not compiled would have it set.
    monkeypatch.setenv("NUMBA_DISABLE_JIT", os.environ.get("NUMBA_DISABLE_JIT", "0"))

    def refuse(line: str) -> str:
        monkeypatch.setattr(sys, "argv", ["stichwerk", *shlex.split(line)])
        status = 0
        with nothing_changes(folder):
            try:
                commands.main()
            except SystemExit as end:
                status = end.code
        out, err = capfd.readouterr()
        assert (status, out) == (2, ""), line
        return err

    refusals("commands", refuse)
