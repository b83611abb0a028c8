"""Score an agent on the frozen benchmark, check such scores, or make a leaderboard of them.

stichwerk bench rules --suite schnapsen --out entries/rules-schnapsen.json
stichwerk bench "mine=engine:./my_engine" --suite gaigel4 --budget 20ms --out entries/mine-gaigel4.json
stichwerk bench ppo:schnapsen --suite equilibrium      the distance to perfect play in solved positions
stichwerk bench --verify entries/rules-schnapsen.json      plays a part again, and fresh deals
stichwerk bench engine:./my_engine --verify entries/mine-gaigel4.json --verify-blocks all --by Anna
stichwerk bench --leaderboard entries      writes leaderboard.md and leaderboard.html there
"""

import math
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from rich.table import Table

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.spec import named
from stichwerk.agents.evaluation.bench.checks import Check, keep_check, leaderboard, verify
from stichwerk.agents.evaluation.bench.equilibrium import NAME as EQUILIBRIUM
from stichwerk.agents.evaluation.bench.equilibrium import Suite as EquilibriumSuite
from stichwerk.agents.evaluation.bench.equilibrium import entry_of, summary
from stichwerk.agents.evaluation.bench.files import Entry
from stichwerk.agents.evaluation.bench.suites import BLOCK, BUDGETS, SUITES, VERSION, play_suite
from stichwerk.agents.evaluation.reports import page
from stichwerk.cli import SEED, Positional, check_bounds, check_source, draw_seed, parse
from stichwerk.envs import InputError
from stichwerk.support.errors import quoted
from stichwerk.support.escape import markdown, plain
from stichwerk.support.figure import Estimate, intervals
from stichwerk.support.files import new_file, write_json, write_whole
from stichwerk.support.numbers import in_points, whole_number
from stichwerk.support.terminal.progress import make_bar, print_table

NO_DEALS = "budget", "workers", "cluster", "resume", "verify", "leaderboard"  # of other suites
CHECKS = "verify_blocks", "verify_deals", "verify_seed", "by"
DEALS = 20, 2_000  # fresh ones: fewer say nothing, and more would be added up in units
LONGEST_NAME = 100  # characters of a checker's name
IGNORED = {  # options that do nothing beside this one
    "verify": ("suite", "budget", "cluster", "out", "resume", "force"),
    "leaderboard": ("agent", "suite", "budget", "workers", "cluster", "out", "resume", "force"),
}
UNFINISHED = ".unfinished"  # behind the name of the results file, until that is written
MARKDOWN, HTML = "leaderboard.md", "leaderboard.html"
COLUMNS = {
    "version": "of the package that played",
    "hash": "of the agent's networks, custom modules and engine; agents without any share one",
    "blocks": f"of {BLOCK} deals against each opponent, played again by the checker with the same result",
    "fresh deals": "the score in deals that nobody knew before",
    "checked by": "and when; a score that nobody has checked is what its sender says",
}
HEADINGS = "", "agent", "score ± 95 %", "budget", *COLUMNS
HEADING_OF = {
    "score ± 95 %": "loss at the lead ± 95 %",
    "budget": "positions",
    "fresh deals": "fresh positions",
}
OF_EQUILIBRIUM = (
    "Game points that the leads lose against the equilibrium, in solved positions of Schnapsen; less is "
    "better. A block is ten positions."
)
NOTHING = "–"
HOW_TO = Path("howto", "bench.md")  # in the `docs` of a checkout


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """Play the frozen benchmark: fixed deals of a game against fixed opponents. The score is game points per
    deal, averaged over the opponents."""

    agent: Positional[str] = ""
    """The agent, such as rules, ppo:FOLDER or engine:COMMAND. NAME=AGENT gives it a name."""
    suite: str = "schnapsen"
    """The game: schnapsen, sixty_six, snapszer, gaigel3, gaigel4, gaigel6, preferans3 or preferans4. Or
    equilibrium: the distance to perfect play in solved positions of Schnapsen."""
    states: int = 0
    """With --suite equilibrium: the number of its positions to play, from the first; 0: all."""
    hands: int = 0
    """With --suite equilibrium: for slow agents, the number of decisions of each seat to ask in a position,
    drawn as often as they occur; 0: all."""
    budget: str = "unlimited"
    """The mean time of a decision over a batch: 1ms, 20ms or unlimited. A slower agent is refused."""
    workers: int = 1
    """The number of processes on this machine. The results are the same."""
    cluster: str = ""
    """Play on a Ray cluster: `auto`, or an address such as ray://host:10001."""
    out: str = ""
    """The results file, which --verify and --leaderboard read."""
    verify: str = ""
    """A results file to check: some blocks are played again, and the score is compared with fresh deals. An
    agent that runs other people's code, python or engine, must be named too."""
    verify_blocks: str = "4"
    """With --verify: the number of blocks to play again against each opponent, or `all`. In the suite
    equilibrium a block is ten positions."""
    verify_deals: int = 200
    """With --verify: the number of fresh deals against each opponent; 0: none. In the suite equilibrium a
    tenth as many fresh positions are solved and played."""
    verify_seed: Annotated[int | None, SEED] = None
    """With --verify: the seed of the fresh deals and of the choice of blocks. By default it is random, and
    printed."""
    by: str = ""
    """With --verify: your name. Stores the check beside the file, for the leaderboard."""
    leaderboard: str = ""
    """A folder of results files; leaderboard.md and leaderboard.html are written there."""
    resume: bool = False
    """Continue a stopped suite after its last block."""
    force: bool = False
    """Replace an existing results file, and begin a stopped suite again."""

    def __post_init__(self):
        if not (self.agent or self.verify or self.leaderboard):
            expected = "an agent, --verify or --leaderboard, as in: stichwerk bench rules --out rules.json"
            raise InputError(f"bench: got nothing; expected {expected}")
        check_source(self, "leaderboard", beside=(*IGNORED["leaderboard"], "verify"))
        check_source(self, "verify", within=CHECKS, beside=IGNORED["verify"])
        check_bounds(self, {"workers": (1, 1_000), "states": (0, 10**6), "hands": (0, 10**6)})
        if self.suite == EQUILIBRIUM:
            check_source(self, "suite", beside=NO_DEALS)
            if self.states == 1:
                raise InputError("states: got 1; expected 2 or more, for an interval, or 0: all")
            return
        if self.resume and (self.force or not self.out):
            expected = "one of them" if self.force else "both"
            given = "with --force" if self.force else "without --out"
            raise InputError(f"--resume: got it {given}; expected {expected}")
        if self.verify_deals:
            check_bounds(self, {"verify_deals": DEALS})
        if self.verify_blocks != "all" and not is_count(self.verify_blocks):
            raise InputError(
                f"verify-blocks: got {quoted(self.verify_blocks)}; expected a whole number from 0, or all"
            )
        if not self.verify_deals and self.verify_blocks == "0":
            raise InputError("verify: got neither blocks nor fresh deals; expected some")
        if len(self.by) > LONGEST_NAME:
            raise InputError(f"by: got {quoted(self.by)}; expected at most {LONGEST_NAME} characters")
        if self.cluster and self.workers > 1:
            raise InputError("--workers: got it with --cluster; expected one of them")
        for name in ("states", "hands"):
            if getattr(self, name):
                raise InputError(f"{name}: got it without --suite {EQUILIBRIUM}; expected both")
        for name, known in (("suite", (*SUITES, EQUILIBRIUM)), ("budget", BUDGETS)):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name}: got {quoted(getattr(self, name))}; expected one of {', '.join(known)}"
                )


