"""Charts by matplotlib, each on a canvas of its own: neither pyplot nor a window system is needed."""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from stichwerk.support.extras import from_extra
from stichwerk.support.files import write_whole

BACKEND = "MPLBACKEND"
COLOURS = ("#1f6f8b", "#c8553d", "#5b8c5a", "#7d5ba6", "#b5893b")


@contextmanager
def chart(path: Path, size: tuple[float, float], dpi: int = 150, **how: Any) -> Iterator[Any]:
    """A figure to draw on, which the end of the block writes as a PNG; with `how`, further arguments of
    matplotlib's `Figure`.

    Args:
        path: the file, replaced in one step
        size: width and height in inches
        dpi: pixels an inch

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    with _matplotlib().rc_context({"text.parse_math": False}):  # agents' names may have a $
        figure = from_extra("matplotlib.figure", "eval").Figure(figsize=size, **how)
        from_extra("matplotlib.backends.backend_agg", "eval").FigureCanvasAgg(figure)
        yield figure
        image = io.BytesIO()
        # A constrained layout fits into the size as it is.
        figure.savefig(image, format="png", dpi=dpi, bbox_inches=None if "layout" in how else "tight")
    write_whole(path, image.getvalue())


def bars_with_intervals(
    axes: Any, names: Sequence[str], means: Sequence[float], lows: Sequence[float]
) -> None:
    """Draw a bar for each name, the first one on top, with its interval, which reaches from the low as far to
    the other side."""
    places = range(len(names) - 1, -1, -1)
    margins = [mean - low for mean, low in zip(means, lows, strict=True)]
    axes.barh(places, means, xerr=margins, color=COLOURS[0], height=0.6, error_kw={"capsize": 3})
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, names)


def _matplotlib() -> ModuleType:
    """The package, whatever backend the environment names. A notebook's kernel hands its own backend down to
    the commands that it starts. Where that one is not installed, matplotlib refuses to be imported."""
    if "matplotlib" in sys.modules or BACKEND not in os.environ:
        return from_extra("matplotlib", "eval")
    backend = os.environ.pop(BACKEND)
    try:
        matplotlib = from_extra("matplotlib", "eval")
    finally:
        os.environ[BACKEND] = backend
    with suppress(ValueError):  # for whoever plots in this process later
        matplotlib.rcParams["backend"] = backend
    return matplotlib
