"""The rule options of Schnapsen and Sixty-six and the presets that name whole rule sets.

The options come from two rule texts in Japanese: the Schnapsen text (after Martin Tompa's articles at psellos.com and others),
which also lists five tournament options and the Sixty-six variants of Germany, Bulgaria and Greece, and the Sixty-six text (24
cards). "study" marks options for exact study on small packs.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.core.errors import RulesError
from stichwerk.envs.core.options import Options, option

PACK = Pack("ATKQJ9")
FULL_PACK = PACK.names
WITHOUT_NINES = tuple(name for name in FULL_PACK if name[1] != "9")

Window = Literal["on_lead", "after_trick", "either"]


@dataclass(frozen=True)
class SchnapsenRules(Options):
    """How one table plays; the defaults are ordinary Schnapsen."""

    nines: bool = option(False, "24 cards, six in hand and the trump nine exchanges, instead of 20, five and the jack", "both texts")
    memory: Literal["full", "table"] = option(
        "full", "whether taken cards and point totals may be remembered by the `summary` observation", "tournament option 1; Sixty-six text"
    )
    first_lead_melds: bool = option(True, "marriage and exchange are allowed before trick 1", "tournament option 2; Sixty-six variants")
    king_leads_marriage: bool = option(False, "a marriage must be led with the king", "tournament option 3")
    min_stock: int = option(1, "face-down cards needed to exchange or close", "tournament option 4", minimum=1)
    score_at: Literal["close", "end"] = option("close", "the counts that decide a closed deal", "tournament option 5; Sixty-six variants")
    next_dealer: Literal["alternate", "winner", "loser"] = option("alternate", "who deals next; after a draw the same dealer", "both texts")
    must_head: bool = option(True, "a strict follower must beat the led card in its suit if possible", "Bulgaria and Greece")
    meld_phase: Literal["always", "not_after_close", "open_only"] = option(
        "always", "when marriages may be declared", "Germany; Sixty-six text"
    )
    last_trick: Literal["wins", "ten"] = option(
        "wins", "what the last trick of an exhausted stock brings: the deal, or ten points", "both texts"
    )
    exchange_window: Window = option("on_lead", "when the lowest trump may be exchanged", "both texts")
    close_window: Window = option("on_lead", "when the stock may be closed", "both texts")
    claim_window: Literal["on_lead", "after_trick", "any_turn"] = option("on_lead", "when a player may claim the goal", "both texts")
    claims: Literal["free", "safe", "auto"] = option(
        "free", "claims may be wrong; are masked unless right; or are made by the engine", "both texts; study"
    )
    first_marriage_counts: Literal["any_later_trick", "that_trick"] = option(
        "any_later_trick", "which trick credits a marriage shown with the first lead", "both texts leave it open"
    )
    schneider_max: int = option(32, "most points with which the loser is schneider (two game points)", "both texts differ")
    unclaimed: Literal["flat1", "table"] = option(
        "flat1", "what the higher total is worth when nobody claims (with `last_trick=ten`)", "Sixty-six text; open elsewhere"
    )
    target: int = option(7, "game points that win a match", "Schnapsen text", minimum=1)
    pack: tuple[str, ...] | None = option(None, "the cards played with, for small games; none: the full pack", "study")
    hand_size: int | None = option(None, "cards dealt to each; none: five, or six with nines", "study", minimum=1)
    goal: int = option(66, "points needed to win a deal", "study", minimum=1)

    PRESETS = {
        "schnapsen": {},
        "schnapsen_tournament": {"memory": "table", "first_lead_melds": False, "king_leads_marriage": True, "min_stock": 3},
        "sixty_six": {
            "nines": True, "memory": "table", "score_at": "end", "next_dealer": "loser", "meld_phase": "open_only", "last_trick": "ten",
            "exchange_window": "after_trick", "close_window": "either", "claim_window": "after_trick", "schneider_max": 33,
        },
        "sixty_six_german": {
            "nines": True, "score_at": "end", "next_dealer": "winner", "meld_phase": "not_after_close", "last_trick": "ten",
        },
        "sixty_six_bulgarian": {"nines": True, "score_at": "end", "next_dealer": "winner", "must_head": False, "last_trick": "ten"},
        "sixty_six_greek": {"nines": True, "score_at": "end", "next_dealer": "winner", "must_head": False, "last_trick": "ten"},
    }  # fmt: skip

    def __post_init__(self):
        self.check()
        for name in self.cards:
            if name not in PACK.index:
                raise RulesError(f"rule option pack: unknown card {name!r}; there are {' '.join(FULL_PACK)}")
        if len(set(self.cards)) < len(self.cards):
            raise RulesError(f"rule option pack: a card stands twice in {' '.join(self.cards)}")
        if len(self.cards) % 2 or len(self.cards) < 2 * self.in_hand + 2:
            raise RulesError(
                f"rule option pack: {len(self.cards)} cards with {self.in_hand} in hand; "
                f"allowed is an even number of at least {2 * self.in_hand + 2}"
            )

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards of the pack, in index order unless `pack` lists them otherwise."""
        return self.pack if self.pack is not None else FULL_PACK if self.nines else WITHOUT_NINES

    @property
    def in_hand(self) -> int:
        return self.hand_size if self.hand_size is not None else 6 if self.nines else 5

    @property
    def layout(self) -> list[int]:
        """Where each card of a deck goes, in dealing order: 0 forehand, 1 dealer, 2 indicator, 3 stock."""
        size, half = self.in_hand, self.in_hand // 2
        if set(self.cards) == set(FULL_PACK) and size == 6:
            dealt = ([0] * half + [1] * half) * 2 + [2]
        elif set(self.cards) == set(WITHOUT_NINES) and size == 5:
            dealt = [0] * 3 + [1] * 3 + [2] + [0] * 2 + [1] * 2
        else:
            dealt = [0] * size + [1] * size + [2]
        return dealt + [3] * (len(self.cards) - len(dealt))

    def record(self) -> np.ndarray:
        record = np.zeros(1, RULES)
        for name in RULES.fields or ():
            if name in self.__dataclass_fields__ and name not in ("pack", "hand_size"):
                record[0][name] = self.code(name, getattr(self, name))
        record[0].pack = PACK.mask(self.cards)
        record[0].cards[: len(self.cards)] = sorted(map(PACK.parse, self.cards))
        record[0].pack_size = len(self.cards)
        record[0].hand_size = self.in_hand
        record[0].layout[: len(self.cards)] = self.layout
        return record


RULES = np.dtype(
    (
        np.record,
        [
            *((name, np.int64) for name in SchnapsenRules.__dataclass_fields__),
            ("pack_size", np.int64),
            ("cards", np.int64, (len(FULL_PACK),)),
            ("layout", np.int64, (len(FULL_PACK),)),
        ],
    )
)

# The codes of listed values that the compiled rules ask for.
code = SchnapsenRules.code
TABLE = code("memory", "table")
AT_CLOSE = code("score_at", "close")
ALTERNATE, WINNER_DEALS = code("next_dealer", "alternate"), code("next_dealer", "winner")
ALWAYS, NOT_AFTER_CLOSE = code("meld_phase", "always"), code("meld_phase", "not_after_close")
LAST_TEN = code("last_trick", "ten")
ON_LEAD, AFTER_TRICK, EITHER = (code("exchange_window", window) for window in ("on_lead", "after_trick", "either"))
CLAIM_AFTER_TRICK, CLAIM_ANY_TURN = code("claim_window", "after_trick"), code("claim_window", "any_turn")
FREE, SAFE, AUTO = (code("claims", claims) for claims in ("free", "safe", "auto"))
THAT_TRICK = code("first_marriage_counts", "that_trick")
BY_TABLE = code("unclaimed", "table")
