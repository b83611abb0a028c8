"""The rule options as features, so that one network can play by many rules.

Each option is a feature of its own name, so a new option is a new feature and changes the meaning of no
other. Options that only change what an observation shows are left out. Those of matches are blank in a single
deal, where they change nothing.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np

from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.encoding import Encoding, Feature, share
from stichwerk.envs.spec.options import Options

RULES = "rules"
"""The name of the encoding that has the rules as features."""
Write = Callable[[np.record, int, np.ndarray], None]
"""`write(rules, match, out)`: write features of the rules, compiled; `match` is not 0 in a match."""


def rule_features(options: type[Options]) -> tuple[Feature, ...]:
    """A feature for each option of a game: a place for each listed value; or the number, and whether it
    reaches each of the usual ones; or the cards that are not in the pack."""
    return tuple(
        feature for each in fields(options) if (feature := _feature(options, each.name, each.metadata))
    )


def _feature(options: type[Options], name: str, metadata: Any) -> Feature | None:
    if name in options.SHOWN_BY:
        return None
    blank = "; blank in a single deal" if name in options.OF_MATCHES else ""
    if values := options.values(name):
        return Feature(f"rule_{name}", len(values), f"option `{name}`: {', '.join(map(str, values))}{blank}")
    if not options.has_number(name):
        return Feature(
            f"rule_{name}", len(options.PACK), f"option `{name}`: cards not in play{blank}", "card"
        )
    if options.usual()[name] == (False, True):
        return Feature(f"rule_{name}", 1, f"option `{name}`{blank}")
    steps = _steps(options, name)
    reached = ", ".join(map(str, steps))
    meaning = f"option `{name}` / {steps[-1]}; it reaches {reached}{blank}"
    return Feature(f"rule_{name}", 1 + len(steps), meaning)


def _steps(options: type[Options], name: str) -> tuple[int, ...]:
    """The usual numbers but the smallest, which others are told apart from; of a lone one itself."""
    usual = [max(value, 1) for value in options.usual()[name] if value is not None] or [1]
    return tuple(usual[1:] or usual)


def rule_writer(options: type[Options], start: int) -> Write:
    """The function that writes `rule_features` from an offset on."""
    write: Write = _nothing
    for feature in rule_features(options):
        name = feature.name.removeprefix("rule_")
        write = _then(write, _option_writer(options, name, start, feature.size), name in options.OF_MATCHES)
        start += feature.size
    return write


def _then(first: Write, second: Write, in_matches: bool) -> Write:
    @compiled
    def both(rules, match, out):
        first(rules, match, out)
        second(rules, match, out)

    @compiled
    def second_in_matches(rules, match, out):
        first(rules, match, out)
        if match:
            second(rules, match, out)

    return second_in_matches if in_matches else both


def _option_writer(options: type[Options], name: str, start: int, size: int) -> Write:
    codes = np.array([options.code(name, value) for value in options.values(name)], np.int64)

    @compiled
    def write_listed(rules, match, out):
        for i in range(size):
            out[start + i] = getattr(rules, name) == codes[i]

    if len(codes):
        return write_listed

    @compiled
    def write_absent(rules, match, out):
        out[start : start + size] = 1
        for i in range(rules.deck_size):
            out[start + rules.deck[i]] = 0

    if not options.has_number(name):
        return write_absent
    steps = np.array(_steps(options, name) if size > 1 else [1], np.int64)
    whole = int(steps[-1])

    @compiled
    def write_number(rules, match, out):
        out[start] = share(getattr(rules, name), whole)
        for i in range(size - 1):
            out[start + 1 + i] = getattr(rules, name) >= steps[i]

    return write_number


@compiled
def _nothing(rules, match, out):
    pass


@cache
def with_rules(summary: Encoding, options: type[Options]) -> Encoding:
    """The summary, whether a match is played, and the rules: the default of the encoding `rules`; the same
    object for the same arguments."""
    observe_summary, match_at = summary.observe, summary.size
    write_rules = rule_writer(options, match_at + 1)

    @compiled
    def observe(rules, view, seat, out):
        observe_summary(rules, view, seat, out)
        out[match_at] = view.match
        write_rules(rules, view.match, out)

    match = Feature("match", 1, "a match is played")
    return Encoding(RULES, (*summary.features, match, *rule_features(options)), observe)