def main(arguments: Sequence[str]) -> None:
    options = parse(BenchOptions, arguments)
    if options.verify:
        check(options)
    elif options.leaderboard:
        write_leaderboard(Path(options.leaderboard))
    elif options.suite == EQUILIBRIUM:
        measure(options)
    else:
        play(options)


def measure(options: BenchOptions) -> None:
    """Print an agent's distance to the equilibrium in the positions of the suite, and write it."""
    ((alias, text),) = named([options.agent])
    path, suite = new_file(options.out, options.force) if options.out else None, EquilibriumSuite()
    agent, number = make_agent_for(text, suite.game), min(options.states or len(suite), len(suite))
    with make_bar() as bar:
        task, found = bar.add_task("asking", total=number), []
        for state in range(number):
            found.append(suite.measure(agent, state, options.hands))
            bar.advance(task)
    rows = summary(found)
    facts = f"{number:,} of {len(suite):,} positions"
    grid = Table("", caption=f"{alias}: game points a position ± 95 %, {facts}")
    grid.add_column("distance to the equilibrium", justify="right")
    for name, (mean, margin) in rows.items():
        grid.add_row(name, NOTHING if math.isnan(mean) else in_points(mean, margin, signed=False))
    print_table(grid)
    if path:
        write_json(path, entry_of(suite, alias, text, found, options.hands))
        print(f"written: {path}")


def check(options: BenchOptions) -> None:
    """Check a results file, print what holds and what was not checked, and store that under `--by`."""
    text = named([options.agent])[0][1] if options.agent else ""
    seed = draw_seed() if options.verify_seed is None else options.verify_seed
    blocks = None if options.verify_blocks == "all" else whole_number(options.verify_blocks)
    entry, found = verify(
        Path(options.verify), seed, blocks, options.verify_deals, text, options.by, options.workers
    )
    print("\n  ".join(map(plain, found.in_words(entry))))
    if options.by:
        print(f"written: {keep_check(entry, found)}")


def is_count(word: str) -> bool:
    """True if a word is a whole number from 0."""
    return (whole_number(word) or 0) >= 0 and whole_number(word) is not None


