"""The newest network of a training, which may still be going on."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Agent, AgentError, Rating, Turns
from stichwerk.agents.networks.saved import MANIFEST, game_of
from stichwerk.envs.spec.game import Game
from stichwerk.support.language import mark, tr
from stichwerk.support.parsing import read_json, read_text

PARTS = ("last", "best")  # of a run folder, with a network each


class NewestNetwork(Agent):
    """Plays the newest network in a run folder, and loads the next one once it is written.

    Attributes:
        learned: the progress of the network, in words

    Args:
        folder: of the training
        game: with the rules to play by

    Raises:
        AgentError: the folder has no network yet, or one of another game.
    """

    def __init__(self, folder: Path, game: Game):
        self._folder = folder
        self._written, self._player, self.learned = self._read(game)
        super().__init__(f"ppo:{folder}", game)

    def seed(self, seed: int) -> None:
        super().seed(seed)
        self._player.random = self.random

    def act(self, turns: Turns) -> np.ndarray:
        self._take_up()
        return self._player.act(turns)

    def rate(self, turn: Turns) -> Rating:
        self._take_up()
        return self._player.rate(turn)

    def _take_up(self) -> None:
        """Read the newest network if it is another one; one that cannot be read yet is left for later."""
        assert self.game is not None
        if _newest(self._folder)[0] != self._written:
            with suppress(AgentError, OSError):
                self._written, self._player, self.learned = self._read(self.game)
                self._player.random = self.random

    def _read(self, game: Game) -> tuple[int, NetworkAgent, str]:
        """The time at which the newest network was written, its player, and its progress in words."""
        written, folder = _newest(self._folder)
        return written, NetworkAgent.load(f"ppo:{folder}", folder, game), _learned(folder)


def progress_of(agents: Iterable[Agent]) -> str:
    """The progress of the training whose networks play among these agents, in words; empty without one."""
    networks = [agent for agent in agents if isinstance(agent, NewestNetwork)]
    return "; ".join(dict.fromkeys(agent.learned for agent in networks if agent.learned))


def _learned(folder: Path) -> str:
    """The updates and decisions after which a network was written, as far as its manifest has them."""
    manifest = read_json(read_text(folder / MANIFEST))
    facts = (("updates", mark("update {number}")), ("decisions", mark("{number} decisions")))
    known = ((words, manifest.get(name)) for name, words in facts)
    return ", ".join(tr(words, number=format(each, ",")) for words, each in known if type(each) is int)


def _newest(folder: Path) -> tuple[int, Path]:
    """The time of the newest network of a run folder, in nanoseconds, and its folder; AgentError if there is
    none."""
    found = []
    for part in PARTS:
        with suppress(FileNotFoundError, NotADirectoryError):
            found.append(((folder / part / MANIFEST).stat().st_mtime_ns, folder / part))
    if not found:
        raise AgentError(f"watch: got {folder}, which has no network; expected a run folder with one")
    return max(found)


def trained_game(folder: Path) -> Game:
    """The game of a training, under its rules; AgentError if it has no network yet."""
    return game_of(_newest(folder)[1])
