"""The engine protocol: messages between a host and a program that plays, one JSON object a line.

    host    {"event": "game", "protocol": 1, "env": "schnapsen_v0", "rules": {…}, "actions": […], …}
    engine  {"event": "ready", "protocol": 1, "name": "my bot", "wants": ["table"]}
    host    {"event": "act", "id": 1, "seat": 0, "moves": [[1, "play hT"]], "legal": ["play hA", …], …}
    engine  {"event": "move", "id": 1, "action": "play hA"}
    host    {"event": "end"}

Each request holds the whole deal as the seat to act knows it. So an engine needs no memory, plays any number
of deals side by side, and can be started again in the middle of one.
`docs/howto/engines.md` describes each message, `engine.schema.json` beside this file as a JSON Schema.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import deck_of, moves_of
from stichwerk.envs.records.jsonl import read_events
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import BACK
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_json, read_text

PROTOCOL = 1
LONGEST_LINE = 1_000_000  # bytes
TABLE, OBSERVATION, SAMPLE = WANTS = ("table", "observation", "sample")
"""The parts of a request that an engine may want: the table as it is drawn, the `summary` observation, and
one random deal. The deal agrees with all that the seat knows."""


class Request(NamedTuple):
    """A decision that an engine is asked for.

    Attributes:
        number: its id
        seat: who is to act
        view: what this seat knows, an array of one record
        mask: the legal actions, int8[actions]
    """

    number: int
    seat: int
    view: np.ndarray
    mask: np.ndarray


def schema() -> dict[str, Any]:
    """The JSON Schema of a message."""
    return read_json(read_text(Path(__file__).with_name("engine.schema.json")))


def to_line(event: str, **values: Any) -> bytes:
    """A message as a line."""
    return json.dumps({"event": event, **values}, ensure_ascii=False, default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    """Plain values for other contents of messages: parts of a scene, and NumPy's whole numbers."""
    return vars(value) if is_dataclass(value) else int(value)


def read_line(line: bytes) -> dict[str, Any]:
    """The message of a line; InputError if it holds none."""
    try:
        if len(line) > LONGEST_LINE:
            raise InputError(f"a line of more than {LONGEST_LINE:,} bytes")
        message = read_json(line.decode())
    except (InputError, UnicodeDecodeError) as error:
        fault = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        given = quoted(line.decode(errors="replace").strip())
        raise InputError(f"got {given}, {fault}; expected a message") from None
    if not isinstance(message, dict) or not isinstance(message.get("event"), str):
        raise InputError(f"got {quoted(message)}; expected a message with its event")
    return message


# The host's side


def read_answer(line: bytes) -> dict[str, Any]:
    """The message of a line from an engine; InputError if it holds none, or an error."""
    message = read_line(line)
    if message["event"] == "error":
        raise InputError(f"says {quoted(message.get('text'))}")
    return message


def game_line(game: Game, seed: int) -> bytes:
    """The first message: the game, its rules, and a seed for the engine's chance."""
    return to_line(
        "game",
        protocol=PROTOCOL,
        env=game.env_id,
        rules=game.rules.as_dict(),
        sides=list(game.sides),
        deck=list(game.deck),
        actions=list(game.actions),
        seed=seed,
    )


def read_ready(message: Mapping[str, Any]) -> frozenset[str]:
    """The parts of a request that an engine wants, from its answer to the game; InputError if it is none."""
    protocol, wants = message.get("protocol"), message.get("wants", [TABLE])
    if message["event"] != "ready":
        raise InputError(f"got {quoted(dict(message))}; expected the event ready")
    if protocol != PROTOCOL or isinstance(protocol, bool):
        raise InputError(f"protocol: got {quoted(protocol)}; expected {PROTOCOL}")
    if not isinstance(wants, list) or not all(want in WANTS for want in wants):
        raise InputError(f"wants: got {quoted(wants)}; expected some of {', '.join(WANTS)}")
    return frozenset(wants)


