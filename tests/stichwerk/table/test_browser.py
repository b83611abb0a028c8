"""Tables in a real browser: Chromium, where it and Playwright are installed."""

import random
import time
from itertools import product

import pytest

from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.table import protocol
from stichwerk.table.compiling import Needs
from stichwerk.table.newest import NewestNetwork
from stichwerk.table.positions.position import position_in
from stichwerk.table.serving.room import MOST_PAGES, Page
from stichwerk.table.table import Table

pytest.importorskip("starlette", reason="needs the extra play")
from stichwerk.table.serving import server
from stichwerk.table.serving.answers import ANSWERS
from stichwerk.table.serving.scripts import protocol_script
from tests.agents.evaluation.test_verdicts import DECKS, led
from tests.agents.evaluation.test_verdicts import GAME as SMALL_GAME
from tests.envs.support import few
from tests.stichwerk.table.served import served, worker_of
from tests.stichwerk.table.test_watch import run_folder

WIDTHS = 360, 910, 1400
LOOKS = {*product(WIDTHS, ("light", "dark"), ("french", "german", "hungarian"))} - {
    (360, "dark", "german"),
    (1400, "light", "french"),
}
LONGEST = 180  # seconds that a page may wait: something may have to be compiled
AT_ONCE = "localStorage.setItem('stichwerk', JSON.stringify({speed: '0', face: 'FACE'}))"


@pytest.fixture(scope="module")
def tables():
    with served() as running:
        yield running


@pytest.fixture
def sit(visit, tables):
    """`sit(table, seat)`: a page of that seat, which runs a script first."""

    def opened(table, seat=0, face="french", script=AT_ONCE, **settings):
        if not any(room.table is table for room in tables.rooms._rooms):
            tables.rooms.open(table)
        page = visit(tables.page(table, seat), script.replace("FACE", face), **settings)
        page.locator("#plate .plate").wait_for()
        return page

    return opened


def against_agents(env_id: str, agent: str = "random", **settings) -> Table:
    game = make_game(env_id)
    return Table(game, [None, *[agent] * (game.seats - 1)], seed=2, **settings)


LEGAL = "#hand button.legal, #actions button:not(:disabled)"


def settle(page, table: Table, past: int = -1) -> None:
    """Wait until the table is past a version, a person is to act or the deal is over, and the page shows it.

    The page's policy lets no test wait inside it.
    """
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        # Between two actions: within one the table has a new turn and the old version.
        version, moves_on = worker_of(table).submit(lambda: (table.version, table.waits_for_agent)).result()
        if version > past and not moves_on and page.evaluate("document.body.dataset.version") == str(version):
            return
        page.wait_for_timeout(10)
    pytest.fail("the page stands still")


def act_by(page, table: Table, choose) -> None:
    """Let `choose(page)` act once, and wait until the page shows what came of it."""
    before = table.version
    choose(page)
    settle(page, table, before)


def play_by(page, table: Table, choose) -> None:
    """Play a deal to its end; `choose(page)` acts once."""
    settle(page, table)
    while not table.result:
        act_by(page, table, choose)


def clicking(rng: random.Random):
    def click(page) -> None:
        cards = page.locator("#hand button.legal")
        wanted = cards if cards.count() and rng.random() < 0.8 else page.locator(LEGAL)
        chosen = wanted.nth(rng.randrange(wanted.count()))
        chosen.click()
        if page.locator("#says.warning").count():  # of a claim
            chosen.click()

    return click


@pytest.mark.parametrize("env_id", few(1, sorted(GAMES, key=lambda env_id: env_id != "preferans_v0")))
def test_a_deal_is_played_by_clicking(sit, env_id):
    table, rng = against_agents(env_id), random.Random(1)
    page = sit(table)
    play_by(page, table, clicking(rng))
    assert table.result
    assert "is over" in page.locator("#result").text_content()
    page.locator("#actions .next").click()
    page.locator("#result").wait_for(state="hidden")
    assert table.deals_played >= 1


