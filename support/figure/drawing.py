"""The parts of all pictures of numbers: shapes, texts that fit, grids and legends."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from stichwerk.support.escape import markup
from stichwerk.support.figure.axis import Axis

STYLE = """
.figure{color-scheme:light dark;display:block;font:12px system-ui,sans-serif}
.figure .paper{fill:#fff}.figure text{fill:#1d2329}.figure .soft{fill:#59636e}.figure .bold{font-weight:600}
.figure .grid{stroke:#d5dae0}.figure .zero{stroke:#59636e}.figure .mark{stroke:#59636e;stroke-dasharray:6 4}
.figure .over{paint-order:stroke;stroke:#fff;stroke-width:4px}
.figure .curve{fill:none;stroke-width:2.2px;stroke-linejoin:round}
.figure .plus{fill:#1f6f8b}.figure .minus{fill:#c8553d}
@media (max-width:30rem){.figure{font-size:17px}}
@media (prefers-color-scheme:dark){.figure .paper{fill:#14181c}.figure text{fill:#e4e8ec}
.figure .soft{fill:#9aa5b1}.figure .grid{stroke:#38414a}.figure :is(.zero,.mark){stroke:#9aa5b1}
.figure .over{stroke:#14181c}.figure .plus{fill:#56accc}.figure .minus{fill:#e27a62}}
"""
SVG = "http://www.w3.org/2000/svg"
WIDTH, EDGE = 480.0, 16.0  # units of a picture: its width, and what stays free at the left and the right
LETTER, LINE = 17.0, 22.0  # of a letter on a phone and of its line: there is room for it everywhere
SAMPLE = 26.0  # of a colour in a legend
MOST_LINES = 3  # of one text
TOLD = 20  # values in a description
BREAKS = " ,/–"  # a line may end behind them


@dataclass(frozen=True)
class Figure:
    """A picture; `title` and `says`, its content in words, are for those who do not see it."""

    title: str
    says: str
    height: float
    shapes: Sequence[str]

    def svg(self, in_page: bool = False) -> str:
        """The text of an SVG file, or of an element of a page, which has the style itself."""
        size = f'width="{WIDTH:g}" height="{self.height:.0f}"'
        space, style = (
            ("", "") if in_page else (' xmlns="http://www.w3.org/2000/svg"', f"<style>{STYLE}</style>")
        )
        lines = [
            f'<svg{space} class="figure" role="img" viewBox="0 0 {WIDTH:g} {self.height:.0f}">',
            f"<title>{_escaped(self.title)}</title><desc>{_escaped(self.says)}</desc>{style}",
            f'<rect class="paper" {size}/>',
            *self.shapes,
            "</svg>",
        ]
        return "\n".join([*lines, ""])


class Drawing:
    """Shapes from the top to the bottom; `y` is how far down they reach."""

    def __init__(self, title: str):
        self.title, self.y = title, 8.0
        self.shapes: list[str] = []
        if title:
            self.paragraph(title, "bold")

    def add(self, kind: str, says: str = "", /, **how: object) -> None:
        """Add a shape, with a text that appears when one points at it."""
        self._add(kind, f"<title>{_escaped(says)}</title>" if says else "", how)

    def line(self, x1: float, x2: float, y1: float, y2: float, **how: object) -> None:
        self.add("line", x1=x1, x2=x2, y1=y1, y2=y2, **how)

    def rect(self, x: float, y: float, width: float, height: float, says: str, **how: object) -> None:
        self.add("rect", says, x=x, y=y, width=width, height=height, rx=2, **how)

    def words(self, text: str, x: float, y: float, style: str, anchor: str = "", size: float = 0.0) -> None:
        """A text in one line; its letters have the usual size, unless one is given."""
        how = {"x": x, "y": y, "class_": style, "text_anchor": anchor}
        self._add("text", _escaped(text), how | ({"style": f"font-size:{size:.1f}px"} if size else {}))

    def paragraph(self, text: str, style: str = "", anchor: str = "") -> None:
        """A text, wrapped; a very long one is cut."""
        width = (WIDTH - 2 * EDGE) * (0.95 if style == "bold" else 1.0)
        for line in lines_of(text, width, MOST_LINES):
            self.words(line, WIDTH / 2 if anchor == "middle" else EDGE, self.y + LETTER, style, anchor)
            self.y += LINE

    def row(self, name: str, value: str = "") -> None:
        """A name, and at the right a value."""
        if value:
            self.words(value, WIDTH - EDGE, self.y + LETTER, "soft over", "end")
        room = width_of(value) + LETTER if value else 0.0
        for line in lines_of(name, WIDTH - 2 * EDGE - room, MOST_LINES):
            self.words(line, EDGE, self.y + LETTER, "over")
            self.y += LINE

    def legend(self, styles: Mapping[str, Mapping[str, object]]) -> None:
        """The lines of the names, side by side where there is room."""
        x = EDGE
        for name, style in styles.items():
            (text,) = lines_of(name, WIDTH - 2 * EDGE - SAMPLE - 8, 1)
            wide = SAMPLE + 8 + width_of(text)
            if x > EDGE and x + wide > WIDTH - EDGE:
                x, self.y = EDGE, self.y + LINE
            self.line(x, x + SAMPLE, self.y + 12, self.y + 12, stroke_width=4, **style)
            self.words(text, x + SAMPLE + 8, self.y + LETTER, "")
            x += wide + LETTER
        self.y += LINE + 4 if styles else 0.0

    @contextmanager
    def over(self, axis: Axis, unit: str) -> Iterator[None]:
        """Draw the lines of an axis, then the body over them, then the axis's numbers and unit below."""
        top, below, self.shapes = self.y, self.shapes, []
        yield
        above, self.shapes = self.shapes, below
        for value, _ in ticks_below(axis):
            self.line(axis.at(value), axis.at(value), top, self.y, class_="grid" if value else "zero")
        self.shapes += above
        self.labels(axis)
        self.paragraph(unit, "soft", "middle")

    def labels(self, axis: Axis) -> None:
        """The numbers below an axis."""
        for value, text in ticks_below(axis):
            self.words(text, _inside(axis.at(value), text), self.y + LETTER, "soft", "middle")
        self.y += LINE

    def grid_across(self, axis: Axis, marks: Sequence[float]) -> float:
        """Draw the lines and numbers of an axis that goes up, and dashed lines; return their left end."""
        ticks = axis.ticks(7)
        left = min(EDGE + 8 + max((width_of(text) for _, text in ticks), default=0.0), WIDTH / 3)
        for value, text in ticks:
            y = axis.at(value)
            self.line(left, WIDTH - EDGE, y, y, class_="grid" if value else "zero")
            self.words(text, left - 8, y + 5, "soft", "end")
        for mark in marks:
            self.line(left, WIDTH - EDGE, axis.at(mark), axis.at(mark), class_="mark")
        return left

    def figure(self, unit: str, told: Sequence[str]) -> Figure:
        """All that was drawn."""
        more = [f"and {len(told) - TOLD} more"] if len(told) > TOLD else []
        return Figure(
            self.title or unit, "; ".join([unit, *told[:TOLD], *more]), ceil(self.y + 10), self.shapes
        )

    def _add(self, kind: str, content: str, how: Mapping[str, object]) -> None:
        words = ""
        for name, value in how.items():
            if value != "":
                text = f"{round(value, 2):g}" if isinstance(value, float) else value
                words += f' {name.rstrip("_").replace("_", "-")}="{text}"'
        self.shapes.append(f"<{kind}{words}>{content}</{kind}>" if content else f"<{kind}{words}/>")


def ticks_below(axis: Axis) -> list[tuple[float, str]]:
    """The most ticks whose texts stay apart below an axis."""
    for most in range(8, 0, -1):
        ticks = axis.ticks(most)
        halves = [(_inside(axis.at(value), text), width_of(text) / 2) for value, text in ticks]
        if all(one + half + 8 <= other - its for (one, half), (other, its) in pairwise(halves)):
            break
    return ticks


def _inside(x: float, text: str) -> float:
    """The middle of a text that is to stay in the picture."""
    half = width_of(text) / 2
    return max(min(x, WIDTH - half - 2), half + 2)


def _shown(text: str) -> str:
    """A text in one line, with � for what cannot be seen; joiners make one sign of several."""
    line = " ".join(text.split())
    return "".join(each if each.isprintable() or each in "\u200c\u200d" else "\ufffd" for each in line)


def _escaped(text: str) -> str:
    """A text of others as the content of an element."""
    return markup(_shown(text))


def _letter_width(letter: str) -> float:
    """About as wide as in the widest of the usual fonts, in units of a letter's height."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0.1
    if ord(letter) >= 0x530:
        return 0.64 if letter in "–±−" else 1.1
    if letter in "fijlrtI.,:;'|!()[]/ ":
        return 0.4
    return 0.98 if letter in "mwMW@%+=<>" else 0.76 if letter.isupper() else 0.64


def width_of(text: str) -> float:
    """About how wide a text is where letters are largest."""
    return LETTER * sum(map(_letter_width, _shown(text)))


def lines_of(text: str, width: float, most: int) -> list[str]:
    """A text in at most `most` lines that fit; the last one ends in … if there is more."""
    lines: list[str] = []
    left = _shown(text)
    while len(lines) < most:
        end = _fitting(left, width)
        lines.append(left[:end].rstrip())
        left = left[end:].lstrip()
        if not left:
            return lines
    return [*lines[:-1], f"{lines[-1][:-1].rstrip()}…"]


def _fitting(text: str, width: float) -> int:
    """The number of letters of a text that fit into a line, which ends between words if it can."""
    fits = 0
    for letter in text:
        width -= LETTER * _letter_width(letter)
        if width < 0:
            break
        fits += 1
    else:
        return fits
    ends = [at for at in range(fits // 2 + 1, fits + 1) if text[at - 1] in BREAKS or text[at] == " "]
    return max(ends, default=max(fits, 1))
