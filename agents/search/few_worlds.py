"""Positions in which few worlds are possible: sampled worlds show it by coming up again."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np

from stichwerk.agents.search.playout_policy import playout_policy
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.spec.game import Game

FEW = 8  # worlds; the last trick before the stock of Schnapsen is exhausted has 6, of Sixty-six 7
LOOKS = 16, 96, 256  # sampled worlds after which more than a few are noticed; of eight none is missed
DEVIATIONS = 4  # of a count from the mean that chance explains, in standard deviations
SPREAD = 3  # the same of how many different worlds come up


class FewWorlds:
    """Finds the worlds of a position of a game where few are possible.

    Args:
        game: The game under its rules.
        most: How many are few, up to about a thousand. Above eight it is an estimate: half as many again may
            pass for few.
    """

    def __init__(self, game: Game, most: int = FEW):
        self._game, self._loops = game, loops_for(game, "summary")
        self._sample = playouts_for(game.env_id, game.spec, playout_policy(game)).sample
        self._looks = [(start, stop, most_different(most, stop)) for start, stop in pairwise((0, *LOOKS))]

    def find(self, view: np.ndarray, seat: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
        """The worlds that agree with a seat's view, and their weights.

        Two worlds are the same where nothing that is left to play tells them apart. The weights say how
        likely each world is before any decision of the other seats is weighed.

        Args:
            view: An array of one record, redacted for the seat.
            seat: The seat to act.
            seed: Of the sampled worlds.

        Returns:
            Records, and their weights, float64[worlds], in the order in which they came up: all worlds of at
            most eight, about half of 400. None where more than a few are possible.
        """
        sampled, seen = np.empty(LOOKS[-1], self._game.state), Counter[bytes]()
        kept: list[int] = []
        row = np.empty(self._game.perfect.size, np.float32)
        for start, stop, most in self._looks:
            self._sample(self._game.rules_record, view, seat, np.int64(seed), start, sampled[start:stop])
            for number in range(start, stop):
                self._loops.observe_perfect(self._game.rules_record, sampled, number, seat, row)
                key = row.tobytes()
                if key not in seen:
                    kept.append(number)
                    if len(kept) > most:
                        return None
                seen[key] += 1
        return sampled[kept], shares_of(np.array([*seen.values()]))


def most_different(worlds: int, draws: int) -> int:
    """An upper bound, with the margin that chance explains, on the different worlds in a number of draws from
    `worlds` equally likely ones."""
    different = worlds * (1 - (1 - 1 / worlds) ** draws)
    again = draws - different  # about as a Poisson variable
    return min(worlds, math.floor(different + SPREAD * math.sqrt(again)))


def shares_of(counts: np.ndarray) -> np.ndarray:
    """The probability of each world, from the times it came up: the same for all, unless chance
    does not explain the differences. If a pack holds a card twice, some worlds are twice as likely as others.

    Args:
        counts: int64[worlds].
    """
    usual = counts.mean()
    if (np.abs(counts - usual) <= DEVIATIONS * np.sqrt(usual)).all():
        return np.full(len(counts), 1 / len(counts))
    return counts / counts.sum()
