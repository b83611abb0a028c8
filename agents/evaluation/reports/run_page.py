"""Trainings as pages: one run, several seeds of one config, and a sweep."""

from collections.abc import Mapping, Sequence
from typing import Any

from stichwerk.agents.evaluation.reports import page
from stichwerk.agents.evaluation.reports.figures import Curves, curves_figure, run_curves, seed_curves
from stichwerk.agents.evaluation.reports.report import cells_of, seed_rows
from stichwerk.agents.evaluation.statistics.tallies import UNIT, PairResult
from stichwerk.support.figure import Estimate, intervals
from stichwerk.support.numbers import in_points

NAMED = 3  # opponents that the claim names


def run_page(
    results: Sequence[PairResult],
    rows: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any],
    decisions: int,
    command: str,
) -> str:
    """A training run.

    Args:
        results: of its best network against each opponent, on deals that training has not seen
        rows: its metrics
        settings: what reproduces it, as results.json has them
        decisions: how long it has learned
        command: trains it again

    Returns:
        The text of an HTML file that needs no other.
    """
    amounts = [f"{in_points(each.mean, each.margin)} against {each.b}" for each in results[:NAMED]]
    claim = f"After {decisions:,} decisions the best network has {', '.join(amounts)} ({UNIT})."
    table = [cells_of(each.b, each) for each in results]
    scores = [Estimate(each.b, each.mean, each.low, each.high) for each in results]
    headings = ["opponent", "points", "± 95 %", "won", "deals"]
    parts = [
        page.section("Results", page.table(headings, table), note=f"{UNIT} of the best network"),
        page.section("Intervals", intervals(scores, f"{UNIT}, 95 % intervals")),
        *_curves(run_curves(rows), "Bands are 95 % intervals over deals."),
    ]
    about = {**_about(settings), "seed": str(settings["seed"]), "decisions": f"{decisions:,}"}
    return page.page(f"Training of {settings['env']}", claim, parts, about, command)


def seeds_page(
    results: Mapping[int, Sequence[PairResult]],
    runs: Sequence[Sequence[Mapping[str, Any]]],
    settings: Mapping[str, Any],
    decisions: int,
    command: str,
) -> str:
    """Runs of one config with several seeds; `results` by seed, `runs` their metrics, the rest as for one."""
    opponents, rows = seed_rows(results)
    means = zip(opponents[:NAMED], rows[-1][1:], strict=False)
    amounts = ", ".join(f"{cell} against {name}" for name, cell in means)
    claim = f"In the mean of {len(results)} seeds the best network has {amounts} ({UNIT})."
    headings = ["seed", *(f"against {name}" for name in opponents)]
    note = f"{UNIT}, ± 95 % over deals; the mean's over seeds"
    parts = [
        page.section("Results", page.table(headings, rows), note=note),
        *_curves(seed_curves(runs), "Lines are means over seeds; bands reach from the worst to the best."),
    ]
    about = {
        **_about(settings),
        "seeds": ", ".join(map(str, results)),
        "decisions": f"{decisions:,} each",
    }
    return page.page(f"Training of {settings['env']}, {len(results)} seeds", claim, parts, about, command)


def sweep_page(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    scores: Sequence[Estimate],
    curves: Curves,
    settings: Mapping[str, Any],
    command: str,
) -> str:
    """A sweep.

    Args:
        headings: of the table of trials
        rows: its cells, the best trial first
        scores: theirs, in the same order
        curves: validation over decisions, by trial
        settings: `env`, `rules`, `seed`, `deals`, `version` and `commit`
        command: makes the sweep again
    """
    best = scores[0]
    amount = in_points(best.value, best.value - best.low)
    claim = f"Of {len(rows)} trials {best.name} is best: {amount} {UNIT}, averaged over the field."
    parts = [
        page.section("Trials", page.table(headings, rows), note=f"score: {UNIT}, ± 95 % at most"),
        page.section("Scores", intervals(scores, f"{UNIT}, 95 % intervals at most")),
        *_curves(curves, "Validation of the best trials while they learned."),
    ]
    about = {**_about(settings), "seed": str(settings["seed"]), "deals": f"{settings['deals']:,} an opponent"}
    return page.page(f"Sweep of {settings['env']}", claim, parts, about, command)


def _curves(curves: Curves, note: str) -> list[str]:
    """The section of the learning curves, if there are any."""
    return [page.section("Learning curves", curves_figure(curves), note=note)] if curves else []


def _about(settings: Mapping[str, Any]) -> dict[str, str]:
    return {
        "game": settings["env"],
        "rules": page.rules_of(settings),
        "version": page.version_of(settings),
    }
