"""The page under foreign settings of a browser and a keyboard, and with agents that do not answer."""

import random
import time

import pytest

from stichwerk.envs.games import make_game
from stichwerk.envs.render.names import suit_names
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.table.table import Table

pytest.importorskip("starlette", reason="needs the extra play")
from tests.stichwerk.table.served import served
from tests.stichwerk.table.test_browser import (
    act_by,
    against_agents,
    clicking,
    settle,
    sit,
)
from tests.stichwerk.table.test_playing import AGENTS

__all__ = ["sit"]  # a fixture


@pytest.fixture(scope="module")
def tables():
    with served(patience=1.0) as running:
        yield running


# Storage that cannot be used, in the ways in which browsers say so.
BLOCKED = {
    "asked": """for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });""",
    "missing": """for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, { value: null });""",
    "full": """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
      Storage.prototype.getItem = () => { throw new DOMException("broken", "UnknownError"); };""",
}


@pytest.mark.parametrize("how", BLOCKED)
def test_a_player_needs_no_storage(sit, tables, how):
    table = against_agents("schnapsen_v0")
    page = sit(table, script=BLOCKED[how])
    settle(page, table)
    page.locator("#settings").click()
    page.locator("#face").select_option("german")
    page.locator(
        ", ".join(f"#hand [aria-label$='of {suit}']" for suit in suit_names("german").values())
    ).first.wait_for()
    page.locator("#speed").select_option("0")
    act_by(page, table, clicking(random.Random(1)))
    page.locator("#new").click()
    page.wait_for_url(lambda url: table.secrets[0] not in url)
    page.locator("#plate .plate").wait_for()
    assert page.locator("#back").is_hidden()  # the way back is kept by the browser alone
    settle(page, tables.rooms._rooms[-1].table)


@pytest.mark.parametrize("how", BLOCKED)
def test_who_looks_on_needs_no_storage(sit, how):
    table = Table(make_game("schnapsen_v0"), ["random", "rules"], seed=2)
    page = sit(table, SPECTATOR, script=BLOCKED[how])
    page.locator("#look").select_option("all")
    page.locator("#seats .card[aria-label='face-down card']").first.wait_for(state="detached")
    for _ in range(500):
        if table.version > 3:
            return
        page.wait_for_timeout(20)
    pytest.fail("the page stands still")


# What keys type in some layouts, by their place: Serbian, Russian, Greek, Hebrew, Arabic, French, with caps
# lock and a Japanese input method.
LAYOUTS = [
    {"KeyH": "х", "KeyR": "р", "KeyA": "а"},
    {"KeyH": "р", "KeyR": "к", "KeyA": "ф"},
    {"KeyH": "η", "KeyR": "ρ", "KeyA": "α"},
    {"KeyH": "י", "KeyR": "ר", "KeyA": "ש"},
    {"KeyH": "ا", "KeyR": "ق", "KeyA": "ش"},
    {"KeyH": "h", "KeyR": "r", "KeyQ": "a"},
    {"KeyH": "H", "KeyR": "R", "KeyA": "A"},
    {"KeyH": "Process", "KeyR": "Process", "KeyA": "Process"},
    {"KeyJ": "h", "KeyO": "r", "KeyA": "a"},
]
PRESS = """([code, key]) => (document.activeElement || document.body).dispatchEvent(
  new KeyboardEvent("keydown", { code, key, bubbles: true, cancelable: true }))"""


@pytest.fixture
def seated(sit):
    """One page for all layouts."""
    table = against_agents("schnapsen_v0", "rules")
    page = sit(table)
    settle(page, table)
    return page


def test_keys_of_all_layouts(seated):
    for layout in LAYOUTS:
        hint, rules, agents = layout.items()
        seated.evaluate(PRESS, hint)
        seated.locator("#says.hint").wait_for()
        seated.evaluate(PRESS, agents)
        seated.locator("#study").wait_for()
        seated.evaluate(PRESS, agents)
        seated.locator("#study").wait_for(state="hidden")
        seated.evaluate(PRESS, rules)
        seated.locator("#book[open]").wait_for()
        seated.keyboard.press("Escape")
        seated.evaluate("document.querySelector('#says').className = ''")
    for code, key in (("KeyQ", "й"), ("KeyJ", "о"), ("", "н"), ("Digit1", "1"), ("KeyX", "Dead")):
        seated.evaluate(PRESS, [code, key])
    seated.wait_for_timeout(100)
    assert seated.locator("#says.hint, #study:not([hidden]), #book[open]").count() == 0


# Agents


@pytest.mark.parametrize("width", [360, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_another_agent_is_seated_on_the_page(sit, module, width, scheme):
    module(AGENTS)
    table = against_agents("schnapsen_v0", "python:my_module:sleeping")
    page = sit(table, viewport={"width": width, "height": 760}, color_scheme=scheme)
    if table.turn == 0:
        page.locator("#hand button.legal").first.click()
    page.locator("#stalled").wait_for(timeout=30_000)
    assert page.locator("#stalled-text").text_content() == (
        "python:my_module:sleeping has not answered for 1 seconds."
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#stalled").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    for control in ("#other-agent", "#replace"):
        ink, paper = page.locator(control).evaluate(
            "each => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor]"
            ".map(colour => colour.match(/\\d+/g).reduce((sum, part) => sum + +part, 0))"
        )
        assert abs(ink - paper) > 300, "it can be read"
    page.locator("#other-agent").select_option("rules")
    page.locator("#replace").click()
    page.locator("#stalled").wait_for(state="hidden")
    settle(page, table)
    assert table.seats == (None, "rules")


# The record before the end of a deal


def test_a_record_without_a_deal_says_so(sit):
    table = against_agents("schnapsen_v0")
    page = sit(table)
    settle(page, table)
    page.goto(page.url.replace("/table/", "/record/") + "#last.3")
    page.get_by_text("No deal is over yet.").wait_for()
    for key in ("p", "End", "PageDown"):
        page.keyboard.press(key)


# Texts from elsewhere


def test_a_file_of_powershell_is_opened(sit, tables, tmp_path):
    table = against_agents("schnapsen_v0", "rules")
    page = sit(table)
    settle(page, table)
    line = table.position(0)
    page.locator("#position").click()
    for number, encoding in enumerate(("utf-16", "utf-16-be", "utf-16-le", "utf-8-sig")):
        file = tmp_path / f"{number}.txt"
        file.write_bytes(f"> {line}\r\n".encode(encoding))
        page.locator("#opened-text").fill("")
        page.locator("#opened-file").set_input_files(file)
        for _ in range(100):
            if page.locator("#opened-text").input_value() == f"> {line}\n":
                break
            time.sleep(0.02)
        else:
            pytest.fail(encoding)
    page.locator("#open").click()
    page.locator("#back").wait_for()
    opened = tables.rooms._rooms[-1].table
    settle(page, opened)
    assert opened.position(0) == line
