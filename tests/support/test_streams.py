"""What is printed suits the stream, whatever characters that can hold; files are UTF-8 everywhere."""

import ast
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from stichwerk.envs import schnapsen_v0
from stichwerk.support.terminal.streams import legible, write_legibly
from tests.agents.support import ROOT, command, write_config
from tests.envs.support import slowly

ENCODINGS = ("ascii", "cp1252", "cp1250", "latin-1", "utf-8")
README = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)

# Every command, one after the other in a process of its own.
COMMANDS = """
import sys
from stichwerk import commands

for line in LINES:
    sys.argv = ["stichwerk", *line]
    print("$", *line, flush=True)
    try:
        commands.main()
    except SystemExit as end:
        print("ended with", end.code or 0, flush=True)
"""
TRAINED = ["--decisions", "256", "--evaluate-deals", "2", "--final-deals", "2", "--opponents", "{rules: 1}"]
LINES = [
    ["analyse", "--exact", "--seed", "3", "--actions", "play hT"],
    ["eval", "--agents", "rules", "höher=random", "ș=random", "--deals", "4"],
    ["eval", "--agents", "rules", "ș=random", "--together", "--deals", "4", "--out", "out"],
    ["inspect", "regret", "--deals", "2", "--worlds", "4"],
    ["inspect", "actions", "--agents", "ș=rules", "--deals", "4"],
    ["train", "small.yaml", "--run", "run", *TRAINED],
    ["train", "small.yaml", "--run", "seeds", "--seeds", "1,2", *TRAINED],
    ["sweep", "small.yaml", "--run", "sweep", "--space", "{epochs: [1]}", "--trials", "1", "--deals", "2",
     "--against", "random", *TRAINED],
    ["eval", "--agents", "rules", "♠"],
    ["train", "--help"],
]  # fmt: skip
BRIEF = [line for line in LINES if line[0] not in ("train", "sweep") or "--help" in line]


def printed(program: str, encoding: str, cwd: Path) -> str:
    """What a program prints to pipes of this encoding, both in order; it must end well."""
    status, text, _ = command("-c", program, cwd=cwd, stderr=subprocess.STDOUT, PYTHONIOENCODING=encoding)
    assert status == 0, text
    assert "Traceback" not in text
    return text


@pytest.mark.parametrize("encoding", ["cp1252", *slowly("ascii", *ENCODINGS[2:])])
def test_the_first_example_of_the_readme(encoding, tmp_path):
    text = printed(README[1], encoding, tmp_path)
    suits = "♠♥♦♣" if encoding == "utf-8" else "shdc"
    assert re.search(f"player_[01]  (?:[{suits}][ATKQJ] ){{5}}", text)
    assert re.search(f"trump [{suits}]", text)
    assert "\\u" not in text


@pytest.mark.parametrize(
    ("encoding", "lines"), [("ascii", BRIEF), *slowly(*((encoding, LINES) for encoding in ENCODINGS))]
)
def test_every_command(encoding, lines, tmp_path):
    write_config(tmp_path)
    text = printed(f"LINES = {lines!r}\n{COMMANDS}", encoding, tmp_path)
    assert text.count("ended with 2") == 1, text
    assert text.count("$ ") == len(lines)
    assert "\\u" not in text, "every character that commands print has a plain one"
    symbol, margin = ("♠", "±") if encoding == "utf-8" else ("s", "+/-" if encoding == "ascii" else "±")
    assert f"agent: got '{symbol}'" in text
    assert text.count(f" {margin} ") > 4
    assert ("─" in text) == (encoding == "utf-8")
    results = (tmp_path / "out" / "results.json").read_text(encoding="utf-8")
    assert '"b": "\\u0219"' in results, "files hold what was meant"


def test_texts_of_the_table(monkeypatch):
    env = schnapsen_v0.raw_env(render_mode="ansi")
    env.reset(seed=1)
    symbols = env.render()
    assert re.search("[♠♥♦♣]A", symbols)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    letters = env.render()
    assert letters == symbols.translate(dict(zip(map(ord, "♠♥♦♣"), "shdc", strict=True)))


