"""The server of tables: one page, its files, and a WebSocket for each page that is open (extra `play`).

The secret of a seat opens it. Only requests to a name of this server, and from its own page, are answered.
"""

import asyncio
import base64
import contextlib
import hashlib
import ipaddress
import json
import re
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
import websockets  # noqa: F401 - what uvicorn speaks to pages with; said to be missing here where it is
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from stichwerk.envs.render.shapes import FACES
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import speaking, spoken, tr
from stichwerk.support.machine.sockets import ALL_ADDRESSES
from stichwerk.support.parsing import read_json
from stichwerk.table.languages import (
    COOKIE,
    LANGUAGES,
    accepted,
    catalogue,
    in_language,
    language_of,
    texts,
)
from stichwerk.table.protocol import (
    NO_SEAT,
    TOO_MANY_PAGES,
    Begin,
    DoorMessage,
    Lobby,
    Message,
    allowed,
    read_request,
)
from stichwerk.table.serving.connections import Connection
from stichwerk.table.serving.door import Door
from stichwerk.table.serving.processes.handover import Handover
from stichwerk.table.serving.room import Page, Room
from stichwerk.table.serving.rooms import Rooms
from stichwerk.table.serving.scripts import drawings
from stichwerk.table.serving.service import Service

FILES = Path(__file__).parents[1] / "page"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
LONGEST_MESSAGE = 2_000  # bytes that a page may send at once
LONGEST_OPENED = 1_000_000  # bytes of a position or record that is opened
PER_SECOND, AT_ONCE = 15.0, 60.0  # messages of a page, in the long run and in a burst
MOST_FAULTS = 30  # messages of a page that cannot be read
TOO_MANY, WRONG = 1008, 1003  # codes with which connections are closed
HTTP = 80  # the port of links without one
LONGEST_WAIT = 10.0  # seconds in which a page has to take a message, or to send a text
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


SeatAnswer = Callable[[Request, Room, int], Awaitable[Response]]
"""Answers an HTTP request to a table, from a seat there."""


def make_app(rooms: Rooms, service: Service) -> ASGIApp:
    """The application of a server.

    Args:
        rooms: its tables
        service: its settings
    """

    door = Door(rooms)

    def seated(path: str, answer: SeatAnswer, methods: Sequence[str] = ("GET",)) -> Route:
        async def found(request: Request) -> Response:
            if room_and_seat := rooms.find(request.path_params["secret"]):
                return await answer(request, *room_and_seat)
            return _refused(tr("this link opens no seat"), 404)

        return Route(f"/{path}/{{secret}}", found, methods=methods)

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        return _texts() if name == "texts.js" else _file(name)

    async def entrance(request: Request) -> Response:
        return _page_file("door.html")

    async def pictures(request: Request) -> Response:
        cards = dict.fromkeys(card for game in door.games() for card in game["cards"])
        return Response(drawings(cards), media_type="text/javascript", headers=HEADERS)

    async def at_door(request: Request) -> Response:
        told: DoorMessage
        try:
            given = {**_object(await _text(request)), "type": request.scope["path"].rpartition("/")[2]}
            asked = read_request(given, "door", posted=True)
            if isinstance(asked, Begin):
                told = await door.begin(asked)
            else:
                assert isinstance(asked, Lobby)
                door.warm_up()
                told = door.lobby(asked)
        except InputError as error:
            told = {"type": "refusal", "text": str(error)}
        return JSONResponse(told, headers=HEADERS)

    async def connection(websocket: WebSocket) -> None:
        found = rooms.find(websocket.path_params["secret"])
        await websocket.accept()  # pages are told the codes of connections that were accepted alone
        if found is None:
            await websocket.close(NO_SEAT)
            return
        room, seat = found
        try:
            shown = room.enter(seat)
        except InputError:
            await websocket.close(TOO_MANY_PAGES)
            return
        try:
            await _serve(websocket, room, shown)
        finally:
            room.leave(shown)

    routes = [
        Route("/", entrance),
        Route("/cards", pictures),
        *(Route(f"/{kind}", at_door, methods=["POST"]) for kind in allowed("door", posted=True)),
        seated("table", _page),
        seated("record", _record),
        seated("cards", _cards),
        *(seated(kind, _posted(kind), ["POST"]) for kind in allowed("alone", posted=True)),
        Route("/page/{name}", file),
        WebSocketRoute("/socket/{secret}", connection),
    ]
    return OwnPagesOnly(Starlette(routes=routes), service)


