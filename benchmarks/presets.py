"""The strength of a network under every preset of its game, single other options, and random rules.

python benchmarks/presets.py ppo:schnapsen_family --env schnapsen_v0 [--page docs/results/presets.md]

Each row is a match over duplicate deals. Results are kept as they come, and a run that is stopped goes on
where it was, with the same code and network. With a page its tables are written between the marks
`<!-- measured: ENVIRONMENT PART -->` and `<!-- end -->`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table, rows_of

from stichwerk.agents import AgentError, make_agent_for
from stichwerk.agents.evaluation.playing.matches import DEALS, Series, play_pair
from stichwerk.agents.provenance import provenance
from stichwerk.cli import Positional, check_bounds, parse, run
from stichwerk.envs import GAMES, Game, InputError, make_game
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.games import find_game
from stichwerk.envs.spec.options import Options as Rules
from stichwerk.envs.spec.rule_sets import RuleSets
from stichwerk.support.errors import quoted
from stichwerk.support.files import own_folder, write_whole
from stichwerk.support.numbers import in_points, split_points

MEASURE = "rules:0.1"  # by which single options and random rules are measured
FIELD = ("random", MEASURE, "rules")
Table = tuple[list[str], list[list[str]]]


@dataclass(frozen=True)
class Options:
    agent: Positional[str]
    """The network, ppo:NAME or ppo:FOLDER."""
    env: str = "schnapsen_v0"
    """An environment id of its game."""
    deals: int = 20_000
    """Duplicate deals of a match under a preset."""
    other_deals: int = 4_000
    """Duplicate deals of a match under other rules."""
    random: int = 200
    """Number of random rule sets."""
    seed: int = 1
    """Of the deals and of the random rules."""
    specialised: tuple[str, ...] = ("ppo:schnapsen-0.3", "ppo:sixty_six-0.3")
    """Networks of single rule sets, which are met where they play."""
    parts: tuple[str, ...] = ("presets", "options", "random")
    """Tables to measure."""
    start_states: bool = False
    """Deals begin in start states of a match."""
    out: Path = Path("results/presets")
    """Folder of the results."""
    page: str = ""
    """A page to write the tables into."""


class Matches:
    """Matches of one agent, kept in a file."""

    def __init__(self, options: Options):
        self._options = options
        own_folder(str(options.out), "benchmark", "--out")
        options.out.mkdir(parents=True, exist_ok=True)
        self._kept = options.out / f"{find_game(options.env)[0]}.jsonl"

    def play(self, game: Game, other: str, deals: int) -> Mapping[str, Any] | None:
        """A match under these rules; None where the other one does not play them."""
        options = self._options
        try:
            agents = [make_agent_for(text, game) for text in (options.agent, other)]
        except AgentError:
            return None
        origin = provenance(game, [options.agent, other])
        about = {
            "a": options.agent,
            "b": other,
            "env": game.env_id,
            "rules": game.rules.as_dict(),
            "deals": deals,
            "seed": options.seed,
            "start_states": options.start_states,
            "code": f"{origin['code_hash']} {origin['agents_hash']}",
        }
        kept = rows_of(self._kept)
        if found := next((row for row in kept if about.items() <= row.items()), None):
            return found
        pair = play_pair(game, *agents, Series(deals, options.seed, start_states=options.start_states))
        row = {**about, "mean": pair.mean, "error": pair.margin}
        write_whole(self._kept, "".join(json.dumps(each) + "\n" for each in [*kept, row]))
        return row


def main(options: Options) -> None:
    check_bounds(options, {"deals": DEALS, "other_deals": DEALS, "random": (0, 10_000), "seed": (0, 2**32)})
    matches, games = Matches(options), list(default_games(options.env))
    measured = {
        "presets": presets,
        "options": single_options,
        "random": random_rules,
    }
    if unknown := [name for name in options.parts if name not in measured]:
        raise InputError(f"parts: got {quoted(unknown[0])}; expected {', '.join(measured)}")
    parts = {name: measured[name](options, matches, games) for name in options.parts}
    for table in parts.values():
        print_table(*table)
    if options.page:
        page = Path(options.page)
        text = page.read_text(encoding="utf-8")
        for name, table in parts.items():
            mark = f"{games[0].env_id} {name}"
            text = re.sub(
                rf"(<!-- measured: {mark} -->\n).*?(<!-- end -->)",
                lambda found, table=table: found[1] + markdown(*table) + found[2],
                text,
                flags=re.DOTALL,
            )
        write_whole(page, text)


def default_games(env_id: str) -> Iterator[Game]:
    """The environments of a game under their default presets, for each number of players."""
    _, spec = find_game(env_id)
    for each in spec.env_ids:
        for players in spec.rules.values("players") or (None,):
            yield make_game(each, {"players": players} if players else None)


def title(game: Game) -> str:
    players = game.rules.values("players")
    return f"{game.env_id}, {game.seats} players" if players else game.env_id


def presets(options: Options, matches: Matches, games: Sequence[Game]) -> Table:
    """A row for each preset, and each number of players where that is an option."""
    columns = ["rules", *(f"against `{text}`" for text in FIELD), "against the specialised network"]
    rows, seen = [], set()
    for game in games:
        default = game.spec.env_ids[game.env_id]
        for preset in dict.fromkeys([default, *game.spec.rules.PRESETS]):
            players = {"players": game.seats} if game.rules.values("players") else {}
            env_id = next((each for each, name in game.spec.env_ids.items() if name == preset), game.env_id)
            under = make_game(env_id, {"preset": preset, **players})
            if under.rules in seen:
                continue
            seen.add(under.rules)
            cells = [points(matches.play(under, text, options.deals)) for text in FIELD]
            special = (matches.play(under, text, options.deals) for text in options.specialised)
            met = [f"`{row['b']}` {points(row)}" for row in special if row]
            rows.append([f"{preset}{f', {game.seats} players' * bool(players)}", *cells, "; ".join(met)])
    return columns, rows


def single_options(options: Options, matches: Matches, games: Sequence[Game]) -> Table:
    """A row for each default and each option changed alone; those that cost most first."""
    rows = []
    for game in games:
        default = matches.play(game, MEASURE, options.other_deals)
        assert default
        for name, value, rules in rule_sets(game).singles(game.rules):
            row = matches.play(under(game, rules), MEASURE, options.other_deals)
            assert row
            change = row["mean"] - default["mean"]
            difference, _ = split_points(change, row["error"])
            cells = [title(game), f"{name}={short(value)}", points(row), points(default), difference]
            rows.append((change, cells))
    columns = ["default", "option", f"against `{MEASURE}`", "at the default", "difference"]
    return columns, [row for _, row in sorted(rows, key=lambda each: each[0])]


def random_rules(options: Options, matches: Matches, games: Sequence[Game]) -> Table:
    """The number of random rule sets that are won, and those in which the least is won."""
    game = games[0]
    chance = np.random.default_rng(int(stream_seed(options.seed, Use.TEST, 0)))
    drawn = [rule_sets(game).draw("random", chance) for _ in range(options.random)]
    found = []
    for rules in drawn:
        row = matches.play(under(game, rules), MEASURE, options.other_deals)
        assert row
        found.append((row["mean"], row, rules))
    found.sort(key=lambda each: each[0])
    above = sum(row["mean"] > 0 for _, row, _ in found)
    clearly = sum(row["mean"] > row["error"] for _, row, _ in found)
    count = max(len(found), 1)
    mean, _ = split_points(
        *(np.mean([row[name] for _, row, _ in found] or [0]) for name in ("mean", "error"))
    )
    head = [
        f"{len(found)} rule sets: {above} above 0 ({100 * above / count:.0f} %), {clearly} by an interval",
        f"{mean} on average",
    ]
    changed = [[differing(game.rules, rules), points(row)] for _, row, rules in found[:10]]
    return ["rules, in which they differ from the default", f"against `{MEASURE}`"], [head, *changed]


def rule_sets(game: Game) -> RuleSets:
    return RuleSets(game.spec.rules, list(game.spec.env_ids.values()))


def under(game: Game, rules: Rules) -> Game:
    return Game(game.env_id, GAMES[game.env_id], rules)


def differing(default: Rules, rules: Rules) -> str:
    names = [each.name for each in fields(rules) if each.name not in rules.SHOWN_BY + rules.OF_MATCHES]
    return ", ".join(
        f"{name}={short(getattr(rules, name))}"
        for name in names
        if getattr(rules, name) != getattr(default, name)
    )


def short(value: Any) -> str:
    """A value of an option in few words; a pack by its ranks."""
    if isinstance(value, tuple):
        return "".join(dict.fromkeys(name[1] for name in value))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def points(row: Mapping[str, Any] | None) -> str:
    return in_points(row["mean"], row["error"]) if row else ""


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
