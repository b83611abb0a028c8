# ruff: noqa: UP013 - a kind of message in a line
"""The protocol of a table: requests with their fields, rights and needs, and messages.

Both are JSON objects. `type` is the kind of a request or message, the other keys are its fields. A request is
a class here and a method in `serving/answers.py`. `docs/generate.py` makes `page/protocol.js` of this module.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from inspect import cleandoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypedDict,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import mark
from stichwerk.table.compiling import Needs
from stichwerk.table.opponents import default_opponent

NO_SEAT, TOO_MANY_PAGES = 4004, 4029
"""Codes with which a connection is closed: its link opens no seat, or the seat has too many pages."""
SAME = "same"
"""In place of an agent: those of the present table."""
MEANING = mark("* is the choice; % without sign: its probability; numbers: game points, or % to win a match.")
TOO_LARGE = mark("No exact values: the position is too large.")
MOST = 1_000_000
"""Counts in a request are below it."""

# Rights

Role = Literal["alone", "together", "spectator", "door"]
"""The part of somebody at a page: a person against agents, one with other people, a spectator, or at the
front door, where tables are opened."""
Rights: TypeAlias = tuple[Role, ...]
ALL: Rights = ("alone", "together", "spectator")
PEOPLE: Rights = ("alone", "together")
NO_OTHERS: Rights = ("alone", "spectator")
ALONE: Rights = ("alone",)
TOGETHER: Rights = ("together",)
SPECTATORS: Rights = ("spectator",)
DOOR: Rights = ("door",)

# Requests

REQUESTS: dict[str, type["Request"]] = {}
Count: TypeAlias = Annotated[int, 1]
Steps: TypeAlias = Annotated[int, 0]
"""A whole number from this one."""


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Request:
    """A request. The first line of a class's docstring is its help.

    Attributes:
        kind: its `type`
        rights: the roles that may ask
        posted: True if it comes by POST, as its text may be long
    """

    kind: ClassVar[str]
    rights: ClassVar[Rights]
    posted: ClassVar[bool]

    def __init_subclass__(cls, rights: Rights = ALL, posted: bool = False):
        cls.kind, cls.rights, cls.posted = cls.__name__.lower(), rights, posted
        REQUESTS[cls.kind] = dataclass(frozen=True)(cls)

    def needs(self, game: Game) -> Needs:
        """The agents and functions that are compiled before the answer."""
        return Needs()

    @classmethod
    def help(cls) -> str:
        return cleandoc(cls.__doc__ or "").partition("\n")[0]


class Act(Request, rights=PEOPLE):
    """Play an action by name, at the table of this version."""

    action: str
    version: int


class Next(Request, rights=PEOPLE):
    """Ask for the next deal, which begins when all people have asked."""


class Name(Request, rights=PEOPLE):
    """Change the name that others see."""

    name: str


class Cover(Request, rights=TOGETHER):
    """Let an agent play for a person who has left, until that one is back."""

    seat: int


class Undo(Request, rights=ALONE):
    """Take your last action back."""


class Hint(Request, rights=ALONE):
    """Show the action that the game's default agent would play."""

    def needs(self, game: Game) -> Needs:
        return Needs([default_opponent(game)], review=True)


class Study(Request, rights=NO_OTHERS):
    """Show how agents rate the actions.

    Without agents the answer lists those that can be asked. `move` is the number of an earlier move, from
    1; `all` allows exact values by all cards.
    """

    agents: list[str] | None = None
    move: int | None = None
    all: bool = False

    def needs(self, game: Game) -> Needs:
        return Needs(self.agents or (), study=True)


class Review(Request, rights=ALONE):
    """Show what your decisions cost, after a deal."""

    def needs(self, game: Game) -> Needs:
        return Needs(review=True)


class Again(Request, rights=ALONE):
    """Play on from a move that the review lists, at another table."""

    move: int


class Rules(Request):
    """Show the rules in short."""


class Record(Request):
    """Save the record of all deals at this table."""


class Position(Request, rights=NO_OTHERS):
    """Show the position as a line of text, to be opened again."""

    all: bool = False


class Exercise(Request, rights=NO_OTHERS):
    """Open a table at an exercise, by its number from 1."""

    number: int


class New(Request, rights=NO_OTHERS):
    """Open another table of this game, with an agent that is offered, or the same ones."""

    agent: str
    match: bool = False


class Replace(Request):
    """Replace an agent that does not answer."""

    agent: str


class Step(Request, rights=SPECTATORS):
    """Let the agents play one action, at the table of this version."""

    version: int


class Look(Request, rights=SPECTATORS):
    """Show the cards of a seat, or all cards."""

    seat: int | None


