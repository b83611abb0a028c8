"""The algorithm: sb3-contrib's MaskablePPO with a loop of its own.

Without a teacher or an adviser what is computed is the same, but for moves that have become more than ten
times as likely in an update, and for those that are left out: lone legal actions teach nothing, and of a
seat's last move in a rollout it may not be known yet what came of it. How it is computed differs.
Observations stay in one tensor from the environment to the last pass, features are computed once for policy
and value, Adam is fused, and where the processor multiplies bfloat16 in hardware the layers do too, while
weights, losses and Adam keep 32 bits. A saved model loads as a MaskablePPO.

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
from stichwerk.agents.envs.rollout_targets import Adviser, pushes_of
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
    log_probabilities, values, advantages, returns: float32[steps, lanes]
    outcomes: float32[steps, lanes, actions], what an adviser says, if there is one
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
        advised: bool = False,
    ):
        shape = buffer_size, n_envs
        features, actions = math.prod(observation_space.shape), int(action_space.n)
        outcomes = actions if advised else 0
        # Of a move: features, mask, outcomes; action, four values, seat, two flags; rewards.
        each = features * dtype.itemsize + actions + 4 * outcomes + 34 + 4 * seats
        check_memory("lanes x steps", n_envs * buffer_size, each)
        self.device = device
        self.observations = torch.zeros(*shape, *observation_space.shape, dtype=dtype, device=device)
        self.masks = torch.zeros(*shape, actions, dtype=torch.bool, device=device)
        self.actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probabilities, self.values, self.advantages, self.returns = (
            torch.zeros(shape, device=device) for _ in range(4)
        )
        self.outcomes = torch.zeros(*shape, outcomes, device=device)
        self.learned = np.zeros(shape, bool)
        self._seats = np.zeros(shape, np.int64)
        self._rewards = np.zeros((*shape, seats), np.float32)
        self._ended = np.zeros(shape, bool)
        self._discounts = gamma, gamma * gae_lambda

    def reset(self) -> None:
        self.learned[:] = False

    def add_moves(self, step: int, lanes: np.ndarray, *columns: torch.Tensor) -> None:
        """The learner's moves of a step: observations, masks, actions, their log probabilities, values,
        outcomes."""
        own = [self.observations, self.masks, self.actions, self.log_probabilities, self.values]
        which = torch.from_numpy(lanes).to(self.device)
        for tensor, column in zip([*own, self.outcomes], columns, strict=True):
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
    teacher: plays the learner's seats in the first `taught` decisions, from which its moves are learned
    adviser: says of each of the learner's own decisions what every action would bring
    advice: its weight, up to 1, beside what came of the learner's own moves, which has the rest; a schedule
    advice_floor: the share of an even weight that an action has in the advice however unlikely it is
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
        teacher: Agent | None = None,
        taught: int = 0,
        adviser: Adviser | None = None,
        advice: Callable[[float], float] = lambda left: 0.5,
        advice_floor: float = 0.3,
        **settings: Any,
    ):
        self.teacher, self.taught = teacher, taught if teacher else 0
        self._is_lesson = False  # whether the present rollout is the teacher's
        self.adviser, self.advice, self.advice_floor = adviser, advice, advice_floor
        self.precision = precision_here(precision, device)
        self.entropy = entropy
        self.minibatches = minibatches
        kinds = {
            "seats": env.lanes.game.seats,
            "dtype": getattr(torch, self.precision),
            "advised": adviser is not None,
        }
        settings |= {"rollout_buffer_class": Rollout, "rollout_buffer_kwargs": kinds}
        super().__init__(policy, env, device=device, **settings)

    def _excluded_save_params(self) -> list[str]:
        """A saved model is a MaskablePPO, which has no teacher and no adviser, and a rollout of its own."""
        own = "teacher", "adviser", "rollout_buffer_class", "rollout_buffer_kwargs"
        return [*super()._excluded_save_params(), *own]

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        """Before each update, when its decisions are counted already."""
        batch = self.n_envs * self.n_steps
        done = num_timesteps / batch - 1
        self._current_progress_remaining = 1 - done / math.ceil(total_timesteps / batch)

    def collect_rollouts(self, env, callback, rollout_buffer, n_rollout_steps, use_masking=True) -> bool:
        rollout: Rollout = rollout_buffer
        rollout.reset()
        self._is_lesson = self.num_timesteps < self.taught
        callback.on_rollout_start()
        with torch.inference_mode(), self._arithmetic():
            for step in range(n_rollout_steps):
                turns = env.own_turns()
                observations, masks = self._tensors(turns)
                logits, values = self._judge(observations, masks)
                if self._is_lesson:
                    actions = self._teachers_actions(turns)
                else:  # the largest of logits with Gumbel noise is a draw from their softmax
                    noise = torch.empty(logits.shape).exponential_().add_(1e-30).log_().to(self.device)
                    actions = (logits - noise).masked_fill_(~masks, -torch.inf).argmax(dim=1)
                chosen = _of(actions, torch.log_softmax(logits, dim=1))
                moves = observations, masks, actions, chosen, values, self._outcomes(turns)
                rollout.add_moves(step, turns.lanes, *moves)
                seats = env.lanes.seats.copy()
                rollout.add_results(step, seats, *env.move(turns, actions.cpu().numpy()))
                self.num_timesteps += env.num_envs
                callback.update_locals(locals())
                if not callback.on_step():
                    return False
            turns = env.own_turns()
            _, values = self._judge(*self._tensors(turns))
        rollout.estimate(turns.lanes, env.lanes.seats[turns.lanes], values.cpu().numpy())
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _teachers_actions(self, turns: OwnTurns) -> torch.Tensor:
        """What the teacher does in the learner's turns, by canonical ids."""
        assert self.teacher is not None
        if not len(turns.lanes):
            return torch.empty(0, dtype=torch.int64, device=self.device)
        actions = self.teacher.act(Turns.of(self.env.lanes, turns.lanes))
        return torch.from_numpy(self.env.symmetry.canonical_actions(actions, turns.orders)).to(self.device)

    def _outcomes(self, turns: OwnTurns) -> torch.Tensor:
        """What the adviser says of each action, float32[n, actions], or [n, 0] without one; a teacher's
        lessons need none."""
        if self.adviser is None or self._is_lesson:
            none = self.rollout_buffer.outcomes
            return none.new_zeros(len(turns.lanes), none.shape[2])
        return torch.from_numpy(self.env.outcomes(turns, self.adviser)).to(self.device)

    def _tensors(self, turns: OwnTurns) -> tuple[torch.Tensor, torch.Tensor]:
        observations = torch.from_numpy(turns.observations).to(self.device, getattr(torch, self.precision))
        return observations, torch.from_numpy(turns.masks).to(self.device).bool()

    def train(self) -> None:
        """Learn from the rollout: the clipped surrogate, the value and the entropy, as in MaskablePPO but for
        MOST_CHANGE. With an adviser a part of the first gives way to his pushes, in the unit of the
        advantages and not clipped; with a teacher all of it to how unlikely his moves are, and there is no
        entropy."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        self.ent_coef = self.entropy(self._current_progress_remaining)
        weight = self.advice(self._current_progress_remaining) if self.adviser else 0.0
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
                rollout.log_probabilities,
                rollout.advantages,
                rollout.returns,
                rollout.outcomes,
            )
        ]
        parameters = list(self.policy.parameters())
        logged = []
        for _ in range(self.n_epochs):
            order = learned[torch.randperm(len(learned))].to(self.device)
            for which in order.tensor_split(parts):
                observations, masks, actions, before, advantages, returns, outcomes = (
                    column[which] for column in columns
                )
                with self._arithmetic():
                    logits, values = self._judge(observations, masks)
                every = torch.log_softmax(logits, dim=1)
                change = (_of(actions, every) - before).clamp(max=MOST_CHANGE)
                ratio = change.exp()
                if self._is_lesson:
                    policy_loss = -_of(actions, every).mean()
                else:
                    spread = advantages.std() + 1e-8
                    advantages = (advantages - advantages.mean()) / spread
                    gains = torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip))
                    policy_loss = -gains.mean()
                    if weight:
                        likely = every.detach().exp()
                        pushes = pushes_of(likely, masks, outcomes, self.advice_floor) / spread
                        advice_loss = -(pushes * every).sum(dim=1).mean()
                        policy_loss = (1 - weight) * policy_loss + weight * advice_loss
                value_loss = functional.mse_loss(values, returns)
                negative_entropy = (every.exp() * every).sum(dim=1).mean()
                entropy_loss = 0 if self._is_lesson else self.ent_coef * negative_entropy
                loss = policy_loss + entropy_loss + self.vf_coef * value_loss
                self.policy.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                self.policy.optimizer.step()
                with torch.no_grad():
                    kl = (ratio - 1 - change).mean()
                    clipped = ((ratio - 1).abs() > clip).float().mean()
                logged.append(torch.stack([policy_loss, value_loss, negative_entropy, kl, clipped]).detach())
        self._n_updates += self.n_epochs
        means = torch.stack(logged).mean(dim=0).tolist()
        names = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")
        for name, mean in zip(names, means, strict=True):
            self.logger.record(f"train/{name}", mean)
        self.logger.record("train/entropy_weight", self.ent_coef)
        self.logger.record("train/advice_weight", weight)
        which = learned.to(self.device)
        advantages, returns = (part.flatten()[which] for part in (rollout.advantages, rollout.returns))
        explained = 1 - float(advantages.var() / returns.var())
        self.logger.record("train/explained_variance", explained)

    def _arithmetic(self):
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    def _judge(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of all actions, float32[n, actions], and values, float32[n]."""
        policy: Any = self.policy
        features = policy.features_extractor(observations)
        logits = policy.action_net(features).float().masked_fill(~masks, ILLEGAL)
        return logits, policy.value_net(features).float().squeeze(1)


def _of(actions: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """The number of each row's action, from numbers [n, actions]."""
    return numbers.gather(1, actions[:, None]).squeeze(1)
