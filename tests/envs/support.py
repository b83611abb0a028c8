"""What the tests of all games share: the list of variants, random play, and looking behind the cards.

A new game joins every generic test by being in `stichwerk.envs.GAMES` and by a model, the module
`tests/envs/games/<game>/model.py`, where <game> is the folder of its rules. A model says, independently of
the compiled rules:

    redeal(game, state, seat, rng)      a copy of the true state; what the seat cannot know is dealt again
    chance_of_truth(game, state, seat)  how likely a blind guess at the hidden hands is right
    hidden_cards(game, state, seat)     the cards, by name, that nothing shown to the seat may mention
    world(game, state)                  the hidden cards as a value: equal for equal worlds
    check(game, state)                  what holds in every position: cards are conserved, points add up
    rules()                             a hypothesis strategy that draws any rules, as a dict
    switched_off(game)                  what these rules never allow, besides cards that are not in the pack
    SELDOM                              actions that random play under a preset need not come to
    MATCH_LIMIT                         options that bring matches of random players to an end
"""

import hashlib
import importlib
import itertools
import os
import random
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from stichwerk.envs import GAMES, Game, make_game
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.log import log_entries
from tests.started import ROOT, start

Test = TypeVar("Test", bound=Callable)
OBSERVATIONS = ("summary", "history", "rules")
EPISODES = ("deal", "match")
# Actions that cut a deal short, and how often random play looks for another one first: else it would seldom
# see what comes later.
PATIENCE = {"claim": 0.95, "aus": 0.95, "pass": 0.5}


def model_of(env_id: str) -> ModuleType:
    """The model of a game."""
    folder = GAMES[env_id].rules.__module__.split(".")[-2]
    return importlib.import_module(f"tests.envs.games.{folder}.model")


class Variant(NamedTuple):
    """A game as people sit down to it: an environment id under one of its presets, for so many players where
    that varies."""

    env_id: str
    preset: str
    players: int | None = None

    def __str__(self) -> str:
        return f"{self.env_id}-{self.preset}{f'-{self.players}' if self.players else ''}"

    @property
    def rules(self) -> str | dict[str, Any]:
        options = {**({"players": self.players} if self.players else {}), **self.model.MATCH_LIMIT}
        return {"preset": self.preset, **options} if options else self.preset

    @property
    def module(self):
        return importlib.import_module(f"stichwerk.envs.{self.env_id}")

    @property
    def game(self) -> Game:
        return make_game(self.env_id, self.rules)

    @property
    def model(self):
        return model_of(self.env_id)

    def env(self, **kwargs) -> CardGameEnv:
        return self.module.raw_env(self.rules, **kwargs)


def all_variants() -> Iterator[Variant]:
    """Every preset of every game, for the number of players listed first; each environment's default preset
    for every number."""
    seen = set()
    for env_id, spec in GAMES.items():
        numbers = spec.rules.values("players") or (None,)
        for preset in spec.rules.PRESETS:
            default = preset == spec.env_ids[env_id]
            if default or (spec, preset) not in seen:
                yield from (
                    Variant(env_id, preset, number) for number in (numbers if default else numbers[:1])
                )
            seen.add((spec, preset))


VARIANTS = list(all_variants())


def each_variant_with(every: bool = False, **values: Iterable[Any]) -> Callable[[Test], Test]:
    """Parametrise a test with every variant and every combination of other values.

    The fast tests have each game and each combination once at least, the games in turn. The name of the test
    says which variant of a game comes first, so the fast tests together have them all. Other cases are slow.

    Args:
        every: The fast tests have each variant, and each combination for each game.
        **values: The values of each parameter.
    """
    combinations = list(itertools.product(*values.values()))

    def parametrised(test: Test) -> Test:
        cases = []
        first = zlib.crc32(test.__name__.encode())
        for place_of_game, group in enumerate(BY_GAME):
            size = max(len(combinations), len(group) if every else len(BY_GAME))
            turns = range(size) if every else range(place_of_game, size, len(BY_GAME))
            fast = {((first + number) % len(group), n % len(combinations)) for number, n in enumerate(turns)}
            for (number, variant), (place, combination) in itertools.product(
                enumerate(group), enumerate(combinations)
            ):
                words = [str(variant), *(v if isinstance(v, str) else repr(v) for v in combination)]
                marks = () if (number, place) in fast else pytest.mark.slow
                cases.append(pytest.param(variant, *combination, marks=marks, id="-".join(words)))
        return pytest.mark.parametrize(("variant", *values), cases)(test)

    return parametrised


BY_GAME = [
    list(variants) for _, variants in itertools.groupby(VARIANTS, key=lambda variant: GAMES[variant.env_id])
]
each_variant = each_variant_with()
every_variant = each_variant_with(every=True)
FIRST_VARIANTS = list({GAMES[variant.env_id]: variant for variant in reversed(VARIANTS)}.values())


def slowly(*values: object) -> list[Any]:
    """Further values of a parameter, or of several in tuples, each of whose cases is slow."""
    return [
        pytest.param(*(value if type(value) is tuple else (value,)), marks=pytest.mark.slow)
        for value in values
    ]


def few(number: int, values: Iterable[Any]) -> list[Any]:
    """The first values of a parameter, and the further ones as slow cases."""
    whole = list(values)
    return [*whole[:number], *slowly(*whole[number:])]


