"""Action statistics and regret as CSV and as pictures."""

from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

from stichwerk.agents.evaluation.playing.action_stats import ActionStatistic, by_place, kind_in_words
from stichwerk.agents.evaluation.playing.regret import Regret
from stichwerk.agents.evaluation.statistics.tallies import UNIT
from stichwerk.envs.spec.game import Game
from stichwerk.support.figure import Estimate, Figure, bars, intervals
from stichwerk.support.files import write_csv

MOST_ROWS = 12  # of kinds of decisions
EVERYBODY = "all seats"  # in place of a role


def kind_of_decision(regret: Regret) -> str:
    return regret.kind.replace("_", " ")


def decision_in_words(regret: Regret) -> str:
    """A sort of decision: the node, the action taken and the better one; or a kind."""
    if not regret.phase:
        return kind_of_decision(regret)
    return f"{regret.phase.lower().replace('_', ' ')}: {regret.own}, better {regret.better}"


def write_actions(path: Path, game: Game, statistics: Mapping[str, Sequence[ActionStatistic]]) -> None:
    """A row for each agent, role and kind of action; `action` is its name, `words` the same in words."""
    rows: list[dict[str, Any]] = [
        {
            "agent": agent,
            "role": each.role or EVERYBODY,
            "action": each.kind,
            "words": kind_in_words(game, each.kind),
            "offered": each.offered,
            "chosen": each.chosen,
            "seats": each.seats,
            "mean": each.mean,
            "low": each.low,
            "high": each.high,
        }
        for agent, found in statistics.items()
        for each in found
    ]
    write_csv(path, rows)


def actions_figure(game: Game, statistics: Mapping[str, Sequence[ActionStatistic]], title: str) -> Figure:
    """The rate at which each agent chooses each kind of action that is legal, over all seats."""
    places = by_place([[each for each in found if not each.role] for found in statistics.values()])
    names = [kind_in_words(game, kind) for _, kind in places]
    series = {
        agent: [100 * each.chosen if each else nan for each in column]
        for agent, column in zip(statistics, zip(*places.values(), strict=True), strict=True)
    }
    return bars(names, series, "chosen, % of the decisions in which it could be", title, ends=(0, 100))


def write_regrets(path: Path, agent: str, regrets: Sequence[Regret]) -> None:
    """A row for each kind of decision."""
    rows = [{"agent": agent, "decision": decision_in_words(each), **vars(each)} for each in regrets]
    write_csv(path, rows)


def regrets_figure(regrets: Sequence[Regret], title: str) -> Figure:
    """The largest regrets with their intervals."""
    rows = [Estimate(decision_in_words(each), each.mean, each.low, each.high) for each in regrets[:MOST_ROWS]]
    return intervals(rows, f"regret: {UNIT} and seat, 95 % interval", title)
