"""Action statistics and regret as CSV and as pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents.evaluation.action_stats import ActionStatistic, by_place, kind_in_words
from stichwerk.agents.evaluation.regret import Regret
from stichwerk.agents.evaluation.tallies import UNIT
from stichwerk.envs.spec.game import Game
from stichwerk.support.charts import COLOURS, bars_with_intervals, chart
from stichwerk.support.files import write_csv

MOST_BARS = 12  # of kinds of decisions
EVERYBODY = "all seats"  # in place of a role


def decision_in_words(regret: Regret) -> str:
    """A kind of decision: the node, the action taken and the better one."""
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


def draw_actions(
    path: Path, game: Game, statistics: Mapping[str, Sequence[ActionStatistic]], title: str
) -> None:
    """How often each agent chooses each kind of action where it can, over all seats."""
    of_all = [[each for each in found if not each.role] for found in statistics.values()]
    places = by_place(of_all)
    names = [kind_in_words(game, kind) for _, kind in places]
    rows, height = np.arange(len(names))[::-1], 0.8 / len(statistics)
    with chart(path, (7, 1.2 + 0.32 * len(names) * max(1, len(statistics) / 2))) as figure:
        axes = figure.subplots()
        for number, agent in enumerate(statistics):
            found = [each[number] for each in places.values()]
            shares = [100 * each.chosen if each else np.nan for each in found]
            shift = 0.4 - height * (number + 0.5)
            axes.barh(rows + shift, shares, height, label=agent, color=COLOURS[number % len(COLOURS)])
        axes.set_yticks(rows, names)
        axes.set_xlim(0, 100)
        axes.set_xlabel("chosen, % of the decisions in which it could be")
        axes.set_title(title)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.06), ncols=3, frameon=False)


def write_regrets(path: Path, agent: str, regrets: Sequence[Regret]) -> None:
    """A row for each kind of decision."""
    rows = [{"agent": agent, "decision": decision_in_words(each), **vars(each)} for each in regrets]
    write_csv(path, rows)


def draw_regrets(path: Path, regrets: Sequence[Regret], title: str) -> None:
    """The largest regrets with their intervals."""
    shown = regrets[:MOST_BARS]
    names = [decision_in_words(each) for each in shown]
    with chart(path, (7, 1.2 + 0.35 * len(shown))) as figure:
        axes = figure.subplots()
        bars_with_intervals(axes, names, [each.mean for each in shown], [each.low for each in shown])
        axes.set_xlabel(f"regret: {UNIT} and seat, 95 % interval")
        axes.set_title(title)
