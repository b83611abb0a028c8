"""The pages as axe-core judges them, a checker of accessibility that `make axe` brings here."""

import random
from itertools import product

import pytest

pytest.importorskip("starlette", reason="needs the extra play")
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.table.positions.exercises import exercise_of
from stichwerk.table.positions.position import position_of
from stichwerk.table.table import Table
from tests.axe import AXE, faults
from tests.stichwerk.table.test_browser import LEGAL, against_agents, clicking, play_by, settle, sit, tables

__all__ = ["sit", "tables"]  # fixtures
pytestmark = pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: `make axe` brings it")
QUICK = [(360, "dark", "green"), (1400, "light", "green")]
LOOKS = [
    pytest.param(*look, marks=[] if look in QUICK else pytest.mark.slow)
    for look in product((360, 1400), ("light", "dark"), ("green", "plain"))
]


@pytest.mark.parametrize(("width", "scheme", "cloth"), LOOKS)
def test_a_table(sit, width, scheme, cloth):
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    table, rng = against_agents("schnapsen_v0", "rules"), random.Random(4)
    page = sit(table, **look)
    page.locator("#settings").click()
    page.locator("#cloth").select_option(cloth)
    settle(page, table)
    page.keyboard.press("h")
    page.locator("#says.hint").wait_for()
    page.keyboard.press("a")
    page.locator("#study-table .chosen").first.wait_for()
    assert faults(page) == []
    for button in ("rules", "position"):
        page.locator(f"#{button}").click()
        page.locator("dialog[open]").wait_for()
        assert faults(page) == []
        page.keyboard.press("Escape")
    page.locator("#position").click()
    page.locator("#arrange").click()
    page.locator("#arranged-places button").first.click()
    assert faults(page) == []
    page.keyboard.press("Escape")
    play_by(page, table, clicking(rng))
    page.locator("#costs").click()
    page.locator("#costly").wait_for()
    assert faults(page) == []


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1400, "dark")])
def test_other_tables_and_records(sit, width, scheme):
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    game = make_game("schnapsen_v0")
    watched = sit(Table(game, ["random", "random"], seed=1), SPECTATOR, **look)
    watched.keyboard.press("p")
    watched.locator("#pause").wait_for()
    assert faults(watched) == []
    start = position_of(game, exercise_of(game, 1))
    table = Table(start.game, [None if seat == start.person else "random" for seat in (0, 1)], start=start)
    page = sit(table, start.person, **look)
    page.locator(LEGAL).first.click()
    page.locator("#choice-text:not(:empty)").wait_for()
    assert faults(page) == []
    play_by(page, table, clicking(random.Random(1)))
    page.goto(page.url.replace("/table/", "/record/"))
    page.locator("#moves li").first.wait_for()
    assert faults(page) == []
