"""How long work shows how far it is: a bar on a terminal, lines on stderr elsewhere."""

import os
import pty
import re
import threading
import time

import pytest

from stichwerk.support.terminal.progress import ProgressLines, make_bar
from tests.agents.support import command, running, write_config

NUMBERS = r"[\d,]+ of {total} \(\d+ %\), [\d,.]+ a second, \d+:\d\d:\d\d left"

# A custom agent that takes its time.
SLOW = """
import time

def make(game):
    def act(observation, mask):
        time.sleep(0.015)
        return int(mask.argmax())

    return act
"""


def lines(capsys) -> list[str]:
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


def test_a_line_at_each_tenth(capsys):
    with ProgressLines(shortest=0.0) as bar:
        task = bar.add_task("playing", total=1_000)
        for _ in range(200):
            bar.advance(task, 5)
    told = lines(capsys)
    assert [line.split(",")[0] for line in told[1:]] == [
        f"playing: {tenth * 100} of 1" for tenth in range(2, 10)
    ]
    assert re.fullmatch("playing: " + NUMBERS.format(total="1,000"), told[-1])


def test_no_line_of_what_is_soon_over(capsys):
    with make_bar() as bar:
        task = bar.add_task("playing", total=10)
        for _ in range(10):
            bar.advance(task)
    assert lines(capsys) == []


def test_a_line_although_nothing_is_done(capsys):
    """Also of work that does not know how much it is."""
    for total, known in ((4_000, "0 of 4,000 (0 %), "), (None, "")):
        with ProgressLines(longest=0.0) as bar:
            task = bar.add_task("solving", total=total, note="still here")
            time.sleep(1.6)
            bar.update(task, note="")
        told = lines(capsys)
        assert told[0] == f"solving: {known}0:00:01 so far, still here"
    ended = threading.active_count()
    time.sleep(1.2)
    assert threading.active_count() <= ended
    assert lines(capsys) == []


def test_a_note_stands_at_the_end(capsys):
    with ProgressLines(shortest=0.0) as bar:
        task = bar.add_task("training", total=100, completed=40)
        bar.update(task, completed=60, note="512 games/s, random +1.50")
    assert lines(capsys)[-1].endswith(" left, 512 games/s, random +1.50")


@pytest.mark.slow
def test_an_evaluation_without_a_terminal(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    words = "--agents", "python:slow:make", "rules", "--deals", 40, "--block", 2
    with running("eval.py", *words, cwd=tmp_path) as process:
        first = process.stderr.readline()
        while not first.startswith("playing: "):
            assert first, process.communicate()
            first = process.stderr.readline()
        assert process.poll() is None, "it is told while it goes on"
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    for line in [first, *err.splitlines()]:
        assert re.fullmatch("playing: " + NUMBERS.format(total=80), line.rstrip()), line
    assert "of 80" not in out
    assert "game points per deal" in out


def test_the_bar_is_on_the_terminal(tmp_path):
    """On stderr, where stdout goes into a file."""
    main, other = pty.openpty()
    words = "--agents", "rules", "random", "--deals", 10
    status, out, _ = command("eval.py", *words, cwd=tmp_path, stderr=other, TERM="xterm")
    os.close(other)
    assert status == 0
    assert "━" not in out.split("┏")[0]
    with os.fdopen(main, "rb") as terminal:
        shown = terminal.read1(100_000).decode()
    assert "playing" in shown
    assert "20/20" in shown


@pytest.mark.slow
def test_trials_are_told_as_they_come(tmp_path):
    """On a pipe, too, stdout has each line at once."""
    config = write_config(tmp_path, decisions=512, evaluate_deals=10, final_deals=2)
    words = "--space", "{epochs: [1, 2]}", "--against", "random", "--deals", 10, "--trials", 1
    with running("-m", "stichwerk", "sweep", config, *words, cwd=tmp_path) as process:
        first = process.stdout.readline()
        assert process.poll() is None
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert first.startswith("Trial 0: epochs=")
