"""The table in the languages of its readers."""

import importlib.util
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import httpx
import pytest

from stichwerk.envs.games import OWN_GAMES, make_game
from stichwerk.envs.render.names import in_face
from stichwerk.support.language import decimals, speaking, tr, trn
from stichwerk.table.languages import (
    LANGUAGES,
    accepted,
    catalogue,
    html_texts,
    in_language,
    language_of,
    of_locale,
    texts,
)
from stichwerk.table.languages.cyrillic import KEPT, LETTERS, in_cyrillic
from stichwerk.table.table import Table
from stichwerk.table.terminal import Terminal
from stichwerk.table.words import why_not
from tests.envs.support import few

ROOT = Path(__file__).parents[3]
OTHERS = [code for code in LANGUAGES if code != "en"]
NAMES = re.compile(r"\{\w*\}")
NO_TEXTS = {"doubtful", "env", "episode", "name", "names", "verb", "kind", "may", "type", "sides"}
"""Parts of a message that are not for people."""


@pytest.fixture(scope="module")
def catalogues():
    """The module that keeps the catalogues."""
    pytest.importorskip("babel", reason="needs Babel")
    spec = importlib.util.spec_from_file_location("catalogues", ROOT / "docs" / "catalogues.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_text_is_missing_or_out_of_date(catalogues, monkeypatch, capsys):
    """So each text of the code, the page and the exercises has a translation, and no other has."""
    monkeypatch.setattr("sys.argv", ["catalogues.py", "--check"])
    assert catalogues.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize("code", OTHERS)
def test_translations_have_the_same_values(code):
    for key, told in catalogue(code).texts.items():
        for form in [told] if isinstance(told, str) else told:
            assert sorted(set(NAMES.findall(form))) == sorted(set(NAMES.findall(key))), key


@pytest.mark.parametrize("code", OTHERS)
def test_each_number_has_its_form(code):
    own = catalogue(code)
    forms = [told for told in own.texts.values() if not isinstance(told, str)]
    wanted = {own.form(number) for number in range(200)}
    assert forms
    assert all({*range(len(told))} == wanted for told in forms)


def test_texts_are_those_of_the_reader():
    assert trn("{n} card", "{n} cards", 1) == "1 card"
    assert trn("{n} card", "{n} cards", 0) == "0 cards"
    with speaking(catalogue("de")):
        assert tr("Trick: {cards}", cards="♠A") == "Stich: ♠A"
        assert trn("{n} card", "{n} cards", 1) == "1 Karte"
        assert decimals("+0.25") == "+0,25"
        assert tr("a text that nobody has translated") == "a text that nobody has translated"
    assert tr("Trick: {cards}", cards="♠A") == "Trick: ♠A"


def test_the_language_is_the_best_that_there_is(monkeypatch):
    assert language_of(accepted("fr-FR, de-AT;q=0.7, en;q=0.8, *;q=0.1")) == "en"
    assert language_of(accepted("fr-FR,de-AT;q=0.7,en;q=0.3")) == "de"
    assert language_of(accepted("de;q=0, xx")) == ""
    assert language_of(accepted("de;q=nonsense, ,;q=1")) == "de"
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    for locale, code in (("de_AT.UTF-8", "de"), ("C", "en"), ("", "en")):
        monkeypatch.setenv("LANG", locale)
        assert of_locale() == code


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        *[(tag, "sr") for tag in ("sr", "sr-RS", "sr-Cyrl", "sr-Cyrl-ME", "sr_RS.UTF-8")],
        *[(tag, "sr-Latn") for tag in ("sr-Latn", "sr-Latn-RS", "sr_RS.UTF-8@latin", "sr-ME", "sh")],
        *[("bs-BA", "hr"), ("srx", "")],
    ],
)
def test_tags_with_letters_and_places_name_a_language(tag, code):
    assert language_of([tag]) == code


LATIN = {cyrillic: latin for latin, cyrillic in LETTERS.items()}


def test_cyrillic_is_the_same_text_letter_by_letter():
    own, latin = texts("sr").all, texts("sr-Latn").all
    assert own.keys() == latin.keys()
    for key, told in latin.items():
        both = ([each] if isinstance(each, str) else each for each in (told, own[key]))
        for form, cyrillic in zip(*both, strict=True):
            back = re.sub(
                "[Ѐ-ӿ]", lambda each: LATIN.get(each[0]) or LATIN[each[0].lower()].capitalize(), cyrillic
            )
            assert back == form
            assert not re.search("[A-Za-zčćđšž]", in_cyrillic(re.sub("|".join(KEPT), "", form)))