async def _page(request: Request, room: Room, seat: int) -> Response:
    return _page_file("index.html")


async def _record(request: Request, room: Room, seat: int) -> Response:
    face = request.query_params.get("face")
    text = await room.record_page(seat, face if face in FACES else FACES[0])
    return Response(text, media_type="text/html", headers={**HEADERS, **_policy_of(text)})


async def _cards(request: Request, room: Room, seat: int) -> Response:
    return Response(drawings(room.table.game.pack.names), media_type="text/javascript", headers=HEADERS)


def _posted(kind: str) -> SeatAnswer:
    """The answer to requests of a kind that come by POST."""

    async def answer(request: Request, room: Room, seat: int) -> Response:
        told: Message | None
        try:
            async with room.opening:  # one text at a time is kept
                given = {**_object(await _text(request)), "type": kind}
                told = await room.answers.to(Page(seat), read_request(given, room.table.role, posted=True))
        except InputError as error:
            told = {"type": "refusal", "text": str(error)}
        return JSONResponse(told, headers=HEADERS)

    return answer


async def _text(request: Request) -> str:
    """The body of a request; InputError if it is too long, or takes too long."""
    body = bytearray()
    try:
        async with asyncio.timeout(LONGEST_WAIT):
            async for part in request.stream():
                body += part
                if len(body) > LONGEST_OPENED:
                    raise InputError(f"text: got more than {LONGEST_OPENED:,} bytes; expected fewer")
    except TimeoutError:
        raise InputError(f"text: got a part in {LONGEST_WAIT:g} s; expected all of it") from None
    return body.decode("utf-8", "replace")


def _object(text: str) -> Mapping[str, Any]:
    """A JSON object; InputError if a text is none."""
    given = read_json(text)
    if not isinstance(given, dict):
        raise InputError(f"message: got {quoted(given)}; expected a JSON object")
    return given


class OwnPagesOnly:
    """Refuses requests to other hosts, and WebSockets and texts of other pages.

    Headers such as `Forwarded` are not believed: the settings say at which address a proxy is asked.
    """

    def __init__(self, app: ASGIApp, service: Service):
        self._app, self._hosts, self._origins = app, service.called, service.origins
        self._prefix, self._public, self._usual = service.prefix, service.public, service.language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
        host, origin = ([value for name, value in given if name == wanted] for wanted in (b"host", b"origin"))
        fault = ""
        if len(host) != 1 or host[0].lower() not in self._hosts:
            fault = f"host: got {quoted(host)}; expected one of {', '.join(sorted(self._hosts))}"
        elif scope["type"] == "websocket" or scope["method"] == "POST":
            own = self._origins if self._public else {f"http://{host[0]}"}
            if len(origin) != 1 or origin[0] not in own:
                fault = f"origin: got {quoted(origin)}; expected {' or '.join(sorted(own))}"
        if not fault:
            with speaking(catalogue(self._language(given))):
                await self._app(self._without_prefix(scope), receive, send)
        elif scope["type"] == "http":
            await _refused(fault, 403)(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(_refused(fault, 403))

    def _language(self, headers: Sequence[tuple[bytes, str]]) -> str:
        """The language of a reader: chosen on the page, or by the settings, or by the browser."""
        wanted = {name.decode("latin-1"): value for name, value in headers}
        chosen = re.search(rf"(?:^|; ?){COOKIE}=([\w-]+)", wanted.get("cookie", ""))
        tags = accepted(wanted.get("accept-language", ""))
        return language_of([chosen[1] if chosen else "", self._usual, *tags]) or "en"

    def _without_prefix(self, scope: Scope) -> Scope:
        path = scope["path"]
        if self._prefix and f"{path}/".startswith(f"{self._prefix}/"):
            return {**scope, "path": path.removeprefix(self._prefix) or "/"}
        return scope


def _refused(why: str, status: int) -> Response:
    return PlainTextResponse(f"{why}\n", status, HEADERS)


@cache
def _files() -> Mapping[str, bytes]:
    """The files of the page by name; nothing else is ever sent."""
    return {path.name: path.read_bytes() for path in FILES.iterdir() if path.suffix in KINDS}


def _file(name: str) -> Response:
    content = _files().get(name)
    if content is None:
        return _refused("there is no such file", 404)
    return Response(content, media_type=KINDS[Path(name).suffix], headers=HEADERS)


@cache
def _translated(page: bytes, code: str) -> str:
    with speaking(catalogue(code)):
        return in_language(page.decode(), code)


def _page_file(name: str) -> Response:
    """A page in the language of its reader."""
    return Response(_translated(_files()[name], spoken().code), media_type="text/html", headers=HEADERS)


def _texts() -> Response:
    """The module with the texts of the page's scripts."""
    named = {"LANGUAGES": LANGUAGES, "COOKIE": COOKIE, "TEXTS": texts(spoken().code).page}
    script = "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in named.items())
    return Response(script, media_type="text/javascript", headers=HEADERS)


def _policy_of(page: str) -> dict[str, str]:
    """A policy that allows the scripts and styles inside a page, and nothing else."""
    allowed = {}
    for name in ("script", "style"):
        inside = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in inside]
        allowed[name] = " ".join(f"'sha256-{each}'" for each in hashes)
    script, style = allowed["script"], allowed["style"]
    rest = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    policy = f"default-src 'none'; script-src {script}; style-src {style}; {rest}"
    return {"Content-Security-Policy": policy}


