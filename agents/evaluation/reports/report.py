"""Results in rows and columns on the terminal, as JSON, CSV and NPZ."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar, get_type_hints

import numpy as np
from rich.table import Table

from stichwerk.agents.evaluation.statistics.tallies import UNIT, DealPoints, PairResult, RoleResult, unit_of
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import write_csv, write_json, write_whole
from stichwerk.support.numbers import digits_for, in_points, split_points
from stichwerk.support.parsing import read_json, read_text
from stichwerk.support.quantiles import student_quantile
from stichwerk.support.terminal.progress import print_table

Result = TypeVar("Result", PairResult, RoleResult)
ENDS = "mean", "low", "high"  # a result's columns in the metrics, behind the opponent's name
MOST_IN_FULL = 4  # agents of which every pair is printed with its interval


def write_results(path: Path, settings: Mapping[str, Any], results: Sequence[PairResult]) -> None:
    """The settings that reproduce the results, and one entry a pair."""
    write_json(path, {**settings, "pairs": [asdict(result) for result in results]})


def read_results(path: Path) -> list[PairResult]:
    """The results written before; InputError if the file is damaged."""
    return read_evaluation(path)[1]


def read_evaluation(path: Path) -> tuple[dict[str, Any], list[PairResult]]:
    """The settings of an evaluation and its results; InputError if the file is damaged."""
    try:
        settings = read_json(read_text(path))
        first, *others = (_pair_result(**entry) for entry in settings.pop("pairs"))
        return settings, [first, *others]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"damaged results {path}: {error!r}; delete the file to evaluate again") from None


def _pair_result(roles: Sequence[Mapping[str, Any]], **entry: Any) -> PairResult:
    return _checked(PairResult(**entry, roles=tuple(_checked(RoleResult(**role)) for role in roles)))


def _checked(result: Result) -> Result:
    """A result read from a file; TypeError if an entry is not what it should be."""
    hints = get_type_hints(type(result))
    for name, value in vars(result).items():
        if name != "roles" and not isinstance(value, hints[name]):
            raise TypeError(f"{name} is {quoted(value)}")
    return result


def write_pairs(path: Path, results: Sequence[PairResult]) -> None:
    """The pairs as CSV, without their roles."""
    rows = [{name: value for name, value in vars(each).items() if name != "roles"} for each in results]
    write_csv(path, rows)


def write_deals(path: Path, agents: Sequence[Sequence[str]], points: Sequence[DealPoints]) -> None:
    """Write the points of every deal as NPZ.

    The arrays are `agents`, str[comparisons, agents], and `seatings`, int8[seatings, seats], the number in a
    comparison of each seat's agent. For each comparison `points_0` … are float32[deals, seatings, seats].
    """
    arrays = {f"points_{number}": each.rewards() for number, each in enumerate(points)}
    content = io.BytesIO()
    seatings = np.array(points[0].seatings, np.int8)
    np.savez_compressed(content, agents=np.array(agents), seatings=seatings, **arrays)  # type: ignore[arg-type]
    write_whole(path, content.getvalue())


def cells_of(name: str, result: PairResult) -> list[str]:
    """A row of a table: the name, points, half of their interval, the share won and the deals."""
    won = in_percent(result.win_rate, result.win_low)
    return [name, *split_points(result.mean, result.margin), won, f"{result.deals:,}"]


def in_percent(share: float, low: float) -> str:
    return f"{100 * share:.1f} ± {100 * (share - low):.1f} %"


def both_ways(results: Sequence[PairResult], sides: int) -> list[PairResult]:
    """The results, and between two sides what each says of its second agent.

    Among more sides one agent that sits alone wins points that the others lose together. Only deals in which
    the second sits alone among the first say how the second fares there.
    """
    if sides != 2:
        return list(results)
    mirrored = [
        replace(
            r,
            a=r.b,
            b=r.a,
            mean=-r.mean,
            low=-r.high,
            high=-r.low,
            win_rate=1 - r.win_rate,
            win_low=1 - r.win_high,
            win_high=1 - r.win_low,
        )
        for r in results
    ]
    return [*results, *mirrored]


def print_results(results: Sequence[PairResult], sides: int, episode: str = "deal") -> None:
    """Everybody against everybody, or one against each. A few agents with all intervals, and each pair's
    roles; many that meet each other as a ranking and the bare means.

    Args:
        sides: of the game; between two of them a result holds for both agents
    """
    names = list(dict.fromkeys(name for result in results for name in (result.a, result.b)))
    if len(names) > MOST_IN_FULL and len({result.a for result in results}) == 1:
        _print_against_each(results, episode)
        return
    if len(names) > MOST_IN_FULL:
        _print_ranking(both_ways(results, sides), episode)
        return
    cells = {
        (r.a, r.b): f"{in_points(r.mean, r.margin)}\n{in_percent(r.win_rate, r.win_low)} won"
        for r in both_ways(results, sides)
    }
    grid = Table(
        caption=f"{unit_of(episode)} for the row, ± 95 %, {count_of(results, episode)}", show_lines=True
    )
    grid.add_column("")
    for name in names:
        grid.add_column(name, justify="right")
    for row in dict.fromkeys(a for a, _ in cells):
        grid.add_row(row, *(cells.get((row, column), "") for column in names))
    print_table(grid)
    for result in results:
        _print_roles(
            f"{result.a} among {result.b}, and {result.b} in all seats of the same deals, by role",
            result.roles,
        )


def _print_against_each(results: Sequence[PairResult], episode: str) -> None:
    unit = f"{unit_of(episode)} ± 95 %"
    grid = Table(f"{results[0].a} against", unit, "won", "duplicate deals", show_lines=True)
    for r in results:
        grid.add_row(r.b, in_points(r.mean, r.margin), in_percent(r.win_rate, r.win_low), f"{r.deals:,}")
    print_table(grid)


@dataclass(frozen=True)
class Score:
    """The mean over a field of an agent's game points per deal against each, all opponents counted alike.

    Attributes:
        margin: bounds the half of its 95 % interval: the mean of the pairs' margins, as if all erred together
    """

    mean: float
    margin: float

    @classmethod
    def of(cls, results: Sequence[PairResult]) -> "Score":
        return cls(fmean(r.mean for r in results), fmean(r.margin for r in results))

    def __str__(self) -> str:
        return in_points(self.mean, self.margin)


@dataclass(frozen=True)
class Rank:
    """An agent by its score over all opponents."""

    agent: str
    score: Score
    win_rate: float
    worst: PairResult


def ranking(results: Sequence[PairResult]) -> list[Rank]:
    """The first agents of some pairs, the best one first."""
    against: dict[str, list[PairResult]] = {}
    for r in results:
        against.setdefault(r.a, []).append(r)
    ranks = [
        Rank(agent, Score.of(pairs), fmean(r.win_rate for r in pairs), min(pairs, key=lambda r: r.mean))
        for agent, pairs in against.items()
    ]
    return sorted(ranks, key=lambda rank: -rank.score.mean)


def everybody(results: Sequence[PairResult]) -> tuple[list[str], list[list[float]]]:
    """The agents of some pairs, the best first, and the mean of each against each; NaN: they did not meet."""
    means = {(r.a, r.b): r.mean for r in results}
    names = list(dict.fromkeys([*(rank.agent for rank in ranking(results)), *(r.b for r in results)]))
    return names, [[means.get((row, column), nan) for column in names] for row in names]


def print_matrix(values: Sequence[Sequence[float]], caption: str) -> None:
    """Everybody against everybody by numbers."""
    digits = 2 if np.nanmax(np.abs(values)) < 10 else 0
    grid = Table(caption=caption, padding=0, pad_edge=False)
    for title in ("", *(str(number + 1) for number in range(len(values)))):
        grid.add_column(title, justify="right")
    for number, row in enumerate(values):
        cells = ["" if isnan(v) or number == other else f"{v:+z.{digits}f}" for other, v in enumerate(row)]
        grid.add_row(str(number + 1), *cells)
    print_table(grid)


def _print_ranking(results: Sequence[PairResult], episode: str) -> None:
    """The ranking, then everybody against everybody by numbers; in 80 columns for ten agents."""
    ranks, (names, values) = ranking(results), everybody(results)
    number = {name: str(place) for place, name in enumerate(names, start=1)}
    grid = Table(
        caption=f"{unit_of(episode)}, mean over the opponents, ± 95 % at most, {count_of(results, episode)}"
    )
    for title in ("", "agent", "points", "won", "least against"):
        grid.add_column(
            title, justify="left" if title in ("agent", "least against") else "right", overflow="fold"
        )
    for rank in ranks:
        least = f"{number[rank.worst.b]}: {rank.worst.mean:+z.3f}"
        grid.add_row(number[rank.agent], rank.agent, str(rank.score), f"{100 * rank.win_rate:.1f} %", least)
    for name in names[len(ranks) :]:  # a stopped evaluation has not come to what it wins
        grid.add_row(number[name], name, *("–" for _ in range(3)))
    print_table(grid)
    widest = max(result.margin for result in results)
    at_most = f"± {widest:.{digits_for(widest)}f} at most"
    print_matrix(values, f"{unit_of(episode)} for the row, {at_most}")


def print_together(results: Sequence[PairResult], episode: str = "deal") -> None:
    """A row for each of the agents that played together; then their roles."""
    grid = Table(
        caption=f"{unit_of(episode)}, ± 95 %, {count_of(results, episode)} in every arrangement of the agents"
    )
    for column in ("", "points", "won"):
        grid.add_column(column, justify="right" if column else "left")
    for r in results:
        grid.add_row(r.a, in_points(r.mean, r.margin), in_percent(r.win_rate, r.win_low))
    print_table(grid)
    _print_roles("by role", [role for result in results for role in result.roles])


def count_of(results: Sequence[PairResult], episode: str) -> str:
    least, most = (which(result.deals for result in results) for which in (min, max))
    count = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{count} duplicate {'deals' if episode == 'deal' else 'matches'}"


def _print_roles(title: str, roles: Sequence[RoleResult]) -> None:
    """For each role: how often each agent had it, and its game points per deal in it."""
    if not roles:
        return
    agents = list(dict.fromkeys(role.agent for role in roles))
    grid = Table("", *agents, title=title, caption=f"share of the agent's seats, {UNIT} ± 95 %")
    cells = {
        (role.role, role.agent): f"{100 * role.share:.1f} %  {in_points(role.mean, role.margin)}"
        for role in roles
    }
    for name in dict.fromkeys(role.role for role in roles):
        grid.add_row(name, *(cells.get((name, agent), "") for agent in agents))
    print_table(grid)


def columns(results: Sequence[PairResult]) -> dict[str, float]:
    """The means and intervals of a player's matches as metrics."""
    return {f"{result.b}_{end}": getattr(result, end) for result in results for end in ENDS}


