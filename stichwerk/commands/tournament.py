"""Rate any number of agents by a tournament.

stichwerk tournament rules rules:0.1 random rollout:worlds=16 --deals 500 --out results/field
stichwerk tournament mine=python:my_module:make_agent rules random --pairing gauntlet      all meet the first
stichwerk tournament rules rules:0.1 random --env gaigel_v0 --pairing mixed      tables with all seats drawn
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from stichwerk.agents.core.agent import differences
from stichwerk.agents.core.spec import named
from stichwerk.agents.evaluation.playing.matches import DEALS
from stichwerk.agents.evaluation.playing.tournament import Pairing, Tournament
from stichwerk.agents.evaluation.playing.workers import LineUp
from stichwerk.agents.evaluation.reports.tournament_report import print_tournament, write_tournament
from stichwerk.agents.provenance import provenance
from stichwerk.cli import DealOptions, Positional, Seed, check_bounds, command_line, parse, too_few
from stichwerk.envs import InputError
from stichwerk.support.files import RESULTS, TABLES, TOURNAMENT_FILES, held_folder, own_folder, write_json
from stichwerk.support.machine.cluster import FAILURES
from stichwerk.support.parsing import read_json, read_text
from stichwerk.support.terminal.progress import make_bar

BOUNDS = {"deals": DEALS, "seed": (0, 2**64 - 1), "block": (1, DEALS[1]), "workers": (1, 1_000)}
SAVED_EVERY = 20.0  # seconds
GONE = "--pairing least-known: plays all, as intervals were too narrow where results chose the next pairs"
NOT_ASKED = "force", "resume", "cluster", "workers", "out"


@dataclass(frozen=True, kw_only=True)
class TournamentOptions(DealOptions):
    """Let agents meet over the same duplicate deals, and rate them in game points per deal above the field.
    Agents that the results cannot separate form groups."""

    agents: Positional[tuple[str, ...]]
    """Two or more agents, such as random, rules, ppo:NAME. NAME=AGENT gives one a name."""
    pairing: Literal["all", "gauntlet", "mixed", "least-known"] = "all"
    """The choice of agents that meet. all: every pair. gauntlet: the first against each. mixed: tables of all
    seats, with agents and partners drawn. least-known: an earlier choice, now the same as all."""
    deals: int = 2_000
    """The number of duplicate deals a table."""
    seed: Seed = 1
    """The seed of the deals, of the draw of tables and of the agents' random choices."""
    block: int = 500
    """Play this number of deals in a row, in one process. Custom agents and engines restart after them, so
    their results depend on the block."""
    workers: int = 1
    """The number of processes on this machine. The results are the same."""
    cluster: str = ""
    """Play on a Ray cluster: `auto`, or an address such as ray://host:10001. The results are the same."""
    limit_ms: float = 0.0
    """The milliseconds that a decision may take, as the mean over a batch. 0 sets no limit."""
    out: str = ""
    """The folder for results.json, ratings.csv, pairs.csv and report.html. By default nothing is written."""
    resume: bool = False
    """Play the deals missing from the folder."""
    force: bool = False
    """Replace existing results in the folder."""

    def __post_init__(self):
        if len(self.agents) < 2:
            raise InputError(too_few("tournament", self.agents))
        check_bounds(self, BOUNDS)
        check_bounds(self, {"limit_ms": (0, 10**9)}, "a number")
        if self.resume and self.force:
            raise InputError("--resume: got it with --force; expected one of them")
        if self.cluster and self.workers > 1:
            raise InputError("--workers: got it with --cluster; expected one of them")
        if self.resume and not self.out:
            raise InputError("resume needs a folder: add --out")


def main(arguments: Sequence[str]) -> None:
    options = parse(TournamentOptions, arguments)
    pairing: Pairing = "all" if options.pairing == "least-known" else options.pairing
    if pairing != options.pairing:
        print(GONE, file=sys.stderr)
        options = replace(options, pairing=pairing)
    line_up = LineUp(
        options.env, options.rules, tuple(named(options.agents)), options.limit_ms
    ).with_agents_hash()
    game, _ = line_up.make()
    game.check_start_states(options.start_states)
    tournament = Tournament(
        line_up, game, pairing, options.deals, options.seed, options.block, options.start_states
    )
    texts = [text for _, text in named(options.agents)]
    settings = {name: value for name, value in asdict(options).items() if name not in NOT_ASKED}
    settings |= {"env": game.env_id, "rules": game.rules.as_dict(), **provenance(game, texts)}
    folder = own_folder(options.out, "tournament", "--out") if options.out else None
    if folder:
        check_begun(folder, settings, options)
    with held_folder(folder, "tournament", "--out") if folder else nullcontext():
        if folder and check_begun(folder, settings, options):
            tournament.load(folder / TABLES)
        elif folder:
            for name in TOURNAMENT_FILES:
                (folder / name).unlink(missing_ok=True)
        play(tournament, folder, settings, options)
        ratings = tournament.ratings()
        print_tournament(tournament, ratings)
        if folder:
            command = command_line("tournament", options, NOT_ASKED)
            write_tournament(folder, tournament, ratings, settings, command)
            print(f"written: {', '.join(str(folder / name) for name in TOURNAMENT_FILES)}")


def play(
    tournament: Tournament, folder: Path | None, settings: dict[str, Any], options: TournamentOptions
) -> None:
    """Play missing deals with a progress bar; the results of a stopped tournament are saved."""
    with make_bar() as bar, saved(tournament, folder, settings) as save:
        done = tournament.games_played
        task = bar.add_task("playing", total=max(tournament.games, done), completed=done)
        tournament.play(options.cluster, options.workers, partial(bar.advance, task), save)


@contextmanager
def saved(tournament: Tournament, folder: Path | None, settings: dict[str, Any]) -> Iterator[Any]:
    """A function that saves now and then; at the end of the block, also a failed one, all is saved."""
    last = time.monotonic()

    def write() -> None:
        if folder and tournament.games_played:
            tournament.save(folder / TABLES)
            if not (folder / RESULTS).exists():
                write_json(folder / RESULTS, {**settings, "stopped": "before the end"})

    def save() -> None:
        nonlocal last
        if time.monotonic() - last > SAVED_EVERY:
            write()
            last = time.monotonic()

    try:
        yield save
    except (*FAILURES, KeyboardInterrupt):
        write()
        if folder and tournament.games_played:
            print(f"{folder} keeps the deals played: --resume continues", file=sys.stderr)
        raise
    write()


def check_begun(folder: Path, settings: dict[str, Any], options: TournamentOptions) -> bool:
    """True if the folder has a tournament to resume.

    Raises:
        InputError: it has another one, or one that is neither to be gone on with nor to be replaced.
    """
    there = [folder / name for name in TOURNAMENT_FILES if (folder / name).exists()]
    if not there or options.force:
        return False
    if not options.resume:
        raise InputError(
            f"{' and '.join(map(str, there))}: got existing results; expected another folder, "
            "--resume to continue them, or --force to replace them"
        )
    if not (folder / TABLES).is_file() or not (folder / RESULTS).is_file():
        return False
    try:
        theirs = read_json(read_text(folder / RESULTS))
        ours = json.loads(json.dumps(settings))
        del ours["commit"]  # a later one may go on, if all that decides results is the same
        theirs = {name: theirs.get(name) for name in ours}
    except (AttributeError, ValueError) as error:
        raise InputError(f"damaged results {folder / RESULTS}: {error!r}; use --force") from None
    if faults := differences(theirs, ours):
        raise InputError(f"{folder} is of another tournament: {faults}; expected another folder, or --force")
    return True
