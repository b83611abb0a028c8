"""Records as JSON Lines: one event a line.

    {"event": "game", "format": 1, "env": "schnapsen_v0", "rules": {"claims": "free", …}}
    {"event": "deal", "dealer": 0, "match": {"score": [0, 0]}, "deck": ["sA", …], "players": ["rules", "me"]}
    {"event": "move", "seat": 1, "action": "play hA", "seconds": 0.2, "values": {"play hA": 0.7, …}}
    {"event": "result", "points": [-1.0, 1.0]}

A `game` stands before its deals, and one file may have several. A deal without a result goes on. What is not
known is left out: `players`, `number` and `seat` of a deal, `seconds` and `values` of a move. In a file of
one seat's deals (`seat`) the cards that this seat did not know are drawn at random.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord, Move, check_players
from stichwerk.envs.spec.game import Game
from stichwerk.support.check import check_whole, is_number
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import read_json

FORMAT = 1
LONGEST_LINE = 100_000  # characters
MOST = 1e12  # of points, values and seconds
FIELDS = {  # of each event: those that it must have, and those that it may have
    "game": ({"format", "env", "rules"}, set()),
    "deal": ({"dealer", "match", "deck"}, {"players", "number", "seat"}),
    "move": ({"seat", "action"}, {"seconds", "values"}),
    "result": ({"points"}, set()),
}


def game_line(game: Game) -> str:
    """The line of a game, before its deals."""
    return _line("game", format=FORMAT, env=game.env_id, rules=game.rules.as_dict())


def deal_lines(deal: DealRecord) -> Iterator[str]:
    """The lines of a deal, each without its end."""
    about = {"players": list(deal.players) or None, "number": deal.number, "seat": deal.seat}
    yield _line("deal", dealer=deal.dealer, match=deal.match, deck=list(deal.deck), **_known(about))
    for move in deal.moves:
        more = {"seconds": move.seconds, "values": None if move.values is None else dict(move.values)}
        yield _line("move", seat=move.seat, action=move.action, **_known(more))
    if deal.points is not None:
        yield _line("result", points=list(deal.points))


def write_records(game: Game, deals: Iterable[DealRecord]) -> str:
    """Deals of one game as the text of a file."""
    lines = [game_line(game), *(line for deal in deals for line in deal_lines(deal))]
    return "".join(f"{line}\n" for line in lines)


def _line(event: str, **values: Any) -> str:
    line = json.dumps({"event": event, **values}, ensure_ascii=False)
    _check_length(line, f"{event}: ")
    return line


def _check_length(line: str, where: str = "") -> None:
    if len(line) > LONGEST_LINE:
        raise InputError(f"{where}got {len(line):,} characters; expected at most {LONGEST_LINE:,}")


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def read_records(lines: Iterable[str]) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a file with their games. The form is checked here, and the play by `RecordReplay.check`.

    Args:
        lines: of the file; empty ones are passed over

    Raises:
        InputError: a line is no such event, naming its number.
    """
    number = 0

    def events() -> Iterator[Any]:
        nonlocal number
        for line in lines:
            number += 1
            _check_length(line.removesuffix("\n"))
            if line.strip():
                yield read_json(line)

    try:
        yield from read_events(events())
    except InputError as error:
        raise InputError(f"line {number}: {error}") from None


def read_events(events: Iterable[Any], game: Game | None = None) -> Iterator[tuple[Game, DealRecord]]:
    """Read deals from the values of the lines of a file; InputError for one that is no event in its place.

    Args:
        events: of a file
        game: that of the deals before which none stands
    """
    deal: DealRecord | None = None
    for each in events:
        kind, values = _checked(each)
        if kind == "game":
            if game and deal:
                yield game, deal
            game, deal = _game(values), None
        elif kind == "deal" and game:
            if deal:
                yield game, deal
            deal = _deal(values, game)
        elif game and deal and deal.points is None:
            deal = _with(deal, kind, values, game)
        else:
            raise InputError(f"got a {kind}; expected a {'game' if kind == 'deal' else 'deal'} before it")
    if game and deal:
        yield game, deal


def _checked(event: Any) -> tuple[str, dict[str, Any]]:
    """The kind of an event and its values; InputError unless it has the right ones."""
    kind = event.get("event") if isinstance(event, dict) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        raise InputError(f"got {quoted(event)}; expected an event, one of {', '.join(FIELDS)}")
    needed, possible = FIELDS[kind]
    values = {name: value for name, value in event.items() if name != "event"}
    if not needed <= values.keys() <= needed | possible:
        given, perhaps = (", ".join(sorted(names)) for names in (values, possible))
        may = f", and perhaps {perhaps}" if perhaps else ""
        raise InputError(
            f"{kind}: got {quoted(given) if given else 'nothing'}; expected {', '.join(sorted(needed))}{may}"
        )
    return kind, values


def _game(event: dict[str, Any]) -> Game:
    if event["format"] != FORMAT or isinstance(event["format"], bool):
        raise InputError(f"format: got {quoted(event['format'])}; expected {FORMAT}")
    if not isinstance(event["env"], str) or ":" in event["env"]:  # MODULE:ID would import a module
        raise InputError(f"env: got {quoted(event['env'])}; expected an environment id")
    return make_game(event["env"], event["rules"])


def _deal(event: dict[str, Any], game: Game) -> DealRecord:
    deck, match = event["deck"], event["match"]
    if not isinstance(deck, list) or not all(isinstance(card, str) for card in deck):
        raise InputError(f"deck: got {quoted(deck)}; expected {len(game.deck)} cards")
    if not isinstance(match, Mapping):
        raise InputError(f"match: got {quoted(match)}; expected a mapping")
    players = check_players(game, event.get("players", []))
    number = None if event.get("number") is None else check_whole("number", event["number"], 0)
    seat = None if event.get("seat") is None else _seat(event["seat"], game)
    return DealRecord(
        _seat(event["dealer"], game), tuple(deck), match, players=players, number=number, seat=seat
    )


def _with(deal: DealRecord, kind: str, event: dict[str, Any], game: Game) -> DealRecord:
    """The deal with one more move, or its result."""
    if kind == "move":
        most = game.spec.state.field("log_size").kind.high
        if len(deal.moves) >= most:
            raise InputError(f"got move {len(deal.moves) + 1}; expected at most {most} in a deal")
        return replace(deal, moves=(*deal.moves, _move(event, game)))
    points = event["points"]
    if not isinstance(points, list) or len(points) != game.seats or not _are_numbers(points):
        raise InputError(f"points: got {quoted(points)}; expected {game.seats} numbers")
    return replace(deal, points=tuple(map(float, points)))


def _move(event: dict[str, Any], game: Game) -> Move:
    action, seconds, values = event["action"], event.get("seconds"), event.get("values")
    if not isinstance(action, str) or action not in game.action_index:
        raise InputError(f"action: got {quoted(action)}; expected an action of {game.env_id}")
    if seconds is not None and (not is_number(seconds, MOST) or seconds < 0):
        raise InputError(f"seconds: got {quoted(seconds)}; expected a number from 0")
    if values is not None and not (
        isinstance(values, Mapping)
        and values.keys() <= game.action_index.keys()
        and _are_numbers(values.values())
    ):
        raise InputError(f"values: got {quoted(values)}; expected numbers by action")
    return Move(_seat(event["seat"], game), action, seconds, values)


def _seat(value: Any, game: Game) -> int:
    if type(value) is not int or not 0 <= value < game.seats:
        raise InputError(f"seat: got {quoted(value)}; expected 0 to {game.seats - 1}")
    return value


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(is_number(value, MOST) for value in values)
