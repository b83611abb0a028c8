"""The project around the code: docs that say what the code does, examples that run, a light environment package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_generated_docs_are_up_to_date():
    check = subprocess.run([sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert check.returncode == 0, f"{check.stdout}; run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page):
    for example in CODE.findall(page.read_text()):
        exec(compile(example, page.name, "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_environments_need_no_training_packages():
    heavy = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tyro", "rich")
    program = f"import sys, stichwerk.envs; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
