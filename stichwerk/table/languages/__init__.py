"""The languages of the table: a catalogue for each, and the choice by what a reader asks for.

Translators edit `CODE.po`. `python docs/catalogues.py` finds new texts and writes `CODE.json`, which is read
here.
"""

import json
import os
import re
from collections.abc import Iterable
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Any

from stichwerk.support.language import ENGLISH, Catalogue, tr

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "hu": "Magyar",
    "hr": "Hrvatski",
}
"""The languages by code, each by its own name."""
COOKIE = "stichwerk-language"
"""By which a browser remembers the language that was chosen on a page."""
FOLDER = Path(__file__).parent


@cache
def content(code: str) -> dict[str, Any]:
    """The catalogue of a language as values that JSON can hold: what pages need, and the rest."""
    if code == "en":
        return {"plural": "n != 1", "page": {}, "table": {}}
    read: dict[str, Any] = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    return read


@cache
def catalogue(code: str) -> Catalogue:
    """The catalogue of a language by its code."""
    if code == "en":
        return ENGLISH
    read = content(code)
    return Catalogue(code, {**read["table"], **read["page"]}, c2py(read["plural"]), ",")


def language_of(wanted: Iterable[str]) -> str:
    """The first of the wanted languages that there is, by its code; empty if there is none.

    Args:
        wanted: tags such as `de-AT`, and names of locales such as `hu_HU.UTF-8`
    """
    codes = (re.split(r"[-_.@]", tag.strip())[0].lower() for tag in wanted)
    return next((code for code in codes if code in LANGUAGES), "")


def accepted(header: str) -> list[str]:
    """The tags of a header `Accept-Language`, the best first."""
    parts = [part.partition(";q=") for part in header.replace(" ", "").split(",")[:20]]
    rated = [(float(q) if re.fullmatch(r"[01](\.\d+)?", q) else 1.0, tag) for tag, _, q in parts if tag]
    return [tag for quality, tag in sorted(rated, key=lambda each: -each[0]) if quality]


def of_locale() -> str:
    """The language of this process by its locale."""
    named = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return language_of(next(filter(None, named), "").split(":")) or "en"


# Texts of pages

TEXT = re.compile(r"(?<=>)([^<>]+)(?=<)|(?<= )((?:title|aria-label|placeholder)=\")([^\"]+)(?=\")")
WORDS = re.compile(r"[A-Za-z]{2}")


def html_texts(page: str) -> list[str]:
    """The texts of a page that a reader sees or hears."""
    body = re.sub(r"<(kbd|script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    found = ((inside or value).strip() for inside, _, value in TEXT.findall(body))
    return [text for text in dict.fromkeys(found) if WORDS.search(text) and "{{" not in text]


def in_language(page: str, code: str) -> str:
    """A page of HTML in the reader's language, whose code is `code`."""

    def told(found: re.Match) -> str:
        inside, attribute, value = found.groups(default="")
        text = (inside or value).strip()
        return attribute + (inside or value).replace(text, tr(text)) if WORDS.search(text) else found[0]

    return TEXT.sub(told, page).replace('<html lang="en">', f'<html lang="{code}">', 1)
