"""A server of OpenEnv: one seat of a game by address, for trainers that speak its protocol (package
`openenv`)."""

from functools import partial
from typing import Any
from uuid import uuid4

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from stichwerk.agents.language.game import TextGame
from stichwerk.envs.spec.options import RuleSpec

SESSIONS = 64  # at the same time


class Answer(Action):
    """An answer in free text, or a number."""

    answer: str | int = Field(
        description="the number or the name of one legal action, perhaps in a longer text"
    )


class Question(Observation):
    """The question to a seat; `reward` has its game points when the deal is over."""

    text: str = Field(description="the table, the legal actions, and how to answer")
    legal_actions: list[str] = Field(description="by name, in the order of their numbers")
    seat: int = Field(description="the seat that answers, from 0")


class DealEnvironment(Environment[Answer, Question, State]):
    """Deals of one game. `reset` takes `seed`, and begins with the rules in short."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env: str, opponents: str, rules: RuleSpec, seat: int | None):
        super().__init__()
        self._game = TextGame(env, seat, opponents, rules=rules)
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> Question:
        text = self._game.reset(seed)
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return self._question(text, 0.0, False)

    def step(self, action: Answer, timeout_s: float | None = None, **kwargs: Any) -> Question:
        reply = self._game.answer(action.answer)
        self._state.step_count += 1
        return self._question(*reply)

    def _question(self, text: str, reward: float, done: bool) -> Question:
        legal = list(self._game.legal)
        return Question(text=text, legal_actions=legal, seat=self._game.seat, reward=reward, done=done)

    @property
    def state(self) -> State:
        return self._state


def make_app(
    env: str = "schnapsen_v0", opponents: str = "rules", rules: RuleSpec = None, seat: int | None = None
) -> Any:
    """Make the web application of one game, to be served by uvicorn.

    Args:
        env: the environment id
        opponents: the agent of the other seats
        rules: a preset, or a dict of options
        seat: the seat that is played by address; None: the next one with every deal of a session

    Raises:
        InputError: the game, its rules, the seat or the agent is unknown or does not fit.
    """
    make = partial(DealEnvironment, env, opponents, rules, seat)
    make()
    return create_app(make, Answer, Question, env_name="stichwerk", max_concurrent_envs=SESSIONS)