def play(options: BenchOptions) -> None:
    """Play the suite, print the score and write the results file."""
    ((alias, text),) = named([options.agent])
    path = new_file(options.out, options.force) if options.out else None
    unfinished = path.with_name(path.name + UNFINISHED) if path else None
    if unfinished and unfinished.exists() and not options.resume:
        if not options.force:
            expected = "--resume to continue it, or --force to begin again"
            raise InputError(f"{unfinished}: got a stopped suite; expected {expected}")
        unfinished.unlink()
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
            unfinished,
        )
    grid = Table(
        "against", caption=f"game points per deal, {suite.deals:,} duplicate deals, seed {entry['seed']}"
    )
    grid.add_column(alias, justify="right", overflow="fold")
    rows = [(each["agent"], each) for each in entry["opponents"]]
    for name, each in [*rows, ("score", {"mean": entry["score"], "low": entry["low"]})]:
        grid.add_row(name, in_points(each["mean"], each["mean"] - each["low"]))
    print_table(grid)
    print("not checked yet: the leaderboard says so until somebody runs --verify with --by")
    if path:
        write_json(path, entry)
        if unfinished:
            unfinished.unlink(missing_ok=True)
        print(f"written: {path}")


def write_leaderboard(folder: Path) -> None:
    """Write the leaderboard of a folder's entries as Markdown and as a page."""
    entries = list(leaderboard(folder))
    told = [f"Column `{name}`: {meaning}." for name, meaning in COLUMNS.items()]
    lines, parts = [f"# Stichwerk bench {VERSION}", "", " ".join([*told, *_how_to(folder)]), ""], []
    leaders = []
    for name, suite in SUITES.items():
        own = [(entry, check) for entry, check in entries if entry["suite"] == name]
        if not own:
            continue
        rows = [row_of(place, *each) for place, each in enumerate(own, start=1)]
        about = f"{suite.deals:,} duplicate deals against each of {' and '.join(suite.opponents)}"
        lines += [f"## {name}", "", f"{about}.", ""]
        lines += [*_grid(HEADINGS, rows), ""]
        scores = [Estimate(entry["agent"], entry["score"], entry["low"], entry["high"]) for entry, _ in own]
        picture = intervals(scores, "score, 95 % intervals")
        parts.append(page.section(name, page.table(HEADINGS, rows, texts=(1,)), picture, note=f"{about}."))
        best = own[0][0]
        leaders.append(f"{name}: {best['agent']} leads with {in_points(best['score'], best.margin)}.")
    if own := [(entry, check) for entry, check in entries if entry.of_equilibrium]:
        rows = [row_of(place, *each) for place, each in enumerate(own, start=1)]
        heads = [HEADING_OF.get(name, name) for name in HEADINGS]
        lines += [f"## {EQUILIBRIUM}", "", OF_EQUILIBRIUM, "", *_grid(heads, rows), ""]
        losses = [
            Estimate(entry["agent"], entry.score, entry.score - entry.margin, entry.score + entry.margin)
            for entry, _ in own
        ]
        picture = intervals(losses, "loss at the lead, 95 % intervals")
        table = page.table(heads, rows, texts=(1,))
        parts.append(page.section(EQUILIBRIUM, table, picture, note=OF_EQUILIBRIUM))
    command = shlex.join(["stichwerk", "bench", "--leaderboard", str(folder)])
    facts = {"score": "game points per deal, averaged over the opponents", **COLUMNS}
    text = page.page(f"Stichwerk bench {VERSION}", "\n".join(leaders), parts, facts, command)
    write_whole(folder / MARKDOWN, "\n".join(lines))
    write_whole(folder / HTML, text)
    print(f"written: {folder / MARKDOWN}, {folder / HTML}")


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    ruled = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    return ruled + [f"| {' | '.join(map(markdown, row))} |" for row in rows]


def row_of(place: int, entry: Entry, check: Check | None) -> list[str]:
    """The cells of an entry in a leaderboard."""
    whole, signed = entry.blocks, not entry.of_equilibrium
    asked = f"{entry['hands']} decisions a seat" if entry.of_equilibrium and entry["hands"] else "all hands"
    return [
        str(place),
        entry["agent"],
        in_points(entry.score, entry.margin, signed=signed),
        f"{entry['states']:,}, {asked}" if entry.of_equilibrium else entry["budget"],
        entry["version"],
        entry["agent_hash"][:8],
        f"{check.blocks} of {whole}" if check else NOTHING,
        f"{in_points(check.mean, check.margin, signed=signed)} in {check.deals:,}"
        if check and check.deals
        else NOTHING,
        f"{check.by}, {check.when}" if check else NOTHING,
    ]


def _how_to(folder: Path) -> Iterator[str]:
    """A sentence with a link to the page of the benchmark, if the folder lies in the `docs` of a checkout."""
    for above in folder.resolve().parents:
        if above.name == "docs" and (above / HOW_TO).is_file():
            link = Path(os.path.relpath(above / HOW_TO, folder.resolve())).as_posix()
            yield f"[Benchmark]({link}) says how to add a result."
            return
