"""The captions of a diagram, and the position that they describe."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from stichwerk.envs.core.cards import SUIT_SYMBOLS
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted

ENVS = "schnapsen_v0", "sixty_six_v0"
YOU, OPPONENT = "You", "Opponent"
CONCEALED = "Concealed cards"
CAPTIONS = (
    "Game",
    "Rules",
    CONCEALED,
    "Your cards",
    "Opponent's cards",
    "Face-down cards",
    "Trump",
    "Stock",
    "Game points",
    "Trick points",
    "Tricks",
    "Waiting points",
    "Marriages",
    "Exchanged",
    "Closed by",
    "Points then",
    "Tricks then",
    "Dealer",
    "On lead",
    "Play",
)
OTHER_CAPTIONS = {"Unseen cards": CONCEALED}
CAPTION = re.compile(rf"(?<!\S)({'|'.join([*CAPTIONS, *OTHER_CAPTIONS])}):")
SUIT_OF = {**{symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}, **{suit: suit for suit in SUIT_SYMBOLS}}
NO_CARDS = "-–—"
NUMBERED = re.compile(r"([^,:]+?) (\d{1,5})")
Pair = tuple[int, int]


@dataclass(frozen=True)
class Position:
    """A position with its leader to act; seat 0 is "You". Cards by name.

    Attributes:
        game: under its rules
        hands: of both; of seat 1 none if they are concealed
        concealed: cards of seat 1 and of the stock
        stock: the face-down cards, top first
        face_down: how many there are
        trump: the suit
        indicator: the card under the stock; empty: the stock is exhausted
        score: game points of the match
        points: trick points; waiting: what marriages bring with the next trick
        tricks: None: not said
        marriages: seats and suits
        exchanged: who took which turned-up card
        closed: who, with what points and tricks of both; None: open or exhausted
        leader: the seat to act
        dealer: None: not said
        play: actions from here on, by name
        opponent: the name of seat 1; empty: not said
    """

    game: Game
    hands: tuple[tuple[str, ...], tuple[str, ...]]
    concealed: tuple[str, ...]
    stock: tuple[str, ...]
    face_down: int
    trump: str
    indicator: str
    score: Pair
    points: Pair
    tricks: Pair | None
    waiting: Pair
    marriages: tuple[tuple[int, str], ...]
    exchanged: tuple[int, str] | None
    closed: tuple[int, Pair, Pair] | None
    leader: int
    dealer: int | None = None
    play: tuple[str, ...] = ()
    opponent: str = ""


def captions_of(text: str) -> dict[str, str]:
    """The text under each caption; InputError for text before the first, and for one given twice."""
    before, *parts = CAPTION.split(" ".join(text.replace("’", "'").split()))
    if before.strip():
        raise InputError(f"got {quoted(before)} before the captions; expected one of {', '.join(CAPTIONS)}")
    found: dict[str, str] = {}
    for caption, words in zip(parts[::2], parts[1::2], strict=True):
        name = OTHER_CAPTIONS.get(caption, caption)
        if name in found:
            raise InputError(f"{name}: got it twice; expected it once")
        found[name] = words.strip().rstrip(".;|").strip()
    return found


def cards_from(game: Game, caption: str, words: str) -> tuple[str, ...]:
    """Cards such as `♠A ♥TJ ♦—` or `sA hTJ`; InputError for any that the pack does not hold."""
    suit, cards = "", list[str]()
    for each in words.replace("10", "T").replace("\N{VARIATION SELECTOR-16}", ""):
        if each in SUIT_OF:
            suit = SUIT_OF[each]
        elif each not in NO_CARDS and not each.isspace() and each != ",":
            cards.append(suit + each)
    for card in cards:
        if card not in game.deck:
            raise InputError(f"{caption}: got {quoted(card)}; expected cards such as ♠A or sA")
    return tuple(cards)


def cards_text(cards: Iterable[str], in_order: bool = False) -> str:
    """Cards suit by suit, or one by one in their order; a dash for none."""
    if in_order:
        parts = [SUIT_SYMBOLS[card[0]] + card[1] for card in cards]
    else:
        suits = groupby(sorted(cards, key=_place), key=lambda card: card[0])
        parts = [SUIT_SYMBOLS[suit] + "".join(card[1] for card in some) for suit, some in suits]
    return " ".join(parts) or "—"


def _place(card: str) -> Pair:
    return "shcd".index(card[0]), "ATKQJ9".index(card[1])  # columns print clubs before diamonds


def seat_named(name: str) -> int:
    """The seat of a name: 0 of `You`, 1 of any other."""
    return int(name != YOU)


def numbers_from(caption: str, words: str) -> Pair:
    """Numbers of both seats, such as `Tibor 4, You 4`."""
    found: dict[int, int] = {}
    for part in words.split(", "):
        number = NUMBERED.fullmatch(part)
        if number:
            found[seat_named(number[1])] = int(number[2])
    if len(found) != 2:
        raise InputError(f"{caption}: got {quoted(words)}; expected numbers of both, such as Tibor 4, You 4")
    return found[0], found[1]


def numbers_text(numbers: Sequence[int], opponent: str) -> str:
    return f"{opponent} {numbers[1]}, {YOU} {numbers[0]}"


def named_cards(game: Game, caption: str, words: str) -> list[tuple[int, str]]:
    """Seats with the words after their names, such as `You ♥, Tibor ♠A`: a suit or a card."""
    found = []
    for part in filter(None, words.split(", ")):
        name, _, rest = part.rpartition(" ")
        what = SUIT_OF.get(rest[:1], "") + rest[1:].replace("10", "T")
        if not name or (what not in game.deck and what not in SUIT_SYMBOLS):
            raise InputError(f"{caption}: got {quoted(part)}; expected a name and a suit or card")
        found.append((seat_named(name), what))
    return found


def opponent_in(found: Mapping[str, str]) -> str:
    """The name of the other player; empty where it is the word for one."""
    for caption in ("Game points", "Trick points"):
        for part in found.get(caption, "").split(", "):
            number = NUMBERED.fullmatch(part)
            if number and number[1] not in (YOU, OPPONENT):
                return number[1]
    return ""


def check_game(game: Game) -> None:
    """InputError for a game that diagrams do not describe."""
    if game.env_id not in ENVS:
        raise InputError(f"diagram: got {game.env_id}; expected one of {', '.join(ENVS)}")


def rules_of(game: Game) -> Any:
    return game.rules_record[0]
