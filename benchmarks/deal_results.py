"""Count the results of deals, from which match equity derives, and write them into the game's file.

python benchmarks/deal_results.py ppo:schnapsen --deals 100000
python benchmarks/deal_results.py rules --env sixty_six_v0 --rules sixty_six_bulgarian
"""

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.evaluation.playing.matches import DEALS, origins_of, play_deals, seat_chances
from stichwerk.cli import DealOptions, Positional, check_bounds, parse, run
from stichwerk.envs import Game, InputError
from stichwerk.envs.core.random import Use
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.support.files import write_whole
from stichwerk.support.parsing import parse_yaml, read_json, read_text

LANES = 1024
DIGITS = 3  # of points in thirds


@dataclass(frozen=True, kw_only=True)
class Options(DealOptions):
    """Let an agent play deals with itself, and count what they end with."""

    agent: Positional[str]
    """The agent in all seats."""
    deals: int = 20_000
    """The number of deals."""
    seed: int = 1
    """The seed of the deals."""

    def __post_init__(self):
        check_bounds(self, {"deals": DEALS})


def main(arguments: Sequence[str]) -> None:
    options = parse(Options, arguments)
    game = options.game()
    if game.spec.scoring is None:
        raise InputError(f"env: got {options.env}; expected a game whose matches somebody wins")
    path = game.spec.scoring.results
    rules = parse_yaml(options.rules) if options.rules else game.spec.env_ids[game.env_id]
    rules = {"preset": rules} if isinstance(rules, str) else rules
    counts = results(game, options.agent, options.deals, options.seed)
    entry = {
        "command": f"python benchmarks/deal_results.py {shlex.join(arguments)}",
        "rules": {"preset": game.spec.env_ids[game.env_id], **rules},
        "counts": [[count, points] for points, count in counts],
    }
    kept = read_json(read_text(path))["results"] if path.exists() else []
    kept = [each for each in kept if each["rules"] != entry["rules"]]
    lines = ",\n".join(json.dumps(each) for each in [*kept, entry])
    write_whole(path, f'{{"results": [\n{lines}\n]}}\n')
    print(f"{path}: {len(counts)} results of {options.deals:,} deals")


def results(game: Game, text: str, deals: int, seed: int) -> list[tuple[list[float], int]]:
    """The points of the dealer and the following seats, with their number; the commonest first."""
    agent = make_agent_for(text, game)
    chances = seat_chances(seed, Use.TEST, origins_of([agent])[0], game.seats)
    lanes, counts = Lanes(game, min(LANES, deals)), Counter[tuple[float, ...]]()
    for start in range(0, deals, LANES):
        numbers = np.arange(start, min(start + LANES, deals))
        points = play_deals(lanes, [agent] * game.seats, seed, Use.TEST, numbers, chances=chances)
        dealers = lanes.states["dealer"][: len(numbers)]
        seats = (dealers[:, None] + np.arange(game.seats)) % game.seats
        ordered = np.take_along_axis(points, seats, axis=1).round(DIGITS)
        counts.update(map(tuple, (ordered + 0.0).tolist()))  # without negative zeros
    return [([_short(each) for each in points], count) for points, count in counts.most_common()]


def _short(points: float) -> float:
    return int(points) if points.is_integer() else points


if __name__ == "__main__":
    run(main)
