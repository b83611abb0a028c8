"""The pool of opponents: their shares of the lanes and their chance; and rewards as they are learned from."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stichwerk.agents.core.agent import Agent
from stichwerk.envs.core.random import Use
from stichwerk.support.check import is_number
from stichwerk.support.errors import InputError, quoted

ROUNDING = 1e-6


def are_shares(values: Iterable[Any], together: tuple[float, float] = (1, 1)) -> bool:
    """True if these are numbers above 0 whose sum is 1, or lies between two bounds."""
    shares, (least, most) = list(values), together
    each = all(is_number(share, 1) and share > 0 for share in shares)
    return each and least - ROUNDING <= sum(shares) <= most + ROUNDING


def opponents_by_lane(opponents: Sequence[tuple[Agent, float]], num_lanes: int) -> np.ndarray:
    """Divide the lanes among the opponents by their shares.

    Args:
        opponents: each agent with its share of the lanes, together at most 1
        num_lanes: the number of lanes

    Returns:
        int64[lanes], each lane's index into the opponents; their number where the shares leave a lane over.

    Raises:
        InputError: the shares are no such numbers.
    """
    if not are_shares((share for _, share in opponents), together=(0, 1)):
        given = ", ".join(f"{quoted(share)} of {agent.name}" for agent, share in opponents)
        raise InputError(f"shares: got {given}; expected numbers above 0 that add up to 1")
    limits = np.cumsum([share for _, share in opponents]) * num_lanes
    return np.searchsorted(np.round(limits), np.arange(num_lanes), side="right")


def seed_agents(agents: Iterable[Agent], seed: int) -> None:
    """Seed the chance of the agents of an environment for the deals of this seed."""
    for number, agent in enumerate(agents):
        agent.seed_for(seed, Use.OPPONENTS, number)


def place_of(worker: int) -> tuple[int, ...]:
    """The place of a worker of a training among streams of random numbers. The first has those of a training
    without others."""
    return (worker,) if worker else ()


def scaled(rewards: np.ndarray, scale: float, limit: float) -> np.ndarray:
    """Rewards times a scale, and unless the limit is 0 bounded smoothly: limit · tanh(reward / limit)."""
    rewards = rewards * scale
    return limit * np.tanh(rewards / limit) if limit else rewards
