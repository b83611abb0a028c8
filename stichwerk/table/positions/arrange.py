"""Positions set up by hand: cards that change places, another dealer or score, and moves of all seats.

A position is a deck with moves, and each change is played from the deal on. So a position to which no play
leads is refused, in any game.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from stichwerk.envs.deal import Deal
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.notation import write_line
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import tr
from stichwerk.support.parsing import parse_yaml, yaml_line
from stichwerk.table.positions.position import Position, position_in
from stichwerk.table.protocol import ArrangeMessage

CHANGES = ("swap", "dealer", "match", "act", "back")
Places = list[tuple[str, list[str]]]
"""Places in words, each with its cards: hands, then open cards, then the stock as it is drawn."""


def arranged(position: Position, change: Mapping[str, Any]) -> Position:
    """A position after one change.

    Args:
        position: to begin with
        change: one of CHANGES with its value, or nothing.
            "swap": two cards, each as the numbers of a place and of a card there, from 0.
            "dealer": a seat, which deals the same cards. "match": its state, as text.
            "act": an action by name. "back": anything, takes the last move back.

    Raises:
        InputError: no play leads there.
    """
    match [*change.items()]:
        case []:
            return position
        case [("swap", [[int(), int()] as one, [int(), int()] as other])]:
            return _swapped(position, one, other)
        case [("dealer", int(dealer))]:
            if not 0 <= dealer < position.game.seats:
                raise InputError(f"dealer: got {dealer}; expected 0 to {position.game.seats - 1}")
            return _played(position, replace(position.deal, dealer=dealer, moves=()))
        case [("match", str(text))]:
            state = parse_yaml(text)
            if not isinstance(state, dict):
                raise InputError(f"score: got {quoted(text)}; expected such as {_match_of(position.deal)}")
            return _played(position, replace(position.deal, match=state))
        case [("act", str(action))]:
            return _played(position, _after(position, action))
        case [("back", _)] if position.deal.moves:
            return _played(position, replace(position.deal, moves=position.deal.moves[:-1]))
        case [("back", _)]:
            raise InputError("back: got it before the first move; expected a move to take back")
    raise InputError(f"change: got {quoted(dict(change))}; expected one of {', '.join(CHANGES)}")


def arranged_data(position: Position) -> ArrangeMessage:
    """A position to be set up, as values that JSON can hold."""
    game, deal = position.game, position.deal
    legal = Deal.of(game, deal).legal_actions
    return {
        "type": "arrange",
        "text": write_line(game, deal),
        "dealer": deal.dealer,
        "seats": game.seats,
        "match": _match_of(deal),
        "turn": position.seat,
        "places": [{"label": words, "cards": cards} for words, cards in places_of(game, deal)],
        "moves": [f"player_{move.seat}: {game.label(move.action)}" for move in deal.moves],
        "legal": [{"name": action, "label": game.label(action)} for action in legal],
    }


def places_of(game: Game, deal: DealRecord) -> Places:
    """The places of the cards that were not played yet."""
    scene = Deal.of(game, deal).view(None).scene
    left = Counter(deal.deck)
    left.subtract(action.card for action in _actions(game, deal.moves) if game.lays_card(action))
    places = [(f"player_{hand.seat}", _taken(left, hand.cards)) for hand in scene.hands]
    places += [(pile.label, _taken(left, pile.cards)) for pile in scene.piles]
    # Of two equal cards the later one in the deck was not dealt.
    stock = [card for card in reversed(deal.deck) if _taken(left, [card])]
    places.append((tr("face down, the next card first"), stock[::-1]))
    return [(words, cards) for words, cards in places if cards]


def _taken(left: Counter, cards: Sequence[str]) -> list[str]:
    """The cards of a place that are not counted elsewhere; they are taken from what is left."""
    found = []
    for card in cards:
        if left[card] > 0:
            left[card] -= 1
            found.append(card)
    return found


def _swapped(position: Position, one: Sequence[int], other: Sequence[int]) -> Position:
    """The position after two cards have changed places."""
    before, fault = places_of(position.game, position.deal), ""
    cards = [_card_at(before, *place) for place in (one, other)]
    wanted = [(words, [*cards]) for words, cards in before]
    for (place, number), card in zip((one, other), reversed(cards), strict=True):
        wanted[place][1][number] = card
    for deck in _decks(position.deal.deck, *cards):
        try:
            changed = _played(position, replace(position.deal, deck=deck))
        except InputError as error:
            fault = str(error)
            continue
        if _alike(wanted, places_of(position.game, changed.deal)):
            return changed
    raise InputError(fault or f"swap: got {' and '.join(cards)}; expected cards that can change places")


def _decks(deck: Sequence[str], one: str, other: str) -> Iterator[tuple[str, ...]]:
    """The decks in which two cards have changed places; of equal cards any may be meant."""
    first, second = ([n for n, each in enumerate(deck) if each == card] for card in (one, other))
    for i, j in product(first, second):
        changed = [*deck]
        changed[i], changed[j] = other, one
        yield tuple(changed)


def _alike(wanted: Places, found: Places) -> bool:
    """True if the same cards lie at the same places; hands are sorted by the game."""
    return [sorted(cards) for _, cards in wanted] == [sorted(cards) for _, cards in found]


def _card_at(places: Places, place: int, number: int) -> str:
    if not (0 <= place < len(places) and 0 <= number < len(places[place][1])):
        raise InputError(f"swap: got card {number} of place {place}; expected a card that is there")
    return places[place][1][number]


def _after(position: Position, action: str) -> DealRecord:
    """The deal with one more move; InputError if it is over then."""
    deal = Deal.of(position.game, position.deal)
    deal.push(action)
    if deal.is_over:
        raise InputError(f"act: got {action}, which ends the deal; expected another move")
    return deal.record()


def _played(position: Position, deal: DealRecord) -> Position:
    """The position of a changed deal; InputError where no play leads to it."""
    try:
        return position_in(position.game, deal, len(deal.moves))
    except InputError as error:
        raise InputError(f"impossible: {error}") from None


def _actions(game: Game, moves: Sequence[Move]) -> Iterator[Any]:
    return (game.actions[game.action_index[move.action]] for move in moves)


def _match_of(deal: DealRecord) -> str:
    return yaml_line(dict(deal.match))
