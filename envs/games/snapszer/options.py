"""The rule options of Snapszer, the Hungarian four-player game with a called partner."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.games.claims import Claims, claims_option
from stichwerk.envs.spec.options import Options, Preset, option

PACK = Pack("ATKQJ9")


@dataclass(frozen=True)
class SnapszerRules(Options):
    """By which rules one game is played."""

    PACK: ClassVar[Pack] = PACK
    OF_MATCHES = ("target",)

    claims: Claims = claims_option(
        "claims may be wrong; are masked unless the claimer can know them right; or are made by the engine",
        "docs/rules/snapszer.md#kinds-of-claims",
    )
    allow_call_own: bool = option(
        False, "forehand may name a card that he holds", "docs/rules/snapszer.md#naming"
    )
    first_marriage_counts: Literal["any_later_trick", "that_trick"] = option(
        "any_later_trick",
        "which trick credits a marriage shown with the first lead",
        "docs/rules/snapszer.md#the-first-marriage",
    )
    pending_marriage_owner: Literal["declarer", "team"] = option(
        "declarer", "whose trick credits it", "docs/rules/snapszer.md#whose-trick-counts"
    )
    tie: Literal["none", "carry", "last_trick"] = option(
        "none",
        "equal totals without a claim: nothing, one point more for the next winners, or trick 6 decides",
        "docs/rules/snapszer.md#ties",
    )
    solo_multiplier: int = option(
        1,
        "game points of a deal with a lone forehand are multiplied by this",
        "docs/rules/snapszer.md#lone-forehand",
        1,
        (1, 2, 3),
    )
    claim_needs_reveal: bool = option(
        False,
        "nobody may claim before the partnership is public",
        "docs/rules/snapszer.md#claims-and-the-secret",
    )
    schneider_max: int = option(
        32,
        "most points with which the losers are schneider (two game points)",
        "docs/rules/snapszer.md#schneider",
        usual=(0, 20, 32, 33, 50),
    )
    target: int = option(
        7, "game points that win a match", "docs/rules/snapszer.md#the-match", 1, (1, 3, 5, 7, 11)
    )

    PRESETS = {"snapszer": Preset("the Schnapsen text, its Hungarian game for four")}

    @property
    def sides(self) -> tuple[int, ...]:
        return 0, 1, 2, 3


# The codes of listed values that the compiled rules ask for.
code = SnapszerRules.code
THAT_TRICK = code("first_marriage_counts", "that_trick")
TEAM = code("pending_marriage_owner", "team")
CARRY, LAST_TRICK = code("tie", "carry"), code("tie", "last_trick")
