"""Action statistics of shipped players, the rule-based player and a search: docs/results/actions.md.

python benchmarks/actions.py [NAMES …] [--deals 5000] [--search-deals 200]

For each config in configs/strong: `stichwerk actions`, of the players in QUICK and of the search, against
rules:0.1. Its section of the page is replaced, the others stay.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from strong import checked_names, game_words, strong_config

from stichwerk.agents.evaluation.action_stats import by_place, kind_in_words
from stichwerk.agents.evaluation.matches import DEALS
from stichwerk.agents.evaluation.statistics_files import EVERYBODY
from stichwerk.cli import Positional, check_bounds, parse, run
from stichwerk.commands.actions import ActionsOptions, in_words, statistics_of
from stichwerk.support.files import write_whole

QUICK = ("ppo:{name}", "rules")
BEGIN = """# Action statistics

How often each shipped player chooses what kind of action, beside the rule-based player and a search that it
guides: each of them takes every side of duplicate deals against `rules:0.1`, the search of the first few.

`60.0 % of 0.17, +0.38 ± 0.38` means: a seat had the choice between this kind of action and another 0.17 times
a deal, and chose this one 60.0 % of the times; the deals in which it did so at least once brought it +0.38
points, ± 95 % (– where there are too few deals for an interval). A role is what a seat had become at the end
of the deal; there only the kinds stand that somebody chose often enough for an interval, and not always: what
roles bring as a whole stands on [the players' cards](players.md). Written by `python benchmarks/actions.py`.
"""


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
    page: Path = Path(__file__).parent.parent / "docs" / "results" / "actions.md"
    """File that the sections are written to."""


def main(options: Options) -> None:
    check_bounds(options, dict.fromkeys(("deals", "search_deals"), DEALS))
    for name in checked_names(options.names):
        text = section(name, {QUICK: options.deals, (options.search,): options.search_deals})
        page = options.page.read_text(encoding="utf-8") if options.page.is_file() else ""
        write_whole(options.page, with_section(page, f"## `ppo:{name}`\n", text))


def with_section(page: str, heading: str, text: str) -> str:
    """The page with a section of this heading in its place among the others, by their names."""
    _, *sections = re.split("^(?=## )", page, flags=re.MULTILINE)
    others = (other.rstrip() + "\n" for other in sections if not other.startswith(heading))
    return "\n".join([BEGIN, *sorted([*others, f"{heading}\n{text}"])])


def section(name: str, deals: dict[tuple[str, ...], int]) -> str:
    """The commands, one for each group of players, and a row for each kind of action and role."""
    config = strong_config(name)
    game = config.game.make()
    commands, players, statistics = [], [], []
    for texts, number in deals.items():
        agents = tuple(text.format(name=name) for text in texts)
        options = ActionsOptions(
            agents=agents,
            env=config.game.env,
            rules=config.game.rules_text,
            deals=number,
            start_states=config.game.start_states,
        )
        command = f"stichwerk actions {game_words(config)} --agents {' '.join(agents)} --deals {number}"
        commands.append(command + " --start-states" * config.game.start_states)
        players += agents
        statistics += statistics_of(options, game)
    rows = [
        [role or EVERYBODY, kind_in_words(game, kind), *(", ".join(in_words(found)) for found in each)]
        for (role, kind), each in by_place(statistics).items()
        if not role
        or any(statistic and statistic.low is not None and statistic.chosen < 1 for statistic in each)
    ]
    columns = [f"`{player}`" for player in players]
    head = [["Role", "Action", *columns], ["---", "---", *["---:"] * len(columns)]]
    table = [f"| {' | '.join(row)} |" for row in head + rows]
    return "\n".join(["```", *commands, "```", "", *table, ""])


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