def met(row: Mapping[str, Any]) -> list[str]:
    """The two agents that the metrics of an evaluation compare."""
    return [column.removesuffix("_mean") for column in row if column.endswith("_mean")]


def of_all(names: Sequence[Sequence[str]]) -> list[str]:
    """The opponents that all runs have."""
    return [name for name in names[0] if all(name in others for others in names)]


def seed_rows(results: Mapping[int, Sequence[PairResult]]) -> tuple[list[str], list[list[str]]]:
    """A table of each seed's result against each opponent, and of the means over runs with a 95 % interval
    over seeds.

    Returns:
        The opponents, and rows of cells.
    """
    runs = [{result.b: result for result in pairs} for pairs in results.values()]
    opponents = of_all([list(run) for run in runs])
    rows = [
        [str(seed), *(in_points(run[name].mean, run[name].margin) for name in opponents)]
        for seed, run in zip(results, runs, strict=True)
    ]
    means = np.array([[run[name].mean for name in opponents] for run in runs])
    rows.append(["mean", *(in_points(column.mean(), _margin_over_seeds(column)) for column in means.T)])
    return opponents, rows


def print_seeds(results: Mapping[int, Sequence[PairResult]]) -> None:
    """Print the results of several seeds as a table."""
    grid = Table(caption=f"{UNIT}, ± 95 % over deals; the mean's over seeds")
    grid.add_column("seed", justify="right")
    opponents, rows = seed_rows(results)
    for name in opponents:
        grid.add_column(f"against {name}", justify="right")
    for row in rows:
        grid.add_row(*row)
    print_table(grid)


def _margin_over_seeds(means: np.ndarray) -> float | None:
    """Half of the 95 % interval of a mean over runs. A single run has none, nor have runs with equal
    results."""
    if np.ptp(means) == 0:
        return None
    return float(student_quantile(0.975, len(means) - 1) * means.std(ddof=1) / len(means) ** 0.5)
