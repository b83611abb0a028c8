"""The page of `stichwerk show --html` in a real browser: Chromium, where it and Playwright are installed."""

import pytest

from stichwerk.commands import show
from stichwerk.envs import CardGameEnv
from tests.agents.support import here
from tests.envs.records.test_records import END, played

WIDTHS = 360, 1400


@pytest.fixture
def page(browser, tmp_path):
    """`page(…)`: the page of a deal of Schnapsen and one of Preferans, in a tab of these settings."""
    text = ""
    for env_id in ("schnapsen_v0", "preferans_v0"):
        env = played(CardGameEnv(env_id), 4, END)
        text += env.record(players=[f"<b>agent</b> {seat}" for seat in range(env.game.seats)])
    (tmp_path / "deals.jsonl").write_text(text)
    assert here(show.main, tmp_path / "deals.jsonl", "--html", tmp_path / "deals.html") == 0
    faults: list[str] = []

    def opened(**settings):
        page = browser.new_page(**settings)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
        page.goto((tmp_path / "deals.html").as_uri())
        return page

    yield opened
    assert not faults


def words(page) -> str:
    """What stands beside the number of the step."""
    return page.locator("#words").text_content().partition("  ")[2]


def test_keys_step_through_the_deals(page):
    page = page()
    shapes = page.locator("#shapes")
    assert words(page) == "dealt"
    dealt = shapes.inner_html()
    page.keyboard.press("ArrowRight")
    first = page.locator("#moves li").nth(1).text_content()
    assert words(page) == first
    assert shapes.inner_html() != dealt
    page.keyboard.press("ArrowLeft")
    assert (words(page), shapes.inner_html()) == ("dealt", dealt)
    page.keyboard.press("End")
    assert words(page) == page.locator("#moves li").last.text_content()
    page.keyboard.press("PageDown")
    assert page.locator("#deal").input_value() == "1"
    assert "Preferans" in page.locator("#deal option:checked").text_content()
    page.keyboard.press("Home")
    assert words(page) == "dealt"


def test_the_deals_play_themselves(page):
    page = page()
    page.locator("#speed").select_option("fast")
    page.locator("#play").click()
    page.get_by_text("❚❚").wait_for()
    page.wait_for_function("document.getElementById('words').textContent.startsWith('3 / ')")
    page.locator("h1").click()
    page.keyboard.press("p")
    page.get_by_text("▶").wait_for()
    before = words(page)
    page.wait_for_timeout(500)
    assert words(page) == before


def test_a_click_goes_to_a_move(page):
    page = page()
    third = page.locator("#moves li").nth(3)
    third.click()
    assert words(page) == third.text_content()
    assert third.get_attribute("aria-current") is not None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_leaves_the_window(page, width, scheme):
    page = page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [page.locator(each).bounding_box() for each in ("#table", "nav", "aside")]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    dark = [sum(map(int, each[4:-1].split(","))) < 3 * 128 for each in (ink, paper)]
    assert dark == ([False, True] if scheme == "dark" else [True, False])


def test_names_are_text_and_no_markup(page):
    page = page()
    assert page.locator("main b").count() == 0
    assert "<b>agent</b> 0" in page.locator("#deal option:checked").text_content()
