"""The rule options of Snapszer, the Hungarian four-player game with a called partner.

The source is a rule text in Japanese after Hungarian and other pages; "open" marks what it leaves open.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.core.options import Options, option

PACK = Pack("ATKQJ9")


@dataclass(frozen=True)
class SnapszerRules(Options):
    """How one table plays."""

    claims: Literal["free", "safe", "auto"] = option(
        "free", "claims may be wrong; are masked unless the claimer can know them right; or are made by the engine", "source; study"
    )
    allow_call_own: bool = option(False, "forehand may name a card that he holds", "open")
    first_marriage_counts: Literal["any_later_trick", "that_trick"] = option(
        "any_later_trick", "which trick credits a marriage shown with the first lead", "open"
    )
    pending_marriage_owner: Literal["declarer", "team"] = option("declarer", "whose trick credits it", "open")
    tie: Literal["none", "carry", "last_trick"] = option(
        "none", "equal totals without a claim: nothing, one point more for the next winners, or trick 6 decides", "open"
    )
    solo_multiplier: int = option(1, "game points of a deal with a lone forehand are multiplied by this", "open", minimum=1)
    claim_needs_reveal: bool = option(False, "nobody may claim before the partnership is public", "open")
    schneider_max: int = option(32, "most points with which the losers are schneider (two game points)", "source leaves 32 open")
    target: int = option(7, "game points that win a match", "source", minimum=1)

    PRESETS = {"snapszer": {}}

    def __post_init__(self):
        self.check()

    def record(self) -> np.ndarray:
        record = np.zeros(1, RULES)
        for name in self.__dataclass_fields__:
            record[0][name] = self.code(name, getattr(self, name))
        return record


RULES = np.dtype((np.record, [(name, np.int64) for name in SnapszerRules.__dataclass_fields__]))

# The codes of listed values that the compiled rules ask for.
code = SnapszerRules.code
FREE, SAFE, AUTO = (code("claims", claims) for claims in ("free", "safe", "auto"))
THAT_TRICK = code("first_marriage_counts", "that_trick")
TEAM = code("pending_marriage_owner", "team")
CARRY, LAST_TRICK = code("tie", "carry"), code("tie", "last_trick")
