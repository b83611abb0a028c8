"""Pictures of numbers: well-formed, inside their frame, legible, and the same whatever a user has set."""

import json
import random
import re
from itertools import pairwise
from math import inf, isfinite, log10, nan
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stichwerk.support.figure import Estimate, Figure, bars, curves, heat_map, intervals, stacked
from stichwerk.support.figure.axis import Axis
from stichwerk.support.figure.drawing import WIDTH, lines_of, ticks_below, width_of
from tests.agents.support import ROOT, command, write_config

NUMBERS = st.floats() | st.integers(-5, 5).map(float) | st.floats(-1, 1)
# Also letters that no file may hold, marks over letters, and those that turn the direction of writing.
NAMES = st.text(st.characters() | st.sampled_from("&<>\"']\x00\x1b\ud800\uffff\u202e\u0301 "), max_size=80)
ROWS = st.lists(st.builds(Estimate, NAMES, NUMBERS, NUMBERS, NUMBERS), max_size=8)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=8)


@st.composite
def heat_maps(draw) -> Figure:
    names = draw(st.lists(NAMES, max_size=6))
    values = [[draw(NUMBERS) for _ in names] for _ in names]
    return heat_map(names, values, draw(NAMES), draw(NAMES))


@st.composite
def bar_charts(draw) -> Figure:
    names, agents = draw(st.lists(NAMES, max_size=4)), draw(st.lists(NAMES, max_size=3, unique=True))
    values = {agent: [draw(NUMBERS) for _ in names] for agent in agents}
    return bars(names, values, draw(NAMES), draw(NAMES), draw(st.sampled_from([(), (0, 100)])))


def curve_charts() -> st.SearchStrategy[Figure]:
    found, flags = st.lists(st.tuples(NAMES, POINTS), max_size=8), st.booleans()
    marks = st.lists(st.floats(-1e9, 1e9), max_size=2)
    return st.builds(curves, found, NAMES, NAMES, NAMES, log=flags, bands=flags, marks=marks)


CHARTS = st.one_of(st.builds(intervals, ROWS, NAMES, NAMES), bar_charts(), curve_charts(), heat_maps())


def places(shape: ElementTree.Element) -> list[tuple[float, float]]:
    """The corners of a shape."""
    at = {name: float(value) for name, value in shape.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
    kind = shape.tag.rpartition("}")[2]
    if kind == "line":
        return [(at["x1"], at["y1"]), (at["x2"], at["y2"])]
    if kind == "circle":
        return [(at["cx"] + side * at["r"], at["cy"] + side * at["r"]) for side in (-1, 1)]
    if kind == "rect":
        x, y = at.get("x", 0), at.get("y", 0)
        return [(x, y), (x + at["width"], y + at["height"])]
    if kind == "text":
        return [(at["x"], at["y"])]
    return [tuple(map(float, pair.split(","))) for pair in shape.get("points", "").split()]


@given(CHARTS | st.lists(CHARTS, max_size=3).map(stacked))
def test_any_picture_is_well_formed_and_inside_its_frame(figure):
    root = ElementTree.fromstring(figure.svg().encode())
    height = float(root.get("viewBox").split()[-1])
    for shape in root.iter():
        assert not re.search("nan|inf", " ".join(shape.attrib.values()))
        for x, y in places(shape):
            assert 0 <= x <= WIDTH
            assert 0 <= y <= height


@given(ROWS)
def test_whatever_can_be_drawn_is_drawn(rows):
    drawn = re.findall("<circle", intervals(rows, "points").svg())
    assert len(drawn) == sum(isfinite(row.value) for row in rows)


def test_names_are_texts_and_nothing_else():
    name = 'a</text><script>&amp; "x" \x07\ud800\u202e\nb'
    for figure in (
        intervals([Estimate(name, 1.0, 0.5, 1.5)], name, name),
        bars([name], {name: [1.0], "b": [2.0]}, name, name),
        curves([(name, [(0, 1, 0, 2), (1, 1, 0, 2)])], name, name, name),
        heat_map([name, "b"], [[nan, 1.0], [-1.0, nan]], name, name),
    ):
        root = ElementTree.fromstring(figure.svg().encode())
        kinds = {each.tag.rpartition("}")[2] for each in root.iter()}
        assert "script" not in kinds
        assert any('a</text><script>&amp; "x" ��� b' in (each.text or "") for each in root.iter())


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12), st.integers(1, 9), st.booleans())
def test_ticks_are_round_numbers_on_the_axis(low, span, most, log):
    axis = Axis.over([abs(low) + 1e-9, abs(low) + span] if log else [low, low + span], 0, 400, log)
    ticks = axis.ticks(most)
    values = [value for value, _ in ticks]
    assert values == sorted(set(values))
    assert len(values) <= most
    for value, text in ticks:
        assert axis.low <= (log10(value) if log else value) <= axis.high
        assert float(text.replace(",", "")) == pytest.approx(
            value, rel=1e-5, abs=(axis.high - axis.low) * 1e-6
        )
    right = [(axis.at(value), width_of(text)) for value, text in ticks_below(axis)]
    for (one, wide), (other, its) in pairwise(right):
        assert one + min(wide, WIDTH) / 2 <= other + its / 2


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.0, 1.25], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]),
        ([-0.003, 0.001], ["-0.003", "-0.002", "-0.001", "0.000", "0.001"]),
        ([0.0, 4e6], ["0", "1,000,000", "2,000,000", "3,000,000", "4,000,000"]),
        ([0.0, 4e12], ["0", "1e+12", "2e+12", "3e+12", "4e+12"]),
        ([0, 2500], ["0", "500", "1,000", "1,500", "2,000", "2,500"]),
        ([3.0], ["1.5", "2.0", "2.5", "3.0", "3.5", "4.0", "4.5"]),
        ([], ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
        ([nan, inf, 0.0], ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
    ],
)
def test_numbers_of_axes(values, texts):
    assert [text for _, text in Axis.over(values, 0, 400).ticks(8)] == texts


