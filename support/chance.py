"""Chance by turn: random numbers of which those of one turn never depend on those of another."""

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 by the golden ratio, as in SplitMix64


def scrambled(values: np.ndarray) -> np.ndarray:
    """Scramble uint64[...]; a bijection whose every input bit moves every output bit (SplitMix64)."""
    values = values + GOLDEN
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


class TurnChance:
    """The methods of a NumPy generator that agents use, with a row of numbers for each turn.

    Args:
        seeds: of the turns, uint64[n]
    """

    def __init__(self, seeds: np.ndarray):
        self._seeds = seeds

    def random(self, shape: tuple[int, int]) -> np.ndarray:
        """Numbers from 0 to 1, float64[shape], of which the first size is the number of turns."""
        return (self._bits(shape[1]) >> np.uint64(11)) * 2.0**-53

    def standard_exponential(self, shape: tuple[int, int], dtype: np.dtype) -> np.ndarray:
        """Numbers with the density exp(-x), of this type, [shape]."""
        return -np.log1p(-self.random(shape)).astype(dtype)

    def integers(self, high: int, size: int) -> np.ndarray:
        """Numbers in 0 … high - 1, int64[size], one for each turn."""
        return (self._bits(1)[:size, 0] % np.uint64(high)).astype(np.int64)

    def _bits(self, columns: int) -> np.ndarray:
        """uint64[turns, columns]; the next call gives others."""
        bits = scrambled(self._seeds[:, None] + GOLDEN * np.arange(columns, dtype=np.uint64))
        self._seeds = scrambled(self._seeds)
        return bits
