"""The Schnapsen platform of the VU Amsterdam (package `schnapsen`, in an environment of its own): its bots as
agents, and agents as its bots.

The preset `schnapsen_vu` has that platform's rules. Both directions play a deal again from what the player to
act knows. Cards that it does not know are filled in at random or arbitrarily, and stay hidden from it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np
from schnapsen.bots import BullyBot, RandBot, RdeepBot
from schnapsen.deck import Card, Rank, Suit
from schnapsen.game import (
    Bot,
    BotState,
    ExchangeTrick,
    FollowerPerspective,
    GameState,
    Hand,
    LeaderPerspective,
    Marriage,
    Move,
    PlayerPerspective,
    RegularMove,
    RegularTrick,
    SchnapsenGamePlayEngine,
    Talon,
    TrumpExchange,
)

from stichwerk.agents.core.agent import Agent, AgentError, Turns, differences, identity, with_choice
from stichwerk.envs.games import make_game
from stichwerk.envs.games.schnapsen.options import DEALER, FOREHAND, INDICATOR, STOCK
from stichwerk.envs.records.deal import DealRecord, deck_of, moves_of
from stichwerk.envs.records.deal import Move as Played
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import quoted

GAME = make_game("schnapsen_v0", "schnapsen_vu")
SUITS = {"s": Suit.SPADES, "h": Suit.HEARTS, "d": Suit.DIAMONDS, "c": Suit.CLUBS}
RANKS = {"A": Rank.ACE, "T": Rank.TEN, "K": Rank.KING, "Q": Rank.QUEEN, "J": Rank.JACK}
CARDS = {name: Card.get_card(RANKS[name[1]], SUITS[name[0]]) for name in GAME.deck}
NAMES = {card: name for name, card in CARDS.items()}
IN_HAND, DRAWS = 5, 5

MakeBot = Callable[[Random], Bot]


# Their bots in our environments


class BotAgent(Agent):
    """A bot of the platform as an agent of the preset `schnapsen_vu`.

    Args:
        name: of the agent
        game: `schnapsen_v0` under `schnapsen_vu`; AgentError for another one
        make: makes the bot with its source of random numbers
    """

    def __init__(self, name: str, game: Game, make: MakeBot):
        if faults := differences(identity(game), identity(GAME)):
            raise AgentError(f"agent {name} plays by the preset schnapsen_vu: {faults}")
        self._make, self._replay = make, RecordReplay(game)
        super().__init__(name, game)
        self.outside = True

    def seed(self, seed: int) -> None:
        """Make the bot again."""
        super().seed(seed)
        self._bot = self._make(Random(seed))

    def fresh(self) -> "BotAgent":
        return BotAgent(self.name, GAME, self._make)

    def act(self, turns: Turns) -> np.ndarray:
        actions, views, seats = turns.mask.argmax(axis=1), turns.views, turns.all_seats[turns.which]
        for turn in with_choice(turns.mask).tolist():
            drawn = self._replay.drawn(views[turn : turn + 1], int(seats[turn]))
            perspective, led = perspective_of(drawn[0])
            actions[turn] = GAME.action_index[action_of(self._bot.get_move(perspective, led))]
        return actions


def platform_agent(text: str, game: Game, name: str, samples: int = 16, depth: int = 4) -> Agent:
    """A bot of the platform by its name; `samples` and `depth` are those of RdeepBot."""
    bots: dict[str, MakeBot] = {
        "rand": RandBot,
        "bully": BullyBot,
        "rdeep": lambda random: RdeepBot(samples, depth, random),
    }
    if name not in bots:
        raise AgentError(f"agent {quoted(text)}: got {quoted(name)}; expected one of {', '.join(bots)}")
    return BotAgent(text, game, bots[name])


def perspective_of(state: np.record) -> tuple[PlayerPerspective, Move | None]:
    """The perspective there of the seat to act, from a state without hidden cards, and the move to answer."""
    engine = SchnapsenGamePlayEngine()
    hands, stock = dealt_cards(deck_of(GAME, state))
    scripts = [Script(), Script()]
    forehand = 1 - int(state.dealer)
    leader, follower = (
        BotState(scripts[seat], Hand([CARDS[card] for card in hands[place]]))
        for seat, place in ((forehand, FOREHAND), (1 - forehand, DEALER))
    )
    platform = GameState(leader, follower, Talon([CARDS[card] for card in stock]), None)
    waiting: list[tuple[int, Move]] = []
    for seat, move in their_moves(moves_of(GAME, state), stock[-1][0]):
        waiting.append((seat, move))
        if move.is_trump_exchange() or len(waiting) == 2:
            for who, next_move in waiting:
                scripts[who].next_move = next_move
            platform = engine.trick_implementer.play_trick(engine, platform)
            waiting = []
    if waiting:
        ((_, led),) = waiting
        return FollowerPerspective(platform, engine, led), led
    return LeaderPerspective(platform, engine), None


class Script(Bot):
    """Plays the move that it is given."""

    next_move: Move

    def get_move(self, perspective: PlayerPerspective, leader_move: Move | None) -> Move:
        return self.next_move


def dealt_cards(deck: Sequence[str]) -> tuple[dict[int, list[str]], list[str]]:
    """The hands by their places in the deal, and the stock with the card turned up at its end."""
    places: dict[int, list[str]] = {FOREHAND: [], DEALER: [], INDICATOR: [], STOCK: []}
    for place, card in zip(GAME.rules.layout, deck, strict=True):  # type: ignore[attr-defined]
        places[place].append(card)
    return places, places[STOCK] + places[INDICATOR]


def their_moves(moves: Iterable[Played], trump: str) -> Iterator[tuple[int, Move]]:
    """Our moves as those of the platform, with their seats: there a marriage plays its king too."""
    melded = False
    for move in moves:
        verb, _, what = move.action.partition(" ")
        if verb == "meld":
            yield move.seat, marriage(what)
        elif verb == "exchange":
            yield move.seat, TrumpExchange(CARDS[f"{trump}J"])
        elif not melded:
            yield move.seat, RegularMove(CARDS[what])
        melded = verb == "meld"


def marriage(suit: str) -> Marriage:
    return Marriage(CARDS[f"{suit}Q"], CARDS[f"{suit}K"])


def action_of(move: Move) -> str:
    """The name of the first action that a move of the platform is."""
    if move.is_trump_exchange():
        return "exchange"
    if move.is_marriage():
        return f"meld {NAMES[move.as_marriage().king_card][0]}"
    return f"play {NAMES[move.as_regular_move().card]}"


# Our agents in their games


class AgentBot(Bot):
    """An agent as a bot of the platform.

    Args:
        agent: of the preset `schnapsen_vu`, or of another one of Schnapsen, which then plays by observations
            that are meant for other rules
        name: of the bot; none: the agent's
    """

    def __init__(self, agent: Agent, name: str | None = None):
        super().__init__(name or agent.name)
        self._agent, self._replay = agent, RecordReplay(GAME)

    def get_move(self, perspective: PlayerPerspective, leader_move: Move | None) -> Move:
        seat = 0
        states = self._replay.check(deal_of(perspective, leader_move))
        view, mask = self._replay.seen_by(states, seat)
        turns = Turns.one(view, seat, mask)
        verb, _, what = GAME.actions[int(self._agent.act(turns)[0])].partition(" ")
        if verb == "meld":
            return marriage(what)
        if verb == "exchange":
            return TrumpExchange(Card.get_card(Rank.JACK, perspective.get_trump_suit()))
        return RegularMove(CARDS[what])


class Held(NamedTuple):
    """A card that the opponent has held, and the number of draws before which it was there."""

    draws: int
    card: str


def deal_of(perspective: PlayerPerspective, led: Move | None) -> DealRecord:
    """A deal that looks like this one to the player to act, who is seat 0.

    Cards that the player does not know lie where the moves allow it.
    """
    history = perspective.get_game_history()
    first = history[0][0]
    turned_up = NAMES[first.get_trump_card()]
    own, other = Side(first.get_hand()), Side()
    moves: list[tuple[bool, Move]] = []
    winners: list[bool] = []
    for (before, trick), (after, _) in pairwise(history):
        leads = before.am_i_leader()
        if isinstance(trick, ExchangeTrick):
            moves.append((leads, trick.exchange))
            (own if leads else other).exchanged = True
            if not leads:
                other.needs(len(winners), trick.exchange.jack)
            continue
        assert isinstance(trick, RegularTrick)
        moves += [(leads, trick.leader_move), (not leads, trick.follower_move)]
        other.needs(len(winners), *(trick.follower_move if leads else trick.leader_move).cards)
        winners.append(after.am_i_leader())
        own.drawn += [NAMES[card] for card in after.get_hand() if card not in before.get_hand()]
    if led:
        moves.append((False, led))
        other.needs(len(winners), *led.cards)
    if perspective.get_talon_size() == 0:
        other.needs(len(winners), *perspective.get_opponent_hand_in_phase_two())
    return _laid_out(first.am_i_leader(), turned_up, own, other, moves, winners)


class Side:
    """The cards of one player: the first hand, those drawn, and those known to have been held."""

    def __init__(self, hand: Iterable[Card] = ()):
        self.hand, self.drawn = [NAMES[card] for card in hand], list[str]()
        self.exchanged = False
        self.held: list[Held] = []

    def needs(self, tricks: int, *cards: Card) -> None:
        known = {held.card for held in self.held}
        self.held += [Held(min(tricks, DRAWS), NAMES[card]) for card in cards if NAMES[card] not in known]


def _laid_out(
    leads: bool,
    turned_up: str,
    own: Side,
    other: Side,
    moves: Sequence[tuple[bool, Move]],
    winners: Sequence[bool],
) -> DealRecord:
    draws = min(len(winners), DRAWS)
    gets_last = draws == DRAWS and winners[DRAWS - 1]  # the card under the stock, as the trick's loser
    elsewhere = ""  # the card that the opponent got from there
    if other.exchanged or (gets_last and not own.exchanged):
        elsewhere = turned_up
    elif gets_last:
        elsewhere = f"{turned_up[0]}J"
    slots = IN_HAND + draws - gets_last
    known = [held.card for held in sorted(other.held, key=lambda held: held.draws) if held.card != elsewhere]
    seen = {turned_up, *own.hand, *own.drawn, *known}
    unseen = [card for card in GAME.deck if card not in seen]
    theirs = known + unseen[: slots - len(known)]
    stock = unseen[slots - len(known) :]
    places = {FOREHAND if leads else DEALER: list(own.hand), DEALER if leads else FOREHAND: theirs[:IN_HAND]}
    ours, others = iter(own.drawn), iter(theirs[IN_HAND:])
    drawn: list[str] = []
    for number, won in enumerate(winners[:draws]):
        sources = (ours, others) if won else (others, ours)
        drawn += [next(source) for source in sources[: 1 if number == DRAWS - 1 else 2]]
    places |= {INDICATOR: [turned_up], STOCK: drawn + stock}
    layout = GAME.rules.layout  # type: ignore[attr-defined]
    cards = {place: iter(some) for place, some in places.items()}
    return DealRecord(
        dealer=int(leads),
        deck=tuple(next(cards[place]) for place in layout),
        match={"score": [0, 0]},
        moves=tuple(our_moves(moves)),
    )


def our_moves(moves: Iterable[tuple[bool, Move]]) -> Iterator[Played]:
    """Moves of the platform, each with whether it is that of the player to act, as ours."""
    for own, move in moves:
        seat = int(not own)
        yield Played(seat, action_of(move))
        if move.is_marriage():
            yield Played(seat, f"play {NAMES[move.as_marriage().king_card]}")
