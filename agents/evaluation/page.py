"""Reports as one HTML page each, with style and pictures inside: light and dark, on a phone and in print.

A page is made of parts, which are HTML already; the functions here make them from plain values.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from stichwerk.support.escape import markup as escape

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2329;--soft:#59636e;--line:#d5dae0;--stripe:#f5f7f9;
--plus:31,111,139;--minus:200,85,61;--mark:#1f6f8b}
@media (prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e4e8ec;--soft:#9aa5b1;--line:#38414a;
--stripe:#1b2127;--plus:86,172,204;--minus:226,122,98;--mark:#6fbcd8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1.5rem 1rem 3rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
p{max-width:45rem;margin:.5rem 0}.soft{color:var(--soft);font-size:.9rem}
.claim{font-size:1.1rem;overflow-wrap:anywhere;white-space:pre-line}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}td:first-child,th:first-child,.text{text-align:left}
.text{white-space:normal;overflow-wrap:break-word;min-width:6.5rem}
@media (max-width:40rem){th,td{padding:.3rem .4rem}table{font-size:.85rem}.shrinks text{font-size:19px}}
tbody tr:nth-child(even){background:var(--stripe)}
svg{display:block;max-width:100%;height:auto}svg text{fill:var(--ink);font:14px system-ui,sans-serif}
svg .soft{fill:var(--soft)}svg .line{stroke:var(--line)}
svg .over{paint-order:stroke;stroke:var(--paper);stroke-width:4px}
svg .mark{stroke:var(--mark);fill:var(--mark)}.unit{max-width:480px;text-align:center;margin:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--stripe);padding:.7rem;border-radius:.3rem;
font-size:.85rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.9rem}
iframe{width:100%;height:46rem;border:1px solid var(--line);border-radius:.3rem}
.legend span{display:inline-block;margin-right:1.2rem;font-size:.9rem}
.legend i{display:inline-block;width:1.6rem;margin-right:.4rem;vertical-align:middle;border-top:3px}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0;font-size:11px}h2{break-after:avoid}tr,svg{break-inside:avoid}
iframe{display:none}}
"""
ROW, WIDTH, EDGE = 38, 480, 24  # pixels: a row of a forest plot, its width, and what is left at both ends
LETTER = 8.0  # pixels of a letter's width
MOST_LETTERS = 24  # of a name in a picture
CELL = 44  # pixels of a matrix
HIGH, LEFT, FOOT = 300, 56, 42  # pixels: the height of a line chart, and what its axes take of it
INKS = "#1f8fb8", "#cf5f38", "#5f9136", "#9468bd", "#a57c17", "#be5288"  # legible on both papers
DASHES = ("solid", ""), ("dashed", "8 5"), ("dotted", "2 4")  # in the legend, and in the picture


@dataclass(frozen=True)
class Bar:
    """A row of a forest plot: a value and its interval."""

    name: str
    value: float
    low: float
    high: float


def page(title: str, claim: str, parts: Sequence[str], about: dict[str, str], command: str) -> str:
    """A whole page.

    Args:
        title: its heading
        claim: what has been found, in words
        parts: HTML of the body
        about: the facts that a reader needs to trust or repeat it, by their names
        command: makes the page again

    Returns:
        The text of an HTML file that needs no other.
    """
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about.items())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="claim">{escape(claim)}</p>\n'
        + "\n".join(parts)
        + f"\n<h2>How it was made</h2>\n<dl>{facts}</dl>\n<pre>{escape(command)}</pre>\n</body></html>\n"
    )


