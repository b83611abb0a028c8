"""The strength of the players that search, by their time for a move.

python benchmarks/strength.py schnapsen [--ms 1 3 10 30 100] [--deals 300]

Each of them plays duplicate deals against each of a field, in every rotation of the seats. Time is the budget
here, so run it on a quiet machine. Results are kept as they come, and a run that is stopped goes on where it
was, with the same code and network. The picture has a point a player: what it wins from the field on average,
by the time that a move takes. That is more than was given where the fewest worlds take longer.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from common import print_table, rows_of
from strong import checked_names, strong_config

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns, with_choice
from stichwerk.agents.evaluation.playing.matches import DEALS, Series, play_pair
from stichwerk.agents.provenance import provenance
from stichwerk.cli import Positional, check_bounds, parse, run
from stichwerk.envs import Game, InputError
from stichwerk.support.figure import curves
from stichwerk.support.files import own_folder, write_whole
from stichwerk.support.machine.hardware import machine

PLAYERS = ("rollout:ms={ms:g}", "pimc:ms={ms:g}", "ismcts:ms={ms:g}", "search:{name},ms={ms:g}")
FIELD = ("rules:0.1", "ppo:{name}", "rollout:worlds=100")


@dataclass(frozen=True)
class Options:
    name: Positional[str]
    """Player with a config in configs/strong, whose game and rules are played."""
    ms: tuple[float, ...] = (1, 3, 10, 30, 100)
    """Milliseconds a move."""
    deals: int = 300
    """Duplicate deals of a match."""
    timed_deals: int = 10
    """Duplicate deals, side by side, in which a move's time is taken."""
    processor: bool = False
    """Take the processor's time in place of the clock's: for players without processes of their own, where
    other work keeps the machine busy."""
    seed: int = 1
    """Of the deals."""
    players: tuple[str, ...] = PLAYERS
    """Texts of the players, with {ms:g} and {name} in them."""
    field: tuple[str, ...] = FIELD
    """Texts of the opponents, with {name} in them."""
    out: Path = Path("results/strength")
    """Folder of results and pictures."""


def main(options: Options) -> None:
    checked_names([options.name])
    check_bounds(options, {"deals": DEALS, "timed_deals": DEALS, "seed": (0, 2**64 - 2)})
    if not options.ms or not all(0.001 <= ms <= 1e6 for ms in options.ms):
        given = " ".join(map(str, options.ms)) or "none"
        raise InputError(f"ms: got {given}; expected numbers from 0.001 to a million")
    if not options.players:
        raise InputError("players: got none; expected texts of agents")
    own_folder(str(options.out), "benchmark", "--out")
    kept = options.out / f"{options.name}.jsonl"
    field = [text.format(name=options.name) for text in options.field]
    texts = [text_of(options, player, ms) for player in options.players for ms in options.ms]
    game, _ = game_of(options)
    for text in (*texts, *field):
        make_agent_for(text, game)  # or what is wrong with it
    options.out.mkdir(parents=True, exist_ok=True)
    origin = provenance(game, [*texts, *field])
    common = {
        "seed": options.seed,
        "machine": machine(),
        "code": f"{origin['code_hash']} {origin['agents_hash']}",
    }
    earlier = [row for row in rows_of(kept) if common.items() <= row.items()]
    results = {(row["a"], row["b"]): row for row in earlier if row.get("deals") == options.deals}
    how = {"timed": options.timed_deals, "clock": "processor" if options.processor else "wall"}
    timed = [row for row in earlier if how.items() <= row.items()]
    took = {row["a"]: row["took"] for row in timed}
    table = []
    for text in texts:
        if text not in took:
            took[text] = milliseconds(options, text)
            keep(kept, {"a": text, "took": took[text], **how, **common})
        for other in field:
            if (text, other) not in results:
                results[text, other] = match(options, text, other)
                keep(kept, {**results[text, other], **common})
        rows = [results[text, other] for other in field]
        points = (f"{row['mean']:+.3f} ± {row['error']:.3f}" for row in rows)
        table.append([text, f"{took[text]:.3g}", *points])
    print_table(["game points a deal", "ms a move", *field], table)
    draw(options, field, results, took)


def text_of(options: Options, player: str, ms: float) -> str:
    return player.replace("{name}", options.name).replace("{ms:g}", f"{ms:g}")


def milliseconds(options: Options, text: str) -> float:
    """The measured time of a choice, on average."""
    game, starts = game_of(options)
    agent, other = make_agent_for(text, game), make_agent_for("rules:0.1", game)
    series = Series(options.timed_deals, options.seed, start_states=starts)
    play_pair(game, agent, other, series)  # compiles all that these deals need
    act, seconds, choices = agent.act, 0.0, 0
    clock = time.process_time if options.processor else time.perf_counter

    def watched(turns: Turns) -> np.ndarray:
        nonlocal seconds, choices
        begun = clock()
        actions = act(turns)
        seconds += clock() - begun
        choices += len(with_choice(turns.mask))
        return actions

    agent.act = watched
    play_pair(game, agent, other, series)
    return 1000 * seconds / choices


def match(options: Options, text: str, other: str) -> dict:
    """The points per deal of a player against another, with the half width of the 95 % interval."""
    game, starts = game_of(options)
    agents = make_agent_for(text, game), make_agent_for(other, game)
    play_pair(game, *agents, Series(2, options.seed + 1, start_states=starts))  # compiles
    pair = play_pair(game, *agents, Series(options.deals, options.seed, start_states=starts))
    return {"a": text, "b": other, "mean": pair.mean, "error": pair.margin, "deals": pair.deals}


def game_of(options: Options) -> tuple[Game, bool]:
    """The game, and whether its deals begin in start states."""
    config = strong_config(options.name)
    return config.game.make(), config.game.start_states


def keep(kept: Path, row: dict) -> None:
    write_whole(kept, "".join(json.dumps(each) + "\n" for each in [*rows_of(kept), row]))


def draw(options: Options, field: list[str], results: dict, took: dict[str, float]) -> None:
    """Draw a point for each player: what it wins from the field on average, by the time that a move takes it.

    Points of one kind of player are joined.
    """
    points: dict[str, list[tuple[float, ...]]] = {}
    for text in {text_of(options, player, ms): None for player in options.players for ms in options.ms}:
        mean = fmean(results[text, other]["mean"] for other in field)
        margin = fmean(results[text, other]["error"] for other in field)  # at most: on the same deals
        points.setdefault(text.split(":")[0], []).append((took[text], mean, mean - margin, mean + margin))
    figure = curves(
        points.items(),
        "milliseconds a move, on one core",
        f"points a deal over {', '.join(field)}, ± 95 %",
        f"{options.name}: strength by time",
        log=True,
        bands=False,
    )
    write_whole(options.out / f"{options.name}.svg", figure.svg())


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