class Open(Request, rights=NO_OTHERS, posted=True):
    """Open a table at a position from outside.

    `text` is a record, a line or a snapshot, and `deal` the number of the deal in it. `step` is the number of
    moves before the position, as in `position_in`.
    """

    text: str
    deal: Count
    step: Steps | None = None


class Arrange(Open, rights=NO_OTHERS, posted=True):
    """Change a position by hand, as `arranged` has it, and show all that lies there."""

    change: dict[str, Any] | None = None


class Lobby(Request, rights=DOOR, posted=True):
    """List the games with their rules, levels and exercises, and those tables that are open.

    `tables` are the secrets of seats that the browser knows.
    """

    tables: list[str]


class Begin(Request, rights=DOOR, posted=True):
    """Open a table.

    `people` is the number of people, from the first seat on, and `level` that of the agents in the other
    seats. `rules` are options that differ from the preset. `exercise` is a number from 1; 0: none.
    """

    env: str
    preset: str
    rules: dict[str, Any]
    people: Count
    level: str
    match: bool
    exercise: Steps = 0


def allowed(role: Role, posted: bool = False) -> list[str]:
    """The kinds of requests that a role may send, over its socket or by POST."""
    return [kind for kind, each in REQUESTS.items() if role in each.rights and each.posted == posted]


def read_request(given: Mapping[str, Any], role: Role, posted: bool = False) -> Request:
    """Read and check a request.

    Args:
        given: a JSON object
        role: of the page that has sent it
        posted: True if it came by POST

    Raises:
        InputError: there is no such request, this role may not ask it, or a field is wrong.
    """
    kind = given.get("type")
    request = REQUESTS.get(kind) if isinstance(kind, str) else None
    if request is None or request.posted != posted:
        raise InputError(f"type: got {quoted(kind)}; expected one of {', '.join(allowed(role, posted))}")
    if role not in request.rights:
        raise InputError(f"{kind}: got it {_not_allowed(request, role)}")
    hints, known = get_type_hints(request, include_extras=True), {each.name: each for each in fields(request)}
    if unknown := given.keys() - known.keys() - {"type"}:
        expected = ", ".join(known) or "none"
        raise InputError(f"{kind}: got the field {quoted(min(unknown))}; expected {expected}")
    for name, field in known.items():
        if name in given:
            if wanted := _misfit(hints[name], given[name]):
                raise InputError(f"{name}: got {quoted(given[name])}; expected {wanted}")
        elif field.default is MISSING:
            raise InputError(f"{name}: got nothing; expected {_misfit(hints[name], object())}")
    return request(**{name: given[name] for name in known if name in given})


def _not_allowed(request: type[Request], role: Role) -> str:
    """The end of a refusal: the role that has asked, and who may."""
    if "door" in (role, *request.rights):
        return (
            "at the front door; expected a table" if role == "door" else "at a table; expected the front door"
        )
    if role == "together" and "alone" in request.rights:
        return "with other people at the table; expected agents alone"
    if role == "spectator":
        return "from a spectator; expected a person who plays"
    return "from a person who plays; expected a spectator"


WORDS = {str: "text", int: "a whole number", bool: "true or false", NoneType: "null"}