def section(title: str, *parts: str, note: str = "") -> str:
    """Parts under a heading, with a note in small letters."""
    says = f'<p class="soft">{escape(note)}</p>' if note else ""
    return "\n".join([f"<section><h2>{escape(title)}</h2>", *parts, says, "</section>"])


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int] = (0,)) -> str:
    """Rows of cells; `texts` are the columns of words, which may break into lines."""

    def cells(kind: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{kind}{' class=text' if number in texts else ''}>{escape(cell)}</{kind}>"
            for number, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{cells("th", headings)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def forest_plot(bars: Sequence[Bar], unit: str) -> str:
    """The intervals one below the other, over an axis with the zero on it, as SVG with the unit below."""
    lowest, highest = min(0.0, *(bar.low for bar in bars)), max(0.0, *(bar.high for bar in bars))
    height = ROW * len(bars) + 28
    span = (highest - lowest) or 1.0

    def at(value: float) -> float:
        return round(EDGE + (WIDTH - 2 * EDGE) * (value - lowest) / span, 1)

    foot = ROW * len(bars) + 6
    shapes = []
    for tick in ticks(lowest, highest):
        shapes.append(f'<line class="line" x1="{at(tick)}" x2="{at(tick)}" y1="0" y2="{foot}"/>')
        shapes.append(
            f'<text class="soft" x="{at(tick)}" y="{foot + 15}" text-anchor="middle">{tick:g}</text>'
        )
    shapes.append(
        f'<line x1="{at(0)}" x2="{at(0)}" y1="0" y2="{foot}" stroke="currentColor" stroke-opacity=".6"/>'
    )
    for number, bar in enumerate(bars):
        middle = ROW * number + 28
        shapes.append(f'<text class="over" x="2" y="{middle - 12}">{escape(bar.name)}</text>')
        shapes.append(
            f'<line class="mark" x1="{at(bar.low)}" x2="{at(bar.high)}" y1="{middle}" y2="{middle}" '
            'stroke-width="3"/>'
        )
        says = f"{bar.name}: {bar.value:+.3f} ({bar.low:+.3f} to {bar.high:+.3f})"
        shapes.append(
            f'<circle class="mark" cx="{at(bar.value)}" cy="{middle}" r="4"><title>{escape(says)}</title>'
            "</circle>"
        )
    picture = _svg(WIDTH, height, shapes, f"Intervals: {unit}")
    return f'{picture}<p class="soft unit">{escape(unit)}</p>'


def matrix(names: Sequence[str], values: Sequence[Sequence[float]], unit: str, digits: int = 2) -> str:
    """What the row gets against the column, as coloured cells in SVG; NaN: nothing."""
    short = [_short(name) for name in names]
    left = round(LETTER * max(map(len, short))) + 36
    widest = max([abs(v) for row in values for v in row if not isnan(v)] + [1e-9])
    width, height = left + CELL * len(names) + 8, 24 + 28 * len(names) + 24
    shapes = []
    for number, name in enumerate(short):
        x, y = left + CELL * number + CELL / 2, 24 + 28 * number
        shapes.append(f'<text class="soft" x="{x}" y="16" text-anchor="middle">{number + 1}</text>')
        shapes.append(
            f'<text x="{left - 10}" y="{y + 18}" text-anchor="end">{escape(name)}'
            f'<tspan class="soft"> {number + 1}</tspan></text>'
        )
        for column, value in enumerate(values[number]):
            if isnan(value) or column == number:
                continue
            shade = "var(--plus)" if value >= 0 else "var(--minus)"
            shapes.append(
                f'<rect x="{left + CELL * column + 1}" y="{y + 1}" width="{CELL - 2}" height="26" rx="3" '
                f'style="fill:rgba({shade},{0.08 + 0.6 * abs(value) / widest:.2f})"/>'
            )
            shapes.append(
                f'<text x="{left + CELL * column + CELL / 2}" y="{y + 18}" text-anchor="middle" '
                f'style="font-size:11px">{value:+z.{digits}f}</text>'
            )
    shapes.append(f'<text class="soft" x="4" y="{height - 6}">{escape(unit)}</text>')
    return f'<div class="wide">{_svg(width, height, shapes, f"Matrix: {unit}", fixed=True)}</div>'


def line_chart(curves: Mapping[str, Sequence[tuple[float, ...]]], across: str, unit: str) -> str:
    """Curves over one axis, each in a band, as SVG with a legend.

    Args:
        curves: by name, points of a place, a value and the lower and upper end of the band
        across: what the places are
        unit: of the values
    """
    places = [point[0] for points in curves.values() for point in points]
    ends = [end for points in curves.values() for point in points for end in point[1:]]
    left, right = min(places), max(places)
    lowest, highest = min(0.0, *ends), max(0.0, *ends)

    def at(place: float) -> float:
        return round(LEFT + (WIDTH - LEFT - EDGE) * (place - left) / ((right - left) or 1.0), 1)

    def up(value: float) -> float:
        return round(12 + (HIGH - FOOT - 12) * (highest - value) / ((highest - lowest) or 1.0), 1)

    shapes = []
    for tick in ticks(lowest, highest):
        shapes.append(
            f'<line class="line" x1="{LEFT}" x2="{WIDTH - EDGE}" y1="{up(tick)}" y2="{up(tick)}"/>'
            f'<text class="soft" x="{LEFT - 8}" y="{up(tick) + 5}" text-anchor="end">{tick:g}</text>'
        )
    for tick in ticks(left, right, most=5):
        shapes.append(
            f'<text class="soft" x="{at(tick)}" y="{HIGH - FOOT + 18}" text-anchor="middle">{tick:g}</text>'
        )
    zero = up(0)
    shapes.append(f'<line x1="{LEFT}" x2="{WIDTH - EDGE}" y1="{zero}" y2="{zero}" stroke="currentColor"/>')
    keys = []
    for number, (name, points) in enumerate(curves.items()):
        ink, (style, dash) = INKS[number % len(INKS)], DASHES[number % len(DASHES)]
        lower = [f"{at(place)},{up(low)}" for place, _, low, _ in points]
        upper = [f"{at(place)},{up(high)}" for place, _, _, high in reversed(points)]
        line = " ".join(f"{at(place)},{up(value)}" for place, value, *_ in points)
        shapes.append(f'<polygon points="{" ".join(lower + upper)}" fill="{ink}" fill-opacity=".18"/>')
        shapes.append(
            f'<polyline points="{line}" fill="none" stroke="{ink}" stroke-width="2.5" '
            f'stroke-dasharray="{dash}"/>'
        )
        for place, value, low, high in points:
            says = f"{name}, {place:g}: {value:+.3f} ({low:+.3f} to {high:+.3f})"
            dot = f'<circle cx="{at(place)}" cy="{up(value)}" r="3" fill="{ink}">'
            shapes.append(f"{dot}<title>{escape(says)}</title></circle>")
        keys.append(f'<span><i style="border-top-style:{style};border-color:{ink}"></i>{escape(name)}</span>')
    shapes.append(
        f'<text class="soft" x="{WIDTH / 2}" y="{HIGH - 4}" text-anchor="middle">{escape(across)}</text>'
    )
    return f'{_svg(WIDTH, HIGH, shapes, f"{unit} over {across}")}<p class="legend">{"".join(keys)}</p>'


def rules_of(settings: Mapping[str, Any]) -> str:
    """The rules in the settings of results, as a page tells them."""
    return ", ".join(f"{name} {value}" for name, value in settings["rules"].items())


def version_of(settings: Mapping[str, Any]) -> str:
    """The version and commit in the settings of results, as a page tells them."""
    return f"{settings['version']}, commit {settings.get('commit') or 'unknown'}"


def ticks(lowest: float, highest: float, most: int = 6) -> list[float]:
    """Round numbers in a range, at most so many."""
    span = (highest - lowest) or 1.0
    step = next(
        base * 10**power
        for power in range(-9, 12)
        for base in (1, 2, 5)
        if span / (base * 10.0**power) <= most - 1
    )
    first = -int(-lowest // step)
    return [round(number * step, 9) for number in range(first, int(highest // step) + 1)]


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"


def _svg(width: float, height: float, shapes: Sequence[str], label: str, fixed: bool = False) -> str:
    """A picture that shrinks with the page; a fixed one may be scrolled instead."""
    style = f' style="max-width:none;width:{width}px"' if fixed else ' class="shrinks"'
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{escape(label)}"{style}>'
        + "".join(shapes)
        + "</svg>"
    )


def without_markup(text: str) -> str:
    """The words of a page, for tests and for search."""
    return " ".join(
        re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", " ", text, flags=re.DOTALL)).split()
    )
