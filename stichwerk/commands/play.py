"""Play a game against agents and other people, in the browser or in the terminal.

stichwerk play
stichwerk play schnapsen --level club
stichwerk play gaigel --seat 0 2
stichwerk play preferans --terminal --against rules --no-match
stichwerk play schnapsen --seat none --against rules random
stichwerk play --watch runs/schnapsen-1
stichwerk play schnapsen --study rules search:schnapsen
stichwerk play --position worst.jsonl --deal 3 --step 5
"""

import os
import random
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from stichwerk.cli import Positional, check_bounds, check_source, parse, seat_of
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.games import make_game
from stichwerk.envs.render.shapes import Face
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra
from stichwerk.support.files import check_writable
from stichwerk.support.language import speaking
from stichwerk.support.machine.browser import open_page
from stichwerk.support.machine.sockets import listening
from stichwerk.support.parsing import parse_yaml
from stichwerk.table import cold
from stichwerk.table.languages import LANGUAGES, catalogue, language_of, of_locale
from stichwerk.table.newest import NewestNetwork, trained_game
from stichwerk.table.opponents import agent_of_level, default_opponent, seat_names
from stichwerk.table.positions.exercises import exercise_of
from stichwerk.table.positions.position import Position, open_position, position_of
from stichwerk.table.ratings import check_agents
from stichwerk.table.records.recorder import Recorder, recording
from stichwerk.table.serving.processes.handover import Handover
from stichwerk.table.serving.rooms import PATIENCE
from stichwerk.table.serving.service import Service, check_public
from stichwerk.table.table import Seat, Table
from stichwerk.table.terminal import Terminal, ask_on_terminal

