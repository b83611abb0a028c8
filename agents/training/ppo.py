"""The algorithm: sb3-contrib's MaskablePPO with a loop of its own.

Without imitation and rollout targets the losses are those of MaskablePPO, with two exceptions: the ratio of
an action has no gradient above ten, and some decisions are left out (those with one legal action, and a
seat's last one in a rollout if its return is not known yet). The computation differs. Observations stay in
one tensor from the environment to the last pass, features are computed once for policy and value, Adam is
fused, and where the processor multiplies bfloat16 in hardware the layers do too, while weights, losses and
Adam keep 32 bits. A saved model loads as a MaskablePPO.

All chance is drawn on the CPU, whatever the device: it changes how sums are rounded, and nothing else.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from torch.nn import functional

from stichwerk.agents.base import Agent, Turns
from stichwerk.agents.envs.learning import LearningLanes, OwnTurns
from stichwerk.agents.envs.rollout_targets import RolloutTargets, weighted_advantages
from stichwerk.agents.networks.network import precision_here
from stichwerk.envs.engine.lanes import check_memory
from stichwerk.envs.jit.compiled import compiled

# Of illegal actions: far below any other, and yet with an exponential that is a normal number. Processors
# take ten times as long for others.
ILLEGAL = -60.0

# The most by which the logarithm of a probability may rise in an update (the ratio is then 10): beyond it
# the surrogate has no gradient. Nothing else clips an action that has become likelier and turned out badly;
# one of which that happens by some 1e20 takes the network with it.
MOST_CHANGE = 2.3


class Rollout:
    """The moves between two updates, by step and lane; what stable-baselines3 calls a rollout buffer.

    On the learner's device, of the moves that are the learner's:
    observations: [steps, lanes, features]; masks: bool[steps, lanes, actions]; actions: int64[steps, lanes]
    log_probs, values, advantages, returns: float32[steps, lanes]
    action_values: float32[steps, lanes, actions], the rollout targets, if there are any
    On the CPU:
    learned: bool[steps, lanes], the move is the learner's, and what came of it is known

    Raises InputError for more moves than this machine has memory for: torch would end in an error of its own.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        device: Any = "cpu",
        gae_lambda: float = 1.0,
        gamma: float = 1.0,
        n_envs: int = 1,
        seats: int = 1,
        dtype: torch.dtype = torch.float32,
        with_targets: bool = False,
    ):
        shape = buffer_size, n_envs
        features, actions = math.prod(observation_space.shape), int(action_space.n)
        targets = actions if with_targets else 0
        # Of a decision: features, mask, targets; action, four values, seat, two flags; rewards.
        each = features * dtype.itemsize + actions + 4 * targets + 34 + 4 * seats
        check_memory("lanes x steps", n_envs * buffer_size, each)
        self.device = device
        self.observations = torch.zeros(*shape, *observation_space.shape, dtype=dtype, device=device)
        self.masks = torch.zeros(*shape, actions, dtype=torch.bool, device=device)
        self.actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probs, self.values, self.advantages, self.returns = (
            torch.zeros(shape, device=device) for _ in range(4)
        )
        self.action_values = torch.zeros(*shape, targets, device=device)
        self.learned = np.zeros(shape, bool)
        self._seats = np.zeros(shape, np.int64)
        self._rewards = np.zeros((*shape, seats), np.float32)
        self._ended = np.zeros(shape, bool)
        self._discounts = gamma, gamma * gae_lambda

    def reset(self) -> None:
        self.learned[:] = False

    def add_moves(self, step: int, lanes: np.ndarray, *columns: torch.Tensor) -> None:
        """The learner's moves of a step: observations, masks, actions, their log probabilities, values,
        rollout targets."""
        own = [self.observations, self.masks, self.actions, self.log_probs, self.values]
        which = torch.from_numpy(lanes).to(self.device)
        for tensor, column in zip([*own, self.action_values], columns, strict=True):
            tensor[step, which] = column
        self.learned[step, lanes] = True

    def add_results(self, step: int, seats: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        """What a step brought: who moved, int64[lanes], the rewards, float32[lanes, seats], and which
        episodes it ended, bool[lanes]."""
        self._seats[step], self._rewards[step], self._ended[step] = seats, rewards, ended

    def estimate(self, lanes: np.ndarray, seats: np.ndarray, values: np.ndarray) -> None:
        """Write advantages, by generalized advantage estimation, and returns.

        A seat's rewards count from one of its own moves to the next one. What follows its last move here is
        known if the episode ended, and by the value of the next move where that is due (`lanes`, their
        `seats`, `values`); a last move of which neither can be said is not learned from.
        """
        following = np.full((len(self._ended[0]), self._rewards.shape[2]), np.nan, np.float32)
        following[lanes, seats] = values
        advantages = np.zeros_like(self._ended, np.float32)
        _estimate(
            self.learned,
            self._seats,
            self._rewards,
            self._ended,
            self.values.cpu().numpy(),
            following,
            *self._discounts,
            advantages,
        )
        self.advantages.copy_(torch.from_numpy(advantages))
        torch.add(self.advantages, self.values, out=self.returns)


@compiled
def _estimate(learned, seats, rewards, ended, values, following, discount, decay, advantages):
    """`following`, float32[lanes, seats]: the value of each seat's next move, or NaN."""
    steps, lanes = learned.shape
    for lane in range(lanes):
        value = following[lane]
        reward, advantage = np.zeros_like(value), np.zeros_like(value)
        for step in range(steps - 1, -1, -1):
            if ended[step, lane]:
                value[:], reward[:], advantage[:] = 0, 0, 0
            reward += rewards[step, lane]
            if learned[step, lane]:
                seat = seats[step, lane]
                own = values[step, lane]
                if np.isnan(value[seat]):
                    learned[step, lane] = False
                else:
                    error = reward[seat] + discount * value[seat] - own
                    advantage[seat] = error + decay * advantage[seat]
                    advantages[step, lane] = advantage[seat]
                value[seat], reward[seat] = own, 0


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO in LearningLanes. A rollout has `n_steps` moves of every lane, which are its decisions.

    Schedules are given the share of the updates that is left of all that `learn` was asked for: one in the
    first, and by the same amount less each time, but above zero in the last, which may end beyond the end.

    entropy: its weight, a schedule as `learning_rate` is
    precision: of the layers' products, "float32", "bfloat16" or "auto"
    minibatches: parts into which a rollout's moves are cut
    imitation_agent: plays the learner's seats in the first `imitation_decisions` decisions; the policy learns
        its actions
    rollout_targets: values of every action in the learner's own decisions
    rollout_weight: their weight in the policy loss, up to 1; the surrogate has the rest; a schedule
    rollout_floor: the share of the uniform distribution in their weights
    """

    rollout_buffer: Any
    env: LearningLanes

    def __init__(
        self,
        policy: str,
        env: LearningLanes,
        entropy: Callable[[float], float] = lambda left: 0.08,
        precision: str = "auto",
        minibatches: int = 8,
        device: torch.device | str = "cpu",
        imitation_agent: Agent | None = None,
        imitation_decisions: int = 0,
        rollout_targets: RolloutTargets | None = None,
        rollout_weight: Callable[[float], float] = lambda left: 0.5,
        rollout_floor: float = 0.3,
        **settings: Any,
    ):
        self.imitation_agent = imitation_agent
        self.imitation_decisions = imitation_decisions if imitation_agent else 0
        self._imitates = False  # whether the present rollout is the imitation agent's
        self.rollout_targets = rollout_targets
        self.rollout_weight, self.rollout_floor = rollout_weight, rollout_floor
        self.precision = precision_here(precision, device)
        self.entropy = entropy
        self.minibatches = minibatches
        kinds = {
            "seats": env.lanes.game.seats,
            "dtype": getattr(torch, self.precision),
            "with_targets": rollout_targets is not None,
        }
        settings |= {"rollout_buffer_class": Rollout, "rollout_buffer_kwargs": kinds}
        super().__init__(policy, env, device=device, **settings)

    def _excluded_save_params(self) -> list[str]:
        """A saved model is a MaskablePPO, which has neither of these, and a rollout buffer of its own."""
        own = "imitation_agent", "rollout_targets", "rollout_buffer_class", "rollout_buffer_kwargs"
        return [*super()._excluded_save_params(), *own]

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        """Before each update, when its decisions are counted already."""
        batch = self.n_envs * self.n_steps
        done = num_timesteps / batch - 1
        self._current_progress_remaining = 1 - done / math.ceil(total_timesteps / batch)

    def collect_rollouts(self, env, callback, rollout_buffer, n_rollout_steps, use_masking=True) -> bool:
        rollout: Rollout = rollout_buffer
        rollout.reset()
        self._imitates = self.num_timesteps < self.imitation_decisions
        callback.on_rollout_start()
        with torch.inference_mode(), self._arithmetic():
            for step in range(n_rollout_steps):
                turns = env.own_turns()
                observations, masks = self._tensors(turns)
                logits, values = self._evaluate(observations, masks)
                if self._imitates:
                    actions = self._imitated_actions(turns)
                else:  # the largest of logits with Gumbel noise is a draw from their softmax
                    noise = torch.empty(logits.shape).exponential_().add_(1e-30).log_().to(self.device)
                    actions = (logits - noise).masked_fill_(~masks, -torch.inf).argmax(dim=1)
                chosen = _of(actions, torch.log_softmax(logits, dim=1))
                moves = observations, masks, actions, chosen, values, self._action_values(turns)
                rollout.add_moves(step, turns.lanes, *moves)
                seats = env.lanes.seats.copy()
                rollout.add_results(step, seats, *env.move(turns, actions.cpu().numpy()))
                self.num_timesteps += env.num_envs
                callback.update_locals(locals())
                if not callback.on_step():
                    return False
            turns = env.own_turns()
            _, values = self._evaluate(*self._tensors(turns))
        rollout.estimate(turns.lanes, env.lanes.seats[turns.lanes], values.cpu().numpy())
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _imitated_actions(self, turns: OwnTurns) -> torch.Tensor:
        """The imitation agent's actions in the learner's turns, by canonical ids."""
        assert self.imitation_agent is not None
        if not len(turns.lanes):
            return torch.empty(0, dtype=torch.int64, device=self.device)
        actions = self.imitation_agent.act(Turns.of(self.env.lanes, turns.lanes))
        return torch.from_numpy(self.env.symmetry.canonical_actions(actions, turns.orders)).to(self.device)

    def _action_values(self, turns: OwnTurns) -> torch.Tensor:
        """The rollout targets, float32[n, actions], or [n, 0] without any; imitation needs none."""
        if self.rollout_targets is None or self._imitates:
            none = self.rollout_buffer.action_values
            return none.new_zeros(len(turns.lanes), none.shape[2])
        return torch.from_numpy(self.env.action_values(turns, self.rollout_targets)).to(self.device)

    def _tensors(self, turns: OwnTurns) -> tuple[torch.Tensor, torch.Tensor]:
        observations = torch.from_numpy(turns.observations).to(self.device, getattr(torch, self.precision))
        return observations, torch.from_numpy(turns.masks).to(self.device).bool()

    def train(self) -> None:
        """Minimize the loss of PPO (Schulman et al., 2017) over the rollout, in minibatches:

        L = (1 - w) · -E[min(r A, clip(r, 1 ± ε) A)] + w · -E[Σ_a π'(a) (Q(a) - V) log π(a)]
            + c_v E[(V - R)²] + c_e E[Σ_a π(a) log π(a)]

        r: ratio of the action's probability now and in play; A: advantage, by GAE (Schulman et al., 2016),
        normalized within the minibatch; Q: rollout targets, w their weight, π' the weights of
        `weighted_advantages`. While imitating, the policy loss is -E[log π(a)], without entropy.
        """
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        self.ent_coef = self.entropy(self._current_progress_remaining)
        left = self._current_progress_remaining
        weight = self.rollout_weight(left) if self.rollout_targets else 0.0
        rollout = self.rollout_buffer
        learned = torch.from_numpy(rollout.learned).flatten().nonzero().squeeze(1)
        parts = min(self.minibatches, len(learned) // 2)  # advantages are compared within a part
        if not parts:
            return
        columns = [
            tensor.flatten(0, 1)
            for tensor in (
                rollout.observations,
                rollout.masks,
                rollout.actions,
                rollout.log_probs,
                rollout.advantages,
                rollout.returns,
                rollout.action_values,
            )
        ]
        parameters = list(self.policy.parameters())
        logged = []
        for _ in range(self.n_epochs):
            order = learned[torch.randperm(len(learned))].to(self.device)
            for which in order.tensor_split(parts):
                observations, masks, actions, old_log_prob, advantages, returns, action_values = (
                    column[which] for column in columns
                )
                with self._arithmetic():
                    logits, values = self._evaluate(observations, masks)
                log_probs = torch.log_softmax(logits, dim=1)
                log_prob = _of(actions, log_probs)
                log_ratio = (log_prob - old_log_prob).clamp(max=MOST_CHANGE)
                ratio = log_ratio.exp()
                if self._imitates:
                    policy_loss = -log_prob.mean()
                else:
                    spread = advantages.std() + 1e-8
                    advantages = (advantages - advantages.mean()) / spread
                    surrogate = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip))
                    policy_loss = -surrogate.mean()
                    if weight:
                        probs = log_probs.detach().exp()
                        targets = weighted_advantages(probs, masks, action_values, self.rollout_floor)
                        rollout_loss = -(targets / spread * log_probs).sum(dim=1).mean()
                        policy_loss = (1 - weight) * policy_loss + weight * rollout_loss
                value_loss = functional.mse_loss(values, returns)
                negative_entropy = (log_probs.exp() * log_probs).sum(dim=1).mean()
                entropy_loss = 0 if self._imitates else self.ent_coef * negative_entropy
                loss = policy_loss + entropy_loss + self.vf_coef * value_loss
                self.policy.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                self.policy.optimizer.step()
                with torch.no_grad():
                    kl = (ratio - 1 - log_ratio).mean()
                    clipped = ((ratio - 1).abs() > clip).float().mean()
                logged.append(torch.stack([policy_loss, value_loss, negative_entropy, kl, clipped]).detach())
        self._n_updates += self.n_epochs
        means = torch.stack(logged).mean(dim=0).tolist()
        names = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")
        for name, mean in zip(names, means, strict=True):
            self.logger.record(f"train/{name}", mean)
        self.logger.record("train/entropy_weight", self.ent_coef)
        self.logger.record("train/rollout_weight", weight)
        which = learned.to(self.device)
        advantages, returns = (part.flatten()[which] for part in (rollout.advantages, rollout.returns))
        explained = 1 - float(advantages.var() / returns.var())
        self.logger.record("train/explained_variance", explained)

    def _arithmetic(self):
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    def _evaluate(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of all actions, float32[n, actions], and values, float32[n]."""
        policy: Any = self.policy
        features = policy.features_extractor(observations)
        logits = policy.action_net(features).float().masked_fill(~masks, ILLEGAL)
        return logits, policy.value_net(features).float().squeeze(1)


def _of(actions: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The value of each row's action, from values [n, actions]."""
    return values.gather(1, actions[:, None]).squeeze(1)
