"""Results as pictures, for files and for pages."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from stichwerk.agents.evaluation.reports.report import ENDS, both_ways, count_of, everybody, met, of_all
from stichwerk.agents.evaluation.statistics.tallies import UNIT, PairResult, unit_of
from stichwerk.support.figure import Estimate, Figure, curves, heat_map, intervals

Curves = dict[str, list[tuple[float, ...]]]  # by opponent: decisions, then a value and the ends around it
MOST_ROWS = 10  # pairs that have a row each
MILLION = 1e6


def name_of(result: PairResult) -> str:
    return f"{result.a} – {result.b}"


def intervals_of(results: Sequence[PairResult], unit: str, title: str = "") -> Figure:
    """A row a pair."""
    rows = [Estimate(name_of(each), each.mean, each.low, each.high) for each in results]
    return intervals(rows, f"{unit}, 95 % intervals", title)


def pairs_figure(results: Sequence[PairResult], sides: int, title: str, episode: str = "deal") -> Figure:
    """A row a pair; of many pairs a cell each. `sides` as in `print_results`."""
    unit, count = unit_of(episode), count_of(results, episode)
    if len(results) > MOST_ROWS and len({each.a for each in results}) > 1:
        return everybody_figure(results, sides, f"{unit} for the row, {count}", title)
    return intervals_of(results, f"{unit} for the first, {count}", title)


def everybody_figure(results: Sequence[PairResult], sides: int, unit: str, title: str = "") -> Figure:
    """Everybody against everybody, the best first."""
    return heat_map(*everybody(both_ways(results, sides)), unit, title)


def run_curves(rows: Sequence[Mapping[str, Any]]) -> Curves:
    """Game points per deal against each opponent over the decisions of a run, with their intervals."""
    found: Curves = {}
    for row in _evaluations(rows):
        for name in met(row):
            point = row["decisions"], *(row[f"{name}_{end}"] for end in ENDS)
            found.setdefault(name, []).append(point)
    return found


def seed_curves(runs: Sequence[Sequence[Mapping[str, Any]]]) -> Curves:
    """The mean over several runs of one config against each opponent of them all, between the worst and the
    best."""
    by_decisions = [{row["decisions"]: row for row in _evaluations(rows)} for rows in runs]
    shared = [at for at in by_decisions[0] if all(at in run for run in by_decisions)]  # not where one stopped
    found: Curves = {}
    for at in shared:
        for name in of_all([met(run[at]) for run in by_decisions]):
            means = [run[at][f"{name}_mean"] for run in by_decisions]
            found.setdefault(name, []).append((at, fmean(means), min(means), max(means)))
    return found


def curves_figure(found: Curves, unit: str = UNIT, title: str = "") -> Figure:
    """Learning curves. `random` is left out if there are other opponents: every network soon wins several
    points from it, and on that scale gains over the others vanish."""
    shown = {name: points for name, points in found.items() if name != "random"} or found
    in_millions = [
        (name, [(place / MILLION, *ends) for place, *ends in points]) for name, points in shown.items()
    ]
    return curves(in_millions, "decisions (millions)", unit, title)


def _evaluations(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["kind"] == "evaluation"]