each_observation = pytest.mark.parametrize("observation", OBSERVATIONS)
each_episode = pytest.mark.parametrize("episode", EPISODES)
each_game = pytest.mark.parametrize("env_id", GAMES)  # for tests that draw the rules
thoroughly = settings(
    max_examples=int(os.environ.get("EXAMPLES", "25")),  # `make test-slow` asks for more
    deadline=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


# Playing


def over(env: CardGameEnv) -> bool:
    return any(env.terminations.values())


def legal(env: CardGameEnv) -> list[str]:
    """The names of the legal actions of the seat to act."""
    return [
        env.action_names[action] for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    ]


def choose(env: CardGameEnv, rng: random.Random) -> str:
    """A random legal action that seldom cuts the deal short."""
    actions = legal(env)
    patient = [action for action in actions if action not in PATIENCE]
    if patient and rng.random() < min(
        [0.95, *(PATIENCE[action] for action in actions if action in PATIENCE)]
    ):
        actions = patient
    # Unlike `choice`, this is promised to stay the same in every Python.
    return actions[int(rng.random() * len(actions))]


def decisions(env: CardGameEnv, rng: random.Random) -> Iterator[str]:
    """Play the episode to its end at random; yields the seat to act before every step."""
    while not over(env):
        yield env.agent_selection
        env.step(choose(env, rng))


def positions(env: CardGameEnv, seed: int, episodes: int = 1, share: float = 1.0) -> Iterator[str]:
    """Random play through several episodes; yields the seat to act at a share of the decisions."""
    rng = random.Random(seed)
    for episode in range(episodes):
        env.reset(seed=seed if episode == 0 else None)
        for agent in decisions(env, rng):
            if rng.random() < share:
                yield agent


def play(env: CardGameEnv, actions: str) -> None:
    """Play actions given as one text, comma by comma."""
    for action in filter(None, actions.split(", ")):
        env.step(action)


def by_sight(observation: np.ndarray, mask: np.ndarray) -> int:
    """An action rule that any environment can follow: a legal action picked by a checksum of what the seat
    sees."""
    actions = np.flatnonzero(mask)
    return int(actions[zlib.crc32(observation.tobytes() + mask.tobytes()) % len(actions)])


def by_sight_everywhere(seen: dict[str, np.ndarray]) -> list[int]:
    """The same rule in every lane of a vector environment."""
    return [by_sight(*both) for both in zip(seen["observation"], seen["action_mask"], strict=True)]


def refused(call: Callable[[Any], object], error: type[Exception] = ValueError) -> Callable[[Any], str]:
    """The text of the error with which a call refuses an input: what `refusals` asks for."""

    def text(given: Any) -> str:
        with pytest.raises(error) as caught:
            call(given)
        return str(caught.value)

    return text


def digest(episodes: int = 3) -> str:
    """A fingerprint of some play under every variant: cards, observations, masks, texts and rewards. Matches
    are played with one observation, since they are long."""
    sha = hashlib.sha256()
    for number, variant in enumerate(VARIANTS):
        for observation in OBSERVATIONS:
            episode = "match" if observation == OBSERVATIONS[number % len(OBSERVATIONS)] else "deal"
            env = variant.env(episode=episode, observation=observation, render_mode="ansi")
            for play in range(episodes):
                env.reset(seed=number if play == 0 else None)
                while not over(env):
                    seen = env.observe(env.agent_selection)
                    sha.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
                    env.step(by_sight(seen["observation"], seen["action_mask"]))
                sha.update(env.render().encode() + true_state(env).tobytes() + env.state().tobytes())
    return sha.hexdigest()


def python(code: str, *, timeout: float | None = None, **started: str | Path) -> str:
    """What another Python process prints, if it ends within so many seconds; overflowing integers are errors
    there too."""
    with start("-c", code, server="compiler", **{"cwd": ROOT, **started}) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    assert process.returncode == 0, err
    return out.strip()


# Looking behind the cards


def true_state(env: CardGameEnv) -> np.ndarray:
    """The true state, an array of one record."""
    return env.copy_state()


def change(env: CardGameEnv, **fields: Any) -> CardGameEnv:
    """Change fields of the state, to one that no play may lead to; short lists change the first entries."""
    state = env.copy_state()
    for name, value in fields.items():
        if isinstance(value, (list, tuple)):
            state[name][0, : len(value)] = value
        else:
            state[name] = value
    env.set_state(state)
    return env


def replay_options(game: Game, state: np.ndarray) -> dict:
    """The set deal that repeats a deal up to its present position."""
    record = state[0]
    return {
        "deck": [game.pack.names[card] for card in record.deck[: len(game.deck)]],
        "dealer": int(record.dealer),
        "actions": [game.actions[action] for _, action in log_entries(record)],
    }


def assert_same(one: dict[str, np.ndarray], two: dict[str, np.ndarray], message: str = "") -> None:
    """Two observations are equal to the bit."""
    for name in ("observation", "action_mask"):
        assert one[name].dtype == two[name].dtype
        np.testing.assert_array_equal(one[name], two[name], err_msg=f"{name} {message}")


def spread_evenly(counts: np.ndarray) -> bool:
    """Whether draws fell evenly on all outcomes: a chi-square test that fair draws fail about once in 10,000
    seeds."""
    expected = counts.sum() / len(counts)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = len(counts) - 1
    # Wilson and Hilferty: the cube root of chi-square per degree of freedom is almost normal.
    return (chi_square / freedom) ** (1 / 3) < 1 - 2 / (9 * freedom) + 3.7 * (2 / (9 * freedom)) ** 0.5
