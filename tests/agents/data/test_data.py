"""Data sets: what is written is what was played, shards can be gone on with, and readers agree."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.envs import make_game
from stichwerk.envs.deal import Deal
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError
from tests.agents.support import here, nothing_changes

pytest.importorskip("pyarrow")

from stichwerk.agents.data.columns import Packed
from stichwerk.agents.data.folder import SPLITS, read_manifest, split_numbers
from stichwerk.agents.data.reading import game_of, read, records_of
from stichwerk.agents.data.sources import line_ups
from stichwerk.commands.export import data as command

DEALS = ["--deals", "60", "--shard", "25"]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Two agents in both line-ups of 60 deals of Schnapsen, in three shards."""
    folder = tmp_path_factory.mktemp("data") / "set"
    assert here(command.main, "rules", "random", *DEALS, "--out", folder) == 0
    return folder


def test_packed_observations_are_as_they_were():
    rng = np.random.default_rng(1)
    observation = rng.choice(np.array([0, 1, 0.5, 2, 1e-7], np.float32), (30, 19))
    packed = Packed.of(observation)
    assert (packed.observation(19) == observation).all()
    assert packed.ones.shape == (30, 3)
    assert packed.counts.sum() == len(packed.values) == (~np.isin(observation, (0, 1))).sum()


def test_every_agent_takes_every_side():
    for env_id, agents in (("schnapsen_v0", 1), ("schnapsen_v0", 3), ("gaigel_v0", 2), ("preferans_v0", 3)):
        game = make_game(env_id)
        seatings = line_ups(game, agents)
        for number in range(agents):
            sides = {
                side
                for seating in seatings
                for side, own in zip(game.sides, seating, strict=True)
                if own == number
            }
            assert sides == {*game.sides}
        for seating in seatings:  # partners are one agent
            assert len({*zip(game.sides, seating, strict=True)}) == len({*game.sides})


@pytest.mark.parametrize("split", SPLITS)
def test_each_row_is_a_decision_of_its_deal(made, split):
    """Played again, each deal shows the observations, masks and points that its rows hold, and the agent that
    needs no chance would do the same."""
    decisions = read(made, split, verify=True)
    game, arrays = game_of(decisions.manifest), decisions.arrays
    assert {*arrays["policy"]} == {"rules", "random"}
    deals = sorted({*arrays["deal"].tolist()})
    assert {int(each) for each in split_numbers(np.array(deals))} == {[*SPLITS].index(split)}
    rules, replay, row = make_agent_for("rules", game), RecordReplay(game), 0
    for deal in deals[:6]:
        for record in records_of(decisions, [deal]):
            for step, move in enumerate(record.moves):
                states = replay.at(record, step)
                turn = Turns.one(replay.view(states, move.seat), move.seat, decisions.action_mask[row])
                assert (turn.observation(game)[0] == decisions.observation[row]).all()
                assert replay.legal(states) == [
                    str(game.actions[action]) for action in np.flatnonzero(decisions.action_mask[row])
                ]
                found = {name: arrays[name][row] for name in arrays}
                assert (found["deal"], found["step"], found["seat"]) == (deal, step, move.seat)
                assert found["policy"] == record.players[move.seat]
                assert str(game.actions[found["action"]]) == move.action
                if found["policy"] == "rules":
                    assert rules.act(turn)[0] == found["action"]
                own = [place for place, each in enumerate(record.moves) if each.seat == move.seat]
                assert found["last"] == (step == own[-1])
                assert found["return"] == record.points[move.seat]
                assert found["reward"] == (found["return"] if found["last"] else 0)
                row += 1


def test_the_manifest_names_what_is_there(made):
    manifest = read_manifest(made)
    assert manifest["complete"]
    files = {str(path.relative_to(made)) for path in made.rglob("*.parquet")}
    assert files == {shard["file"] for shard in manifest["shards"]}
    assert len(files) == 9
    assert sum(manifest["rows"].values()) == sum(shard["rows"] for shard in manifest["shards"])
    last = manifest["observation"]["features"][-1]
    assert last["first"] + last["size"] == manifest["observation"]["size"]


