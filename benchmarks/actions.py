"""Action statistics of shipped players, the rule-based player and a search: docs/results/actions/NAME.csv.

python benchmarks/actions.py [NAMES …] [--deals 5000] [--search-deals 200]

For each config in configs/strong: `stichwerk inspect actions`, of the agents in QUICK and of the search,
against rules:0.1. docs/results/actions.md explains the columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strong import checked_names, game_words, strong_config

from stichwerk.agents.evaluation.playing.action_stats import ActionStatistic, by_place, kind_in_words
from stichwerk.agents.evaluation.playing.matches import DEALS
from stichwerk.agents.evaluation.reports.statistics_files import EVERYBODY
from stichwerk.cli import Positional, check_bounds, parse, run
from stichwerk.commands.inspect.actions import ActionsOptions, statistics_of
from stichwerk.support.files import write_csv

QUICK = ("ppo:{name}", "rules")


@dataclass(frozen=True)
class Options:
    names: Positional[tuple[str, ...]] = ()
    """Players by their configs' names; none: all."""
    deals: int = 5_000
    """Duplicate deals of the player and the rule-based one: enough for contracts that are rare."""
    search: str = "search:{name},worlds=16"
    """Text of the search, with {name} in it."""
    search_deals: int = 200
    """Duplicate deals of the search, which takes a thousand times as long."""
    out: Path = Path(__file__).parent.parent / "docs" / "results" / "actions"
    """Folder that the files are written to."""


def main(options: Options) -> None:
    check_bounds(options, dict.fromkeys(("deals", "search_deals"), DEALS))
    for name in checked_names(options.names):
        rows = rows_of(name, {QUICK: options.deals, (options.search,): options.search_deals})
        options.out.mkdir(parents=True, exist_ok=True)
        write_csv(options.out / f"{name}.csv", list(rows))


def rows_of(name: str, deals: dict[tuple[str, ...], int]) -> Iterator[dict[str, Any]]:
    """A row for each agent, role and kind of action; prints the commands."""
    config = strong_config(name)
    game = config.game.make()
    agents: list[tuple[str, int]] = []
    statistics = []
    for texts, number in deals.items():
        named = tuple(text.format(name=name) for text in texts)
        options = ActionsOptions(
            agents=named,
            env=config.game.env,
            rules=config.game.rules_yaml,
            deals=number,
            start_states=config.game.start_states,
        )
        words = f"{game_words(config)} --agents {' '.join(named)} --deals {number}"
        command = f"stichwerk inspect actions {words}"
        print(command + " --start-states" * config.game.start_states)
        agents += [(agent, number) for agent in named]
        statistics += statistics_of(options, game)
    places = {place: each for place, each in by_place(statistics).items() if is_shown(place[0], each)}
    for column, (agent, number) in enumerate(agents):
        for (role, kind), each in places.items():
            if statistic := each[column]:
                place = {"role": role or EVERYBODY, "action": kind_in_words(game, kind)}
                yield {"agent": agent, "deals": number, **place, **figures(statistic)}


def is_shown(role: str, each: list[ActionStatistic | None]) -> bool:
    """True if a kind of action says something about a role: an agent chose it often enough for an interval,
    and not always."""
    known = (statistic.low is not None and statistic.chosen < 1 for statistic in each if statistic)
    return not role or any(known)


def figures(statistic: ActionStatistic) -> dict[str, str]:
    """The figures of a row, rounded; empty where there are too few deals."""
    mean, low = statistic.mean, statistic.low
    return {
        "offered": f"{statistic.offered:.2f}",
        "chosen": f"{statistic.chosen:.3f}",
        "mean": "" if mean is None else f"{mean:.2f}",
        "margin": "" if mean is None or low is None else f"{mean - low:.2f}",
    }


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
