"""A tournament's result on the terminal, as JSON and CSV, and as a page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table as Grid

from stichwerk.agents.evaluation.playing.tournament import Tournament
from stichwerk.agents.evaluation.reports import page
from stichwerk.agents.evaluation.reports.report import print_matrix
from stichwerk.agents.evaluation.statistics.ratings import Ratings
from stichwerk.agents.evaluation.statistics.tallies import UNIT
from stichwerk.support.escape import plain
from stichwerk.support.figure import Estimate, heat_map, intervals
from stichwerk.support.files import PAGE, PAIRS, RATINGS, RESULTS, write_csv, write_json, write_whole
from stichwerk.support.numbers import digits_for, split_points
from stichwerk.support.terminal.progress import print_table

LIBRARY = "openskill"


def rows_of(ratings: Ratings) -> list[dict[str, Any]]:
    """A row for each agent, the best first."""
    rows = []
    for agent in ratings.order:
        points, margin = float(ratings.points[agent]), float(ratings.margins[agent])
        row: dict[str, Any] = {
            "agent": ratings.names[agent],
            "points": points,
            "low": points - margin,
            "high": points + margin,
            "groups": ratings.groups[agent],
        }
        if ratings.nash is not None:
            row["nash"] = float(ratings.nash[agent])
        if ratings.skill is not None:
            row["skill"], row["skill_deviation"] = ratings.skill[agent]
        rows.append(row)
    return rows


def print_tournament(tournament: Tournament, ratings: Ratings) -> None:
    """The ratings, then the payoffs; in 80 columns for ten agents."""
    headings, rows = _cells_of(ratings)
    grid = Grid(caption=_caption(tournament))
    for title in ("", "agent", "points ± 95 %", *headings[3:]):
        grid.add_column(title, justify="left" if title in ("agent", "group") else "right", overflow="fold")
    for place, (agent, points, margin, *others) in enumerate(rows, start=1):
        grid.add_row(str(place), agent, f"{points} ± {margin}", *others)
    print_table(grid)
    if ratings.payoffs:
        print_matrix(_payoffs(ratings), f"{UNIT} for the row")
    print(plain(claim_of(ratings)))


def _cells_of(ratings: Ratings) -> tuple[list[str], list[list[str]]]:
    """The ratings as a table: its headings and rows."""
    digits = digits_for(float(ratings.margins.max()))
    headings = ["agent", "points", "± 95 %", "group"]
    headings += ["Nash"] if ratings.nash is not None else []
    headings += [LIBRARY] if ratings.skill is not None else []
    rows = []
    for row in rows_of(ratings):
        margin = row["high"] - row["points"]
        cells = [row["agent"], f"{row['points']:+z.{digits}f}", f"{margin:.{digits}f}", row["groups"]]
        cells += [f"{100 * row['nash']:.0f} %"] if "nash" in row else []
        cells += [f"{row['skill']:.1f} ± {row['skill_deviation']:.1f}"] if "skill" in row else []
        rows.append(cells)
    return headings, rows


def _payoffs(ratings: Ratings) -> list[list[float]]:
    """The payoffs of each agent against each, best agent first."""
    return ratings.matrix[np.ix_(ratings.order, ratings.order)].tolist()


def _caption(tournament: Tournament) -> str:
    counts = [results.count for results in tournament.results if results.count]
    least, most = min(counts), max(counts)
    count = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"{UNIT} above the field; {tournament.game.env_id}, {len(counts)} tables of {count} "
        f"duplicate deals, seed {tournament.seed}; agents with a common letter cannot be told apart"
    )


def claim_of(ratings: Ratings) -> str:
    """The finding, in words."""
    best, *others = ratings.order
    with_it = [ratings.names[a] for a in others if ratings.alike[best, a]]
    if with_it:
        says = f"{ratings.names[best]} rates highest, but cannot be told apart from {_listed(with_it)}."
    else:
        behind = ratings.names[others[0]]
        says = f"{ratings.names[best]} is the best of the field; next is {behind}."
    if ratings.cycles:
        a, b, c = (ratings.names[agent] for agent in ratings.cycles[0])
        says += f" The field is intransitive: {a} beats {b}, {b} beats {c}, and {c} beats {a}."
    return says


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_tournament(
    folder: Path,
    tournament: Tournament,
    ratings: Ratings,
    settings: Mapping[str, Any],
    command: str,
) -> None:
    """Write ratings and payoffs as JSON and CSV, and the page."""
    rows, payoffs = rows_of(ratings), [asdict(payoff) for payoff in ratings.payoffs]
    tables = [
        {"agents": [tournament.names[agent] for agent in table.agents], "deals": results.count}
        for table, results in zip(tournament.tables, tournament.results, strict=True)
    ]
    write_csv(folder / RATINGS, rows)
    write_csv(folder / PAIRS, payoffs)
    write_whole(folder / PAGE, page_of(tournament, ratings, settings, command))
    cycles = [[ratings.names[agent] for agent in cycle] for cycle in ratings.cycles]
    content = {**settings, "ratings": rows, "pairs": payoffs, "tables": tables, "cycles": cycles}
    write_json(folder / RESULTS, content)


def page_of(tournament: Tournament, ratings: Ratings, settings: Mapping[str, Any], command: str) -> str:
    """The tournament as an HTML page."""
    rows = rows_of(ratings)
    headings, cells = _cells_of(ratings)
    note = (
        f"{UNIT[0].upper()}{UNIT[1:]} above the mean of the field, by least squares over all tables. Agents "
        "with a common letter cannot be told apart: 5 % for any error in the whole field."
    )
    if ratings.nash is not None:
        note += " Nash: the agent's weight in the maximum-entropy equilibrium of the payoffs."
    scores = [Estimate(row["agent"], row["points"], row["low"], row["high"]) for row in rows]
    parts = [
        page.section("Ratings", page.table(headings, cells), note=note),
        page.section("Intervals", intervals(scores, f"{UNIT} above the field, 95 % intervals")),
    ]
    if ratings.payoffs:
        names = [ratings.names[agent] for agent in ratings.order]
        pairs = [
            [f"{p.a} – {p.b}", *split_points(p.mean, p.high - p.mean), f"{p.deals:,}"]
            for p in ratings.payoffs
        ]
        parts += [
            page.section("Payoffs", heat_map(names, _payoffs(ratings), f"{UNIT} for the row")),
            page.section("Pairs", page.table(["pair", "points for the first", "± 95 %", "deals"], pairs)),
        ]
    about = {
        "game": tournament.game.env_id,
        "rules": page.rules_of(settings),
        "tables": _caption(tournament).split("; ")[1],
        "version": page.version_of(settings),
    }
    return page.page(
        f"Tournament of {len(rows)} agents: {tournament.game.env_id}",
        claim_of(ratings),
        parts,
        about,
        command,
    )
