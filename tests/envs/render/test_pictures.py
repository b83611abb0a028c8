"""Pictures of tables: they show what a seat may see and no more, and every word in them can be read."""

import copy
import importlib
import io
import random
import re
import sys
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import render_test
from PIL import Image

from stichwerk.envs import CardGameEnv, InputError
from stichwerk.envs.render import Picture, colours
from stichwerk.envs.render.cards import TALL, card_parts
from stichwerk.envs.render.paths import polygons
from stichwerk.envs.render.pixels import FINER, font_of
from stichwerk.envs.render.shapes import FACES, Box, Card, Path, Turned, Words, width, wrapped
from stichwerk.envs.render.table import HEIGHT, TABLE, TINY, WIDTH
from stichwerk.envs.spec.scene import BACK, SPECTATOR, Pile, Scene
from stichwerk.support.extras import MissingExtra
from tests.envs.support import (
    each_game,
    each_variant,
    model_of,
    over,
    positions,
    thoroughly,
    true_state,
)


def drawn(env: CardGameEnv, states: np.ndarray, seat: int) -> tuple:
    """All that is drawn of a state for a seat."""
    view = states if seat == SPECTATOR else env.view_of(states, seat)
    return Picture(env.game.title, env.game.scene(view, seat)).shapes


@each_variant
def test_hidden_cards_change_nothing_in_a_picture(variant):
    """And what a spectator is shown they do change."""
    env, rng, noticed = variant.env(episode="match"), random.Random(1), 0
    for _ in positions(env, seed=31, share=0.05):
        state = true_state(env)
        for seat in range(env.game.seats):
            world = variant.model.redeal(env.game, state, seat, rng)
            assert drawn(env, state, seat) == drawn(env, world, seat)
            noticed += drawn(env, state, SPECTATOR) != drawn(env, world, SPECTATOR)
    assert noticed > 2


@each_variant
def test_pictures_show_every_card_that_a_hand_holds(variant):
    """The own hand and a spectator's hands have no backs; other hands are as large as they are."""
    env = variant.env()
    for _ in positions(env, seed=32, episodes=2, share=0.2):
        state = true_state(env)
        full = env.game.scene(state, SPECTATOR)
        assert not any(BACK in hand.cards for hand in full.hands)
        for seat in range(env.game.seats):
            scene = env.game.scene(env.view_of(state, seat), seat)
            assert scene.hands[0].seat == seat
            for hand in scene.hands:
                (same,) = (each for each in full.hands if each.seat == hand.seat)
                assert len(hand.cards) == len(same.cards)
                assert {*hand.cards} - {BACK} <= {*same.cards}
                assert hand.played in (same.played, BACK)
            assert scene.hands[0].cards == full.hands[seat].cards


def extent(words: Words) -> tuple[float, float, float, float]:
    """Where the letters stand: left, upper, right, lower."""
    font = font_of(round(FINER * words.size))
    left, upper, right, lower = (edge / FINER for edge in font.getbbox(words.text, anchor="ls"))
    shift = words.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[words.at] * right
    return shift + left, words.y + upper, shift + right, words.y + lower


def meet(one: tuple, other: tuple) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def check_that_it_can_be_read(shapes: tuple) -> None:
    """No word leaves its part of the picture, lies on another one, or on a card."""
    words = [each for each in shapes if isinstance(each, Words)]
    places = [extent(each) for each in words]
    cards = [
        (each.x, each.y, each.x + each.wide, each.y + each.wide * TALL)
        for each in shapes
        if isinstance(each, Card)
    ]
    for each, (left, upper, right, lower) in zip(words, places, strict=True):
        edge = (
            TABLE - 8
            if left < TABLE and any(isinstance(shape, Box) and shape.fill == colours.FELT for shape in shapes)
            else WIDTH
        )
        assert left >= 8, each.text
        assert right <= edge, each.text
        assert upper >= 8, each.text
        assert lower <= HEIGHT - 8, each.text
        assert not any(meet((left, upper, right, lower), card) for card in cards), each.text
    for (one, here), (other, there) in combinations(zip(words, places, strict=True), 2):
        assert not meet(here, there), f"{one.text!r} lies on {other.text!r}"
    for left, upper, right, lower in cards:
        assert left >= 8
        assert upper >= 8
        assert right <= WIDTH - 8
        assert lower <= HEIGHT - 8


