"""The signs of the suits and the figures of court cards: drawings of our own, as paths of SVG."""

from collections.abc import Iterator

from stichwerk.envs.render.shapes import Box, Part, Path

COLOURS = {"black": "#1c2226", "red": "#c22f35", "green": "#2f7d43", "gold": "#e3a72b", "brown": "#6b4423"}
VEIN = "vein"  # in place of a colour: a thin line
HEART = [("red", "M0 46C-14 22-46 4-46-20A23 23 0 0 1 0-28A23 23 0 0 1 46-20C46 4 14 22 0 46Z")]
FRENCH = {
    "s": [
        (
            "black",
            "M0-48C14-22 44-8 44 18A22 22 0 0 1 8 30L14 48H-14L-8 30A22 22 0 0 1-44 18C-44-8-14-22 0-48Z",
        )
    ],
    "h": HEART,
    "d": [("red", "M0-48Q16-20 36 0Q16 20 0 48Q-16 20-36 0Q-16-20 0-48Z")],
    "c": [("black", "M-9 18A21 21 0 1 1-18-20A21 21 0 1 1 18-20A21 21 0 1 1 9 18L15 47H-15Z")],
}
GERMAN = {  # leaves, hearts, bells and acorns
    "s": [
        ("green", "M0-46C30-30 44-8 30 12C24 24 10 26 0 22C-10 26-24 24-30 12C-44-8-30-30 0-46Z"),
        (VEIN, "M0-38V22M0-6L20-16M0-6L-20-16M0 10L18 2M0 10L-18 2"),
        ("brown", "M-3 20H3L8 48H-1Z"),
    ],
    "h": HEART,
    "d": [
        ("gold", "M0-40A40 40 0 0 1 40 0A40 40 0 0 1 0 40A40 40 0 0 1-40 0A40 40 0 0 1 0-40Z"),
        ("red", "M-40-7H40V7H-40Z"),
        ("brown", "M-5-48H5V-39H-5ZM-24 16L24 16L24 21L4 21L4 40H-4L-4 21L-24 21Z"),
    ],
    "c": [
        ("gold", "M-26-4H26C28 22 12 36 0 48C-12 36-28 22-26-4Z"),
        ("green", "M-32-4C-34-26-16-34 0-34C16-34 34-26 32-4Q0 6-32-4Z"),
        ("brown", "M-4-33L-7-48H3L5-33Z"),
    ],
}
SIGNS = {"french": FRENCH, "german": GERMAN, "hungarian": GERMAN}
GERMAN_INK = {"s": "green", "h": "red", "d": "brown", "c": "brown"}
INK = {
    "french": {"s": "black", "c": "black", "h": "red", "d": "red"},
    "german": GERMAN_INK,
    "hungarian": GERMAN_INK,
}

FRENCH_ROBES = {"s": "#2b4a7f", "c": "#2b4a7f", "h": "#c22f35", "d": "#c22f35"}
GERMAN_ROBES = {"s": "#2f7d43", "h": "#c22f35", "d": "#d08a1d", "c": "#6b4423"}
HAIR, SKIN, CROWN, CROWN_EDGE, SEAM = "#7a5536", "#f3d3b0", "#e9b949", "#8a6516", "#3a2a18"


def draw_sign(suit: str, face: str, x: float, y: float, size: float) -> Iterator[Part]:
    """The sign of a suit (`s`, `h`, `d`, `c`) around a middle, `size` high and wide."""
    for colour, path in SIGNS[face][suit]:
        if colour == VEIN:
            yield Path(path, line="#1d5530", width=4, x=x, y=y, size=size / 100)
        else:
            yield Path(path, COLOURS[colour], x=x, y=y, size=size / 100)


def draw_figure(rank: str, suit: str, face: str) -> Iterator[Part]:
    """The upper half of a king, a queen or Ober, or a jack or Unter, on a card of 100 by 150."""
    french = face == "french"
    robe = (FRENCH_ROBES if french else GERMAN_ROBES)[suit]
    trim = CROWN if french else "#f0d9a0"
    yield Path("M24 75C24 58 36 52 50 52C64 52 76 58 76 75Z", robe)
    yield Path("M43 53L50 75L57 53Z", trim)
    yield Path("M30 66Q50 60 70 66", line=trim, width=2.4)
    yield Box(39.5, 32.5, 21, 21, SKIN, 10.5, HAIR)
    mouth = "M46 42.5H47.5M52.5 42.5H54M47.5 48Q50 49.5 52.5 48"
    yield Path(mouth, line="#4a3220", width=1.1)
    if rank == "K":
        yield Path("M40 45Q41 58 50 59Q59 58 60 45Q56 52 50 51Q44 52 40 45Z", HAIR)
        yield Path("M38 36L36 24L43 30L50 21L57 30L64 24L62 36Z", CROWN, CROWN_EDGE, 0.8)
    elif rank == "Q" and french:
        yield Path("M38 54Q34 34 50 31Q66 34 62 54Q60 42 57 38Q50 42 43 38Q40 42 38 54Z", HAIR)
        yield Path("M41 34L42 27L47 31L50 25L53 31L58 27L59 34Z", CROWN, CROWN_EDGE, 0.7)
    elif rank == "Q":
        yield Path("M39 37Q50 30 61 37L66 33Q58 22 46 24Q38 28 39 37Z", robe, SEAM, 0.8)
        yield Path("M60 34Q70 24 66 17Q72 28 64 36Z", trim)
    else:
        yield Path("M39 46Q37 34 50 32Q63 34 61 46Q58 39 50 39Q42 39 39 46Z", HAIR)
        yield Path("M38 36Q50 27 62 36L60 30Q50 21 40 30Z", robe, SEAM, 0.8)
    # An Ober has its suit above, an Unter below: by that players tell them apart.
    if rank == "J" and not french:
        yield Box(57.5, 51.5, 19, 19, trim, 9.5, SEAM)
        yield from draw_sign(suit, face, 67, 61, 13)
    else:
        yield from draw_sign(suit, face, 68, 26, 15)