def test_a_deal_is_played_by_keys(sit):
    table, rng = against_agents("schnapsen_v0"), random.Random(2)
    page = sit(table)

    def press(page) -> None:
        for _ in range(rng.randrange(3)):
            page.keyboard.press("ArrowRight")
        focused = page.evaluate("document.activeElement.dataset.action")
        assert focused in [str(action) for action in table.legal(0)]
        page.keyboard.press("Enter")
        if page.locator("#says.warning").count():  # of a claim
            page.keyboard.press("Enter")

    play_by(page, table, press)
    assert page.evaluate("document.activeElement.className") == "next"
    page.keyboard.press("Enter")
    page.locator("#result").wait_for(state="hidden")
    assert table.deals_played == 1


def test_two_people_at_one_table(sit):
    table, rng = Table(make_game("schnapsen_v0"), [None, None], seed=3), random.Random(3)
    pages = [sit(table, seat) for seat in (0, 1)]
    for page in pages:  # what is for one person against agents is not there, nor do its keys do anything
        page.locator("#settings").click()
        for name in ("hint", "ask", "undo", "position", "another"):
            assert page.locator(f"#{name}").is_hidden()
        for key in "hau":
            page.keyboard.press(key)
        page.locator("#rules").click()
        page.locator("#book[open]").wait_for()
        assert page.locator("#exercises").is_hidden()
        page.keyboard.press("Escape")
        assert page.locator("#says.refusal").count() == 0
    before = -1
    while not table.result:
        for page in pages:
            settle(page, table, before)
        seat, before = table.turn, table.version
        assert pages[1 - seat].locator(LEGAL).count() == 0
        clicking(rng)(pages[seat])
        settle(pages[seat], table, before)
        before = table.version - 1
    for page in pages:
        page.locator("#actions .next").wait_for()
    pages[0].locator("#actions .next").click()
    pages[0].get_by_text("Waiting for the others").wait_for()
    pages[1].locator("#actions .next").click()
    for page in pages:
        page.locator("#result").wait_for(state="hidden")


def test_a_reload_keeps_the_table(sit):
    table = against_agents("schnapsen_v0")
    page = sit(table)
    settle(page, table)
    act_by(page, table, clicking(random.Random(1)))
    seen = [page.locator(each).inner_text() for each in ("#log", "#facts")]
    page.reload()
    page.locator("#plate .plate").wait_for()
    settle(page, table)
    assert [page.locator(each).inner_text() for each in ("#log", "#facts")] == seen


def test_a_page_opens_during_compilation(sit, tables):
    """The message about that may come before the first table is shown."""
    table = against_agents("schnapsen_v0")
    page = sit(table)
    tables.room(table)._compiled = Needs(review=True)
    page.add_init_script(
        "const later = setTimeout; window.setTimeout = (task, wait) => later(task, wait + 300)"
    )
    page.reload()
    page.get_by_text("Compiling the review of decisions").wait_for()
    page.locator("#plate .plate").wait_for()


@pytest.mark.slow
def test_a_page_without_a_seat_says_why(sit, tables):
    table = against_agents("schnapsen_v0")
    page = sit(table)
    (room,) = (room for room in tables.rooms._rooms if room.table is table)
    others = [Page(0) for _ in range(MOST_PAGES)]
    room.pages.update(others)
    page.reload()
    page.get_by_text("This seat is open in too many tabs").wait_for()
    room.pages.difference_update(others)
    page.locator("#plate .plate").wait_for()
    tables.rooms._rooms.remove(room)
    for each in room.pages:
        each.must_go = True
    page.keyboard.press("r")  # after which the connection is lost
    page.get_by_text("This link opens no seat any more").wait_for()
    page.evaluate("void (window.WebSocket = () => { throw Error('it goes on trying') })")
    page.wait_for_timeout(500)


