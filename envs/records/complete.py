"""Deals from what is known of them: the rest is drawn at random, in agreement with it.

A deck is drawn, dealt and played. Where that does not lead to what is known, two of its unknown cards change
places. The change stays if the new deck leads at least as far. The game's own rules say what is legal, so
this serves every game.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError, SetupError, closest, quoted

UNKNOWN = "?"
TRIES = 2_000  # decks that are played before a deal is given up: some seconds
PATIENCE = 200  # decks in a row that lead no further, before a fresh one is drawn
SAMPLES = 16  # decks that tell where the turned-up card lies: a wrong place is found once in 10**8 times
DIRECTED = 0.8  # of the changes bring a card to the hand that lacks it; the others are any
KEPT = 0.5  # of them take no card from it that the actions or the known hand name


@dataclass(frozen=True)
class PartialDeal:
    """The known part of a deal and of a position in it.

    Attributes:
        deck: cards by name in dealing order, `?` for one that is not known; those at the end may be left out
        dealer: the seat that deals; None: any
        match: the state of the match, as `reset(options={"match": …})` takes it; None: a fresh one
        actions: that lead to the position, by name; `?` is any action, and `play ?` one of these
        seat: that is to act then; None: any
        hand: cards that this seat then holds, all or some of them
        trump: a suit, or the card that is turned up; empty: any
    """

    deck: tuple[str, ...] = ()
    dealer: int | None = None
    match: Mapping[str, Any] | None = None
    actions: tuple[str, ...] = ()
    seat: int | None = None
    hand: tuple[str, ...] = ()
    trump: str = ""

    def has_all_cards(self, game: Game) -> bool:
        """True if the place of every card is known."""
        return len(self.deck) == len(game.deck) and UNKNOWN not in self.deck


def complete(game: Game, partial: PartialDeal, seed: int) -> DealRecord:
    """A deal that agrees with what is known.

    Args:
        game: with its rules
        partial: what is known
        seed: of what is drawn

    Returns:
        The deal up to the position: a record of the seat to act, or of all cards if all are known.

    Raises:
        InputError: an entry is impossible, or no deal that agrees has been found.
    """
    deal, seat = _Completion(game, partial, seed).find()
    return deal if partial.has_all_cards(game) else RecordReplay(game).for_seat(deal, seat)


class _Outcome(NamedTuple):
    """The outcome of a deck.

    Attributes:
        reached: how many actions were legal, whether the right seat was to act, how many cards were right
        moves: the actions with their seats
        seat: that was to act last
        held: the cards of this seat
        lacking: those that it should have had besides
        fault: what does not agree, in words; empty: all does
        wrong_seat: whether that is the seat to act
    """

    reached: tuple[int, bool, int]
    moves: tuple[Move, ...]
    seat: int
    held: tuple[str, ...]
    lacking: tuple[str, ...] = ()
    fault: str = ""
    wrong_seat: bool = False


class _Completion:
    def __init__(self, game: Game, partial: PartialDeal, seed: int):
        _check(game, partial)
        self._game, self._partial, self._random = game, partial, random.Random(seed)
        self._replay = RecordReplay(game)
        self._known = {position: card for position, card in enumerate(partial.deck) if card != UNKNOWN}
        played = [
            game.actions[game.action_index[word]].card for word in partial.actions if not _is_open(word)
        ]
        self._named = {*partial.hand, *played}  # their holders are better not given others for them
        self._dealer = self._random.randrange(game.seats) if partial.dealer is None else partial.dealer

    def find(self) -> tuple[DealRecord, int]:
        """A deal that agrees, and the seat to act in it; InputError if none has been found."""
        partial, seats = self._partial, self._game.seats
        changes = len(self._game.deck) - len(self._known) > 1
        drawn = changes or any(map(_is_open, partial.actions))
        (deck, free), idle = self._draw(), PATIENCE
        present = nearest = _Outcome((-1, False, 0), (), NONE, ())
        for number in range(TRIES if drawn else seats):
            if idle >= PATIENCE or not changes:
                if partial.dealer is None and number:
                    self._dealer = (self._dealer + 1) % seats
                deck, free = self._draw()
                present, idle = self._play(deck), 0
            else:
                changed = self._changed(deck, free, present)
                outcome = self._play(changed)
                idle = 0 if outcome.reached > present.reached else idle + 1
                if outcome.reached >= present.reached:
                    deck, present = changed, outcome
            if not present.fault:
                (before,) = self._replay.begun({"match": partial.match})
                match = self._game.match_of(before)
                return DealRecord(self._dealer, tuple(deck), match, present.moves), present.seat
            if present.reached > nearest.reached:
                nearest = present
        raise InputError(f"got no deal that agrees with all that is given; in the nearest {nearest.fault}")

    def _draw(self) -> tuple[list[str], list[int]]:
        """A deck, and the positions of those cards in it that may change places."""
        known = dict(self._known)
        if self._partial.trump:
            known |= self._turned_up(known)
        left = [*(Counter(self._game.deck) - Counter(known.values())).elements()]
        self._random.shuffle(left)
        deck = [known[place] if place in known else left.pop() for place in range(len(self._game.deck))]
        return deck, [place for place in range(len(deck)) if place not in known]

    def _turned_up(self, known: Mapping[int, str]) -> dict[int, str]:
        """The place of the turned-up card with a card that is or has the wanted trump."""
        trump = self._partial.trump
        places = self._places_of_trump()
        if not places:
            env_id = self._game.env_id
            raise SetupError(f"trump: got {quoted(trump)}; expected none, as {env_id} turns up no card")
        place = places[0]
        if place in known:
            if known[place] != trump and known[place][0] != trump:
                raise SetupError(f"trump: got {quoted(trump)}; expected {known[place]}, as the deck has it")
            return {}
        left = Counter(self._game.deck) - Counter(known.values())
        fitting = [card for card in left if trump in (card, card[0])]
        others = [card for card in fitting if card not in self._partial.hand]
        if not fitting:
            raise SetupError(f"trump: got {quoted(trump)}; expected a card that is not in the deck already")
        return {place: self._random.choice(others or fitting)}

    def _places_of_trump(self) -> list[int]:
        """The place in a deck of the card whose suit is trump from the start; none in a game without one."""
        trump = _trump_field(self._game)
        if not trump:
            return []
        places = [*range(len(self._game.deck))]
        for _ in range(SAMPLES):
            deck = self._random.sample(self._game.deck, len(self._game.deck))
            (state,) = self._replay.dealt({"deck": deck, "dealer": self._dealer})
            places = [place for place in places if deck[place][0] == SUITS[state[trump]]]
        return places

    def _play(self, deck: Sequence[str]) -> _Outcome:
        """The outcome of a deck; by another dealer, if that lets the right seat act and any may deal."""
        outcome = self._play_by_dealer(deck)
        wanted = self._partial.seat
        if self._partial.dealer is None and wanted is not None and outcome.wrong_seat:
            self._dealer = (self._dealer + wanted - outcome.seat) % self._game.seats
            outcome = self._play_by_dealer(deck)
        return outcome

    def _play_by_dealer(self, deck: Sequence[str]) -> _Outcome:
        """Deal a deck and play the actions, as far as they are legal."""
        partial, moves = self._partial, list[Move]()
        states = self._replay.dealt({"deck": deck, "dealer": self._dealer, "match": partial.match})
        for number, word in enumerate(partial.actions):
            seat, legal = int(states[0].seat), self._replay.legal(states)
            meant = [action for action in legal if _fits(action, word)]
            if not meant:
                held = self._held(states, seat)
                card = None if _is_open(word) else self._game.actions[self._game.action_index[word]].card
                lacking = () if card is None or card in held else (card,)
                fault = f"action {number + 1}, {quoted(word)}, is not legal for player_{seat}"
                return _Outcome((number, False, 0), (), seat, held, lacking, fault)
            action = self._random.choice(meant)
            moves.append(Move(seat, action))
            self._replay.apply(states, action)
        return self._judged(states, tuple(moves))

    def _judged(self, states: np.ndarray, moves: tuple[Move, ...]) -> _Outcome:
        """The outcome of these actions: where they fail, or a fault of the position after them."""
        partial, seat, held = self._partial, int(states[0].seat), self._held(states, int(states[0].seat))
        if states[0].over:
            return _Outcome((len(moves) - 1, False, 0), moves, seat, held, fault="the deal is over")
        if partial.seat not in (None, seat):
            fault = f"player_{seat} is to act, not player_{partial.seat}"
            return _Outcome((len(moves), False, 0), moves, seat, held, fault=fault, wrong_seat=True)
        if len(partial.hand) > len(held):
            given = f"{len(partial.hand)} cards"
            raise SetupError(
                f"hand: got {given}; expected at most {len(held)}, which player_{seat} then holds"
            )
        lacking = tuple((Counter(partial.hand) - Counter(held)).elements())
        reached = len(moves), True, -len(lacking)
        fault = f"player_{seat} does not hold {' and '.join(lacking)}" if lacking else ""
        return _Outcome(reached, moves, seat, held, lacking, fault)

    def _held(self, states: np.ndarray, seat: int) -> tuple[str, ...]:
        """The hand of a seat; none in a game that shows no hands."""
        hands = {hand.seat: hand.cards for hand in self._game.scene(states, SPECTATOR).hands}
        return hands.get(seat, ())

    def _changed(self, deck: Sequence[str], free: Sequence[int], outcome: _Outcome) -> list[str]:
        """The deck after two of its cards have changed places: where a hand is at fault, one is in it."""
        changed, lacking = [*deck], outcome.lacking
        keep = self._named if self._random.random() < KEPT or outcome.reached[1] else set()
        here = [place for place in free if deck[place] in outcome.held and deck[place] not in keep]
        there = [place for place in free if (deck[place] in lacking if lacking else place not in here)]
        if not (here and there) or self._random.random() > DIRECTED:
            here = there = [*free]
        if free:
            one, two = self._random.choice(here), self._random.choice(there)
            changed[one], changed[two] = deck[two], deck[one]
        return changed


def _is_open(word: str) -> bool:
    """True if a word may mean any of several actions."""
    return word.endswith(UNKNOWN)


def _fits(action: str, word: str) -> bool:
    return action.startswith(word.removesuffix(UNKNOWN)) if _is_open(word) else action == word


def _trump_field(game: Game) -> str:
    """The field of a suit that there always is, as all seats know; empty: the game has none."""
    suits = (field for field in game.spec.state.own if field.kind.holds == "suit" and field.kind.low >= 0)
    return next((field.name for field in suits if not field.dtype.shape and field.known == "all"), "")


def _check(game: Game, partial: PartialDeal) -> None:
    """SetupError for an entry that is impossible by itself."""
    if len(partial.deck) > len(game.deck):
        raise SetupError(f"deck: got {len(partial.deck)} cards; expected at most {len(game.deck)}")
    _check_cards(game, "deck", [card for card in partial.deck if card != UNKNOWN])
    _check_cards(game, "hand", partial.hand)
    if partial.trump and partial.trump not in (*SUITS, *game.deck):
        expected = f"one of {', '.join(SUITS)}, or the card that is turned up"
        raise SetupError(f"trump: got {quoted(partial.trump)}; expected {expected}")
    for number, word in enumerate(partial.actions, start=1):
        if not any(_fits(action, word) for action in game.actions):
            expected = f"{closest(word, game.actions)}expected an action of {game.env_id}, or {UNKNOWN}"
            raise SetupError(f"action {number}: got {quoted(word)}; {expected}")


def _check_cards(game: Game, what: str, cards: Iterable[str]) -> None:
    """SetupError for cards that a pack does not hold, or not as often."""
    there_are = Counter(game.deck)
    for card, times in Counter(cards).items():
        if card not in there_are:
            raise SetupError(f"{what}: unknown card {quoted(card)}; this pack has {' '.join(there_are)}")
        if times > there_are[card]:
            raise SetupError(f"{what}: duplicate card {card}")
