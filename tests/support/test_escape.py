"""Names of others stay words in each form that is written: each is read by a real parser of that form."""

import ast
import csv
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import markdown as python_markdown
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.progress import Progress
from rich.table import Table

from stichwerk.agents.evaluation.reports import page
from stichwerk.commands.bench import write_leaderboard
from stichwerk.envs import SetupError, make_game
from stichwerk.envs.records.notation import read_deals, write_deal
from stichwerk.envs.render import Picture
from stichwerk.envs.render.film import Film, Frame, to_moving_svg, to_page
from stichwerk.envs.spec.scene import Hand, Pile, Scene
from stichwerk.support.errors import InputError
from stichwerk.support.escape import NUMBER, is_seen, markdown, plain
from stichwerk.support.files import write_csv
from stichwerk.support.terminal.progress import PlainColumn, line_of, print_table
from tests.agents.support import ROOT
from tests.envs.records.test_records import a_deal

PIECES = (  # what means something in one of the forms
    *"<>&\"'`*_|\\[](){}#~$@!=+-:;,./ \t\n\r\v\f\0\x1b\x07\x7f\x85\x9b\u2028\u202e\u2066\u200b\ufeff\ud800",
    *("<img src=x onerror=alert(1)>", "</script>", "</text>", "]]>", "<!--", "-->", "&lt;", "&#60;", "**a**"),
    *(
        "[a](javascript:b)",
        "http://a.b",
        "www.a.b",
        "![",
        "```",
        "|---|",
        "=1+1",
        "@SUM(A1)",
        "＝1",
        "\x1b[2J",
    ),
    *(
        "[bold]",
        "[/bold]",
        "[link=a]",
        ":smile:",
        "{task.percentage}",
        "%s",
        "{0}",
        "\\g<0>",
        "rules#2",
        "a_b",
    ),
    *("ö", "\u00a0", "牌", "\U0001f0a1", "name", "1e9"),
)
NASTY = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
often = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its words by the innermost tag."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.cells: list[str] = []
        self.words, self.in_cell = "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        if tag in ("td", "th"):
            self.cells.append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        self.tags.append((f"/{tag}", ()))
        self.in_cell &= tag not in ("td", "th")

    def handle_data(self, data):
        self.words += data
        if self.in_cell:
            self.cells[-1] += data

    def handle_comment(self, data):
        self.tags.append(("comment", ()))


@often
@given(NASTY)
def test_terminal(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "400")
    grid = Table(name, title=name, caption=name)
    grid.add_row(name)
    print_table(grid)
    out = capsys.readouterr().out
    assert all(is_seen(each) or each == "\n" for each in out)
    for line in plain(name, "\n").split("\n"):
        assert out.count(line.strip()) >= 4, "title, heading, cell and caption"
    with Progress(disable=True) as progress:
        progress.add_task(name, note=name)
        (task,) = progress.tasks
        told = line_of(task, 0.0)
        assert told.startswith(f"{plain(name)}: ")
        assert all(map(is_seen, told))
        assert PlainColumn(lambda task: task.description).render(task).plain == plain(name)


@often
@given(NASTY)
def test_messages(name):
    assert all(map(is_seen, str(InputError(f"agent {name}: got {name!r}"))))
    assert str(SetupError(name)) == plain(name)


@often
@given(NASTY, NASTY)
def test_html_and_svg(name, other):
    """The page has the tags that it has with plain names, and the names are words in it."""

    def parts(one: str, two: str) -> list[str]:
        return [page.table([one, two], [[one, two]]), page.section(one, note=two)]

    def whole(one: str, two: str) -> Tags:
        return Tags(page.page(one, two, parts(one, two), {one: two}, one))

    found = whole(name, other)
    assert found.tags == whole("a", "b").tags
    assert plain(name, "\n") in found.words
    assert found.cells[:4] == [plain(each, "\n") for each in (name, other)] * 2
    for part in parts(name, other):
        for svg in re.findall(r"<svg.*?</svg>", part, re.DOTALL):
            ElementTree.fromstring(svg)


