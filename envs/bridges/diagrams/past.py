"""A deal that leads to a position: tricks, then the order of its cards, then play."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice, product

import numpy as np

from stichwerk.envs.bridges.diagrams.form import Pair, Position, rules_of
from stichwerk.envs.bridges.diagrams.tricks import POINTS, Finder, Trick, Wanted
from stichwerk.envs.core.cards import SUITS
from stichwerk.envs.games.family import JACK, KING, MARRIAGE, NINE, QUEEN, RANKS_PER_SUIT, TRUMP_MARRIAGE
from stichwerk.envs.games.schnapsen.options import DEALER, FOREHAND, INDICATOR
from stichwerk.envs.games.schnapsen.state import Phase
from stichwerk.envs.records.deal import DealRecord, Move
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError

TRIES = 200  # searches, each with other guesses of what a diagram does not say
COURSES = 20  # that are played of one search
NEVER = 99


def deal_to(position: Position) -> DealRecord:
    """A deal that leads to a position and on through its play.

    Raises:
        InputError: none was found, or the play is not legal.
    """
    return _Past(position).deal()


class _Past:
    def __init__(self, position: Position):
        self._position, self._game = position, position.game
        self._rules, self._replay = rules_of(position.game), RecordReplay(position.game)
        self._random = random.Random(repr(position))
        index = position.game.pack.index
        self._trump = SUITS.index(position.trump)
        self._all = frozenset(index[card] for card in position.game.deck)
        self._hand = index[position.indicator] if position.indicator else -1
        self._hands = [frozenset(index[card] for card in hand) for hand in position.hands]
        self._stock = [index[card] for card in position.stock]
        self._concealed = [index[card] for card in position.concealed]
        self._draws = self._count_draws()
        self._taken = self._cards_taken()
        self._possible_marriages = self._find_marriages()

    def deal(self) -> DealRecord:
        for _ in range(TRIES):
            self._marriages = self._random.choice(self._possible_marriages)
            self._conceal()
            for last_drawn in self._last_drawn():
                wanted = self._wanted(last_drawn)
                if wanted is None:
                    continue
                for tricks in islice(Finder(wanted, self._random).find(), COURSES):
                    if found := self._deal_of(tricks, last_drawn):
                        return found
        raise InputError(
            "diagram: got a position to which no deal leads by the rules; expected one that play can reach"
        )

    # What the numbers of cards say

    def _count_draws(self) -> int:
        size, open_stock = self._rules.hand_size, bool(self._position.indicator)
        left = len(self._all) - 2 * size - open_stock - self._position.face_down
        if left % 2 or left < 0 or (not open_stock and self._position.face_down):
            raise InputError(
                f"stock: got {self._position.face_down} face-down cards; expected a number that draws leave"
            )
        return left // 2

    def _cards_taken(self) -> tuple[int, ...]:
        position, given = self._position, [*self._hands[0], *self._hands[1], *self._stock, *self._concealed]
        given += [self._hand] if self._hand >= 0 else []
        if len({*given}) < len(given):
            twice = next(card for card in given if given.count(card) > 1)
            raise InputError(f"diagram: got {self._game.pack.names[twice]} twice; expected each card once")
        taken = self._all - {*given}
        held = self._rules.hand_size + self._draws - len(taken) // 2
        theirs = len(self._hands[1]) + max(0, len(self._concealed) - position.face_down)
        if len(taken) % 2 or len(self._hands[0]) != held or theirs != held or held < 1:
            raise InputError(
                f"cards: got {len(self._hands[0])} in your hand and {theirs} in the other one, with "
                f"{position.face_down} face down; expected equal hands, as they are at a lead"
            )
        if self._concealed or len(self._stock) == position.face_down:
            return tuple(sorted(taken))
        raise InputError(
            f"face-down cards: got {len(self._stock)}; expected the {position.face_down} of the stock"
        )

    def _find_marriages(self) -> list[dict[int, int]]:
        """The marriages as the diagram names them or, where it names none, all that explain the trick points;
        the seat of each suit. InputError if none do."""
        position = self._position
        found = [{SUITS.index(suit): seat for seat, suit in position.marriages}]
        if not position.marriages:
            seats = [self._seats_of_marriage(suit) for suit in range(len(SUITS))]
            found = [
                {suit: seat for suit, seat in enumerate(some) if seat is not None} for some in product(*seats)
            ]
        cards, got = sum(POINTS[card] for card in self._taken), sum(position.points) + sum(position.waiting)
        fitting = [some for some in found if cards + sum(map(self._worth, some)) == got]
        if not fitting:
            raise InputError(
                f"trick points: got {got} together; expected the {cards} of the cards taken, and marriages"
            )
        return fitting

    def _seats_of_marriage(self, suit: int) -> list[int | None]:
        """The seats that may have declared a marriage, and None for neither."""
        pair = [suit * RANKS_PER_SUIT + rank for rank in (KING, QUEEN)]
        taken = [card in self._taken for card in pair]
        theirs = {*self._hands[1], *self._concealed}
        mine = all(card in self._hands[0] or card in self._taken for card in pair)
        other = all(card in theirs or card in self._taken for card in pair)
        return [None, *([0] if any(taken) and mine else []), *([1] if any(taken) and other else [])]

    def _worth(self, suit: int) -> int:
        return TRUMP_MARRIAGE if suit == self._trump else MARRIAGE

    # What is guessed

    def _conceal(self) -> None:
        """Draw the other hand and the stock from the concealed cards."""
        if not self._position.concealed:
            return
        pool = [*self._concealed]
        self._random.shuffle(pool)
        theirs = {card for card in pool if self._is_known_theirs(card)}
        pool.sort(key=lambda card: card in theirs)  # the stock is the first of them
        size = self._position.face_down
        self._stock, self._hands[1] = pool[:size], frozenset(pool[size:])

    def _is_known_theirs(self, card: int) -> bool:
        suit, rank = divmod(card, RANKS_PER_SUIT)
        exchanged = self._position.exchanged
        return (rank in (KING, QUEEN) and self._marriages.get(suit) == 1) or (
            exchanged is not None and exchanged[0] == 1 and card == self._game.pack.index[exchanged[1]]
        )

    def _last_drawn(self) -> list[int]:
        """The cards that may have been the last of the stock; -1 where it is not exhausted."""
        if self._hand >= 0:
            return [-1]
        lowest = self._trump * RANKS_PER_SUIT + (NINE if self._rules.nines else JACK)
        if self._position.exchanged:
            return [lowest]
        trumps = [card for card in self._all if card // RANKS_PER_SUIT == self._trump]
        self._random.shuffle(trumps)
        return trumps

    def _wanted(self, last_drawn: int) -> Wanted | None:
        """The tricks that are wanted, with a guess of what is not said; None if the guess is impossible."""
        position, number = self._position, len(self._taken) // 2
        tricks = position.tricks or self._some_tricks(number)
        if sum(tricks) != number:
            raise InputError(f"tricks: got {sum(tricks)}; expected {number}, of the cards taken")
        points, closed, open_tricks = [*position.points], None, min(self._draws, number)
        for seat in (0, 1):
            points[seat] += position.waiting[seat] - sum(self._worth(suit) for suit in self._of(seat))
        if position.closed:
            _, points_then, tricks_then = position.closed
            open_tricks, then = sum(tricks_then), [*points_then]
            if open_tricks - self._draws not in (0, 1) or open_tricks > number:
                raise InputError(f"tricks then: got {open_tricks}; expected {self._draws}, one for each draw")
            for seat in (0, 1):
                shown = [suit for suit in self._of(seat) if self._random.random() < 0.7]
                then[seat] -= sum(map(self._worth, shown)) if tricks_then[seat] else 0
            closed = tricks_then, (then[0], then[1])
        if min(points) < 0:
            return None
        owners = {}
        if position.exchanged:
            seat, card = position.exchanged
            owners[self._game.pack.index[card]] = seat
        return Wanted(
            taken=self._taken,
            hands=(self._hands[0], self._hands[1]),
            leader=position.leader,
            first=None if position.dealer is None else 1 - position.dealer,
            open_tricks=open_tricks,
            tricks=tricks,
            points=(points[0], points[1]),
            closed=closed,
            marriages=self._marriages,
            last_drawn=last_drawn,
            owners=owners,
            trump=self._trump,
            must_head=bool(self._rules.must_head),
            king_leads=bool(self._rules.king_leads_marriage),
        )

    def _some_tricks(self, number: int) -> Pair:
        """A number of tricks for each: none without points, and at least one for the leader."""
        mine = self._random.randrange(number + 1)
        points = self._position.points
        if not points[0] or not points[1]:
            mine = number if points[0] else 0
        return mine, number - mine

    def _of(self, seat: int) -> list[int]:
        return [suit for suit, owner in self._marriages.items() if owner == seat]

    # The deal

    def _deal_of(self, tricks: Sequence[Trick], last_drawn: int) -> DealRecord | None:
        """The deal with these tricks, played to the end of the diagram; None if its position is another."""
        for number in self._times_of_exchange(tricks):
            deck = self._deck(tricks, last_drawn, number)
            if deck is None:
                continue
            dealer = 1 - (tricks[0].leader if tricks else self._position.leader)
            if self._position.dealer not in (None, dealer):
                return None
            target = int(self._rules.target)
            match = {"score": [target - left for left in self._position.score]}
            play = _Play(self._replay, {"deck": deck, "dealer": dealer, "match": match})
            if not play.tricks(tricks, self._position, number) or not self._is_there(play.states[0]):
                continue
            play.on(self._position.play)
            (state,) = play.states
            points = tuple(map(float, state.deal_points[:2])) if state.over else None
            players = ("You", self._position.opponent) if self._position.opponent else ()
            return DealRecord(dealer, tuple(deck), match, tuple(play.moves), points, players)
        return None

    def _times_of_exchange(self, tricks: Sequence[Trick]) -> Iterator[int]:
        """The tricks, from 0, before whose lead the exchange may have been."""
        if not self._position.exchanged:
            yield NEVER
            return
        seat, name = self._position.exchanged
        card = self._game.pack.index[name]
        for number in range(min(len(tricks), self._draws + 1) + 1):
            leader = tricks[number].leader if number < len(tricks) else self._position.leader
            if leader == seat:
                yield number
            if number < len(tricks) and card in (tricks[number].led, tricks[number].answer):
                return

    def _deck(self, tricks: Sequence[Trick], last_drawn: int, exchange: int) -> list[str] | None:
        """The deck in dealing order; None if a card would come too late."""
        slots = [self._slots(seat, tricks, last_drawn, exchange) for seat in (0, 1)]
        if slots[0] is None or slots[1] is None:
            return None
        names, exchanged = self._game.pack.names, self._position.exchanged
        turned_up = self._hand if self._hand >= 0 else last_drawn
        if exchanged:
            turned_up = self._game.pack.index[exchanged[1]]
        forehand = tricks[0].leader if tricks else self._position.leader
        dealt = {FOREHAND: iter(slots[forehand] or ()), DEALER: iter(slots[1 - forehand] or ())}
        size = self._rules.hand_size
        deck = [
            turned_up if place == INDICATOR else next(dealt[place])
            for place in map(int, self._rules.layout[: 2 * size + 1])
        ]
        for trick in tricks[: self._draws]:
            winner = FOREHAND if trick.winner == forehand else DEALER
            deck += [next(dealt[winner]), next(dealt[FOREHAND + DEALER - winner])]
        if last_drawn >= 0:
            deck.pop(-1 if deck[-1] == last_drawn else -2)
        deck += self._stock
        return [names[card] for card in deck] if {*deck} == self._all else None

    def _slots(self, seat: int, tricks: Sequence[Trick], last_drawn: int, exchange: int) -> list[int] | None:
        """The cards of a seat: those dealt, then one a draw. Each is there when it is needed."""
        needed = dict.fromkeys(self._hands[seat], NEVER)
        for number, trick in enumerate(tricks):
            needed[trick.led if trick.leader == seat else trick.answer] = number
        for number, trick in enumerate(tricks):
            if trick.marriage >= 0 and trick.leader == seat:
                for rank in (KING, QUEEN):
                    card = trick.marriage * RANKS_PER_SUIT + rank
                    needed[card] = min(needed[card], number)
        exchanged = self._position.exchanged
        if exchanged and exchanged[0] == seat:
            needed.pop(self._game.pack.index[exchanged[1]], None)
            lowest = self._trump * RANKS_PER_SUIT + (NINE if self._rules.nines else JACK)
            needed[lowest] = max(0, exchange - 1)
        drew_last = last_drawn in needed and self._hand < 0
        if drew_last and not (exchanged and exchanged[0] == seat):
            needed.pop(last_drawn)
        order = sorted(needed, key=lambda card: (needed[card], self._random.random()))
        size = self._rules.hand_size
        if any(needed[card] < max(0, place - size + 1) for place, card in enumerate(order)):
            return None
        return [*order, last_drawn] if drew_last else order

    def _is_there(self, state: np.record) -> bool:
        """True if a state is the one that is wanted."""
        position = self._position
        counts = [(position.points, state.points), (position.waiting, state.pending)]
        counts += [(position.tricks, state.tricks)] if position.tricks else []
        if position.closed:
            counts += [(position.closed[1], state.closed_points), (position.closed[2], state.closed_tricks)]
        return (
            state.phase == Phase.LEAD
            and state.seat == position.leader
            and state.closed_by == (position.closed[0] if position.closed else -1)
            and state.indicator == self._hand
            and all(tuple(map(int, there)) == wanted for wanted, there in counts)
            and all(
                int(hand) == sum(1 << card for card in cards)
                for hand, cards in zip(state.hand, self._hands, strict=True)
            )
        )


class _Play:
    """A deal as it is played."""

    def __init__(self, replay: RecordReplay, options: dict):
        self._replay = replay
        self.states = replay.dealt(options)
        self.moves: list[Move] = []

    def tricks(self, tricks: Sequence[Trick], position: Position, exchange: int) -> bool:
        """Play tricks, with the exchange before the lead of one; False if the rules do not allow it."""
        names = position.game.pack.names
        closed_at = sum(position.closed[2]) if position.closed else NEVER
        before_draw = closed_at == self._draws_before(position) + 1
        for number in range(len(tricks) + 1):
            wanted = ["exchange"] if number == exchange else []
            if number == closed_at:
                if not before_draw and not self._to_lead(wanted):
                    return False
                wanted.append("close")
            if number < len(tricks):
                trick = tricks[number]
                wanted += [f"meld {SUITS[trick.marriage]}"] if trick.marriage >= 0 else []
                wanted += [f"play {names[trick.led]}", f"play {names[trick.answer]}"]
            if not all(map(self._do, wanted)):
                return False
        return self._to_lead([])

    def _draws_before(self, position: Position) -> int:
        size = int(rules_of(position.game).hand_size)
        return (len(position.game.deck) - 2 * size - 1 - position.face_down) // 2

    def _to_lead(self, wanted: list[str]) -> bool:
        """Do what is wanted, and draw."""
        done = all(map(self._do, wanted))
        wanted.clear()
        while done and self.states[0].phase == Phase.AFTER:
            self._apply("continue")
        return done

    def _do(self, action: str) -> bool:
        """Do an action, after the draw where it is not possible before; False if it is not legal."""
        legal = self._replay.legal(self.states)
        if action not in legal and "continue" in legal:
            self._apply("continue")
            legal = self._replay.legal(self.states)
        if action not in legal:
            return False
        self._apply(action)
        return True

    def _apply(self, action: str) -> None:
        self.moves.append(Move(int(self.states[0].seat), action))
        self._replay.apply(self.states, action)

    def on(self, actions: Sequence[str]) -> None:
        """Play on; InputError for an action that is not legal."""
        for number, action in enumerate(actions, start=1):
            legal = self._replay.legal(self.states)
            if action not in legal:
                expected = f"one of {', '.join(legal)}" if legal else "the end of the deal"
                raise InputError(f"play, action {number}: got {action!r}; expected {expected}")
            self._apply(action)
