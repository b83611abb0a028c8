"""Each folder belongs to the command that has made it: every other one is refused before it writes."""

import json
import shutil
from pathlib import Path

import pytest

from stichwerk.agents.evaluation.reports.report import read_results
from stichwerk.commands import eval as evaluation
from stichwerk.commands import sweep, train
from stichwerk.commands.export import network as export
from stichwerk.support.files import kind_of, owner_of
from tests.agents.support import command, here, nothing_changes, read_rows, tree, write_config

BRIEF = {"decisions": 512, "evaluate_deals": 10, "final_deals": 2, "evaluate_every": 1}
CONFIG = "CONFIG"
COMMANDS = {
    "run": [(train.main, [CONFIG, "--run"]), (train.main, [CONFIG, "--resume", "--run"])],
    "seeds": [(train.main, [CONFIG, "--seeds", 1, 2, "--run"])],
    "sweep": [
        (sweep.main, [CONFIG, "--trials", 1, "--run"]),
        (sweep.main, [CONFIG, "--trials", 1, "--resume", "--run"]),
    ],
    "results": [
        (evaluation.main, ["--agents", "rules", "random", "--deals", 10, "--out"]),
        (evaluation.main, ["--agents", "rules", "random", "--deals", 10, "--force", "--out"]),
        (evaluation.main, ["--agents", "rules", "random", "--deals", 10, "--resume", "--out"]),
    ],
}
PARTS = {
    "run": ["best", "last", "tensorboard/new"],
    "seeds": ["7", "007/deep"],
    "sweep": ["trials", "trials/9"],
}
OWNERS = [
    "run",
    "unfinished run",
    "run without marks",
    "seeds",
    "old seeds",
    "sweep",
    "results",
    "lone table",
]


@pytest.fixture(scope="module")
def made(finished, tmp_path_factory) -> Path:
    """A folder of each kind, made by its command or as an earlier version left it."""
    folder = tmp_path_factory.mktemp("made")
    config = write_config(folder, **BRIEF)
    shutil.copytree(finished, folder / "run")
    shutil.copytree(finished, folder / "unfinished run")
    (folder / "unfinished run" / "results.json").unlink()
    shutil.copytree(finished, folder / "run without marks")
    for name in (".lock", "results.json", "checkpoint.safetensors"):
        (folder / "run without marks" / name).unlink()
    assert here(train.main, config, "--seeds", 1, "--run", folder / "seeds") == 0
    shutil.copytree(folder / "seeds", folder / "old seeds")
    (folder / "old seeds" / "seeds.yaml").unlink()
    space = "--space", "{epochs: [1, 2]}", "--against", "random", "--deals", 10
    assert here(sweep.main, config, *space, "--trials", 1, "--run", folder / "sweep") == 0
    words = "--agents", "rules", "random", "--deals", 10
    assert here(evaluation.main, *words, "--out", folder / "results") == 0
    (folder / "lone table").mkdir()
    shutil.copy(folder / "results" / "pairs.csv", folder / "lone table")
    return folder


def kind(owner: str) -> str:
    return {"lone table": "results"}.get(owner, owner.split()[owner.startswith(("unfinished", "old"))])


def refused(main, words, place: Path, made: Path, capsys) -> str:
    """The line with which a command is refused, which changes nothing."""
    words = [made / "small.yaml" if word == CONFIG else word for word in words]
    with nothing_changes(made):
        assert here(main, *words, place) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("by", COMMANDS)
def test_no_command_takes_the_folder_of_another(by, owner, made, capsys):
    place = made / owner
    assert owner_of(place) == (kind(owner), place)
    if by == kind(owner):
        pytest.skip("its own")
    for main, words in COMMANDS[by]:
        err = refused(main, words, place, made, capsys)
        assert err.startswith(
            f"error: {by} folder {place}: got a {kind(owner)} folder; expected a new one, or"
        )


