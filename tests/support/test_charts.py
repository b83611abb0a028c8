"""Charts are drawn whatever backend of matplotlib the environment names."""

import subprocess
import sys

import pytest

from tests.agents.support import ROOT, command, is_picture, write_config
from tests.envs.support import slowly

# A notebook's kernel hands its own down to the commands that it starts; "nothing" is installed nowhere.
BACKENDS = ["module://matplotlib_inline.backend_inline", "module://nothing.here", "nothing"]


@pytest.mark.parametrize("backend", [BACKENDS[0], *slowly(*BACKENDS[1:])])
def test_eval_draws_without_the_backend(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", backend)
    words = ["--agents", "rules", "random", "--deals", 4, "--out", "out"]
    status, out, err = command("eval.py", *words, cwd=tmp_path)
    assert (status, err) == (0, ""), out
    assert is_picture(tmp_path / "out" / "pairs.png")


@pytest.mark.slow
def test_train_draws_without_the_backend(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "nothing")
    config = write_config(tmp_path, decisions=512, evaluate_every=1)
    status, out, err = command("train.py", config, "--run", "run", cwd=tmp_path)
    assert (status, err) == (0, ""), out
    assert is_picture(tmp_path / "run" / "curve.png")


def in_a_process(program: str, *words) -> str:
    done = subprocess.run([sys.executable, "-c", program, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_matplotlib_is_imported_only_where_it_draws():
    commands = "stichwerk.commands.train, stichwerk.commands.eval, stichwerk.commands.sweep"
    assert in_a_process(f"import sys, {commands}; print('matplotlib' in sys.modules)") == "False\n"


LATER = """
import os, sys
from pathlib import Path
from stichwerk.support.charts import chart
with chart(Path(sys.argv[1]), (3, 2)) as figure:
    figure.subplots().plot([1, 2], label="$")
import matplotlib
print(matplotlib.get_backend(), os.environ["MPLBACKEND"], matplotlib.rcParams["text.parse_math"])
print("matplotlib.pyplot" in sys.modules)
"""


def test_plots_of_others_keep_their_settings(tmp_path, monkeypatch):
    """A chart changes neither the backend nor what a $ means in other figures of the process."""
    monkeypatch.setenv("MPLBACKEND", "svg")
    assert in_a_process(LATER, tmp_path / "chart.png") == "svg svg True\nFalse\n"
    assert is_picture(tmp_path / "chart.png")
