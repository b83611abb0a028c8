"""What the shipped players do, beside the rule-based player and a search: the tables of docs/habits.md.

python benchmarks/habits.py [NAMES …] [--deals 200]

For each config in configs/strong: `stichwerk habits`, of the players in PLAYERS, against rules:0.1. Its
section of the page is replaced, the others stay.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import tyro
from strong import checked_names, game_words, strong_config

from stichwerk.agents.files import write_whole
from stichwerk.agents.matches.arena import DEALS
from stichwerk.agents.matches.habits import by_place
from stichwerk.cli import check_bounds, parse, run
from stichwerk.commands.habits import ALL, HabitsOptions, habits_of, in_words

PAGE = Path(__file__).parent.parent / "docs" / "habits.md"
PLAYERS = ("ppo:{name}", "rules", "search:{name},worlds=16")
BEGIN = """# What players do

How often each shipped player chooses what kind of action, beside the rule-based player and a search that it
guides: each of them takes every side of the same duplicate deals against `rules:0.1`.

`60.0 % of 0.17, +0.38 ± 0.38` means: a seat had the choice between this kind of action and another 0.17 times
a deal, and chose this one 60.0 % of the times; the deals in which it did so at least once brought it +0.38
points, ± 95 % (– where there are too few deals for an interval). A role is what a seat had become at the end
of the deal; there only the kinds stand that somebody chose often enough for an interval. In Preferans
`declare 2` to `declare 5` are spades, diamonds, hearts and clubs as trumps, `declare 6` is betl and
`declare 7` sans. Written by `python benchmarks/habits.py`.
"""


@dataclass(frozen=True)
class Options:
    names: tyro.conf.Positional[tuple[str, ...]] = ()
    """Players by their configs' names; none: all."""
    deals: int = 200
    """Duplicate deals."""


def main(options: Options) -> None:
    check_bounds(options, {"deals": DEALS})
    for name in checked_names(options.names):
        text = section(name, options.deals)
        page = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
        write_whole(PAGE, with_section(page, f"## `ppo:{name}`\n", text))


def with_section(page: str, heading: str, text: str) -> str:
    """The page with a section of this heading in its place among the others, by their names."""
    _, *sections = re.split("^(?=## )", page, flags=re.MULTILINE)
    others = (other.rstrip() + "\n" for other in sections if not other.startswith(heading))
    return "\n".join([BEGIN, *sorted([*others, f"{heading}\n{text}"])])


def section(name: str, deals: int) -> str:
    """The command, and a row for each kind of action and role."""
    config = strong_config(name)
    agents = tuple(text.format(name=name) for text in PLAYERS)
    options = HabitsOptions(
        agents=agents, env=config.env, rules=config.rules, deals=deals, start_states=config.start_states
    )
    command = f"stichwerk habits {game_words(config)} --agents {' '.join(agents)} --deals {deals}"
    command += " --start-states" * config.start_states
    rows = [
        [role or ALL, f"`{kind}`", *(", ".join(in_words(habit)) for habit in each)]
        for (role, kind), each in by_place(habits_of(options, config.game())).items()
        if not role or any(habit and habit.low is not None for habit in each)
    ]
    head = [["Role", "Action", *(f"`{agent}`" for agent in agents)], ["---", "---", *["---:"] * len(agents)]]
    table = [f"| {' | '.join(row)} |" for row in head + rows]
    return "\n".join(["```", command, "```", "", *table, ""])


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
