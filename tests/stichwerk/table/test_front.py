"""The front door in a real browser, and what the table shows besides cards."""

import json
import random
from itertools import pairwise

import pytest

from stichwerk.envs.games import make_game
from stichwerk.table.opponents import seat_names
from stichwerk.table.positions.exercises import exercise_of
from stichwerk.table.positions.position import position_of
from stichwerk.table.records.saved import restored, saved
from stichwerk.table.table import Table

pytest.importorskip("starlette", reason="needs the extra play")
from tests.stichwerk.table.test_browser import (
    AT_ONCE,
    act_by,
    against_agents,
    clicking,
    play_by,
    settle,
    sit,
    tables,
)

__all__ = ["sit", "tables"]  # fixtures


@pytest.fixture
def door(visit, tables):
    """`door(width)`: the front door."""

    def opened(width):
        size = {"width": width, "height": 760}
        page = visit(f"http://{tables.at}/", AT_ONCE.replace("FACE", "french"), viewport=size)
        page.locator("#games label").first.wait_for()
        return page

    return opened


def test_a_deal_from_the_front_door_counts_in_the_statistics(door, tables):
    page = door(1400)
    page.get_by_text("Schnapsen", exact=True).first.click()
    page.locator("#level").select_option("beginner")
    page.locator("[name=length][value=deal]").check()
    page.locator("#begin").click()
    page.locator("#plate .plate").wait_for()
    table = tables.rooms._rooms[-1].table
    assert table.episode == "deal"
    assert page.locator(".seat .level").text_content() == "beginner"
    play_by(page, table, clicking(random.Random(1)))
    page.locator("#costs").click()
    page.locator("#costly").wait_for()
    page.locator("h1 a").click()
    page.locator("#statistics td").first.wait_for()
    cells = page.locator("#statistics tr:last-child > *").all_text_contents()
    assert cells[:3] == ["Schnapsen", "beginner", "1"]
    assert cells[5:8] == ["Schnapsen", "game points", "1"]  # by kind of decision
    assert all(float(each) >= 0 for each in cells[8:])
    assert page.locator("#going li").count() == 1
    page.locator("#statistics [name=delete]").click()
    page.locator("#statistics").wait_for(state="hidden")


@pytest.mark.parametrize("width", [360, 1400])
def test_the_front_door_fits_its_window(door, width):
    page = door(width)
    page.get_by_text("Balkan Preferans", exact=True).first.click()
    page.locator("summary").click()
    page.locator("#options label").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_wishes_that_cannot_be_are_told(door):
    page = door(1400)
    page.get_by_text("Schnapsen", exact=True).first.click()
    page.locator("summary").click()
    page.locator("#options [name=target]").fill("99999")
    page.locator("summary").click()
    page.locator("#begin").click()
    page.locator("#options [name=target]:invalid").wait_for()  # unfolded again
    page.locator("#options [name=target]").evaluate("each => each.removeAttribute('max')")
    page.locator("#begin").click()
    page.locator("#fault:not(:empty)").wait_for()
    assert "target" in page.locator("#fault").text_content()


def test_several_people_get_links(door, tables):
    page = door(1400)
    page.get_by_text("Schnapsen", exact=True).first.click()
    page.locator("#people").select_option("2")
    page.locator("#begin").click()
    page.locator("#links li").nth(1).wait_for()
    links = [each.get_attribute("href") for each in page.locator("#links a").all()]
    table = tables.rooms._rooms[-1].table
    assert [link.rpartition("/")[2] for link in links] == list(table.secrets.values())


# The table


def test_everything_to_play_with_is_seen_on_a_phone(sit):
    """Hand, trick, trump, score and buttons, without scrolling."""
    game = make_game("schnapsen_v0")
    names = seat_names([None, "rules"], "club", random.Random(1))
    table = Table(game, [None, "rules"], "match", seed=11, names=names)
    page = sit(table, viewport={"width": 360, "height": 740})
    settle(page, table)
    page.locator("#hand button.legal").first.click()
    settle(page, table)
    for place in ("#hand", "#trick", "#trump", "#score table", "#actions", ".seat .plate"):
        box = page.locator(place).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 740, place
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360, place
    assert page.locator("#trump").get_attribute("aria-label").startswith("Trump: ")


