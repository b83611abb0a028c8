"""The time to draw pictures: python benchmarks/pictures.py"""

import time
from collections.abc import Callable

from common import print_table

from stichwerk.envs import GAMES, CardGameEnv

PICTURES = 100


def main() -> None:
    rows = []
    for env_id in GAMES:
        env = CardGameEnv(env_id, render_seat="all")
        env.reset(seed=1)
        svg = milliseconds(lambda env=env: env.picture().svg())
        pixels = milliseconds(lambda env=env: env.picture().pixels())
        rows.append([env_id, f"{svg:.2f}", f"{pixels:.1f}"])
    print_table(["all hands at the start of a deal", "ms, SVG", "ms, array"], rows)


def milliseconds(draw: Callable) -> float:
    draw()
    start = time.perf_counter()
    for _ in range(PICTURES):
        draw()
    return 1000 * (time.perf_counter() - start) / PICTURES


if __name__ == "__main__":
    main()
