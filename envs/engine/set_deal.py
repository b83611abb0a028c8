"""Set deals: a deck, dealer and match state given by name, so that any position can be reached."""

import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from stichwerk.envs.core.log import log_entries
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import SetupError

OPTIONS = ("deck", "dealer", "match", "actions")


def check_options(options: Mapping[str, Any]) -> None:
    """SetupError for what is no mapping; a warning for names that `reset` does not know."""
    if not isinstance(options, Mapping):
        raise SetupError(f"reset options: got {options!r}; expected a dict of {', '.join(OPTIONS)}")
    for name in options:
        # Only a warning: PettingZoo's own tests pass options that no environment knows.
        if name not in OPTIONS:
            warnings.warn(
                f"unknown reset option {name!r} ignored; there are {', '.join(OPTIONS)}", stacklevel=3
            )


def set_deal(game: Game, state: np.record, options: Mapping[str, Any]) -> None:
    """Write the deck, dealer and match state of `options` into a state that is about to be dealt.

    Raises SetupError naming the entry that is impossible. The entry `actions` is the environment's to play.
    """
    if options.get("deck") is not None:
        state.deck[: len(game.deck)] = parse_deck(game, options["deck"])
        state.deck_is_set = 1
    if options.get("dealer") is not None:
        state.dealer = parse_seat(game, options["dealer"], "dealer")
    if options.get("match") is not None:
        game.set_match(state, options["match"])


def parse_deck(game: Game, deck: Any) -> list[int]:
    """The card numbers of a deck given as names; every card of the pack exactly as often as the pack holds
    it."""
    if not isinstance(deck, (list, tuple)):
        raise SetupError(f"deck: got {deck!r}; expected a list of {len(game.deck)} card names")
    there_are = dict.fromkeys(game.deck)
    for name in deck:
        if not isinstance(name, str) or name not in there_are:
            raise SetupError(f"deck: unknown card {name!r}; this pack has {' '.join(there_are)}")
    surplus, absent = Counter(deck) - Counter(game.deck), Counter(game.deck) - Counter(deck)
    if surplus:
        raise SetupError(f"deck: duplicate card {next(iter(surplus))}")
    if absent:
        raise SetupError(
            f"deck: {next(iter(absent))} is missing; all {len(game.deck)} cards of the pack are needed"
        )
    return [game.pack.parse(name) for name in deck]


def parse_seat(game: Game, seat: Any, what: str) -> int:
    """A seat given as a number or as `player_<n>`; `what` it is for is named in the complaint."""
    names = [f"player_{n}" for n in range(game.seats)]
    if isinstance(seat, str) and seat in names:
        return names.index(seat)
    if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < game.seats:
        return int(seat)
    raise SetupError(f"{what}: got {seat!r}; expected 0 to {game.seats - 1} or {', '.join(names)}")


def replay_options(game: Game, state: np.record) -> dict[str, Any]:
    """The set deal that repeats a deal, with a fresh score, up to its present position."""
    return {
        "deck": [game.pack.names[card] for card in state.deck[: len(game.deck)]],
        "dealer": int(state.dealer),
        "actions": [str(game.actions[action]) for _, action in log_entries(state)],
    }
