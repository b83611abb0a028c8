"""Write the decisions of agents' games, or of recorded ones, as Parquet files for offline learning.

stichwerk export data rules --env schnapsen_v0 --deals 80000 --out data/schnapsen
stichwerk export data ppo:preferans3 rules --env preferans_v0 --out data/preferans --resume
stichwerk export data --record deals.jsonl --out data/mine
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stichwerk.agents import make_agents
from stichwerk.agents.core.spec import named
from stichwerk.agents.data.card import card_of
from stichwerk.agents.data.folder import Writer, head_of
from stichwerk.agents.data.sources import PlayedSource, RecordedSource, line_ups
from stichwerk.agents.evaluation.playing.matches import DEALS
from stichwerk.agents.provenance import result_hashes
from stichwerk.cli import ANOTHER, DealOptions, Positional, check_bounds, check_source, command_line, parse
from stichwerk.envs.core.text import counted
from stichwerk.support.errors import InputError
from stichwerk.support.files import held_folder, own_folder
from stichwerk.support.terminal.progress import make_bar

BOUNDS = {"deals": (1, DEALS[1]), "seed": (0, 2**64 - 1), "shard": (20, 1_000_000)}
PLAYED = "env", "rules", "start_states", "agents", "deals", "seed"  # what a record decides instead


@dataclass(frozen=True, kw_only=True)
class DataOptions(DealOptions):
    """Play deals and write every decision as a row of a Parquet file: observation, legal actions, action,
    reward, return and the agent. The folder holds shards, a manifest with their hashes, and a card."""

    agents: Positional[tuple[str, ...]] = ()
    """The players, such as rules, ppo:NAME or rollout:worlds=100; by default rules. One plays all seats; of
    several each takes each side of every deal once. NAME=AGENT gives one a name."""
    deals: int = 10_000
    """The number of deals that each line-up plays."""
    seed: int = 1
    """The seed of the deals and of the agents' random choices. No evaluation has these deals."""
    record: Path | None = None
    """A file of records, instead of games of agents: every deal is checked by replay. From a record of one
    seat only that seat's decisions are kept."""
    observation: str = "summary"
    """The encoding of the observations: summary, history, or rules, which includes the rule options."""
    shard: int = 16_384
    """The number of deals in a shard. An interrupted command loses at most one shard."""
    out: str
    """The folder for train, validation, test, dataset.json and README.md."""
    resume: bool = False
    """Continue a data set that the same options have begun."""

    def __post_init__(self):
        check_source(self, "record", (), PLAYED)
        check_bounds(self, BOUNDS)


def main(arguments: Sequence[str]) -> None:
    options = parse(DataOptions, arguments)
    folder = own_folder(options.out, "data", "--out")
    source, facts = _recorded(options) if options.record else _played(options)
    game, encoding = source.game, source.game.encoding(options.observation)
    head = head_of(game, encoding, facts.pop("policies"), **facts)
    with held_folder(folder, "data", "--out"), make_bar() as bar:
        writer = Writer.begin(folder, game, encoding, head, options.resume)
        task = bar.add_task("shards", total=source.shards, completed=writer.number)
        for rows in source.rows(options.observation, writer.number):
            writer.add(rows)
            bar.advance(task)
        if not writer.manifest["complete"]:
            writer.finish(card_of(writer.manifest, _command(options)))
    rows = writer.manifest["rows"]
    parts = ", ".join(f"{split} {number:,}" for split, number in rows.items())
    shards = counted(source.shards, "shard")
    print(f"{folder}: {sum(rows.values()):,} decisions of {game.env_id} in {shards} ({parts})")


def _played(options: DataOptions) -> tuple[PlayedSource, dict[str, Any]]:
    """The games of the options' agents, and what the manifest says of them."""
    game = options.game()
    game.check_start_states(options.start_states)
    texts = options.agents or ("rules",)
    players = named(texts)
    agents = make_agents(players, game)
    source = PlayedSource(game, agents, options.deals, options.seed, options.start_states, options.shard)
    facts = {
        "policies": [name for name, _ in players],
        "agents": [text for _, text in players],
        "line_ups": line_ups(game, len(agents)),
        "deals": options.deals,
        "seed": options.seed,
        "start_states": options.start_states,
        "shard": options.shard,
        **result_hashes(game, [text for _, text in players]),
    }
    return source, facts


def _recorded(options: DataOptions) -> tuple[RecordedSource, dict[str, Any]]:
    """The deals of the options' record, and what the manifest says of them."""
    assert options.record is not None
    if not options.record.is_file():
        raise InputError(f"record: got {options.record}; expected a file of records")
    source = RecordedSource.of(options.record, options.shard)
    facts = {
        "policies": source.names,
        "record": {"file": options.record.name, "sha256": source.digest},
        "deals": source.deals,
        "shard": options.shard,
        **result_hashes(source.game),
    }
    return source, facts


def _command(options: DataOptions) -> str:
    """The command that makes the same data set again."""
    return f"{command_line('data', options, ('out', 'resume'))} {shlex.join(['--out', ANOTHER])}"
