"""Paths of SVG as polygons: for pixels, which know no curves.

The commands M, L, H, V, C, Q, A and Z in capital letters; arcs are those of circles.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin, sqrt

Point = tuple[float, float]
STEPS = 12  # straight pieces of each curve
TOKEN = re.compile(r"[A-Z]|-?\d*\.?\d+")
TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Q": 4, "A": 7, "Z": 0}


@cache
def polygons(path: str) -> tuple[tuple[Point, ...], ...]:
    """The pieces of a path, each as the points that its lines join."""
    found: list[list[Point]] = []
    for command, numbers in _commands(path):
        if command == "M":
            found.append([(numbers[0], numbers[1])])
            continue
        piece = found[-1]
        x, y = piece[-1]
        match command:
            case "L":
                piece.append((numbers[0], numbers[1]))
            case "H":
                piece.append((numbers[0], y))
            case "V":
                piece.append((x, numbers[0]))
            case "C" | "Q":
                piece += _curve([(x, y), *zip(numbers[::2], numbers[1::2], strict=True)])
            case "A":
                radius, _, _, large, clockwise, *end = numbers
                piece += _arc((x, y), (end[0], end[1]), radius, bool(large), bool(clockwise))
            case "Z":
                piece.append(piece[0])
    return tuple(map(tuple, found))


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers; one that is left out is that of the numbers before."""
    command, numbers = "", list[float]()
    for token in TOKEN.findall(path):
        if token.isalpha():
            command = token
            if command == "Z":
                yield command, []
            continue
        numbers.append(float(token))
        if len(numbers) == TAKES[command]:
            yield command, numbers
            numbers = []
            command = "L" if command == "M" else command


def _curve(points: list[Point]) -> Iterator[Point]:
    """A Bézier curve after its first point, by de Casteljau's scheme."""
    for step in range(1, STEPS + 1):
        share, left = step / STEPS, points
        while len(left) > 1:
            left = [
                (x + share * (to_x - x), y + share * (to_y - y)) for (x, y), (to_x, to_y) in pairwise(left)
            ]
        yield left[0]


def _arc(start: Point, end: Point, radius: float, large: bool, clockwise: bool) -> Iterator[Point]:
    """An arc of a circle after its first point."""
    (x, y), (to_x, to_y) = start, end
    half = hypot(to_x - x, to_y - y) / 2
    radius = max(radius, half)
    away = sqrt(radius**2 - half**2) * (1 if large == clockwise else -1)
    middle_x = (x + to_x) / 2 + away * (to_y - y) / (2 * half)
    middle_y = (y + to_y) / 2 - away * (to_x - x) / (2 * half)
    turn = atan2(y - middle_y, x - middle_x)
    sweep = atan2(to_y - middle_y, to_x - middle_x) - turn
    if clockwise and sweep <= 0:
        sweep += 2 * pi
    if not clockwise and sweep >= 0:
        sweep -= 2 * pi
    for step in range(1, 2 * STEPS + 1):
        angle = turn + sweep * step / (2 * STEPS)
        yield middle_x + radius * cos(angle), middle_y + radius * sin(angle)
