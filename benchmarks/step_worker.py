"""The worker of `compare.py`: steps a vector environment of the checkout on PYTHONPATH.

python benchmarks/step_worker.py CHECKOUT ENV_ID RULES LANES OBSERVATION THREADS

Each line of stdin is a number of steps. The answer is the seconds that `step` took, and a checksum of the
last observations, masks, rewards and seats of each slice. It shows whether two checkouts play the same game.
"""

import json
import sys
import time
import zlib
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
from common import fresh_seeds, pick_legal


def main(checkout: str, env_id: str, rules: str, lanes: int, observation: str, threads: int) -> None:
    # Version 0.1.0 called its packages `envs` and `agents`.
    name = "stichwerk.envs" if (Path(checkout) / "stichwerk" / "envs").is_dir() else "envs"
    envs = import_module(name)
    assert Path(checkout).resolve() in Path(envs.__file__).resolve().parents, f"{envs.__file__} is of another"
    more = {"copy": False} if "copy" in signature(envs.make_vec).parameters else {}  # not in version 0.3
    vector = envs.make_vec(env_id, lanes, json.loads(rules), observation=observation, threads=threads, **more)
    seen, _ = vector.reset(seed=1)
    actions, seeds, checksum = np.zeros(lanes, np.int64), fresh_seeds(lanes), 0
    # The time of a single thread leaves out what other processes take from it.
    clock = time.thread_time if threads == 1 else time.perf_counter
    for line in sys.stdin:
        before, seconds = vector.lanes.states.tobytes(), 0.0
        for _ in range(int(line)):
            pick_legal(seen["action_mask"], actions, seeds)
            start = clock()
            seen, rewards, *_ = vector.step(actions)
            seconds += clock() - start
        assert vector.lanes.states.tobytes() != before, "no state has changed"
        for array in (seen["observation"], seen["action_mask"], rewards, vector.seats):
            checksum = zlib.crc32(array.tobytes(), checksum)
        print(seconds, checksum, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5], int(sys.argv[6]))