def test_numbers_of_axes_by_logarithms():
    assert [text for _, text in Axis.over([0.0018, 9.6], 0, 400, log=True).ticks(8)] == [
        "0.001",
        "0.01",
        "0.1",
        "1",
        "10",
    ]
    assert [text for _, text in Axis.over([1, 9], 0, 400, log=True).ticks(8)] == ["1", "10"]


@given(NAMES, st.floats(20, 400), st.integers(1, 3))
def test_lines_fit(text, width, most):
    lines = lines_of(text, width, most)
    assert len(lines) <= most
    assert all(width_of(line) <= width + 20 for line in lines)
    if not lines[-1].endswith("…"):
        assert "".join("".join(lines).split()) == "".join(lines_of(text, inf, 1)[0].split())


def test_a_picture_of_two_estimates():
    """Shape by shape."""
    figure = intervals([Estimate("a", 1.0, 0.5, 1.5), Estimate("b", -0.5)], "points", "Title")
    assert figure.says == "points; a: +1.00 ± 0.50; b: -0.50 ± –"
    assert figure.shapes == GOLDEN.strip().splitlines()


GOLDEN = """
<text x="16" y="25" class="bold">Title</text>
<line x1="16" x2="16" y1="30" y2="110" class="grid"/>
<line x1="128" x2="128" y1="30" y2="110" class="zero"/>
<line x1="240" x2="240" y1="30" y2="110" class="grid"/>
<line x1="352" x2="352" y1="30" y2="110" class="grid"/>
<line x1="464" x2="464" y1="30" y2="110" class="grid"/>
<text x="464" y="47" class="soft over" text-anchor="end">+1.00 ± 0.50</text>
<text x="16" y="47" class="over">a</text>
<line x1="240" x2="464" y1="57" y2="57" stroke="#1f8fb8" stroke-width="3" stroke-linecap="round"/>
<circle cx="352" cy="57" r="4.5" fill="#1f8fb8"><title>a: +1.00 ± 0.50</title></circle>
<text x="464" y="87" class="soft over" text-anchor="end">-0.50 ± –</text>
<text x="16" y="87" class="over">b</text>
<line x1="16" x2="16" y1="97" y2="97" stroke="#1f8fb8" stroke-width="3" stroke-linecap="round"/>
<circle cx="16" cy="97" r="4.5" fill="#1f8fb8"><title>b: -0.50 ± –</title></circle>
<text x="21.72" y="127" class="soft" text-anchor="middle">-0.5</text>
<text x="128" y="127" class="soft" text-anchor="middle">0.0</text>
<text x="240" y="127" class="soft" text-anchor="middle">0.5</text>
<text x="352" y="127" class="soft" text-anchor="middle">1.0</text>
<text x="463.72" y="127" class="soft" text-anchor="middle">1.5</text>
<text x="240" y="149" class="soft" text-anchor="middle">points</text>
"""

