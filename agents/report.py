"""Results as a table on the terminal, as JSON and as pictures."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.table import Table

from stichwerk.agents.arena import PairResult, RoleResult
from stichwerk.agents.files import write_whole
from stichwerk.envs.core.errors import InputError

COLOURS = ("#1f6f8b", "#c8553d", "#5b8c5a", "#7d5ba6", "#b5893b")


def write_results(path: Path, settings: Mapping[str, Any], results: Sequence[PairResult]) -> None:
    """The settings that reproduce the results, and one entry a pair."""
    write_whole(path, json.dumps({**settings, "pairs": [asdict(result) for result in results]}, indent=2, allow_nan=False) + "\n")


def read_results(path: Path) -> list[PairResult]:
    """The results written before; InputError if the file is damaged."""
    try:
        return [_pair_result(**entry) for entry in json.loads(path.read_text())["pairs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"damaged results {path}: {error!r}; delete the file to evaluate again") from None


def _pair_result(roles: Sequence[Mapping[str, Any]], **entry: Any) -> PairResult:
    return PairResult(**entry, roles=tuple(RoleResult(**role) for role in roles))


def print_results(results: Sequence[PairResult]) -> None:
    """A cross table: game points per deal for the agent of the row against the agent of the column; then each pair's roles."""
    names = list(dict.fromkeys(name for result in results for name in (result.a, result.b)))
    cells = {(r.a, r.b): (r.mean, r.mean - r.low, r.win_rate, r.win_rate - r.win_low) for r in results}
    cells |= {(b, a): (-mean, margin, 1 - wins, wins_margin) for (a, b), (mean, margin, wins, wins_margin) in cells.items()}
    deals = max(result.deals for result in results)
    table = Table(caption=f"game points per deal for the row, ± 95 %, {deals:,} duplicate deals", show_lines=True)
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    for row in names:
        entries = [cells.get((row, column)) for column in names]
        table.add_row(row, *(f"{e[0]:+.3f} ± {e[1]:.3f}\n{100 * e[2]:.1f} ± {100 * e[3]:.1f} % won" if e else "" for e in entries))
    Console().print(table)
    for result in results:
        _print_roles(f"{result.a} among {result.b}, and {result.b} in all seats of the same deals, by role", result.roles)


def print_table(results: Sequence[PairResult]) -> None:
    """A row for each of the agents at one table; then their roles."""
    table = Table(caption=f"game points per deal, ± 95 %, {results[0].deals:,} duplicate deals in every arrangement of the agents")
    for column in ("", "points", "won"):
        table.add_column(column, justify="right" if column else "left")
    for r in results:
        table.add_row(r.a, f"{r.mean:+.3f} ± {r.mean - r.low:.3f}", f"{100 * r.win_rate:.1f} ± {100 * (r.win_rate - r.win_low):.1f} %")
    Console().print(table)
    _print_roles("by role", [role for result in results for role in result.roles])


def _print_roles(title: str, roles: Sequence[RoleResult]) -> None:
    """For each role: how often each agent had it, and its game points per deal in it."""
    if not roles:
        return
    agents = list(dict.fromkeys(role.agent for role in roles))
    table = Table("", *agents, title=title, caption="share of the agent's seats, game points per deal ± 95 %")
    cells = {(role.role, role.agent): f"{100 * role.share:.1f} %  {role.mean:+.3f} ± {role.mean - role.low:.3f}" for role in roles}
    for name in dict.fromkeys(role.role for role in roles):
        table.add_row(name, *(cells.get((name, agent), "") for agent in agents))
    Console().print(table)


def draw_pairs(path: Path, results: Sequence[PairResult], title: str) -> None:
    """A bar a pair with its interval."""
    figure, axes = plt.subplots(figsize=(7, 0.9 + 0.5 * len(results)))
    places = np.arange(len(results))[::-1]
    means = np.array([result.mean for result in results])
    margins = means - np.array([result.low for result in results])
    axes.barh(places, means, xerr=margins, color=COLOURS[0], height=0.6, error_kw={"capsize": 3})
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, [f"{result.a} – {result.b}" for result in results])
    axes.set_xlabel(f"game points per deal for the first, 95 % interval over {results[0].deals:,} duplicate deals")
    axes.set_title(title)
    _save(figure, path)


def draw_curve(path: Path, rows: Sequence[Mapping[str, Any]], baselines: Sequence[str], title: str) -> None:
    """Game points per deal against each baseline over the learner's decisions."""
    evaluations = [row for row in rows if row["kind"] == "evaluation"]
    millions = [row["decisions"] / 1e6 for row in evaluations]
    figure, axes = plt.subplots(figsize=(7, 4))
    for name, colour in zip(baselines, COLOURS, strict=False):
        axes.plot(millions, [row[f"{name}_mean"] for row in evaluations], marker="o", markersize=3, color=colour, label=f"against {name}")
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
