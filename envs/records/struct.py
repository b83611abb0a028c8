"""A deal as JSON with named fields, for web pages, language models and other programs.

`deal.schema.json` beside this file is its JSON Schema. A struct of all cards reads back; one of a seat holds
what the seat knows, and no deck.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import FORMAT, read_events
from stichwerk.envs.records.replay import RecordReplay, hidden_moves
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_json

SCHEMA = "deal.schema.json"
NEEDED = "format", "env", "rules", "dealer", "match", "deck", "moves"
KNOWN = ("players", "number")  # of a record, where they are known


def schema() -> dict[str, Any]:
    """The JSON Schema of a struct."""
    return read_json(files(__package__).joinpath(SCHEMA).read_text(encoding="utf-8"))


def to_struct(game: Game, record: DealRecord, seat: int | None = None) -> dict[str, Any]:
    """The deal as plain values, after its last move.

    Args:
        game: of the deal
        record: of all cards
        seat: who may see the struct; None: it has all cards

    Raises:
        InputError: the record cannot be played again.
    """
    replay = RecordReplay(game)
    states = [*replay.states(record)]
    state = states[-1]
    view, known = (
        (state, record) if seat is None else (replay.view(state, seat), replay.for_seat(record, seat))
    )
    hidden = set() if seat is None else hidden_moves(game, known, replay.seen(known))
    scene = game.scene(view, SPECTATOR if seat is None else seat)
    over = bool(state[0].over)
    to_act = None if over else int(state[0].seat)
    struct: dict[str, Any] = {
        "format": FORMAT,
        "env": game.env_id,
        "rules": game.rules.as_dict(),
        "seat": seat,
        "dealer": record.dealer,
        "match": dict(record.match),
        "moves": [
            {"seat": move.seat, "action": None if number in hidden else move.action}
            for number, move in enumerate(record.moves)
        ],
        "to_act": to_act,
        "legal_actions": replay.legal(state) if seat in (None, to_act) else [],
        "over": over,
        "points": None if record.points is None else list(record.points),
        "table": {
            "hands": [
                {
                    "seat": int(hand.seat),
                    "cards": [card or None for card in hand.cards],
                    "played": hand.played,
                    "won": int(hand.won),
                    "notes": [*hand.notes],
                }
                for hand in scene.hands
            ],
            "piles": [
                {"label": pile.label, "cards": [card or None for card in pile.cards]} for pile in scene.piles
            ],
        },
        "text": game.text(view, SPECTATOR if seat is None else seat),
    }
    if seat is None:
        struct["deck"] = list(record.deck)
    if record.players:
        struct["players"] = list(record.players)
    return struct


def from_struct(struct: Any) -> tuple[Game, DealRecord]:
    """The deal of a struct that has all cards; what is not in a record, such as the table, is passed over.

    Raises:
        InputError: it is no such struct, or no play leads there.
    """
    if not isinstance(struct, Mapping):
        raise InputError(f"struct: got {quoted(struct)}; expected a deal as `to_struct` gives it")
    if missing := [name for name in NEEDED if name not in struct]:
        raise InputError(f"struct: got no {missing[0]}; expected one: a struct of a seat has no deck")
    moves = struct["moves"]
    if not isinstance(moves, list) or not all(isinstance(move, Mapping) for move in moves):
        raise InputError(f"moves: got {quoted(moves)}; expected a list of seats and actions")
    names = ("dealer", "match", "deck", *(name for name in KNOWN if struct.get(name) is not None))
    events = [
        {"event": "game", **{name: struct[name] for name in ("format", "env", "rules")}},
        {"event": "deal", **{name: struct[name] for name in names}},
        *({"event": "move", "seat": move.get("seat"), "action": move.get("action")} for move in moves),
    ]
    if struct.get("points") is not None:
        events.append({"event": "result", "points": struct["points"]})
    ((game, record),) = read_events(events)
    RecordReplay(game).check(record)
    return game, record
