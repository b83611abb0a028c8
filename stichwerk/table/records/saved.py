"""Tables as JSON, so that another process can continue them: the same links, cards and choices of agents.

A saved table holds the seed of its deals, and so all cards to come: it is for the server alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stichwerk.envs.deal import read_record
from stichwerk.envs.games import make_game
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.table.positions.exercises import exercise_of, exercises_of
from stichwerk.table.positions.position import Position, position_in
from stichwerk.table.table import Table

FORMAT = 1


def saved(table: Table) -> dict[str, Any] | None:
    """A table as values that JSON can hold; None if an agent has no text, as the network of a training."""
    if not all(who is None or isinstance(who, str) for who in table.seats):
        return None
    game = table.game
    return {
        "format": FORMAT,
        "env": game.address or game.env_id,
        "rules": game.rules.as_dict(),
        "seats": list(table.seats),
        "names": list(table.names),
        "episode": table.episode,
        "seed": table.seed,
        "start": table.start and _start_data(table.start),
        "secrets": [[seat, secret] for seat, secret in table.secrets.items()],
        "actions": [str(game.actions[action]) for action in table.played],
        "is_over": table.result is not None,
        "ready": sorted(table.ready),
        "covered": sorted(table.covered),
        "version": table.version,
        "chance": {str(seat): agent.random.bit_generator.state for seat, agent in table.agents.items()},
    }


def restored(content: Mapping[str, Any]) -> Table:
    """The table that was saved so.

    Raises:
        InputError: no play of this version leads there.
    """
    try:
        return _restored(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"table: got one that is damaged ({error}); expected a saved one") from None


def _restored(content: Mapping[str, Any]) -> Table:
    if content["format"] != FORMAT:
        raise InputError(f"table: got format {content['format']}; expected {FORMAT}")
    game = make_game(content["env"], content["rules"])
    start = content["start"] and _start(game, content["start"])
    table = Table(game, content["seats"], content["episode"], content["seed"], content["names"], start)
    unknown = [name for name in content["actions"] if name not in game.action_index]
    if unknown:
        raise InputError(f"table: got the action {unknown[0]}; expected one of {game.env_id}")
    table.play_again([game.action_index[name] for name in content["actions"]], content["is_over"])
    table.secrets = dict(content["secrets"])
    table.ready = set(content["ready"])
    for seat in content.get("covered", ()):
        table.cover(seat)
    table.version = content["version"]
    for seat, state in content["chance"].items():
        table.agents[int(seat)].random.bit_generator.state = state
    return table


def _start_data(start: Position) -> dict[str, Any]:
    """A start position: its deal with the move that was played there, if that is known."""
    moves = start.deal.moves
    deal = replace(start.deal, moves=(*moves, start.before)) if start.before else start.deal
    own = exercises_of(start.game)
    return {
        "text": write_records(start.game, [deal]),
        "step": len(moves),
        "exercise": own.index(start.exercise) + 1 if start.exercise else None,
    }


def _start(game: Game, content: Mapping[str, Any]) -> Position:
    _, deal = read_record(content["text"])
    number = content["exercise"]
    start = position_in(game, deal, content["step"])
    return replace(start, exercise=exercise_of(game, number)) if number else start
