"""Actions in words: what buttons say, and why an action is not legal."""

import numpy as np

from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.refusals import why_not_follow
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

DOUBLING = "a contract is doubled or accepted before the first card is played"
HAND_GAMES = "", " betl", " sans", " preferans"
ASKED = "defenders come or stay out once the game is declared"
LONE = "only a defender who comes alone chooses that, before kontra"
OFFERING = "only a lone defender makes an offer, before the first card is played"
NO_PREFERANS = "by these rules there is no game of preferans"
VERBS = {
    "play": Verb("Play", "no card is played before the contract is settled"),
    "discard": Verb("Discard", "only the declarer discards, with the talon in hand", lays_card=True),
    "pass": Verb("Pass", "only in the auction players pass", ends_deal=True),
    "bid": Verb("Bid", "numbers are bid in the auction"),
    **{f"bid {game}": Verb(f"Bid {game}, {name}") for game, name in enumerate(GAME_ROLES[:-1], SPADES)},
    **{f"igra{game}": Verb(f"Igra{game}", "igra is said in the auction") for game in HAND_GAMES},
    "declare": Verb("Declare", "a game is declared by who has won the auction, before the defenders decide"),
    **{
        f"declare {game}": Verb(f"Declare {game}, {name}")
        for game, name in enumerate(GAME_ROLES[:-1], SPADES)
    },
    "come": Verb("Come", ASKED),
    "stay out": Verb("Stay out", ASKED),
    "alone": Verb("Defend alone", LONE),
    "together": Verb("Take the partner along", LONE),
    "kontra": Verb("Kontra", DOUBLING),
    "accept": Verb("Accept", DOUBLING),
    "offer": Verb("Offer", OFFERING),
    "no offer": Verb("No offer", OFFERING),
    "agree": Verb("Agree", "there is no offer to answer"),
    "refuse": Verb("Refuse", "there is no offer to answer"),
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
            return "you are the first to name a game after igra, and must name one"
        case "bid" if view.phase == Phase.AUCTION:
            return _why_not_bid(rules, view, seat)
        case verb if verb.startswith("igra") and view.phase == Phase.AUCTION:
            return _why_not_igra(rules, view, seat, verb.removeprefix("igra").strip())
    return ""


def _why_not_bid(rules: np.record, view: np.record, seat: int) -> str:
    if view.callers:
        return "numbers are no longer bid once somebody has said igra"
    last = int(view.level_seat)
    if last != NONE and place_of(rules, view, last) > place_of(rules, view, seat):
        return f"you come before player_{last}, so you can hold {view.level}, but bid nothing else"
    number = max(SPADES, view.level + 1)
    highest = PREFERANS if rules.enable_preferans else SANS
    return f"the next number is {number}" if number <= highest else "there is no higher number"


def _why_not_igra(rules: np.record, view: np.record, seat: int, name: str) -> str:
    if (view.numbered | view.callers) & 1 << seat:
        return "igra can only be the first call of a player"
    if name == GAME_ROLES[-1] and not rules.enable_preferans:
        return NO_PREFERANS
    return f"igra {GAME_ROLES[view.named - SPADES]} has been said, which only a higher game beats"


def _why_not_declare(rules: np.record, view: np.record, game: int) -> str:
    if game == PREFERANS and not rules.enable_preferans:
        return NO_PREFERANS
    if view.phase == Phase.DECLARE and not view.igra:
        return f"the auction has come to {view.level}, so you cannot declare a lower game"
    if game > CLUBS and not rules.igra_may_declare_notrump:
        return "who has said plain igra names a game with trumps"
    if view.phase == Phase.AUCTION and view.named:
        if game < view.named or (game == view.named and rules.igra_tie != LAST_NAMED):
            return f"{GAME_ROLES[view.named - SPADES]} has been named, so you need a higher game, or pass"
        if game == SPADES and rules.igra_two_needs_first:
            return "only the first to name a game may name 2"
    least = view.level if rules.igra_min_level == LEVEL else view.level - 1
    return f"a hand game must be at least {least}, as {view.level} has been bid"
