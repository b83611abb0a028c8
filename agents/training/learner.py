"""The learner: PPO in a self-play environment, and the pool for the other seats."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
import torch

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import Agent, AgentError
from stichwerk.agents.envs.lane_rules import LaneRules
from stichwerk.agents.envs.learning import LearningLanes
from stichwerk.agents.envs.pool import opponents_by_lane, place_of
from stichwerk.agents.envs.rollout_targets import RolloutTargets
from stichwerk.agents.evaluation.playing.matches import (
    OnProgress,
    Playing,
    Points,
    Series,
    play_block,
    play_field,
)
from stichwerk.agents.evaluation.playing.workers import LineUp, SpreadPlayer
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.agents.networks.inference import InferenceNetwork, layer_names
from stichwerk.agents.networks.network import PolicyNetwork, TorchLogits, device_here, precision_here
from stichwerk.agents.networks.tensors import out_of_memory
from stichwerk.agents.search.player import SearchPlayer
from stichwerk.agents.training.config import TrainConfig, baselines
from stichwerk.agents.training.ppo import PPO, seed_all
from stichwerk.agents.training.settings import ConfigError
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import quoted

LATEST, PAST = "latest", "past"


def field_of(config: TrainConfig, game: Game, deals: int) -> dict[str, int]:
    """The opponents of an evaluation with their numbers of duplicate deals.

    Args:
        config: of the training
        game: with its rules
        deals: against each baseline

    Returns:
        Numbers of deals by the texts of agents. The first baseline decides which network is the best.
    """
    return {**dict.fromkeys(baselines(game), deals), **config.evaluation.measured_against}


class Learner:
    """Algorithm, environment and opponents of one training run, wired together.

    Attributes:
        config: with the game's opponents, if it names none
        device: where the networks are
        precision: of the layers' products, of the network and those that it plays against
        network: the learner's own layers as a PolicyNetwork, always up to date
        imitation_agent: the agent that it imitates at first, or None
        rollout_targets: the values of all actions that it learns from, or None
        past: the snapshots of it that play in the pool; at first all are the network that it begins with
        promoted: how many have come into the pool so far
        agents: the pool by the names of the config's opponents; of the learner itself, `latest`, there is
            none
        field: the agents that measure it while it learns, each with its number of duplicate deals
        env: the lanes in which it plays
        ppo: the algorithm, with the network's layers and the optimizer

    Args:
        config: of the training
        game: with its rules
        rank: the number of this worker; 0 leads, and is the only one of most trainings
    """

    @out_of_memory()
    def __init__(self, config: TrainConfig, game: Game, rank: int = 0):
        self.game, self.rank = game, rank
        self.config = config = config.for_game(game)
        self.device = device_here(config.execution.device)
        self.precision = precision_here(config.network.precision, self.device)
        self.field = [  # before the seed, as networks draw weights before theirs are loaded
            (self._named("measured_against", name), deals)
            for name, deals in field_of(config, game, config.evaluation.evaluate_deals).items()
        ]
        torch.set_num_threads(config.execution.threads)
        torch.manual_seed(config.execution.seed)

        shape = game.encoding(config.game.observation).size, config.network.widths, len(game.actions)
        self.network = PolicyNetwork(*shape)
        text = config.imitation.imitation_agent
        self.imitation_agent = self._named("imitation_agent", text, self.precision) if text else None
        with refused_as("rollout_policy"):
            text = config.rollout_targets.rollout_policy
            self.rollout_targets = RolloutTargets(text, game, config.game.match_equity) if text else None
        self.promoted = 0
        past_size = config.pool.past_size if PAST in config.pool.opponents else 0
        self.past = [PolicyNetwork(*shape) for _ in range(past_size)]
        self.agents = self._pool_agents()
        self.env = LearningLanes(
            game,
            config.ppo.lanes,
            self._with_shares(),
            config.execution.seed,
            episode=config.game.episode,
            observation=config.game.observation,
            reward_scale=config.ppo.reward_scale,
            reward_limit=config.ppo.reward_limit,
            start_states=config.game.start_states,
            rules=self._lane_rules(),
            by_equity=config.game.match_equity,
            worker=(rank, config.execution.workers),
        )
        self._check_lanes()
        self.ppo = PPO(
            self.env,
            config,
            device=self.device,
            imitation_agent=self.imitation_agent,
            rollout_targets=self.rollout_targets,
        )
        self.env.start()
        policy: Any = self.ppo.policy
        self.network.share(policy.features_extractor.layers, policy.action_net)
        if config.network.init:
            self.network.load_arrays(_first_arrays(config, game))
        for network in self.past:
            network.load_state_dict(self.network.state_dict())
        if rank:  # the weights, drawn so far, are the same for all
            seed_all(int(stream_seed(config.execution.seed, Use.AGENTS, rank)) % 2**32)

    def player(
        self, name: str, network: PolicyNetwork, greedy: bool = False, precision: str = "float32"
    ) -> NetworkAgent:
        """A player of the learner's network, or of one of its snapshots.

        Args:
            name: of the player in results
            network: the layers that it plays by, which it shares
            greedy: whether it plays its likeliest action
            precision: of its layers' products
        """
        logits = TorchLogits(network, self.device, precision)
        return NetworkAgent(name, logits, self.game, self.config.game.observation, greedy)

    def _pool_agents(self) -> dict[str, list[Agent]]:
        """The agents behind each of the config's opponents but the learner itself."""
        agents: dict[str, list[Agent]] = {}
        for name in self.config.pool.shares:
            if name == LATEST:
                continue
            if name == PAST:
                agents[name] = [self.player(name, each, precision=self.precision) for each in self.past]
            else:
                agents[name] = [self._named("opponents", name, self.precision)]
        for number, agent in enumerate(self._others(agents)):
            agent.seed_for(self.config.execution.seed, Use.OPPONENTS, number, *place_of(self.rank))
        return agents

    def _others(self, agents: dict[str, list[Agent]]) -> list[Agent]:
        """The agents of the pool, then the imitation agent, if there is one."""
        pool = [agent for group in agents.values() for agent in group]
        return [*pool, self.imitation_agent] if self.imitation_agent else pool

    def _named(self, setting: str, text: str, precision: str = "float32") -> Agent:
        agent = agent_of(self.config, self.game, setting, text)
        if self.device.type != "cpu" and isinstance(agent, NetworkAgent):
            assert isinstance(agent.network, InferenceNetwork)  # as agents from files have
            agent.network = TorchLogits(PolicyNetwork.of(agent.network), self.device, precision)
        return agent

    def _with_shares(self) -> list[tuple[Agent, float]]:
        """The agents of the pool, each with its share of the lanes."""
        return [
            (agent, share / len(self.agents[name]))
            for name, share in self.config.pool.shares.items()
            for agent in self.agents.get(name, ())
        ]

    def _lane_rules(self) -> LaneRules | None:
        """The rules of the lanes, where they differ; ConfigError for others that play by the game's alone."""
        config = self.config
        if not config.game.rule_shares:
            return None
        for agent in self._others(self.agents):
            if not agent.plays_any_rules:
                words = "latest, past, random, rules, or a network with observation rules"
                given = f"config opponents or imitation_agent: got {quoted(agent.name)}"
                raise ConfigError(f"{given}; expected with rule_shares {words}")
        if self.rollout_targets and not self.rollout_targets.take_any_rules:
            text = config.rollout_targets.rollout_policy
            raise ConfigError(f"config rollout_policy: got {quoted(text)}; expected rules with rule_shares")
        shares, every = config.game.rule_shares, config.game.rules_every
        lanes = len(range(self.rank, config.ppo.lanes, config.execution.workers))
        return LaneRules(self.game, shares, lanes, config.execution.seed, every, self.rank)

    def _check_lanes(self) -> None:
        """ConfigError for an opponent, or the learner itself, whose share of the lanes is rounded to none."""
        shares = [(agent.name, share) for agent, share in self._with_shares()]
        if LATEST in self.config.pool.shares:  # its lanes are those of no opponent
            shares.append((LATEST, self.config.pool.shares[LATEST]))
        there_are = opponents_by_lane(self._with_shares(), self.config.ppo.lanes)
        for number, (name, share) in enumerate(shares):
            if number not in there_are:
                raise ConfigError(
                    f"config opponents: a share of {share:g} for {name} is less than one of "
                    f"{self.config.ppo.lanes} lanes; expected at least a lane for each share, and for "
                    "past a lane for each of past_size"
                )

    def chances(self) -> list[np.random.Generator]:
        """The random numbers of the opponents and the imitation agent."""
        return [agent.random for agent in self._others(self.agents)]

    def win_rate(self) -> float:
        """The share of games that the present network wins against the snapshots in the pool, all playing as
        they do there, over the validation deals."""
        candidate = self.player(LATEST, self.network)
        deals = self.config.evaluation.evaluate_deals
        snapshots = [(self.player(PAST, network), deals) for network in self.past]
        return fmean(result.win_rate for result in self.validated(candidate, snapshots))

    def validated(self, agent: Agent, field: Iterable[tuple[Agent, int]]) -> list[PairResult]:
        """Play an agent against a field on the validation deals, which training never sees.

        Args:
            agent: is measured
            field: the opponents, each with its number of duplicate deals

        Returns:
            A result for each opponent, from the side of the agent.
        """
        seed, start_states = self.config.execution.seed, self.config.game.evaluated_in_start_states
        series = partial(Series, seed=seed, use=Use.VALIDATION, start_states=start_states)
        playing = Playing(play=self._play_in_step if self.ppo.peers.size > 1 else None)
        return play_field(
            self.game, agent, [(other, series(deals)) for other, deals in field], playing=playing
        )

    def _play_in_step(
        self, game: Game, agents: Sequence[Agent], series: Series, on_progress: OnProgress
    ) -> Iterator[Points]:
        """Play a series, of which each worker has a block."""
        peers = self.ppo.peers
        first, end = (series.deals * rank // peers.size for rank in (peers.rank, peers.rank + 1))
        own = list(play_block(game, agents, series, (first, end))) if first < end else []
        for points in peers.share(own):
            yield from points

    def together(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call `function(learner, *arguments)` in all workers at the same time; the results by rank."""
        peers = self.ppo.peers
        return peers.together(function, *arguments) if peers.size > 1 else [function(self, *arguments)]

    def offers_snapshot(self, update: int) -> bool:
        """True if this update adds a snapshot to the pool."""
        return bool(self.past) and update % self.config.pool.past_every == 0

    def take_snapshot(self) -> None:
        """Put the present network into the pool instead of the oldest snapshot."""
        self.promoted += 1
        self.past[self.promoted % len(self.past)].load_state_dict(self.network.state_dict())


def agent_of(config: TrainConfig, game: Game, setting: str, text: str) -> Agent:
    """The agent that a config's setting names. An agent that searches does so on the config's cluster, if it
    has one, and no workers there, in which it searches anyway.

    Args:
        config: of the training
        game: with its rules
        setting: the name of the setting, for errors
        text: the text of the agent

    Raises:
        ConfigError: there is no such agent, or it does not play this game.
    """
    with refused_as(setting):
        agent = make_agent_for(text, game)
    cluster = config.execution.cluster
    if isinstance(agent, SearchPlayer) and cluster and config.execution.workers == 1:
        line_up = LineUp(config.game.env, config.game.rules_yaml, ((text, text),))
        return SpreadPlayer(agent, line_up, cluster)
    return agent


def check_named(config: TrainConfig, game: Game) -> None:
    """Refuse what a config names and the game does not have.

    Args:
        config: of the training
        game: with its rules

    Raises:
        InputError: for an encoding or an agent.
    """
    game.encoding(config.game.observation)
    policy = config.rollout_targets.rollout_policy
    agents = {
        "init": [config.network.init],
        "imitation_agent": [config.imitation.imitation_agent],
        "opponents": config.pool.shares,
    }
    for setting, texts in agents.items():
        for text in texts:
            if text not in ("", LATEST, PAST):
                with refused_as(setting):
                    make_agent_for(text, game)
    if policy:
        with refused_as("rollout_policy"):
            RolloutTargets(policy, game)


@contextmanager
def refused_as(setting: str) -> Iterator[None]:
    """Refuse what cannot be made of a setting under its name: AgentError becomes ConfigError."""
    try:
        yield
    except AgentError as error:
        raise ConfigError(f"config {setting}: {error}") from None


def _first_arrays(config: TrainConfig, game: Game) -> dict[str, np.ndarray]:
    """The weights of the network that `init` names, for features of the same names; those of others are 0.

    Raises:
        ConfigError: it has other layers than the config's, or features that the config's observation lacks.
    """
    text = config.network.init
    with refused_as("init"):
        agent = make_agent_for(text, game)
    if not isinstance(agent, NetworkAgent):
        raise ConfigError(f"config init: got {quoted(text)}; expected ppo:NAME or ppo:FOLDER")
    network = agent.network
    assert isinstance(network, InferenceNetwork)  # as agents from files have
    ours, theirs = (game.encoding(name) for name in (config.game.observation, agent.observation))
    sizes = {feature.name: feature.size for feature in ours.features}
    fits = all(sizes.get(feature.name) == feature.size for feature in theirs.features)
    given = network.widths, agent.observation
    needed = list(config.network.widths), config.game.observation
    if given[0] != needed[0] or not fits:
        as_given = f"--widths {' '.join(map(str, given[0]))} --observation {given[1]}"
        raise ConfigError(
            f"config init={quoted(text)} has widths {given[0]} and observation {given[1]}: "
            f"the config has {needed[0]} and {needed[1]}; it fits with {as_given}"
        )
    arrays = network.arrays()
    first = f"{layer_names(len(network.widths))[0]}.weight"
    weights = np.zeros((len(arrays[first]), ours.size), np.float32)
    for name, where in theirs.slices.items():
        weights[:, ours.slices[name]] = arrays[first][:, where]
    return {**arrays, first: weights}