class Requests:
    """Writes the requests of one game."""

    def __init__(self, game: Game):
        self._game, self._replay = game, RecordReplay(game)

    def line(
        self, request: Request, ms: float, wants: Collection[str], observation: np.ndarray | None
    ) -> bytes:
        """A request as a line.

        Args:
            request: the decision
            ms: milliseconds for the answer
            wants: some of `WANTS`
            observation: float32[features]; None if the engine does not want it
        """
        number, seat, view, mask = request
        names, (record,) = self._game.actions, view
        scene = self._game.scene(view, seat)
        more: dict[str, Any] = {}
        if TABLE in wants:
            more[TABLE] = scene
        if observation is not None:
            more[OBSERVATION] = observation.tolist()
        if SAMPLE in wants:
            drawn = self._replay.drawn(view, seat)
            moves = [[move.seat, move.action] for move in moves_of(self._game, drawn[0])]
            more[SAMPLE] = {"deck": list(deck_of(self._game, drawn[0])), "moves": moves}
        return to_line(
            "act",
            id=number,
            seat=seat,
            dealer=int(record.dealer),
            episode="match" if record.match else "deal",
            deals_done=int(record.deals_done),
            match=dict(self._game.match_of(record)),
            hand=[card for hand in scene.hands if hand.seat == seat for card in hand.cards if card != BACK],
            moves=[[who, None if action == NONE else names[action]] for who, action in log_entries(record)],
            legal=[names[action] for action in np.flatnonzero(mask)],
            ms=ms,
            **more,
        )


def read_move(message: Mapping[str, Any]) -> tuple[int, str]:
    """The number of the request and the action's name in an engine's answer; InputError if it is none."""
    number, action = message.get("id"), message.get("action")
    if message["event"] != "move" or type(number) is not int or not isinstance(action, str):
        raise InputError(f"got {quoted(dict(message))}; expected the event move with its id and action")
    return number, action


# The engine's side


def read_game(message: Mapping[str, Any]) -> tuple[Game, int]:
    """The game and the seed of the first message; InputError if it is none."""
    env, rules, seed = message.get("env"), message.get("rules"), message.get("seed", 0)
    if message["event"] != "game" or message.get("protocol") != PROTOCOL:
        raise InputError(f"got {quoted(dict(message))}; expected the event game of protocol {PROTOCOL}")
    if not isinstance(env, str) or ":" in env or not isinstance(rules, dict):  # MODULE:ID imports a module
        raise InputError(
            f"got env {quoted(env)} under {quoted(rules)}; expected an environment id and its rules"
        )
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise InputError(f"seed: got {quoted(seed)}; expected a whole number from 0 to {2**64 - 1}")
    return make_game(env, rules), seed


def read_request(message: Mapping[str, Any], replay: RecordReplay) -> Request:
    """The decision that a message with a sample asks for; InputError if no play leads there."""
    number, seat, sample = message.get("id"), message.get("seat"), message.get(SAMPLE)
    if message["event"] != "act" or type(number) is not int or not isinstance(sample, dict):
        raise InputError(f"got {quoted(dict(message))}; expected the event act with its id and a sample")
    moves = sample.get("moves")
    if not isinstance(moves, list) or not all(isinstance(move, list) and len(move) == 2 for move in moves):
        raise InputError(f"moves: got {quoted(moves)}; expected pairs of a seat and an action")
    about = {"dealer": message.get("dealer"), "match": message.get("match"), "deck": sample.get("deck")}
    played = ({"event": "move", "seat": who, "action": action} for who, action in moves)
    ((_, deal),) = read_events([{"event": "deal", "seat": seat, **about}, *played], replay.game)
    states = replay.check(deal)
    if deal.seat is None or states[0].over or states[0].seat != deal.seat:
        raise InputError(f"seat: got {quoted(seat)}; expected the one to act, {states[0].seat}")
    episode, deals_done = message.get("episode", "deal"), message.get("deals_done", 0)
    _, most = replay.game.spec.state.field("deals_done").kind.range(replay.game.seats)
    if episode not in ("deal", "match") or type(deals_done) is not int or not 0 <= deals_done <= most:
        given = f"{quoted(episode)} after {quoted(deals_done)} deals"
        raise InputError(f"episode: got {given}; expected deal or match after at most {most:,}")
    states["match"], states["deals_done"] = episode == "match", deals_done
    return Request(number, deal.seat, *replay.seen_by(states, deal.seat))