PLAIN = {
    "♠A ♥T ♦Q ♣9": "sA hT dQ c9",
    "0.5 ± 0.1 – …": "0.5 +/- 0.1 - ...",
    "∩12 △△": "n12 ^^",
    "Höher hat, Ça": "Hoeher hat, Ca",
    "╭─┬─╮│┃━┡╰": "+-+-+||-++",
    "Б \udcff": "\\u0411 \\udcff",
    "plain": "plain",
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain_characters(text):
    bytes_of = io.BytesIO()
    stream = io.TextIOWrapper(bytes_of, encoding="ascii")
    assert legible(text, stream) == PLAIN[text]
    write_legibly(stream)
    print(text, file=stream, end="", flush=True)
    assert bytes_of.getvalue().decode() == PLAIN[text]


def test_streams_that_hold_all_stay_as_they_are():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    write_legibly(stream, io.StringIO(), None)
    assert stream.errors == "surrogateescape"
    assert legible("♠ ±", stream) == legible("♠ ±", io.StringIO()) == "♠ ±"


# Files


OPENERS = ("open", "read_text", "write_text")
OTHER_OPENERS = ("os", "webbrowser", "rooms", "self")  # their `open` opens no file as text
SOURCES = [
    path
    for folder in ("agents", "envs", "stichwerk", "support", "benchmarks", "docs", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def without_encoding(source: str) -> list[int]:
    """The lines that open a file as text, or read or write one, without its encoding."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        words = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
        is_binary = name == "open" and any(isinstance(word, str) and "b" in word for word in words)
        is_own = name == "read_text" and isinstance(node.func, ast.Name)  # that of support/parsing.py
        opener = getattr(node.func.value, "id", "") if isinstance(node.func, ast.Attribute) else ""
        has_encoding = any(keyword.arg == "encoding" for keyword in node.keywords)
        if name in OPENERS and not (is_binary or is_own or opener in OTHER_OPENERS or has_encoding):
            lines.append(node.lineno)
    return lines


def test_files_are_opened_as_utf_8():
    """What a file holds must not depend on the machine's locale."""
    assert without_encoding("open(path)\npath.read_text()\npath.write_text(text)\nopen(path, 'a')") == [
        1,
        2,
        3,
        4,
    ]
    assert not without_encoding("open(path, 'rb')\nread_text(path)\nos.open(path)\nopen(p, encoding='utf-8')")
    assert len(SOURCES) > 100
    for path in [*SOURCES, *ROOT.glob("*.py")]:
        assert not without_encoding(path.read_text(encoding="utf-8")), path


# Streams for messages


SPEAKER = """
import atexit, os, subprocess, sys
from stichwerk.support.terminal.streams import Wire

def noise():
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-c", "print('a child')"])
    assert (sys.stdin.read(), os.read(0, 9)) == ("", b"")

atexit.register(print, "at the end")
print("before", flush=True)
wire = Wire.taken()
noise()
wire.out.write(b"got " + wire.messages.readline())
wire.out.flush()
with wire.given_back():
    print("given", os.read(0, 9))
noise()
"""


def test_only_messages_are_on_the_wire():
    done = subprocess.run([sys.executable, "-c", SPEAKER], input=b"one\n", capture_output=True, check=True)
    assert done.stdout.split(b"\n") == [b"before", b"got one", b"given b''", b""]
    assert done.stderr.count(b"printed") == done.stderr.count(b"a child") == 2
    assert done.stderr.endswith(b"at the end\n")


def test_a_closed_stream_is_said():
    code = "from stichwerk.support.terminal.streams import Wire; Wire.taken()"
    for redirection, name in (("<&-", "stdin"), (">&-", "stdout")):
        command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {redirection}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        assert f"{name}: got it closed; expected a host" in done.stderr
