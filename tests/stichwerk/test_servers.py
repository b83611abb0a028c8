"""Servers for language models refuse bad options, and say which package is missing, in one line."""

import socket
from importlib import import_module
from importlib.util import find_spec

import pytest

from tests.agents.support import command, here
from tests.envs.support import slowly


def served(*words: object) -> str:
    """The stderr of a server that ends with status 2, in a process of its own: it takes stdin and stdout."""
    status, _, err = command("-m", "stichwerk", "serve", *words)
    assert status == 2
    return err


@pytest.mark.skipif(bool(find_spec("openenv")), reason="openenv is installed")
def test_a_missing_package_is_named_with_the_command_that_installs_it():
    assert served("openenv") == 'error: openenv is not installed: pip install "stichwerk[openenv]"\n'


def test_a_taken_port_is_said_with_the_next_one(capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert here(import_module("stichwerk.commands.serve.openenv").main, "--port", port) == 2
    err = capsys.readouterr().err
    assert f"port: got {port}, which is taken; expected a free one, such as " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--opponents", "nobody"), "agent: got 'nobody'; expected one of"),
        *slowly((("--env", "whist_v0"), "environment: got 'whist_v0'; expected one of")),
        *slowly((("--hint", "nobody"), "agent: got 'nobody'; expected one of")),
    ],
)
def test_bad_options_are_refused(words, fault):
    err = served("mcp", *words)
    assert fault in err
    assert err.count("\n") == 1
