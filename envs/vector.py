"""Many games side by side as a vector environment in Gymnasium's manner, for games in which seats take
turns."""

from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike

from stichwerk.envs.engine.lanes import ONLY_ACTION, Episode, Lanes, checked_actions
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, quoted

Seen = dict[str, np.ndarray]
"""`observation` and `action_mask`, of a seat or of the seats to act of all lanes."""
Step = tuple[Seen, np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]

AUTORESETS = {"same_step": AutoresetMode.SAME_STEP, "next_step": AutoresetMode.NEXT_STEP}
Autoreset = Literal["same_step", "next_step"] | AutoresetMode


def autoreset_mode(autoreset: Autoreset) -> AutoresetMode:
    """The mode, by its name or as Gymnasium's enum; InputError unless it is one of the two on offer."""
    for name, mode in AUTORESETS.items():
        if autoreset in (name, mode):
            return mode
    raise InputError(f"autoreset: got {quoted(autoreset)}; expected {' or '.join(map(repr, AUTORESETS))}")


def encoding_space(encoding: Encoding) -> spaces.Box:
    """The observations of an encoding, float32[features]."""
    return spaces.Box(0, np.inf, (encoding.size,), np.float32)


def observation_space(game: Game, observation: str) -> spaces.Dict:
    """The space of one seat: `observation`, float32[features], and `action_mask`, int8[actions]."""
    return spaces.Dict(
        {
            "observation": encoding_space(game.encoding(observation)),
            "action_mask": spaces.Box(0, 1, (len(game.actions),), np.int8),
        }
    )


class CardVectorEnv(VectorEnv):
    """`num_envs` lanes that step together, each for its own seat to act (`seats`).

    `reset` and `step` return `{"observation": float32[num_envs, features], "action_mask": int8[num_envs,
    actions]}` for the seat to act. Rewards are float32[num_envs, seats], zero until the step that ends a
    lane's episode. `info["deal_points"]`, float32[num_envs, seats], holds the points of a deal on the step
    that ends it.

    A finished lane is dealt again as Gymnasium's `AutoresetMode` says. The deals are the same in both modes.

    - SAME_STEP: in the step that ends its episode, which shows the next one. A finished game has no decision
      left, so there is no `final_obs`.
    - NEXT_STEP: that step shows the end, to the seat in `seats` and with action 0 alone in the mask. The next
      step takes any action id for the lane, and ignores it. It returns the first decision of the next episode
      with reward 0.

    All arrays, `seats` too, are copies that stay as they are, as in Gymnasium. With `copy=False` they are
    read-only views of shared buffers, valid until the next step. A step then takes about two thirds of the
    time, which suits loops that keep nothing.

    Args:
        game: the game under its rules
        num_envs: number of lanes
        episode: "deal" or "match"
        observation: "summary" or "history"
        seed: each lane gets its own seed derived from it; None takes one from the system
        threads: the number of threads over which lanes are split
        autoreset: "same_step" or "next_step", or Gymnasium's enum; also in `metadata["autoreset_mode"]`
        copy: hand out copies
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        game: Game,
        num_envs: int,
        episode: Episode = "deal",
        observation: str = "summary",
        seed: int | None = None,
        threads: int = 1,
        autoreset: Autoreset = "same_step",
        copy: bool = True,
    ):
        mode = autoreset_mode(autoreset)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode}
        self._copies = copy
        self._restarts = mode is AutoresetMode.SAME_STEP
        self._arguments = num_envs, episode, observation, None, threads, mode, copy
        self.lanes = Lanes(game, num_envs, episode, observation, threads, keep_views=False)
        self.game = game
        self.num_envs = len(self.lanes)
        self.single_observation_space = observation_space(game, observation)
        self.single_action_space = spaces.Discrete(len(game.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.action_names = game.actions

        lanes = self.lanes
        self._seats, self._rewards = _read_only(lanes.seats), _read_only(lanes.rewards)
        self._seen = {"observation": _read_only(lanes.observation), "action_mask": _read_only(lanes.mask)}
        self._ended = _read_only(lanes.terminations), _read_only(np.zeros(self.num_envs, bool))
        # Beside each entry stands by Gymnasium's custom which lanes have it.
        self._info = {
            "deal_points": _read_only(lanes.deal_points),
            "_deal_points": _read_only(np.ones(self.num_envs, bool)),
        }
        self.lanes.seed(seed)
        self._started = False

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, np.ndarray]]:
        """Deal number 0 of `seed` in every lane; without one deal number 0 of the seed given before, then
        each lane's next deal."""
        if options:
            raise InputError(
                f"unknown reset options {', '.join(options)}; set deals are for the AEC environment"
            )
        if seed is not None:
            self.lanes.seed(seed)
        if seed is not None or not self._started:
            self.lanes.start()
        else:
            self.lanes.start_next()
        self._started = True
        return self._given_all(self._seen), {}

    @property
    def seats(self) -> np.ndarray:
        """The seat to act in each lane, int64[num_envs]."""
        return self._given(self._seats)

    def _given(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copies else array

    def _given_all(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """In a dict of its own: wrappers add entries to the info."""
        return {name: self._given(array) for name, array in arrays.items()}

    def views(self) -> np.ndarray:
        """The states redacted for the seats to act, [num_envs], in an array of its own: what agents may
        read."""
        self._check_started()
        views = self.lanes.views_now()
        self._mark_ends()
        return views

    @property
    def to_act(self) -> np.ndarray:
        """The lanes that wait for a decision, int64[n]: all but those that the next step begins again."""
        return self.lanes.all if self._restarts else np.flatnonzero(~self.lanes.terminations)

    def _mark_ends(self) -> None:
        if not self._restarts:
            self.lanes.mask[self.lanes.terminations, ONLY_ACTION] = 1

    def _check_started(self) -> None:
        if not self._started:
            raise InputError("the environment has not been reset: call reset first")

    def close_extras(self, **kwargs: Any) -> None:
        self.lanes.close()

    def __reduce__(self):
        """Copies and pickles start from the same states, with buffers of their own."""
        arguments = self.game.address, self.game.rules.as_dict(), *self._arguments
        return _rebuild, arguments, (self._started, self.lanes.states, self.action_space)

    def __setstate__(self, state) -> None:
        self._started, self.lanes.states[:], self.action_space = state
        if self._started:
            self.lanes.observe(self.lanes.all)
            self.lanes.terminations[:] = self.lanes.states["over"] != 0
            self._mark_ends()

    def step(self, actions: ArrayLike) -> Step:
        """Play one action id in each lane. Raises IllegalAction, before any lane has moved, if one is not
        legal."""
        self._check_started()
        if self._restarts:
            self.lanes.step(np.asarray(actions))
        else:
            self._step_or_begin(checked_actions(actions, self.num_envs))
        terminations, truncations = map(self._given, self._ended)
        rewards = self._given(self._rewards)
        return self._given_all(self._seen), rewards, terminations, truncations, self._given_all(self._info)

    def _step_or_begin(self, actions: np.ndarray) -> None:
        """Play in the lanes that wait for a decision, and begin the next episode in the others."""
        waiting, ended = self.to_act, np.flatnonzero(self.lanes.terminations)
        self.lanes.step(actions[waiting], waiting, restart=False)
        self.lanes.start_next(ended)
        self.lanes.deal_points[ended] = 0
        self._mark_ends()


def _rebuild(env_id: str, rules: dict[str, Any], *arguments: Any) -> CardVectorEnv:
    return CardVectorEnv(make_game(env_id, rules), *arguments)


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