@pytest.mark.parametrize("kept", few(1, ['{"face": "tarot", "cloth": 1}', "{", "null"]))
@pytest.mark.slow
def test_an_unreadable_look_falls_back_to_the_default(sit, kept):
    page = sit(against_agents("schnapsen_v0"))
    page.add_init_script(f"localStorage.setItem('stichwerk', {kept!r})")
    page.reload()
    page.locator("#plate .plate").wait_for()
    assert [page.locator(f"#{each}").input_value() for each in ("face", "cloth")] == ["french", "green"]


@pytest.mark.slow
def test_a_double_click_on_next_deal_is_not_refused(sit):
    table = against_agents("schnapsen_v0")
    page = sit(table)
    play_by(page, table, clicking(random.Random(1)))
    page.locator("#settings").click()
    page.locator("#speed").select_option("600")
    said = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: said.append(text)))
    page.reload()
    page.locator("#actions .next").dblclick()
    page.locator("#result").wait_for(state="hidden")
    assert said
    assert not any("refusal" in each for each in said)


def test_hints_undo_and_rules_work(sit):
    game = make_game("schnapsen_v0")
    for seed in range(40):
        table = Table(game, [None, "rules"], seed=seed)
        table.move_agents()
        if table.turn == 0 and "close" in table.legal(0):
            break
    page = sit(table)
    page.keyboard.press("h")
    page.locator("#says.hint").wait_for()
    assert page.locator(".hinted").count() == 1
    first = page.locator("#hand button.legal").first
    name = first.get_attribute("data-action")
    before = table.version
    first.click()
    settle(page, table, before)
    page.locator("#undo:not([disabled])").click()
    page.locator(f"[data-action='{name}'].legal").wait_for()
    page.keyboard.press("r")
    page.locator("#book[open]").wait_for()
    assert "20 cards" in page.locator("#book-text").text_content()
    page.keyboard.press("Escape")


def test_refusals_are_shown(sit):
    table = against_agents("preferans_v0", "rules")
    page = sit(table)
    page.locator(LEGAL).first.wait_for()
    page.locator("#hand button:not(.legal)").first.click(force=True)  # Playwright waits for what is enabled
    page.locator("#says.refusal").wait_for()
    assert "possible now" in page.locator("#says").text_content()


def test_clicks_play_nothing_while_newer_positions_wait(sit):
    table = Table(make_game("schnapsen_v0"), [None, "rules"], seed=11)
    page = sit(table)
    settle(page, table)
    page.locator("#settings").click()
    page.locator("#speed").select_option("1200")
    page.locator("#hand button.legal").first.click()
    page.get_by_text("rules is to act").wait_for()
    while worker_of(table).submit(lambda: table.turn).result() != 0:
        page.wait_for_timeout(10)
    before = table.version
    for card in page.locator("#hand button").all():
        assert card.get_attribute("aria-disabled") == "true"
        card.click(force=True)
    page.wait_for_timeout(200)
    assert page.evaluate("document.body.dataset.version") != str(before)
    assert table.version == before
    assert page.locator("#says.refusal").count() == 0
    settle(page, table)
    act_by(page, table, clicking(random.Random(1)))


@pytest.mark.parametrize(
    ("width", "scheme", "face"),
    few(2, [(360, "dark", "german"), (1400, "light", "french"), *sorted(LOOKS)]),
)
def test_nothing_overflows_the_window(sit, width, scheme, face):
    env_id = {"french": "gaigel_v0", "german": "preferans_v0", "hungarian": "snapszer_v0"}[face]
    page = sit(
        against_agents(env_id), face=face, viewport={"width": width, "height": 760}, color_scheme=scheme
    )
    page.locator(LEGAL).first.wait_for()
    page.locator("#settings").click()
    page.locator("#agent option:nth-child(2)").wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cards = page.locator("#hand .card").all()
    assert len(cards) >= 3
    for place in (*map(page.locator, ("#felt", "aside", "#actions")), *cards):
        box = place.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    dark = [sum(map(int, each[4:-1].split(","))) < 3 * 128 for each in (ink, paper)]
    assert dark == ([False, True] if scheme == "dark" else [True, False])


