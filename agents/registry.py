"""All kinds of agents that a text can name: what each allows, and how it is made.

What takes long to import, compiled searches, is imported when an agent of it is asked for.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.builtin.weakened import WeakenedNetwork
from stichwerk.agents.core.agent import Agent, AgentError
from stichwerk.agents.core.spec import Kind, Setting, choice, fraction, split_spec, whole
from stichwerk.agents.external.callers import is_origin
from stichwerk.agents.external.custom import address_of, installed, python_agent
from stichwerk.agents.external.engine import EngineAgent
from stichwerk.agents.networks.saved import fits, game_of, plays_any_rules
from stichwerk.envs.spec.game import Game
from stichwerk.support.check import Allowed
from stichwerk.support.errors import InputError, closest, quoted
from stichwerk.support.extras import from_extra
from stichwerk.support.files import path_from

SHIPPED_FOLDER = Path(__file__).parent / "builtin" / "shipped"
SHIPPED = tuple(sorted(folder.name for folder in SHIPPED_FOLDER.iterdir() if folder.is_dir()))

FAMILY = "_family"
VERSIONED = re.compile(r"-\d+\.\d+$")
OF_0_3 = ("gaigel3", "gaigel4", "gaigel6", "preferans3", "preferans4", "schnapsen", "sixty_six", "snapszer")
ALIASES = {f"{name}-0.3": name for name in OF_0_3}
"""Names that always mean the same network, whatever a plain name may mean later."""


def kind_of(text: str) -> Kind:
    """The kind of agent that a text names; AgentError if there is none."""
    word = text.partition(":")[0]
    if word in KINDS:
        return KINDS[word]
    if word in installed():
        return Kind(_installed, word, "plays a custom agent of an installed package")
    forms = ", ".join([*(kind.form for kind in KINDS.values()), *installed()])
    hint = closest(word, [*KINDS, *installed()])
    raise AgentError(f"agent: got {quoted(text)}; {hint}expected one of {forms}")


def searches(text: str) -> bool:
    """True if a text names a player that searches."""
    with suppress(AgentError):
        return kind_of(text).searches
    return False


def network_of(text: str, game: Game | None = None) -> Path | None:
    """The folder of the network that a text names, if it names one: that by which it plays the game, or
    without one its own."""
    name = split_spec(text)[0] if kind_of(text).by_network else ""
    return _folder(text, name, game) if name else None


def shipped_network(game: Game) -> str | None:
    """The name of the shipped network that plays a game under its rules, if there is one: of several the one
    whose own rules are nearest."""
    playing = [name for name in SHIPPED if fits(SHIPPED_FOLDER / name, game)]
    alone = [name for name in playing if not plays_any_rules(SHIPPED_FOLDER / name)]
    if alone or not playing:
        return next(iter(alone), None)
    named = [name for name in SHIPPED if _family(name) == SHIPPED_FOLDER / playing[0]]
    return min(named, key=lambda name: _distance(game_of(SHIPPED_FOLDER / name), game), default=playing[0])


def shipped_networks() -> dict[str, Path]:
    """The folders of the shipped networks by name, and of those that play any rules also by the name of their
    game where no other network has it."""
    names = {name.removesuffix(FAMILY): name for name in SHIPPED} | {name: name for name in SHIPPED}
    return {name: SHIPPED_FOLDER / folder for name, folder in sorted(names.items())}


def _distance(one: Game, two: Game) -> tuple[bool, int]:
    """True if the environments of two games differ, and the number of options in which their rules do."""
    ours = two.rules.as_dict()
    return one.env_id != two.env_id, sum(ours[name] != value for name, value in one.rules.as_dict().items())


@cache
def _family(name: str) -> Path | None:
    """The shipped network that plays the game of another one under all rules, if there is one. The names of
    earlier versions always mean the same network."""
    if VERSIONED.search(name) or plays_any_rules(SHIPPED_FOLDER / name):
        return None
    game = game_of(SHIPPED_FOLDER / name)
    folders = (SHIPPED_FOLDER / other for other in SHIPPED)
    return next((each for each in folders if plays_any_rules(each) and fits(each, game)), None)


def _random(text: str, game: Game, argument: str) -> Agent:
    return RandomAgent(text)


def _rules(text: str, game: Game, argument: str) -> Agent:
    return RulesAgent(text, game, argument or None)


def _ppo(text: str, game: Game, argument: str, greedy: bool | None = None, **weaknesses: Any) -> NetworkAgent:
    folder = _folder(text, argument, game)
    if not weaknesses:
        return NetworkAgent.load(text, folder, game, greedy)
    if greedy is not None:
        raise AgentError(f"agent {quoted(text)}: got greedy with {min(weaknesses)}; expected one of them")
    weakened = WeakenedNetwork.load(text, folder, game)
    weakened.weaken(**weaknesses)
    return weakened


def _folder(text: str, name: str, game: Game | None = None) -> Path:
    """The folder of the network that a text names: a shipped one by name, or any by path. Under rules that a
    shipped one does not play, one that plays its game under all rules replaces it, if there is one. The name
    of a game means the network that plays it best."""
    if name in ALIASES:
        return SHIPPED_FOLDER / ALIASES[name]
    if own := (networks := shipped_networks()).get(name):
        if game and name not in SHIPPED and fits(own, game):
            own = networks[shipped_network(game) or name]
        family = _family(own.name) if game else None
        return family if game and family and not fits(own, game) and fits(family, game) else own
    try:
        folder = path_from(name)
    except InputError as error:
        raise AgentError(f"agent {quoted(text)}: {error}") from None
    if not folder.is_dir():
        hint = f"do you mean worlds={name}? " if name.isdecimal() else closest(name, networks)
        shipped = ", ".join(networks)
        raise AgentError(
            f"agent {quoted(text)}: got no folder {quoted(name)}; {hint}expected one, or one of {shipped}"
        )
    return folder


def _rollout(text: str, game: Game, argument: str, **settings: Any) -> Agent:
    if not argument:
        return _player("stichwerk.agents.search.rollout:RolloutPlayer")(text, game, argument, **settings)
    if "slip" in settings:
        raise AgentError(f"agent {quoted(text)}: got slip of the rule-based player; expected plain rollout")
    return _by_network("NetworkRolloutPlayer")(text, game, argument, **settings)


def _by_network(name: str) -> Callable[..., Agent]:
    """The maker of a search that a network guides."""

    def make(text: str, game: Game, argument: str, **settings: Any) -> Agent:
        guided = import_module("stichwerk.agents.search.guided")
        guide = _ppo(text, game, argument)
        return getattr(guided, name)(text, game, guide, **settings)

    return make


def _player(address: str) -> Callable[..., Agent]:
    """The maker of a class that is imported when it is asked for."""
    module, _, name = address.partition(":")

    def make(text: str, game: Game, argument: str, **settings: Any) -> Agent:
        return getattr(import_module(module), name)(text, game, **settings)

    return make


def _platform(text: str, game: Game, argument: str, **settings: Any) -> Agent:
    platform = from_extra("stichwerk.agents.external.vu_schnapsen", "vu")
    return platform.platform_agent(text, game, argument, **settings)


def _installed(text: str, game: Game, argument: str) -> Agent:
    return python_agent(text, game, address_of(text) or "")


BUDGET: dict[str, Setting] = {
    "worlds": whole(1, 1_000_000),
    "ms": fraction(0.001, 1e6),
    "nodes": whole(1, 10**12),
    "threads": whole(1, 1_024),
}
SLIP, MARGIN = fraction(0.001, 1), fraction(0, 100)
KINDS = {
    "random": Kind(_random, "random", "plays any legal action"),
    "rules": Kind(
        _rules,
        "rules or rules:VERSION",
        "plays by the rule-based player of the game, as it is or as it was in a version, such as rules:0.1",
        argument=None,
        plays_by_rules=True,
    ),
    "ppo": Kind(
        _ppo,
        "ppo:NAME or ppo:FOLDER",
        "plays a trained network: a shipped one, or one in a folder such as runs/schnapsen-1/best",
        argument=True,
        settings={
            "greedy": choice(yes=True, no=False),
            "softness": fraction(1, 100),
            "forgets": choice(low="low", all="all"),
        },
        by_network=True,
    ),
    "rollout": Kind(
        _rollout,
        "rollout, rollout:NAME or rollout:FOLDER",
        "plays each action out in sampled deals, by rules or by a network",
        argument=None,
        settings={**BUDGET, "slip": SLIP, "margin": MARGIN},
        searches=True,
        by_network=True,
    ),
    "pimc": Kind(
        _player("stichwerk.agents.search.pimc:PIMCPlayer"),
        "pimc",
        "solves sampled deals exactly (perfect-information Monte Carlo)",
        settings={
            **BUDGET,
            "turns": whole(0, 100),
            "limit": whole(1, 10**12),
            "slip": SLIP,
            "margin": MARGIN,
        },
        searches=True,
    ),
    "ismcts": Kind(
        _player("stichwerk.agents.search.ismcts:ISMCTSPlayer"),
        "ismcts",
        "grows a tree over sampled deals (information-set Monte Carlo tree search)",
        settings={
            **BUDGET,
            "observers": choice(one=1, many=2),
            "explore": fraction(0, 100),
            "slip": SLIP,
        },
        searches=True,
    ),
    "search": Kind(
        _by_network("GuidedPlayer"),
        "search:NAME or search:FOLDER",
        "plays actions out in deals that a network finds likely, and weighs them by the network",
        argument=True,
        settings={
            **BUDGET,
            "worlds": whole(0, 1_000_000),
            "temperature": fraction(0.001, 1e6),
            "by_rules": choice(yes=True, no=False),
            "few": whole(1, 1_000),
        },
        searches=True,
        by_network=True,
    ),
    "python": Kind(
        python_agent,
        "python:MODULE:MAKER",
        "plays a custom agent: what MAKER(game) of a module returns; see docs/howto/custom_agents.md",
        argument=True,
        runs_code=True,
    ),
    "engine": Kind(
        EngineAgent,
        "engine:COMMAND",
        "plays a program in any language that speaks the engine protocol, or with ws://HOST:PORT one that "
        "connects there; see docs/howto/engines.md",
        argument=True,
        settings={
            "ms": fraction(0.001, 1e9),
            "forfeits": choice(yes=True, no=False),
            "origin": Setting(is_origin, Allowed(bool, "an origin such as https://cards.example")),
        },
        runs_code=True,
    ),
    "vu": Kind(
        _platform,
        "vu:BOT",
        "plays a bot of the VU Amsterdam's Schnapsen platform, under the preset schnapsen_vu: rand, bully or "
        "rdeep",
        argument=True,
        settings={"samples": whole(1, 100_000), "depth": whole(1, 20)},
        env_id="schnapsen_v0",
    ),
}
