"""Any game as a PettingZoo AEC environment."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from stichwerk.envs.core.errors import IllegalAction, InputError, SetupError
from stichwerk.envs.core.lanes import check_episode
from stichwerk.envs.core.loops import loops_for
from stichwerk.envs.core.random import Use, lane_seeds, stream_seed
from stichwerk.envs.core.records import from_plain, to_plain
from stichwerk.envs.core.set_deal import check_options, parse_seat, set_deal
from stichwerk.envs.games import make_game
from stichwerk.envs.vector import observation_space

RENDER_MODES = ("ansi", "human")
SNAPSHOT_FORMAT = 1


# What an AEC environment keeps besides the game's state.
AEC_FIELDS = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_skip_agent_selection",
)


class CardGameEnv(AECEnv):
    """One table. Agents are `player_0` … in order of play; the same agent may act several times in a row.

    Observations are dicts of `observation`, float32[features], and `action_mask`, int8[actions], for any seat at any time; the
    mask is all zero for a seat that is not to act. Rewards are zero until the step that ends the episode, which ends it for all
    seats together. `infos[agent]` holds `deal_points` on the step that ends a deal.

    Arguments:
        env_id: such as "schnapsen_v0"
        rules: a preset name, or a dict of options which may hold `preset`; None: the default preset of the id
        episode: "deal" or "match"
        render_mode: None, "ansi" (render returns text) or "human" (prints it after every step)
        render_seat: the seat whose view is rendered; None: the seat to act
        observation: which encoding `observe` writes, "summary" or "history"
    """

    def __init__(
        self,
        env_id: str,
        rules: str | Mapping[str, Any] | None = None,
        episode: str = "deal",
        render_mode: str | None = None,
        render_seat: int | str | None = None,
        observation: str = "summary",
    ):
        check_episode(episode)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InputError(f"unknown render mode {render_mode!r}; there are {', '.join(RENDER_MODES)}")
        game = make_game(env_id, rules)
        self.game = game
        self.episode = episode
        self.render_mode = render_mode
        self.render_seat = None if render_seat is None else parse_seat(game, render_seat, "render_seat")
        self.encoding = game.encoding(observation)
        self.action_names = game.actions
        self.metadata = {"name": env_id, "render_modes": list(RENDER_MODES), "is_parallelizable": False, "render_fps": 1}

        self.possible_agents = [f"player_{seat}" for seat in range(game.seats)]
        self.agents: list[str] = []
        self.infos: dict[str, dict[str, Any]] = {}
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space(game, observation))
        self.action_spaces = {agent: spaces.Discrete(len(game.actions)) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, np.inf, (game.perfect.size,), np.float32)

        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._loops = loops_for(game, observation)
        self._rules = game.rules_record
        self._states = np.zeros(1, game.state)  # the one true state
        self._views = np.zeros(1, game.state)  # what the loops last showed to a seat
        self._deals_done = 0
        self._started = False

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    # Playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode: with deal number 0 of `seed`, or without one with the next deal of the present seed.

        `options` sets the deal: `deck`, `dealer`, `match` and `actions` (names to play at once), all optional.
        Raises SetupError naming the impossible entry, and then leaves the environment as it was.
        """
        options = {} if options is None else options
        check_options(options)
        states = self._states.copy()
        if seed is None and self._started:
            states["deal_number"] += 1
        else:
            states["seed"] = lane_seeds(seed, 1)
            states["deal_number"] = 0
        states["deck_is_set"] = 0
        self._loops.begin(self._rules, states, 0, self.episode == "match")
        set_deal(self.game, states[0], options)
        self._loops.deal(self._rules, states, 0)
        self._play_ahead(states, options.get("actions"))

        self._states = states
        self._started = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._turn_to(int(states["seat"][0]))
        self._deals_done = int(states["deals_done"][0])
        if states["over"][0]:
            self._end_episode()
        self._render_if_human()

    def _play_ahead(self, states: np.ndarray, actions: Any) -> None:
        if actions is None:
            return
        if not isinstance(actions, (list, tuple)):
            raise SetupError(f"actions {actions!r}: allowed is a list of action names")
        for number, action in enumerate(actions):
            seat = int(states["seat"][0])
            legal = [self.action_names[i] for i in np.flatnonzero(self._look(states, seat)["action_mask"])]
            if action not in legal:
                raise SetupError(f"action {number}, {action!r}, is not legal for player_{seat}; legal: {', '.join(legal) or 'none'}")
            self._loops.play(self._rules, states, 0, self.game.action_index[action])

    def step(self, action: int | str | None) -> None:
        """Play one action, by id or by name. Raises IllegalAction, and changes nothing, if it is not legal."""
        self._check_started()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = self._turn["action_mask"]
        number = self.game.action_number(action)
        if number is None or not mask[number]:
            name = action if number is None else self.action_names[number]
            legal = ", ".join(self.action_names[i] for i in np.flatnonzero(mask))
            raise IllegalAction(f"action {name!r} is not legal for {agent}; legal: {legal}")
        seat, over, deals_done = self._loops.play(self._rules, self._states, 0, number)
        self._note_deal(deals_done)
        self._turn_to(seat)
        if over:
            self._end_episode()
        self._render_if_human()

    def _check_started(self) -> None:
        if not self._started:
            raise InputError("the environment has not been reset: call reset first")

    def _note_deal(self, deals_done: int) -> None:
        """Keep `infos` filled for exactly the step that ended a deal."""
        if deals_done != self._deals_done:
            points = self._states["deal_points"][0]
            self.infos = {agent: {"deal_points": float(points[seat])} for agent, seat in self._seat_of.items()}
            self._deals_done = deals_done
        elif self.infos[self.agent_selection]:
            self.infos = {agent: {} for agent in self.agents}

    def _turn_to(self, seat: int) -> None:
        self.agent_selection = self.possible_agents[seat]
        self._turn = self._look(self._states, seat)
        self._turn_seat = seat

    def _end_episode(self) -> None:
        for agent, reward in zip(self.possible_agents, self._states["reward"][0].tolist(), strict=False):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = True

    # Looking

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What this seat knows now, in arrays of its own."""
        seat = self._seat(agent)
        if seat == self._turn_seat:
            return {name: array.copy() for name, array in self._turn.items()}
        return self._look(self._states, seat)

    def _seat(self, agent: str) -> int:
        self._check_started()
        if agent not in self._seat_of:
            raise InputError(f"unknown agent {agent!r}; there are {', '.join(self.possible_agents)}")
        return self._seat_of[agent]

    def _look(self, states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
        observation = np.empty(self.encoding.size, np.float32)
        mask = np.empty(len(self.action_names), np.int8)
        self._loops.look_at(self._rules, states, 0, seat, self._views, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def view(self, agent: str) -> np.ndarray:
        """The state redacted for this seat, an array of one record: what agents and renderers may read."""
        self._look(self._states, self._seat(agent))
        return self._views.copy()

    def resample(self, agent: str, seed: int) -> np.ndarray:
        """A random state, an array of one record, that agrees with everything this seat knows."""
        world = self.view(agent)
        self._loops.resample(self._rules, world, 0, self._seat(agent), stream_seed(seed, Use.WORLDS))
        return world

    def state(self) -> np.ndarray:
        """Perfect information, float32, from the side of `player_0`; see the docs for its features."""
        out = np.empty(self.game.perfect.size, np.float32)
        self._loops.write(self._rules, self._states, 0, 0, out)
        return out

    def render(self) -> str | None:
        """The table as `render_seat`, or the seat to act, sees it."""
        if self.render_mode is None:
            raise InputError(f"no render mode was chosen; make the environment with render_mode {' or '.join(RENDER_MODES)}")
        seat = self._turn_seat if self.render_seat is None else self.render_seat
        text = self.game.table_text(self._rules[0], self.view(self.possible_agents[seat])[0], seat)
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        pass

    # The state as a value

    def snapshot(self) -> dict[str, Any]:
        """The whole environment as plain values that JSON can hold; `restore` takes them back."""
        return {
            "format": SNAPSHOT_FORMAT,
            **self._identity(),
            "state": to_plain(self._states[0]),
            "aec": {name: copy.deepcopy(getattr(self, name)) for name in AEC_FIELDS} if self._started else None,
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go to a snapshot of an environment with the same game, rules and episode; InputError for any other."""
        if not isinstance(snapshot, Mapping) or snapshot.get("format") != SNAPSHOT_FORMAT:
            raise InputError(f"not a snapshot of format {SNAPSHOT_FORMAT}")
        for name, own in self._identity().items():
            if snapshot.get(name) != own:
                raise InputError(f"the snapshot is of {name} {snapshot.get(name)!r}; this environment has {own!r}")
        states = self._states.copy()
        from_plain(states[0], snapshot.get("state"), self.game.ranges)
        fields = snapshot.get("aec") or {}
        if fields and set(fields) != set(AEC_FIELDS):
            raise InputError(f"the snapshot's aec part must have {', '.join(AEC_FIELDS)}")
        self._states = states
        self._started = bool(fields)
        self._deals_done = int(states["deals_done"][0])
        if self._started:
            self._turn_to(int(states["seat"][0]))
            for name in AEC_FIELDS:
                setattr(self, name, copy.deepcopy(fields[name]))

    def _identity(self) -> dict[str, Any]:
        return {"env_id": self.game.env_id, "rules": self.game.rules.as_dict(), "episode": self.episode}

    def __reduce__(self):
        arguments = (*self._identity().values(), self.render_mode, self.render_seat, self.encoding.name)
        return type(self), arguments, (self.snapshot(), self.action_spaces)

    def __setstate__(self, state: tuple[Mapping[str, Any], dict[str, spaces.Discrete]]) -> None:
        snapshot, self.action_spaces = state
        self.restore(snapshot)


def wrap(env: AECEnv) -> AECEnv:
    """PettingZoo's checks on the order of calls; actions are checked by the environment itself."""
    return wrappers.OrderEnforcingWrapper(env)
