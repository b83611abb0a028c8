"""Scenes one after another: a page that steps through deals with keys, and an SVG that moves by itself."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from stichwerk.envs.render.names import in_face
from stichwerk.envs.render.shapes import Face, Shape
from stichwerk.envs.render.svg import FONT, definitions, element
from stichwerk.envs.render.table import HEIGHT, TABLE, WIDTH, draw_scene, draw_table
from stichwerk.envs.spec.scene import Scene
from stichwerk.support.escape import markup, plain

TEMPLATE = Path(__file__).with_name("film.html")
SECONDS = 1.2  # of each scene in a moving SVG
PAUSE = 3  # scenes' time on the last one


@dataclass(frozen=True)
class Frame:
    """A scene, and the words beneath it: the move that led there.

    Attributes:
        values: the actions that were possible in place of that move, each with its value in words
    """

    words: str
    scene: Scene
    values: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Film:
    """The frames of one deal, with a title such as its players, and the face of the cards."""

    title: str
    frames: Sequence[Frame]
    face: Face = "french"


def to_page(title: str, films: Sequence[Film]) -> str:
    """A page of HTML that needs nothing from outside: the films, to step through.

    Each element of SVG is in the page once, and frames name theirs by number: most are the same in many
    frames.
    """
    numbers: dict[str, int] = {}
    drawn: list[Shape] = []

    def table(scene: Scene, face: Face) -> list[int]:
        shapes = draw_table(scene, face) if scene.hands else []
        drawn.extend(shapes)
        return [numbers.setdefault(element(shape), len(numbers)) for shape in shapes]

    deals = [
        {
            "title": plain(film.title),
            "frames": [
                {
                    "words": in_face(frame.words, film.face),
                    "lines": [[line.label, in_face(line.words, film.face)] for line in frame.scene.lines],
                    "values": [[in_face(cell, film.face) for cell in pair] for pair in frame.values],
                    "sheet": [[in_face(cell, film.face) for cell in row] for row in frame.scene.sheet],
                    "table": table(frame.scene, film.face),
                }
                for frame in film.frames
            ],
        }
        for film in films
    ]
    data = json.dumps({"deals": deals, "elements": list(numbers)}, ensure_ascii=False, separators=(",", ":"))
    parts = {
        "TITLE": markup(title),
        "WIDTH": str(TABLE),
        "HEIGHT": str(HEIGHT),
        "SIGNS": definitions(drawn),
        "DATA": data.replace("<", "\\u003c"),  # no text ends the script
    }
    page = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)


def to_moving_svg(title: str, film: Film) -> str:
    """An SVG that shows the frames one after another, for ever; the last one alone where the reader wants no
    motion."""
    shapes = [draw_scene(title, frame.scene, film.face) for frame in film.frames]
    drawn = [list(map(element, each)) for each in shapes]
    still = [text for text in drawn[0] if all(text in frame for frame in drawn)]
    seconds = SECONDS * (len(drawn) - 1 + PAUSE)
    shown = 100 * SECONDS / seconds
    frames = [
        f'<g class="frame{" last" if number == len(drawn) - 1 else ""}" '
        f'style="animation-delay:{number * SECONDS:.1f}s">{"".join(t for t in frame if t not in still)}</g>'
        for number, frame in enumerate(drawn)
    ]
    style = (
        f".frame{{visibility:hidden;animation:shown {seconds:.1f}s infinite step-end}}"
        f".last{{animation-name:shown-last}}"
        f"@keyframes shown{{0%{{visibility:visible}}{shown:.4f}%{{visibility:hidden}}}}"
        f"@keyframes shown-last{{0%{{visibility:visible}}{PAUSE * shown:.4f}%{{visibility:hidden}}}}"
        "@media (prefers-reduced-motion:reduce){.frame{animation:none}.last{visibility:visible}}"
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONT}" role="img">'
    )
    lines = [head, f"<title>{markup(title)}</title>", f"<style>{style}</style>", definitions(chain(*shapes))]
    return "\n".join([*lines, *still, *frames, "</svg>"]) + "\n"
