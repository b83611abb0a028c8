"""Records as mail, chat, office programs, web pages and shells hand them on."""

import html
import json
import random
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.envs.games import make_game
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.foreign import deals_in, restored
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.notation import write_deal, write_line
from stichwerk.support.errors import InputError
from stichwerk.table.positions.position import open_position, read_position
from stichwerk.table.table import Table
from tests.envs.support import slowly
from tests.started import start

BLANKS = "\u00a0\u202f\u2007\u2003\u3000\t"
NO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\ufe0f"
ENDS = ("\n", "\r\n", "\r", "\u2028", "\n\n", " \n")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def texts() -> dict[str, str]:
    """A deal in the middle, and one that is over, in each form."""
    found = {}
    for env_id in ("schnapsen_v0", "gaigel_v0"):
        game, rng = make_game(env_id), random.Random(5)
        table = Table(game, [None, *["random"] * (game.seats - 1)], seed=6)
        for _ in range(2):
            table.move_agents()
            table.act(0, str(rng.choice(table.legal(0))))
        deal = table.last_deal()
        found |= {
            f"{env_id} jsonl": write_records(game, [deal]),
            f"{env_id} text": write_deal(game, deal),
            f"{env_id} line": write_line(game, table.last_deal(0)),
            f"{env_id} snapshot": json.dumps(table.env.snapshot()),
        }
    return found


TEXTS = texts()


def typeset(text: str, rng: random.Random) -> str:
    """Blanks, quotes, dashes and signs without a width, each in some places."""
    share, opens, out = rng.choice((0, 0.1, 1)), True, []
    for each in text:
        if each == '"':
            each, opens = ("“" if opens else "”") if share else each, not opens
        elif rng.random() < share and each in " -":
            each = rng.choice(BLANKS if each == " " else "‐‑–—−")
        elif rng.random() < share / 8 and each != "\n":
            each += rng.choice(NO_WIDTH)
        out.append(each)
    return "".join(out)


def wrapped(text: str, rng: random.Random) -> str:
    width = rng.choice((30, 72, 76))
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def in_markdown(text: str, rng: random.Random) -> str:
    escaped = "".join(f"\\{each}" if each in rng.choice(("_", "_[]", "_[]{}|*")) else each for each in text)
    return rng.choice((escaped, f"```\n{text}\n```", f"~~~json\n{text}\n~~~", f"`{text.strip()}`"))


def quoted(text: str, rng: random.Random) -> str:
    mark = rng.choice(("> ", ">", ">> ", "> > "))
    said = rng.choice(("", "Anna wrote on Monday (10:15):\n\n"))
    return said + "\n".join(mark + line for line in text.splitlines())


def said(text: str, rng: random.Random) -> str:
    before, after = rng.choice((("“", "”"), ("(", ")."), ("", "."), ("See: ", " "), ("'", "'"), ("", ",\n")))
    return f"{before}{text.strip()}{after}"


LAYOUTS = (lambda text, rng: text, wrapped, lambda text, rng: " ".join(text.split()))
SIGNS = (lambda text, rng: text, typeset)
FRAMES = (lambda text, rng: text, in_markdown, quoted, said, lambda text, rng: html.escape(text))


def mangled(text: str, rng: random.Random) -> str:
    """A text as several programs, one after another, would hand it on."""
    for stage in (LAYOUTS, SIGNS, FRAMES):
        text = rng.choice(stage)(text, rng)
    return rng.choice(ENDS).join(text.splitlines())


def meant(text: str) -> tuple:
    position = read_position(text)
    return (
        position.game.env_id,
        position.game.rules,
        position.deal.options(),
        position.deal.seat,
        position.seat,
    )


MEANT = {name: meant(text) for name, text in TEXTS.items()}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(TEXTS)), st.integers(0, 2**32))
def test_a_text_means_the_same_whatever_it_went_through(name, seed):
    assert meant(mangled(TEXTS[name], random.Random(seed))) == MEANT[name]


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from(list(TEXTS)), seed=st.integers(0, 2**32), encoding=st.sampled_from(ENCODINGS))
def test_files_do_so_in_all_encodings(tmp_path_factory, name, seed, encoding):
    path = tmp_path_factory.mktemp("foreign") / "deal.txt"
    path.write_bytes(mangled(TEXTS[name], random.Random(seed)).encode(encoding))
    position = open_position(str(path))
    assert (position.deal.options(), position.seat) == (MEANT[name][2], MEANT[name][4])
    if "snapshot" not in name:
        ((game, deal),) = read_file(path)
        assert (game.env_id, deal.options()) == (MEANT[name][0], MEANT[name][2])


def test_what_reads_as_it_stands_is_not_restored():
    """Names keep their quotes and dashes."""
    line = '[players ["“Eva” – née Żur", "a\u00a0b"]]'
    text = TEXTS["schnapsen_v0 text"].replace("[dealer", f"{line}\n[dealer", 1)
    text = "\n".join(each for each in text.splitlines() if not each.startswith('[players ["player'))
    ((_, deal),) = deals_in(text)
    assert deal.players == ("“Eva” – née Żur", "a\u00a0b")


def test_what_is_none_of_ours_is_refused_as_it_stands():
    text = TEXTS["schnapsen_v0 text"]
    for wrong in (
        "nonsense",
        "“nonsense”",
        text.replace("dealer", "healer"),
        f"{text}\n“and more”",
        "{“a”: 1}",
    ):
        for read in (lambda text: list(deals_in(text)), read_position):
            with pytest.raises(InputError):
                read(wrong)
    with pytest.raises(InputError, match="line 1: got '“nonsense”'"):
        list(deals_in("“nonsense”"))


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_restoring_ends_with_one_line(text):
    assert len(restored(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("name", "encoding", "file"), [("jsonl", "utf-16", "-"), *slowly(("line", "utf-8", "/dev/stdin"))]
)
def test_records_come_through_pipes(name, encoding, file):
    text = mangled(TEXTS[f"schnapsen_v0 {name}"], random.Random(3))
    with start("-m", "stichwerk", "show", file) as asked:
        asked.stdin.buffer.write(text.encode(encoding))
        out, err = asked.communicate(timeout=120)
    assert asked.returncode == 0, err
    ((_, deal),) = deals_in(out)
    assert deal.options() == MEANT[f"schnapsen_v0 {name}"][2]
