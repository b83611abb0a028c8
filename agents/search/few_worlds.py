"""Positions in which few worlds are possible: every one of them is found, and none counts by chance."""

from collections import Counter

import numpy as np

from stichwerk.agents.search.playout_policy import playout_policy
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.spec.game import Game

MOST = 8  # worlds; the last trick before the stock of Schnapsen is exhausted has 6, of Sixty-six 7
DEVIATIONS = 4  # of a count from the mean that chance explains, in standard deviations
FIRST = 16  # sampled worlds, of which most positions show that they have more
SAMPLES = 256  # in all: of eight equally likely worlds none is missed


class FewWorlds:
    """Finds all worlds of a position of a game, where they are at most `MOST`."""

    def __init__(self, game: Game):
        self._game, self._loops = game, loops_for(game, "summary")
        self._sample = playouts_for(game.env_id, game.spec, playout_policy(game)).sample

    def find(self, view: np.ndarray, seat: int, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
        """The worlds that agree with a seat's view, and their weights.

        Two worlds are the same where nothing that is left to play tells them apart. The weights say how
        likely each world is before any decision of the other seats is weighed.

        Args:
            view: An array of one record, redacted for the seat.
            seat: The seat to act.
            seed: Of the sampled worlds.

        Returns:
            Records, and their weights, float64[worlds]. None where there are more than `MOST`.
        """
        sampled, seen = np.empty(SAMPLES, self._game.state), Counter[bytes]()
        kept: list[int] = []
        row = np.empty(self._game.perfect.size, np.float32)
        for start, stop in (0, FIRST), (FIRST, SAMPLES):
            self._sample(self._game.rules_record, view, seat, np.int64(seed), start, sampled[start:stop])
            for number in range(start, stop):
                self._loops.observe_perfect(self._game.rules_record, sampled, number, seat, row)
                key = row.tobytes()
                if key not in seen:
                    kept.append(number)
                    if len(kept) > MOST:
                        return None
                seen[key] += 1
        return sampled[kept], shares_of(np.array([*seen.values()]))


def shares_of(counts: np.ndarray) -> np.ndarray:
    """How likely each world is, from how often it came up: as likely as any other, unless chance does not
    explain the differences. Where a pack holds a card twice, some worlds are twice as likely as others.

    Args:
        counts: int64[worlds].
    """
    usual = counts.mean()
    if (np.abs(counts - usual) <= DEVIATIONS * np.sqrt(usual)).all():
        return np.full(len(counts), 1 / len(counts))
    return counts / counts.sum()
