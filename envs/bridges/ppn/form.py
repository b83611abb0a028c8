"""The form of the notation: tags, cards as letters, and the parts of a deal's line."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, one_line, quoted

ENV = "preferans_v0"
SUITS, RANKS = "sdhc", "789TJQKA"
LETTERS = dict(zip("123456789ABCDEFGHIJKLMNOPQRSTUVW", (s + r for s in SUITS for r in RANKS), strict=True))
LETTER_OF = {card: letter for letter, card in LETTERS.items()}
PACKET, IN_HAND, TALON_AT, TALON = 5, 10, 15, 2
PACKETS = slice(PACKET), slice(PACKET, IN_HAND)  # of a hand, as they are dealt
DOUBLINGS = "KRSM"
BOTH, NOTHING, NO_DISCARDS = "8", "0", "XX"
TAG = re.compile(r"\[([A-Za-z]\w*) (.*)\]")
DEAL = re.compile(r"\[(\d+) ([123]{3}) ([0-9A-W]{32})(?: (.*))?\]")
NO_TRUMPS = {f"declare {number}" for number in (6, 7, 8)}
HAND_GAMES = {"igra betl": 6, "igra sans": 7, "igra preferans": 8}
MOST_LINES = 1_000_000


@dataclass(frozen=True)
class DealLine:
    """The parts of a deal's line."""

    number: str
    order: tuple[int, ...]  # seats, forehand first, the dealer last
    cards: str
    bids: tuple[str, ...] = ()
    declarer: int = -1
    discards: str = ""
    contract: str = ""
    came: str = ""
    kontra: str = ""
    refa: str = ""
    value: str = ""
    starts: str = ""
    tricks: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()


def check_game(game: Game) -> None:
    """InputError for a game that the notation cannot write."""
    if game.env_id != ENV or game.seats != 3:
        raise InputError(f"PPN: got {game.env_id} of {game.seats} players; expected {ENV} of 3")


@cache
def default_rules() -> Mapping[str, Any]:
    """The options of the default preset."""
    return make_game(ENV).rules.as_dict()


def order_of(dealer: int) -> tuple[int, ...]:
    return tuple((dealer + 1 + place) % 3 for place in range(3))


def letters_of(cards: Iterable[str]) -> str:
    return "".join(LETTER_OF[card] for card in cards)


def quoted_tag(text: str) -> str:
    """A tag's value: in quotation marks if it has blanks, as in PGN with a bar before marks within."""
    plain = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"' if re.search(r"[\s\"\\\]\[]", text) or not text else plain


def unquoted_tag(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value


def parsed_line(deal: re.Match[str]) -> DealLine:
    """The parts of a deal's line; InputError if they are not those of one."""
    number, ids, cards, rest = deal.groups()
    order = tuple(int(each) - 1 for each in ids)
    if len({*order}) < 3 or order != order_of(order[2]):
        raise InputError(f"order of dealing: got {ids}; expected 123, 231 or 312")
    words = (rest or "").split()
    if not words:
        raise InputError(f"deal {number}: got no bids; expected three")
    bids = tuple("P" if bid == "D" else bid for bid in words[0].split(","))
    if len(bids) != 3 or not all(re.fullmatch(r"P|M?[2-8]|G[2-8]?", bid) for bid in bids):
        raise InputError(f"bids: got {quoted(words[0])}; expected three such as M3,P,3")
    line = DealLine(number, order, cards, bids)
    if len(words) == 1:
        return line
    forms = (
        ("declarer", "[123]"),
        ("discards", "[0-9A-W]{2}|XX"),
        ("contract", "G?[2-8]"),
        ("came", "[0-9]"),
        ("kontra", "0|[IKRSM][123]"),
    )
    if len(words) < 1 + len(forms):
        raise InputError(f"deal {number}: got {len(words)} parts after the cards; expected 1, or 6 and more")
    found: dict[str, Any] = {}
    for (name, form), word in zip(forms, words[1:], strict=False):
        if not re.fullmatch(form, word):
            raise InputError(f"{name}: got {quoted(word)}; expected {form}")
        found[name] = int(word) - 1 if name == "declarer" else word
    return replace(line, **found, **_end_of_line(words[1 + len(forms) :]))


def _end_of_line(words: Sequence[str]) -> dict[str, Any]:
    """Refa, value, first leader, tricks and summary, some of which may be left out."""
    found: dict[str, Any] = {}
    rest = [*words]
    if rest and re.match(r"[MF0]\d*[:,]|0,", rest[-1]) and not re.fullmatch(r"\d+", rest[-1]):
        found["summary"] = tuple(rest.pop().split(","))
    if rest and re.fullmatch(r"([0-9A-W]{2,3}[123])(,[0-9A-W]{2,3}[123])*", rest[-1]) and len(rest) > 2:
        found["tricks"] = tuple(rest.pop().split(","))
        found["starts"] = rest.pop()
    if len(rest) > 2 or not all(re.fullmatch(r"\d+", word) for word in rest):
        raise InputError(f"got {quoted(' '.join(words))}; expected refa, value, leader, tricks and summary")
    if len(rest) == 2:
        found["refa"] = rest.pop(0)
    if rest:
        found["value"] = rest[0]
    return found
