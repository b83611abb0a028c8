"""Any game for libraries that know one agent only: a Gymnasium environment with the other players inside.

    gymnasium.make("stichwerk/Schnapsen-v0", opponents="rules")
    gymnasium.make_vec("stichwerk/Schnapsen-v0", num_envs=64, opponents={"rules": 0.5, "random": 0.5})

`action_masks()` says what is legal, as sb3-contrib asks for it, and so does `info["action_mask"]`. Suits are
true ones. For stable-baselines3 there is also `SelfPlayEnv`.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Agent, AgentError, Turns, are_legal
from stichwerk.agents.envs.pool import are_shares, seed_agents
from stichwerk.agents.envs.single_seat import SeatLanes
from stichwerk.agents.external.custom import Player, as_agent
from stichwerk.envs.aec import RENDER_MODES, CardGameEnv, RenderMode, Seat
from stichwerk.envs.engine.lanes import Episode, checked_actions
from stichwerk.envs.engine.set_deal import parse_seat
from stichwerk.envs.games import make_game
from stichwerk.envs.render.shapes import Face
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.vector import Autoreset, autoreset_mode, encoding_space
from stichwerk.support.errors import InputError, quoted

Illegal = Literal["raise", "replace"]
Opponents = str | Player | Mapping[str, float]
"""An agent's text, a player of yours, or a pool of texts with their shares."""


class SeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat of one table. Observations are float32[features], rewards the seat's at the end of the
    episode.

    `reset` takes the `options` of the AEC environment, such as a set deck; `table` is that environment. An
    episode that the others end before the seat has decided anything is passed over.

    Args:
        env_id, rules, episode, render_mode, observation: as for the AEC environment
        render_seat: whose view is rendered; None: the seat played; "all": a spectator's, with all hands
        render_face: how cards look, as for the AEC environment
        opponents: who plays the other seats; of a pool one is drawn for each episode by its share
        partner: who plays the other seats of the own side; None: the opponents do
        seat: the seat played from outside; None: the next one with every episode
        illegal: what an illegal action leads to: "raise", or for libraries without masks "replace": a legal
            one, drawn at random, is played in its place
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        env_id: str,
        opponents: Opponents = "rules",
        partner: str | Player | None = None,
        seat: int | str | None = None,
        rules: RuleSpec = None,
        episode: Episode = "deal",
        render_mode: RenderMode | None = None,
        observation: str = "summary",
        illegal: Illegal = "raise",
        render_seat: Seat | None = None,
        render_face: Face = "french",
    ):
        self._replaces = _replaces(illegal)
        self.table = CardGameEnv(env_id, rules, episode, render_mode, render_seat, observation, render_face)
        self._renders_own_seat = render_seat is None
        game, self.render_mode = self.table.game, render_mode
        self._pool = _pool(opponents, game)
        self._partner = None if partner is None else _agent(partner, game)
        self._fixed = None if seat is None else parse_seat(game, seat, "seat")
        self.observation_space = encoding_space(self.table.encoding)
        self.action_space = spaces.Discrete(len(game.actions))
        self._begun = 0  # episodes since the last seed
        self.seat = self._fixed or 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal number 0 of `seed`, or without one the next deal, up to the seat's first decision.

        Raises SetupError naming an impossible entry of `options`, and then leaves the environment as it was.
        """
        kept = self._np_random, self._np_random_seed, self.table.render_seat
        try:
            super().reset(seed=seed)
            if seed is None and not self._begun:
                seed = int(self.np_random.integers(2**62))
            self._begin(self._begun if seed is None else 0, seed, options)
        except BaseException:
            self._np_random, self._np_random_seed, self.table.render_seat = kept
            raise
        if seed is not None:
            seed_agents(filter(None, [*self._pool, self._partner]), seed)
        while self._play_others():
            self._begin(self._begun)
        return self._look()

    def _begin(self, number: int, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin this episode since the last seed, in the next seat and against an opponent of the pool."""
        seat = number % self.table.game.seats if self._fixed is None else self._fixed
        if self._renders_own_seat:
            self.table.render_seat = seat
        self.table.reset(seed, options)
        self._begun, self.seat = number + 1, seat
        agents, shares = list(self._pool), list(self._pool.values())
        self._opponent = (
            agents[self.np_random.choice(len(agents), p=shares)] if len(agents) > 1 else agents[0]
        )

    def step(self, action: int | np.integer | str) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play one action, by id or by name; the others continue to the seat's next decision. Raises
        IllegalAction, and changes nothing, if the action is not legal."""
        table, own = self.table, f"player_{self.seat}" if self._begun else ""
        if not own or table.terminations[own]:
            raise InputError("no episode is under way: call reset")
        if table.agent_selection != own:
            raise InputError(f"table: got a turn of {table.agent_selection}; expected one of {own}")
        if self._replaces:
            number = table.game.action_number(action)
            given = np.array([-1 if number is None else number])
            action = _legal_instead(given, table.observe(own)["action_mask"][None], self.np_random)[0]
        table.step(action)
        ended = self._play_others()
        observation, info = self._look()
        reward = self.table.rewards[f"player_{self.seat}"] if ended else 0.0
        return observation, reward, ended, False, info

    def _play_others(self) -> bool:
        """Let the others play until it is the seat's turn; whether the episode has ended before."""
        table, own = self.table, f"player_{self.seat}"
        sides = table.game.sides
        while not table.terminations[own] and (turn := table.agent_selection) != own:
            same_side = sides[table.possible_agents.index(turn)] == sides[self.seat]
            agent = self._partner if self._partner and same_side else self._opponent
            table.step(int(agent.act(Turns.at(table))[0]))
        return table.terminations[own]

    def _look(self) -> tuple[np.ndarray, dict[str, Any]]:
        seen = self.table.observe(f"player_{self.seat}")
        return seen["observation"], {"action_mask": seen["action_mask"], "seat": self.seat}

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool[actions]; none when the episode is over."""
        return self.table.observe(f"player_{self.seat}")["action_mask"].astype(bool)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """The table as the seat, or `render_seat`, sees it."""
        return self.table.render()

    def _repr_svg_(self) -> str | None:
        """The picture that notebooks show."""
        return self.table._repr_svg_()


class SeatVectorEnv(SeatLanes, VectorEnv):
    """`num_envs` tables with one seat each to play, which moves on with every episode.

    Observations are float32[num_envs, features], rewards float32[num_envs]. A finished lane begins its next
    episode as `autoreset` says, "same_step" or "next_step", or Gymnasium's enum, which is also in
    `metadata["autoreset_mode"]`. The deals are the same in both modes.

    - SAME_STEP: the next episode begins in the step that ends the last one. A finished game has no decision
      left, so there is no `final_obs`.
    - NEXT_STEP: that step shows the end, with action 0 alone in the mask. The next step takes any action id
      for the lane and ignores it. It returns the first decision of the next episode with reward 0.

    Further arguments as for `SeatEnv`; of a pool each opponent keeps its share of the lanes.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
    render_mode = None

    def __init__(
        self,
        env_id: str,
        num_envs: int = 1,
        opponents: Opponents = "rules",
        partner: str | Player | None = None,
        rules: RuleSpec = None,
        episode: Episode = "deal",
        observation: str = "summary",
        illegal: Illegal = "raise",
        autoreset: Autoreset = "same_step",
        max_episode_steps: int | None = None,
    ):
        if max_episode_steps is not None:
            raise InputError(
                f"max_episode_steps: got {max_episode_steps!r}; expected none: episodes end by themselves. "
                'With vectorization_mode="sync" they can be cut short'
            )
        self._replaces = _replaces(illegal)
        mode = autoreset_mode(autoreset)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode}
        restarts = mode is AutoresetMode.SAME_STEP
        game = make_game(env_id, rules)
        pool, friend = _pool(opponents, game), None if partner is None else _agent(partner, game)
        super().__init__(
            game, num_envs, list(pool.items()), None, episode, observation, friend, restarts=restarts
        )
        self.num_envs = len(self.lanes)
        self.single_observation_space = encoding_space(self.lanes.encoding)
        self.single_action_space = spaces.Discrete(len(game.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal number 0 of `seed` in every lane; without one each lane's next deal."""
        if options:
            raise InputError(f"unknown reset options {', '.join(options)}; set deals are for single tables")
        VectorEnv.reset(self, seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**62))
        if seed is not None:
            self.seed_lanes(seed)
        else:
            self.lanes.states["deal_number"] += 1
            self._move_on(self.lanes.all)
        self._begun = True
        self.start_lanes()
        return self._look()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in each lane. Raises IllegalAction if one is not legal."""
        if not self._begun:
            raise InputError("the environment has not been reset: call reset first")
        actions = checked_actions(actions, self.num_envs)
        if self._replaces:
            actions = _legal_instead(actions, self.lanes.mask, self.np_random)
        rewards, dones = self.play(actions)
        observation, info = self._look()
        return observation, rewards, dones, np.zeros(self.num_envs, bool), info

    def _look(self) -> tuple[np.ndarray, dict[str, Any]]:
        info = {"action_mask": self.lanes.mask.copy(), "seat": self.learner.copy()}
        # Beside each entry stands by Gymnasium's custom which lanes have it.
        have_it = {f"_{name}": np.ones(self.num_envs, bool) for name in info}
        return self.lanes.observation.copy(), info | have_it

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool[num_envs, actions]."""
        return self.lanes.mask.astype(bool)


def _replaces(illegal: str) -> bool:
    if illegal not in get_args(Illegal):
        raise InputError(f"illegal: got {illegal!r}; expected {' or '.join(map(repr, get_args(Illegal)))}")
    return illegal == "replace"


def _legal_instead(actions: np.ndarray, mask: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The actions, int64[n], those that are not legal by int8[n, actions] replaced by some that are."""
    return np.where(are_legal(actions, mask), actions, (random.random(mask.shape) * mask).argmax(axis=1))


def _pool(opponents: Opponents, game: Game) -> dict[Agent, float]:
    """The opponents with their shares."""
    if not isinstance(opponents, Mapping):
        return {_agent(opponents, game): 1.0}
    if not are_shares(opponents.values()):
        raise AgentError(f"opponents: got {quoted(opponents)}; expected agents with shares that add up to 1")
    whole = sum(opponents.values())  # NumPy takes a smaller error for a mistake than are_shares does
    return {_agent(text, game): share / whole for text, share in opponents.items()}


def _agent(player: str | Player, game: Game) -> Agent:
    return make_agent_for(player, game) if isinstance(player, str) else as_agent(player, game)
