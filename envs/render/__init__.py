"""Pictures of tables: a game describes a scene (`envs/spec/scene.py`), everything else is done here.

scene → table.py, cards.py → shapes.py → svg.py, or pixels.py
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stichwerk.envs.render.pixels import to_pixels
from stichwerk.envs.render.shapes import Face, Shape
from stichwerk.envs.render.svg import to_svg
from stichwerk.envs.render.table import HEIGHT, WIDTH, draw_scene
from stichwerk.envs.spec.scene import Scene


@dataclass(frozen=True)
class Picture:
    """A drawn scene. Notebooks show it as it is.

    Attributes:
        title: of the panel
        scene: what lies where
        face: how cards look
        legal: cards that the seat to act may play, which are marked in its hand
    """

    title: str
    scene: Scene
    face: Face = "french"
    legal: frozenset[str] = frozenset()

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        return tuple(draw_scene(self.title, self.scene, self.face, self.legal))

    def svg(self) -> str:
        """The text of an SVG file that needs nothing from outside."""
        return to_svg(self.shapes, WIDTH, HEIGHT, self.title)

    def pixels(self) -> np.ndarray:
        """uint8[640, 1120, 3]. Raises MissingExtra where Pillow is not installed."""
        return to_pixels(self.shapes, WIDTH, HEIGHT)

    def _repr_svg_(self) -> str:
        return self.svg()
