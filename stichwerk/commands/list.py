"""List the games, presets, agents or training configs that the other commands take.

stichwerk list games
stichwerk list presets --env sixty_six_v0
stichwerk list agents --env gaigel_v0
stichwerk list configs
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rich.table import Table

from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.external.custom import installed
from stichwerk.agents.networks.saved import game_of
from stichwerk.agents.registry import KINDS, shipped_networks
from stichwerk.agents.training.config_files import CONFIGS, load_config, shipped
from stichwerk.cli import Positional, parse
from stichwerk.envs.games import GAMES, find_game
from stichwerk.support.terminal.progress import print_table

Rows = Iterator[tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Print a table of the values that other commands take."""

    subject: Positional[Literal["games", "presets", "agents", "configs"]]
    """The subject of the list: games, presets, agents or configs."""
    env: str = field(default="", metadata={"aliases": ("game",)})
    """List only entries for this environment id. The default is all."""


def main(arguments: Sequence[str]) -> None:
    options = parse(ListOptions, arguments)
    only = find_game(options.env)[0] if options.env else ""
    ids = [only] if only else list(GAMES)
    columns, rows = {
        "games": (("id", "game", "preset by default", "rule-based player"), games),
        "presets": (("id", "preset", "where it is from"), presets),
        "agents": (("agent", "plays", "what it does"), agents),
        "configs": (("config", "id", "presets and options"), configs),
    }[options.subject]
    table = Table(*columns)
    for row in rows(ids):
        table.add_row(*row)
    print_table(table)


def games(ids: Sequence[str]) -> Rows:
    for env_id in ids:
        spec = GAMES[env_id]
        yield env_id, spec.title_of(env_id), spec.env_ids[env_id], "yes" if has_rule_player(env_id) else "no"


def presets(ids: Sequence[str]) -> Rows:
    for env_id in ids:
        rules = GAMES[env_id].rules
        for preset in rules.PRESETS:
            yield env_id, preset, rules.PRESET_SOURCES.get(preset, {}).get("", "")


def agents(ids: Sequence[str]) -> Rows:
    for kind in KINDS.values():
        games = [
            env_id
            for env_id in ids
            if kind.env_id in ("", env_id) and (not kind.plays_by_rules or has_rule_player(env_id))
        ]
        if games:
            yield kind.form, "every game" if set(games) == set(GAMES) else ", ".join(games), kind.about
    for name, folder in shipped_networks().items():
        env_id = game_of(folder).env_id
        if env_id in ids:
            yield f"ppo:{name}", env_id, "plays a shipped network; docs/results/players.md has its card"
    for name, point in installed().items():
        yield name, "", f"plays a custom agent of an installed package, {point.value}"


def configs(ids: Sequence[str]) -> Rows:
    for name in shipped(CONFIGS):
        config = load_config(CONFIGS / f"{name}.yaml")
        if find_game(config.game.env)[0] in ids:
            yield name, config.game.env, config.game.rules_yaml
