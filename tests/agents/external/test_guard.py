"""Custom agents that end, stop or move the command that runs them."""

import json
import os
import time
from contextlib import suppress

import pytest

from stichwerk.agents import Agent, AgentError, as_agent
from stichwerk.agents.external import custom as own
from stichwerk.agents.external.custom import CustomAgent
from stichwerk.agents.external.guard import Guard
from stichwerk.commands import eval as evaluation
from stichwerk.commands import train
from stichwerk.envs import InputError, make_game, schnapsen_v0
from tests.agents.support import command, here, write_config

GAME = make_game("schnapsen_v0")


class Oddity(BaseException):
    """No Exception, and without words of its own."""

    def __str__(self):
        raise ZeroDivisionError


FAULTS = [SystemExit, GeneratorExit, Oddity, RecursionError, MemoryError]
each_fault = pytest.mark.parametrize("fault", FAULTS)


def first_legal(observation, mask):
    return int(mask.argmax())


class Plain:
    def act(self, turns):
        return turns.mask.argmax(axis=1)


class Unnamed(Plain, Agent):
    def __init__(self):
        """Without what an Agent begins with."""


def raising(fault, *names, base=Plain):
    """An object of a class in which reading these names raises."""

    def look(self):
        raise fault

    return type("Raising", (base,), {name: property(look) for name in names})()


def play(player):
    agent = as_agent(player, GAME, "mine").fresh()
    agent.seed(1)
    env = schnapsen_v0.raw_env()
    env.reset(seed=1)
    return agent.act_in(env)


# Crashes


@each_fault
@pytest.mark.parametrize("name", ["act", "seed", "random", "__deepcopy__"])
@pytest.mark.filterwarnings("ignore:.*cannot be started again")
def test_properties_that_raise(fault, name):
    if name == "__deepcopy__":  # such an object is played as it is, with a warning
        assert play(raising(fault, name)) in range(len(GAME.actions))
        return
    with pytest.raises(AgentError, match=rf"^agent mine crashed.*{fault.__name__}.* \(test_guard.py:"):
        play(raising(fault, name))


@each_fault
@pytest.mark.filterwarnings("ignore:.*cannot be started again")
def test_an_object_that_raises_whatever_it_is_asked_for(fault):
    class Closed:
        def __getattr__(self, name):
            raise fault

    with pytest.raises(AgentError, match=f"^agent mine crashed: {fault.__name__}"):
        play(Closed())


@each_fault
@pytest.mark.parametrize("name", ["game", "reads_views", "draws", "outside"])
def test_what_an_agent_says_of_itself(fault, name):
    with pytest.raises(AgentError, match=f"^agent mine crashed: {fault.__name__}"):
        play(raising(fault, name, base=Unnamed))


@each_fault
def test_crashes_in_a_turn(fault):
    def act(observation, mask):
        raise fault

    with pytest.raises(AgentError, match=f"^agent mine crashed: {fault.__name__}"):
        play(act)


@each_fault
@pytest.mark.parametrize("name", ["__array__", "__index__", "__repr__", "__len__", "__class__"])
def test_answers_that_raise(fault, name):
    def look(self, *arguments, **how):
        raise fault

    answer = type("Answer", (), {name: property(look) if name == "__class__" else look})()
    in_turns = type("InTurns", (), {"act": lambda self, turns: answer})()
    for player in (lambda observation, mask: answer, in_turns):
        with pytest.raises(AgentError, match=r"^agent mine( crashed|: got the answer)"):
            play(player)


@each_fault
@pytest.mark.parametrize("place", ["import", "make", "act"])
def test_modules_that_raise(fault, place, module, capsys):
    raises = {
        each: f"raise {fault.__name__}" if each == place else "pass" for each in ("import", "make", "act")
    }
    module(
        "class Oddity(BaseException): pass\n"
        f"{raises['import']}\n"
        "def make_agent(game):\n"
        f"    {raises['make']}\n"
        "    def act(observation, mask):\n"
        f"        {raises['act']}\n"
        "    return act\n"
    )
    assert here(evaluation.main, "--agents", "rules", "python:my_module:make_agent", "--deals", 10) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: agent ")
    assert fault.__name__ in said
    assert "my_module.py" in said
    assert said.count("\n") == 1


def test_games_that_raise(module):
    module("raise GeneratorExit")
    with pytest.raises(InputError, match=r"'my_module:some_v0' cannot be loaded: GeneratorExit"):
        make_game("my_module:some_v0")


def test_ctrl_c_stays_ctrl_c():
    def act(observation, mask):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(act)


# Time


class ImpatientGuard(Guard):
    """With limits that a test can wait for."""

    patience, again = 0.2, 0.05


class ImpatientAgent(CustomAgent):
    loading = 0.2


def impatient(player) -> CustomAgent:
    return ImpatientAgent("mine", player, GAME, limit_ms=1, guard=ImpatientGuard())


def wait_for_ever(*arguments):
    while True:
        time.sleep(0.01)


