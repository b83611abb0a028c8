"""Any game as an OpenSpiel game of one deal, dealt card by card as chance has it.

    import pyspiel
    import stichwerk.envs.openspiel  # registers the games

    game = pyspiel.load_game("schnapsen(hand_size=2,goal=20,pack=sA sT sK hA hT hK)")

Every rule option is a parameter; `dealer` is one besides. Games of other packages: `load_game`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import groupby
from operator import itemgetter
from types import NoneType
from typing import Any, get_args, get_type_hints

import numpy as np

from stichwerk.envs.core.cards import NONE, SUITS
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.core.text import counted
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.games import OWN_GAMES, find_game, make_game
from stichwerk.envs.spec.encoding import Encoding, Feature
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import Options, RuleSpec
from stichwerk.support.errors import IllegalAction, InputError, quoted
from stichwerk.support.extras import from_extra

pyspiel: Any = from_extra("pyspiel", "openspiel")

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
DEALER = "dealer"  # a parameter besides the options: who deals, or NONE if chance decides
RECALL, SIGHT = "history", "summary"  # the encodings of information states and of observations
Parameters = Mapping[str, bool | int | str]


class SpielGame(pyspiel.Game):
    """One deal with a fresh score; each registered game is a separate subclass.

    Raises:
        InputError: for parameters that are not allowed.
    """

    address: str
    """The environment id, perhaps with a module before it."""
    game_type: Any
    """The description of it for OpenSpiel."""

    def __init__(self, parameters: Parameters):
        defaults = self.game_type.parameter_specification
        given = {name: value for name, value in parameters.items() if value != defaults[name]}
        game = self.game = make_game(self.address, _options(given, find_game(self.address)[1].rules))
        self.dealer = int(parameters[DEALER])
        if not NONE <= self.dealer < game.seats:
            allowed = f"{NONE}, which leaves it to chance, and 0 to {game.seats - 1}"
            raise InputError(f"dealer: got {self.dealer}; expected {allowed}")
        self.longest_deal = game.state["log"].shape[0]
        least, most = game.stakes
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.actions),
            max_chance_outcomes=max(len(game.pack), game.seats),
            num_players=game.seats,
            min_utility=least,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.longest_deal,
        )
        super().__init__(self.game_type, info, given)
        self.cards = Counter(game.pack.parse(name) for name in game.deck)
        self.replay = Replay(game)
        self._loops = {name: loops_for(game, name) for name in (RECALL, SIGHT)}
        self._views = np.zeros(1, game.state)
        self._seen = {name: np.zeros(game.encoding(name).size, np.float32) for name in (RECALL, SIGHT)}
        self._mask = np.zeros(len(game.actions), np.int8)

    def __reduce__(self) -> tuple:
        """By name and parameters: a class made here is not found by its own name."""
        return _load, (self.address, self.get_parameters())

    def new_initial_state(self) -> "SpielState":
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.game.deck) + (self.dealer == NONE)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "SpielObserver | None":
        """The observer of a player, with perfect recall or without; none for other kinds of observations."""
        if params:
            raise InputError(f"observation parameters {quoted(params)}: there are none")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return SpielObserver(self, kind.perfect_recall)

    def make_observer(self, *asked: Any) -> Any:
        """As `make_py_observer`, for algorithms in C++; InputError for kinds that there are not.

        Args:
            asked: perhaps the kind, and the parameters
        """
        if self.make_py_observer(*asked[:-1]) is None:
            raise InputError(f"observer: got {asked[0]}; expected what is public and what one player holds")
        return super().make_observer(*asked)

    # States as bytes

    def play(self, record: bytes, action: int) -> bytes:
        """The state after a legal action."""
        states = self.state_of(record)
        self._loops[RECALL].apply(self.game.rules_record, states, 0, action)
        return states.tobytes()

    def state_of(self, record: bytes) -> np.ndarray:
        """An array of one record."""
        return np.frombuffer(bytearray(record), self.game.state)

    def look(
        self, record: bytes, seat: int, encoding: str = RECALL
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A seat's view, an array of one record, its observation and its mask; valid until the next look."""
        seen = self._seen[encoding]
        states = self.state_of(record)
        self._loops[encoding].observe_seat(
            self.game.rules_record, states, 0, seat, self._views, seen, self._mask
        )
        return self._views, seen, self._mask

    def world(self, record: bytes, seat: int, seed: int) -> np.record:
        """A random state that agrees with everything a seat knows."""
        world = copy_of(self.look(record, seat)[0])
        self._loops[RECALL].resample(self.game.rules_record, world, 0, seat, stream_seed(seed, Use.WORLDS))
        return world[0]


