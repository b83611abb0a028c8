"""Texts in the reader's language.

A text in the code is English: `tr("{seat} leads", seat=seat)`. Inside of `speaking(catalogue)` it is
translated. Elsewhere it stays English: in records, in logs, and in what agents read.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The texts of a language.

    Attributes:
        code: of the language, such as `de`
        texts: translations by English text; of a text with a number all its forms
        form: the place of the form for a number
        decimal: the sign before decimals
    """

    code: str = "en"
    texts: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    form: Callable[[int], int] = lambda number: number != 1
    decimal: str = "."


ENGLISH = Catalogue()
_spoken: ContextVar[Catalogue] = ContextVar("spoken", default=ENGLISH)


def spoken() -> Catalogue:
    """The catalogue of those who read now."""
    return _spoken.get()


@contextmanager
def speaking(catalogue: Catalogue) -> Iterator[None]:
    """A block whose texts are in a language."""
    before = _spoken.set(catalogue)
    try:
        yield
    finally:
        _spoken.reset(before)


def mark(text: str) -> str:
    """The same text, which `tr` gets later as a value: so it is found for the catalogues."""
    return text


def tr(text: str, /, **values: Any) -> str:
    """A text in the reader's language, with values for the names in braces."""
    found = spoken().texts.get(text) or text
    return str(found).format(**values) if values else str(found)


def trn(one: str, many: str, n: int, /, **values: Any) -> str:
    """A text with the number `{n}` in the form for that number."""
    catalogue, n = spoken(), int(n)
    forms = catalogue.texts.get(one) or (one, many)
    return forms[int(catalogue.form(n))].format(n=n, **values)


def trc(context: str, text: str, /) -> str:
    """A text that has several translations: the one in this context."""
    return str(spoken().texts.get(f"{context}\x04{text}") or text)


def decimals(text: str) -> str:
    """A number as the reader writes it: with a comma in most languages."""
    return text.replace(".", spoken().decimal)
