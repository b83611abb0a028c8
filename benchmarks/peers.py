"""Speed, first start, memory and size of this suite and its peers: python benchmarks/peers.py [NAME …]

Each row is a program of `benchmarks/peers` in a process of its own, one after another on one thread: the game
of the peer that is nearest to ours, by its own documented way. They are other games, so a row says what a
learner waits for in that library, not which code is better. `make peers` installs all of them into an
environment of their own; what is not installed is left out, and named. Both times are of the processor. The
first start is that up to the end of the first play, with nothing compiled before.
"""

import json
import os
import re
import resource
import subprocess
import sys
import time
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = Path(__file__).parent / "peers"
SECONDS = 10.0
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
PINNED = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}


def measure(name: str) -> None:
    """Print one program's figures as JSON: in the process that runs it."""
    sys.path.insert(0, str(PROGRAMS))
    program = import_module(name)
    program.play()
    first = time.process_time()
    decisions, begun, used = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < SECONDS:
        decisions += program.play()
    used = time.process_time() - used
    size = sum(map(size_of, closure(program.PACKAGE)))
    figures = {"rate": decisions / used, "first": first, "memory": most_memory(), "size": size / 2**20}
    print(json.dumps({**figures, "what": (program.__doc__ or "").strip()}))


def most_memory() -> float:
    """The most memory that this process has held, in megabytes; `ru_maxrss` on Linux counts its parent's."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            2**20 if sys.platform == "darwin" else 1024
        )
    return int(re.search(r"VmHWM:\s*(\d+)", status.read_text(encoding="utf-8"))[1]) / 1024


def closure(package: str) -> set[str]:
    """A distribution and all that it needs, by name; extras are left out."""
    found, waiting = set[str](), [package]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # of another platform
        found.add(name)
        waiting += [
            re.split(r"[\s\[<>=!~;(]", each, maxsplit=1)[0] for each in needs if "extra ==" not in each
        ]
    return found


def size_of(name: str) -> int:
    """The bytes of a distribution's files; of an editable one those of its wheel's folders."""
    paths = [Path(str(file.locate())) for file in distribution(name).files or ()]
    if name == "stichwerk" and not any("envs" in path.parts for path in paths):
        folders = (
            Path(__file__).parents[1] / part for part in ("agents", "configs", "envs", "stichwerk", "support")
        )
        paths = [path for folder in folders for path in folder.rglob("*") if path.suffix != ".nbc"]
    return sum(path.stat().st_size for path in {*paths} if path.is_file() and not path.is_symlink())


def main(names: list[str]) -> None:
    from common import print_table

    known = sorted(path.stem for path in PROGRAMS.glob("*.py"))
    if wrong := [name for name in names if name not in known]:
        sys.exit(f"error: got {wrong[0]}; expected {', '.join(known)}")
    rows, missing = [], []
    for name in names or known:
        command = [sys.executable, __file__, "--measure", name]
        with TemporaryDirectory() as compiled:
            environment = {**os.environ, **ONE_THREAD, **PINNED, "NUMBA_CACHE_DIR": compiled}
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            missing.append(f"{name}: {done.stderr.strip().splitlines()[-1]}")
            continue
        figures = json.loads(done.stdout.splitlines()[-1])
        rows.append((figures["rate"], figures))
    columns = [
        "library, game",
        "decisions a second of a core",
        "first start, processor s",
        "memory, MB",
        "installed, MB",
    ]
    print_table(
        columns,
        [
            [
                each["what"],
                f"{rate:,.0f}",
                f"{each['first']:.1f}",
                f"{each['memory']:,.0f}",
                f"{each['size']:,.0f}",
            ]
            for rate, each in sorted(rows, key=lambda row: -row[0])
        ],
    )
    for each in missing:
        print(f"left out: {each}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        main(sys.argv[1:])
