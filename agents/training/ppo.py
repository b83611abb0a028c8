"""Proximal policy optimization (PPO) in self-play, from every seat that the learner plays.

Beside sb3-contrib's MaskablePPO, whose losses these are:

- Decisions with one legal action are left out, and a seat's last one in a rollout if its return is unknown.
- The ratio of an action has no gradient above ten.
- Rollout targets, values of every action, can take a part of the policy's loss (`rollout_targets.py`).
- A magnet, a past state of the network, can hold the policy back (Sokota et al., 2023). If it is moved from
  time to time, that is close to R-NaD (Perolat et al., 2022), which charges the reward instead of the loss.
- Observations stay in one tensor, policy and value share the features of one pass, and Adam is fused.
- The layers multiply bfloat16 where the processor does so in hardware. Weights, losses and Adam keep 32 bits.

`PPO.to_maskable_ppo` makes a MaskablePPO of it. All random numbers are drawn on the CPU: a GPU changes the
rounding of sums, and nothing else.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch.nn import functional

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.envs.learning import LearningLanes, OwnTurns
from stichwerk.agents.envs.rollout_targets import RolloutTargets, weighted_advantages
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.networks.network import PolicyNetwork, in_precision, make_trunk, precision_here
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.rollout import Decisions, Rollout
from stichwerk.agents.training.workers.peers import Peers

# The logit of illegal actions: far below any other, and yet with an exponential that is a normal number.
# Processors take ten times as long for others.
ILLEGAL = -60.0

# The most by which a log-probability rises in an update (the ratio is then 10): beyond it the surrogate has
# no gradient. PPO does not clip an action that has become likelier and has a negative advantage; a ratio of
# 1e20 there destroys the network.
MAX_LOG_RATIO = 2.3


class Minibatch(NamedTuple):
    """A minibatch of all workers together.

    Attributes:
        advantages: of its decisions, float32[n]
        given: the number of decisions with rollout targets, a scalar
        share: the part of the decisions that are this worker's
    """

    advantages: torch.Tensor
    given: torch.Tensor
    share: float


class Trunk(BaseFeaturesExtractor):
    """The trunk that the action head and the value head share."""

    def __init__(self, observation_space: spaces.Box, widths: Sequence[int]):
        super().__init__(observation_space, widths[-1])
        self.layers = make_trunk(observation_space.shape[0], widths)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.layers(observation)


class PPO:
    """PPO in `LearningLanes`.

    Attributes:
        policy: trunk, action head and value head, with the optimizer (Adam)
        rollout: the decisions of the last update
        decisions: how many decisions have been played, those of other agents included
        imitates: whether the present rollout is the imitation agent's
        magnet: the network that holds the policy back, or None
        peers: the workers of the training, this one among them

    Args:
        env: where the learner plays; the process's random numbers are seeded with the config's seed
        config: of the training; its groups network, ppo, imitation and rollout_targets say how it learns
        device: of the network and the rollout
        imitation_agent: plays the learner's seats in the first `imitation_decisions` decisions; the policy
            learns its actions
        rollout_targets: values of every action in the learner's own decisions
    """

    value_weight = 0.5  # of the value loss
    max_gradient_norm = 0.5  # larger gradients are scaled down to it

    def __init__(
        self,
        env: LearningLanes,
        config: TrainConfig,
        *,
        device: torch.device | str = "cpu",
        imitation_agent: Agent | None = None,
        rollout_targets: RolloutTargets | None = None,
    ):
        self.env, self.config = env, config
        self.device = torch.device(device)
        self.precision = precision_here(config.network.precision, device)
        self.imitation_agent, self.rollout_targets = imitation_agent, rollout_targets
        self.imitates = False
        self.peers = Peers()
        self.decisions = 0
        observations, actions = env.spaces
        shape = observations.shape[0], config.network.widths, int(actions.n)
        self.magnet = PolicyNetwork(*shape).to(self.device) if config.ppo.magnet else None
        seed_all(config.execution.seed)
        self.policy_settings: dict[str, Any] = {
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"widths": config.network.widths},
            "net_arch": [],
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        }
        self.policy = MaskableActorCriticPolicy(
            observations, actions, config.ppo.learning_rates.at, **self.policy_settings
        ).to(self.device)
        self.rollout = Rollout(
            config.ppo.steps,
            len(env.lanes),
            seats=env.lanes.seat_count,
            features=observations.shape[0],
            actions=int(actions.n),
            with_targets=rollout_targets is not None,
            gae_lambda=config.ppo.gae_lambda,
            dtype=self._dtype,
            device=self.device,
        )

    @property
    def batch_size(self) -> int:
        """Decisions of an update: of all lanes in all steps."""
        return self.env.num_lanes * self.config.ppo.steps

    def learn(
        self, decisions: int, after_update: Callable[[dict[str, float], bool], None] | None = None
    ) -> None:
        """Play and update in turn, until this many more decisions have been played.

        Schedules run over all decisions from the first one of this PPO to the last one asked for here.

        Args:
            decisions: rounded up to whole updates
            after_update: is called with the metrics of each update, and whether it is the last
        """
        updates = math.ceil((self.decisions + decisions) / self.batch_size)
        for number in range(self.decisions // self.batch_size, updates):
            left = 1 - number / updates
            if self.peers.size > 1:
                metrics, *_ = self.peers.together(_play_and_update, left)
            else:
                metrics = self.play_and_update(left)
            if after_update:
                after_update(metrics, number + 1 == updates)

    def play_and_update(self, left: float) -> dict[str, float]:
        """Play, then `update`."""
        self.play()
        return self.update(left)

    def play(self) -> None:
        """Fill the rollout, by the present policy or by the imitation agent."""
        env, rollout = self.env, self.rollout
        rollout.clear()
        env.renew_rules(self.decisions // self.batch_size)
        imitated = self.config.imitation.imitation_decisions if self.imitation_agent else 0
        self.imitates = self.decisions < imitated
        for step in range(self.config.ppo.steps):
            turns = env.own_turns()
            decisions = self._decide(turns)
            seats = env.lanes.seats.copy()
            rollout.add_decisions(step, turns.lanes, decisions)
            rollout.add_results(step, seats, *env.move(turns, decisions.actions.cpu().numpy()))
        turns = env.own_turns()
        _, values = self._evaluate_in_play(*self._tensors(turns))
        rollout.estimate_advantages(turns.lanes, env.lanes.seats[turns.lanes], values.cpu().numpy())
        self.decisions += self.batch_size

    def _decide(self, turns: OwnTurns) -> Decisions:
        observations, masks = self._tensors(turns)
        logits, values = self._evaluate_in_play(observations, masks)
        if self.imitates:
            actions = self._imitated_actions(turns)
        else:  # the largest of logits with Gumbel noise is a draw from their softmax
            noise = torch.empty(logits.shape).exponential_().add_(1e-30).log_().to(self.device)
            actions = (logits - noise).masked_fill_(~masks, -torch.inf).argmax(dim=1)
        log_probs = _values_of_actions(actions, torch.log_softmax(logits, dim=1))
        return Decisions(observations, masks, actions, log_probs, values, self._action_values(turns))

    def _evaluate_in_play(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """`evaluate` without gradients. Other agents play outside of this block: they may compute by torch,
        in a precision of their own, and learn."""
        with torch.inference_mode(), in_precision(self.device, self.precision):
            return self.evaluate(observations, masks)

    def _imitated_actions(self, turns: OwnTurns) -> torch.Tensor:
        """The imitation agent's actions in the learner's turns, by canonical ids."""
        assert self.imitation_agent is not None
        if not len(turns.lanes):
            return torch.empty(0, dtype=torch.int64, device=self.device)
        actions = self.imitation_agent.act(Turns.of(self.env.lanes, turns.lanes))
        return torch.from_numpy(self.env.symmetry.canonical_actions(actions, turns.orders)).to(self.device)

    def _action_values(self, turns: OwnTurns) -> torch.Tensor:
        """The rollout targets, float32[n, actions], or [n, 0] without any; imitation needs none. Of decisions
        that get none all are 0."""
        kept = self.rollout.decisions.action_values
        values = kept.new_zeros(len(turns.lanes), kept.shape[2])
        if self.rollout_targets is None or self.imitates:
            return values
        share = self.config.rollout_targets.rollout_share
        if share == 1:
            which = np.arange(len(turns.lanes))
        else:
            which = np.flatnonzero(torch.rand(len(turns.lanes)).numpy() < share)
        found = self.env.action_values(turns, which, self.rollout_targets)
        values[torch.from_numpy(which).to(self.device)] = torch.from_numpy(found).to(self.device)
        return values

    def update(self, left: float) -> dict[str, float]:
        """Minimize the loss over the rollout by gradient steps on its minibatches.

        Args:
            left: the share of the updates that is left, for the schedules

        Returns:
            Means over the minibatches by name, and the schedules' values; those alone where the rollout has
            fewer than two decisions to learn from.
        """
        self.policy.set_training_mode(True)
        config = self.config.ppo
        if self.magnet and (self.decisions // self.batch_size - 1) % config.magnet_every == 0:
            policy: Any = self.policy
            self.magnet.trunk.load_state_dict(policy.features_extractor.layers.state_dict())
            self.magnet.action.load_state_dict(policy.action_net.state_dict())
        learning_rate, entropy = config.learning_rates.at(left), config.entropies.at(left)
        rollout_weights = self.config.rollout_targets.rollout_weights
        rollout_weight = rollout_weights.at(left) if self.rollout_targets else 0.0
        optimizer = self.policy.optimizer
        for group in optimizer.param_groups:
            group["lr"] = learning_rate
        metrics = {"learning_rate": learning_rate}
        learned = torch.from_numpy(self.rollout.learned).flatten().nonzero().squeeze(1)
        fewest = min(self.peers.share(len(learned)))
        minibatches = min(config.minibatches, fewest // 2)  # advantages are normalized within each
        if not minibatches:
            return metrics
        logged = []
        for _ in range(config.epochs):
            shuffled = learned[torch.randperm(len(learned))].to(self.device)
            parts = shuffled.tensor_split(minibatches)
            for which, whole in zip(parts, self._minibatches(parts), strict=True):
                loss, terms = self._loss(*self.rollout.batch(which), entropy, rollout_weight, whole)
                optimizer.zero_grad()
                loss.backward()
                self.peers.add_gradients(self.policy.parameters())
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_gradient_norm)
                optimizer.step()
                logged.append(torch.stack(list(terms.values())).detach())
        means = self.peers.add(torch.stack(logged).mean(dim=0))
        metrics |= dict(zip(terms, means.tolist(), strict=True))
        _, *own = self.rollout.batch(learned.to(self.device))
        advantages, returns = map(torch.cat, zip(*self.peers.share(own), strict=True))
        explained_variance = 1 - float(advantages.var() / returns.var())
        weights = {"entropy_weight": entropy, "rollout_weight": rollout_weight}
        return metrics | weights | {"explained_variance": explained_variance}

    def _minibatches(self, parts: Sequence[torch.Tensor]) -> Iterator[Minibatch]:
        """The minibatches of all workers, by the parts of this one, each int64[n]."""
        advantages, targets = self.rollout.advantages.flatten(), self.rollout.has_targets
        own = [(advantages[part], targets[part].sum()) for part in parts]
        for part, of_all in zip(parts, zip(*self.peers.share(own), strict=True), strict=True):
            whole = torch.cat([each for each, _ in of_all])
            given = torch.stack([number for _, number in of_all]).sum()
            yield Minibatch(whole, given, len(part) / len(whole))

    def _loss(
        self,
        decisions: Decisions,
        advantages: torch.Tensor,
        returns: torch.Tensor,
        entropy_weight: float,
        rollout_weight: float,
        whole: Minibatch,
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The loss of PPO (Schulman et al., 2017), with a share w of all-action targets:

            L = (1 - w) · -E[min(r A, clip(r, 1 ± ε) A)] + w · -E[Σ_a π'(a) (Q(a) - V) log π(a)]
                + c_v E[(V - R)²] - c_e E[-Σ_a π(a) log π(a)] + c_m E[KL(π || ρ)]

        r is the ratio of the action's probability now and in play, A are the advantages, normalized within
        the minibatch. Q are the rollout targets, π' the weights of `weighted_advantages`, and ρ the magnet.
        While imitating, the policy loss is -E[log π(a)], without entropy and magnet.

        E are means over the minibatch of all workers, `whole`; its loss is the sum of what they return.

        Returns:
            The loss, and what the metrics hold, each a scalar.
        """
        clip = self.config.ppo.clip
        with in_precision(self.device, self.precision):
            logits, values = self.evaluate(decisions.observations, decisions.masks)
        all_log_probs = torch.log_softmax(logits, dim=1)
        log_probs = _values_of_actions(decisions.actions, all_log_probs)
        log_ratio = (log_probs - decisions.log_probs).clamp(max=MAX_LOG_RATIO)
        ratio = log_ratio.exp()
        if self.imitates:
            policy_loss = -log_probs.mean()
        else:
            deviation = whole.advantages.std() + 1e-8
            advantages = (advantages - whole.advantages.mean()) / deviation
            clipped = ratio.clamp(1 - clip, 1 + clip)
            policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
            if rollout_weight:
                probs = all_log_probs.detach().exp()
                floor = self.config.rollout_targets.rollout_floor
                targets = weighted_advantages(probs, decisions.masks, decisions.action_values, floor)
                given = whole.given.clamp(min=1) * whole.share
                rollout_loss = -(targets / deviation * all_log_probs).sum() / given
                policy_loss = (1 - rollout_weight) * policy_loss + rollout_weight * rollout_loss
        value_loss = functional.mse_loss(values, returns)
        negative_entropy = (all_log_probs.exp() * all_log_probs).sum(dim=1).mean()
        entropy_loss = 0 if self.imitates else entropy_weight * negative_entropy
        loss = policy_loss + entropy_loss + self.value_weight * value_loss
        terms = {"policy_loss": policy_loss, "value_loss": value_loss, "negative_entropy": negative_entropy}
        if self.magnet:
            terms["magnet_kl"] = self._magnet_kl(self.magnet, decisions, all_log_probs)
            if not self.imitates:
                loss = loss + self.config.ppo.magnet * terms["magnet_kl"]
        with torch.no_grad():
            kl = (ratio - 1 - log_ratio).mean()
            clip_fraction = ((ratio - 1).abs() > clip).float().mean()
        terms |= {"kl": kl, "clip_fraction": clip_fraction}
        return loss * whole.share, {name: term * whole.share for name, term in terms.items()}

    def _magnet_kl(
        self, magnet: PolicyNetwork, decisions: Decisions, log_probs: torch.Tensor
    ) -> torch.Tensor:
        """The mean divergence of the policy from the magnet, KL(π || ρ)."""
        with torch.no_grad(), in_precision(self.device, self.precision):
            logits = magnet(decisions.observations).float().masked_fill(~decisions.masks, ILLEGAL)
        return (log_probs.exp() * (log_probs - torch.log_softmax(logits, dim=1))).sum(dim=1).mean()

    def evaluate(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Run the network.

        Args:
            observations: float32[n, features]
            masks: legal actions, bool[n, actions]

        Returns:
            Logits of all actions, float32[n, actions], and values, float32[n].
        """
        features = self.policy.features_extractor(observations)
        logits = self.policy.action_net(features).float().masked_fill(~masks, ILLEGAL)
        return logits, self.policy.value_net(features).float().squeeze(1)

    @property
    def _dtype(self) -> torch.dtype:
        return getattr(torch, self.precision)

    def _tensors(self, turns: OwnTurns) -> tuple[torch.Tensor, torch.Tensor]:
        observations = torch.from_numpy(turns.observations).to(self.device, self._dtype)
        return observations, torch.from_numpy(turns.masks).to(self.device).bool()

    def to_maskable_ppo(self, env: SelfPlayEnv) -> MaskablePPO:
        """A MaskablePPO with these weights and settings, to predict or to continue training in `env`.

        Its rates are those of the first update. Adam's moments begin at zero. Targets and imitation have no
        counterpart.
        """
        config = self.config.ppo
        model = MaskablePPO(
            "MlpPolicy",
            env,
            n_steps=config.steps,
            batch_size=config.steps * env.num_envs // config.minibatches,
            n_epochs=config.epochs,
            learning_rate=config.learning_rate,
            ent_coef=config.entropy,
            clip_range=config.clip,
            gamma=1.0,
            gae_lambda=config.gae_lambda,
            vf_coef=self.value_weight,
            max_grad_norm=self.max_gradient_norm,
            seed=self.config.execution.seed,
            device=self.device,
            policy_kwargs=self.policy_settings,
        )
        model.policy.load_state_dict(self.policy.state_dict())
        return model


def seed_all(seed: int) -> None:
    """Seed the random numbers of this process: Python's, NumPy's and torch's."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def _play_and_update(learner: Any, left: float) -> dict[str, float]:
    return learner.ppo.play_and_update(left)


def _values_of_actions(actions: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The value of each row's action, from values [n, actions]."""
    return values.gather(1, actions[:, None]).squeeze(1)
