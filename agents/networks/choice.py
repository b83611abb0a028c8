"""How an action is chosen by scores; without torch, which not every player with scores needs."""

import numpy as np


def pick(logits: np.ndarray, mask: np.ndarray, random: np.random.Generator | None) -> np.ndarray:
    """Legal actions int64[n], from logits float32 or float64[n, actions]: drawn by their probabilities, or
    without `random` the likeliest."""
    logits = np.where(mask, logits, -np.inf)
    if random is not None:  # the largest of logits with Gumbel noise is a draw from their softmax
        noise = random.standard_exponential(logits.shape, logits.dtype)  # type: ignore[call-overload]
        logits -= np.log(noise + logits.dtype.type(1e-30))
    return logits.argmax(axis=1)
