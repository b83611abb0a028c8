"""The website as a reader meets it: built, read from the disk, and opened in a browser."""

import re
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest

from tests.axe import AXE, faults

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
WIDTHS = 360, 768, 1400
SCHEMES = "light", "dark"
# One page of each kind: the front page, pictures, code, long tables, docstrings, rules.
KINDS = (
    "index.html",
    "gallery.html",
    "howto/training.html",
    "reference/games/gaigel.html",
    "reference/python.html",
    "results/strength.html",
    "rules/preferans.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the website."""
    pytest.importorskip("properdocs", reason="needs ProperDocs, of the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "properdocs", "build", "--strict", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


class Parts(HTMLParser):
    """The ids and the links of a page, and what it fetches by itself."""

    def __init__(self, page: Path):
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if "id" in named:
            self.ids.append(named["id"])
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif target := named.get("src") or (tag == "link" and named.get("href")):
            self.fetched.append(target)


def test_every_link_and_anchor_leads_somewhere(site):
    pages = {page: Parts(page) for page in sorted(site.rglob("*.html"))}
    assert len(pages) > 60
    lost = []
    for page, parts in pages.items():
        assert len(parts.ids) == len(set(parts.ids)), f"{page}: an anchor stands there twice"
        for link in (*parts.links, *parts.fetched):
            if link.startswith(("https:", "http:", "mailto:")):
                continue
            path, _, anchor = unquote(link).partition("#")
            beside = site / path[1:] if path.startswith("/") else page.parent / path
            target = beside.resolve() if path else page
            steps = re.fullmatch(r"\d+\.\d+", anchor)  # of a recorded deal
            if not target.is_file() or (anchor and not steps and anchor not in pages[target].ids):
                lost.append(f"{page.relative_to(site)}: {link}")
    assert not lost, "\n".join(lost)


def test_language_models_find_every_page(site):
    listed = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text())
    assert len(listed) > 40
    for location in listed:
        path = site / location
        assert (path / "index.html" if path.is_dir() else path).is_file(), location


def test_no_page_fetches_from_outside(site):
    for page in site.rglob("*.html"):
        assert not [each for each in Parts(page).fetched if re.match(r"(https?:)?//", each)], page
    styles = (site / "style.css").read_text(encoding="utf-8")
    assert "url(" not in styles
    assert "@import" not in styles


def test_pages_made_of_code_hold_what_they_should(site):
    assert "usage: stichwerk inspect regret" in (site / "reference/commands.html").read_text(encoding="utf-8")
    python = (site / "reference/python.html").read_text(encoding="utf-8")
    assert 'id="stichwerk.envs.aec.CardGameEnv.reset"' in python


@contextmanager
def reader(browser, site: Path, width: int = 1400, scheme: str = "light"):
    """A page of the browser; no error and no request outside the site may have come of its use."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    errors = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request", lambda asked: None if asked.url.startswith(site.as_uri()) else errors.append(asked.url)
    )
    yield page
    context.close()
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_screen(browser, site, width, scheme):
    with reader(browser, site, width, scheme) as page:
        for name in KINDS:
            page.goto((site / name).as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.locator("h1").first.is_visible(), name


@pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: `make axe` brings it")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_everybody_can_read_the_pages(browser, site, scheme):
    with reader(browser, site, scheme=scheme) as page:
        for name in KINDS:
            page.goto((site / name).as_uri())
            assert faults(page) == [], name


def test_every_page_fits_a_phone(browser, site):
    with reader(browser, site, 360) as page:
        for path in sorted(site.rglob("*.html")):
            if path.name == "404.html":  # which a server sends
                continue
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path.relative_to(site)


@pytest.mark.parametrize("name", ["index.html", "reference/games/gaigel.html"])
def test_the_search_finds_a_word(browser, site, name):
    with reader(browser, site) as page:
        page.goto((site / name).as_uri())
        page.keyboard.press("/")
        page.keyboard.type("strategy fusion")
        first = page.locator("#site-found a").first
        first.wait_for()
        assert "strategy fusion" in page.locator("#site-found").inner_text().lower()
        page.keyboard.press("Enter")
        page.wait_for_url("**/concepts/*.html#*")
        page.locator("#site-search").fill("xyzzyx")
        page.get_by_text("Nothing found").wait_for()


def test_the_front_page_steps_through_deals(browser, site):
    with reader(browser, site) as page:
        page.goto((site / "index.html").as_uri())
        deal = page.frame_locator("iframe")
        step = int(deal.locator("#words").inner_text().split()[0])
        deal.get_by_label("Step forwards").click()
        assert deal.locator("#words").inner_text().startswith(f"{step + 1} /")
        page.get_by_role("link", name="Gaigel", exact=True).first.click()
        deal.get_by_role("heading", name="Gaigel").wait_for()
        assert page.url == (site / "index.html").as_uri()


def test_light_and_dark_are_kept(browser, site):
    with reader(browser, site) as page:
        colour = "getComputedStyle(document.body).backgroundColor"
        page.goto((site / "index.html").as_uri())
        light = page.evaluate(colour)
        page.locator("#site-scheme").click()
        dark = page.evaluate(colour)
        assert light != dark
        page.goto((site / "howto/training.html").as_uri())
        assert page.evaluate(colour) == dark


def test_a_phone_has_all_pages_in_a_menu(browser, site):
    with reader(browser, site, 360) as page:
        page.goto((site / "howto/training.html").as_uri())
        menu = page.locator("#site-pages")
        assert not menu.is_visible()
        page.get_by_role("button", name="Pages").click()
        menu.get_by_role("link", name="Evaluate").click()
        page.wait_for_url("**/howto/evaluate.html")


class Host(SimpleHTTPRequestHandler):
    """Sends 404.html for pages that are missing, as hosts of static sites do."""

    def send_error(self, code, message=None, explain=None):
        page = Path(self.directory, f"{code}.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format, *args):
        """Print nothing."""


@pytest.fixture
def address(site):
    """Where the website is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_missing_page_leads_home_and_to_the_search(browser, address, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    missing = f"{address}/howto/no/such_page.html"
    assert page.goto(missing).status == 404
    assert page.title() == "Page not found – Stichwerk"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    text = page.locator("main")
    text.get_by_role("link", name="Search").click()
    page.keyboard.type("preferans")
    with page.expect_navigation() as found:
        page.locator("#site-found a").first.click()
    assert found.value.status == 200
    page.goto(missing)
    with page.expect_navigation() as home:
        text.get_by_role("link", name="Home").click()
    assert home.value.status == 200
    assert page.locator(".hero").is_visible()
    page.close()
