"""Names and texts of others in each form that is written: they stay words, and are never markup or commands.

`plain` writes what cannot be seen, such as line breaks, control characters and marks that turn the direction
of writing, as Python's escapes. The other forms begin with it.
"""

import html
import json
import re
import unicodedata
from typing import Any

MARKDOWN = re.compile(r"[\\`*\[\]<>&|~$@!#{}]|(?<![^\W_])_|_(?![^\W_])|(?<=:)//|(?i:(?<=www)\.)")
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")  # what spreadsheets take for the beginning of one
NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")


def plain(text: str, keep: str = "") -> str:
    """A text for a terminal or a message, in one line.

    Args:
        text: of others
        keep: characters that are left as they are, such as line breaks
    """
    return "".join(
        each if is_seen(each) or each in keep else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def is_seen(character: str) -> bool:
    """True if a character can be seen, or is a blank of any width."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def markup(text: str) -> str:
    """A text as HTML, SVG or XML, also within quotation marks; it keeps its line breaks."""
    return html.escape(plain(text, "\n"))


def nested(page: str) -> str:
    """A whole page of HTML as an attribute of another one."""
    return html.escape(page)


def markdown(text: str) -> str:
    """A text within a line or a table of Markdown. An underscore within a word stays as it is."""
    return MARKDOWN.sub(lambda found: "".join(f"&#{ord(each)};" for each in found[0]), plain(text))


def csv_cell(value: Any) -> Any:
    """A value for CSV: no spreadsheet takes a text for a formula. Texts that are numbers stay as they are."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def json_line(value: Any) -> str:
    """A value as JSON in one line, in which every character can be seen."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(each if is_seen(each) else json.dumps(each)[1:-1] for each in text)
