"""The learner: sb3-contrib's MaskablePPO on a self-play environment, and the pool that plays the other seats."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from stichwerk.agents import make_agent_for
from stichwerk.agents.agent import Agent
from stichwerk.agents.network import PolicyNetwork, make_trunk
from stichwerk.agents.ppo import PPOAgent
from stichwerk.agents.selfplay import SelfPlayEnv
from stichwerk.agents.training.config import TrainConfig
from stichwerk.envs.core.game import Game
from stichwerk.envs.core.random import Use, stream_seed

LATEST, PAST = "latest", "past"
MATE = "mate"


def set_up_torch(threads: int) -> None:
    """Process-wide settings: the threads, and no checks of every distribution, which cost a tenth of the training time."""
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)


class Trunk(BaseFeaturesExtractor):
    """The trunk that the action head and the value head share."""

    def __init__(self, observation_space, widths):
        super().__init__(observation_space, widths[-1])
        self.layers = make_trunk(observation_space.shape[0], widths)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.layers(observation)


class Learner:
    """Model, environment and opponents of one training run, wired together.

    network: the learner's own layers as a PolicyNetwork, always up to date
    past: the snapshots of it that play in the pool; at first all are the untrained network
    """

    def __init__(self, config: TrainConfig, game: Game, make_env: type[SelfPlayEnv] = SelfPlayEnv):
        set_up_torch(config.threads)
        torch.manual_seed(config.seed)

        shape = game.encoding(config.observation).size, config.widths, len(game.actions)
        self.network = PolicyNetwork(*shape)
        self.past = [PolicyNetwork(*shape) for _ in range(config.past_size if PAST in config.shares else 0)]
        self.agents = self._pool_agents(config, game)
        self.env = make_env(
            game,
            config.lanes,
            self._with_shares(config),
            config.seed,
            config.episode,
            config.observation,
            mate=next(iter(self.agents[MATE]), None),
            reward_scale=config.reward_scale,
            reward_limit=config.reward_limit,
            situations=config.situations,
        )
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            n_steps=config.steps,
            batch_size=config.lanes * config.steps // config.minibatches,
            n_epochs=config.epochs,
            learning_rate=lambda left: config.learning_rate * max(left, 0.0),  # the last update may end beyond the end
            ent_coef=config.entropy,
            clip_range=config.clip,
            gae_lambda=config.gae_lambda,
            gamma=1.0,
            max_grad_norm=0.5,
            seed=config.seed,
            device="cpu",
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"widths": config.widths},
                "net_arch": [],
                "optimizer_kwargs": {"eps": 1e-5},
            },
        )
        self.model.set_logger(Logger(folder=None, output_formats=[]))  # the default one leaves folders in the system's temporary one
        policy: Any = self.model.policy
        self.network.share(policy.features_extractor.layers, policy.action_net)
        for network in self.past:
            network.load_state_dict(self.network.state_dict())

    def _pool_agents(self, config: TrainConfig, game: Game) -> dict[str, list[Agent]]:
        """The agents behind each name of the config's opponents, and the learner itself as its own mate."""
        agents: dict[str, list[Agent]] = {}
        for name in config.shares:
            if name == LATEST:
                agents[name] = [PPOAgent(name, self.network, game, config.observation)]
            elif name == PAST:
                agents[name] = [PPOAgent(name, network, game, config.observation) for network in self.past]
            else:
                agents[name] = [make_agent_for(name, game)]
        has_mates = game.side_count < game.seats
        agents[MATE] = [PPOAgent(MATE, self.network, game, config.observation)] if has_mates else []
        for number, agent in enumerate(agent for group in agents.values() for agent in group):
            agent.seed(int(stream_seed(config.seed, Use.OPPONENTS, number)))
        return agents

    def _with_shares(self, config: TrainConfig) -> list[tuple[Agent, float]]:
        return [(agent, share / len(self.agents[name])) for name, share in config.shares.items() for agent in self.agents[name]]

    def chances(self) -> list[np.random.Generator]:
        """The random numbers of the opponents."""
        return [agent.random for group in self.agents.values() for agent in group]

    def take_snapshot(self, number: int) -> None:
        """Put the present network into the pool in place of the oldest snapshot."""
        if self.past:
            self.past[number % len(self.past)].load_state_dict(self.network.state_dict())


# Everything that a resumed run needs, as tensors and plain values


def capture(learner: Learner) -> tuple[dict[str, torch.Tensor], dict]:
    """The whole state of a run between two updates."""
    model, env = learner.model, learner.env
    tensors = {f"policy.{name}": parameter.detach() for name, parameter in model.policy.named_parameters()}
    for number, network in enumerate(learner.past):
        tensors |= {f"past.{number}.{name}": tensor for name, tensor in network.state_dict().items()}
    for index, state in model.policy.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": tensor for name, tensor in state.items()}
    _, keys, position, *_ = np.random.get_state()
    tensors["random.torch"] = torch.get_rng_state()
    tensors["random.numpy"] = torch.from_numpy(np.asarray(keys).astype(np.int64))
    tensors["lanes.states"] = torch.from_numpy(env.lanes.states.view(np.uint8).copy())
    tensors["lanes.learner"] = torch.from_numpy(env.learner)
    facts = {
        "decisions": model.num_timesteps,
        "random_position": int(position),
        "chances": [random.bit_generator.state for random in learner.chances()],
    }
    return tensors, facts


def restore(learner: Learner, tensors: Mapping[str, torch.Tensor], facts: Mapping) -> None:
    """Bring a freshly made learner of the same config to a captured state."""
    model, env = learner.model, learner.env
    with torch.no_grad():
        for name, parameter in model.policy.named_parameters():
            parameter.copy_(tensors[f"policy.{name}"])
    for number, network in enumerate(learner.past):
        network.load_state_dict(_below(f"past.{number}", tensors))
    optimizer = model.policy.optimizer.state_dict()
    for name, tensor in _below("optimizer", tensors).items():
        index, _, part = name.partition(".")
        optimizer["state"].setdefault(int(index), {})[part] = tensor
    model.policy.optimizer.load_state_dict(optimizer)

    env.lanes.states[:] = tensors["lanes.states"].numpy().view(env.lanes.states.dtype)
    env.learner[:] = tensors["lanes.learner"].numpy()
    model._last_obs = env.look_again()
    model._last_episode_starts = np.zeros(env.num_envs, bool)  # PPO never reads those of a rollout's first step
    model.num_timesteps = facts["decisions"]
    for random, state in zip(learner.chances(), facts["chances"], strict=True):
        random.bit_generator.state = state
    torch.set_rng_state(tensors["random.torch"])
    np.random.set_state(("MT19937", tensors["random.numpy"].numpy().astype(np.uint32), facts["random_position"], 0, 0.0))


def _below(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(f"{prefix}."): tensor for name, tensor in tensors.items() if name.startswith(f"{prefix}.")}
