"""Records as a text for people, which reads back: tags, hands, then one line a trick.

    [game schnapsen_v0]
    [rules {claims: auto}]
    [players ["rules", "me"]]
    [dealer player_0]
    [match {score: [0, 0]}]
    [deck hA sT …]
    ; player_1  ♥A ♠T …
    1. player_1 play hA; player_0 play hT
    2. player_1 close, meld s, play sK; player_0 play sA
    [points +1 -1]

`rules` has the options that differ from the default preset. Lines with a semicolon before them are not read:
they show the hands after dealing, and the values of actions, where there are any. In a record of one seat
(`[seat player_0]`) the cards and actions that it does not know are drawn at random. Such actions have a
question mark. Thinking times and values are kept in JSON Lines only (`jsonl.py`).

A deal in one line has the same lines one after another, with " | " between them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

from stichwerk.envs.core.cards import pretty
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.jsonl import FORMAT, read_events
from stichwerk.envs.records.replay import RecordReplay, Shown, hidden_moves
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import BACK, Scene
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.escape import json_line
from stichwerk.support.parsing import parse_yaml, yaml_line

TAG = re.compile(r"\[(\w+) (.*)\]")
UNKNOWN = "?"
BETWEEN = " | "  # the lines of a deal in one line
LINE = re.compile(r"\d+\. (.+)")
TAGS = ("game", "rules", "players", "number", "seat", "dealer", "match", "deck", "points")


def write_deal(game: Game, deal: DealRecord) -> str:
    """The text of a deal, which is played again for it; InputError if that fails."""
    return write_seen(game, deal, RecordReplay(game).seen(deal))


def write_line(game: Game, deal: DealRecord) -> str:
    """A deal in one line, without names and numbers; InputError if it cannot be played again."""
    text = write_deal(game, replace(deal, players=(), number=None))
    return BETWEEN.join(line for line in text.splitlines() if not line.startswith(";"))


def write_seen(game: Game, deal: DealRecord, seen: Sequence[Shown]) -> str:
    """The text of a deal that has been played again: `seen` is what `RecordReplay.seen` has returned."""
    scenes = [game.scene(*shown) for shown in seen]
    default = make_game(game.env_id).rules.as_dict()
    rules = {name: value for name, value in game.rules.as_dict().items() if value != default[name]}
    tags = {
        "game": game.env_id,
        "rules": yaml_line(rules, allow_unicode=True) if rules else "",
        "players": json_line(list(deal.players)) if deal.players else "",
        "number": "" if deal.number is None else str(deal.number),
        "seat": "" if deal.seat is None else f"player_{deal.seat}",
        "dealer": f"player_{deal.dealer}",
        "match": yaml_line(dict(deal.match), allow_unicode=True) if deal.match else "",
        "deck": " ".join(deal.deck),
    }
    lines = [f"[{name} {value}]" for name, value in tags.items() if value]
    lines += [f"; {line}" for line in cards_in(scenes[0])]
    hidden = hidden_moves(game, deal, seen)
    words = [f"{move.action}{UNKNOWN if number in hidden else ''}" for number, move in enumerate(deal.moves)]
    for number, (start, end) in _tricks(deal.moves, scenes):
        lines.append(f"{number}. {_moves(deal.moves[start:end], words[start:end])}")
        judged = [place for place in range(start, end) if deal.moves[place].values]
        lines += [f"; move {place + 1}, {values_in(deal.moves[place])}" for place in judged]
    if deal.points is not None:
        lines.append(f"[points {' '.join(map(_number, deal.points))}]")
    return "".join(f"{line}\n" for line in lines)


def cards_in(scene: Scene) -> Iterator[str]:
    """The hands and piles of a scene, in lines."""
    for hand in sorted(scene.hands, key=lambda hand: hand.seat):
        yield f"player_{hand.seat}  {_faces(hand.cards)}"
    for pile in scene.piles:
        yield f"{pile.label}  {_faces(pile.cards)}"


def values_in(move: Move) -> str:
    """A move with the values of the actions that were possible, the highest first; empty without values."""
    values = ", ".join(" ".join(each) for each in ranked(move))
    return f"{move.in_words}: {values}" if values else ""


def ranked(move: Move) -> list[tuple[str, str]]:
    """The actions that were possible, each with its value in words, the highest first."""
    values = sorted((move.values or {}).items(), key=lambda each: -each[1])
    return [(action, f"{value:+.2f}") for action, value in values]


def _faces(cards: Iterable[str]) -> str:
    return " ".join("?" if card == BACK else pretty(card) for card in cards)


def _tricks(moves: Sequence[Move], scenes: Sequence[Scene]) -> Iterator[tuple[int, tuple[int, int]]]:
    """The number of each line, with its first move and the one after its last.

    Line 0 has what comes before the first trick, then each trick has a line. A trick begins with what its
    leader does before the card, such as a marriage.
    """
    empty = [all(hand.played is None for hand in scene.hands) for scene in scenes]
    starts = [i for i in range(1, len(moves)) if empty[i] and not empty[i - 1]]
    opening = next((i for i in range(len(moves)) if empty[i] and not empty[i + 1]), len(moves))
    while opening > 0 and opening < len(moves) and moves[opening - 1].seat == moves[opening].seat:
        opening -= 1
    cuts = sorted({0, opening, *starts, len(moves)})
    first = 0 if opening else 1
    yield from enumerate(pairwise(cuts), start=first)


def _moves(moves: Iterable[Move], words: Iterable[str]) -> str:
    turns = groupby(zip(moves, words, strict=True), key=lambda pair: pair[0].seat)
    return "; ".join(f"player_{seat} {', '.join(word for _, word in turn)}" for seat, turn in turns)


def _number(points: float) -> str:
    """As it reads back, with its sign and without needless digits."""
    return f"{points:+.0f}" if points == int(points) else f"{points:+}"


def read_deals(text: str) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a text, or the deal of one line. Only the form is checked here, and the play by
    `RecordReplay.check`.

    Raises:
        InputError: a line is none of a record, naming its number.
    """
    tags: dict[str, str] = {}
    moves: list[str] = []
    lines = text.splitlines()
    if len(lines) == 1:
        lines = lines[0].split(BETWEEN)
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        tag = TAG.fullmatch(line)
        if tag and tag[1] == "game" and tags:
            yield _deal(tags, moves)
            tags, moves = {}, []
        if tag and tag[1] in TAGS and tag[1] not in tags:
            tags[tag[1]] = tag[2]
        elif played := LINE.fullmatch(line):
            moves.append(played[1])
        elif line and not line.startswith(";"):
            expected = "one of " + ", ".join(f"[{name} …]" for name in TAGS if name not in tags)
            raise InputError(
                f"line {number}: got {quoted(line)}; expected `1. player_0 ACTION` or {expected}"
            )
    if tags or moves:
        yield _deal(tags, moves)


