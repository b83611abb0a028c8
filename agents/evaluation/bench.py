"""The frozen benchmark, version 1: for each game deals, opponents and rules that stay, and one score.

The score is an agent's game points per deal in the mean over the opponents, on the same deals against each.
In a game of more than two sides the agent sits alone among seats of the opponent.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents.evaluation.tournament import Tournament, pair_table
from stichwerk.agents.evaluation.workers import LineUp
from stichwerk.agents.provenance import agents_hash, provenance
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.numbers import in_points
from stichwerk.support.parsing import parse_yaml, read_json, read_text
from stichwerk.support.quantiles import student_quantile

VERSION = "v1"
BLOCK = 50  # deals after which the agents' chance begins again
SEED = 2026
BUDGETS = {"unlimited": 0.0, "20ms": 20.0, "1ms": 1.0}  # milliseconds a decision
CHECKED = 100  # deals whose cards are hashed
VERIFIED = 2  # blocks that are played again, against each opponent
TOLERANCE = 1e-6  # of a block's points, and of means
NO_FILES = "ac89a70b92ba51b7"  # the hash of an opponent without network, modules and engine
MOST_POINTS = 1e9  # of a block, far above what any game has


@dataclass(frozen=True)
class Suite:
    """What an agent plays in one game.

    Attributes:
        env, rules: the game, its rules as YAML
        deals: duplicate deals against each opponent
        opponents: their texts
        hashes: of the opponents' networks
        cards: a hash of the cards of the first deals
    """

    env: str
    rules: str
    deals: int
    opponents: tuple[str, ...]
    hashes: tuple[str, ...]
    cards: str

    @cached_property
    def game(self) -> Game:
        return make_game(self.env, parse_yaml(self.rules))

    def check(self) -> None:
        """InputError if cards or opponents are no longer those of this version."""
        if (found := cards_of(self.game)) != self.cards:
            raise InputError(f"bench {VERSION}: the cards have the hash {found}; expected {self.cards}")
        for opponent, expected in zip(self.opponents, self.hashes, strict=True):
            if (found := agents_hash([opponent])) != expected:
                raise InputError(f"bench {VERSION}: {opponent} has the hash {found}; expected {expected}")

    def tournament(self, agent: str, limit_ms: float) -> Tournament:
        """The agent against each opponent; a limit of time is for the agent alone."""
        agents = (("agent", agent), *((text, text) for text in self.opponents))
        line_up = LineUp(self.env, self.rules, agents, limit_ms, limited=1).with_agents_hash()
        tables = [pair_table(self.game, 0, number) for number in range(1, len(agents))]
        return Tournament(line_up, self.game, "gauntlet", self.deals, SEED, BLOCK, tables=tables)


def cards_of(game: Game) -> str:
    """A hash of the cards of the first deals."""
    lanes = Lanes(game, CHECKED)
    lanes.states["seed"] = stream_seed(SEED, Use.TEST)
    lanes.states["deal_number"] = np.arange(CHECKED)
    lanes.start(np.arange(CHECKED), pass_over=False)
    return hashlib.sha256(lanes.states["deck"].astype(np.int16).tobytes()).hexdigest()[:16]


def play_suite(
    name: str,
    agent: str,
    alias: str,
    budget: str,
    cluster: str = "",
    workers: int = 1,
    on_progress: Callable[[int], None] = lambda games: None,
) -> dict[str, Any]:
    """Let an agent play a suite.

    Args:
        name: of the suite
        agent: its text
        alias: what the leaderboard calls it
        budget: one of `BUDGETS`
        cluster, workers: who plays, as `Tournament.play` has it
        on_progress: is told how many games have been finished

    Returns:
        The content of the results file.
    """
    suite = SUITES[name]
    suite.check()
    tournament = suite.tournament(agent, BUDGETS[budget])
    tournament.play(cluster, workers, on_progress)
    points = np.stack([results.sums[:, 0] for results in tournament.results], axis=1)
    mean, margin = _interval(points.mean(axis=1))
    return {
        "bench": VERSION,
        "suite": name,
        "agent": alias,
        "text": agent,
        "budget": budget,
        "score": mean,
        "low": mean - margin,
        "high": mean + margin,
        "deals": suite.deals,
        "seed": SEED,
        "opponents": [
            {"agent": text, "hash": found, **_entry(own)}
            for text, found, own in zip(suite.opponents, suite.hashes, points.T, strict=True)
        ],
        "cards": suite.cards,
        "blocks": [_blocks(own) for own in points.T],
        "agent_hash": agents_hash([agent]),
        **provenance(suite.game, [agent, *suite.opponents]),
    }


def _interval(points: np.ndarray) -> tuple[float, float]:
    """The mean over deals and half of its 95 % interval."""
    error = points.std(ddof=1) / len(points) ** 0.5
    return float(points.mean()), float(student_quantile(0.975, len(points) - 1) * error)


def _entry(points: np.ndarray) -> dict[str, float]:
    mean, margin = _interval(points)
    return {"mean": mean, "low": mean - margin, "high": mean + margin}


def _blocks(points: np.ndarray) -> list[float]:
    return [float(points[start : start + BLOCK].sum()) for start in range(0, len(points), BLOCK)]


HINTS = {"bench": str, "suite": str, "agent": str, "text": str, "budget": str, "deals": int, "blocks": list}


def read_entry(path: Path) -> dict[str, Any]:
    """The results of one agent in one suite; InputError if they are damaged or of another version."""
    content = read_json(read_text(path))
    numbers = ("score", "low", "high")
    if not isinstance(content, dict):
        raise InputError(f"{path}: got no results; expected a file of stichwerk bench")
    for name, hint in {**HINTS, **dict.fromkeys(numbers, float)}.items():
        if not isinstance(content.get(name), hint):
            raise InputError(f"{path}: got {quoted(content.get(name))} as {name}; expected {hint.__name__}")
    if content["bench"] != VERSION or content["suite"] not in SUITES or content["budget"] not in BUDGETS:
        found = f"{content['bench']} {content['suite']} {content['budget']}"
        raise InputError(f"{path}: got {quoted(found)}; expected a suite and a budget of {VERSION}")
    return content


def check_entry(entry: Mapping[str, Any], path: Path) -> None:
    """InputError unless the file has the blocks of the whole suite, and means and a score that fit them."""
    suite = SUITES[entry["suite"]]
    if entry["deals"] != suite.deals:
        raise InputError(f"{path}: got {entry['deals']} as deals; expected {suite.deals}")
    number = math.ceil(suite.deals / BLOCK)
    if [*map(_numbers_in, entry["blocks"])] != [number] * len(suite.opponents):
        allowed = f"{number} numbers against each of {' and '.join(suite.opponents)}"
        raise InputError(f"{path}: got {quoted(entry['blocks'])} as blocks; expected {allowed}")
    opponents = entry.get("opponents")
    opponents = [each for each in opponents if isinstance(each, dict)] if isinstance(opponents, list) else []
    if (names := tuple(each.get("agent") for each in opponents)) != suite.opponents:
        raise InputError(f"{path}: got {quoted(names)} as opponents; expected {quoted(suite.opponents)}")
    blocks = np.array(entry["blocks"], float)
    for opponent, own in zip(opponents, blocks, strict=True):
        _check_interval(opponent, "mean", own, suite.deals, f"{path}: against {opponent['agent']}")
    _check_interval(entry, "score", blocks.mean(axis=0), suite.deals, str(path))
    # a mean over opponents spreads at most as much as they do in the mean
    most = sum(each["high"] - each["low"] for each in opponents) / len(opponents)
    if (width := entry["high"] - entry["low"]) > most + TOLERANCE:
        allowed = f"at most {most:g}, the mean over the opponents"
        raise InputError(f"{path}: got {width:g} from low to high; expected {allowed}")


def _check_interval(of: Mapping[str, Any], name: str, blocks: np.ndarray, deals: int, where: str) -> None:
    """InputError unless an interval lies around the mean of blocks, and is as wide as they are apart."""
    for each in (name, "low", "high"):
        if not _is_number(of.get(each)):
            raise InputError(f"{where}: got {quoted(of.get(each))} as {each}; expected a number")
    low, middle, high = of["low"], of[name], of["high"]
    sizes = np.minimum(BLOCK, deals - BLOCK * np.arange(len(blocks)))
    mean = float(blocks.sum() / deals)
    if abs(middle - mean) > TOLERANCE:
        raise InputError(f"{where}: got {middle:g} as {name}; expected {mean:g}, as the blocks give it")
    # deals are at least as far from their mean as blocks of them
    error = ((blocks / sizes - mean) ** 2 * sizes).sum() / deals / (deals - 1)
    least = float(student_quantile(0.975, deals - 1) * error**0.5)
    if abs(low + high - 2 * middle) > TOLERANCE or middle - low < least - TOLERANCE:
        allowed = f"{mean:g} in the middle, and at least {least:g} on both sides"
        raise InputError(f"{where}: got {low:g} and {high:g} as low and high; expected {allowed}")


def _numbers_in(blocks: Any) -> int:
    """How many numbers a list holds; -1 for anything else."""
    return len(blocks) if isinstance(blocks, list) and all(map(_is_number, blocks)) else -1


def _is_number(value: Any) -> bool:
    """Whether it is a number that sums of points can reach."""
    return type(value) in (int, float) and abs(value) < MOST_POINTS


def verify(path: Path, workers: int = 1) -> str:
    """Play the first blocks of a results file again; what has been found, in words.

    Raises InputError if other points come out, or if the numbers of the file do not fit together.
    """
    entry = read_entry(path)
    check_entry(entry, path)
    suite = SUITES[entry["suite"]]
    suite.check()
    if (found := agents_hash([entry["text"]])) != entry.get("agent_hash"):
        raise InputError(
            f"{path}: {entry['text']} has the hash {found} here; expected {entry.get('agent_hash')}"
        )
    tournament = suite.tournament(entry["text"], BUDGETS[entry["budget"]])
    tournament.deals = VERIFIED * BLOCK
    tournament.play(workers=workers)
    for opponent, results, theirs in zip(suite.opponents, tournament.results, entry["blocks"], strict=True):
        ours = _blocks(results.sums[:, 0])
        for number, (own, other) in enumerate(zip(ours, theirs, strict=False)):
            if abs(own - other) > TOLERANCE:
                raise InputError(
                    f"{path}: block {number + 1} against {opponent}: got {other:g} points; "
                    f"expected {own:g}, as played here (an agent with a limit of time may differ)"
                )
    return f"{path}: {VERIFIED * BLOCK} of {entry['deals']:,} deals against each opponent come out the same"


def leaderboard(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The entries of a folder by suite, the best first; InputError if there are none, or one does not add
    up."""
    entries = []
    for path in sorted(folder.glob("*.json")):
        entries.append(read_entry(path))
        check_entry(entries[-1], path)
    if not entries:
        raise InputError(f"{folder}: got no results; expected files of stichwerk bench --out")
    found = {name: [entry for entry in entries if entry["suite"] == name] for name in SUITES}
    return {name: sorted(each, key=lambda entry: -entry["score"]) for name, each in found.items() if each}


