"""Claims: a player says that the goal is reached. Each game decides where claims may be made.

Source: docs/rules/conventions.md#claims
"""

from typing import Literal, get_args

from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.options import option

Claims = Literal["free", "safe", "auto"]
FREE, SAFE, AUTO = range(len(get_args(Claims)))


def claims_option(meaning: str, source: str) -> Claims:
    """The rule option that says how claims are made."""
    return option("free", meaning, source)


@compiled
def may_claim(claims, window_open, known_right):
    """True if the seat to act may claim; `known_right` says that it can know its claim to be right."""
    return window_open and claims != AUTO and (claims == FREE or known_right)
