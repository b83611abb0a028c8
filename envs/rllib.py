"""Any game as an environment of RLlib, on its new API stack.

    from ray.rllib.algorithms.ppo import PPOConfig
    from stichwerk.envs.rllib import RllibEnv

    game = {"env": "schnapsen_v0"}
    config = PPOConfig().environment(RllibEnv, env_config=game, disable_env_checking=True)

Only the seat to act gets an observation, with its action mask; at the end of the episode every seat gets its
reward. `stichwerk.agents.external.rllib` has a module that minds the mask. RLlib's own check does not, and an
action that is not legal is refused here; hence it is off.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.vector import Seen
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra

MultiAgentEnv: Any = from_extra("ray.rllib.env.multi_agent_env", "rllib").MultiAgentEnv

SETTINGS = ("rules", "episode", "observation", "render_mode", "render_seat", "render_face")
Value = TypeVar("Value")
BySeat = dict[str, Value]


class RllibEnv(MultiAgentEnv):
    """One game at a time. Agents are `player_0` …; observations are dicts of `observation`,
    float32[features], and `action_mask`, int8[actions].

    The configuration is a mapping with `env`, an environment id. It may hold `rules`, `episode`,
    `observation`, `render_mode`, `render_seat` and `render_face`, all as for the AEC environment, which is
    `aec`.

    Raises:
        InputError: for any other entry.
        IllegalAction: for an action that the mask forbids.
    """

    def __init__(self, config: Mapping[str, Any] | None = None):
        super().__init__()
        given = dict(config or {})
        env_id = given.pop("env", None)
        if env_id is None or (unknown := given.keys() - set(SETTINGS)):
            what = "no env" if env_id is None else f"unknown {', '.join(map(quoted, sorted(unknown)))}"
            raise InputError(f"env_config: got {what}; expected env, always, and {', '.join(SETTINGS)}")
        self.aec = CardGameEnv(env_id, **given)
        self.render_mode = self.aec.render_mode
        self.possible_agents = self.aec.possible_agents[:]
        self.agents = self.possible_agents[:]
        self.observation_spaces = self.aec.observation_spaces
        self.action_spaces = self.aec.action_spaces

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[BySeat[Seen], BySeat[dict[str, Any]]]:
        """Begin an episode as the AEC environment does; one that ends before anybody has decided anything
        is passed over."""
        self.aec.reset(seed, options)
        while self._over:
            self.aec.reset()
        return self._seen(), self._infos()

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[BySeat[Seen], BySeat[float], BySeat[bool], BySeat[bool], BySeat[dict[str, Any]]]:
        """Play the action of the seat to act; InputError unless it is the only one, in an episode under
        way."""
        self.aec.check_under_way()
        if self._over:
            raise InputError("the episode is over: call reset")
        actor = self.aec.agent_selection
        if action_dict.keys() != {actor}:
            raise InputError(f"actions: got {', '.join(action_dict) or 'none'}; expected one, of {actor}")
        self.aec.step(action_dict[actor])
        rewards = {agent: float(self.aec.rewards[agent]) for agent in self.possible_agents}
        over = all(self.aec.terminations.values())
        ended, truncated = {"__all__": over}, {"__all__": False}
        return self._seen(), rewards if over else {actor: 0.0}, ended, truncated, self._infos()

    def render(self) -> Any:
        return self.aec.render()

    @property
    def _over(self) -> bool:
        return all(self.aec.terminations.values())

    def _seen(self) -> BySeat[Seen]:
        """The observation of the seat to act, if there is one."""
        actor = self.aec.agent_selection
        return {} if self._over else {actor: self.aec.observe(actor)}

    def _infos(self) -> BySeat[dict[str, Any]]:
        """The points of each seat in deals that have just ended."""
        return {agent: info for agent, info in self.aec.infos.items() if info}
