"""The folder of an evaluation: the results as they grow, and those from which an evaluation continues."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stichwerk.agents.core.agent import differences
from stichwerk.agents.evaluation.playing.comparisons import Comparison
from stichwerk.agents.evaluation.reports.report import read_evaluation, write_pairs, write_results
from stichwerk.agents.evaluation.statistics.stopping import read_stops
from stichwerk.support.errors import InputError
from stichwerk.support.files import FILES, PAIRS, RESULTS

IF_ASKED = (
    "sprt",
    "alpha",
    "beta",
    "until",
    "less_luck",
    "records",
    "worst",
)  # settings that are there only where they count


def results_before(
    folder: Path | None, settings: Mapping[str, Any], resume: bool, force: bool
) -> list[Comparison]:
    """The finished pairs from which the evaluation continues.

    Args:
        folder: Holds the results, if any are written.
        settings: Of this evaluation, with which those of the folder must agree.
        resume: Whether results that are there are added to.
        force: Whether results that are there are replaced.

    Raises:
        InputError: the folder has results that are not to be replaced, or those of another evaluation.
    """
    there = there_already(folder) if folder else []
    if not folder or not there or force:
        return []
    if not resume:
        raise InputError(
            f"{' and '.join(map(str, there))}: got existing results; expected another folder, "
            "--resume to continue them, or --force to replace them"
        )
    path = folder / RESULTS
    if not path.is_file():
        return []
    before, results = read_evaluation(path)
    if faults := unlike(before, settings):
        allowed = "expected another folder, or --force to replace it"
        raise InputError(f"{path} is of another evaluation: {faults}; {allowed}")
    stops = read_stops(before.get("stops", []), path)
    return [Comparison((r.a, r.b), [r], stopped=stops.get((r.a, r.b))) for r in results]


def unlike(before: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The differences between an earlier evaluation's settings and these; empty if they agree."""
    ours = json.loads(json.dumps({**settings, "out": None}))
    del ours["commit"]  # a later one may go on, if all that decides results is the same
    theirs = {name: before.get(name) for name in (*ours, *IF_ASKED)}
    return differences({**theirs, "out": None}, ours)


def keep(folder: Path, settings: Mapping[str, Any], finished: Sequence[Comparison]) -> None:
    """Write the finished comparisons; last the file that says which those are."""
    results = [result for comparison in finished for result in comparison.results]
    stops = [asdict(comparison.stopped) for comparison in finished if comparison.stopped]
    write_pairs(folder / PAIRS, results)
    write_results(folder / RESULTS, {**settings, "stops": stops} if stops else settings, results)


def clear(folder: Path, own: Collection[Path]) -> None:
    """Remove the files of an earlier evaluation, even those that this one will not write, but keep those that
    this one has begun."""
    for path in there_already(folder):
        if path not in own:
            path.unlink()


def there_already(folder: Path) -> list[Path]:
    return [folder / name for name in FILES if (folder / name).exists()]
