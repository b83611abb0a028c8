"""The data that PPO learns from: the decisions between two updates, and their advantages."""

from typing import NamedTuple

import numpy as np
import torch

from stichwerk.envs.engine.lanes import check_memory
from stichwerk.envs.jit.compiled import compiled


class Decisions(NamedTuple):
    """The learner's decisions of one step, by rows, on its device.

    Attributes:
        observations: [n, features]
        masks: bool[n, actions], the legal actions
        actions: int64[n]
        log_probs: float32[n], of these actions when they were chosen
        values: float32[n], the value network's estimates
        action_values: float32[n, actions], the rollout targets, or [n, 0] without any
    """

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    action_values: torch.Tensor


class Rollout:
    """The decisions between two updates, by step and lane, and what followed them.

    Attributes:
        decisions: tensors as in `Decisions`, each [steps, lanes, …], on the learner's device
        advantages, returns: float32[steps, lanes], on the same device
        learned: bool[steps, lanes], on the CPU: the decision is the learner's, and its return is known
        seats: int64[steps, lanes], the seat that acted

    Raises:
        InputError: more decisions than this machine has memory for; torch would end in an error of its own.
    """

    def __init__(
        self,
        steps: int,
        lanes: int,
        *,
        seats: int,
        features: int,
        actions: int,
        with_targets: bool = False,
        gae_lambda: float = 1.0,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ):
        shape, targets = (steps, lanes), actions if with_targets else 0
        # Of a decision: features, mask, targets; action, four values, seat, two flags; rewards.
        each = features * dtype.itemsize + actions + 4 * targets + 34 + 4 * seats
        check_memory("lanes x steps", steps * lanes, each)

        def zeros(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(*shape, *sizes, dtype=dtype, device=device)

        self.decisions = Decisions(
            observations=zeros(features, dtype=dtype),
            masks=zeros(actions, dtype=torch.bool),
            actions=zeros(dtype=torch.int64),
            log_probs=zeros(),
            values=zeros(),
            action_values=zeros(targets),
        )
        self.advantages, self.returns = zeros(), zeros()
        self.learned = np.zeros(shape, bool)
        self.seats = np.zeros(shape, np.int64)
        self._rewards = np.zeros((*shape, seats), np.float32)
        self._ended = np.zeros(shape, bool)
        self._gae_lambda = gae_lambda

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.learned)

    @property
    def has_targets(self) -> torch.Tensor:
        """The decisions with rollout targets, bool[steps x lanes]."""
        return self.decisions.action_values.flatten(0, 1).any(dim=1)

    def clear(self) -> None:
        self.learned[:] = False

    def add_decisions(self, step: int, lanes: np.ndarray, decisions: Decisions) -> None:
        """Keep the learner's decisions of a step, those of these lanes, int64[n]."""
        which = torch.from_numpy(lanes).to(self.advantages.device)
        for kept, new in zip(self.decisions, decisions, strict=True):
            kept[step, which] = new
        self.learned[step, lanes] = True

    def add_results(self, step: int, seats: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        """Keep what followed a step.

        Args:
            step: its number
            seats: int64[lanes], the seat that acted
            rewards: float32[lanes, seats]
            ended: bool[lanes], whether the episode ended
        """
        self.seats[step], self._rewards[step], self._ended[step] = seats, rewards, ended

    def estimate_advantages(self, lanes: np.ndarray, seats: np.ndarray, values: np.ndarray) -> None:
        """Write advantages and returns, once all steps are there.

        The rewards of a seat count from one of its decisions to its next one. After its last one here the
        return is known if the episode ended, or if the seat's next decision is due now. Any other last
        decision is left out of `learned`.

        Args:
            lanes: int64[n], where a decision of the learner is due
            seats: int64[n], the seat to act there
            values: float32[n], the value network's estimates there
        """
        next_values = np.full((len(self._ended[0]), self._rewards.shape[2]), np.nan, np.float32)
        next_values[lanes, seats] = values
        advantages = np.zeros(self._ended.shape, np.float32)
        estimate_advantages(
            self.learned,
            self.seats,
            self._rewards,
            self._ended,
            self.decisions.values.cpu().numpy(),
            next_values,
            self._gae_lambda,
            advantages,
        )
        self.advantages.copy_(torch.from_numpy(advantages))
        torch.add(self.advantages, self.decisions.values, out=self.returns)

    def batch(self, which: torch.Tensor) -> tuple[Decisions, torch.Tensor, torch.Tensor]:
        """These decisions, int64[n] in the flat order of steps and lanes; their advantages and returns."""
        decisions = Decisions(*(tensor.flatten(0, 1)[which] for tensor in self.decisions))
        return decisions, self.advantages.flatten()[which], self.returns.flatten()[which]


@compiled
def estimate_advantages(learned, seats, rewards, ended, values, next_values, gae_lambda, advantages):
    """Generalized advantage estimation (Schulman et al., 2016) for each seat by itself, undiscounted:

        A(t) = r(t) + V(t+1) - V(t) + λ A(t+1)

    t: the decisions of one seat; r(t): its rewards between decision t and t + 1; V after an episode: 0.

    Args:
        learned: bool[steps, lanes], the learner's decisions; cleared where the return is not known
        seats: int64[steps, lanes]
        rewards: float32[steps, lanes, seats]
        ended: bool[steps, lanes]
        values: float32[steps, lanes]
        next_values: float32[lanes, seats], at the decision due after the rollout, or NaN; overwritten
        gae_lambda: λ
        advantages: float32[steps, lanes], written where `learned`
    """
    steps, lanes = learned.shape
    for lane in range(lanes):
        value = next_values[lane]
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
                    error = np.float64(reward[seat]) + value[seat] - own
                    advantage[seat] = error + gae_lambda * advantage[seat]
                    advantages[step, lane] = advantage[seat]
                value[seat], reward[seat] = own, 0
