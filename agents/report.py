"""Results in rows and columns on the terminal, as JSON and as pictures."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.table import Table

from stichwerk.agents.arena import PairResult, RoleResult
from stichwerk.agents.files import write_json, write_whole
from stichwerk.agents.outside import read_json, read_text
from stichwerk.envs.core.errors import InputError, quoted

Result = TypeVar("Result", PairResult, RoleResult)
COLOURS = ("#1f6f8b", "#c8553d", "#5b8c5a", "#7d5ba6", "#b5893b")


def write_results(path: Path, settings: Mapping[str, Any], results: Sequence[PairResult]) -> None:
    """The settings that reproduce the results, and one entry a pair."""
    write_json(path, {**settings, "pairs": [asdict(result) for result in results]})


def read_results(path: Path) -> list[PairResult]:
    """The results written before; InputError if the file is damaged."""
    try:
        first, *others = (_pair_result(**entry) for entry in read_json(read_text(path))["pairs"])
        return [first, *others]
    except (KeyError, TypeError, ValueError) as error:
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


def _points(mean: float, low: float | None) -> str:
    """Game points per deal with what the interval reaches to both sides, or a dash where there is none."""
    return f"{mean:+z.3f} ± {'–' if low is None else f'{mean - low:.3f}'}"


def _share(share: float, low: float) -> str:
    return f"{100 * share:.1f} ± {100 * (share - low):.1f} %"


def print_results(results: Sequence[PairResult]) -> None:
    """Everybody against everybody: game points per deal for the agent of the row against that of the column;
    then each pair's roles."""
    names = list(dict.fromkeys(name for result in results for name in (result.a, result.b)))
    cells = {}
    for r in results:
        cells[r.a, r.b] = f"{_points(r.mean, r.low)}\n{_share(r.win_rate, r.win_low)} won"
        cells[r.b, r.a] = f"{_points(-r.mean, -r.high)}\n{_share(1 - r.win_rate, 1 - r.win_high)} won"
    deals = max(result.deals for result in results)
    grid = Table(
        caption=f"game points per deal for the row, ± 95 %, {deals:,} duplicate deals", show_lines=True
    )
    grid.add_column("")
    for name in names:
        grid.add_column(name, justify="right")
    for row in names:
        grid.add_row(row, *(cells.get((row, column), "") for column in names))
    _print(grid)
    for result in results:
        _print_roles(
            f"{result.a} among {result.b}, and {result.b} in all seats of the same deals, by role",
            result.roles,
        )


def print_together(results: Sequence[PairResult]) -> None:
    """A row for each of the agents that played together; then their roles."""
    grid = Table(
        caption=f"game points per deal, ± 95 %, {results[0].deals:,} duplicate deals "
        "in every arrangement of the agents"
    )
    for column in ("", "points", "won"):
        grid.add_column(column, justify="right" if column else "left")
    for r in results:
        grid.add_row(r.a, _points(r.mean, r.low), _share(r.win_rate, r.win_low))
    _print(grid)
    _print_roles("by role", [role for result in results for role in result.roles])


def _print_roles(title: str, roles: Sequence[RoleResult]) -> None:
    """For each role: how often each agent had it, and its game points per deal in it."""
    if not roles:
        return
    agents = list(dict.fromkeys(role.agent for role in roles))
    grid = Table("", *agents, title=title, caption="share of the agent's seats, game points per deal ± 95 %")
    cells = {
        (role.role, role.agent): f"{100 * role.share:.1f} %  {_points(role.mean, role.low)}" for role in roles
    }
    for name in dict.fromkeys(role.role for role in roles):
        grid.add_row(name, *(cells.get((name, agent), "") for agent in agents))
    _print(grid)


def _print(grid: Table) -> None:
    """Names may hold brackets and colons, which mean nothing here."""
    Console(markup=False, emoji=False).print(grid)


def draw_pairs(path: Path, results: Sequence[PairResult], title: str) -> None:
    """A bar a pair with its interval."""
    figure, axes = plt.subplots(figsize=(7, 0.9 + 0.5 * len(results)))
    places = np.arange(len(results))[::-1]
    means = np.array([result.mean for result in results])
    margins = means - np.array([result.low for result in results])
    axes.barh(places, means, xerr=margins, color=COLOURS[0], height=0.6, error_kw={"capsize": 3})
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, [f"{result.a} – {result.b}" for result in results])
    axes.set_xlabel(
        f"game points per deal for the first, 95 % interval over {results[0].deals:,} duplicate deals"
    )
    axes.set_title(title)
    _save(figure, path)


def draw_curve(path: Path, rows: Sequence[Mapping[str, Any]], baselines: Sequence[str], title: str) -> None:
    """Game points per deal against each baseline over the learner's decisions."""
    evaluations = [row for row in rows if row["kind"] == "evaluation"]
    millions = [row["decisions"] / 1e6 for row in evaluations]
    figure, axes = plt.subplots(figsize=(7, 4))
    for name, colour in zip(baselines, COLOURS, strict=False):
        axes.plot(
            millions,
            [row[f"{name}_mean"] for row in evaluations],
            marker="o",
            markersize=3,
            color=colour,
            label=f"against {name}",
        )
        low, high = ([row[f"{name}_{end}"] for row in evaluations] for end in ("low", "high"))
        axes.fill_between(millions, low, high, color=colour, alpha=0.2)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("decisions of the learner (millions)")
    axes.set_ylabel("game points per deal, 95 % interval")
    axes.set_title(title)
    axes.legend()
    _save(figure, path)


def _save(figure, path: Path) -> None:
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150, bbox_inches="tight")
    plt.close(figure)
    write_whole(path, image.getvalue())
