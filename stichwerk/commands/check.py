"""Check anybody's environment for leaks of hidden cards, and its masks, seeds, rewards and copies.

stichwerk check openspiel:gin_rummy
stichwerk check pettingzoo.classic.leduc_holdem_v4 --episodes 100
stichwerk check my_module:make_env --args '{players: 3}' --exchange my_module:exchange
stichwerk check schnapsen_v0
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rich.table import Table

from stichwerk.cli import Positional, check_bounds, parse
from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.spec.game import GameSpec
from stichwerk.envs.testing import check_game
from stichwerk.envs.testing.outside.aec import check_aec
from stichwerk.envs.testing.outside.exchange import Exchange, exchange_cards
from stichwerk.envs.testing.outside.report import Report
from stichwerk.envs.testing.outside.rlcard_env import RlcardEnv
from stichwerk.envs.testing.outside.spiel import check_spiel
from stichwerk.support.errors import InputError, quoted, why_not_loaded
from stichwerk.support.escape import markup
from stichwerk.support.parsing import parse_yaml
from stichwerk.support.terminal.progress import print_table

BOUNDS = {"episodes": (1, 10**6), "seed": (0, 2**31 - 1)}
FOUND = 1  # exit status if something was found


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Play an environment at random and check it. Prints the number of cases and the findings of each check,
    with a seed and the actions that lead there. The exit status is 1 if it found something."""

    target: Positional[str]
    """MODULE or MODULE:MAKER for an AEC environment of PettingZoo, where MODULE has `env` or MAKER returns
    one; openspiel:GAME; rlcard:GAME; or a game of the suite by its environment id or MODULE:ID."""
    args: str = ""
    """Arguments of the maker by name, such as '{num_players: 3}'; for a game of the suite its rules."""
    episodes: int = 100
    """The number of episodes, if there is time."""
    seconds: float = 60.0
    """The most seconds for all checks; they stop after that."""
    seed: int = 1
    """The seed of the play."""
    exchange: str = ""
    """MODULE:FUNCTION that changes, in place, cards of an AEC environment which an agent cannot see:
    function(env, agent, random) -> whether there were any. By default cards are found by the names of
    attributes."""

    def __post_init__(self):
        check_bounds(self, BOUNDS)
        check_bounds(self, {"seconds": (0.01, 1e6)}, "a number of seconds")


def main(arguments: Sequence[str]) -> None:
    options = parse(CheckOptions, arguments)
    kind, _, name = options.target.partition(":")
    if kind == "openspiel":
        report = check_spiel(name, options.episodes, options.seed, options.seconds)
    elif kind == "rlcard":
        report = _check_aec(lambda: RlcardEnv(name), options)
    elif (maker := _own_game(options)) is not None:
        maker()
        return
    else:
        made = _loaded(options.target, "target")
        report = _check_aec(_maker(made, options), options)
    print_report(report, options.target)
    if report.findings:
        sys.exit(FOUND)


def _own_game(options: CheckOptions) -> Callable[[], None] | None:
    """The checks of a game of the suite, or of a module that declares one; None if it is neither."""
    module, _, name = options.target.partition(":")
    known = options.target in GAMES
    if not known and name:
        loaded = _loaded(module, "target")
        known = isinstance(getattr(loaded, "GAME", None), GameSpec)
    if not known:
        return None
    game = make_game(options.target, parse_yaml(options.args) if options.args else None)

    def check() -> None:
        try:
            check_game(options.target, game.rules.as_dict())
        except AssertionError as error:
            print(f"found: {error}")
            sys.exit(FOUND)
        print(f"{options.target}: all checks of `check_game` pass")

    return check


def _check_aec(make: Callable[[], Any], options: CheckOptions) -> Report:
    exchange: Exchange = _loaded(options.exchange, "--exchange") if options.exchange else exchange_cards
    with redirect_stdout(sys.stderr):  # environments that print
        return check_aec(make, options.episodes, options.seed, options.seconds, exchange)


def _maker(made: Any, options: CheckOptions) -> Callable[[], Any]:
    """Makes environments: `env` of a module, or the function itself."""
    maker = getattr(made, "env", made)
    arguments = parse_yaml(options.args) if options.args else {}
    if not callable(maker) or not isinstance(arguments, dict):
        raise InputError(
            f"target: got {quoted(options.target)}; expected a module with `env`, or MODULE:MAKER, "
            "and arguments by name"
        )

    def make() -> Any:
        try:
            env = maker(**arguments)
        except Exception as error:
            raise InputError(
                f"target: {quoted(options.target)} cannot be made: {why_not_loaded(error)}"
            ) from error
        if not hasattr(env, "agent_selection") and not hasattr(env, "possible_agents"):
            raise InputError(f"target: got {type(env).__name__}; expected an AEC environment of PettingZoo")
        return env

    return make


def _loaded(address: str, what: str) -> Any:
    """The module, or the object in it, that MODULE or MODULE:NAME names."""
    module, _, name = address.partition(":")
    try:
        loaded = import_module(module)
        return getattr(loaded, name) if name else loaded
    except Exception as error:
        raise InputError(f"{what}: {quoted(address)} cannot be loaded: {why_not_loaded(error)}") from error


def print_report(report: Report, target: str) -> None:
    """A row for each check, then the findings and notes."""
    table = Table("check", caption=markup(target))
    table.add_column("cases", justify="right")
    table.add_column("found", justify="right")
    found = report.findings
    for check in dict.fromkeys([*report.looked_at, *(each.check for each in found)]):
        times = sum(each.times for each in found if each.check == check)
        table.add_row(check, f"{report.looked_at[check]:,}", f"{times:,}" if times else "-")
    print_table(table)
    for each in found:
        print(f"found: {each.check}: {each.says}; {each.times:,} times, first at {each.place}")
    for note in report.notes:
        print(f"note: {note}")
