"""The front door: the games with their rules, levels and exercises, and tables that are opened there."""

import asyncio
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from typing import get_type_hints

from stichwerk.agents.core.agent import AgentError
from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import MAXIMUM, PRESETS, Options, value_words
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import spoken, tr, trc
from stichwerk.table.cold import is_warm
from stichwerk.table.compiling import Needs, NotCompiled, compile_apart
from stichwerk.table.opponents import LEVELS, agent_of_level, default_opponent, seat_names
from stichwerk.table.positions.exercises import exercise_of, exercises_of
from stichwerk.table.positions.position import position_of
from stichwerk.table.protocol import Begin, BeginMessage, GameData, Lobby, LobbyMessage, OpenTable, OptionData
from stichwerk.table.serving.rooms import Rooms
from stichwerk.table.serving.worker import apart
from stichwerk.table.table import Table

SHOWN = 5  # cards of the picture of a game
MOST_ASKED = 50  # tables that a browser asks about


class Door:
    """The front door of a server.

    Args:
        rooms: its tables
    """

    def __init__(self, rooms: Rooms):
        self._rooms = rooms
        self._games: dict[str, list[GameData]] = {}  # by language
        self._warming: asyncio.Task[None] | None = None

    def lobby(self, asked: Lobby) -> LobbyMessage:
        """All that the front door shows."""
        tables = [each for secret in asked.tables[:MOST_ASKED] for each in self._table(secret)]
        return {"type": "lobby", "games": self.games(), "levels": list(LEVELS), "tables": tables}

    def games(self) -> list[GameData]:
        language = spoken().code
        if language not in self._games:
            self._games[language] = [_game_data(game) for game in _games()]
        return self._games[language]

    def _table(self, secret: str) -> Iterator[OpenTable]:
        """A table that is open, as the page lists it."""
        if found := self._rooms.find(secret):
            table, seat = found[0].table, found[1]
            yield {
                "secret": secret,
                "title": tr(table.game.title),
                "names": list(table.names),
                "seat": seat,
                "deals": table.deals_played,
                "total": float(table.totals[seat]) if seat >= 0 else 0.0,
            }

    def warm_up(self) -> None:
        """Compile the games that are not compiled yet one by one, while nothing else is to be done."""
        if self._rooms.warms_up and self._warming is None:
            self._warming = asyncio.create_task(self._warm_all())

    async def _warm_all(self) -> None:
        for data in self.games():
            if not is_warm(data["env"]):
                game = make_game(data["env"])
                await compile_apart(game, Needs([default_opponent(game)], study=True, review=True), idle=True)

    async def begin(self, asked: Begin) -> BeginMessage:
        """Open a table, after its game is compiled; InputError if there is no such one."""
        try:
            table = await apart(self._made, asked)
        except NotCompiled:
            game = self._game_of(asked)
            await compile_apart(game, Needs([agent_of_level(asked.level, game)]))
            table = await apart(self._made, asked, compiles=True)
        self._rooms.open_at_door(table)
        return {"type": "begin", "links": [f"/table/{secret}" for secret in table.secrets.values()]}

    @staticmethod
    def _game_of(asked: Begin) -> Game:
        rules = {"preset": asked.preset, **asked.rules} if asked.preset else asked.rules
        return make_game(asked.env, rules)

    def _made(self, asked: Begin) -> Table:
        if asked.env not in GAMES:
            raise InputError(f"env: got {quoted(asked.env)}; expected one of {', '.join(GAMES)}")
        game = self._game_of(asked)
        start = position_of(game, exercise_of(game, asked.exercise)) if asked.exercise else None
        game = start.game if start else game
        if asked.people > game.seats:
            raise InputError(f"people: got {asked.people}; expected 1 to {game.seats}")
        own = {start.person} if start else set(range(asked.people))
        agent = agent_of_level(asked.level, game)
        seats = [None if seat in own else agent for seat in range(game.seats)]
        names = seat_names(seats, asked.level, random.Random())
        table = Table(game, seats, "match" if asked.match and not start else "deal", names=names, start=start)
        for seat in table.secrets:
            table.message(seat)  # compiles what that takes
        return table


def _games() -> Iterator[Game]:
    """All games that are registered; one whose package is broken is left out."""
    for env_id in GAMES:
        with suppress(InputError, AgentError, ImportError):
            yield make_game(env_id)


def _game_data(game: Game) -> GameData:
    rules = type(game.rules)
    options = list(_options(rules, game.rules))
    players = next((option["values"] for option in options if option["name"] == "players"), None)
    whole = " ".join(game.rules_text().split())
    # Its first sentence, without the order of the cards.
    about = re.split(r", (?:from the )?highest |[:.] ", whole, maxsplit=1)[0]
    exercises = exercises_of(game) if game.spec.exercises else ()
    step, first = max(1, len(game.pack) // SHOWN), len(game.env_id) % 4
    cards = game.pack.names[first::step][:SHOWN]
    return {
        "env": game.env_id,
        "title": tr(game.title),
        "about": about,
        "seats": list(players or [game.seats]),
        "presets": [
            {
                "name": name,
                "words": trc(PRESETS, name),
                "source": tr(rules.PRESET_SOURCES.get(name, {}).get("", "")),
            }
            for name in rules.PRESETS
        ],
        "options": options,
        "exercises": [tr(each.title) for each in exercises],
        "cards": list(cards),
    }


def _options(rules: type[Options], values: Options) -> Iterator[OptionData]:
    """The options that a form can have: truth values, whole numbers, and those of a few values."""
    hints = get_type_hints(rules)
    for field in fields(rules):
        hint = hints[field.name]
        allowed = [False, True] if hint is bool else list(rules.values(field.name)) or None
        if not allowed and hint is not int:
            continue
        meaning = tr(field.metadata.get("meaning", ""))
        yield {
            "name": field.name,
            "meaning": meaning,
            "values": allowed,
            "words": [value_words(field.name, value) for value in allowed or ()],
            "bounds": [field.metadata.get("minimum", 0), MAXIMUM],
            "default": getattr(values, field.name),
        }