def test_it_is_gone_on_with_after_any_shard(made, tmp_path, capsys):
    """With the same bytes in the end."""
    again = tmp_path / "again"
    shutil.copytree(made, again)
    manifest = read_manifest(again)
    manifest["shards"] = [shard for shard in manifest["shards"] if shard["number"] == 0]
    manifest["rows"] = {shard["split"]: shard["rows"] for shard in manifest["shards"]}
    manifest["complete"] = False
    (again / "dataset.json").write_text(json.dumps(manifest))
    (again / "train" / "00001.parquet").unlink()
    (again / "train" / "00002.parquet").write_bytes(b"half a")
    assert here(command.main, "rules", "random", *DEALS, "--resume", "--out", again) == 0
    for path in made.rglob("*.parquet"):
        assert path.read_bytes() == (again / path.relative_to(made)).read_bytes()
    assert read_manifest(again) == read_manifest(made)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rules", "random", *DEALS], "already exists: add --resume"),
        (["rules", "random", *DEALS, "--seed", "2", "--resume"], "was begun with seed=1, not 2"),
        (["rules", *DEALS, "--resume"], "was begun with policies="),
        (["rules", "--deals", "0"], "deals: got 0"),
        (["rules", "--observation", "all"], "all"),
        (["rules", "--record", "x.jsonl"], "agents: got it with --record"),
    ],
)
def test_what_cannot_be_done_is_refused(words, says, made, capsys):
    with nothing_changes(made):
        assert here(command.main, *words, "--out", made) == 2
    assert says in capsys.readouterr().err


def test_a_changed_shard_is_noticed(made, tmp_path, capsys):
    broken = tmp_path / "broken"
    shutil.copytree(made, broken)
    with open(broken / "test" / "00001.parquet", "ab") as file:
        file.write(b".")
    assert here(command.main, "rules", "random", *DEALS, "--resume", "--out", broken) == 2
    assert "00001.parquet: got another content" in capsys.readouterr().err


@pytest.mark.parametrize(
    "changed",
    [{"shards": 3}, {"rows": None}, {"shards": [{"file": "../train.parquet"}]}, {"shards": [[]]}],
    ids=str,
)
def test_a_manifest_of_another_form_is_refused(changed, made, tmp_path):
    """Such as one that names files outside its folder."""
    (tmp_path / "dataset.json").write_text(json.dumps(read_manifest(made) | changed))
    with pytest.raises(InputError, match="expected"):
        read(tmp_path)


def test_records_may_have_any_number_of_players(tmp_path):
    deal = Deal("schnapsen", seed=3)
    while not deal.is_over:
        deal.push(deal.legal_actions[0])
    players = [(f"person {number}", f"person {number + 1}") for number in range(0, 400, 2)]
    file = tmp_path / "deals.jsonl"
    file.write_text(write_records(deal.game, [replace(deal.record(), players=each) for each in players]))
    assert here(command.main, "--record", file, "--out", tmp_path / "set") == 0
    found = read(tmp_path / "set").arrays
    assert found["policy"][0].startswith("person ")
    for number, seat, policy in zip(found["deal"], found["seat"], found["policy"], strict=True):
        assert policy == players[number][seat]


def test_records_become_rows(tmp_path, capsys):
    """Of a record for one seat only this seat's decisions: other cards in it are drawn at random."""
    deal = Deal("schnapsen", seed=3)
    while not deal.is_over:
        deal.push(deal.legal_actions[0])
    whole, own = deal.record(), deal.record(1)
    file = tmp_path / "deals.jsonl"
    file.write_text(write_records(deal.game, [whole, own]))
    assert here(command.main, "--record", file, "--out", tmp_path / "set") == 0
    found = read(tmp_path / "set").arrays
    of_whole, of_own = found["deal"] == 0, found["deal"] == 1
    assert found["seat"][of_whole].tolist() == [move.seat for move in whole.moves]
    assert {*found["seat"][of_own].tolist()} == {1}
    assert found["action"][of_own].tolist() == found["action"][of_whole & (found["seat"] == 1)].tolist()
    unfinished = Deal("schnapsen", seed=4)
    file.write_text(write_records(deal.game, [whole, unfinished.record()]))
    assert here(command.main, "--record", file, "--out", tmp_path / "other") == 2
    assert "deal 2: got an unfinished one" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_the_card_reads_the_data_without_the_suite(made, monkeypatch):
    """Its program gives what the reader gives."""
    pytest.importorskip("polars")
    card = (made / "README.md").read_text()
    program = re.search(r"```python\n(.*?)```", card, re.DOTALL)[1]
    assert len([line for line in program.splitlines() if line]) <= 10
    monkeypatch.chdir(made)
    names: dict = {}
    exec(program, names)
    ours = read(made)
    assert (names["observation"] == ours.observation).all()
    assert (names["action_mask"] == ours.action_mask).all()
    assert (names["action"] == ours.arrays["action"]).all()
