"""Processor time of a first start: python benchmarks/first_start.py [NAME …]

Each row is a new process: it imports Stichwerk and plays a deal in the environment, or lets an agent play two
deals against `random`. It runs without compiled code on disk, and then with it. `--python` takes the
interpreter of another version, to compare with.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from common import print_table
from strong import checked_names, strong_config

from stichwerk.cli import Positional, parse, run
from stichwerk.envs import InputError

ENVIRONMENT = "the environment"
AGENTS = "rules", "ppo:{name}", "search:{name},worlds=0,few=400", "rollout"

DEAL = """
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.wrappers import wrap
env = wrap(CardGameEnv({env!r}, {rules!r}))
env.reset(seed=1)
for agent in env.agent_iter():
    observation, _, termination, truncation, _ = env.last()
    env.step(None if termination or truncation else int(observation["action_mask"].argmax()))
"""

MATCH = """
from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.envs import make_game
game = make_game({env!r}, {rules!r})
play_pair(game, make_agent_for({agent!r}, game), make_agent_for("random", game), Series(2, 1))
"""

PROCESSOR = "import time; print(time.process_time())"


@dataclass(frozen=True)
class Options:
    names: Positional[tuple[str, ...]] = ()
    """Shipped players, whose games and rules are played; all of them by default."""
    agents: tuple[str, ...] = AGENTS
    """Texts of agents, with {name} for the shipped player's name."""
    python: Path = Path(sys.executable)
    """Interpreter that runs the processes."""


def main(options: Options) -> None:
    names = checked_names(options.names)
    if not options.python.is_file():
        raise InputError(f"python: got {options.python}; expected a file")
    rows = []
    for name in names:
        game = strong_config(name).game
        programs = {ENVIRONMENT: DEAL.format(env=game.env, rules=game.rules)}
        for agent in (text.replace("{name}", name) for text in options.agents):
            programs[agent] = MATCH.format(env=game.env, rules=game.rules, agent=agent)
        for what, program in programs.items():
            rows.append([name, what, *(f"{each:.1f}" for each in seconds(options.python, program))])
    print_table(["rules of", "plays", "seconds, nothing compiled", "compiled code on disk"], rows)


def seconds(python: Path, program: str) -> tuple[float, float]:
    """The processor time of a program with an empty folder of compiled code, and with what it left there."""
    with TemporaryDirectory() as compiled:
        first, second = (processor_seconds(python, program, compiled) for _ in range(2))
    return first, second


def processor_seconds(python: Path, program: str, compiled: str) -> float:
    environment = {**os.environ, "NUMBA_CACHE_DIR": compiled}
    command = [python.absolute(), "-c", program + PROCESSOR]
    # Python would import what lies in the current folder first: here that has no Python files.
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=compiled)
    if done.returncode:
        sys.exit(done.stderr.strip().splitlines()[-1])
    return float(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
