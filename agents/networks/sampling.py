"""Choosing actions by scores; without torch, which not every player with scores needs."""

import numpy as np

from stichwerk.agents.core.agent import AgentError
from stichwerk.support.chance import TurnChance


def pick(
    logits: np.ndarray, mask: np.ndarray, random: np.random.Generator | TurnChance | None, name: str
) -> np.ndarray:
    """Legal actions int64[n], from logits float32 or float64[n, actions]: drawn by their probabilities, or
    without `random` the likeliest.

    Raises AgentError, with the agent's name, where a legal action's logit is NaN or all of a turn's are -inf.
    """
    logits = np.where(mask, logits, -np.inf)
    if random is not None:  # the largest of logits with Gumbel noise is a draw from their softmax
        noise = random.standard_exponential(logits.shape, logits.dtype)  # type: ignore[call-overload]
        logits -= np.log(noise + logits.dtype.type(1e-30))
    actions = logits.argmax(axis=1)
    check_scores(logits[np.arange(len(logits)), actions], name)  # of a row with NaN the largest is NaN
    return actions


def check_scores(largest: np.ndarray, name: str) -> None:
    """AgentError, with the agent's name, unless each turn's largest score of a legal action, [n], is above
    -inf, which NaN is not."""
    wrong = ~(largest > -np.inf)
    if wrong.any():
        given = "NaN" if np.isnan(largest).any() else "-inf for all legal actions"
        allowed = "numbers, of which a legal action has one above -inf"
        raise AgentError(
            f"agent {name}: got scores with {given} in {wrong.sum()} of {len(wrong)} turns; "
            f"expected {allowed}"
        )
