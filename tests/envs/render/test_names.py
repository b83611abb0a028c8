"""Suits and cards are called as the face of the cards has them."""

import json
import re

import pytest

from stichwerk.envs.render.film import Film, Frame, to_moving_svg, to_page
from stichwerk.envs.render.names import in_face
from stichwerk.envs.render.shapes import FACES, Words
from stichwerk.envs.render.table import draw_scene
from stichwerk.envs.spec.scene import Scene
from tests.envs.support import each_variant, positions

FRENCH = re.compile("[♠♥♦♣]|spades|diamonds|clubs")


@pytest.mark.parametrize(
    ("text", "german", "hungarian"),
    [
        ("♠Q ♥T ♦9, ♣A", "leaves O, hearts 10, bells 9, acorns D", "leaves F, hearts X, bells IX, acorns Á"),
        ("Name ♣ clubs", "Name acorns", "Name acorns"),
        ("1:♠J  2:♦8", "1:leaves U  2:bells 8", "1:leaves A  2:bells VIII"),
        ("you must follow diamonds", "you must follow bells", "you must follow bells"),
        ("trump ♥", "trump hearts", "trump hearts"),
    ],
)
def test_texts(text, german, hungarian):
    assert in_face(text, "french") == text
    assert in_face(text, "german") == german
    assert in_face(text, "hungarian") == hungarian


@each_variant
def test_no_picture_of_another_face_has_a_french_suit_in_its_words(variant):
    env, suits = variant.env(), 0
    for _ in positions(env, seed=41, episodes=1, share=0.2):
        for face in FACES:
            shapes = draw_scene("Table", env.picture("all").scene, face)
            words = " ".join(shape.text for shape in shapes if isinstance(shape, Words))
            suits += bool(FRENCH.search(words))
            assert face == "french" or not FRENCH.search(words)
    assert suits or variant.env_id == "preferans_v0"  # whose words name games


def test_films_speak_as_their_face_does():
    scene = Scene(("trump ♠",), sheet=(("suit", "worth"), ("♦", "3")))
    films = {face: Film("deal", [Frame("player_0: ♣Q", scene, [("♠A", "+1")])], face) for face in FACES}
    pages = {face: json.loads(_data(to_page("deals", [film]))) for face, film in films.items()}
    (frame,) = pages["german"]["deals"][0]["frames"]
    assert (frame["words"], frame["lines"]) == ("player_0: acorns O", [["", "trump leaves"]])
    assert (frame["values"], frame["sheet"]) == ([["leaves D", "+1"]], [["suit", "worth"], ["bells", "3"]])
    assert "trump ♠" in json.dumps(pages["french"], ensure_ascii=False)
    assert "leaves" in to_moving_svg("deal", films["hungarian"])


def _data(page: str) -> str:
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page)
    return found