COVERED = """[...document.querySelectorAll(".played")].filter(card => {
  const { left, top, width } = card.getBoundingClientRect();
  return [[.08, .06], [.2, .06], [.08, .28], [.2, .28]].some(
    ([x, y]) => !card.contains(document.elementFromPoint(left + x * width, top + y * width)));
}).length"""


@pytest.mark.parametrize("width", few(1, WIDTHS))
@pytest.mark.slow
def test_indices_of_trick_cards_stay_visible(sit, width):
    game, rng = make_game("gaigel_v0", {"players": 6}), random.Random(1)
    table = Table(game, [None, *["rules"] * 5], seed=3)
    table.move_agents()
    while [seat for seat, _ in table.message(0)["trick"]] != [1, 2, 3, 4, 5, 0]:  # the upper after the lower
        table.act(0, str(rng.choice(table.legal(0))))
        table.move_agents()
    page = sit(table, viewport={"width": width, "height": 900})
    settle(page, table)
    assert page.locator(".played").count() == 6
    assert page.evaluate(COVERED) == 0
    said = page.locator("#trick").get_attribute("aria-label")
    names = [table.message(0)["names"][seat] if seat else "You" for seat, _ in table.message(0)["trick"]]
    assert [each.split(": ")[0] for each in said.removeprefix("Trick: ").split(", ")] == names


@pytest.mark.parametrize(
    ("env_id", "rules", "width"), few(1, [("preferans_v0", {"players": 4}, 360), ("snapszer_v0", {}, 1400)])
)
@pytest.mark.slow
def test_three_opponents_sit_around_the_table(sit, env_id, rules, width):
    names = ["player_0", *(f"ppo:snapszer {number}" for number in (1, 2, 3))]
    table = Table(make_game(env_id, rules), [None, *["rules"] * 3], "match", 3, names)
    page = sit(table, viewport={"width": width, "height": 900})
    settle(page, table)
    seats = [each.bounding_box() for each in page.locator(".seat").all()]
    right, across, left = sorted(seats, key=lambda seat: -seat["x"])
    assert right["y"] == left["y"]
    if width > 700:
        assert across["y"] < left["y"]
    else:
        assert across["y"] == left["y"], "on a phone in one row"
    assert left["x"] + left["width"] <= across["x"]
    assert across["x"] + across["width"] <= right["x"]
    assert page.locator("#trick").bounding_box()["y"] > across["y"]
    for seat, cards in zip(seats, page.locator(".small-cards").all(), strict=True):
        assert cards.evaluate("each => each.scrollWidth <= each.clientWidth")
        assert cards.bounding_box()["width"] <= seat["width"]


@pytest.mark.parametrize("scheme", few(1, ["dark", "light"]))
@pytest.mark.slow
def test_actions_stand_out_from_a_plain_table(sit, scheme):
    page = sit(against_agents("preferans_v0", "rules"), color_scheme=scheme)
    page.locator("#settings").click()
    page.locator("#cloth").select_option("plain")
    button = page.locator("#actions button").first
    colours = button.evaluate(
        "each => [getComputedStyle(each).backgroundColor, getComputedStyle(each).borderColor]"
    )
    felt = page.locator("#felt").evaluate("each => getComputedStyle(each).getPropertyValue('--panel')")
    panel = tuple(int(felt.strip()[place : place + 2], 16) for place in (1, 3, 5))
    assert not {f"rgb{panel}", "rgba(0, 0, 0, 0)"} & set(colours)


def test_every_control_has_an_accessible_name(sit):
    page = sit(against_agents("preferans_v0", "rules"), face="german")
    page.locator(LEGAL).first.wait_for()
    labels = page.locator("#hand button").evaluate_all("all => all.map(each => each.ariaLabel)")
    assert len(labels) == 10
    assert all(" of " in label for label in labels)
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, select, [role=img], [role=group]")]
        .filter(each => each.offsetParent)
        .filter(each => !(each.ariaLabel || each.textContent.trim() || each.labels?.length))
        .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    assert page.locator("#says").get_attribute("aria-live") == "polite"


