"""Score an agent on the frozen benchmark, or make a leaderboard of such scores.

stichwerk bench rules --suite schnapsen --out entries/rules-schnapsen.json
stichwerk bench "mine=engine:./my_engine" --suite gaigel4 --budget 20ms --out entries/mine-gaigel4.json
stichwerk bench --verify entries/rules-schnapsen.json      plays a part again
stichwerk bench --leaderboard entries      writes leaderboard.md and leaderboard.html there
"""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.table import Table

from stichwerk.agents.evaluation import page
from stichwerk.agents.evaluation.bench import (
    BUDGETS,
    HEADINGS,
    SUITES,
    VERSION,
    leaderboard,
    play_suite,
    rows_of,
    verify,
)
from stichwerk.agents.spec import named
from stichwerk.cli import Positional, check_bounds, check_source, parse
from stichwerk.envs import InputError
from stichwerk.support.errors import quoted
from stichwerk.support.files import new_file, write_json, write_whole
from stichwerk.support.numbers import in_points
from stichwerk.support.progress import make_bar, print_table

IGNORED = {  # options that do nothing beside this one
    "verify": ("suite", "budget", "cluster", "out", "force"),
    "leaderboard": ("suite", "budget", "workers", "cluster", "out", "force"),
}
MARKDOWN, HTML = "leaderboard.md", "leaderboard.html"
COLUMNS = {
    "version": "of the package that played",
    "hash": "of the agent's networks, custom modules and engine; agents without any share one",
}
HOW_TO = Path("howto", "bench.md")  # in the `docs` of a checkout


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """Play the frozen benchmark: fixed deals of a game against fixed opponents. The score is game points per
    deal, in the mean over the opponents."""

    agent: Positional[str] = ""
    """The agent, such as rules, ppo:FOLDER or engine:COMMAND. NAME=AGENT gives it a name."""
    suite: str = "schnapsen"
    """The game: schnapsen, sixty_six, snapszer, gaigel3, gaigel4, gaigel6, preferans3 or preferans4."""
    budget: str = "unlimited"
    """The time of a decision, as the mean over a batch: 1ms, 20ms or unlimited. A slower agent is refused."""
    workers: int = 1
    """The number of processes of this machine that play. The results are the same."""
    cluster: str = ""
    """Play on a Ray cluster: `auto`, or an address such as ray://host:10001."""
    out: str = ""
    """The results file, which --verify and --leaderboard read."""
    verify: str = ""
    """A results file, of which the first deals are played again."""
    leaderboard: str = ""
    """A folder of results files, of which leaderboard.md and leaderboard.html are made."""
    force: bool = False
    """Replace a results file that is there already."""

    def __post_init__(self):
        asked = [name for name in ("agent", "verify", "leaderboard") if getattr(self, name)]
        if len(asked) != 1:
            raise InputError(
                f"bench: got {', '.join(asked) or 'nothing'}; expected an agent, --verify or --leaderboard"
            )
        for name, ignored in IGNORED.items():
            check_source(self, name, beside=ignored)
        check_bounds(self, {"workers": (1, 1_000)})
        if self.cluster and self.workers > 1:
            raise InputError("--workers: got it with --cluster; expected one of them")
        for name, known in (("suite", SUITES), ("budget", BUDGETS)):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name}: got {quoted(getattr(self, name))}; expected one of {', '.join(known)}"
                )


def main(arguments: Sequence[str]) -> None:
    options = parse(BenchOptions, arguments)
    if options.verify:
        print(verify(Path(options.verify), options.workers))
    elif options.leaderboard:
        write_leaderboard(Path(options.leaderboard))
    else:
        play(options)


def play(options: BenchOptions) -> None:
    """Play the suite, print the score and write the results file."""
    ((alias, text),) = named([options.agent])
    path = new_file(options.out, options.force) if options.out else None
    suite = SUITES[options.suite]
    suite.tournament(text, BUDGETS[options.budget]).line_up.make()
    with make_bar() as bar:
        games = suite.deals * len(suite.opponents) * suite.game.side_count
        task = bar.add_task("playing", total=games)
        entry = play_suite(
            options.suite,
            text,
            alias,
            options.budget,
            options.cluster,
            options.workers,
            partial(bar.advance, task),
        )
    grid = Table(
        "against", caption=f"game points per deal, {suite.deals:,} duplicate deals, seed {entry['seed']}"
    )
    grid.add_column(alias, justify="right", overflow="fold")
    rows = [(each["agent"], each) for each in entry["opponents"]]
    for name, each in [*rows, ("score", {"mean": entry["score"], "low": entry["low"]})]:
        grid.add_row(name, in_points(each["mean"], each["mean"] - each["low"]))
    print_table(grid)
    if path:
        write_json(path, entry)
        print(f"written: {path}")


def write_leaderboard(folder: Path) -> None:
    """Write the leaderboard of a folder's entries as Markdown and as a page."""
    found = leaderboard(folder)
    told = [f"Column `{name}`: {meaning}." for name, meaning in COLUMNS.items()]
    lines, parts = [f"# Stichwerk bench {VERSION}", "", " ".join([*told, *_how_to(folder)]), ""], []
    for name, entries in found.items():
        suite, rows = SUITES[name], rows_of(entries)
        about = f"{suite.deals:,} duplicate deals against each of {' and '.join(suite.opponents)}"
        lines += [f"## {name}", "", f"{about}.", ""]
        lines += [f"| {' | '.join(HEADINGS)} |", f"|{' --- |' * len(HEADINGS)}"]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        lines.append("")
        bars = [page.Bar(entry["agent"], entry["score"], entry["low"], entry["high"]) for entry in entries]
        picture = page.forest_plot(bars, "score, 95 % intervals")
        parts.append(page.section(name, page.table(HEADINGS, rows, texts=(1,)), picture, note=f"{about}."))
    best = {name: entries[0] for name, entries in found.items()}
    claim = "\n".join(
        f"{name}: {entry['agent']} leads with {in_points(entry['score'], entry['score'] - entry['low'])}."
        for name, entry in best.items()
    )
    command = shlex.join(["stichwerk", "bench", "--leaderboard", str(folder)])
    facts = {"score": "game points per deal, in the mean over the opponents", **COLUMNS}
    write_whole(folder / MARKDOWN, "\n".join(lines))
    write_whole(folder / HTML, page.page(f"Stichwerk bench {VERSION}", claim, parts, facts, command))
    print(f"written: {folder / MARKDOWN}, {folder / HTML}")


def _how_to(folder: Path) -> Iterator[str]:
    """A sentence with a link to the page of the benchmark, if the folder lies in the `docs` of a checkout."""
    for above in folder.resolve().parents:
        if above.name == "docs" and (above / HOW_TO).is_file():
            link = Path(os.path.relpath(above / HOW_TO, folder.resolve())).as_posix()
            yield f"[Benchmark]({link}) says how to add a result."
            return
