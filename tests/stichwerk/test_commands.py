"""The commands' overview, answers to missing and misspelt words, and the commands on the pages."""

import random
import re
import shlex
import sys
from dataclasses import is_dataclass
from importlib import import_module
from types import ModuleType

import pytest

from stichwerk import commands
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import CONFIGS, find_config
from stichwerk.cli import parse
from stichwerk.commands import BEFORE, COMMANDS, GROUPS, KINDS, NAMES, SHORT
from stichwerk.support.terminal.arguments import examples
from tests.agents.support import command
from tests.environments import ROOT
from tests.envs.support import slowly
from tests.test_project import PAGES

FENCED = re.compile(r"```(?:bash|text)?\n(.*?)```", re.DOTALL)
PLACES = {
    "AGENTS": ["rules", "random"],
    "DEALS": ["5"],
    "N": ["1"],
    "S": ["1"],
    "$SLURM_ARRAY_TASK_ID": ["1"],
}
CONFIGURED = "train", "sweep"  # whose first word is a config


@pytest.fixture
def said(capsys, monkeypatch):
    """`said(words)`: the exit status of `stichwerk …`, and what it prints to stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["stichwerk", *words])
        status = 0
        try:
            commands.main()
        except SystemExit as end:
            status = int(end.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def module_of(command: str) -> ModuleType:
    return import_module(f"stichwerk.commands.{command.replace(' ', '.')}")


def take(words: list[str]) -> None:
    """Read the words of a command line as the command does; InputError for what it would refuse."""
    name, *rest = words
    if longer := {**SHORT, **BEFORE}.get(name):
        name, *rest = [*longer.split(), *rest]
    if name in KINDS:
        name, rest = f"{name} {rest[0]}", rest[1:]
    module = module_of(name)
    if name in CONFIGURED:
        find_config(rest.pop(0), CONFIGS)
    (options,) = (
        (
            each
            for each in vars(module).values()
            if is_dataclass(each) and each.__module__ == module.__name__ and each.__name__.endswith("Options")
        )
        if name != "train"
        else (TrainConfig,)
    )
    parse(options, rest)


@pytest.mark.parametrize("words", [[], ["help"], ["--help"], ["-h"]])
def test_the_commands_are_listed_by_what_they_are_for(words, said):
    status, out, err = said(*words)
    assert (status, err) == (0, "")
    assert [line[:-1] for line in out.splitlines() if line in [f"{title}:" for title in GROUPS]] == [*GROUPS]
    for name in NAMES:
        assert re.search(rf"^  {name} +[A-Z].*[.]$", out, re.MULTILINE), name
    assert not [name for name in BEFORE if re.search(rf"^  {name} ", out, re.MULTILINE)]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("words", [["{}"], ["{}", "--help"], ["help", "{}"]])
def test_the_kinds_of_a_command_are_listed(name, words, said):
    status, out, err = said(*(word.format(name) for word in words))
    assert (status, err) == (0, "")
    for kind in KINDS[name]:
        assert re.search(rf"^  {kind} +[A-Z].*[.]$", out, re.MULTILINE), kind


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_a_command_is_for_and_has_examples_that_it_takes(command, said):
    status, out, err = said("help", *command.split())
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: stichwerk {command} ")
    shown = examples(module_of(command).__doc__)
    assert shown
    assert out.endswith("\n".join(["examples:", *(f"  {each}" for each in shown)]) + "\n")
    for each in shown:
        take(shlex.split(each)[1:])


@pytest.mark.parametrize(("name", "longer"), [*SHORT.items(), *BEFORE.items()])
def test_short_and_earlier_names_do_the_same(name, longer, said):
    assert said(name, "--help") == said(*longer.split(), "--help")
    assert said(name, "--help")[0] == 0


def test_export_writes_a_network_as_before(said):
    expected = said("export", "network", "ppo:schnapsen", "--steps", "1")
    assert said("export", "ppo:schnapsen", "--steps", "1") == expected
    assert expected[0] == 2


def test_a_misspelt_command_is_suggested(said):
    """A letter missing, doubled or in the place of its neighbour."""
    rng = random.Random(1)
    for name in NAMES:
        at = rng.randrange(1, len(name) - 1)
        for wrong in (name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:]):
            if wrong not in NAMES:
                status, out, err = said(wrong)
                assert (status, out) == (2, "")
                assert err == (
                    f"error: unknown command '{wrong}'; do you mean `stichwerk {name}`? "
                    "`stichwerk --help` lists them\n"
                )
    assert "do you mean `stichwerk play`?" in said("plya")[2]
    assert "do you mean" not in said("xyzzy")[2]
    assert "unknown kind of serve 'mpc'; do you mean `stichwerk serve mcp`?" in said("serve", "mpc")[2]


@pytest.mark.parametrize("script", ["eval.py", *slowly("train.py")])
def test_scripts_of_a_checkout_say_what_to_type(script, tmp_path):
    status, out, err = command(script, cwd=tmp_path)
    assert (status, out) == (2, "")
    typed = err.partition("as in: ")[2]
    assert typed.startswith(f"python {script} ")
    take([script.removesuffix(".py"), *shlex.split(typed)[2:]])


def commands_of(text: str) -> list[str]:
    """The lines in blocks of code that call the command."""
    whole = (line for block in FENCED.findall(text) for line in block.replace("\\\n", " ").splitlines())
    return [line for line in whole if line.startswith("stichwerk ")]


def test_commands_on_pages_are_taken():
    """As they are typed; the agents, files and folders that they name need not be there."""
    for line in (line for page in PAGES for line in commands_of(page.read_text(encoding="utf-8"))):
        words = shlex.split(line, comments=True)[1:]
        take([each for word in words for each in PLACES.get(word, [word])])


def test_make_targets_on_pages_are_there():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for page in PAGES
        for text in (page.read_text(encoding="utf-8"),)
        for target in re.findall(r"(?:^|`)make ([a-z][\w-]*)", text, re.MULTILINE)
    }
    assert {"play", "train", "test"} <= named <= targets
    assert not re.search(r"pip install \"?stichwerk", (ROOT / "README.md").read_text()), (
        "it is on no index yet"
    )
