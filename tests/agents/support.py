"""What the tests of agents share: agents that watch others, small networks and runs, commands and folders."""

import hashlib
import json
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import torch
import yaml
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.networks.network import PolicyNetwork
from stichwerk.agents.networks.saved import manifest_for, write_network
from stichwerk.agents.training.run import _digest
from stichwerk.cli import run
from stichwerk.envs import Game
from stichwerk.envs.jit.compiled import NOTICE
from tests.envs.games.gaigel.model import own_in_deck
from tests.started import Started, start

ROOT = Path(__file__).parents[2]
TIMELY = re.compile(rf"{re.escape(NOTICE)}$|[a-z ]+: .*\d:\d\d:\d\d (left|so far)")


def name_of(env_id: str) -> str:
    """What Gymnasium knows a game by."""
    name, version = env_id.rsplit("_v", 1)
    return f"stichwerk/{name.title().replace('_', '')}-v{version}"


# Agents


class Onlooker(Agent):
    """Lets another agent play, and keeps what it was shown and what it did."""

    outside = False  # a copy would keep it for itself

    def __init__(self, player: Agent):
        self.player = player
        self.kept: list[tuple[np.ndarray, ...]] = []
        super().__init__(player.name)

    def seed(self, seed: int) -> None:
        self.player.seed(seed)

    def act(self, turns: Turns) -> np.ndarray:
        assert_redacted(turns)
        actions = self.player.act(turns)
        self.kept.append((turns.views, turns.all_seats[turns.which], turns.mask, actions))
        return actions

    def seen(self) -> tuple[Turns, np.ndarray]:
        """All turns so far in one batch, and the answers to them."""
        views, seats, masks, actions = map(np.concatenate, zip(*self.kept, strict=True))
        return Turns(np.arange(len(views)), views, seats, masks), actions


PRIVATE = {"hand": 0, "dealt": 0, "drawn": -1}  # what each seat has for itself, and how it looks when blanked
SECRET = {"seed": 0, "random": 0, "deck_is_set": 0}


def assert_redacted(turns: Turns) -> None:
    """Nothing that an agent can reach tells hidden cards, or the chance behind them."""
    under_way = turns.all_views["hand"].any(axis=1)
    views, seats = turns.all_views[under_way], turns.all_seats[under_way]
    for name, blank in SECRET.items():
        assert (views[name] == blank).all(), name
    keeps_own = "drew_first" in views.dtype.names  # Gaigel
    own = own_in_deck(views, seats) if keeps_own else np.zeros_like(views["deck"], bool)
    assert (views["deck"][~own] == -1).all(), "deck"
    others = seats[:, None] != np.arange(views["hand"].shape[1])
    for name, blank in PRIVATE.items():
        if name in views.dtype.names:
            assert (views[name][others] == blank).all(), name
    if "dealt" in views.dtype.names or own.any():
        dealt = views["dealt"] if "dealt" in views.dtype.names else np.where(own, views["deck"] + 1, 0)
        assert dealt.any(axis=1).all(), "the counter-check: the own cards are there"
    else:
        assert under_way[turns.which].all(), "the counter-check: whoever is to act sees his hand"


def random_network(game: Game, observation: str = "summary", widths=(8,), seed: int = 0) -> PolicyNetwork:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return PolicyNetwork(game.encoding(observation).size, widths, len(game.actions))


def ppo_agent(game: Game, observation: str = "summary", greedy: bool = True, seed: int = 0) -> NetworkAgent:
    network = random_network(game, observation, seed=seed).for_play()
    return NetworkAgent("ppo", network, game, observation, greedy)


def save_random_network(folder: Path, game: Game, seed: int = 0, **facts) -> Path:
    arrays = random_network(game, seed=seed).arrays()
    write_network(folder, arrays, manifest_for(game, "summary", (8,), **facts))
    return folder


# Runs


SMALL = {
    "version": 1,
    "env": "schnapsen_v0",
    "decisions": 6_000,  # the last of the 24 updates goes beyond this end
    "lanes": 16,
    "steps": 16,
    "minibatches": 4,
    "epochs": 1,
    "widths": [16],
    "opponents": "{latest: 0.5, past: 0.25, rules: 0.25}",
    "past_size": 2,
    "past_every": 2,
    "evaluate_every": 5,
    "evaluate_deals": 20,
    "final_deals": 30,
    "checkpoint_every": 3,
}


