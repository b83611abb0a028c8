"""Comparisons that may stop early: checks while they are played, and the report of their stop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stichwerk.agents.evaluation.statistics.sequential import Deals, Outcome, StoppingRule
from stichwerk.agents.evaluation.statistics.tallies import PairResult, Ratio
from stichwerk.support.errors import InputError
from stichwerk.support.escape import plain


@dataclass(frozen=True)
class Stopped:
    """Why a comparison of agent `a` with `b` ended, as results.json keeps it.

    Attributes:
        rule: `sprt` or `until`
        outcome: the bound that is accepted, `lower` or `upper`; `narrow`: the interval is narrow enough;
            `undecided`: there were no more deals to play
        deals, deviation: their number, and the standard deviation of their points
        raw_mean: the mean over the deals, before it is corrected for stopping
        effect, effect_low, effect_high: the estimate and its interval in standard deviations
        llr, llr_low, llr_high: the log-likelihood ratio and the limits at which the test stops; None without
            a test
    """

    a: str
    b: str
    rule: str
    outcome: Outcome
    deals: int
    raw_mean: float
    deviation: float
    effect: float
    effect_low: float
    effect_high: float
    llr: float | None = None
    llr_low: float | None = None
    llr_high: float | None = None


class Watch:
    """Looks at a comparison while it is played.

    Args:
        rule: when to stop
        every: deals between two looks
        most: deals after which the comparison ends in any case
        on_look: is told the rule's note after each look
    """

    def __init__(
        self,
        rule: StoppingRule,
        every: int,
        most: int,
        on_look: Callable[[str], None] = lambda note: None,
    ):
        self._rule, self._every, self._most, self._on_look = rule, every, most, on_look
        self._deals = Deals(0, 0.0, 0.0)

    def __call__(self, points: Ratio) -> bool:
        """True if the comparison may end."""
        if points.deals % self._every and points.deals < self._most:
            return False
        self._deals = Deals.of(points)
        self._on_look(self._rule.note(self._deals))
        return self._rule.outcome(self._deals) != "undecided"

    def ended(self, result: PairResult) -> tuple[PairResult, Stopped]:
        """The result with the estimate and the interval of the rule, and why the comparison has ended."""
        deals = self._deals
        mean, low, high = self._rule.interval(deals, self._every)
        scale = deals.spread
        llr, llr_low, llr_high = self._rule.llr(deals)
        stopped = Stopped(
            a=result.a,
            b=result.b,
            rule=self._rule.name,
            outcome=self._rule.outcome(deals),
            deals=deals.number,
            raw_mean=deals.mean,
            deviation=deals.deviation,
            effect=mean / scale,
            effect_low=low / scale,
            effect_high=high / scale,
            llr=llr,
            llr_low=llr_low,
            llr_high=llr_high,
        )
        return replace(result, mean=mean, low=low, high=high), stopped


def read_stops(entries: Sequence[Mapping[str, Any]], path: Path) -> dict[tuple[str, str], Stopped]:
    """The stops that results.json keeps, by their agents; InputError for what are none."""
    try:
        stops = [Stopped(**entry) for entry in entries]
        return {(stop.a, stop.b): stop for stop in stops}
    except TypeError as error:
        raise InputError(f"damaged results {path}: {error!r}; delete the file to evaluate again") from None


def print_stops(stops: Sequence[Stopped]) -> None:
    """Some lines for each comparison that a sequential test or an interval could stop."""
    for stop in stops:
        print("\n  ".join(map(plain, in_words(stop))))


def in_words(stop: Stopped) -> list[str]:
    """Why a comparison has ended, and what is known then."""
    says = f"{stop.a} – {stop.b}: "
    if stop.outcome == "undecided":
        says += f"undecided after {stop.deals:,} deals; expected more --deals"
    elif stop.outcome == "narrow":
        says += f"narrow enough after {stop.deals:,} deals; the interval is valid at any time"
    else:
        says += f"the {stop.outcome} effect is accepted after {stop.deals:,} deals"
    effect = f"effect {stop.effect:+z.3f} ({stop.effect_low:+z.3f} to {stop.effect_high:+z.3f})"
    if stop.llr is None:
        return [says, effect]
    limits = f"limits {stop.llr_low:.2f} and {stop.llr_high:.2f}"
    ratio = f"LLR {stop.llr:+.2f}, {limits}; {effect}"
    return [says, ratio, f"mean {stop.raw_mean:+z.3f} before the correction for stopping"]