class SpielState(pyspiel.State):
    """A deal: chance chooses the dealer, unless it is given, and every card of the deck in dealing order;
    then the players decide.

    OpenSpiel copies and stores the attributes, which are numbers and bytes:

    Attributes:
        dealer: a seat, or NONE until chance has named one
        deck: the cards dealt so far, a byte each
        record: the state of the game; empty until all cards are dealt
        offers: for every decision so far, the present one included, the seat and the bits of its legal
            actions
    """

    def __init__(self, game: SpielGame):
        super().__init__(game)
        self.dealer = game.dealer
        self.deck = self.record = self.offers = b""
        self._player = CHANCE

    def __reduce__(self) -> tuple:
        """The game takes part, so that a process that has not registered it yet can do so."""
        return _state, (self.get_game(), self.serialize())

    def current_player(self) -> int:
        return self._player

    def is_terminal(self) -> bool:
        return self._player == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        size = -(-len(self.get_game().game.actions) // 8)
        return np.flatnonzero(np.unpackbits(np.frombuffer(self.offers[-size:], np.uint8))).tolist()

    def offered_to(self, player: int) -> np.ndarray:
        """The legal actions at each decision of a player so far, uint8[decisions, actions]."""
        actions = len(self.get_game().game.actions)
        rows = np.frombuffer(self.offers, np.uint8).reshape(-1, 1 + -(-actions // 8))
        return np.unpackbits(rows[rows[:, 0] == player, 1:], axis=1, count=actions)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The next card is any of those left with equal chances, and so is the dealer any of the seats."""
        game = self.get_game()
        left = Counter(range(game.game.seats)) if self.dealer == NONE else game.cards - Counter(self.deck)
        return [(outcome, number / left.total()) for outcome, number in sorted(left.items())]

    def _apply_action(self, action: int) -> None:
        """Raises IllegalAction, and changes nothing, if the action is not legal."""
        if action not in self.legal_actions():
            legal = ", ".join(self.action_to_string(each) for each in self.legal_actions())
            raise IllegalAction(f"action {action} is not legal; legal: {legal or 'none'}")
        game = self.get_game()
        if self._player != CHANCE:
            self._go_to(game.play(self.record, action))
        elif self.dealer == NONE:
            self.dealer = action
        else:
            self.deck += bytes([action])
            if len(self.deck) == len(game.game.deck):
                self._go_to(game.replay.deal(self.deck, self.dealer).tobytes())

    def _go_to(self, record: bytes) -> None:
        self.record = record
        game = self.get_game()
        state = game.state_of(record)[0]
        if state.over:
            self._player = TERMINAL
            return
        self._player = int(state.seat)
        mask = game.look(record, self._player)[2]
        self.offers += bytes([self._player]) + np.packbits(mask).tobytes()

    def returns(self) -> list[float]:
        """Game points, once the deal is over."""
        game = self.get_game()
        if self._player != TERMINAL:
            return [0.0] * game.game.seats
        return game.state_of(self.record)[0].reward[: game.game.seats].astype(float).tolist()

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game().game
        if player != CHANCE:
            words, names = "", game.actions
        elif self.dealer == NONE:
            words, names = "dealer ", [f"player_{seat}" for seat in range(game.seats)]
        else:
            words, names = "deal ", game.pack.names
        if not 0 <= action < len(names):
            raise InputError(f"action: got {action}; expected 0 to {len(names) - 1}")
        return f"{words}{names[action]}"

    def __str__(self) -> str:
        """Everything, hidden cards too: who deals, the deck in dealing order, and the actions."""
        game = self.get_game()
        lines = [] if self.dealer == NONE else [f"dealer player_{self.dealer}"]
        lines += [" ".join(["deck", *(game.game.pack.names[card] for card in self.deck)])]
        if self.record:
            log = log_entries(game.state_of(self.record)[0])
            lines += [f"player_{seat} {game.game.actions[action]}" for seat, action in log]
        return "\n".join(lines)

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> "SpielState":
        """A random state that agrees with everything the player knows; `probability_sampler` gives numbers
        from 0 to 1."""
        if not self.record:
            raise InputError("no worlds while cards are dealt: nobody knows anything yet")
        game = self.get_game()
        world = game.world(self.record, player_id, int(probability_sampler() * 2**62))
        state = game.new_initial_state()
        if game.dealer == NONE:
            state.apply_action(int(world.dealer))
        for card in world.deck[: len(game.game.deck)].tolist():
            state.apply_action(card)
        for _, action in log_entries(world):
            state.apply_action(action)
        return state


class SpielObserver:
    """The observation of a player, as one vector, by name, and as text. It is blank while cards are dealt.

    With perfect recall this is the encoding `history`, and `offers`, what was legal at each decision of the
    player. Offers may tell more than cards and actions do. Otherwise it is the encoding `summary`, and the
    action mask.
    """

    def __init__(self, game: SpielGame, perfect_recall: bool):
        self._game, self._recalls = game, perfect_recall
        self._encoding = game.game.encoding(RECALL if perfect_recall else SIGHT)
        actions = len(game.game.actions)
        offers = ("offers", (game.longest_deal, actions)) if perfect_recall else ("action_mask", (actions,))
        parts = [("player", (game.game.seats,)), (self._encoding.name, (self._encoding.size,)), offers]
        self.tensor = np.zeros(sum(int(np.prod(shape)) for _, shape in parts), np.float32)
        self.dict: dict[str, np.ndarray] = {}
        start = 0
        for name, shape in parts:
            stop = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:stop].reshape(shape)
            start = stop
        self._words = _words(game.game, self._encoding)

    def __reduce__(self) -> tuple:
        """`dict` stays a part of `tensor`."""
        return SpielObserver, (self._game, self._recalls), self.tensor

    def __setstate__(self, tensor: np.ndarray) -> None:
        self.tensor[:] = tensor

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees into `tensor`, whose parts `dict` names."""
        self.tensor[:] = 0
        self.dict["player"][player] = 1
        if not state.record:
            return
        _, seen, mask = self._game.look(state.record, player, self._encoding.name)
        self.dict[self._encoding.name][:] = seen
        if self._recalls:
            offers = state.offered_to(player)
            self.dict["offers"][: len(offers)] = offers
        else:
            self.dict["action_mask"][:] = mask

    def string_from(self, state: SpielState, player: int) -> str:
        """The observation of the player in words; while cards are dealt, their number."""
        if not state.record:
            dealer = "" if state.dealer == NONE else f" by player_{state.dealer}"
            return f"player_{player} | {counted(len(state.deck), 'card')} dealt{dealer}"
        view, seen, _ = self._game.look(state.record, player, self._encoding.name)
        if not self._recalls:
            return self._game.game.text(view, player)
        parts = [f"player_{player}"]
        said = [(*self._words[entry], seen[entry]) for entry in np.flatnonzero(seen).tolist()]
        for feature, entries in groupby(said, key=itemgetter(0)):
            words = [_with_value(word, value) for _, word, value in entries]
            parts.append(" ".join(filter(None, [feature, *words])))
        names = self._game.game.actions
        for offer in state.offered_to(player):
            parts.append("legal " + ", ".join(names[action] for action in np.flatnonzero(offer)))
        return " | ".join(parts)


def _words(game: Game, encoding: Encoding) -> list[tuple[str, str]]:
    """The feature name and meaning of each entry of an encoding."""
    return [
        (feature.name, _entry(game, feature, entry))
        for feature in encoding.features
        for entry in range(feature.size)
    ]


def _entry(game: Game, feature: Feature, entry: int) -> str:
    if feature.per == "value":
        return str(entry) if feature.size > 1 else ""
    things = {"card": game.pack.names, "action": game.actions, "suit": SUITS}[feature.per]
    row, place = divmod(entry, len(things))
    return f"{row}:{things[place]}" if feature.size > len(things) else things[place]


def _with_value(word: str, value: np.float32) -> str:
    return word if value == 1 else f"{word}={value:.9g}"


# Loading


def load_game(env_id: str, rules: RuleSpec = None, dealer: int = NONE) -> SpielGame:
    """The game of an environment id under rules as everywhere else: a preset, a dict of options, or ready
    ones. Games of other packages are registered with OpenSpiel by this.

    Args:
        dealer: a seat; NONE (-1) leaves it to chance
    """
    options = make_game(env_id, rules).rules
    return _load(env_id, {**_parameters(options), DEALER: dealer})


def _load(env_id: str, parameters: Parameters) -> SpielGame:
    return pyspiel.load_game(register(env_id), parameters)


def _state(game: SpielGame, text: str) -> SpielState:
    return game.deserialize_state(text)


def register(env_id: str) -> str:
    """Make a game known to OpenSpiel; returns its name there, which is the id without its version.

    Raises:
        InputError: for an unknown id, and for a name that another game has.
    """
    found, spec = find_game(env_id)
    name = found.rpartition("_v")[0]
    if name in _REGISTERED and _REGISTERED[name] == found:
        return name
    if name in pyspiel.registered_names():
        raise InputError(f"OpenSpiel knows another game of the name {name!r}")
    game = make_game(env_id)
    players = spec.rules.values("players") or (game.seats,)
    game_type = pyspiel.GameType(
        short_name=name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(players),
        min_num_players=min(players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**_parameters(game.rules), DEALER: NONE},
    )
    # A class: OpenSpiel lets go of what it is given after the end of the interpreter, which frees no classes.
    made = type(f"SpielGame_{name}", (SpielGame,), {"address": env_id, "game_type": game_type})
    pyspiel.register_game(game_type, made)
    _REGISTERED[name] = found
    return name


_REGISTERED: dict[str, str] = {}  # names in OpenSpiel, and the environment ids that they stand for


# Options as OpenSpiel's parameters, which are truths, numbers and texts of a type that is always the same


def _parameters(options: Options) -> dict[str, bool | int | str]:
    """Lists are texts with blanks; none is -1, or a list of nothing."""
    return {f.name: _parameter(options, f.name) for f in fields(options)}


def _parameter(options: Options, name: str) -> bool | int | str:
    value = getattr(options, name)
    if value is None:
        return NONE if int in get_args(get_type_hints(type(options))[name]) else ""
    return " ".join(value) if isinstance(value, tuple) else value


def _options(parameters: Parameters, rules: type[Options]) -> dict[str, Any]:
    """The options that these parameters represent."""
    hints = get_type_hints(rules)
    return {name: _option(value, hints[name]) for name, value in parameters.items() if name != DEALER}


def _option(value: bool | int | str, hint: Any) -> Any:
    kinds = get_args(hint)
    if NoneType in kinds and value in (NONE, ""):
        return None
    return value.split() if NoneType in kinds and isinstance(value, str) else value


for _env_id in OWN_GAMES:
    register(_env_id)
