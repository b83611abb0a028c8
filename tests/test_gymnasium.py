"""The vector environments and Gymnasium's wrappers round them, under each supported version of Gymnasium."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = "tests/envs/test_autoreset.py", "tests/agents/envs/test_vector_wrappers.py"


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.1", "1.2", "1.3", "1.4"])
def test_a_version_of_gymnasium(version, tmp_path):
    """The version lies in a folder before all others, so this environment stays as it is."""
    wanted = f"gymnasium=={version}.*"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path, wanted]
    subprocess.run(install, check=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    told = [sys.executable, "-c", "import gymnasium; print(gymnasium.__version__)"]
    found = subprocess.run(told, env=environment, capture_output=True, text=True, check=True).stdout
    assert found.startswith(f"{version}.")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5_000:]
