"""Checks of results files by play: some blocks again, and the score on fresh deals."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Agent
from stichwerk.agents.evaluation.bench import equilibrium
from stichwerk.agents.evaluation.bench.files import POSITIONS, TOLERANCE, Entry, read_entry
from stichwerk.agents.evaluation.bench.suites import BLOCK, BUDGETS, SEED, interval, points_of
from stichwerk.agents.evaluation.playing.tournament import Tournament, play_part
from stichwerk.agents.provenance import CHANCE, agents_hash, provenance
from stichwerk.agents.registry import kind_of
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import write_whole
from stichwerk.support.machine.cluster import in_order
from stichwerk.support.numbers import in_points
from stichwerk.support.parsing import read_json, read_text
from stichwerk.support.quantiles import student_quantile

SAME = 1e-4  # game points of a position, as networks differ in the last digits between machines
ERROR = 0.002  # the chance to refuse a score that is true
ORIGIN = "version", "commit", "chance", "rules_hash", "code_hash"


@dataclass(frozen=True, kw_only=True)
class Check:
    """The finding of one check of a results file: a line of JSON in the file of checks.

    Attributes:
        file: SHA-256 of the results file
        by: who has checked it
        when: the day, in UTC
        version, commit: of the package that played
        seed: drew the blocks and dealt the fresh deals
        blocks: how many came out the same against each opponent
        deals: fresh ones against each opponent
        mean, margin: of the points there, as the score has them, and half of the 95 % interval; 0 without
            fresh deals
    """

    file: str
    by: str
    when: str
    version: str
    commit: str
    seed: int
    blocks: int
    deals: int
    mean: float
    margin: float

    def in_words(self, entry: Entry) -> list[str]:
        """In lines: what holds, and what was not checked."""
        whole, agreed = entry.blocks, in_points(entry.score, entry.margin)
        against, fresh_ones = " against each opponent", "fresh deals"
        if entry.of_equilibrium:
            against, fresh_ones = f" of {POSITIONS} positions", "fresh positions"
        lines = [f"{entry.path}: checked with seed {self.seed}"]
        if self.blocks:
            lines.append(f"{self.blocks} of {whole} blocks{against} come out the same")
        if self.deals:
            fresh = in_points(self.mean, self.margin)
            lines.append(f"{fresh} in {self.deals:,} {fresh_ones} agrees with the score of {agreed}")
        left = ["the agent's name and its time", "version and commit"]
        left += [] if self.blocks == whole else [f"{whole - self.blocks} blocks{against}"]
        left += [] if self.deals else [f"play with {fresh_ones.split()[1]} that nobody knew before"]
        lines.append(f"not checked: {', '.join(left)}")
        here = provenance(entry.game, [entry["text"], *entry.opponents])
        if others := [name for name in ORIGIN if entry[name] != here[name]]:
            lines.append(f"played by another version: {', '.join(others)} differ here")
        return lines


def checks_file(path: Path) -> Path:
    """The path of the checks of a results file, in the same folder."""
    return path.with_suffix(".checks.jsonl")


def read_check(entry: Entry) -> Check | None:
    """The latest check of a results file as it is now; InputError if a line of its checks is damaged."""
    path, latest = checks_file(entry.path), None
    kinds = {each.name: each.type for each in fields(Check)}
    for number, line in enumerate(read_text(path).splitlines() if path.exists() else (), start=1):
        try:
            found = read_json(line)
            if not isinstance(found, dict) or {name: type(each) for name, each in found.items()} != kinds:
                raise InputError(f"got {quoted(found)}; expected {', '.join(kinds)}")
        except InputError as error:
            raise InputError(f"{path}: line {number}: {error}") from None
        if found["file"] == entry.digest:
            latest = Check(**found)
    return latest


def keep_check(entry: Entry, check: Check) -> Path:
    """Add a check to those of a results file."""
    path = checks_file(entry.path)
    before = read_text(path) if path.exists() else ""
    write_whole(path, f"{before}{json.dumps(asdict(check), allow_nan=False)}\n")
    return path


def verify(
    path: Path, seed: int, blocks: int | None, deals: int, agent: str = "", by: str = "", workers: int = 1
) -> tuple[Entry, Check]:
    """Check a results file by play.

    Args:
        path: of the file
        seed: draws the blocks, together with the content of the file, and deals the fresh deals
        blocks: how many are played again against each opponent; None: all
        deals: fresh ones against each opponent, or ten for each fresh position; 0: none
        agent: the text of the agent on this machine; empty: the file's
        by: who checks
        workers: processes of this machine that play

    Returns:
        The entry and what holds of it.

    Raises:
        InputError: The file does not hold, its agent is another one here, its points come out differently,
            or fresh deals disagree with the score. Or the file names code to run and `agent` does not.
    """
    if seed == SEED:
        raise InputError(f"seed: got {seed}, which deals the suite; expected another")
    entry = read_entry(path)
    text = agent or entry["text"]
    if not entry.of_equilibrium:
        entry.suite.check()
    if not agent and kind_of(text).runs_code:
        raise InputError(
            f"{path}: its agent is {quoted(text)}, which runs code that the file names; "
            "expected the agent on the command line too, if you trust it"
        )
    for name, texts in (("agent_hash", [text]), ("agents_hash", [text, *entry.opponents])):
        if (found := agents_hash(texts)) != entry[name]:
            raise InputError(f"{path}: {text} has the {name} {found} here; expected {entry[name]}")
    if entry.of_equilibrium:
        agents = [make_agent_for(text, entry.game)]
    else:
        tournament = entry.suite.tournament(text, BUDGETS[entry["budget"]])
        _, agents = tournament.line_up.make()
    # Blocks of agents that draw random numbers come out the same by the same way of chance alone.
    known = entry["chance"] == CHANCE or not any(player.draws for player in agents)
    if not known and not deals:
        raise InputError(
            f"{path}: its agents drew random numbers in an earlier way, so no block can be played again; "
            "expected fresh deals"
        )
    numbers, mean, margin = 0, 0.0, 0.0
    if entry.of_equilibrium:
        deals //= 10
        numbers = _measure_blocks(entry, agents[0], seed, blocks) if known else 0
        if deals:
            mean, margin = _measure_fresh(entry, agents[0], seed, deals)
    else:
        numbers = _play_blocks(entry, tournament, seed, blocks, workers) if known else 0
        if deals:
            mean, margin = _play_fresh(entry, text, seed, deals, workers)
    origin = provenance(entry.game)
    return entry, Check(
        file=entry.digest,
        by=by,
        when=datetime.now(UTC).date().isoformat(),
        version=origin["version"],
        commit=origin["commit"],
        seed=seed,
        blocks=numbers,
        deals=deals,
        mean=mean,
        margin=margin,
    )


def draw_blocks(entry: Entry, seed: int, count: int | None) -> list[list[int]]:
    """Numbers of blocks, for each opponent apart. They depend on every byte of the file and on the seed, so
    they are not known before the file is fixed."""
    chance = np.random.default_rng([seed, int(entry.digest, 16)])
    return [sorted(chance.permutation(entry.blocks)[:count].tolist()) for _ in entry.opponents or [""]]


def _play_blocks(entry: Entry, tournament: Tournament, seed: int, count: int | None, workers: int) -> int:
    """Play some blocks again; how many against each opponent. InputError if one comes out differently."""
    drawn = draw_blocks(entry, seed, count)
    parts = [
        (place, part[-1][0] // BLOCK, part)
        for place, numbers in enumerate(drawn)
        for part in tournament.parts(place, entry["deals"])
        if part[-1][0] // BLOCK in numbers
    ]
    found: dict[tuple[int, int], float] = {}
    with closing(in_order(play_part, [part for *_, part in parts], "", workers)) as played:
        for (place, number, _), points in zip(parts, played, strict=True):
            found[place, number] = found.get((place, number), 0.0) + float(points[:, 0].sum())
    for (place, number), ours in found.items():
        theirs = entry["blocks"][place][number]
        if abs(ours - theirs) > TOLERANCE:
            raise InputError(
                f"{entry.path}: block {number + 1} against {entry.suite.opponents[place]}: got {theirs:g} "
                f"points; expected {ours:g}, as played here (an agent with a limit of time may differ)"
            )
    return len(drawn[0])


def _play_fresh(entry: Entry, text: str, seed: int, deals: int, workers: int) -> tuple[float, float]:
    """Play fresh deals; the mean there and half of its 95 % interval. InputError if it does not agree."""
    tournament = entry.suite.tournament(text, BUDGETS[entry["budget"]], deals, seed)
    tournament.play(workers=workers)
    points = points_of(tournament).mean(axis=1)
    return _agreed(entry, points, f"{deals:,} fresh deals of seed {seed}")


def _agreed(entry: Entry, points: np.ndarray, fresh: str) -> tuple[float, float]:
    """The mean of fresh deals or positions and half of its 95 % interval. InputError if the score is too far
    away."""
    mean, margin = interval(points)
    allowed = most_apart(points, entry["states"] if entry.of_equilibrium else entry["deals"], entry.game)
    if abs(entry.score - mean) > allowed:
        raise InputError(
            f"{entry.path}: got a score of {entry.score:+.3f}; expected one at most {allowed:.3f} from "
            f"{in_points(mean, margin)}, as {fresh} have it "
            f"(refused by chance: one true score in {1 / ERROR:.0f})"
        )
    return mean, margin


def _measure_blocks(entry: Entry, agent: Agent, seed: int, count: int | None) -> int:
    """Measure some blocks of positions again; how many. InputError if one comes out differently."""
    suite, (drawn,) = equilibrium.Suite(), draw_blocks(entry, seed, count)
    for block in drawn:
        for number in range(block * POSITIONS, min((block + 1) * POSITIONS, entry["states"])):
            (ours,) = equilibrium.rows_of([suite.measure(agent, number, entry["hands"])])
            theirs = entry["distances"][number]
            if any(abs((one or 0) - (two or 0)) > SAME for one, two in zip(ours, theirs, strict=True)):
                raise InputError(
                    f"{entry.path}: position {number + 1}: got {theirs}; expected {ours}, as measured here"
                )
    return len(drawn)


def _measure_fresh(entry: Entry, agent: Agent, seed: int, number: int) -> tuple[float, float]:
    """Solve fresh positions and measure the agent there; as `_agreed` has it."""
    suite = equilibrium.Suite(equilibrium.content_of([*equilibrium.solved_rows(number, seed)]))
    found = [suite.measure(agent, position, entry["hands"]) for position in range(number)]
    losses = np.array([each.losses[: equilibrium.ANSWER].sum() for each in found])
    return _agreed(entry, losses, f"{number} fresh positions of seed {seed}")


def most_apart(points: np.ndarray, number: int, game: Game) -> float:
    """The largest allowed distance of a score in a number of deals from the mean of fresh ones, float64[n].

    This is a t-test of two samples whose deviation is taken from the fresh deals alone: nobody but the
    checker has a hand in it. Points that are all equal have the deviation of samples in which one deal went
    the other way.
    """
    least, most = game.stakes
    count = len(points)
    deviation = float(points.std(ddof=1)) or (most - least) / count**0.5
    error = deviation * (1 / count + 1 / number) ** 0.5
    return float(student_quantile(1 - ERROR / 2, count - 1)) * error + TOLERANCE


def leaderboard(folder: Path) -> Iterator[tuple[Entry, Check | None]]:
    """The entries of a folder, the best first, each with its latest check.

    Raises:
        InputError: There are none, or a file does not hold.
    """
    entries = [read_entry(path) for path in sorted(folder.glob("*.json"))]
    if not entries:
        raise InputError(f"{folder}: got no results; expected files of stichwerk bench --out")
    for entry in sorted(entries, key=lambda entry: entry.score if entry.of_equilibrium else -entry.score):
        yield entry, read_check(entry)