def test_a_decision_is_shown_as_it_stood_and_played_again(sit, tables):
    table, rng = against_agents("schnapsen_v0", "rules"), random.Random(4)
    page = sit(table)
    while True:
        play_by(page, table, clicking(rng))
        page.locator("#costs").click()
        page.locator("#costly").wait_for()
        if page.locator("#costly button").count():
            break
        page.locator("#actions .next").click()
        page.locator("#result").wait_for(state="hidden")
    page.locator("#decision:not([hidden])").wait_for()
    again_at = page.locator("#actions [data-action=again]")
    move = int(again_at.get_attribute("data-move"))
    assert page.locator("#log li").count() <= move - 1
    chosen = table.deals()[-1].moves[move - 1].action
    labels = page.locator("#decision p").all_text_contents()
    assert len(labels) == 3
    if chosen.startswith("play "):
        assert page.locator("#hand .mistaken").get_attribute("data-action") == chosen
    page.locator("#actions [data-action=close]").click()
    page.locator("#actions .next").get_by_text("Next deal").wait_for()
    page.reload()
    page.locator("#costly [data-shown]").first.click()  # it is kept
    assert again_at.get_attribute("data-move") == str(move)
    page.locator("#actions [data-action=study]").click()
    page.locator("#study-table .chosen").first.wait_for()
    assert page.locator("#study-move").input_value() == str(move)
    again_at.click()
    page.locator("#back").wait_for()
    again = tables.rooms._rooms[-1].table
    settle(page, again)
    deal = table.deals()[-1]
    assert [each.action for each in again.deals()[-1].moves] == [each.action for each in deal.moves][
        : move - 1
    ]
    assert again.deals()[-1].deck == deal.deck
    page.locator(f"{LEGAL} >> nth=0").click()
    page.locator("#choice").wait_for()
    assert "cost" in page.locator("#choice-text").text_content()
    play_by(page, again, clicking(rng))
    page.locator("#actions .next").click()
    page.locator("#result").wait_for(state="hidden")
    settle(page, again)
    assert again.deals()[-1].deck == deal.deck
    page.locator("#back").click()
    page.locator("#result").wait_for()


def test_a_position_is_copied_and_opened(sit, tables):
    table, rng = against_agents("schnapsen_v0", "rules"), random.Random(1)
    page = sit(table)
    settle(page, table)
    for _ in range(2):
        act_by(page, table, clicking(rng))
    seen = page.locator("#log").inner_text()
    page.locator("#position").click()
    text = page.locator("#position-text")
    for _ in range(100):
        if line := text.input_value():
            break
        page.wait_for_timeout(20)
    assert line == table.position(0)
    page.locator("#opened-text").fill("nonsense")
    page.locator("#open").click()
    page.get_by_text("got 'nonsense'").wait_for()
    page.locator("#opened-text").fill(line)
    page.locator("#opened-deal").fill("")
    page.locator("#open").click()
    page.locator("#back").wait_for()
    page.locator("#plate .plate").wait_for()
    opened = tables.rooms._rooms[-1].table
    assert opened is not table
    settle(page, opened)
    assert page.locator("#log").inner_text() == seen


def test_a_position_is_set_up_by_hand(sit, tables):
    table = against_agents("schnapsen_v0", "rules")
    page = sit(table)
    settle(page, table)
    page.locator("#position").click()
    page.locator("#arrange").click()
    places = page.locator("#arranged-places section")
    places.first.wait_for()
    card = places.nth(1).locator("button").first.get_attribute("data-card")
    for place in (0, 1):
        places.nth(place).locator("button").first.click()
    places.nth(0).locator(f"[data-card={card}]").wait_for()
    page.locator("#arranged-match").fill("{score: [7, 0]}")
    page.locator("#arranged-act").focus()
    page.get_by_text("impossible: match score: got [7, 0]").wait_for()
    page.locator("#arranged-match").fill("{score: [3, 0]}")
    page.locator("#arranged-act").click()
    page.locator("#arranged-moves li").nth(len(table.message(0)["log"])).wait_for()
    page.locator("#arranged-open").click()
    page.locator("#back").wait_for()
    page.locator("#plate .plate").wait_for()
    opened = tables.rooms._rooms[-1].table
    settle(page, opened)
    deal = opened.deals()[-1]
    assert deal.match == {"score": [3, 0]}
    assert deal.deck != table.deals()[-1].deck
    assert len(opened.start.deal.moves) == len(table.message(0)["log"]) + 1


