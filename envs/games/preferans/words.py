"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.refusals import why_not_follow
from stichwerk.envs.core.text import seat_name
from stichwerk.envs.games.preferans.options import LAST_NAMED, LEVEL, PACK
from stichwerk.envs.games.preferans.state import (
    BETL,
    CLUBS,
    PREFERANS,
    SANS,
    SPADES,
    TRUMP_SUIT,
    Phase,
    hand_of,
    place_of,
)
from stichwerk.envs.games.preferans.text import GAME_ROLES
from stichwerk.envs.spec.verbs import Verb
from stichwerk.support.language import mark, tr

DOUBLING = mark("a contract is doubled or accepted before the first card is played")
IGRA = mark("igra is said in the auction")
ASKED = mark("defenders come or stay out once the game is declared")
LONE = mark("only a defender who comes alone chooses that, before kontra")
OFFERING = mark("only a lone defender makes an offer, before the first card is played")
NO_PREFERANS = mark("by these rules there is no game of preferans")
VERBS = {
    "play": Verb(mark("Play"), mark("no card is played before the contract is settled")),
    "discard": Verb(
        mark("Discard"), mark("only the declarer discards, with the talon in hand"), lays_card=True
    ),
    "pass": Verb(mark("Pass"), mark("players pass only in the auction"), ends_deal=True),
    "bid": Verb(mark("Bid"), mark("numbers are bid in the auction")),
    **{
        f"bid {game}": Verb(mark("Bid {game}, {name}"), names={"game": str(game), "name": name})
        for game, name in enumerate(GAME_ROLES[:-1], SPADES)
    },
    "igra": Verb(mark("Igra"), IGRA),
    **{
        f"igra {game}": Verb(mark("Igra {game}"), IGRA, names={"game": game})
        for game in GAME_ROLES[BETL - SPADES :]
    },
    "declare": Verb(
        mark("Declare"),
        mark("a game is declared by who has won the auction, before the defenders decide"),
    ),
    **{
        f"declare {game}": Verb(mark("Declare {game}, {name}"), names={"game": str(game), "name": name})
        for game, name in enumerate(GAME_ROLES[:-1], SPADES)
    },
    "come": Verb(mark("Come"), ASKED),
    "stay out": Verb(mark("Stay out"), ASKED),
    "alone": Verb(mark("Defend alone"), LONE),
    "together": Verb(mark("Take the partner along"), LONE),
    "kontra": Verb(mark("Kontra"), DOUBLING),
    "accept": Verb(mark("Accept"), DOUBLING),
    "offer": Verb(mark("Offer"), OFFERING),
    "no offer": Verb(mark("No offer"), OFFERING),
    "agree": Verb(mark("Agree"), mark("there is no offer to answer")),
    "refuse": Verb(mark("Refuse"), mark("there is no offer to answer")),
}


def why_not(rules: np.record, view: np.record, seat: int, action: Action) -> str:
    """Why an action is not legal for the seat to act."""
    names_game = view.callers & ~view.namers & 1 << seat
    match action.verb:
        case "play" if view.phase == Phase.PLAY:
            trump = SUITS[TRUMP_SUIT[view.game - SPADES]] if view.game < BETL else ""
            hand = PACK.cards(hand_of(view, seat))
            return why_not_follow(PACK, str(action.card), hand, PACK.names[view.led], trump)
        case "declare" if view.phase == Phase.DECLARE or (view.phase == Phase.AUCTION and names_game):
            return _why_not_declare(rules, view, int(action.number or 0))
        case "pass" if view.phase == Phase.AUCTION:
            return tr("you are the first to name a game after igra, and must name one")
        case "bid" if view.phase == Phase.AUCTION:
            return _why_not_bid(rules, view, seat)
        case verb if verb.startswith("igra") and view.phase == Phase.AUCTION:
            return _why_not_igra(rules, view, seat, verb.removeprefix("igra").strip())
    return ""


def _why_not_bid(rules: np.record, view: np.record, seat: int) -> str:
    if view.callers:
        return tr("numbers are no longer bid once somebody has said igra")
    last = int(view.level_seat)
    if last != NONE and place_of(rules, view, last) > place_of(rules, view, seat):
        hold = tr("you come before {seat}, so you can hold {number}, but bid nothing else")
        return hold.format(seat=seat_name(last), number=view.level)
    number = max(SPADES, view.level + 1)
    highest = PREFERANS if rules.enable_preferans else SANS
    if number > highest:
        return tr("there is no higher number")
    return tr("the next number is {number}", number=number)


def _why_not_igra(rules: np.record, view: np.record, seat: int, name: str) -> str:
    if (view.numbered | view.callers) & 1 << seat:
        return tr("igra can only be the first call of a player")
    if name == GAME_ROLES[-1] and not rules.enable_preferans:
        return tr(NO_PREFERANS)
    said = tr(GAME_ROLES[view.named - SPADES])
    return tr("igra {game} has been said, which only a higher game beats", game=said)


def _why_not_declare(rules: np.record, view: np.record, game: int) -> str:
    if game == PREFERANS and not rules.enable_preferans:
        return tr(NO_PREFERANS)
    if view.phase == Phase.DECLARE and not view.igra:
        come = tr("the auction has reached {number}, so you cannot declare a lower game")
        return come.format(number=view.level)
    if game > CLUBS and not rules.igra_may_declare_notrump:
        return tr("a player who has said plain igra names a game with trumps")
    if view.phase == Phase.AUCTION and view.named:
        if game < view.named or (game == view.named and rules.igra_tie != LAST_NAMED):
            named = tr(GAME_ROLES[view.named - SPADES])
            return tr("{game} has been named, so you need a higher game, or pass", game=named)
        if game == SPADES and rules.igra_two_needs_first:
            return tr("only the first to name a game may name 2")
    least = view.level if rules.igra_min_level == LEVEL else view.level - 1
    return tr(
        "a hand game must be at least {least}, as {number} has been bid", least=least, number=view.level
    )
