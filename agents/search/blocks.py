"""The worlds of one decision in blocks, as many as a budget of worlds, milliseconds and nodes allows."""

import math
import time
from dataclasses import dataclass, field

LEAST_WORLDS, AT_ONCE = 8, 32  # worlds that are tried first: with a budget of time or nodes; otherwise
MOST_AT_ONCE = 128  # worlds of a block

Block = tuple[int, int]
"""The number of its first world, and of the one after its last."""


@dataclass
class Blocks:
    """The rest of a decision's budget, and the blocks to do next.

    The first few worlds are done whatever they take. After them blocks are no larger than the time that is
    left allows, and no block counts that would take too many nodes.

    Attributes:
        most: worlds to do at most
        ms: milliseconds after which no block is begun; 0: however long they take
        nodes: positions that may come up over all worlds; 0: however many
        threads: blocks that are done side by side
        min_worlds: of a block, if a round has as many
        per_round: the blocks of a round, if it has enough worlds for them
        done: worlds done so far
    """

    most: int
    ms: float
    nodes: int
    threads: int
    min_worlds: int
    per_round: int
    done: int = 0
    _begun: float = field(default_factory=lambda: time.perf_counter())
    _nodes: int = 0
    _round_end: int = 0  # the worlds done at the end of the round, which doubles them
    _size: int = 0  # worlds of a block
    _in_a_row: int = 0  # worlds tried one after another, while others were beside them
    _usual: float = 0.0  # nodes of a world, in the block before: a player may drop actions on its way

    def next(self) -> list[Block]:
        """The blocks to do side by side; none when the budget is spent."""
        if self.done >= self.most:
            return []
        if self.done == self._round_end:
            first = LEAST_WORLDS if self.ms or self.nodes else AT_ONCE
            self._round_end = min(max(2 * self.done, first), self.most)
            share = (self._round_end - self.done) // self.per_round
            self._size = min(max(share, self.min_worlds), MOST_AT_ONCE)
        if self.done and self.ms:
            in_time = self._worlds_in_time()
            if in_time < min(LEAST_WORLDS, self._round_end - self.done):
                return []
            self._size = min(self._size, in_time)
        last = min(self.done + self._size * self.threads, self._round_end)
        starts = range(self.done, last, self._size)
        blocks = [(start, min(start + self._size, last)) for start in starts]
        if self._takes_too_many(blocks[0][1]):
            return []
        self._in_a_row += blocks[0][1] - self.done
        return blocks

    def count(self, block: Block, nodes: int) -> bool:
        """Count a block with the nodes that it took; False, and it does not count, if they are too many."""
        start, end = block
        if self._takes_too_many(end):
            return False
        self.done, self._nodes, self._usual = end, self._nodes + nodes, nodes / (end - start)
        return True

    def _worlds_in_time(self) -> int:
        spent = time.perf_counter() - self._begun
        return int(self._in_a_row * (self.ms / 1000 / spent - 1))

    def _takes_too_many(self, end: int) -> bool:
        most = self.nodes or math.inf
        return self.done > 0 and self._nodes + self._usual * (end - self.done) > most
