"""The drawings of cards for the page: those of all pictures (`envs/render/`)."""

import json

from stichwerk.envs.core.cards import SUITS
from stichwerk.envs.render.cards import RANKS
from stichwerk.envs.render.names import SUIT_NAMES
from stichwerk.envs.render.shapes import FACES
from stichwerk.envs.render.signs import INK
from stichwerk.envs.render.svg import card_svg, sign_svg
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import BACK


def drawings(game: Game) -> str:
    """Write a module of JavaScript for a game's pack.

    Args:
        game: with its rules

    Returns:
        The cards and the signs of the suits as SVG, by face. Also the colour and the name of each suit, and
        the signs of ranks that differ from their letters.
    """
    cards = {face: {name: card_svg(name, face) for name in (BACK, *game.pack.names)} for face in FACES}
    signs = {face: {suit: sign_svg(suit, face) for suit in SUITS} for face in FACES}
    named = {"CARDS": cards, "SIGNS": signs, "INK": INK, "RANKS": RANKS, "SUIT_NAMES": SUIT_NAMES}
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in named.items())