@pytest.mark.slow
def test_a_page_opens_another_table(sit, tables):
    first = against_agents("schnapsen_v0")
    page = sit(first)
    page.locator("#settings").click()
    page.locator("#agent").select_option("rules")
    page.locator("#new").click()
    page.locator("#back").wait_for()
    page.locator("#plate .plate").wait_for()
    second = tables.rooms._rooms[-1].table
    assert second.seats == (None, "rules")
    settle(page, second)
    act_by(page, second, clicking(random.Random(1)))
    page.locator("#back").click()
    page.locator("#plate .plate").wait_for()
    settle(page, first)


def test_exercises_open_from_the_rules(sit, tables):
    page = sit(against_agents("gaigel_v0"))
    page.keyboard.press("r")
    page.locator("#exercises button").first.wait_for()
    assert page.locator("#exercises button").count() == 3
    page.get_by_role("button", name="Without the suit").click()
    page.locator("#choice-question:not(:empty)").wait_for()
    first = page.url
    settle(page, tables.rooms._rooms[-1].table)
    assert page.locator("#next-exercise").is_hidden()
    page.locator(LEGAL).click()
    page.locator("#next-exercise").click()
    page.get_by_text("Say aus in time").first.wait_for()
    assert page.url != first
    assert not first.endswith(page.locator("#back").get_attribute("href"))
    assert "115 points" in page.locator("#choice-question").text_content()
    assert page.locator("#choice-text").text_content() == ""
    settle(page, tables.rooms._rooms[-1].table)
    page.locator("#actions [data-action=aus]").click()
    page.locator("#choice-text:not(:empty)").wait_for()
    assert page.locator("#choice-text").text_content().startswith("Right. 101 points win")


@pytest.mark.slow
def test_agents_rate_actions(sit):
    table = against_agents("schnapsen_v0", "rules")
    page = sit(table)
    settle(page, table)
    page.keyboard.press("a")
    page.locator("#study-table .chosen").wait_for()
    assert page.locator("#study-table th[scope=row]").count() == len(table.legal(0))
    assert "%" in page.locator("#study-table").text_content()
    page.locator("#study-agents input[value=rules]").check()
    page.locator("#study-all").check()
    page.locator("#study-choices button").click()
    page.get_by_text("exact", exact=True).wait_for()
    heads = page.locator("#study-table th[scope=col]").all_text_contents()
    assert heads == ["search:schnapsen,worlds=0,few=400", "rules", "exact"]
    act_by(page, table, clicking(random.Random(1)))
    assert page.locator("#study-table .chosen").count() == 0
    page.locator("#study-move option[value]:not([value=''])").first.wait_for(state="attached")
    move = page.locator("#study-move option").last.get_attribute("value")
    page.locator("#study-move").select_option(move)
    page.locator("#study-choices button").click()
    page.locator("#study-table .chosen").first.wait_for()


def test_agents_are_watched(sit):
    table = Table(make_game("schnapsen_v0"), ["random", "rules"], seed=2)
    page = sit(table, SPECTATOR)
    page.locator("#result").wait_for()
    page.locator("#result").wait_for(state="hidden")
    page.keyboard.press("p")
    page.get_by_text("Play p").wait_for()
    page.wait_for_timeout(300)
    before = table.version
    page.wait_for_timeout(300)
    assert table.version == before
    page.keyboard.press("s")
    settle_watched(page, table)
    assert table.version == before + 1
    assert page.locator("#seats .card[aria-label='face-down card']").count()
    page.locator("#look").select_option("all")
    page.locator("#seats .card[aria-label='face-down card']").first.wait_for(state="detached")
    page.reload()
    page.get_by_text("Pause p").wait_for()
    page.locator("#seats .card[aria-label='face-down card']").first.wait_for(state="detached")
    assert page.locator("#look").input_value() == "all"


