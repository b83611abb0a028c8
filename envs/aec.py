"""Any game as a PettingZoo AEC environment."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Literal, get_args, overload

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

import stichwerk.envs.snapshot as snapshots
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.course import Course, Place, Points
from stichwerk.envs.engine.lanes import Episode, check_episode
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.engine.set_deal import parse_seat
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
from stichwerk.support.errors import IllegalAction, InputError, quoted
from stichwerk.support.terminal.streams import legible

RenderMode = Literal["ansi", "human", "rgb_array", "svg"]
Seat = int | str
LastTuple = tuple[Seen, float, bool, bool, dict[str, Any]]
LastTupleUnseen = tuple[Seen | None, float, bool, bool, dict[str, Any]]
RENDER_MODES = get_args(RenderMode)
Position = tuple[Place, dict[str, Any] | None]
ALL = "all"  # in the place of a seat: a spectator, who is shown all hands


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
        if render_face not in FACES:
            raise InputError(f"render_face: got {quoted(render_face)}; expected one of {', '.join(FACES)}")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InputError(f"unknown render mode {render_mode!r}; there are {', '.join(RENDER_MODES)}")
        game = make_game(env_id, rules)
        self.game = game
        self.episode = check_episode(episode)
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
        self._course = Course(game, self.episode, observation)
        self._clear()

    def _clear(self) -> None:
        """Be as before the first `reset`."""
        self._course.clear()
        for name in snapshots.BOOKKEEPING:
            self.__dict__.pop(name, None)
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
        self._begin_bookkeeping(self._course.begin(seed, {} if options is None else options))
        self._render_if_human()

    def _begin_bookkeeping(self, ended: Points) -> None:
        """Reset PettingZoo's attributes, in this state and after deals of these points."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._tell(ended)
        self._turn_to(self._course.seat)

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
        seat, points = self._course.apply(number)
        if points or self.infos[agent]:
            self._tell(points)
        self._turn_to(seat)
        self._render_if_human()

    def _check_started(self) -> None:
        if not self._course.started:
            raise InputError("the environment has not been reset: call reset first")

    def check_under_way(self) -> None:
        """Raise InputError if no episode has begun, or if it is over."""
        self._check_started()
        if not self.agents:
            raise InputError("the episode is over and every agent has had its last step: call reset")

    def _tell(self, ended: Points) -> None:
        """Fill `infos` with the points of the deals that have ended just now, and end the episode if it is
        over."""
        self.infos = {agent: {} for agent in self.agents}
        for seat, agent in enumerate(self.agents if ended else ()):
            deals = [float(points[seat]) for points in ended]
            self.infos[agent] = {"deal_points": sum(deals), "deals": deals}
        if self._course.over:
            self._end_episode()

    def _turn_to(self, seat: int) -> None:
        self.agent_selection = self.possible_agents[seat]
        self._turn_observation = self._look(self._course.states, seat)
        self._turn_seat = seat

    def _end_episode(self) -> None:
        for agent, reward in zip(
            self.possible_agents, self._course.states["reward"][0].tolist(), strict=False
        ):
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
        """The observation of this seat now, in fresh arrays."""
        seat = self._seat(agent)
        if seat == self._turn_seat:
            return {name: array.copy() for name, array in self._turn_observation.items()}
        return self._look(self._course.states, seat)

    def _seat(self, agent: str) -> int:
        self._check_started()
        if not isinstance(agent, str) or agent not in self._seat_of:
            raise InputError(f"unknown agent {agent!r}; there are {', '.join(self.possible_agents)}")
        return self._seat_of[agent]

    def _look(self, states: np.ndarray, seat: int) -> Seen:
        observation, mask = self._course.look(states, seat)
        return {"observation": observation, "action_mask": mask}

    def view(self, agent: str) -> np.ndarray:
        """The state redacted for this seat, an array of one record: what agents and renderers may read."""
        return self.view_of(self._course.states, self._seat(agent))

    def view_of(self, states: np.ndarray, seat: int) -> np.ndarray:
        """The view of any state of this game for a seat, an array of one record."""
        self._course.look(states, seat)
        return copy_of(self._course.view)

    def resample(self, agent: str, seed: int) -> np.ndarray:
        """A random state, an array of one record, that agrees with everything this seat knows."""
        world = self.view(agent)
        self._course.loops.resample(
            self._course.rules, world, 0, self._seat(agent), stream_seed(seed, Use.WORLDS)
        )
        return world

    def state(self) -> np.ndarray:
        """Perfect information, float32, from the side of `player_0`; see the docs for its features."""
        self._check_started()
        out = np.empty(self.game.perfect.size, np.float32)
        self._course.loops.observe_perfect(self._course.rules, self._course.states, 0, 0, out)
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
        """The state to show an onlooker, and the onlooker: a seat, or SPECTATOR."""
        wanted = self.render_seat if seat is None else _parse_onlooker(self.game, seat, "seat")
        if wanted == ALL:
            return self._course.states, SPECTATOR
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
        """The picture that notebooks show."""
        return self.picture().svg() if self._course.started else None

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        pass

    # The state as a value

    def copy_state(self) -> np.ndarray:
        """The true state, an array of one record: for search and tests in this process, never for players."""
        return copy_of(self._course.states)

    def set_state(self, states: np.ndarray) -> None:
        """Go to a state that `copy_state`, `resample` or a search in this process has made; it is not checked
        in any way."""
        self._course.go_to_state(states)
        self._begin_bookkeeping([])

    def deals(self, players: Iterable[str] = (), since: int = 0) -> list[DealRecord]:
        """Records of the deals of this episode, the present one last.

        After `restore` and `set_state` earlier deals are not known, and the record begins with the present
        one. After `set_state` to the end of a deal there is none.

        Args:
            players: a name for each seat, without control characters and line breaks
            since: the number of deals that are left out, from the first one on
        """
        self._check_started()
        course = self._course
        deals = [*course.ended, *([(course.before, course.states)] if course.before is not None else [])]
        names = tuple(players)
        return [
            deal_record(self.game, before[0], state[0], names, number)
            for number, (before, state) in enumerate(deals[since:], since)
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
        """The position of the environment, for `go_to`; faster than a snapshot, but not for a file."""
        return self._course.place(), snapshots.bookkeeping(self)

    def go_to(self, position: Position) -> None:
        """Go to a position, as often as wanted, of an environment with the same game, rules and episode.
        Nothing is checked."""
        place, kept = position
        self._clear()
        self._course.go_to(place, started=kept is not None)
        if kept is not None:
            self._turn_to(self._course.seat)
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
