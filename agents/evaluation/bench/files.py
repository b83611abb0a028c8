"""Results files of the benchmark. Every field is checked, since files come from others."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents.evaluation.bench import equilibrium
from stichwerk.agents.evaluation.bench.suites import BLOCK, BUDGETS, SEED, SUITES, VERSION, Suite
from stichwerk.agents.provenance import CHANCE
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.check import is_number
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_json, read_text
from stichwerk.support.quantiles import student_quantile

MOST = 1e300  # of a number, so that sums of them are finite
TOLERANCE = 1e-6  # of a block's points, and of means
LONGEST = {"agent": 200, "text": 2_000}  # characters
FIRST_CHANCE = "1"  # of files that do not name the way in which agents got their chance
HASH = re.compile("[0-9a-f]{16}")
FORMS = {  # of texts that are no choice
    **dict.fromkeys(("agent_hash", "agents_hash", "rules_hash", "code_hash"), HASH),
    "version": re.compile(r"[0-9][0-9a-z.+]{0,40}"),
    "commit": re.compile(r"(?:[0-9a-f]{7,40}\+?)?"),
    "chance": re.compile(f"{FIRST_CHANCE}|{CHANCE}"),
}
ENDS = "low", "high"
OPPONENT = "agent", "hash", "mean", *ENDS
FIELDS = (
    *("bench", "suite", "agent", "text", "budget", "score", *ENDS, "deals", "seed", "opponents", "cards"),
    *("blocks", *FORMS),
)
MEANS = (*(f"{role}: {what}" for role in ("leading", "answering") for what in ("loss", "exploitability")),)
OF_DISTANCES = (
    *("bench", "suite", "agent", "text", "states", "hands", "positions", "distances"),
    *MEANS,
    *(f"  {kind}" for kind in equilibrium.KINDS[: equilibrium.ANSWER]),
    *FORMS,
)
MOST_HANDS = 10**6
POSITIONS = 10  # of a block that is measured again


@dataclass(frozen=True)
class Entry:
    """The results of one agent in one suite.

    Attributes:
        path: of the file
        digest: SHA-256 of its text
        content: its fields
    """

    path: Path
    digest: str
    content: Mapping[str, Any]

    @property
    def of_equilibrium(self) -> bool:
        """True if it has distances to the equilibrium, instead of points."""
        return self["suite"] == equilibrium.NAME

    @property
    def suite(self) -> Suite:
        return SUITES[self.content["suite"]]

    @property
    def game(self) -> Game:
        return make_game(equilibrium.ENV) if self.of_equilibrium else self.suite.game

    @property
    def opponents(self) -> tuple[str, ...]:
        return () if self.of_equilibrium else self.suite.opponents

    def __getitem__(self, name: str) -> Any:
        return self.content[name]

    @property
    def blocks(self) -> int:
        """Of deals, against each opponent, or of positions."""
        return -(-self["states"] // POSITIONS) if self.of_equilibrium else -(-self["deals"] // BLOCK)

    @property
    def score(self) -> float:
        """The points of a deal, or the loss at the lead."""
        return self[equilibrium.LOSS][0] if self.of_equilibrium else self["score"]

    @property
    def margin(self) -> float:
        return self[equilibrium.LOSS][1] if self.of_equilibrium else self["score"] - self["low"]


def read_entry(path: Path) -> Entry:
    """The results of one agent in one suite.

    Raises:
        InputError: A field is missing, unknown, or not what a file of this version can hold. Or the numbers
            do not fit together, or are more than deals can bring by the rules.
    """
    try:
        content = read_json(text := read_text(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: got {quoted(content)}; expected a file of stichwerk bench")
    content.setdefault("chance", FIRST_CHANCE)
    of_equilibrium = content.get("suite") == equilibrium.NAME
    _check_names(content, OF_DISTANCES if of_equilibrium else FIELDS, str(path))
    digest = hashlib.sha256(text.encode()).hexdigest()
    if of_equilibrium:
        _check_texts(content, {"bench": [VERSION]}, path)
        _check_distances(content, path)
        return Entry(path, digest, content)
    _check_texts(content, {"bench": [VERSION], "suite": SUITES, "budget": BUDGETS}, path)
    suite = SUITES[content["suite"]]
    for name, fixed in (("deals", suite.deals), ("seed", SEED), ("cards", suite.cards)):
        if type(content[name]) is not type(fixed) or content[name] != fixed:
            raise InputError(f"{path}: got {quoted(content[name])} as {name}; expected {fixed}")
    _check_numbers(content, suite, path)
    return Entry(path, digest, content)


def _check_names(content: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    for name in names:
        if name not in content:
            raise InputError(f"{where}: got no {name}; expected one")
    if unknown := content.keys() - {*names}:
        raise InputError(f"{where}: got {quoted(min(unknown))}; expected {', '.join(names)} alone")


def _check_texts(content: Mapping[str, Any], choices: Mapping[str, Iterable[str]], path: Path) -> None:
    for name, allowed in choices.items():
        if not isinstance(content[name], str) or content[name] not in allowed:
            raise InputError(
                f"{path}: got {quoted(content[name])} as {name}; expected {' or '.join(allowed)}"
            )
    for name, most in LONGEST.items():
        if not isinstance(content[name], str) or not 0 < len(content[name]) <= most:
            allowed = f"a text of at most {most:,} characters"
            raise InputError(f"{path}: got {quoted(content[name])} as {name}; expected {allowed}")
    for name, form in FORMS.items():
        if not isinstance(content[name], str) or not form.fullmatch(content[name]):
            raise InputError(f"{path}: got {quoted(content[name])} as {name}; expected {form.pattern}")


def _check_numbers(content: Mapping[str, Any], suite: Suite, path: Path) -> None:
    """InputError unless there are the blocks of the whole suite, and means and a score that fit them."""
    number = -(-suite.deals // BLOCK)
    if [*map(_numbers_in, _list(content["blocks"]))] != [number] * len(suite.opponents):
        allowed = f"{number} numbers against each of {' and '.join(suite.opponents)}"
        raise InputError(f"{path}: got {quoted(content['blocks'])} as blocks; expected {allowed}")
    opponents = [each for each in _list(content["opponents"]) if isinstance(each, dict)]
    names = [(each.get("agent"), each.get("hash")) for each in opponents]
    if names != [*zip(suite.opponents, suite.hashes, strict=True)]:
        allowed = " and ".join(
            f"{name} with the hash {own}" for name, own in zip(suite.opponents, suite.hashes, strict=True)
        )
        raise InputError(f"{path}: got {quoted(content['opponents'])} as opponents; expected {allowed}")
    for name, own in zip(suite.opponents, content["blocks"], strict=True):
        _check_blocks(own, suite, f"{path}: against {name}")
    blocks = np.array(content["blocks"], float)
    for opponent, own in zip(opponents, blocks, strict=True):
        where = f"{path}: against {opponent['agent']}"
        _check_names(opponent, OPPONENT, where)
        _check_interval(opponent, "mean", own, suite, where)
    _check_interval(content, "score", blocks.mean(axis=0), suite, str(path))
    # a mean over opponents spreads at most as much as they do on average
    most = sum(each["high"] - each["low"] for each in opponents) / len(opponents)
    if (width := content["high"] - content["low"]) > most + TOLERANCE:
        allowed = f"at most {most:g}, the mean over the opponents"
        raise InputError(f"{path}: got {width:g} from low to high; expected {allowed}")


def _check_distances(content: Mapping[str, Any], path: Path) -> None:
    """InputError unless there is a row for each of the first positions, and means that follow from them."""
    suite = equilibrium.Suite()
    number, rows = content["states"], content["distances"]
    for name, least, most in (("states", 2, len(suite)), ("hands", 0, MOST_HANDS)):
        if type(content[name]) is not int or not least <= content[name] <= most:
            allowed = f"{least} to {most:,}"
            raise InputError(f"{path}: got {quoted(content[name])} as {name}; expected {allowed}")
    if content["positions"] != (expected := suite.hash_of(number)):
        raise InputError(f"{path}: got positions {quoted(content['positions'])}; expected {expected}")
    lengths, columns = [len(_list(row)) for row in _list(rows)], len(equilibrium.KINDS) + 2
    if lengths != [columns] * number:
        raise InputError(f"{path}: got {quoted(rows)} as distances; expected {number} rows of {columns}")
    known = columns if not content["hands"] else columns - 2  # without all hands nothing is exploited
    low, high = suite.game.stakes
    for place, row in enumerate(rows, start=1):
        right = all(is_number(each, high - low) for each in row[:known]) and not any(
            each is not None for each in row[known:]
        )
        if not right:
            raise InputError(f"{path}: position {place}: got {quoted(row)}; expected {known} distances")
    for name, found in equilibrium.means_of(rows).items():
        given = content[name]
        if found is None or given is None:
            holds = given is found
        else:
            holds = len(_list(given)) == 2 and all(
                is_number(one, MOST) and abs(one - two) <= TOLERANCE
                for one, two in zip(given, found, strict=True)
            )
        if not holds:
            raise InputError(f"{path}: got {quoted(given)} as {name.strip()}; expected {quoted(found)}")


def sizes_of(suite: Suite) -> np.ndarray:
    """The deals of each block, int64[blocks]."""
    return np.minimum(BLOCK, suite.deals - np.arange(0, suite.deals, BLOCK))


def _check_blocks(blocks: Sequence[float], suite: Suite, where: str) -> None:
    """InputError for points that no deals can have under the rules."""
    least, most = suite.game.stakes
    for number, (points, size) in enumerate(zip(blocks, sizes_of(suite).tolist(), strict=True), start=1):
        if not least * size - TOLERANCE <= points <= most * size + TOLERANCE:
            allowed = f"{least * size:g} to {most * size:g}, as {size} deals can bring"
            raise InputError(f"{where}: got {points:g} points in block {number}; expected {allowed}")


def _check_interval(of: Mapping[str, Any], name: str, blocks: np.ndarray, suite: Suite, where: str) -> None:
    """InputError unless an interval lies around the mean of blocks, and is as wide as their deals can be
    apart."""
    for each in (name, *ENDS):
        if not is_number(of[each], MOST):
            raise InputError(f"{where}: got {quoted(of[each])} as {each}; expected a number")
    low, middle, high, deals = of["low"], of[name], of["high"], suite.deals
    sizes = sizes_of(suite)
    mean = float(blocks.sum() / deals)
    if abs(middle - mean) > TOLERANCE:
        raise InputError(f"{where}: got {middle:g} as {name}; expected {mean:g}, as the blocks give it")
    # Deals are at least as far from their mean as blocks of them. They are farthest if each brings the least
    # or the most there is.
    means, (lowest, highest) = blocks / sizes, suite.game.stakes
    between, within = (means - mean) ** 2, (highest - means) * (means - lowest)
    spreads = ((squares * sizes).sum() / deals / (deals - 1) for squares in (between, between + within))
    least, most = (float(student_quantile(0.975, deals - 1) * max(each, 0.0) ** 0.5) for each in spreads)
    if abs(low + high - 2 * middle) > TOLERANCE or not least - TOLERANCE <= middle - low <= most + TOLERANCE:
        allowed = f"{mean:g} in the middle, and {least:g} to {most:g} on both sides"
        raise InputError(f"{where}: got {low:g} and {high:g} as low and high; expected {allowed}")


def _list(value: Any) -> list:
    return value if isinstance(value, list) else []


def _numbers_in(blocks: Any) -> int:
    """The count of numbers in a list; -1 for anything else."""
    numbers = isinstance(blocks, list) and all(is_number(each, MOST) for each in blocks)
    return len(blocks) if numbers else -1
