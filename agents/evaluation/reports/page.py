"""Reports as one HTML page each, with style and pictures inside: light and dark, on a phone and in print.

A page is made of parts, which are HTML already, or pictures. The functions here make them from plain values.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from stichwerk.support import figure
from stichwerk.support.escape import markup as escape
from stichwerk.support.figure import Figure

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2329;--soft:#59636e;--line:#d5dae0;--stripe:#f5f7f9}
@media (prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e4e8ec;--soft:#9aa5b1;--line:#38414a;
--stripe:#1b2127}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1.5rem 1rem 3rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
p{max-width:45rem;margin:.5rem 0}.soft{color:var(--soft);font-size:.9rem}
.claim{font-size:1.1rem;overflow-wrap:anywhere;white-space:pre-line}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}td:first-child,th:first-child,.text{text-align:left}
.text{white-space:normal;overflow-wrap:break-word;min-width:6.5rem}
@media (max-width:40rem){th,td{padding:.3rem .4rem}table{font-size:.85rem}}
tbody tr:nth-child(even){background:var(--stripe)}
.figure{max-width:38rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--stripe);padding:.7rem;border-radius:.3rem;
font-size:.85rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.9rem}
iframe{width:100%;height:46rem;border:1px solid var(--line);border-radius:.3rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0;font-size:11px}h2{break-after:avoid}tr,svg{break-inside:avoid}
iframe{display:none}}
"""


def page(title: str, claim: str, parts: Sequence[str], about: dict[str, str], command: str) -> str:
    """A whole page.

    Args:
        title: its heading
        claim: what has been found, in words
        parts: HTML of the body
        about: the facts that a reader needs to trust or repeat it, by their names
        command: makes the page again

    Returns:
        The text of an HTML file that needs no other.
    """
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about.items())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{figure.STYLE}{STYLE}</style></head><body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="claim">{escape(claim)}</p>\n'
        + "\n".join(parts)
        + f"\n<h2>How it was made</h2>\n<dl>{facts}</dl>\n<pre>{escape(command)}</pre>\n</body></html>\n"
    )


def section(title: str, *parts: str | Figure, note: str = "") -> str:
    """Parts under a heading, pictures among them, with a note in small letters."""
    says = f'<p class="soft">{escape(note)}</p>' if note else ""
    shown = [part.svg(in_page=True) if isinstance(part, Figure) else part for part in parts]
    return "\n".join([f"<section><h2>{escape(title)}</h2>", *shown, says, "</section>"])


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int] = (0,)) -> str:
    """Rows of cells; `texts` are the columns of words, which may break into lines."""

    def cells(kind: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{kind}{' class=text' if number in texts else ''}>{escape(cell)}</{kind}>"
            for number, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{cells("th", headings)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def rules_of(settings: Mapping[str, Any]) -> str:
    """The rules in the settings of results, as a page shows them."""
    return ", ".join(f"{name} {value}" for name, value in settings["rules"].items())


def version_of(settings: Mapping[str, Any]) -> str:
    """The version and commit in the settings of results, as a page shows them."""
    return f"{settings['version']}, commit {settings.get('commit') or 'unknown'}"


def without_markup(text: str) -> str:
    """The words of a page, for tests and for search."""
    return " ".join(
        re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", " ", text, flags=re.DOTALL)).split()
    )
