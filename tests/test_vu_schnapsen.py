"""The VU Amsterdam's Schnapsen platform, which asks for versions of its own, in an environment of its own."""

import pytest

from tests.environments import ROOT, make_environment, run_tests


@pytest.mark.slow
def test_in_an_environment_of_its_own(tmp_path):
    python = make_environment(tmp_path, ["--editable", f"{ROOT}[vu]"])
    assert "skipped" not in run_tests(python, "tests/agents/external/test_vu_schnapsen.py").splitlines()[-1]