def _misfit(hint: Any, value: object) -> str:
    """The values of a type in words; empty if this is one of them."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        fits = type(value) is int and inside[1] <= value < MOST
        return "" if fits else f"a whole number from {inside[1]}"
    if origin in (Union, UnionType):
        faults = [_misfit(each, value) for each in inside]
        return "" if "" in faults else " or ".join(faults)
    if origin is list:
        fits = isinstance(value, list) and not any(_misfit(inside[0], each) for each in value)
        return "" if fits else "a list of texts"
    if origin is dict:
        return "" if isinstance(value, dict) else "an object"
    return "" if type(value) is hint else WORDS[hint]


# Messages: their parts first, such as a scene; then one line for each kind

Line = TypedDict("Line", {"label": str, "words": str, "kind": str})
Pile = TypedDict("Pile", {"label": str, "cards": list[str]})
Hand = TypedDict(
    "Hand",
    {"seat": int, "cards": list[str], "notes": list[str], "points": str, "played": str | None, "won": int},
)
Played: TypeAlias = list[tuple[int, str]]
"""Cards of a trick, each with its seat."""
Entry = TypedDict("Entry", {"seat": int, "words": str, "plays": bool})
NumberedMove = TypedDict("NumberedMove", {"move": int, "words": str})
Row = TypedDict("Row", {"words": str, "cells": list[str]})
Button = TypedDict("Button", {"name": str, "label": str})
Task = TypedDict("Task", {"title": str, "question": str, "next": int | None})


class SceneData(TypedDict):
    lines: list[Line]
    hands: list[Hand]
    piles: list[Pile]
    dealer: int
    turn: int
    sheet: list[list[str]]
    trump: str
    score: tuple[list[int], int] | None


class ActionData(Button):
    id: int
    verb: str
    card: str | None
    suit: str | None
    number: int | None


class ResultData(TypedDict):
    points: list[float]
    account: list[str]
    further: list[list[float]]
    match_over: bool
    waits_for: list[int]


class PositionData(TypedDict):
    scene: SceneData
    legal: list[ActionData]
    log: list[Entry]
    trick: Played
    trick_complete: bool
    last_trick: Played


class TableMessage(PositionData):
    """The table as one page sees it, after every change."""

    type: Literal["table"]
    version: int
    env: str
    title: str
    episode: str
    seat: int
    names: list[str]
    people: list[int]
    covered: list[int]
    learned: str
    note: str
    sides: list[int]
    study: bool
    watched: bool
    may: list[str]
    from_position: bool
    exercise: Task | None
    verdict: str
    can_undo: bool
    doubtful: list[str]
    totals: list[float]
    deals_played: int
    result: ResultData | None


class Ratings(TypedDict, total=False):
    """The heads of columns, and a row for each action."""

    heads: list[str]
    rows: list[Row]
    too_large: bool


class StudyMessage(Ratings):
    """The agents and decisions that can be chosen, and the ratings if agents were asked."""

    type: Literal["study"]
    version: int
    offered: list[str]
    chosen: list[str]
    moves: list[NumberedMove]
    move: int | None


class ArrangeMessage(TypedDict):
    """A position to be set up by hand."""

    type: Literal["arrange"]
    text: str
    dealer: int
    seats: int
    match: str
    turn: int
    places: list[Pile]
    moves: list[str]
    legal: list[Button]


Offer = TypedDict("Offer", {"type": Literal["offer"], "agents": list[str]})
Compiling = TypedDict("Compiling", {"type": Literal["compiling"], "text": str})
Stalled = TypedDict("Stalled", {"type": Literal["stalled"], "text": str, "agents": list[str]})
Refusal = TypedDict("Refusal", {"type": Literal["refusal"], "text": str})
Here = TypedDict("Here", {"type": Literal["here"], "seats": list[int]})
Closed = TypedDict("Closed", {"type": Literal["closed"]})
HintMessage = TypedDict("HintMessage", {"type": Literal["hint"], "text": str, "action": str})
RulesMessage = TypedDict("RulesMessage", {"type": Literal["rules"], "text": str, "exercises": list[str]})
DecisionData = TypedDict(
    "DecisionData",
    {
        "move": int,
        "action": str,
        "label": str,
        "instead": str,
        "verdict": str,
        "cost": float,
        "told": str,
        "position": PositionData,
        "line": list[Entry],
    },
)
ReviewMessage = TypedDict(
    "ReviewMessage", {"type": Literal["review"], "of_match": bool, "decisions": list[DecisionData]}
)
RecordMessage = TypedDict("RecordMessage", {"type": Literal["record"], "text": str})
PositionMessage = TypedDict("PositionMessage", {"type": Literal["position"], "text": str})
OptionData = TypedDict(
    "OptionData",
    {
        "name": str,
        "meaning": str,
        "values": list[Any] | None,
        "words": list[str],
        "bounds": list[int],
        "default": Any,
    },
)
PresetData = TypedDict("PresetData", {"name": str, "words": str, "source": str})
GameData = TypedDict(
    "GameData",
    {
        "env": str,
        "title": str,
        "about": str,
        "seats": list[int],
        "presets": list[PresetData],
        "options": list[OptionData],
        "exercises": list[str],
        "cards": list[str],
    },
)
OpenTable = TypedDict(
    "OpenTable", {"secret": str, "title": str, "names": list[str], "seat": int, "deals": int, "total": float}
)
LobbyMessage = TypedDict(
    "LobbyMessage",
    {"type": Literal["lobby"], "games": list[GameData], "levels": list[str], "tables": list[OpenTable]},
)
BeginMessage = TypedDict("BeginMessage", {"type": Literal["begin"], "links": list[str]})
OpenMessage = TypedDict("OpenMessage", {"type": Literal["open"], "link": str})
Message = (
    TableMessage | Offer | Compiling | Stalled | Refusal | Here | Closed
    | HintMessage | StudyMessage | RulesMessage | ReviewMessage
    | RecordMessage | PositionMessage | OpenMessage | ArrangeMessage
)  # fmt: skip
DoorMessage: TypeAlias = LobbyMessage | BeginMessage | Refusal