def write_config(folder: Path, **changes) -> Path:
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **changes}, sort_keys=False))
    return path


def read_rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def timeless(rows: list[dict]) -> list[dict]:
    """Metrics less what depends on the clock."""
    by_clocks = ("_per_second", "_seconds")
    return [{name: value for name, value in row.items() if not name.endswith(by_clocks)} for row in rows]


@contextmanager
def after_step(number: int, act: Callable[[Optimizer], object]) -> Iterator[None]:
    """Do something after a step of an optimizer: the first one inside the `with` has number 1."""
    steps = count(1)

    def hook(optimizer, *arguments) -> None:
        if next(steps) == number:
            act(optimizer)

    handle = register_optimizer_step_post_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def ctrl_c_after(update: int) -> AbstractContextManager[None]:
    """Press Ctrl-C in an update of a small run, which stops when that update is complete."""
    return after_step(update * SMALL["minibatches"], lambda optimizer: signal.raise_signal(signal.SIGINT))


def set_nan(optimizer: Optimizer) -> None:
    """Spoil what an optimizer learns."""
    with torch.no_grad():
        optimizer.param_groups[0]["params"][-1].fill_(torch.nan)


def rewrite(checkpoint: Path, change: Callable[[dict, dict], object], digest: Callable = _digest) -> None:
    """Alter a checkpoint's tensors and facts, as somebody does who also renews the digest."""
    tensors = load_file(checkpoint)
    with safe_open(checkpoint, "pt") as file:
        about = file.metadata()
    facts = json.loads(about["facts"])
    new = change(tensors, facts)
    about["facts"] = new if isinstance(new, str) else json.dumps(facts)
    save_file(tensors, checkpoint, {**about, "digest": digest(tensors, about["facts"])})


def assert_same_run(one: Path, two: Path) -> None:
    """Two run folders hold the same networks, metrics and results."""
    for name in (
        "best/weights.safetensors",
        "last/weights.safetensors",
        "best/manifest.json",
        "last/manifest.json",
        "results.json",
    ):
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    assert timeless(read_rows(one)) == timeless(read_rows(two))
    ours, theirs = (load_file(folder / "checkpoint.safetensors") for folder in (one, two))
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


# Commands


@contextmanager
def running(script: str, *words, **started) -> Iterator[Started]:
    """A command in a process of its own, which ends with the block: a script, `-m` a module or `-c` code."""
    with start(script if script in ("-m", "-c") else ROOT / script, *words, **started) as process:
        try:
            yield process
        finally:
            process.kill()


def command(script: str, *words, given: str = "", **started) -> tuple[int, str, str]:
    """The same from beginning to end, with a text on stdin: exit status, stdout and stderr."""
    with running(script, *words, **started) as process:
        out, err = process.communicate(given, timeout=300)
    return process.returncode, out, complaints(err)


def complaints(err: str | None) -> str:
    """What stderr holds besides what depends on the clock: progress, and that rules are being compiled."""
    return "".join(line for line in (err or "").splitlines(keepends=True) if not TIMELY.match(line))


def here(main, *words) -> int:
    """And in this process, without the seconds that its imports take: the exit status."""
    arguments, sys.argv = sys.argv, [main.__module__, *map(str, words)]
    try:
        run(main)
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        sys.argv = arguments
    return 0


# Folders


def tree(folder: Path) -> dict[str, str]:
    """Every file and folder below, with a hash of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


@contextmanager
def nothing_changes(folder: Path) -> Iterator[None]:
    before = tree(folder)
    yield
    assert tree(folder) == before


def is_picture(path: Path) -> bool:
    """Whether this is an SVG that shows values."""
    root = ElementTree.parse(path).getroot()
    kinds = [each.tag.rpartition("}")[2] for each in root.iter()]
    return kinds[0] == "svg" and {"circle", "rect"} & {*kinds[kinds.index("rect") + 1 :]} != set()


NOISY = """
import atexit, os, subprocess

def noise(where):
    print("printed", where)
    os.write(1, b"{\\"event\\": \\"written\\"}\\n")
    assert not os.read(0, 10)

def make(game):
    noise("when made")
    subprocess.run(["echo", "a child"])
    def act(observation, mask):
        noise("when asked")
        return int(mask.argmax())
    return act

noise("when imported")
atexit.register(print, "printed at the end")
"""
"""A module whose agent, `noisy:make`, prints and reads whenever it can, and plays the first legal action."""