def _deal(tags: Mapping[str, str], lines: Iterable[str]) -> tuple[Game, DealRecord]:
    """The deal of some tags and lines of moves."""
    if missing := {"game", "dealer", "deck"} - tags.keys():
        raise InputError(f"got a deal without [{min(missing)} …]; expected [game …], [dealer …] and [deck …]")
    about: dict[str, Any] = {
        "dealer": _seat(tags["dealer"]),
        "match": parse_yaml(tags.get("match", "")) or {},
        "deck": tags["deck"].split(),
    }
    if "players" in tags:
        about["players"] = parse_yaml(tags["players"])
    if "number" in tags:
        about["number"] = parse_yaml(tags["number"])
    if "seat" in tags:
        about["seat"] = _seat(tags["seat"])
    events = [
        {"event": "game", "format": FORMAT, "env": tags["game"], "rules": parse_yaml(tags.get("rules", ""))},
        {"event": "deal", **about},
        *({"event": "move", "seat": seat, "action": action} for seat, action in _read_moves(lines)),
    ]
    if "points" in tags:
        events.append({"event": "result", "points": [_read_number(word) for word in tags["points"].split()]})
    ((game, deal),) = read_events(events)
    return game, deal


def _read_moves(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        for turn in line.split(";"):
            player, _, actions = turn.strip().partition(" ")
            for action in actions.split(","):
                yield _seat(player), action.strip().removesuffix(UNKNOWN)


def _seat(word: str) -> int:
    number = word.removeprefix("player_")
    if number == word or not number.isdecimal() or len(number) > 2:
        raise InputError(f"got {quoted(word)}; expected a seat such as player_0")
    return int(number)


def _read_number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"points: got {quoted(word)}; expected a number") from None