@pytest.mark.parametrize("owner", PARTS)
@pytest.mark.parametrize("by", COMMANDS)
def test_no_command_takes_a_part_of_another_s_folder(by, owner, made, capsys):
    for part in PARTS[owner]:
        for main, words in COMMANDS[by]:
            err = refused(main, words, made / owner / part, made, capsys)
            assert f"got a part of the {owner} folder {made / owner}; expected a separate folder" in err


@pytest.mark.parametrize("owner", OWNERS)
def test_no_network_is_exported_into_a_folder(owner, made, capsys):
    words = "--agent", f"ppo:{made / 'run' / 'best'}", "--force", "--out"
    for name in ("network.onnx", "results.json", "config.yaml"):
        err = refused(export.main, words, made / owner / name, made, capsys)
        assert f"got a place in the {kind(owner)} folder {made / owner}" in err


@pytest.mark.slow
def test_in_real_processes(made):
    with nothing_changes(made):
        words = "--agents", "rules", "random", "--deals", 10, "--force", "--out", "unfinished run"
        assert command("eval.py", *words, cwd=made)[0] == 2
        assert command("train.py", "small.yaml", "--run", "results", "--resume", cwd=made)[0] == 2


@pytest.mark.parametrize("owner", ["seeds", "old seeds"])
def test_a_folder_of_seeds_takes_others_beside_its_own(owner, made, tmp_path, capsys):
    place = Path(shutil.copytree(made / owner, tmp_path / "runs"))
    words = made / "small.yaml", "--run", place, "--seeds"
    for others, says in [
        (["2"], f"seeds folder {place} already exists: add --resume"),
        (["2", "3", "--resume"], f"--seeds: got 2 3; expected 1 too, which seeds folder {place} has"),
    ]:
        with nothing_changes(tmp_path):
            assert here(train.main, *words, *others) == 2
        assert says in capsys.readouterr().err
    assert here(train.main, *words, "2", "1", "--resume") == 0
    assert "seeds:\n- 2\n- 1\n" in (place / "seeds.yaml").read_text()
    assert tree(place / "1") == tree(made / owner / "1")


def test_other_folders_are_free(made, tmp_path):
    """Also those beside runs, inside of a run or of a seed's run, and in a project with a config.yaml."""
    (tmp_path / "config.yaml").write_text("colour: red\n")
    for place in (tmp_path, tmp_path / "1", made / "run" / "measured", made / "seeds" / "1" / "measured"):
        assert owner_of(place) is None
        assert kind_of(place) == ""
    shutil.copytree(made / "run", tmp_path / "run")
    words = "--agents", "rules", "random", "--deals", 10, "--out", tmp_path / "run" / "measured"
    assert here(evaluation.main, *words) == 0
    assert kind_of(tmp_path / "run" / "measured") == "results"


def test_a_foreign_table_does_not_finish_a_run(finished, made, tmp_path, capsys):
    """As version 0.1 let `eval` write one into a run folder: the run goes on, and the table at its end is its
    own."""
    config, run = write_config(tmp_path), tmp_path / "run"
    assert here(train.main, config, "--run", run, "--decisions", 2_000) == 0
    shutil.copy(made / "results" / "results.json", run)
    text = (run / "config.yaml").read_text().replace(" decisions: 2000\n", " decisions: 6000\n")
    (run / "config.yaml").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert here(train.main, config, "--run", run, "--resume") == 0
    out = capsys.readouterr().out
    assert "finished before" not in out
    assert f"{run / 'results.json'} belongs to another run" in out
    assert read_rows(run)[-1]["decisions"] >= 6_000
    assert [result.a for result in read_results(run / "results.json")] == ["ppo", "ppo"]


def test_a_finished_run_does_not_show_a_foreign_table(finished, made, tmp_path, capsys):
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    shutil.copy(made / "results" / "results.json", run)
    assert here(train.main, finished.parent / "small.yaml", "--run", run, "--resume") == 0
    assert tree(run)["results.json"] == tree(finished)["results.json"]
    assert "finished before" not in capsys.readouterr().out
    assert here(train.main, finished.parent / "small.yaml", "--run", run, "--resume") == 0
    assert "finished before" in capsys.readouterr().out
    assert "run_codes" in json.loads((run / "results.json").read_text())
