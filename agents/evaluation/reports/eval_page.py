"""The result of an evaluation as a page."""

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from stichwerk.agents.evaluation.reports import page
from stichwerk.agents.evaluation.reports.figures import everybody_figure, intervals_of, name_of
from stichwerk.agents.evaluation.reports.report import both_ways, cells_of, ranking
from stichwerk.agents.evaluation.statistics.stopping import Stopped, in_words
from stichwerk.agents.evaluation.statistics.tallies import PairResult, RoleResult, unit_of
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.shown import ShownDeal
from stichwerk.envs.render.film import Film, to_page
from stichwerk.support.escape import markup, nested
from stichwerk.support.numbers import in_points, split_points

MOST_SHOWN = 40  # deals to step through, of about 50 kB


def claim_of(results: Sequence[PairResult], sides: int, unit: str) -> str:
    """The finding, in words.

    Args:
        sides: of the game; 0 if all agents sit together
    """
    if len({result.a for result in results} | {result.b for result in results}) == 2 and results:
        first = results[0]
        amount = in_points(abs(first.mean), first.margin, signed=False)
        if first.low > 0:
            return f"{first.a} beats {first.b} by {amount} {unit}."
        if first.high < 0:
            return f"{first.a} loses to {first.b} by {amount} {unit}."
        amount = in_points(first.mean, first.margin)
        return f"{first.a} and {first.b} cannot be told apart: {amount} {unit} for the first."
    best = ranking(both_ways(results, sides))[0]
    amount = in_points(best.score.mean, best.score.margin)
    return f"{best.agent} has the highest mean over the others: {amount} {unit}."


def page_of(
    results: Sequence[PairResult],
    stops: Sequence[Stopped],
    sides: int,
    settings: Mapping[str, Any],
    command: str,
    worst: Sequence[Film],
) -> str:
    """An evaluation as an HTML page.

    Args:
        results: of all pairs, or with `together` of each agent
        stops: why pairs have ended early
        sides: of the game
        settings: what reproduces the results, as results.json has them
        command: makes the page again
        worst: the costliest deals, to step through

    Returns:
        The text of the file.
    """
    is_match = settings["episode"] == "match"
    unit = unit_of(settings["episode"])
    met = [(result.a,) if settings["together"] else (result.a, result.b) for result in results]
    names = list(dict.fromkeys(chain.from_iterable(met)))
    rows = [cells_of(name_of(result), result) for result in results]
    headings = ["agents", "points", "± 95 %", "won", "matches" if is_match else "deals"]
    parts = [
        page.section("Results", page.table(headings, rows), note=f"{unit} for the first agent"),
        page.section("Intervals", intervals_of(results, unit)),
    ]
    if len(names) > 2 and not settings["together"]:
        figure = everybody_figure(results, sides, f"{unit} for the row")
        parts.append(page.section("Everybody against everybody", figure))
    if stops:
        lines = "".join(f"<p>{markup(' '.join(in_words(stop)))}</p>" for stop in stops)
        parts.append(page.section("Where it stopped", lines))
    for result in results:
        if result.roles:
            parts.append(page.section(f"{name_of(result)}: by role", _roles(result.roles, unit)))
    if worst:
        frame = nested(to_page("The costliest deals", worst))
        shown = f'<iframe title="The costliest deals" srcdoc="{frame}"></iframe>'
        parts.append(
            page.section("The costliest deals", shown, note="Step through them with the arrow keys.")
        )
    about = {
        "game": settings["env"],
        "rules": page.rules_of(settings),
        "deals": f"{settings['deals']:,} a pair{' at most' if stops else ''}, seed {settings['seed']}",
        "version": page.version_of(settings),
    }
    if "less_luck" in settings:
        about["less luck"] = f"against a rule-based player, {settings['less_luck']} worlds a decision at most"
    if "stopped" in settings:
        about["stopped"] = str(settings["stopped"])
    title = f"{' and '.join(names) if len(names) == 2 else f'{len(names)} agents'}: {settings['env']}"
    return page.page(
        title, claim_of(results, 0 if settings["together"] else sides, unit), parts, about, command
    )


def films_of(path: Path) -> list[Film]:
    """The first deals of a file of records, to step through."""
    films = []
    for number, (game, record) in enumerate(islice(read_file(path), MOST_SHOWN), start=1):
        films.append(ShownDeal(number, game, record, RecordReplay(game).seen(record)).film())
    return films


def _roles(roles: Sequence[RoleResult], unit: str) -> str:
    rows = []
    for role in roles:
        share = f"{100 * role.share:.1f} %"
        rows.append([role.role.replace("_", " "), role.agent, share, *split_points(role.mean, role.margin)])
    return page.table(["role", "agent", "share of seats", unit, "± 95 %"], rows, texts=(0, 1))
