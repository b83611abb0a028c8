"""The record of tables grows deal by deal, whatever becomes of the process, the deals and the disk."""

import os
import random
import signal
import time

import pytest

from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.table.records.recorder import Recorder
from stichwerk.table.serving.rooms import Rooms
from stichwerk.table.table import Table
from tests.started import start
from tests.support.limits import files_of_at_most


def over(table: Table) -> list:
    return [deal for deal in table.deals() if deal.points is not None]


def results_in(path) -> int:
    return path.read_text().count('"event": "result"') if path.exists() else 0


def test_finished_deals_survive_kill_9(tmp_path):
    path = tmp_path / "own.jsonl"
    words = "play", "--terminal", "--against", "random", "--record", path
    with (
        open(os.devnull, "w") as nothing,
        start("-m", "stichwerk", *words, stdout=nothing.fileno()) as process,
    ):
        end = time.monotonic() + 60
        while results_in(path) < 10 and time.monotonic() < end:
            process.stdin.write("1\n\n")
            process.stdin.flush()
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    deals = [*read_file(path)]
    assert len(deals) >= 10
    for number, (game, deal) in enumerate(deals):
        RecordReplay(game).check(deal)
        assert (deal.number, deal.points is None) == (number, False)


@pytest.mark.parametrize("seed", range(2))
def test_the_file_holds_all_deals_played(seed, tmp_path):
    """At any time, also where deals are taken back and the tables are several."""
    rng, path = random.Random(seed), tmp_path / "new" / "own.jsonl"
    env_id = rng.choice(sorted(GAMES))
    game = make_game(env_id)
    seats = [None, *["random"] * (game.seats - 1)]
    recorder = Recorder(path)
    tables = [Table(game, seats, rng.choice(("deal", "match")), seed + place) for place in range(2)]
    rooms = Rooms()
    recorder.watch(tables[0])
    rooms.open_beside(rooms.open(tables[0]), tables[1])
    for _ in range(150):
        table = rng.choice(tables)
        table.move_agents()
        if rng.random() < 0.1 and table.message(0)["can_undo"]:
            table.undo(0)
        elif table.result:
            table.next_deal(0)
        else:
            table.act(0, str(rng.choice(table.legal(0))))
        assert results_in(path) == sum(len(over(each)) for each in tables)
    held = [deal for _, deal in read_file(path)]
    for table in tables:
        deals = over(table)
        assert deals
        assert [deal for deal in held if deal in deals] == deals
    recorder.close()
    held = [deal for _, deal in read_file(path)]
    assert len(held) == sum(len(table.deals()) for table in tables)
    assert all(deal in held for table in tables for deal in table.deals())


def test_the_file_of_one_table_equals_its_record(tmp_path):
    path = tmp_path / "own.jsonl"
    recorder, table = Recorder(path), Table(make_game("schnapsen_v0"), ["random", "rules"], seed=1)
    recorder.watch(table)
    assert not path.exists()
    for _ in range(60):
        table.go_on()
        if deals := over(table):
            assert path.read_text() == write_records(table.game, deals)
    recorder.close()
    assert path.read_text() == table.record()


def test_writing_resumes_after_a_full_disk(tmp_path, capsys):
    """The error is printed once, in a line that names the file, and the deals are written later."""
    path = tmp_path / "own.jsonl"
    recorder, table = Recorder(path), Table(make_game("schnapsen_v0"), ["random", "rules"], seed=1)
    recorder.watch(table)
    with files_of_at_most(4_000):
        while len(over(table)) < 6:
            table.go_on()
        held = [deal for _, deal in read_file(path)]
        with pytest.raises(OSError, match=r"own\.jsonl"):
            recorder.close()
    assert 0 < len(held) < 6
    assert held == over(table)[: len(held)]
    assert capsys.readouterr().err == (
        f"warning: record {path}: File too large; it is tried again after the next deal\n"
    )
    recorder.close()
    assert path.read_text() == table.record()
