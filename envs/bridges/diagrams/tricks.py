"""A course of the tricks before a position, found from the last trick back to the first.

With cards to draw a player may follow with any card, so nearly every order of tricks that brings the right
points is possible. Later tricks need the hands of that moment, which grow on the way back. Cards are numbers.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stichwerk.envs.games.family import KING, QUEEN, RANK_POINTS, RANKS_PER_SUIT

NODES = 1_500  # tricks that are tried before another split of the cards
POINTS = [int(RANK_POINTS[card % RANKS_PER_SUIT]) for card in range(4 * RANKS_PER_SUIT)]


class Trick(NamedTuple):
    """A trick, with the suit of the marriage that its leader shows; -1: none."""

    leader: int
    led: int
    answer: int
    winner: int
    marriage: int = -1


@dataclass(frozen=True)
class Wanted:
    """The tricks that are wanted.

    Attributes:
        taken: the cards in them
        hands: of both after them
        leader: of the next trick
        first: the leader of the first one; None: any
        open_tricks: the first so many, in which a player may follow with any card
        tricks, points: of both seats at the end, of the cards alone
        closed: the same after the open tricks; None: any
        marriages: their seats, by suit
        last_drawn: the card that the loser of the last open trick drew; -1: none
        owners: the seats that held some of the cards, such as one that was exchanged
    """

    taken: tuple[int, ...]
    hands: tuple[frozenset[int], frozenset[int]]
    leader: int
    first: int | None
    open_tricks: int
    tricks: tuple[int, int]
    points: tuple[int, int]
    closed: tuple[tuple[int, int], tuple[int, int]] | None
    marriages: Mapping[int, int]
    last_drawn: int
    owners: Mapping[int, int]
    trump: int
    must_head: bool
    king_leads: bool


@dataclass
class Finder:
    """Finds tricks; each `find` may find others."""

    wanted: Wanted
    random: random.Random
    _nodes: int = 0
    _found: list[Trick] = field(default_factory=list)

    def find(self) -> Iterator[list[Trick]]:
        """Some courses, the first trick first."""
        wanted = self.wanted
        self._nodes, self._found = 0, []
        own = [set(hand) for hand in wanted.hands]
        yield from self._back(
            wanted.leader, {*wanted.taken}, own, [*wanted.tricks], [*wanted.points], {*wanted.marriages}
        )

    def _back(
        self,
        winner: int,
        pool: set[int],
        own: list[set[int]],
        tricks: list[int],
        points: list[int],
        marriages: set[int],
    ) -> Iterator[list[Trick]]:
        """The courses that end with a trick of `winner`; arguments are what is left before it."""
        wanted, number = self.wanted, len(pool) // 2
        self._nodes += 1
        if not self._may_go_on(winner, number, pool, own, tricks, points):
            return
        if not pool:
            if not marriages and wanted.first in (None, winner):
                yield self._found[::-1]
            return
        for trick in self._tricks(winner, number, pool, own, marriages):
            gain = POINTS[trick.led] + POINTS[trick.answer]
            if self._nodes > NODES:
                return
            if gain > points[winner]:
                continue
            cards = {trick.led, trick.answer}
            own[trick.leader].add(trick.led)
            own[1 - trick.leader].add(trick.answer)
            tricks[winner] -= 1
            points[winner] -= gain
            self._found.append(trick)
            yield from self._back(
                trick.leader, pool - cards, own, tricks, points, marriages - {trick.marriage}
            )
            self._found.pop()
            tricks[winner] += 1
            points[winner] += gain
            own[trick.leader].discard(trick.led)
            own[1 - trick.leader].discard(trick.answer)

    def _may_go_on(
        self,
        winner: int,
        number: int,
        pool: set[int],
        own: Sequence[set[int]],
        tricks: Sequence[int],
        points: Sequence[int],
    ) -> bool:
        """False where the rest cannot be right."""
        wanted = self.wanted
        left = [(tricks[seat], points[seat]) for seat in (0, 1)]
        if wanted.closed is not None and number >= wanted.open_tricks:  # those after closing come first
            tricks_then, points_then = wanted.closed
            left = [(tricks[seat] - tricks_then[seat], points[seat] - points_then[seat]) for seat in (0, 1)]
            number -= wanted.open_tricks
            if not number and left != [(0, 0), (0, 0)]:
                return False
        all_drawn = len(pool) == 2 * wanted.open_tricks and wanted.last_drawn >= 0
        if all_drawn and wanted.last_drawn not in own[1 - winner]:
            return False
        if number and not left[winner][0]:
            return False
        worth = sorted(POINTS[card] for card in pool)
        for won, worth_of in left:
            if not sum(worth[: 2 * won]) <= worth_of <= sum(worth[max(0, len(worth) - 2 * won) :]) or won < 0:
                return False
        return True

    def _tricks(
        self, winner: int, number: int, pool: set[int], own: Sequence[set[int]], marriages: set[int]
    ) -> Iterator[Trick]:
        """The tricks that `winner` can have won with two cards of the pool, in a random order."""
        cards = sorted(pool)
        pairs = [(led, answer) for led in cards for answer in cards if led != answer]
        self.random.shuffle(pairs)
        for led, answer in pairs:
            answered = self._beats(answer, led)
            leader = 1 - winner if answered else winner
            if not (self._may_play(leader, led, number) and self._may_play(1 - leader, answer, number)):
                continue
            if number > self.wanted.open_tricks and not self._may_follow(led, answer, own[1 - leader]):
                continue
            suit = self._marriage(leader, led, answer, own)
            if suit is not None:
                yield Trick(leader, led, answer, winner, suit if suit in marriages else -1)

    def _marriage(self, leader: int, led: int, answer: int, own: Sequence[set[int]]) -> int | None:
        """The suit of the marriage that is shown with a lead; -1: none; None: one that was shown cannot have
        been."""
        marriages = self.wanted.marriages
        for card in (led, answer):
            suit, rank = divmod(card, RANKS_PER_SUIT)
            other = card + (QUEEN - KING if rank == KING else KING - QUEEN)
            if rank in (KING, QUEEN) and suit in marriages and other in own[marriages[suit]]:
                # The first of the two that was played, so it was led.
                wrong_queen = self.wanted.king_leads and rank == QUEEN
                return suit if card == led and leader == marriages[suit] and not wrong_queen else None
        return -1

    def _may_play(self, seat: int, card: int, number: int) -> bool:
        """False for a card of the other seat, and for the last one drawn before it was drawn."""
        wanted = self.wanted
        if card == wanted.last_drawn and number <= wanted.open_tricks:
            return False
        suit, rank = divmod(card, RANKS_PER_SUIT)
        owner = wanted.marriages.get(suit, seat) if rank in (KING, QUEEN) else seat
        return seat == owner == wanted.owners.get(card, seat)

    def _beats(self, card: int, led: int) -> bool:
        suit = card // RANKS_PER_SUIT
        if suit == led // RANKS_PER_SUIT:
            return card < led
        return suit == self.wanted.trump

    def _may_follow(self, led: int, answer: int, after: set[int]) -> bool:
        """True if a hand, of which `after` is left, may answer so without cards to draw."""
        hand = after | {answer}
        suit = {card for card in hand if card // RANKS_PER_SUIT == led // RANKS_PER_SUIT}
        higher = {card for card in suit if card < led} if self.wanted.must_head else set()
        trumps = {card for card in hand if card // RANKS_PER_SUIT == self.wanted.trump}
        return answer in (higher or suit or trumps or hand)