@often
@given(NASTY)
def test_pictures(name):
    hands = Hand(0, ("sA", "hT"), notes=(name,)), Hand(1, ("", ""))
    scene = Scene((f"x  {name}", name), hands, (Pile(name, ("",)),))
    for svg in (
        Picture(name, scene).svg(),
        to_moving_svg(name, Film(name, [Frame(name, scene), Frame(name, scene)])),
    ):
        root = ElementTree.fromstring(svg)
        assert root[0].text.replace("\r", "\n") == plain(name, "\n")
        assert {each.tag.rpartition("}")[2] for each in root.iter()} <= SHAPES
    film = to_page(name, [Film(name, [Frame(name, scene, [(name, name)])])])
    found = Tags(film)
    assert found.tags == Tags(to_page("a", [Film("a", [Frame("a", scene, [("a", "a")])])])).tags
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', film, re.DOTALL)[1])
    assert data["deals"][0]["title"] == plain(name)


SHAPES = {"svg", "title", "style", "defs", "g", "path", "rect", "use", "text", "tspan", "line", "circle"}


@often
@given(NASTY)
def test_markdown(name):
    """In two readers, one of them GitHub's kind: a cell of a table has the name as words and nothing else."""
    text = f"| a | b |\n| --- | --- |\n| {markdown(name)} | c |\n"
    assert not re.search(r"://|www\.", text), "GitHub makes links of bare addresses"
    for read in READERS:
        found = Tags(read(text))
        assert {tag.strip("/") for tag, _ in found.tags} == {"table", "thead", "tbody", "tr", "th", "td"}
        assert [" ".join(cell.split()) for cell in found.cells] == [
            "a",
            "b",
            " ".join(plain(name).split()),
            "c",
        ]


READERS: tuple[Callable[[str], str], ...] = (
    MarkdownIt("commonmark").enable(["table", "strikethrough"]).render,
    lambda text: python_markdown.markdown(text, extensions=["tables", "attr_list"]),
)


@settings(often, max_examples=20)
@given(NASTY)
def test_a_leaderboard_of_foreign_names(tmp_path, name):
    entry = json.loads((ROOT / "docs/results/leaderboard/schnapsen-rules.json").read_text())
    (tmp_path / "entry.json").write_text(json.dumps(entry | {"agent": name}))
    write_leaderboard(tmp_path)
    for read in READERS:
        found = Tags(read((tmp_path / "leaderboard.md").read_text()))
        assert " ".join(found.cells[10].split()) == " ".join(plain(name).split())
        assert len(found.cells) == 18
        assert not {tag for tag, _ in found.tags} & {"img", "a", "script", "strong", "comment"}
    found = Tags((tmp_path / "leaderboard.html").read_text())
    assert found.cells[10] == plain(name, "\n")
    assert not {tag for tag, _ in found.tags} & {"img", "a", "script", "strong", "comment"}


@often
@given(NASTY)
def test_csv(tmp_path, name):
    write_csv(tmp_path / "a.csv", [{"name": name, "points": -0.5, "deals": 3}])
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        heading, row = csv.reader(file)
    assert (heading, row[1:]) == (["name", "points", "deals"], ["-0.5", "3"])
    assert row[0].removeprefix("'") == plain(name).removeprefix("'")
    assert row[0].lstrip()[:1] not in [*"=+-@\t\r＝＋－＠"] or NUMBER.fullmatch(row[0])


@settings(often, max_examples=20)
@given(NASTY)
def test_records(name):
    game = make_game("schnapsen_v0")
    try:
        text = write_deal(game, replace(a_deal(moves=3), players=(name, "me")))
        ((_, found),) = read_deals(text)
    except InputError:
        assume(False)
    assert found.players == (name, "me")
    assert all(is_seen(each) or each == "\n" for each in text)


ESCAPES = {"html": "escape", "xml.sax.saxutils": "escape", "markupsafe": "escape", "cgi": "escape"}
OWNERS = {  # what nobody else calls
    "csv.writer": "support/files.py",
    "csv.DictWriter": "support/files.py",
    "rich.console.Console": "support/terminal/progress.py",
    "rich.progress.TextColumn": "support/terminal/progress.py",
    **{f"{module}.{name}": "support/escape.py" for module, name in ESCAPES.items()},
}


@pytest.mark.parametrize("folder", ["support", "envs", "agents", "stichwerk"])
def test_nobody_else_writes_these_forms(folder):
    paths = [path for path in (ROOT / folder).rglob("*.py") if "builtin/rules" not in str(path)]
    assert paths
    for path in paths:
        for name in imported(path):
            assert OWNERS.get(name) in (None, str(path.relative_to(ROOT))), f"{path}: {name}"


def imported(path: Path) -> set[str]:
    """What a module imports by name, or calls by its module's name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
    return found
