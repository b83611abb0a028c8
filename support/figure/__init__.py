"""Pictures of numbers as SVG: estimates with intervals, bars, curves and heat maps.

A picture needs no other file, no package and no setting. It fills its place, follows light and dark, and has
larger letters on a phone. It is a file of its own, or stands in a page. Names may be any text.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, nan
from typing import NamedTuple

from stichwerk.support.figure.axis import LARGEST, Axis
from stichwerk.support.figure.drawing import EDGE, LETTER, LINE, STYLE, WIDTH, Drawing, Figure, width_of
from stichwerk.support.numbers import in_points

__all__ = ["STYLE", "Estimate", "Figure", "bars", "curves", "heat_map", "intervals", "stacked"]

INKS = "#1f8fb8", "#cf5f38", "#5f9136", "#9468bd", "#a57c17", "#be5288"  # legible on both papers
DASHES = "none", "8 4", "2 3"
HEIGHT = 260.0  # of a plot of curves
CELL = 64.0  # of a heat map, at most
LEAST = 7.0  # the smallest letters

Point = Sequence[float]  # place, value, and the ends of its interval


class Estimate(NamedTuple):
    """A named value with its interval; NaN: there is none."""

    name: str
    value: float
    low: float = nan
    high: float = nan

    def amount(self) -> str:
        """The value and half of its interval, such as `+0.21 ± 0.05`."""
        if not isfinite(self.value):
            return "–"
        margin = abs(self.value - self.low) if isfinite(self.low) else None
        if max(abs(self.value), margin or 0.0) < 1e6:
            return in_points(self.value, margin)
        return f"{self.value:+.3g} ± {'–' if margin is None else f'{margin:.3g}'}"


def intervals(rows: Sequence[Estimate], unit: str, title: str = "") -> Figure:
    """Estimates one below the other, over an axis with the zero on it."""
    drawing, told = Drawing(title), []
    axis = Axis.over([0.0, *(end for row in rows for end in row[1:])], EDGE, WIDTH - EDGE)
    with drawing.over(axis, unit):
        for row in rows:
            amount = row.amount()
            told.append(f"{row.name}: {amount}")
            drawing.row(row.name, amount)
            if isfinite(row.value):
                y, (low, high) = drawing.y + 5, _ends(row[1:], axis)
                drawing.line(low, high, y, y, stroke=INKS[0], stroke_width=3, stroke_linecap="round")
                drawing.add("circle", told[-1], cx=axis.at(row.value), cy=y, r=4.5, fill=INKS[0])
            drawing.y += 18
    return drawing.figure(unit, told)


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    unit: str,
    title: str = "",
    ends: Sequence[float] = (),
) -> Figure:
    """A bar of each series for each name; `ends` are values that the axis reaches in any case."""
    drawing, told = Drawing(title), []
    if len(series) > 1:
        drawing.legend({agent: {"stroke": _ink(number)} for number, agent in enumerate(series)})
    axis = Axis.over([0.0, *ends, *(each for found in series.values() for each in found)], EDGE, WIDTH - 64)
    with drawing.over(axis, unit):
        for number, name in enumerate(names):
            drawing.row(name)
            for place, (agent, found) in enumerate(series.items()):
                if isfinite(value := found[number]):
                    amount = _amount(value)
                    told.append(f"{name}, {agent}: {amount}")
                    left, right = sorted((axis.at(0), axis.at(value)))
                    drawing.rect(left, drawing.y + 2, right - left, 13, told[-1], fill=_ink(place))
                    x = min(right + 5, WIDTH - width_of(amount))
                    drawing.words(amount, x, drawing.y + 14, "soft over")
                drawing.y += 17
            drawing.y += 5
    return drawing.figure(unit, told)


def curves(
    found: Iterable[tuple[str, Sequence[Point]]],
    across: str,
    unit: str,
    title: str = "",
    *,
    log: bool = False,
    bands: bool = True,
    marks: Sequence[float] = (),
) -> Figure:
    """Curves over one axis.

    Args:
        found: names and points; those of one name have one colour
        across: the unit of the places
        unit: of the values
        log: the places, then greater than 0, are drawn by their logarithms
        bands: the intervals are drawn as bands, otherwise as a line at each point
        marks: values at which a dashed line is drawn
    """
    drawing, told = Drawing(title), []
    drawing.paragraph(unit, "soft")
    lines = [(name, [point for point in points if _is_drawn(point, log)]) for name, points in found]
    styles = {
        name: {"stroke": _ink(number), "stroke_dasharray": DASHES[number % len(DASHES)]}
        for number, name in enumerate(dict.fromkeys(name for name, _ in lines))
    }
    drawing.legend(styles)
    top, foot = drawing.y + 6, drawing.y + 6 + HEIGHT
    ends = [end for _, points in lines for point in points for end in point[1:]]
    up = Axis.over([0.0, *marks, *ends], foot, top)
    left = drawing.grid_across(up, marks)
    places = [point[0] for _, points in lines for point in points]
    right = Axis.over(places, left + 6, WIDTH - EDGE - 6, log)
    for name, points in lines:
        told += _draw_curve(drawing, name, points, (right, up), bands, styles[name])
    drawing.y = foot + 6
    drawing.labels(right)
    drawing.paragraph(across, "soft", "middle")
    return drawing.figure(f"{unit} over {across}", told)


def _draw_curve(
    drawing: Drawing,
    name: str,
    points: Sequence[Point],
    axes: tuple[Axis, Axis],
    bands: bool,
    style: Mapping[str, object],
) -> list[str]:
    """Draw a curve with its intervals; return its end in words."""
    (right, up), ink = axes, style["stroke"]
    points = sorted(points, key=lambda point: point[0])
    places, heights = [right.at(point[0]) for point in points], [up.at(point[1]) for point in points]
    ends = [_ends(point[1:], up) for point in points]
    if bands and len(points) > 1:
        corners = [*zip(places, ends, strict=True)]
        around = [(x, low) for x, (low, _) in corners] + [(x, high) for x, (_, high) in reversed(corners)]
        drawing.add("polygon", points=_path(around), fill=ink, fill_opacity=0.18)
    else:
        for x, (low, high) in zip(places, ends, strict=True):
            drawing.line(x, x, low, high, stroke=ink, stroke_width=1.5)
    drawing.add("polyline", points=_path(zip(places, heights, strict=True)), class_="curve", **style)
    says = [f"{name}, {_amount(point[0])}: {Estimate(name, *point[1:4]).amount()}" for point in points]
    for x, y, text in zip(places, heights, says, strict=True):
        drawing.add("circle", text, cx=x, cy=y, r=3.0, fill=ink)
    return says[-1:]


def heat_map(names: Sequence[str], values: Sequence[Sequence[float]], unit: str, title: str = "") -> Figure:
    """Values of rows against columns as coloured cells, with the names by their numbers; NaN: nothing."""
    drawing, count = Drawing(title), len(names)
    drawing.paragraph(unit, "soft")
    left = EDGE + 8 + width_of(str(count))
    wide = min((WIDTH - EDGE - left) / max(count, 1), CELL)
    high, y = min(wide, 32.0), drawing.y + LINE
    numbers = LETTER if wide >= width_of(f"{count} ") else wide / 2
    widest = max((min(abs(v), LARGEST) for row in values for v in row if isfinite(v)), default=0.0) or 1.0
    texts = [_cell(value, widest) for row in values for value in row]
    # Letters that fill a cell.
    letters = (
        min((wide - 4) * LETTER / (max(map(width_of, texts), default=0.0) or 1.0), 14.0) if texts else 14.0
    )
    for number, row in enumerate(values):
        middle = y + high * (number + 0.5)
        if numbers >= LEAST:
            at = left + wide * (number + 0.5)
            drawing.words(str(number + 1), at, y - 6, "soft", "middle", min(numbers, 14.0))
            drawing.words(str(number + 1), left - 8, middle + 5, "soft", "end", min(numbers, 14.0))
        for column, value in enumerate(row):
            if not isfinite(value) or column == number:
                continue
            x, text, share = left + wide * column, _cell(value, widest), min(abs(value) / widest, 1.0)
            how = {"class_": "plus" if value >= 0 else "minus", "fill_opacity": 0.06 + 0.54 * share}
            says = f"{names[number]} – {names[column]}: {text}"
            drawing.rect(x + 0.5, middle - high / 2 + 0.5, wide - 1, high - 1, says, **how)
            if letters >= LEAST:
                drawing.words(text, x + wide / 2, middle + 5, "", "middle", letters)
    drawing.y = y + high * count + 6
    for number, name in enumerate(names, start=1):
        drawing.paragraph(f"{number} {name}")
    return drawing.figure(unit, [f"{number} is {name}" for number, name in enumerate(names, start=1)])


def stacked(figures: Sequence[Figure]) -> Figure:
    """Figures one below the other as one."""
    shapes: list[str] = []
    height = 0.0
    for each in figures:
        shapes += [f'<g transform="translate(0 {height:.0f})">', *each.shapes, "</g>"]
        height += each.height
    title, says = ("; ".join(getattr(each, name) for each in figures) for name in ("title", "says"))
    return Figure(title, says, height, shapes)


def _ink(number: int) -> str:
    return INKS[number % len(INKS)]


def _amount(value: float) -> str:
    return f"{value:z,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:z.3g}"


def _cell(value: float, widest: float) -> str:
    if not isfinite(value):
        return ""
    return f"{value:+z.2f}" if widest < 10 else f"{value:+z.0f}" if widest < 1e5 else f"{value:+.0e}"


def _ends(estimate: Sequence[float], axis: Axis) -> tuple[float, float]:
    """The ends of an interval; the value itself twice if there is none."""
    finite = [end for end in estimate if isfinite(end)]
    return axis.at(min(finite)), axis.at(max(finite))


def _is_drawn(point: Point, log: bool) -> bool:
    return isfinite(point[0]) and isfinite(point[1]) and (point[0] > 1 / LARGEST or not log)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
