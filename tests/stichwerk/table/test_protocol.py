"""The table's protocol: requests are checked by their types, and the page is checked against them."""

import json
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="needs the extra play")
from stichwerk.envs.games import make_game
from stichwerk.support.errors import InputError
from stichwerk.table import protocol
from stichwerk.table.protocol import REQUESTS, Role, allowed, read_request
from stichwerk.table.serving.answers import ANSWERS
from stichwerk.table.serving.scripts import protocol_script
from stichwerk.table.table import Table
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_server import Client

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "stichwerk" / "table" / "page"
TYPESCRIPT = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
OPTIONS = (
    "--allowJs --checkJs --noEmit --strict --strictNullChecks false --noImplicitAny false"
    " --target es2022 --module esnext --moduleResolution bundler"
)
VALUES = {"version": 3, "move": 2, "number": 1, "seat": 1, "deal": 1, "step": 0, "all": True, "match": False}
VALUES |= {"env": "schnapsen_v0", "preset": "", "rules": {}, "people": 1, "level": "club", "exercise": 0}
VALUES |= {
    "name": "Resi",
    "tables": ["x"],
    "action": "close",
    "agent": "rules",
    "agents": ["rules"],
    "text": "x",
    "change": {},
}
JSON = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())
JSON |= st.dictionaries(st.text(), st.integers())
SEATS: dict[Role, list] = {
    "alone": [None, "random"],
    "together": [None, None],
    "spectator": ["random", "random"],
}


def right(kind: str) -> dict:
    """A request with all of its fields."""
    return {"type": kind, **{field.name: VALUES[field.name] for field in fields(REQUESTS[kind])}}


def outcome(asked: dict, role: Role) -> protocol.Request | str:
    """A request as it is read, or its refusal."""
    try:
        return read_request(asked, role, REQUESTS[asked["type"]].posted)
    except InputError as error:
        return str(error)


def test_every_request_has_an_answer():
    assert set(ANSWERS) == {each for each in REQUESTS.values() if each.rights != protocol.DOOR}


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_request_is_read_with_its_fields(kind):
    request = REQUESTS[kind]
    for role in request.rights:
        assert read_request(right(kind), role, request.posted) == request(
            **{field.name: VALUES[field.name] for field in fields(request)}
        )


@given(st.data())
@settings(deadline=None)
def test_a_wrong_field_is_refused_in_one_line(data):
    kind = data.draw(st.sampled_from(list(REQUESTS)))
    request = REQUESTS[kind]
    asked, names = right(kind), [field.name for field in fields(request)]
    name = data.draw(st.sampled_from([*names, "other"]))
    value = asked[name] = data.draw(JSON)
    told = outcome(asked, request.rights[0])
    if isinstance(told, str):
        assert re.fullmatch(f"({name}|{kind}): got .*; expected .+", told)
    else:
        assert name in names
        assert value is None or type(value) is type(VALUES[name])
        assert getattr(told, name) == value


@pytest.mark.parametrize("kind", [kind for kind, each in REQUESTS.items() if fields(each)])
def test_a_field_without_a_default_is_needed(kind):
    request = REQUESTS[kind]
    for field in fields(request):
        asked = {name: value for name, value in right(kind).items() if name != field.name}
        if hasattr(request, field.name):
            assert read_request(asked, request.rights[0], request.posted)
        else:
            with pytest.raises(InputError, match=f"^{field.name}: got nothing; expected "):
                read_request(asked, request.rights[0], request.posted)


@pytest.mark.parametrize("kind", ["fly", ["act"], None, "open", "Act"])
def test_unknown_kinds_are_refused_with_the_list_of_others(kind):
    with pytest.raises(InputError, match=r"^type: got .*; expected one of act, next, name, undo, hint"):
        read_request({"type": kind}, "alone")


@pytest.mark.parametrize("role", SEATS)
def test_only_those_with_the_right_are_answered(role):
    for kind, request in REQUESTS.items():
        told = outcome(right(kind), role)
        if role in request.rights:
            assert isinstance(told, request)
        else:
            assert re.fullmatch(f"{kind}: got it (from|with|at) .*; expected .*", told)


@pytest.mark.parametrize("role", SEATS)
def test_the_server_refuses_requests_without_the_right(role):
    table = Table(make_game("schnapsen_v0"), SEATS[role], seed=3)
    refused = [kind for kind, each in REQUESTS.items() if role not in each.rights and not each.posted]
    with served() as tables:
        tables.rooms.open(table)
        with Client(tables, table, next(iter(table.secrets))) as client:
            table_message = client.turn() if role == "alone" else client.next("table")
            assert table_message["may"] == allowed(role)
            known = len(client.received)
            for kind in refused:
                client.send(**right(kind))
                assert client.next("refusal")["text"].startswith(f"{kind}: got it ")
            client.send(type="rules")
            client.next("rules")
            kinds = [json.loads(text)["type"] for text in client.received[known:]]
    assert "table" not in kinds, "nothing has changed"


def test_all_messages_are_of_the_union():
    """So all of them are in the types of the page."""
    unions = protocol.Message, protocol.DoorMessage
    typed = {name for name in vars(protocol) if name.endswith("Message")} - {"Message", "DoorMessage"}
    assert typed <= {each.__name__ for union in unions for each in get_args(union)}
    for union in unions:
        kinds = [get_args(get_type_hints(each)["type"]) for each in get_args(union)]
        assert len(set(kinds)) == len(kinds)


def test_the_script_of_the_protocol_is_up_to_date():
    assert (PAGE / "protocol.js").read_text(encoding="utf-8") == protocol_script(), "run `make docs`"


def test_the_texts_of_the_protocol_stand_in_one_place():
    files = [*(ROOT / "stichwerk").rglob("*.py"), *PAGE.glob("*.js")]
    for text in (protocol.MEANING, protocol.TOO_LARGE.strip(), str(protocol.NO_SEAT)):
        found = [path.name for path in files if text in path.read_text(encoding="utf-8")]
        assert sorted(found) == ["protocol.js", "protocol.py"]


def checked(folder: Path) -> str:
    """The faults that TypeScript finds in the scripts of a page."""
    command = [shutil.which("node"), TYPESCRIPT, *OPTIONS.split(), *sorted(folder.glob("*.js"))]
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


needs_typescript = pytest.mark.skipif(
    not TYPESCRIPT.is_file() or not shutil.which("node"), reason="needs TypeScript: `make axe` brings it"
)


@needs_typescript
def test_the_scripts_of_the_page_have_right_types():
    assert checked(PAGE) == ""


@needs_typescript
@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("main.js", "ask({ type: \"exercise\", number:", "ask({ type: \"exercise\", place:", "'place'"),
        ("main.js", "  hint({ text, action })", "  hints({ text, action })", "'hints'"),
        ("study.js", "message.offered", "message.offers", "'offers'"),
        ("table.js", "table.scene.piles", "table.scene.pile", "'pile'"),
    ],
)  # fmt: skip
def test_a_wrong_name_in_a_script_is_found(file, old, new, fault, tmp_path):
    shutil.copytree(PAGE, tmp_path / "page")
    text = (PAGE / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "page" / file).write_text(text.replace(old, new), encoding="utf-8")
    assert fault in checked(tmp_path / "page")
