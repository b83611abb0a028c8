"""Bring the languages' catalogues up to date: python docs/catalogues.py [--check]

Finds the texts in the code, the page and the exercises, adds new ones to
`stichwerk/table/languages/CODE.po`, which the table reads, and takes away those that are gone. With --check
nothing is written; the exit status is 1 if a text is missing, or a file out of date.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import fields
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from stichwerk.envs.games import OWN_GAMES, make_game
from stichwerk.envs.spec.options import NO_VALUE, PLAIN_VALUES, PRESETS
from stichwerk.support.parsing import read_text, read_yaml
from stichwerk.table import protocol
from stichwerk.table.languages import DERIVED, FOLDER, LANGUAGES, html_texts

ROOT = Path(__file__).parents[1]
TRANSLATED = [code for code in LANGUAGES if code != "en" and code not in DERIVED]
CALLS = {"tr": None, "mark": None, "trn": (1, 2), "trc": ((1, "c"), 2)}
SOURCES = (
    "envs/**/*.py",
    "agents/language/answers.py",
    "stichwerk/table/**/*.py",
    "stichwerk/table/page/*.js",
)
HELPED = (
    *(protocol.Exercise, protocol.Hint, protocol.New, protocol.Position, protocol.Record),
    *(protocol.Replace, protocol.Review, protocol.Rules, protocol.Study, protocol.Undo),
)
"""Requests whose help is told to people."""
TEMPLATES = ("stichwerk/table/page", "envs/render")


def texts() -> Iterator[tuple[str, str | tuple[str, str], str | None]]:
    """The texts: where each is, its English, of one with a number both forms, and its context."""
    for pattern in SOURCES:
        method = "javascript" if pattern.endswith(".js") else "python"
        options = {"parse_template_string": True}
        for path in sorted(ROOT.glob(pattern)):
            where = path.relative_to(ROOT).as_posix()
            for found in extract_from_file(method, path, CALLS, options=options):
                yield where, found[1], found[3]
    for request in HELPED:
        yield "stichwerk/table/protocol.py", request.help(), None
    for rules in {type(make_game(env_id).rules): None for env_id in OWN_GAMES}:
        where = f"{rules.__module__.removeprefix('stichwerk.').replace('.', '/')}.py"
        yield from ((where, field.metadata["meaning"], None) for field in fields(rules))
        for field in fields(rules):
            yield from (
                (where, value, field.name) for value in rules.values(field.name) if type(value) is str
            )
        for name in rules.PRESETS:
            yield where, name, PRESETS
            yield where, rules.PRESET_SOURCES[name][""], None
    yield from (("envs/spec/options.py", value, PLAIN_VALUES) for value in (str(True), str(False), NO_VALUE))
    for folder in TEMPLATES:
        for path in sorted((ROOT / folder).glob("*.html")):
            for text in html_texts(path.read_text(encoding="utf-8")):
                yield path.relative_to(ROOT).as_posix(), text, None
    for path in sorted((ROOT / "envs" / "games").glob("*/exercises.yaml")):
        for exercises in read_yaml(read_text(path)).values():
            for exercise in exercises:
                for text in (exercise["title"], exercise["question"], exercise["why"]):
                    yield path.relative_to(ROOT).as_posix(), text, None


def catalogue(code: str) -> Catalog:
    """The catalogue of a language with the texts as they are; what is new has no translation."""
    path = FOLDER / f"{code}.po"
    before = None
    if path.exists():
        with path.open("rb") as file:
            before = read_po(file, locale=Locale.parse(code, sep="-"))
    now = Catalog(locale=Locale.parse(code, sep="-"), project="Stichwerk", fuzzy=False)
    for where, text, context in texts():
        if old := before and before.get(text if isinstance(text, str) else text[0], context):
            now.add(text, old.string, locations=[(where, None)], context=context)
        else:
            now.add(text, locations=[(where, None)], context=context)
    return now


def forms(message: Message) -> list[str]:
    """The translation of a text, or its forms; empty ones are missing."""
    if isinstance(message.string, (list, tuple)):
        return [each or "" for each in message.string]
    return [message.string or ""]


def po_text(found: Catalog) -> bytes:
    """The text of a catalogue's file, without dates, which would change each time."""
    file = BytesIO()
    write_po(file, found, width=110, omit_header=True, include_lineno=False)
    code = str(found.locale_identifier).replace("_", "-")
    head = f"Language: {code}", "Content-Type: text/plain; charset=utf-8"
    lines = [f'"{line}\\n"' for line in (*head, f"Plural-Forms: {found.plural_forms}")]
    return "\n".join(['msgid ""', 'msgstr ""', *lines, "", ""]).encode() + file.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description="Bring the languages' catalogues up to date.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    checks, faults = parser.parse_args().check, 0
    for code in TRANSLATED:
        found = catalogue(code)
        for message in found:
            if message.id and not all(forms(message)):
                faults += 1
                print(f"{code}.po: no translation of {message.id!r}")
        path, text = FOLDER / f"{code}.po", po_text(found)
        if not path.exists() or path.read_bytes() != text:
            if checks:
                faults += 1
                print(f"{code}.po: out of date")
            else:
                path.write_bytes(text)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
