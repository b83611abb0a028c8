"""The frozen benchmark, version 1: for each game fixed deals, opponents and rules, and one score.

The score is an agent's game points per deal, averaged over the opponents, on the same deals against each.
In a game of more than two sides the agent sits alone among seats of the opponent.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents.core.agent import differences
from stichwerk.agents.evaluation.playing.tournament import Tournament, pair_table
from stichwerk.agents.evaluation.playing.workers import LineUp
from stichwerk.agents.provenance import agents_hash, provenance
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.files import write_json
from stichwerk.support.parsing import parse_yaml, read_json, read_text
from stichwerk.support.quantiles import student_quantile

VERSION = "v1"
BLOCK = 50  # deals that are played in a row, and whose points are kept together
SEED = 2026
BUDGETS = {"unlimited": 0.0, "20ms": 20.0, "1ms": 1.0}  # milliseconds a decision
CHECKED = 100  # deals whose cards are hashed
NO_FILES = "ac89a70b92ba51b7"  # the hash of an opponent without network, modules and engine


@dataclass(frozen=True)
class Suite:
    """The deals and opponents that an agent meets in one game.

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

    def tournament(self, agent: str, limit_ms: float, deals: int = 0, seed: int = SEED) -> Tournament:
        """The agent against each opponent; a limit of time is for the agent alone.

        Args:
            agent: its text
            limit_ms: milliseconds that it may take for a decision; 0: any
            deals: against each opponent; 0: those of the suite
            seed: of the deals
        """
        agents = (("agent", agent), *((text, text) for text in self.opponents))
        line_up = LineUp(self.env, self.rules, agents, limit_ms, limited=1).with_agents_hash()
        tables = [pair_table(self.game, 0, number) for number in range(1, len(agents))]
        return Tournament(line_up, self.game, "gauntlet", deals or self.deals, seed, BLOCK, tables=tables)


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
    unfinished: Path | None = None,
) -> dict[str, Any]:
    """Let an agent play a suite.

    Args:
        name: of the suite
        agent: its text
        alias: what the leaderboard calls it
        budget: one of `BUDGETS`
        cluster, workers: who plays, as `Tournament.play` has it
        on_progress: is told how many games have been finished
        unfinished: a file that has the blocks so far, from which this goes on; it is written after each block

    Returns:
        The content of the results file.

    Raises:
        InputError: the unfinished file is damaged, or has been begun with another agent, suite or version.
    """
    suite = SUITES[name]
    suite.check()
    tournament = suite.tournament(agent, BUDGETS[budget])
    origin = provenance(suite.game, [agent, *suite.opponents])
    if unfinished:
        own = {"suite": name, "text": agent, "budget": budget, **origin}
        del own["commit"]  # a later one may go on, if all that decides results is the same
        if unfinished.exists():
            _go_on(tournament, unfinished, own)
            on_progress(tournament.games_played)
        tournament.play(cluster, workers, on_progress, partial(_save, tournament, unfinished, own))
    else:
        tournament.play(cluster, workers, on_progress)
    points = points_of(tournament)
    mean, margin = interval(points.mean(axis=1))
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
        **origin,
    }


def _save(tournament: Tournament, path: Path, own: Mapping[str, Any]) -> None:
    """Write the points of each deal so far, against each opponent."""
    write_json(path, {**own, "points": [results.sums.tolist() for results in tournament.results]})


def _go_on(tournament: Tournament, path: Path, own: Mapping[str, Any]) -> None:
    """Take the points of a file that `_save` has written; InputError for one of anything else."""
    content = read_json(read_text(path))
    try:
        for results, points in zip(tournament.results, content.pop("points"), strict=True):
            if points:
                results.add(np.array(points, float).reshape(-1, 2))
        faults = differences(content, own)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"damaged file {path}: {error!r}; delete it to play again") from None
    if faults:
        raise InputError(f"{path} is of another entry: {faults}; expected another --out, or --force")


def points_of(tournament: Tournament) -> np.ndarray:
    """The agent's points in each deal against each opponent, float64[deals, opponents]."""
    return np.stack([results.sums[:, 0] for results in tournament.results], axis=1)


def interval(points: np.ndarray) -> tuple[float, float]:
    """The mean over deals and half of its 95 % interval."""
    error = points.std(ddof=1) / len(points) ** 0.5
    return float(points.mean()), float(student_quantile(0.975, len(points) - 1) * error)


def _entry(points: np.ndarray) -> dict[str, float]:
    mean, margin = interval(points)
    return {"mean": mean, "low": mean - margin, "high": mean + margin}


def _blocks(points: np.ndarray) -> list[float]:
    return [float(points[start : start + BLOCK].sum()) for start in range(0, len(points), BLOCK)]


SUITES = {
    name: Suite(env, rules, deals, ("rules:0.1", f"ppo:{name}"), (NO_FILES, network), cards)
    for name, env, rules, deals, network, cards in (
        ("schnapsen", "schnapsen_v0", "", 1000, "fca3b0cbda561a04", "c818360c53304a94"),
        ("sixty_six", "sixty_six_v0", "", 1000, "aa7ea63b6cc8522d", "735e439a5f3eef72"),
        ("snapszer", "snapszer_v0", "", 400, "55e491bd0923e5f1", "735e439a5f3eef72"),
        ("gaigel3", "gaigel_v0", "{players: 3}", 400, "6e2a992460db24ea", "5b454014452c7e63"),
        ("gaigel4", "gaigel_v0", "", 300, "1362c45a154cd50c", "5b454014452c7e63"),
        ("gaigel6", "gaigel_v0", "{players: 6}", 200, "52615d6f94128516", "5b454014452c7e63"),
        ("preferans3", "preferans_v0", "", 400, "d5793ebb288c2a45", "03721088c3fb87f8"),
        ("preferans4", "preferans_v0", "{players: 4}", 300, "ba6a148f626d0c87", "03721088c3fb87f8"),
    )
}