BOUNDS = {"port": (1, 65_535), "deal": (1, 10**9), "step": (0, 10**6), "seed": (0, 2**64 - 1)}
DEFAULT_GAME = "schnapsen_v0"
NOBODY = "none"  # in the place of a seat: no person plays


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """Play a game against agents and other people, one deal after another. A page in the browser shows the
    table; --terminal prints it as text. Each person has a link with a secret, which opens the seat."""

    env: Positional[str] = field(default="", metadata={"aliases": ("game",)})
    """The game, by its environment id or the beginning of that, such as schnapsen. MODULE:ID imports a module
    first. By default the browser opens a page to choose from; elsewhere it is schnapsen."""
    preset: str = ""
    """The preset of its rules. By default it is the game's default preset."""
    rules: str = ""
    """Options of its rules, such as '{players: 3}'."""
    against: tuple[str, ...] = ()
    """The agents in the other seats: one for all of them, or one for each. By default the game's shipped
    network plays, with a search of few worlds where that is stronger, or the rule-based player."""
    level: str = ""
    """The strength of the agents in the other seats: beginner, casual, club, strong or strongest."""
    seat: tuple[str, ...] = ()
    """The seat to play in, such as 0 or player_1; in the browser several, with a link for each person. The
    default is player_0, or in a position the seat to act. none: agents play all seats, and you watch."""
    watch: Path | None = None
    """The run folder of a training whose newest network plays all seats without a person. New networks are
    loaded as they are written."""
    position: str = ""
    """A position to play again and again: a file with a record or a snapshot, or a line of text."""
    deal: int = 1
    """The number of the deal in its record, from 1."""
    step: int | None = None
    """The number of moves before the position. The default is all of them, or none of a finished deal."""
    exercise: int | None = None
    """Play this exercise of the game, from 1."""
    study: tuple[str, ...] = ()
    """Agents that show on request how they would act, with probabilities and values. The default is the
    game's shipped network; the page offers others too."""
    match: bool = True
    """Play matches. With --no-match, and from a position, each deal begins with a fresh score."""
    seed: int | None = None
    """The seed of the deals, which are unpredictable by default."""
    terminal: bool = False
    """Play in the terminal, as text."""
    face: Face = "french"
    """The pack after which the terminal names cards: French, German or Hungarian. On the page choose it under
    `Look`."""
    language: str = ""
    """The language: en, de, hu, hr, sr (in Cyrillic letters) or sr-Latn. By default the terminal takes it
    from the locale, and a page from the browser until somebody chooses another."""
    record: Path | None = None
    """Write the record of all deals to this new file, each as soon as it is over. It includes tables that are
    opened from the first one."""
    keep: Path | None = None
    """Keep the tables in this folder, with links, scores and records. Start with it again to continue."""
    public: str = ""
    """The public address of a proxy, such as Caddy or nginx, that forwards requests:
    https://example.org/cards."""
    host: str = "127.0.0.1"
    """The address of this machine at which pages are served. Other machines reach only an address of the
    network, such as 192.168.1.5. 0.0.0.0: all addresses, for requests to localhost, as in a container."""
    port: int = 8765
    """The port there."""
    browser: bool = True
    """Open the page in the browser, if there is one with windows."""
    patience: float = PATIENCE
    """The seconds in which an agent at the page has to answer before the page offers another one."""

    def __post_init__(self):
        check_bounds(self, BOUNDS)
        check_bounds(self, {"patience": (0.1, 86_400)}, "a number")
        check_source(self, "position", ("deal", "step"))
        for name in ("position", "exercise", "watch"):
            if getattr(self, name) and (given := self.preset or self.rules):
                raise InputError(f"rules: got {given} with --{name}; expected one of them")
        if self.exercise is not None and self.position:
            raise InputError(f"exercise: got {self.exercise} with --position; expected one of them")
        if self.level and (given := "watch" if self.watch else "against" if self.against else ""):
            raise InputError(f"level: got {self.level} with --{given}; expected one of them")
        if self.language and not language_of([self.language]):
            expected = ", ".join(LANGUAGES)
            raise InputError(f"language: got {quoted(self.language)}; expected one of {expected}")
        if self.public:
            check_public(self.public)
        if self.keep and self.terminal:
            raise InputError("keep: got it with --terminal; expected one of them")
        if self.watch and self.against:
            raise InputError(f"against: got {' '.join(self.against)} with --watch; expected one of them")

    def game(self) -> Game:
        rules = parse_yaml(self.rules) or {}
        if self.preset and not isinstance(rules, dict):
            raise InputError(f"rules: got {self.rules} with --preset; expected a mapping of options")
        return make_game(
            self.env or DEFAULT_GAME, {"preset": self.preset, **rules} if self.preset else rules or None
        )

    @property
    def chooses_there(self) -> bool:
        """True if the table is chosen on the page."""
        fixed = (
            self.env,
            self.preset,
            self.rules,
            self.against,
            self.level,
            self.seat,
            self.watch,
            self.position,
        )
        return not any(fixed) and self.exercise is None and not (self.terminal or self.study)


def main(arguments: Sequence[str]) -> None:
    options = parse(PlayOptions, arguments)
    if options.record:
        if options.record.exists():
            raise InputError(f"record: got {options.record}, which exists; expected a new file")
        check_writable(options.record, "record")
    if options.chooses_there or (options.keep and not options.env):
        with recording(options.record) as recorder:
            _serve(None, options, recorder, *_listen(options))
        return
    people = _table_of(options)
    begin = () if options.terminal else _listen(options)
    with recording(options.record) as recorder:
        if options.terminal:
            table = people()
            if recorder:
                recorder.watch(table)
            in_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
            with speaking(catalogue(language_of([options.language]) or of_locale())):
                Terminal(table, ask_on_terminal, in_colour, options.study, options.face).run()
        else:
            _serve(people(), options, recorder, *begin)