def rows_of(entries: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The cells of a leaderboard."""
    rows = []
    for place, entry in enumerate(entries, start=1):
        rows.append(
            [
                str(place),
                entry["agent"],
                in_points(entry["score"], entry["score"] - entry["low"]),
                entry["budget"],
                str(entry.get("version", "")),
                str(entry.get("agent_hash", ""))[:8],
            ]
        )
    return rows


HEADINGS = "", "agent", "score ± 95 %", "budget", "version", "hash"
SUITES = {
    "schnapsen": Suite(
        env="schnapsen_v0",
        rules="",
        deals=1000,
        opponents=("rules:0.1", "ppo:schnapsen"),
        hashes=(NO_FILES, "fca3b0cbda561a04"),
        cards="c818360c53304a94",
    ),
    "sixty_six": Suite(
        env="sixty_six_v0",
        rules="",
        deals=1000,
        opponents=("rules:0.1", "ppo:sixty_six"),
        hashes=(NO_FILES, "aa7ea63b6cc8522d"),
        cards="735e439a5f3eef72",
    ),
    "snapszer": Suite(
        env="snapszer_v0",
        rules="",
        deals=400,
        opponents=("rules:0.1", "ppo:snapszer"),
        hashes=(NO_FILES, "55e491bd0923e5f1"),
        cards="735e439a5f3eef72",
    ),
    "gaigel3": Suite(
        env="gaigel_v0",
        rules="{players: 3}",
        deals=400,
        opponents=("rules:0.1", "ppo:gaigel3"),
        hashes=(NO_FILES, "6e2a992460db24ea"),
        cards="5b454014452c7e63",
    ),
    "gaigel4": Suite(
        env="gaigel_v0",
        rules="",
        deals=300,
        opponents=("rules:0.1", "ppo:gaigel4"),
        hashes=(NO_FILES, "1362c45a154cd50c"),
        cards="5b454014452c7e63",
    ),
    "gaigel6": Suite(
        env="gaigel_v0",
        rules="{players: 6}",
        deals=200,
        opponents=("rules:0.1", "ppo:gaigel6"),
        hashes=(NO_FILES, "52615d6f94128516"),
        cards="5b454014452c7e63",
    ),
    "preferans3": Suite(
        env="preferans_v0",
        rules="",
        deals=400,
        opponents=("rules:0.1", "ppo:preferans3"),
        hashes=(NO_FILES, "d5793ebb288c2a45"),
        cards="03721088c3fb87f8",
    ),
    "preferans4": Suite(
        env="preferans_v0",
        rules="{players: 4}",
        deals=300,
        opponents=("rules:0.1", "ppo:preferans4"),
        hashes=(NO_FILES, "ba6a148f626d0c87"),
        cards="03721088c3fb87f8",
    ),
}