# Its first message closes the connection of a page, but once.
CLOSED_ONCE = """
window.WebSocket = class extends WebSocket {
  constructor(...words) {
    super(...words);
    if (!window.tried) this.addEventListener("message", () => this.close());
    window.tried = true;
  }
};
"""


@pytest.mark.slow
def test_a_lost_step_request_is_repeated(sit):
    """The page asks while there is no connection, and is then shown the same position."""
    table = Table(make_game("schnapsen_v0"), ["random", "rules"], seed=2)
    page = sit(table, SPECTATOR)
    page.keyboard.press("p")
    page.get_by_text("Play p").wait_for()
    page.wait_for_timeout(300)
    before = table.version
    page.add_init_script(CLOSED_ONCE)
    page.reload()
    for _ in range(500):
        page.wait_for_timeout(10)
        if table.version > before + 1:
            return
    pytest.fail("the page stands still")


@pytest.mark.slow
def test_the_page_names_the_newest_network(sit, tmp_path):
    game = make_game("schnapsen_v0")
    run_folder(tmp_path, game, 1, updates=7, decisions=14_336)
    page = sit(Table(game, [NewestNetwork(tmp_path, game)] * 2, seed=2), SPECTATOR)
    page.get_by_text("network after update 7, 14,336 decisions").wait_for()


def settle_watched(page, table: Table) -> None:
    for _ in range(500):
        page.wait_for_timeout(10)
        if page.evaluate("document.body.dataset.version") == str(table.version):
            return
    pytest.fail("the page stands still")


def test_the_record_is_stepped_through(sit):
    table, rng = against_agents("schnapsen_v0"), random.Random(1)
    page = sit(table)
    play_by(page, table, clicking(rng))
    page.locator("#costs").click()
    page.locator("#costly").wait_for()
    with page.context.expect_page() as opened:
        page.locator("#review").click()
    film = opened.value
    film.locator("#moves li").first.wait_for()
    film.keyboard.press("End")
    assert film.locator("#moves li").count() > 5


def test_a_button_is_a_class_an_answer_and_a_line_of_html(sit, monkeypatch):
    """As CONTRIBUTING.md says: its visibility, key, help and request derive from these."""
    monkeypatch.setattr(protocol, "REQUESTS", protocol.REQUESTS.copy())

    class Deals(protocol.Request, rights=protocol.ALONE):
        """Count the deals."""

    async def answer(own, page, asked):
        return {"type": "hint", "text": f"{own._table.deals_played} deals were played", "action": ""}

    monkeypatch.setitem(ANSWERS, Deals, answer)
    line = '<button id="deals" type="button" data-asks="deals" hidden>Deals <kbd>d</kbd></button></nav>'
    files = dict(server._files())
    files["index.html"] = files["index.html"].replace(b"</nav>", line.encode())
    files["protocol.js"] = protocol_script().encode()
    monkeypatch.setattr(server, "_files", lambda: files)
    page = sit(against_agents("schnapsen_v0", "rules"))
    assert page.locator("#deals").get_attribute("title") == "Count the deals."
    page.keyboard.press("d")
    page.get_by_text("0 deals were played").wait_for()
    assert sit(Table(make_game("schnapsen_v0"), [None, None])).locator("#deals").is_hidden()


def test_verdicts_have_signs(sit):
    start = position_in(SMALL_GAME, led(DECKS[1], "close"), 0)
    page = sit(Table(SMALL_GAME, [None, "random"], start=start))
    page.locator("#actions button", has_text="Close").click()
    while not page.locator("#costs").count():
        page.locator(LEGAL).first.click()
        page.wait_for_timeout(50)
    page.locator("#costs").click()
    judged = page.locator("#costly [data-verdict=mistake]")
    assert "Close the stock mistake. On average Play" in judged.text_content()
    assert "✗" in judged.evaluate("each => getComputedStyle(each, '::before').content")
