"""The first steps, as a new user takes them: every command of the page, in a folder of its own."""

import re
import shlex
from pathlib import Path

import pytest

from tests.agents.support import command

PAGE = (Path(__file__).parents[1] / "docs" / "start" / "first_steps.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_deal_is_the_one_that_is_shown(capsys):
    exec(PROGRAMS[0], {})
    assert f"```\n{capsys.readouterr().out}```" in PAGE


def test_the_first_agent_comes_to_a_first_result(tmp_path):
    evaluation, _ = re.findall(r"^stichwerk eval (.*)$", PAGE, re.MULTILINE)
    (tmp_path / "first_agent.py").write_text(PROGRAMS[-1])
    words = evaluation.replace("--deals 1000", "--deals 100").split()
    status, out, err = command("eval.py", *words, cwd=tmp_path)
    assert (status, err) == (0, ""), out
    assert "first" in out
    assert (tmp_path / "first_result" / "results.json").is_file()
    shown = re.search(r"│ first  │ +│ +(\S+) ± (\S+) │", PAGE)
    found = re.search(r"│ first  │ +│ +(\S+) ± (\S+) │", out)
    assert abs(float(shown[1]) - float(found[1])) < 3 * float(found[2]), "the result that the page shows"


@pytest.mark.slow
def test_a_network_that_learns_from_it(tmp_path):
    (training,) = re.findall(r"^stichwerk train (.*)$", PAGE, re.MULTILINE)
    _, evaluation = re.findall(r"^stichwerk eval (.*)$", PAGE, re.MULTILINE)
    (tmp_path / "first_agent.py").write_text(PROGRAMS[-1])
    few = "--decisions 1 --evaluate_deals 2 --final_deals 2"
    status, out, err = command("train.py", *shlex.split(f"{training} {few}"), cwd=tmp_path)
    assert (status, err) == (0, ""), out
    words = evaluation.replace("--deals 1000", "--deals 10").split()
    status, out, err = command("eval.py", *words, cwd=tmp_path)
    assert (status, err) == (0, ""), out