def _table_of(options: PlayOptions) -> Callable[[], Table]:
    """Makes the table that the options name, once they are checked."""
    start = _start(options)
    game = start.game if start else trained_game(options.watch) if options.watch else options.game()
    named = options.game().env_id if options.env else game.env_id
    if named != game.env_id:
        raise InputError(f"game: got {named}; expected {game.env_id}, as it is there")
    people = seats(game, options, start)
    if options.study and people.count(None) > 1:
        given = f"{' '.join(options.study)} with {people.count(None)} people"
        raise InputError(f"study: got {given}; expected one person, or none")
    check_agents(options.study, game)
    if options.terminal and people.count(None) != 1:
        given = " ".join(options.seat) or "nobody"
        raise InputError(f"seat: got {given} with --terminal; expected one")
    episode: Episode = "match" if options.match and not start else "deal"
    names = seat_names(people, options.level, random.Random(options.seed)) if options.level else ()
    return lambda: Table(game, people, episode, options.seed, names, start)


def _start(options: PlayOptions) -> Position | None:
    """The position in which the table begins, if it is not a fresh deal."""
    if options.position:
        return open_position(options.position, options.deal, options.step)
    if options.exercise is None:
        return None
    game = options.game()
    return position_of(game, exercise_of(game, options.exercise))


def _serve(
    table: Table | None,
    options: PlayOptions,
    recorder: Recorder | None,
    server: ModuleType,
    listener: socket.socket,
) -> None:
    """Serve the table, and others that are opened from it, to browsers until Ctrl-C."""
    service = Service(
        hosts=tuple(server.names_of(*listener.getsockname()[:2], options.host)),
        studied=options.study,
        patience=options.patience,
        record=str(options.record.absolute()) if options.record else "",
        keep=str(options.keep.absolute()) if options.keep else "",
        public=options.public.rstrip("/"),
        language=options.language,
    )
    rooms = service.rooms(recorder)
    kept = rooms.open_kept()
    print(f"{table.game.title if table else 'Stichwerk'}; Ctrl-C ends it")
    if options.keep:
        print(f"{kept} tables continue from {options.keep}, which keeps all tables for the next server")
    links = {}
    if table:
        rooms.open_at_door(table)
        for seat, secret in table.secrets.items():
            table.message(seat)  # compiles what that takes before a page waits for it
            who = "to look on" if seat == SPECTATOR else f"player_{seat}"
            links[who] = f"{service.address}/table/{secret}"
    for who, link in (links or {"all games": f"{service.address}/"}).items():
        print(f"{who}: {link}", flush=True)
    if options.browser:
        open_page(next(iter(links.values()), f"{service.address}/"))
    handover = Handover(service, listener, rooms) if cold.begun_cold else None
    if handover:
        rooms.seconds_left = handover.seconds_left
    server.serve(server.make_app(rooms, service), listener, handover)


def _listen(options: PlayOptions) -> tuple[ModuleType, socket.socket]:
    """The server, and its socket, which may be refused, before anything that takes long."""
    server = from_extra("stichwerk.table.serving.server", "play")
    return server, listening(options.host, options.port)


def seats(game: Game, options: PlayOptions, start: Position | None = None) -> list[Seat]:
    """The player of each seat; None for a person."""
    if options.seat == (NOBODY,):
        own = set[int]()
    elif options.seat or not options.watch:
        own = {seat_of(game, word, "seat") for word in options.seat} or {start.person if start else 0}
    else:
        own = set()
    if start and own and start.deal.seat not in (None, *own):
        given = " ".join(options.seat)
        raise InputError(f"seat: got {given}; expected player_{start.deal.seat}, whose record this is")
    free = game.seats - len(own)
    agents = _agents(game, options, free)
    others = iter(agents)
    return [None if seat in own else next(others) for seat in range(game.seats)]


def _agents(game: Game, options: PlayOptions, free: int) -> list[Seat]:
    """The agents of this number of seats."""
    if options.watch:
        return [NewestNetwork(options.watch, game) for _ in range(free)]
    usual = agent_of_level(options.level, game) if options.level else default_opponent(game)
    agents = options.against or ((usual,) if free else ())
    if len(agents) == 1:
        agents *= free
    if len(agents) != free:
        raise InputError(f"against: got {len(agents)} agents; expected 1, or {free} for all other seats")
    return [*agents]