# WebSockets


async def _serve(websocket: WebSocket, room: Room, page: Page) -> None:
    """Serve a page until it closes, or is closed."""
    sender = asyncio.create_task(_send(websocket, page))
    try:
        await room.welcome(page)
        await _receive(websocket, room, page)
    except (WebSocketDisconnect, RuntimeError):  # the latter where the connection is closed already
        pass
    finally:
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, TimeoutError):
            await sender


async def _send(websocket: WebSocket, page: Page) -> None:
    while not page.must_go:
        message = await page.waiting.get()
        await asyncio.wait_for(websocket.send_json(message), LONGEST_WAIT)
    await websocket.close(TOO_MANY)


async def _receive(websocket: WebSocket, room: Room, page: Page) -> None:
    left, since, faults = AT_ONCE, time.monotonic(), 0
    while True:
        event = await websocket.receive()
        if event["type"] == "websocket.disconnect":
            return
        now = time.monotonic()
        left, since = min(AT_ONCE, left + PER_SECOND * (now - since)), now
        left -= 1
        if left < 0 or faults > MOST_FAULTS or page.must_go:
            await websocket.close(TOO_MANY)
            return
        try:
            await room.take(page, _read(event.get("text")))
        except InputError as error:
            faults += 1
            page.tell({"type": "refusal", "text": str(error)})


def _read(text: Any) -> Mapping[str, Any]:
    """A message of a page; InputError if it is no JSON object."""
    if not isinstance(text, str) or len(text) > LONGEST_MESSAGE:
        raise InputError("message: got bytes, or too long a text; expected a short JSON object")
    return _object(text)


# Starting


def names_of(address: str, port: int, host: str = "") -> list[str]:
    """The names by which requests may call a server, the name for links first.

    A server at all addresses (`0.0.0.0`) is called by this machine's names for itself. In a container it gets
    the requests of the port that is published on the machine around it.

    Args:
        address: at which the server listens
        port: the port there
        host: what else it is called

    Returns:
        Names as in the header `Host`, with the port. Clients leave out port 80, so there the same follow
        without it.
    """
    link = ALL_ADDRESSES.get(address, address)
    own = ("127.0.0.1", "localhost", "::1") if ipaddress.ip_address(link).is_loopback else ()
    called = [f"[{name}]" if ":" in name else name for name in (link, *own, address, host) if name]
    names = [name.lower() for name in dict.fromkeys(called)]
    return [*(f"{name}:{port}" for name in names), *(names if port == HTTP else ())]


def config_of(app: ASGIApp) -> uvicorn.Config:
    """The settings with which an application is served."""
    return uvicorn.Config(
        app,
        log_level="critical",  # without tracebacks of pages that Ctrl-C cuts off
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        http=Connection,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE * 2,
        ws_max_queue=8,
        limit_concurrency=1_000,
        timeout_graceful_shutdown=1,
    )


def serve(app: ASGIApp, listener: socket.socket, handover: Handover | None = None) -> None:
    """Serve until Ctrl-C, or until another process takes over, and then wait for it."""

    async def served() -> None:
        server = uvicorn.Server(config_of(app))
        beside = asyncio.create_task(handover.run(server)) if handover else None
        await server.serve(sockets=[listener])
        del beside

    try:
        asyncio.run(served())
    finally:
        if handover:
            handover.end()
    if handover and handover.is_done:
        handover.wait()