@pytest.mark.parametrize(
    ("latin", "cyrillic"),
    [
        ("Njen kralj, {n} ljudi: džep", "Њен краљ, {n} људи: џеп"),
        ("Injekcija je nadživela podžanr", "Инјекција је надживела поджанр"),
        ("Ko ima ♠K i ♣T, kaže `play sK`", "Ко има ♠K и ♣T, каже `play sK`"),
        ("A K Q J 10, a kasnije Höher hat", "A K Q J 10, а касније Höher hat"),
        ("NJEGOVA", "ЊЕГОВА"),
    ],
)
def test_cyrillic_letters(latin, cyrillic):
    assert in_cyrillic(latin) == cyrillic


def test_pages_are_translated_but_not_their_scripts():
    page = '<html lang="en"><p title="Table">Cards<kbd>h</kbd></p><script>if (a > b) Cards</script>'
    assert html_texts(page) == ["Table", "Cards"]
    with speaking(catalogue("de")):
        told = in_language(page, "de")
    assert told.startswith('<html lang="de"><p title="Tisch">Karten<kbd>h</kbd>')


def test_each_reader_is_answered_in_the_own_language():
    pytest.importorskip("starlette", reason="needs the extra play")
    from tests.stichwerk.table.served import served

    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=2)
    with served() as tables:
        tables.rooms.open(table)

        def page(header, cookie=""):
            headers = {"Accept-Language": header, **({"Cookie": cookie} if cookie else {})}
            return httpx.get(tables.page(table, 0), headers=headers).text

        assert re.search('<html lang="de">.*>Verlauf<', page("de-DE,en;q=0.5"), re.DOTALL)
        assert '<html lang="en">' in page("fr")
        assert '<html lang="de">' in page("en", "a=b; stichwerk-language=de")
        assert '<html lang="en">' in page("en", "stichwerk-language=../../x")
        script = httpx.get(f"http://{tables.at}/page/texts.js", headers={"Accept-Language": "de"}).text
        assert "Stich: {cards}" in script
        assert len(texts("de").page) > 100


def words(texts: Iterable[str]) -> set[str]:
    """The words of texts without names of values, of seats and of what is typed."""
    plain = (re.sub(r"\{\w*\}|`[^`]*`|\bplayer_\d", " ", text.lower()) for text in texts)
    return {word for text in plain for word in re.findall(r"[^\W\d_]{3,}", text)}


def left(told: Iterable[str], foreign: set[str]) -> dict[str, set[str]]:
    """The foreign words of each text that has some."""
    return {text: found for text in told if (found := words([text]) & foreign)}


def foreign_to(code: str) -> set[str]:
    """The words of English texts that none of a language's own has."""
    known = catalogue(code).texts
    own = words(form for told in known.values() for form in ([told] if isinstance(told, str) else told))
    return words(known) - own


@pytest.fixture(params=few(1, OTHERS))
def foreign(request):
    """In a language: the words that are foreign to it."""
    with speaking(catalogue(request.param)):
        yield foreign_to(request.param)


def strings(data) -> Iterator[str]:
    """The texts for people in a message."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        told = data.get("kind") != "last"  # with the name of an action, which neither page nor terminal shows
        yield from (text for key in data if told and key not in NO_TEXTS for text in strings(data[key]))
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from strings(value)


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_no_word_of_a_deal_is_left_in_english(env_id, foreign):
    game, chance, told = make_game(env_id), random.Random(1), set()
    table = Table(game, [None] * game.seats, seed=1)
    while not table.result:
        legal, view = table.legal(table.turn), table.view(table.turn)
        told |= {*strings(table.message(table.turn))}
        told |= {why_not(game, view, table.turn, legal, str(each)) for each in {*game.actions} - {*legal}}
        table.act(table.turn, str(chance.choice(legal)))
    told |= {*strings(table.message(0)), game.rules_text()}
    assert len(told) > 50
    assert not left(map(partial(in_face, face="german"), told), foreign)


@pytest.mark.parametrize("env_id", OWN_GAMES)
def test_no_word_of_the_terminal_is_left_in_english(env_id, foreign, capsys):
    game = make_game(env_id)
    lines = ["?", "help", "undo", "again 3", "review", "1", "log", *["1"] * 100, "x"]
    Terminal(Table(game, [None, *["rules"] * (game.seats - 1)], seed=1), iter([*lines, None]).__next__).run()
    told = re.sub(r"^[a-z]+( rules)?( 7)?(:|  )|rules", "", capsys.readouterr().out, flags=re.MULTILINE)
    assert len(told) > 1000
    assert not left(told.splitlines(), foreign)
