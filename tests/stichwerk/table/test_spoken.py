"""Whole deals in a real browser in each language: by keys, with no English word left on a page."""

import random

import pytest

from stichwerk.envs.games import GAMES, OWN_GAMES, make_game
from stichwerk.table.languages import LANGUAGES
from stichwerk.table.opponents import seat_names
from stichwerk.table.table import Table

pytest.importorskip("starlette", reason="needs the extra play")
from tests.envs.support import few
from tests.stichwerk.table.test_browser import act_by, clicking, play_by, settle, sit, tables
from tests.stichwerk.table.test_languages import OTHERS, foreign_to, left

__all__ = ["sit", "tables"]  # fixtures
VISIBLE = """() => {
  const told = [];
  for (const each of document.querySelectorAll("body, body *")) {
    if (each.closest("kbd, [lang]:not(html), script") || !each.checkVisibility() && each.tagName !== "OPTION")
      continue;
    for (const name of ["title", "aria-label", "placeholder"]) told.push(each.getAttribute(name));
    for (const node of each.childNodes) if (node.nodeType === Node.TEXT_NODE) told.push(node.data.trim());
  }
  return [document.title, ...told].filter(Boolean);
}"""
"""All that a reader of a page sees or hears, but names of keys and of languages."""
DEALS = [
    pytest.param(env_id, code, marks=[] if number == place % len(OWN_GAMES) else pytest.mark.slow)
    for place, code in enumerate(LANGUAGES)
    for number, env_id in enumerate(OWN_GAMES)
]


@pytest.fixture(autouse=True)
def own_games(monkeypatch):
    """Other tests of this process register games of their own, whose texts have no translation."""
    monkeypatch.setattr(GAMES, "_entries", {env_id: GAMES[env_id] for env_id in OWN_GAMES})


def table_of(env_id: str, agent: str = "random", names: list[str] | None = None) -> Table:
    game = make_game(env_id)
    seats = [None, *[agent] * (game.seats - 1)]
    return Table(game, seats, names=names or seat_names(seats, "club", random.Random(1)), seed=3)


@pytest.mark.parametrize(("env_id", "code"), DEALS)
def test_a_deal_is_played_by_keys_in_each_language(sit, env_id, code):
    table, rng, told = table_of(env_id), random.Random(2), set()
    page = sit(table, locale=code)
    assert page.locator("html").get_attribute("lang") == code
    for opens, opened in (("rules", "#book"), ("position", "#positions"), ("settings", "#choices")):
        page.locator(f"#{opens}").click()
        page.locator(opened).wait_for()
        told |= {*page.evaluate(VISIBLE)}
        if opened != "#choices":
            page.keyboard.press("Escape")
            page.locator(opened).wait_for(state="hidden")

    def press(page) -> None:
        told.update(page.evaluate(VISIBLE))
        for _ in range(1 + rng.randrange(3)):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    play_by(page, table, press)
    told |= {*page.evaluate(VISIBLE)}
    assert table.result
    assert len(told) > 50
    assert not left(told, foreign_to(code))


@pytest.mark.parametrize("code", few(1, ["sr", *OTHERS]))
def test_the_rest_of_the_table_speaks_each_language(sit, tables, code):
    """Hints, ratings, refusals, positions, judgements, the record, and the front door after a deal."""
    table, told = table_of("schnapsen_v0", "rules"), set()
    page = sit(table, locale=code)
    settle(page, table)

    def look() -> None:
        told.update(page.evaluate(VISIBLE))

    page.keyboard.press("h")
    page.locator("#says.hint").wait_for()
    look()
    page.keyboard.press("a")
    page.locator("#study-table .chosen").first.wait_for()
    page.locator("#study-all").check()
    page.locator("#study-choices button").click()
    page.locator("#study-table .chosen").first.wait_for()
    look()
    page.keyboard.press("a")
    page.locator("#position").click()
    page.locator("#arrange").click()
    page.locator("#arranged-places button").first.wait_for()
    look()
    page.keyboard.press("Escape")
    forbidden = page.locator("#hand button:not(.legal)")
    while not table.result:
        if forbidden.count():
            forbidden.first.click(force=True)
            page.locator("#says.refusal").wait_for()
            look()
        act_by(page, table, clicking(random.Random(1)))
    page.locator("#costs").click()
    page.locator("#costly").wait_for()
    look()
    page.goto(page.locator("#review").evaluate("each => each.href"))
    page.locator("#moves li").first.wait_for()
    look()
    page.goto(f"http://{tables.at}/")
    page.locator("#statistics tr").nth(1).wait_for()
    page.locator("#going li").wait_for()
    look()
    assert not left(told, foreign_to(code))


@pytest.mark.parametrize("code", few(1, OTHERS))
def test_the_front_door_speaks_each_language(browser, tables, code):
    context = browser.new_context(locale=code)
    page = context.new_page()
    page.goto(f"http://{tables.at}/")
    page.locator("#games label").last.wait_for()
    told = set()
    for game in page.locator("#games input").all():
        game.check(force=True)
        page.locator("details").evaluate("each => { each.open = true; }")
        told |= {*page.evaluate(VISIBLE)}
    context.close()
    assert len(told) > 100
    assert not left(told, foreign_to(code))


NAMES = [
    "Ana",
    "Donaudampfschifffahrtsgesellschaftskapitänswitwe",
    "\u05d9\u05e2\u05e7\u05d1 \u202eABC",
    "عبد الرحمن",
]
TURNED = """() => {
  const turned = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data } = walker.currentNode, part = (from, to) => {
      const range = new Range();
      range.setStart(walker.currentNode, from);
      range.setEnd(walker.currentNode, to);
      return range;
    };
    const names = [...data.matchAll(/[\\u0590-\\u08ff]+( \\u202e?ABC| [\\u0590-\\u08ff]+)?/g)];
    const boxes = [...part(0, data.length).getClientRects()];
    const lines = new Set(boxes.map(({ bottom }) => Math.round(bottom / 4)));
    if (names.length !== 1 || lines.size !== 1) continue;
    const begin = names[0].index, end = begin + names[0][0].length;
    const own = part(begin, end).getBoundingClientRect();
    for (const [place, character] of [...data].entries()) {
      const { left, width } = part(place, place + 1).getBoundingClientRect();
      if (!/[\\p{L}\\d]/u.test(character) || !width) continue;
      if (place < begin && left > own.left || place >= end && left < own.right - 1) turned.push(data);
    }
  }
  return turned;
}"""
"""Texts in which words before a name from right to left stand behind it, or the reverse."""


@pytest.mark.parametrize("code", few(1, ["de", "sr"]))
def test_long_and_right_to_left_names_break_nothing(sit, code):
    """On the narrowest page nothing runs out of the window, and no word changes places with a name."""
    table, rng = table_of("snapszer_v0", names=NAMES), random.Random(1)
    page = sit(table, locale=code, viewport={"width": 360, "height": 740})
    settle(page, table)
    for _ in range(4):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        boxes = [each.bounding_box() for each in page.locator(".plate .name").all()]
        assert len(boxes) == len(NAMES)
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 and box["height"] < 50 for box in boxes)
        assert page.locator("#log").get_by_text(NAMES[3]).count()
        assert page.evaluate(TURNED) == []
        if table.result:
            break
        act_by(page, table, clicking(rng))