@each_variant
def test_everything_can_be_read(variant):
    env = variant.env(episode="match")
    for _ in positions(env, seed=33, share=0.04):
        check_that_it_can_be_read(env.picture().shapes)
        check_that_it_can_be_read(env.picture("all").shapes)
    while not over(env):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    check_that_it_can_be_read(env.picture().shapes)


@each_game
@settings(thoroughly, max_examples=15)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_pictures_under_any_rules(env_id, data, seed):
    """They can be read, and show nothing of cards that the seat cannot know."""
    rules = data.draw(model_of(env_id).rules(), "rules")
    env = CardGameEnv(env_id, rules)
    for _ in positions(env, seed, share=0.1):
        onlooker = data.draw(st.sampled_from(range(env.game.seats)))
        state = true_state(env)
        world = model_of(env_id).redeal(env.game, state, onlooker, random.Random(seed))
        shapes = drawn(env, state, onlooker)
        assert drawn(env, world, onlooker) == shapes
        check_that_it_can_be_read(shapes)
        check_that_it_can_be_read(env.picture("all").shapes)


@each_game
def test_a_game_without_a_scene_is_drawn_as_its_text(env_id):
    env = CardGameEnv(env_id)
    plain = replace(env.game, spec=replace(env.game.spec, scene=None))
    for _ in positions(env, seed=34, share=0.1):
        seat = int(env.agent_selection.removeprefix("player_"))
        scene = plain.scene(env.view(env.agent_selection), seat)
        assert "\n".join(scene.lines) == plain.text(env.view(env.agent_selection), seat)
        check_that_it_can_be_read(Picture("Plain", scene).shapes)
        check_that_it_can_be_read(Picture("Plain", plain.scene(true_state(env), SPECTATOR)).shapes)


# Forms


@each_game
def test_svg_needs_nothing_from_outside(env_id):
    env = CardGameEnv(env_id, render_mode="svg")
    env.reset(seed=1)
    text = env.render()
    root = ElementTree.fromstring(text)
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))
    assert re.findall(r"https?:[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    drawn_cards = len([*root.iter("{http://www.w3.org/2000/svg}use")])
    scene = env.picture().scene
    assert drawn_cards == sum(len(each.cards) for each in (*scene.hands, *scene.piles))


@each_game
def test_pettingzoo_checks_every_form(env_id):
    module = importlib.import_module(f"stichwerk.envs.{env_id}")
    render_test(module.env, {"svg": lambda text: text.startswith("<svg")})


def test_pixels_are_the_same_picture():
    env = CardGameEnv("schnapsen_v0", render_mode="rgb_array")
    env.reset(seed=1)
    pixels = env.render()
    assert (pixels.shape, pixels.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
    assert (pixels == env.picture().pixels()).all()
    felt = tuple(bytes.fromhex(colours.FELT[1:]))
    assert (pixels == felt).all(axis=2).mean() > 0.4, "the table is there"
    Image.fromarray(pixels).save(io.BytesIO(), "PNG")


def test_a_spectator_has_one_place():
    """Videos of a spectator do not turn the table with the seat to act."""
    env = CardGameEnv("snapszer_v0", render_mode="ansi", render_seat="all")
    fronts = set()
    for _ in positions(env, seed=35):
        fronts.add(env.picture().scene.hands[0].seat)
        assert env.render().count("deal 1, ") == env.game.seats, "as a text, what every seat sees"
    assert fronts == {0}
    assert env.picture("player_2").scene.hands[0].seat == 2


def test_notebooks_show_the_table():
    from stichwerk.envs import schnapsen_v0

    env = schnapsen_v0.env()
    assert env._repr_svg_() is None, "there is nothing to show yet"
    env.reset(seed=1)
    assert env._repr_svg_() == env.unwrapped.picture()._repr_svg_() == env.unwrapped.picture().svg()


# Cards


@pytest.mark.parametrize("face", FACES)
def test_cards_of_every_face_lie_within_their_edge_and_differ(face):
    pack = ["", *(f"{suit}{rank}" for suit in "shdc" for rank in "AKQJT98765432")]
    drawn = {card: card_parts(card, face) for card in pack}
    assert len({*drawn.values()}) == len(pack)
    for parts in drawn.values():
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, Turned) else (part,))]
        for path in (part for part in flat if isinstance(part, Path)):
            for x, y in (point for polygon in polygons(path.path) for point in polygon):
                assert 0 <= path.x + path.size * x <= 100
                assert 0 <= path.y + path.size * y <= 150


