"""Compare agents over duplicate deals: python eval.py --env schnapsen_v0 --agents rules random --deals 20000 --out results/demo"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.progress import Progress

from stichwerk.agents import Agent, make_agent_for
from stichwerk.agents.arena import PairResult, arrangements, games_in_pair, play_pair, play_table
from stichwerk.agents.cli import parse, parse_yaml, run
from stichwerk.agents.progress import make_bar
from stichwerk.agents.report import draw_pairs, print_results, print_table, write_results
from stichwerk.envs import Game, InputError, make_game


@dataclass(frozen=True)
class EvalOptions:
    """Play every pair of agents over the same deals in every seating; the game's roles are reported where it has any."""

    agents: tuple[str, ...]
    """Two or more of: random, rules, ppo:FOLDER."""
    env: str = "schnapsen_v0"
    """Environment id."""
    rules: str = ""
    """Preset, or options such as '{preset: schnapsen, claims: auto}'; empty: the default preset."""
    deals: int = 20_000
    """Duplicate deals a pair."""
    seed: int = 1
    """Of the deals and of the agents' chance."""
    together: bool = False
    """Seat all agents, as many as the game has sides, at one table in every arrangement, instead of every pair."""
    situations: bool = False
    """Play each deal in a situation of a match that the game draws, instead of with a fresh score."""
    out: str = ""
    """Folder for results.json and pairs.png; empty: none is written."""

    def __post_init__(self):
        if len(self.agents) < 2:
            raise InputError(f"agents {' '.join(self.agents) or 'none'}: allowed are two or more")
        for name, least in (("deals", 2), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} {getattr(self, name)}: allowed is a whole number of at least {least}")


def main(arguments: Sequence[str]) -> None:
    options = parse(EvalOptions, arguments)
    game = make_game(options.env, parse_yaml(options.rules))
    agents = [make_agent_for(text, game) for text in options.agents]
    if options.together and len(agents) != game.side_count:
        raise InputError(f"agents {' '.join(options.agents)}: allowed with --together are {game.side_count}, one for each side")
    game.check_situations(options.situations)
    number_twins(agents)
    folder = Path(options.out) if options.out else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with make_bar() as bar:
        results = play_together(game, agents, options, bar) if options.together else play_pairs(game, agents, options, bar)
    if options.together:
        print_table(results)
    else:
        print_results(results)
    if folder:
        write_results(folder / "results.json", {**asdict(options), "rules": game.rules.as_dict()}, results)
        draw_pairs(folder / "pairs.png", results, game.env_id)
        print(f"written: {folder / 'results.json'}, {folder / 'pairs.png'}")


def play_pairs(game: Game, agents: Sequence[Agent], options: EvalOptions, bar: Progress) -> list[PairResult]:
    pairs = list(combinations(agents, 2))
    task = bar.add_task("playing", total=len(pairs) * options.deals * games_in_pair(game, by_role=True))
    settings: Any = {"by_role": True, "situations": options.situations, "on_progress": partial(bar.advance, task)}
    return [play_pair(game, a, b, options.deals, options.seed, **settings) for a, b in pairs]


def play_together(game: Game, agents: Sequence[Agent], options: EvalOptions, bar: Progress) -> list[PairResult]:
    task = bar.add_task("playing", total=options.deals * len(arrangements(game)))
    advance = partial(bar.advance, task)
    return play_table(game, agents, options.deals, options.seed, situations=options.situations, on_progress=advance)


def number_twins(agents: Sequence[Agent]) -> None:
    """Give agents of one text different names: rules, rules#2, …"""
    seen: Counter[str] = Counter()
    for agent in agents:
        seen[agent.name] += 1
        if seen[agent.name] > 1:
            agent.name = f"{agent.name}#{seen[agent.name]}"


if __name__ == "__main__":
    run(main)