def wait_in_spite_of_errors(*arguments):
    while True:
        with suppress(Exception):
            wait_for_ever()


def wait_a_little_longer(*arguments):
    """Catches the first interruption, whatever it is."""
    try:
        wait_for_ever()
    except BaseException:
        wait_for_ever()


@pytest.mark.parametrize("wait", [wait_for_ever, wait_in_spite_of_errors, wait_a_little_longer])
def test_agents_that_never_answer(wait):
    agent, env = impatient(wait), schnapsen_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(
        AgentError, match=r"agent mine is too slow: got no answer in 0.401 s; expected one in 0.2"
    ):
        agent.act_in(env)


@pytest.mark.parametrize("name", ["seed", "__deepcopy__"])
def test_agents_that_never_begin(name):
    player = type("Player", (Plain,), {name: wait_for_ever})()
    with pytest.raises(AgentError, match=r"agent mine is too slow: got no answer in 0.4 s"):
        impatient(player).fresh().seed(1)


def test_an_alarm_of_others_goes_on():
    signal = pytest.importorskip("signal")
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    begun = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(AgentError), ImpatientGuard()("agent mine", "crashed", 0.01):
            wait_for_ever()
        while not rung and time.monotonic() < begun + 5:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung[0] - begun >= 0.29


HANGING = """
import time
def make_agent(game):
    turns = []
    def act(observation, mask):
        turns.append(1)
        while len(turns) > 30:
            try:
                time.sleep(0.01)
            except {caught}:
                pass
        return int(mask.argmax())
    return act
"""
EVALUATION = """
from stichwerk import cli
from stichwerk.agents.external.custom import CustomAgent
from stichwerk.agents.external.guard import Guard
from stichwerk.commands import eval
Guard.patience, CustomAgent.loading = 1.0, 20.0
cli.run(eval.main)
"""


@pytest.mark.parametrize(
    ("caught", "says"),
    [
        ("ValueError", "is too slow: got no answer in"),
        pytest.param("BaseException", "cannot be interrupted: got no answer in", marks=pytest.mark.slow),
    ],
)
def test_an_evaluation_with_an_agent_that_hangs(caught, says, tmp_path):
    """The pairs before are kept, also when the process can only be ended."""
    (tmp_path / "my_module.py").write_text(HANGING.format(caught=caught))
    agents = "rules", "random", "mine=python:my_module:make_agent"
    words = "--agents", *agents, "--deals", "20", "--limit-ms", "200", "--out", "out"
    status, _, err = command("-c", EVALUATION, *words, cwd=tmp_path)
    assert status == 2
    (line,) = (line for line in err.splitlines() if line.startswith("error: "))
    assert f"agent mine {says}" in line
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [(pair["a"], pair["b"]) for pair in results["pairs"]] == [("rules", "random")]
    assert results["stopped"]


# The present folder

WANDERING = """
import os
os.chdir("weights")
open("table").close()
def make_agent(game):
    open("table").close()
    def act(observation, mask):
        open("table").close()
        os.chdir(os.curdir)
        return int(mask.argmax())
    return act
"""


@pytest.fixture
def wandering(module, tmp_path):
    """A custom agent that changes the present folder, and counts on it from then on."""
    own._guard_of.cache_clear()
    module(WANDERING)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "table").touch()
    yield "python:my_module:make_agent"
    own._guard_of.cache_clear()


def test_an_evaluation_stays_in_its_folder(wandering, tmp_path):
    assert here(evaluation.main, "--agents", wandering, "rules", "--deals", 10, "--out", "out") == 0
    assert (tmp_path / "out" / "results.json").is_file()
    assert os.getcwd() == str(tmp_path)


def test_a_training_run_stays_in_its_folder(wandering, tmp_path):
    config = write_config(tmp_path, decisions=256, opponents={"latest": 0.5, wandering: 0.5})
    assert here(train.main, config.name, "--run", "run") == 0
    assert (tmp_path / "run" / "last").is_dir()
    assert [path.name for path in (tmp_path / "weights").iterdir()] == ["table"]


def test_agents_have_folders_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / name).mkdir()
    guards = {name: Guard() for name in "ab"}
    for name, each in guards.items():
        with each(f"agent {name}", "crashed"):
            os.chdir(name)
        assert os.getcwd() == str(tmp_path)
    for name, each in guards.items():
        places = []
        with suppress(AgentError), each(f"agent {name}", "crashed"):
            places.append(os.getcwd())
            raise SystemExit
        assert places == [str(tmp_path / name)]
        assert os.getcwd() == str(tmp_path)
    with guards["a"]("agent a", "crashed"):
        os.chdir(tmp_path)
    with guards["a"]("agent a", "crashed"):
        assert os.getcwd() == str(tmp_path)


def test_a_folder_that_is_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    each = Guard()
    (tmp_path / "gone").mkdir()
    with each("agent mine", "crashed"):
        os.chdir("gone")
    (tmp_path / "gone").rmdir()
    with each("agent mine", "crashed"):
        assert os.getcwd() == str(tmp_path)