SENTENCES = (
    "rules:0.1 – search:schnapsen,worlds=0,few=400 is a name of some length which needs more lines than one",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "漢字の名前",
    "ppo:runs/a",
)
APART = """() => {
  const texts = [...document.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
  const wrong = [];
  for (const [text, box] of texts) {
    const frame = text.ownerSVGElement.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom)
      wrong.push(["outside", text.textContent]);
    for (const [other, its] of texts)
      if (text !== other && box.left < its.right - 1 && its.left < box.right - 1
          && box.top < its.bottom - 4 && its.top < box.bottom - 4)
        wrong.push([text.textContent, other.textContent]);
  }
  const sizes = texts.map(([text, _]) => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize));
  const size = Math.min(...sizes);
  return [wrong, size];
}"""


def test_texts_stay_apart_and_legible(browser, tmp_path):
    """Drawn at random: on a phone and on a wide screen."""
    chance = random.Random(4)
    drawn = []
    for _ in range(3):
        scale = 10 ** chance.uniform(-3, 6)
        names = chance.sample(SENTENCES, 4)
        values = [chance.gauss(0, scale) for _ in names]
        drawn += [
            intervals(
                [Estimate(n, v, v - scale, v + scale) for n, v in zip(names, values, strict=True)], names[0]
            ),
            bars(names, {"one": values, "two": values, names[1]: values}, names[0], "Title"),
            curves(
                [(n, [(k * scale, v, v, v) for k in range(4)]) for n, v in zip(names, values, strict=True)],
                "x",
                names[2],
            ),
            heat_map(names, [[chance.gauss(0, scale) for _ in names] for _ in names], names[3]),
        ]
    (tmp_path / "all.html").write_text(
        "<!doctype html><meta charset=utf-8>" + "".join(each.svg() for each in drawn)
    )
    for width in (360, 1400):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.goto((tmp_path / "all.html").as_uri())
        wrong, size = page.evaluate(APART)
        assert wrong == []
        assert size > 9
        page.close()


# A user's own settings of matplotlib, which once broke reports.
SETTINGS = "text.usetex: True\nfigure.dpi: 7\naxes.formatter.use_locale: True\nfont.family: no such font\n"
WATCHED = """
import json, sys
from stichwerk.__main__ import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["stichwerk", *words]
    main()
    assert not [name for name in sys.modules if name.split(".")[0] == "matplotlib"], "it is imported"
"""


@pytest.mark.slow
def test_no_setting_of_matplotlib_is_read(tmp_path, monkeypatch):
    (tmp_path / "matplotlibrc").write_text(SETTINGS)
    for name, value in {
        "MATPLOTLIBRC": tmp_path / "matplotlibrc",
        "MPLCONFIGDIR": "/dev/null/nowhere",
        "MPLBACKEND": "module://nothing.here",
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, str(value))
    config = write_config(tmp_path, decisions=512, evaluate_every=1)
    commands = [
        ["eval", "--agents", "rules", "random", "--deals", "4", "--out", "eval"],
        ["actions", "rules", "--deals", "2", "--out", "actions"],
        ["train", str(config), "--run", "run"],
    ]
    (tmp_path / "watched.py").write_text(WATCHED)
    status, out, err = command(str(tmp_path / "watched.py"), json.dumps(commands), cwd=tmp_path)
    assert (status, err) == (0, ""), out
    assert {path.name for path in tmp_path.rglob("*.svg")} == {"pairs.svg", "actions.svg", "curve.svg"}


def test_no_file_names_matplotlib():
    files = [
        path
        for folder in ("support", "envs", "agents", "stichwerk", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 200
    assert not [
        path
        for path in files
        if re.search(r"^\s*(from|import) matplotlib|pyplot", path.read_text(), re.MULTILINE)
    ]
