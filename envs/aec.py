"""Any game as a PettingZoo AEC environment."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from inspect import Signature, signature
from typing import Any, Concatenate, Literal, ParamSpec, get_args, overload

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import OrderEnforcingWrapper

import stichwerk.envs.snapshot as snapshots
from stichwerk.envs.core.random import Use, lane_seeds, stream_seed
from stichwerk.envs.engine.lanes import Episode, check_episode
from stichwerk.envs.engine.loops import DealLane, loops_for
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.set_deal import check_options, parse_seat, set_deal
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import DealRecord, deal_record
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.render import Picture
from stichwerk.envs.render.pixels import painter
from stichwerk.envs.render.shapes import FACES, Face
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.envs.vector import Seen, encoding_space, observation_space
from stichwerk.support.errors import IllegalAction, InputError, SetupError, quoted
from stichwerk.support.streams import legible

RenderMode = Literal["ansi", "human", "rgb_array", "svg"]
Seat = int | str
LastTuple = tuple[Seen, float, bool, bool, dict[str, Any]]
LastTupleUnseen = tuple[Seen | None, float, bool, bool, dict[str, Any]]
RENDER_MODES = get_args(RenderMode)
Position = tuple[np.ndarray, np.ndarray | None, list[tuple[np.ndarray, np.ndarray]], dict[str, Any] | None]
ALL = "all"  # in the place of a seat: a spectator, who is shown all hands
Arguments = ParamSpec("Arguments")


class CardGameEnv(AECEnv):
    """One table. Agents are `player_0` … in order of play; the same agent may act several times in a row.

    Observations are dicts of `observation`, float32[features], and `action_mask`, int8[actions], for any seat
    at any time. The mask is all zero for a seat that is not to act. Rewards are zero until the step that ends
    the episode, which ends it for all seats together. When deals have ended in a step, or in `reset`,
    `infos[agent]` holds `deals`, the points of each of them in order, and their sum `deal_points`.

    Args:
        env_id: such as "schnapsen_v0"
        rules: a preset name, or a dict of options which may hold `preset`; None: the default preset of the id
        episode: "deal" or "match"
        render_mode: what `render` returns. "ansi": a text. "svg": the text of an SVG file. "rgb_array":
            uint8[640, 1120, 3]. "human": nothing, the text is printed after every step
        render_seat: the seat whose view is rendered; None: the seat to act; "all": a spectator's view, with
            all hands
        observation: which encoding `observe` writes, "summary" or "history"
        render_face: how cards look in pictures, "french", "german" or "hungarian"
    """

    def __init__(
        self,
        env_id: str,
        rules: RuleSpec = None,
        episode: Episode = "deal",
        render_mode: RenderMode | None = None,
        render_seat: Seat | None = None,
        observation: str = "summary",
        render_face: Face = "french",
    ):
        check_episode(episode)
        if render_face not in FACES:
            raise InputError(f"render_face: got {quoted(render_face)}; expected one of {', '.join(FACES)}")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InputError(f"unknown render mode {render_mode!r}; there are {', '.join(RENDER_MODES)}")
        game = make_game(env_id, rules)
        self.game = game
        self.episode = episode
        self.render_mode, self.render_face = render_mode, render_face
        if render_mode == "rgb_array":
            painter()  # which may be missing
        self.render_seat = None if render_seat is None else _parse_onlooker(game, render_seat, "render_seat")
        self.encoding = game.encoding(observation)
        self.action_names = game.actions
        self.metadata = {
            "name": game.env_id,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }

        self.possible_agents = [f"player_{seat}" for seat in range(game.seats)]
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space(game, observation))
        self.action_spaces = {agent: spaces.Discrete(len(game.actions)) for agent in self.possible_agents}
        self.state_space = encoding_space(game.perfect)

        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._loops = loops_for(game, observation)
        self._rules = game.rules_record
        self._views = np.zeros(1, game.state)  # what the loops last showed to a seat
        self._clear()

    def _clear(self) -> None:
        """Be as before the first `reset`."""
        self._states = copy_of(self.game.spec.state.fresh)  # the one true state
        self._before: np.ndarray | None = None  # the same just before the present deal, where that is known
        self._ended: list[tuple[np.ndarray, np.ndarray]] = []  # both for each earlier deal of the episode
        self._started = False
        for name in snapshots.BOOKKEEPING:
            if hasattr(self, name):
                delattr(self, name)
        self.agents: list[str] = []
        self.infos: dict[str, dict[str, Any]] = {}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    # Playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | DealRecord | None = None) -> None:
        """Begin an episode: deal number 0 of `seed`, or without a seed the next deal of the present one.

        Args:
            seed: of the deals; None: the present one, or the system draws one
            options: set the deal by `deck`, `dealer`, `match` and `actions` (names to play at once), all
                optional. Or a record of a deal, which leads to its end

        Raises:
            SetupError: names the impossible entry. The environment stays as it was.
            InputError: no play leads to the record. The environment stays as it was.
        """
        if isinstance(options, DealRecord):
            RecordReplay(self.game).check(options)
            options = options.options()
        options = {} if options is None else options
        check_options(options)
        kept = self._states, self._before, self._ended
        try:
            ended = self._begin(seed, options)
        except BaseException:
            self._states, self._before, self._ended = kept
            raise
        self._begin_bookkeeping(ended)
        self._render_if_human()

    def _begin(self, seed: int | None, options: Mapping[str, Any]) -> list[list[float]]:
        """Deal the first deal of an episode and play ahead; returns the points of each deal that ended."""
        states = self._states = copy_of(self._states)
        self._ended = []
        if seed is None and self._started:
            states["deal_number"] += 1
        else:
            states["seed"] = lane_seeds(seed, 1)
            states["deal_number"] = 0
        states["deck_is_set"] = 0
        self._loops.begin(self._rules, states, 0, self.episode == "match")
        set_deal(self.game, states[0], options)
        return self._deal(self._loops.deal) + self._play_ahead(options.get("actions"))

    def _deal(self, deal: DealLane) -> list[list[float]]:
        """Deal until there is a decision to make; returns the points of each deal that its cards ended at
        once."""
        self._before = copy_of(self._states)
        ended_at_once = deal(self._rules, self._states, 0)
        self._before["dealer"] = self._states["dealer"]  # who may just have been drawn
        return self._deal_next() if ended_at_once else []

    def _deal_next(self) -> list[list[float]]:
        """Deal again after the end of a deal; returns its points, and those of the next ones if they end at
        once."""
        points = self._states["deal_points"].tolist()
        if self._states["over"][0]:
            return points
        if self._before is not None:
            self._ended.append((self._before, copy_of(self._states)))
        return points + self._deal(self._loops.deal_next)

    def _play_ahead(self, actions: Any) -> list[list[float]]:
        """Play actions given by name; returns the points of each deal that ended."""
        ended: list[list[float]] = []
        if actions is None:
            return ended
        if not isinstance(actions, (list, tuple)):
            raise SetupError(f"actions: got {quoted(actions)}; expected a list of action names")
        for number, action in enumerate(actions):
            seat = int(self._states["seat"][0])
            legal = [
                self.action_names[i] for i in np.flatnonzero(self._look(self._states, seat)["action_mask"])
            ]
            if action not in legal:
                there_are = ", ".join(legal) or "none"
                complaint = f"action {number}, {quoted(action)}, is not legal for player_{seat}"
                raise SetupError(f"{complaint}; legal: {there_are}")
            if self._loops.apply(self._rules, self._states, 0, self.game.action_index[action])[1]:
                ended += self._deal_next()
        return ended

    def _begin_bookkeeping(self, ended: list[list[float]]) -> None:
        """What PettingZoo keeps beside the state, as it is when an episode begins in this state, and deals
        with these points have ended."""
        self._started = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._tell(ended)
        self._turn_to(int(self._states["seat"][0]))

    def step(self, action: int | np.integer | str | None) -> None:
        """Play one action, by id or by name. Raises IllegalAction, and changes nothing, if it is not
        legal."""
        if not self.agents:
            self.check_under_way()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = self._turn_observation["action_mask"]
        number = self.game.action_number(action)
        if number is None or not mask[number]:
            name = action if number is None else self.action_names[number]
            legal = ", ".join(self.action_names[i] for i in np.flatnonzero(mask))
            raise IllegalAction(f"action {quoted(name)} is not legal for {agent}; legal: {legal}")
        seat, ended = self._loops.apply(self._rules, self._states, 0, number)
        if ended:
            self._tell(self._deal_next())
            self._turn_to(int(self._states["seat"][0]))
        else:
            if self.infos[agent]:
                self._tell([])
            self._turn_to(seat)
        self._render_if_human()

    def _check_started(self) -> None:
        if not self._started:
            raise InputError("the environment has not been reset: call reset first")

    def check_under_way(self) -> None:
        """Raise InputError if no episode has begun, or if it is over."""
        self._check_started()
        if not self.agents:
            raise InputError("the episode is over and every agent has had its last step: call reset")

    def _tell(self, ended: list[list[float]]) -> None:
        """Fill `infos` with the points of the deals that have ended just now, and end the episode if it is
        over."""
        self.infos = {agent: {} for agent in self.agents}
        for seat, agent in enumerate(self.agents if ended else ()):
            deals = [float(points[seat]) for points in ended]
            self.infos[agent] = {"deal_points": sum(deals), "deals": deals}
        if self._states["over"][0]:
            self._end_episode()

    def _turn_to(self, seat: int) -> None:
        self.agent_selection = self.possible_agents[seat]
        self._turn_observation = self._look(self._states, seat)
        self._turn_seat = seat

    def _end_episode(self) -> None:
        for agent, reward in zip(self.possible_agents, self._states["reward"][0].tolist(), strict=False):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = True

    # Looking

    @overload
    def last(self, observe: Literal[True] = True) -> LastTuple: ...

    @overload
    def last(self, observe: bool) -> LastTupleUnseen: ...

    def last(self, observe=True):
        """Observation, reward, termination, truncation and info of the seat to act; see PettingZoo."""
        self.check_under_way()
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agents in the order in which they act; see PettingZoo."""
        self._check_started()
        return super().agent_iter(max_iter)

    def observe(self, agent: str) -> Seen:
        """What this seat knows now, in arrays of its own."""
        seat = self._seat(agent)
        if seat == self._turn_seat:
            return {name: array.copy() for name, array in self._turn_observation.items()}
        return self._look(self._states, seat)

    def _seat(self, agent: str) -> int:
        self._check_started()
        if not isinstance(agent, str) or agent not in self._seat_of:
            raise InputError(f"unknown agent {agent!r}; there are {', '.join(self.possible_agents)}")
        return self._seat_of[agent]

    def _look(self, states: np.ndarray, seat: int) -> Seen:
        observation = np.empty(self.encoding.size, np.float32)
        mask = np.empty(len(self.action_names), np.int8)
        self._loops.observe_seat(self._rules, states, 0, seat, self._views, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def view(self, agent: str) -> np.ndarray:
        """The state redacted for this seat, an array of one record: what agents and renderers may read."""
        return self.view_of(self._states, self._seat(agent))

    def view_of(self, states: np.ndarray, seat: int) -> np.ndarray:
        """What a seat may know of any state of this game, an array of one record."""
        self._look(states, seat)
        return copy_of(self._views)

    def resample(self, agent: str, seed: int) -> np.ndarray:
        """A random state, an array of one record, that agrees with everything this seat knows."""
        world = self.view(agent)
        self._loops.resample(self._rules, world, 0, self._seat(agent), stream_seed(seed, Use.WORLDS))
        return world

    def state(self) -> np.ndarray:
        """Perfect information, float32, from the side of `player_0`; see the docs for its features."""
        self._check_started()
        out = np.empty(self.game.perfect.size, np.float32)
        self._loops.observe_perfect(self._rules, self._states, 0, 0, out)
        return out

    def render(self) -> str | np.ndarray | None:
        """The table as `render_seat`, or the seat to act, sees it, in the form of the render mode.

        Texts have letters in place of symbols where stdout cannot hold these.
        """
        self._check_started()
        match self.render_mode:
            case None:
                modes = " or ".join(RENDER_MODES)
                raise InputError(f"no render mode was chosen; make the environment with render_mode {modes}")
            case "svg":
                return self.picture().svg()
            case "rgb_array":
                return self.picture().pixels()
            case "ansi":
                return legible(self.game.text(*self._shown_to(None)))
        print(legible(self.game.text(*self._shown_to(None))), end="\n\n")
        return None

    def _shown_to(self, seat: Seat | None) -> tuple[np.ndarray, int]:
        """What somebody who looks on may see, and who that is: a seat, or SPECTATOR."""
        wanted = self.render_seat if seat is None else _parse_onlooker(self.game, seat, "seat")
        if wanted == ALL:
            return self._states, SPECTATOR
        number = self._turn_seat if wanted is None else int(wanted)
        return self.view(self.possible_agents[number]), number

    def picture(self, seat: Seat | None = None) -> Picture:
        """The table as a seat sees it, or with "all" a spectator; None: `render_seat`, or the seat to act.

        Notebooks show it; `svg()` and `pixels()` give it as a text and as an array.
        """
        self._check_started()
        view, onlooker = self._shown_to(seat)
        legal = self._legal_cards() if onlooker in (self._turn_seat, SPECTATOR) else frozenset()
        return Picture(self.game.title, self.game.scene(view, onlooker), self.render_face, legal)

    def _legal_cards(self) -> frozenset[str]:
        """The cards that the seat to act may play or discard, by name."""
        actions = np.flatnonzero(self.observe(self.agent_selection)["action_mask"])
        cards = (self.game.actions[action].card for action in actions)
        return frozenset(card for card in cards if card is not None)

    def _repr_svg_(self) -> str | None:
        """What notebooks show."""
        return self.picture().svg() if self._started else None

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        pass

    # The state as a value

    def copy_state(self) -> np.ndarray:
        """The true state, an array of one record: for search and tests in this process, never for players."""
        return copy_of(self._states)

    def set_state(self, states: np.ndarray) -> None:
        """Go to a state that `copy_state`, `resample` or a search in this process has made; it is not checked
        in any way."""
        self._states = copy_of(states)
        # The match stands as before the deal until the deal is over.
        self._before = None if states["over"][0] else copy_of(states)
        self._begin_bookkeeping([])

    def deals(self, players: Iterable[str] = ()) -> list[DealRecord]:
        """Records of the deals of this episode, the present one last.

        After `restore` and `set_state` earlier deals are not known, and the record begins with the present
        one. After `set_state` to the end of a deal there is none.

        Args:
            players: a name for each seat, without control characters and line breaks
        """
        self._check_started()
        deals = [*self._ended, *([(self._before, self._states)] if self._before is not None else [])]
        names = tuple(players)
        return [
            deal_record(self.game, before[0], state[0], names, number)
            for number, (before, state) in enumerate(deals)
        ]

    def record(self, seat: int | str | None = None, players: Iterable[str] = ()) -> str:
        """Write the records of `deals` as JSON Lines (`envs/records/jsonl.py`), for a file.

        Args:
            seat: the record holds what this seat knows; cards and actions that it does not know are drawn at
                random. None: all that is true
            players: a name for each seat, without control characters and line breaks
        """
        deals = self.deals(players)
        if seat is not None:
            number, replay = parse_seat(self.game, seat, "seat"), RecordReplay(self.game)
            deals = [replay.for_seat(deal, number) for deal in deals]
        return write_records(self.game, deals)

    def snapshot(self) -> dict[str, Any]:
        """The whole environment as plain values that JSON can hold; `restore` takes them back."""
        return snapshots.take(self)

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go to a snapshot, from wherever, of an environment with the same game, rules and episode.

        It is proved by playing its deal again: InputError, and nothing changes, if no play leads there. Its
        `state` may be replaced by a world of `resample`.
        """
        position = self.position()
        self._clear()
        try:
            snapshots.play_to(self, snapshot)
        except BaseException:
            self.go_to(position)
            raise

    def position(self) -> Position:
        """Where the environment stands, for `go_to`; faster than a snapshot, but nothing for a file."""
        return copy_of(self._states), self._before, self._ended.copy(), snapshots.bookkeeping(self)

    def go_to(self, position: Position) -> None:
        """Go to a position, as often as wanted, of an environment with the same game, rules and episode.
        Nothing is checked."""
        states, before, ended, kept = position
        self._clear()
        self._states, self._before, self._ended = copy_of(states), before, ended.copy()
        if kept is not None:
            self._started = True
            self._turn_to(int(states["seat"][0]))
            for name, value in deepcopy(kept).items():
                setattr(self, name, value)

    def __reduce__(self):
        """Copies and pickles take the state as it is; a pickle from elsewhere is a program, so nothing is
        checked."""
        game = self.game.address, self.game.rules.as_dict(), self.episode
        arguments = (*game, self.render_mode, self.render_seat, self.encoding.name, self.render_face)
        return type(self), arguments, (self.position(), self.action_spaces)

    def __setstate__(self, state: tuple) -> None:
        position, self.action_spaces = state
        self.go_to(position)


def _parse_onlooker(game: Game, seat: Seat, what: str) -> Seat:
    """A seat's number, or "all" as it is."""
    return ALL if seat == ALL else parse_seat(game, seat, what)


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's checks on the order of calls, with InputError for what comes before `reset`; a restored
    environment needs none."""

    @property
    def unwrapped(self) -> CardGameEnv:
        return self.env.unwrapped

    @property
    def _has_reset(self) -> bool:
        self.env._check_started()
        return True

    @_has_reset.setter
    def _has_reset(self, value: bool) -> None:
        """The environment knows."""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except InputError as error:  # so that `hasattr` and `getattr` go on working
            raise AttributeError(f"{name}: {error}") from None

    @overload
    def last(self, observe: Literal[True] = True) -> LastTuple: ...

    @overload
    def last(self, observe: bool) -> LastTupleUnseen: ...

    def last(self, observe=True):
        return self.env.last(observe)

    def _repr_svg_(self) -> str | None:
        return self.unwrapped._repr_svg_()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        self._has_updated = True  # an iteration may begin anywhere
        return super().agent_iter(max_iter)


def wrap(env: CardGameEnv) -> OrderEnforcing:
    """PettingZoo's checks on the order of calls; actions are checked by the environment itself."""
    return OrderEnforcing(env)


def makers(
    make: Callable[Concatenate[str, Arguments], CardGameEnv], env_id: str
) -> tuple[Callable[Arguments, CardGameEnv], Callable[Arguments, OrderEnforcing]]:
    """`raw_env, env = makers(CardGameEnv, env_id)`: what PettingZoo expects in an environment's module."""

    def raw_env(*args: Arguments.args, **kwargs: Arguments.kwargs) -> CardGameEnv:
        """The bare environment, the faster one; arguments as `CardGameEnv` takes them behind its id."""
        return make(env_id, *args, **kwargs)

    def env(*args: Arguments.args, **kwargs: Arguments.kwargs) -> OrderEnforcing:
        """The environment in PettingZoo's check on the order of calls; arguments as `raw_env` takes them."""
        return wrap(raw_env(*args, **kwargs))

    _, *others = signature(make).parameters.values()
    for maker, made in ((raw_env, CardGameEnv), (env, OrderEnforcing)):
        maker.__signature__ = Signature(others, return_annotation=made)  # type: ignore[union-attr]
    return raw_env, env