def test_suits_of_the_hand_lie_together_in_colours_in_turn(sit):
    page = sit(against_agents("preferans_v0", "rules"))
    cards = [each.get_attribute("data-card") for each in page.locator("#hand button").all()]
    suits = [card[0] for card in cards]
    runs = [suit for place, suit in enumerate(suits) if not place or suits[place - 1] != suit]
    assert len(runs) == len(set(runs))
    red = [suit in "hd" for suit in runs]
    if abs(red.count(True) - red.count(False)) < 2:
        assert all(one != other for one, other in pairwise(red))


def test_all_hands_lie_open_after_a_deal_against_agents(sit):
    table = against_agents("schnapsen_v0", "rules")
    page = sit(table)
    settle(page, table)
    assert page.locator(".seat .card[aria-label='face-down card']").count()
    play_by(page, table, clicking(random.Random(3)))
    assert page.locator(".seat .card[aria-label='face-down card']").count() == 0


def test_the_hands_of_people_stay_hidden_after_a_deal():
    table, rng = Table(make_game("schnapsen_v0"), [None, None], seed=3), random.Random(3)
    while not table.result:
        table.act(table.turn, str(rng.choice(table.legal(table.turn))))
    for seat in (0, 1):
        seen = table.game.scene(table.view(seat), seat)
        told = table.message(seat)["scene"]["hands"]
        assert [hand["cards"] for hand in told] == [list(hand.cards) for hand in seen.hands]
        assert "" in told[1]["cards"]


def test_who_has_left_is_told(sit):
    table = Table(make_game("schnapsen_v0"), [None, None], seed=3)
    pages = [sit(table, seat) for seat in (0, 1)]
    pages[0].locator(".away").wait_for(state="detached")
    pages[1].close()
    pages[0].locator(".away").wait_for()
    assert pages[0].locator("#says").text_content() == "Player 1 has left."


def test_an_agent_plays_for_somebody_who_has_left_until_that_one_is_back(sit, tables):
    game = make_game("schnapsen_v0")
    table = Table(game, [None, None], seed=3)
    waits = 1 if table.turn == 0 else 0  # the one who is left plays a card, then the other is to act
    pages = [sit(table, seat) for seat in (0, 1)]
    pages[1 - waits].locator("#settings").click()
    pages[1 - waits].locator("#name").fill("Resi (club)")
    pages[1 - waits].keyboard.press("Tab")
    pages[waits].get_by_text("Resi [club]").first.wait_for()
    away, here = pages[waits], pages[1 - waits]
    away.close()
    here.locator("#hand button.legal").first.click()
    here.locator(f"#actions [data-action='cover {waits}']").click()
    here.get_by_text("an agent plays").wait_for()
    assert table.covered == {waits}
    assert restored(json.loads(json.dumps(saved(table)))).covered == {waits}
    sit(table, waits)
    here.locator(".away").wait_for(state="detached")
    assert table.covered == set()
    assert set(table.agents) == set()


def test_card_points_are_hidden_by_choice_and_a_doubtful_claim_is_warned_of_once(sit):
    table = against_agents("schnapsen_v0")
    page = sit(table)
    page.set_default_timeout(20_000)
    settle(page, table)
    assert "points" in page.locator(".seat .notes").text_content()
    page.locator("#settings").click()
    page.locator("#points").select_option("hidden")
    assert "points" not in page.locator(".seat .notes").text_content()
    assert "tricks" in page.locator(".seat .notes").text_content()
    claim = page.locator("#actions [data-action=claim]")
    while not claim.count() and not table.result:
        act_by(page, table, lambda page: page.locator("#hand button.legal").first.click())
    before = table.version
    claim.click()
    page.locator("#says.warning").wait_for()
    assert table.version == before
    claim.click()
    page.locator("#result").wait_for()
    assert "points" in page.locator(".seat .notes").text_content()  # the deal is over


def test_a_claim_that_must_be_right_is_not_doubtful():
    start = position_of(game := make_game("schnapsen_v0"), exercise_of(game, 3))
    table = Table(start.game, [None if seat == start.person else "random" for seat in (0, 1)], start=start)
    assert table.message(start.person)["doubtful"] == ["claim"]
    table.act(start.person, "meld d")
    assert "claim" in table.legal(start.person)
    assert table.message(start.person)["doubtful"] == []


def test_the_ring_is_for_those_who_go_by_keys(sit):
    page = sit(against_agents("schnapsen_v0", "rules"))
    page.locator("#hand button.legal").first.wait_for()
    ring = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate("document.activeElement.dataset.action")
    assert page.evaluate(ring) == "none"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(ring) != "none"
