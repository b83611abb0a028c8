"""Diagrams as deals: each is given a past and played."""

import re
from collections.abc import Iterator

from stichwerk.envs.bridges.diagrams.form import (
    CONCEALED,
    ENVS,
    Pair,
    Position,
    captions_of,
    cards_from,
    check_game,
    named_cards,
    numbers_from,
    opponent_in,
    rules_of,
    seat_named,
)
from stichwerk.envs.bridges.diagrams.past import deal_to
from stichwerk.envs.core.cards import SUIT_SYMBOLS
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import parse_yaml

BEGINS = "Your cards:"
MOST_LINES = 1_000_000
LONGEST = 10_000  # characters of a diagram
STOCK = re.compile(r"(?:(Open|Closed), )?(\d{1,2}) face-down cards?|(Exhausted|None|Empty)", re.IGNORECASE)
NEEDED = "Your cards", "Trump", "Stock", "Trick points", "On lead"


def is_diagram(head: str) -> bool:
    """True for the beginning of a text that has diagrams."""
    return BEGINS in head


def read_diagrams(text: str, rules: RuleSpec = None) -> Iterator[tuple[Game, DealRecord]]:
    """The deals of a text with one diagram, or with one in each line. Where the other hand is concealed, the
    record is that of seat 0, whose unseen cards are drawn at random.

    Args:
        text: lines that are empty or begin with a semicolon are passed over
        rules: the preset or options of Schnapsen, for diagrams that name none

    Raises:
        InputError: a line is no diagram, or the rules lead to no such position; with its number.
    """
    parts = [text] if text.count(BEGINS) == 1 else text.splitlines()[:MOST_LINES]
    for number, part in enumerate(parts, start=1):
        if not part.strip() or part.lstrip().startswith(";"):
            continue
        try:
            if len(part) > LONGEST:
                raise InputError(f"got {len(part):,} characters; expected at most {LONGEST:,}")
            position = _position(captions_of(part), rules)
            deal = deal_to(position)
            hidden = position.concealed
            yield position.game, RecordReplay(position.game).for_seat(deal, 0) if hidden else deal
        except InputError as error:
            raise InputError(f"line {number}: {error}" if len(parts) > 1 else str(error)) from None


def _position(found: dict[str, str], rules: RuleSpec) -> Position:
    """The position of some captions."""
    for caption in NEEDED:
        if caption not in found:
            raise InputError(f"diagram: got no {caption!r}; expected all of {', '.join(NEEDED)}")
    own_rules = parse_yaml(found["Rules"]) if "Rules" in found else rules
    game = make_game(found.get("Game", ENVS[0]), own_rules)
    check_game(game)
    if ("Opponent's cards" in found) == (CONCEALED in found):
        raise InputError(f'diagram: expected one of {CONCEALED!r} and "Opponent\'s cards"')
    cards = {
        caption: cards_from(game, caption, found.get(caption, ""))
        for caption in ("Your cards", "Opponent's cards", CONCEALED, "Face-down cards")
    }
    stock = STOCK.fullmatch(found["Stock"])
    if not stock:
        raise InputError(f"Stock: got {quoted(found['Stock'])}; expected such as Open, 3 face-down cards")
    face_down = int(stock[2] or 0)
    concealed, theirs = cards[CONCEALED], cards["Opponent's cards"]
    if concealed and not face_down:
        concealed, theirs = (), concealed
    trump, indicator = _trump(game, found["Trump"], face_down)
    target, points = int(rules_of(game).target), numbers_from("Trick points", found["Trick points"])
    score = numbers_from("Game points", found["Game points"]) if "Game points" in found else (target, target)
    if not all(1 <= left <= target for left in score):
        raise InputError(f"Game points: got {score[1]} and {score[0]}; expected 1 to {target}, those needed")
    tricks = numbers_from("Tricks", found["Tricks"]) if "Tricks" in found else None
    exchanged = named_cards(game, "Exchanged", found.get("Exchanged", ""))
    if len(exchanged) > 1 or any(len(card) < 2 or card[0] != trump for _, card in exchanged):
        raise InputError(f"Exchanged: got {quoted(found['Exchanged'])}; expected a name and a trump card")
    marriages = named_cards(game, "Marriages", found.get("Marriages", ""))
    if len({suit for _, suit in marriages}) < len(marriages) or any(len(suit) > 1 for _, suit in marriages):
        raise InputError(f"Marriages: got {quoted(found['Marriages'])}; expected names and suits, each once")
    return Position(
        game=game,
        hands=(cards["Your cards"], theirs),
        concealed=concealed,
        stock=cards["Face-down cards"],
        face_down=face_down,
        trump=trump,
        indicator=indicator,
        score=score,
        points=points,
        tricks=tricks,
        waiting=numbers_from("Waiting points", found["Waiting points"])
        if "Waiting points" in found
        else (0, 0),
        marriages=tuple(marriages),
        exchanged=exchanged[0] if exchanged else None,
        closed=_closed(found, (stock[1] or "").lower() == "closed"),
        leader=seat_named(found["On lead"]),
        dealer=seat_named(found["Dealer"]) if "Dealer" in found else None,
        play=tuple(filter(None, found.get("Play", "").split(", "))),
        opponent=opponent_in(found),
    )


def _trump(game: Game, words: str, face_down: int) -> tuple[str, str]:
    """The suit, and the card under the stock."""
    card = next(iter(cards_from(game, "Trump", words)), "") if len(words) > 1 and words[1:].strip() else ""
    if face_down and not card:
        raise InputError(f"Trump: got {quoted(words)}; expected the card under the stock, such as ♠J")
    suits = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}
    suit = card[:1] or suits.get(words, words)
    if suit not in SUIT_SYMBOLS:
        raise InputError(f"Trump: got {quoted(words)}; expected a suit or a card, such as ♠ or ♠J")
    return suit, card if face_down else ""


def _closed(found: dict[str, str], closed: bool) -> tuple[int, Pair, Pair] | None:
    """The seat that has closed, and the counts of that moment; None if nobody has."""
    captions = "Closed by", "Points then", "Tricks then"
    if not closed:
        if given := [caption for caption in captions if caption in found]:
            raise InputError(f"{given[0]}: got it of a stock that is not closed; expected none")
        return None
    if missing := [caption for caption in captions if caption not in found]:
        raise InputError(f"Stock: got a closed one without {missing[0]!r}; expected {', '.join(captions)}")
    then = [numbers_from(caption, found[caption]) for caption in captions[1:]]
    return seat_named(found["Closed by"]), then[0], then[1]
