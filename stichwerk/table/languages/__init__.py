"""The languages of the table: a catalogue for each, and the choice by what a reader asks for.

Translators edit `CODE.po`, which is read here; `python docs/catalogues.py` adds new texts to it. Serbian is
kept in Latin letters; its Cyrillic is derived from them.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import NamedTuple

from stichwerk.support.language import ENGLISH, Catalogue, tr
from stichwerk.table.languages.cyrillic import in_cyrillic

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "hu": "Magyar",
    "hr": "Hrvatski",
    "sr": "Српски",
    "sr-Latn": "Srpski",
}
"""The languages by code, each by its own name."""
DERIVED: Mapping[str, tuple[str, Callable[[str], str]]] = {"sr": ("sr-Latn", in_cyrillic)}
"""Languages without a catalogue of their own: whose texts they change, and how."""
SHARED = {"sh": "sr-Latn", "cnr": "sr-Latn", "bs": "hr"}
"""Languages whose speakers read another one."""
COOKIE = "stichwerk-language"
"""By which a browser remembers the language that was chosen on a page."""
FOLDER = Path(__file__).parent
PAGE = ("stichwerk/table/page/", "stichwerk/table/protocol.py")
"""Beginnings of the paths whose texts are sent to the page."""


# Catalogues


class Texts(NamedTuple):
    """The texts of a language, as `Catalogue` has them: those that pages need, and all."""

    plural: str
    page: dict[str, str | list[str]]
    all: dict[str, str | list[str]]


PART = re.compile(r'^(msgctxt|msgid|msgstr)(?:\[\d\])? ((?:".*"\n?)+)', re.MULTILINE)
QUOTED = re.compile(r'".*"')


@cache
def texts(code: str) -> Texts:
    """The texts of a language."""
    if code == "en":
        return Texts("n != 1", {}, {})
    kept, told = DERIVED.get(code, (code, str))
    head, *blocks = (FOLDER / f"{kept}.po").read_text(encoding="utf-8").strip().split("\n\n")
    found = Texts(re.findall(r"plural=(.*?);", head)[0], {}, {})
    for block in blocks:
        parts: dict[str, list[str]] = {}
        for name, lines in PART.findall(block):
            parts.setdefault(name, []).append("".join(map(json.loads, QUOTED.findall(lines))))
        key = "\x04".join([*parts.get("msgctxt", ()), parts["msgid"][0]])
        forms = [told(form) for form in parts["msgstr"]]
        if not all(forms):
            continue
        found.all[key] = forms if "msgid_plural" in block else forms[0]
        places = " ".join(re.findall("^#: (.*)", block, re.MULTILINE)).split()
        if any(place.startswith(PAGE) for place in places):
            found.page[key] = found.all[key]
    return found


@cache
def catalogue(code: str) -> Catalogue:
    """The catalogue of a language by its code."""
    found = texts(code)
    return Catalogue(code, found.all, c2py(found.plural), ",") if found.all else ENGLISH


# Choice


def _code(tag: str) -> str:
    """The language of a tag such as `de-AT`, or a locale such as `sr_RS@latin`; empty if there is none."""
    first, *others = re.split(r"[-_.@]", tag.strip().lower())
    if first == "sr" and "cyrl" not in others and {"latn", "latin", "me"} & {*others}:
        return "sr-Latn"  # as in Montenegro
    found = SHARED.get(first, first)
    return found if found in LANGUAGES else ""


def language_of(wanted: Iterable[str]) -> str:
    """The first of the wanted languages that there is, by its code; empty if there is none."""
    return next(filter(None, map(_code, wanted)), "")


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
