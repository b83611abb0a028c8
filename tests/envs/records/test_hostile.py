"""Hostile records, in both forms: whatever a file holds, it is a record that play leads to, or InputError."""

import json
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.notation import write_deal
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import LONGEST, InputError
from tests.envs.records.test_records import END, played
from tests.envs.support import FIRST_VARIANTS, thoroughly

MIB = 1 << 20
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(
        ["sA", "play sA", "deal", "move", "game", "schnapsen_v0", "player_0", "?", "\ud800", "\x9b"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)


@cache  # played when a test asks for them, not when tests are collected
def records(text_form: bool) -> list[str]:
    """A file of each game: two deals, of which the last one goes on."""
    files = []
    for variant in FIRST_VARIANTS:
        env = variant.env()
        game, names = env.game, [f"agent {seat}" for seat in range(env.game.seats)]
        deals = [played(env, seed, moves).deals(names)[-1] for seed, moves in ((1, END), (2, 7))]
        files.append(
            "\n".join(write_deal(game, deal) for deal in deals) if text_form else write_records(game, deals)
        )
    return files


def read_and_play(path: Path) -> int:
    """How many deals are read, each played again and written in both forms."""
    number = 0
    for game, deal in read_file(path):
        RecordReplay(game).check(deal)
        write_records(game, [deal]).encode()
        write_deal(game, deal).encode()
        number += 1
    return number


def refused_or_played(path: Path, content: bytes) -> bool:
    """Whether a file is refused, in one line of bounded length."""
    path.write_bytes(content)
    try:
        read_and_play(path)
    except InputError as error:
        complaint = str(error)
    else:
        return False
    assert "\n" not in complaint
    assert len(complaint) <= LONGEST + 100  # the path and the line's number come before it
    return True


def spoiled_value(value: Any, data: st.DataObject) -> Any:
    """The value with junk in one place of it."""
    if isinstance(value, (dict, list)) and value and data.draw(st.integers(0, 3)):
        places = sorted(value) if isinstance(value, dict) else range(len(value))
        place = data.draw(st.sampled_from(places))
        changed = dict(value) if isinstance(value, dict) else [*value]
        changed[place] = spoiled_value(value[place], data)
        return changed
    return data.draw(JUNK)


def spoiled_lines(lines: list[str], data: st.DataObject) -> list[str]:
    """Lines of which one is dropped, doubled, moved, cut or changed in a few characters."""
    place, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    line = lines[place]
    start, end = sorted(data.draw(st.integers(0, len(line))) for _ in range(2))
    between = data.draw(
        st.text(max_size=3) | st.sampled_from(["player_1", "[", "]", ";", "?", "sA", "999", "\x00"])
    )
    changed = data.draw(
        st.sampled_from(
            [[], [line, line], [lines[other]], [line[:start]], [line[:start] + between + line[end:]]]
        )
    )
    return [*lines[:place], *changed, *lines[place + 1 :]]


@given(st.data())
@thoroughly
def test_spoiled_json_lines(tmp_path_factory, data):
    lines = data.draw(st.sampled_from(records(text_form=False))).splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()):
            lines = spoiled_lines(lines, data) or [""]
        else:
            place = data.draw(st.integers(0, len(lines) - 1))
            try:
                lines[place] = json.dumps(spoiled_value(json.loads(lines[place]), data))
            except ValueError:
                lines[place] = json.dumps(data.draw(JUNK))
    path = tmp_path_factory.mktemp("hostile") / "record"
    refused_or_played(path, "\n".join(lines).encode(errors="surrogatepass"))


@given(st.data())
@thoroughly
def test_json_lines_with_a_key_twice_are_refused(tmp_path_factory, data):
    lines = data.draw(st.sampled_from(records(text_form=False))).splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    key, value = data.draw(st.sampled_from(sorted(json.loads(lines[place]).items(), key=repr)))
    lines[place] = f"{{{json.dumps(key)}: {json.dumps(value)}, {lines[place][1:]}"
    path = tmp_path_factory.mktemp("hostile") / "record"
    assert refused_or_played(path, "\n".join(lines).encode())


@given(st.data())
@thoroughly
def test_spoiled_texts(tmp_path_factory, data):
    lines = data.draw(st.sampled_from(records(text_form=True))).splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        lines = spoiled_lines(lines, data) or [""]
    path = tmp_path_factory.mktemp("hostile") / "record"
    refused_or_played(path, "\n".join(lines).encode(errors="surrogatepass"))


@given(st.binary(max_size=60))
@thoroughly
def test_bytes_that_are_no_record(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("hostile") / "record"
    assert refused_or_played(path, content) or not read_and_play(path)


def head(form: str) -> str:
    """The first lines of a deal of Schnapsen in a form, up to its moves."""
    (lines,) = (file for file in records(form != "lines") if "schnapsen_v0" in file)
    first = "{" if form == "lines" else ("[", ";")
    kept = [line for line in lines.splitlines() if line.startswith(first)]
    return "\n".join(kept[:2] if form == "lines" else kept[:5]) + "\n"


HUGE: dict[str, Callable[[], str]] = {
    "one endless line of JSON": lambda: '{"event": "' + "x" * (30 * MIB),
    "a thousand levels of JSON": lambda: '{"event": ' + "[" * 50_000,
    "a million moves": lambda: (
        head("lines") + '{"event": "move", "seat": 1, "action": "play sA"}\n' * 300_000
    ),
    "a number of many digits": lambda: '{"event": "game", "format": ' + "9" * 90_000 + "}",
    "a large number of points": lambda: head("lines") + '{"event": "result", "points": [1e999, -1e999]}',
    "a text larger than 16 MB": lambda: "; comment\n" * 2_000_000,
    "a line of a million moves": lambda: head("text") + "1. player_1 " + ", ".join(["play sA"] * 300_000),
    "a deck of a million cards": lambda: (
        "[game schnapsen_v0]\n[dealer player_0]\n[deck " + "sA " * 300_000 + "]"
    ),
    "references in YAML": lambda: (
        "[game schnapsen_v0]\n[rules {a: &a [x, x], b: &b [*a, *a], c: &c [*b, *b], d: [*c, *c]}]\n"
        "[dealer player_0]\n[deck sA]"
    ),
    "deep YAML": lambda: f"[game schnapsen_v0]\n[dealer player_0]\n[deck sA]\n[match {'[' * 9_000}]",
    "long YAML": lambda: (
        f"[game schnapsen_v0]\n[dealer player_0]\n[deck sA]\n[rules {{{'a: 1, ' * 200_000}}}]"
    ),
    "a number of players": lambda: (
        f"[game gaigel_v0]\n[rules {{players: {'9' * 5_000}}}]\n[dealer player_0]\n[deck sA]"
    ),
}


@pytest.mark.parametrize("kind", HUGE)
def test_large_records_take_little(kind, tmp_path):
    """Within seconds, and within a few times the size of the file."""
    content = HUGE[kind]().encode()
    # Code is compiled and imported beforehand.
    refused_or_played(tmp_path / "first", records(text_form=False)[0].encode())
    tracemalloc.start()
    begin = perf_counter()
    try:
        assert refused_or_played(tmp_path / "record", content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert perf_counter() - begin < 20
    assert most < 32 * MIB + 12 * len(content)


def test_what_is_not_spoiled_is_read(tmp_path):
    """The counter-check: these files hold two deals each."""
    for number, content in enumerate([*records(text_form=False), *records(text_form=True)]):
        path = tmp_path / str(number)
        path.write_text(content, encoding="utf-8")
        assert read_and_play(path) == 2
