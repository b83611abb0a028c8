"""`stichwerk serve openenv`: a seat is played by address, where the package is there."""

import subprocess
import sys
from contextlib import closing, contextmanager
from socket import socket

import pytest

pytest.importorskip("openenv", reason="the extra openenv is for an environment of its own")

from openenv.core.generic_client import GenericEnvClient

from stichwerk.agents.language import TextGame


@contextmanager
def served(*words):
    """The address of a server in a process of its own."""
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "stichwerk", "serve", "openenv", "--port", str(port), *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr:
                if "startup complete" in line:
                    break
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def test_deals_are_played_by_address():
    expected = TextGame("schnapsen_v0", 0, "random")
    with (
        served("--opponents", "random", "--seat", "0") as address,
        GenericEnvClient(address).sync() as client,
    ):
        for seed in (3, 4):
            result = client.reset(seed=seed)
            assert result.observation["text"] == expected.reset(seed)
            done = result.done
            while not done:
                assert tuple(result.observation["legal_actions"]) == expected.legal
                reply = expected.answer("ACTION: 1")
                result = client.step({"answer": "ACTION: 1"})
                done = result.done
                assert (result.observation["text"], result.reward, done) == reply
        assert client.state()["step_count"] > 0


def test_several_clients_play_deals_of_their_own():
    with (
        served("--opponents", "random", "--seat", "0") as address,
        GenericEnvClient(address).sync() as one,
        GenericEnvClient(address).sync() as two,
    ):
        questions = [client.reset(seed=5).observation["text"] for client in (one, two)]
        assert questions[0] == questions[1]
        one.step({"answer": 1})
        assert two.step({"answer": "I resign"}).observation["text"].startswith("got 'I resign'")


def test_a_session_sees_a_deal_from_one_seat_only():
    """Without `--seat` it moves on with every deal; a seed begins again with the first seat."""
    with served("--opponents", "random") as address, GenericEnvClient(address).sync() as client:
        seats: dict[str, int] = {}
        for seed in (7, None, 7, None, None, 7, 8, 7):
            seen = client.reset(**({} if seed is None else {"seed": seed})).observation
            assert seats.setdefault(seen["text"], seen["seat"]) == seen["seat"]
        assert (len(seats), set(seats.values())) == (4, {0, 1})