def test_faces_are_chosen():
    pictures = {}
    for face in FACES:
        env = CardGameEnv("schnapsen_v0", render_mode="svg", render_face=face)
        env.reset(seed=1)
        pictures[face] = env.render()
        assert copy.deepcopy(env).render() == pictures[face]
    assert len({*pictures.values()}) == len(FACES)
    with pytest.raises(InputError, match="render_face: got 'swiss'; expected one of french, german"):
        CardGameEnv("schnapsen_v0", render_face="swiss")


def test_arcs_are_parts_of_circles():
    (circle,) = polygons("M0-40A40 40 0 0 1 40 0A40 40 0 1 1 0-40Z")
    assert all(x * x + y * y == pytest.approx(1600) for x, y in circle)
    assert min(x for x, _ in circle) == pytest.approx(-40, abs=0.5)
    assert polygons("M1 2H5V7L1 2ZM0 0Q1 2 2 0")[0] == ((1, 2), (5, 2), (5, 7), (1, 2), (1, 2))
    assert polygons("M0 0Q1 2 2 0")[0][6] == pytest.approx((1, 1))
    assert polygons("M0 0C0 1 2 1 2 0")[0][6] == pytest.approx((1, 0.75))


@each_variant
def test_cards_that_may_be_played_are_marked_for_those_who_see_them(variant):
    env = variant.env()
    for _ in positions(env, seed=36, episodes=1, share=0.3):
        turn = env.agent_selection
        mask = env.observe(turn)["action_mask"]
        legal = {env.game.actions[action].card for action in np.flatnonzero(mask)}
        for seat in (*env.possible_agents, "all"):
            picture = env.picture(seat)
            marked = {each.name for each in picture.shapes if isinstance(each, Card) and each.marked}
            (hand,) = (hand for hand in picture.scene.hands if f"player_{hand.seat}" == turn)
            assert marked == ({*hand.cards} & legal if seat in (turn, "all") else set())


@each_variant
def test_a_back_lies_at_a_name_for_each_trick_won(variant):
    env, most = variant.env(), 0
    for _ in positions(env, seed=37, episodes=6, share=0.4):
        tiny = [each for each in env.picture().shapes if isinstance(each, Card) and each.wide == TINY]
        tricks = int(true_state(env)[0].tricks.sum())
        assert len(tiny) == tricks
        assert not {each.name for each in tiny} - {BACK}
        most = max(most, tricks)
    assert most


# Bad input, and what is missing


def test_an_unknown_seat():
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    with pytest.raises(InputError, match="'north'; expected 0 to 1 or player_0, player_1"):
        env.picture("north")


def test_a_missing_pillow_is_named_at_once(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "PIL"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtra, match=r'pip install "stichwerk\[render\]"'):
        CardGameEnv("schnapsen_v0", render_mode="rgb_array")
    env = CardGameEnv("schnapsen_v0", render_mode="svg")
    env.reset(seed=1)
    assert env.render().startswith("<svg"), "which needs no Pillow"


def test_more_piles_than_there_is_room_for():
    with pytest.raises(ValueError, match="scene: got 3 piles; expected at most 2"):
        Scene((), piles=(Pile("stock", ()),) * 3)


# Text


def test_widths_are_never_less_than_those_of_the_letters():
    for code in (*range(32, 127), *map(ord, "♠♥♦♣öäüß…∩△")):
        assert width(chr(code), 100) >= font_of(100).getlength(chr(code)), chr(code)


def test_lines_break_where_they_may():
    assert wrapped("score 0 : 7 to 9", 10, 50) == ["score", "0\xa0:\xa07 to", "9"]
    assert "".join(wrapped("x" * 50, 10, 60)) == "x" * 50
