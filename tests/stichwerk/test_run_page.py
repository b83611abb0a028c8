"""Pages of trainings: what they say, and in a real browser that they fit a phone."""

from dataclasses import replace

import pytest

from stichwerk.agents.evaluation.reports.page import page as page_of
from stichwerk.agents.evaluation.reports.page import section, without_markup
from stichwerk.agents.evaluation.reports.run_page import run_page, seeds_page, sweep_page
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.support.figure import Estimate, intervals

RESULT = PairResult("ppo", "rules:0.1", 20_000, 0.312, 0.298, 0.326, 0.56, 0.55, 0.57)
RESULTS = [RESULT, replace(RESULT, b="<b>random</b>", mean=-0.1, low=-0.2, high=0.0)]
SETTINGS = {"env": "schnapsen_v0", "rules": {"claims": "free"}, "seed": 3, "deals": 50, "version": "1.0"}
COMMAND = "stichwerk train runs/1/config.yaml"
ROWS = [
    {"kind": "evaluation", "decisions": at, "rules:0.1_mean": mean, "rules:0.1_low": mean - 0.1}
    | {"rules:0.1_high": mean + 0.1}
    for at, mean in [(1_000_000, -0.5), (2_000_000, 0.1), (3_000_000, 0.3)]
]
OTHERS = [{**row, "rules:0.1_mean": row["rules:0.1_mean"] + 0.2} for row in ROWS]
SWEPT = ["trial", "entropy", "score"], [["1", "0.05", "+0.2"], ["0", "0.1", "failed"]]
PAGES = {
    "run": run_page(RESULTS, ROWS, SETTINGS, 3_000_000, COMMAND),
    "seeds": seeds_page({1: RESULTS, 2: RESULTS}, [ROWS, OTHERS], SETTINGS, 3_000_000, COMMAND),
    "sweep": sweep_page(
        *SWEPT, [Estimate("trial 1", 0.2, 0.1, 0.3)], {"trial 1": [(1e6, 0.1, 0.1, 0.1)]}, SETTINGS, COMMAND
    ),
}
CLAIMS = {
    "run": "After 3,000,000 decisions the best network has +0.312 ± 0.014 against rules:0.1, -0.10 ± 0.10",
    "seeds": "In the mean of 2 seeds the best network has +0.31 ± – against rules:0.1",
    "sweep": "Of 2 trials trial 1 is best: +0.20 ± 0.10 game points per deal",
}


@pytest.mark.parametrize("kind", PAGES)
def test_what_a_page_says(kind):
    said = without_markup(PAGES[kind])
    for words in (CLAIMS[kind], "schnapsen_v0", "claims free", COMMAND, "Learning curves"):
        assert words in said
    assert "<b>random" not in PAGES[kind]


def test_a_run_that_was_never_evaluated_has_no_curve():
    assert "Learning curves" not in run_page(RESULTS, [], SETTINGS, 10, COMMAND)


@pytest.mark.parametrize("kind", PAGES)
def test_pages_fit_a_phone_and_a_wide_screen(kind, browser, tmp_path):
    (tmp_path / "report.html").write_text(PAGES[kind])
    for width in (360, 1400):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark")
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto((tmp_path / "report.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 28)"
        assert page.locator("polyline").count() > 0
        assert len(asked) == 1, "the page needs no other file"
        page.close()


def test_long_names_and_units_fit_a_phone(browser, tmp_path):
    rows = [Estimate("search:schnapsen,worlds=0,few=400", 0.1, 0.0, 0.2)]
    unit = "game points per deal above the field, 95 % intervals"
    text = page_of(
        "A",
        "search:schnapsen,worlds=0,few=400 and, by far, engine:./my_long_engine_of_one_long_name",
        [section("Intervals", intervals(rows, unit))],
        {},
        "x",
    )
    (tmp_path / "report.html").write_text(text)
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    boxes = [each.bounding_box() for each in page.locator("svg text").all()]
    assert len(boxes) > 5
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 for box in boxes)
    page.close()
