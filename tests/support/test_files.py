"""Files on a disk that is full: no part of a text stays, and every error names its file."""

import random
from contextlib import nullcontext
from pathlib import Path

import pytest

from stichwerk.commands import eval as evaluation
from stichwerk.commands import show, tournament
from stichwerk.support.files import GrowingFile, write_csv, write_json, write_together
from tests.agents.support import here
from tests.support.limits import files_of_at_most


@pytest.mark.parametrize("seed", range(5))
def test_a_file_that_grows_holds_whole_texts(seed, tmp_path):
    rng, path = random.Random(seed), tmp_path / "new" / "file"
    file, texts, ends = GrowingFile(path), [], [0]
    for _ in range(50):
        text = rng.choice("aéx") * rng.randrange(300) + "\n"
        limit = rng.choice((10**6, file.end + rng.randrange(200)))
        fits = file.end + len(text.encode()) <= limit
        with files_of_at_most(limit), nullcontext() if fits else pytest.raises(OSError, match=str(path)):
            file.add(text)
        if fits:
            texts.append(text)
            ends.append(file.end)
        if rng.random() < 0.1:
            del texts[(kept := rng.randrange(len(ends))) :], ends[kept + 1 :]
            file.cut(ends[-1])
        assert path.read_text() == "".join(texts)
    file.close()
    again = GrowingFile(path, ends[len(texts) // 2])
    again.add("end")
    again.move(tmp_path / "moved")
    again.add("!")
    again.close()
    assert (tmp_path / "moved").read_text() == "".join(texts[: len(texts) // 2]) + "end!"
    assert not path.exists()


WRITERS = {
    "json": lambda path: write_json(path, {"x": "y" * 1000}),
    "csv": lambda path: write_csv(path, [{"x": "y" * 1000}]),
    "bytes": lambda path: write_together({path: b"x" * 1000}),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_cannot_be_written_stays_as_it_was(name, tmp_path):
    path = tmp_path / "file"
    path.write_text("before")
    with files_of_at_most(random.Random(name).randrange(1000)), pytest.raises(OSError, match="too large"):
        WRITERS[name](path)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["before"]


DEALS = ["--agents", "rules", "random", "--deals", 2]
COMMANDS = {
    "eval": (evaluation.main, [*DEALS, "--records", "--worst", 1, "--keep-deals", "--out", "out"]),
    "tournament": (tournament.main, [*DEALS, "--out", "out"]),
    "show --jsonl": (show.main, ["deals.jsonl", "--jsonl", "out"]),
    "show --svg": (show.main, ["deals.jsonl", "--deal", 1, "--svg", "out"]),
}


@pytest.fixture(scope="module")
def deals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deals")
    assert here(evaluation.main, *DEALS, "--records", "--out", folder) == 0
    return folder / "deals.jsonl"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_name_the_file_that_cannot_be_written(name, deals, tmp_path, monkeypatch, capsys):
    main, words = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    Path("deals.jsonl").write_bytes(deals.read_bytes())
    with files_of_at_most(random.Random(name).randrange(300)):
        assert here(main, *words) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: out")
    assert last.endswith(": File too large")
    assert not list(tmp_path.rglob("*.part"))
