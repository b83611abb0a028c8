"""The rule options of Schnapsen and Sixty-six and the presets that name whole rule sets.

The options come from two rule texts in Japanese. The Schnapsen text follows Martin Tompa's articles at
psellos.com and others; it also lists five tournament options and the Sixty-six variants of three countries.
The Sixty-six text is for 24 cards. "study" marks options for exact study on small packs.
The preset `schnapsen_vu` comes from a program, the Schnapsen platform of the VU Amsterdam.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.games.claims import Claims, claims_option
from stichwerk.envs.spec.options import Options, Preset, option
from stichwerk.support.errors import RulesError

PACK = Pack("ATKQJ9")
FULL_PACK = PACK.names
WITHOUT_NINES = tuple(name for name in FULL_PACK if name[1] != "9")
SMALL_PACKS = tuple(
    tuple(name for name in FULL_PACK if name[1] in ranks) for ranks in ("ATKQ", "AKQJ", "ATKQJ", "ATQJ9")
)
FOREHAND, DEALER, INDICATOR, STOCK = range(4)  # where a card of the deck goes

ABROAD: dict[str, Any] = {  # what the Schnapsen text says of all three countries, as `Preset` has it
    "nines": (True, "24 cards, six in hand"),
    "score_at": ("end", "the final counts decide, after closing too"),
    "next_dealer": ("winner", "the winner of the last deal deals"),
    "last_trick": ("ten", "ten points for the last trick of an exhausted stock"),
}

Window = Literal["on_lead", "after_trick", "either"]
CloseWindow = Literal["on_lead", "after_trick", "either", "never"]


@dataclass(frozen=True)
class SchnapsenRules(Options):
    """By which rules one game is played; the defaults are ordinary Schnapsen."""

    PACK: ClassVar[Pack] = PACK
    SHOWN_BY = ("memory",)
    OF_MATCHES = ("next_dealer", "target")
    YOUNGER = ("marriages_count",)

    nines: bool = option(
        False,
        "24 cards, six in hand and the trump nine exchanges, instead of 20, five and the jack",
        "docs/rules/schnapsen.md#pack",
    )
    memory: Literal["full", "table"] = option(
        "full",
        "whether taken cards and point totals may be remembered by the `summary` observation",
        "docs/rules/schnapsen.md#memory",
    )
    first_lead_melds: bool = option(
        True,
        "marriage and exchange are allowed before trick 1",
        "docs/rules/schnapsen.md#before-the-first-trick",
    )
    king_leads_marriage: bool = option(
        False, "a marriage must be led with the king", "docs/rules/schnapsen.md#leading-from-a-marriage"
    )
    min_stock: int = option(
        1,
        "face-down cards needed to exchange or close",
        "docs/rules/schnapsen.md#smallest-stock",
        1,
        (1, 2, 3, 4, 6),
    )
    score_at: Literal["close", "end"] = option(
        "close", "the counts that decide a closed deal", "docs/rules/schnapsen.md#deciding-counts"
    )
    next_dealer: Literal["alternate", "winner", "loser"] = option(
        "alternate", "who deals next; after a draw the same dealer", "docs/rules/schnapsen.md#next-dealer"
    )
    must_head: bool = option(
        True,
        "a strict follower must beat the led card in its suit if possible",
        "docs/rules/schnapsen.md#duty-to-beat",
    )
    meld_phase: Literal["always", "not_after_close", "open_only"] = option(
        "always", "when marriages may be declared", "docs/rules/schnapsen.md#marriages-and-the-stock"
    )
    last_trick: Literal["wins", "ten"] = option(
        "wins",
        "what the last trick of an exhausted stock brings: the deal, or ten points",
        "docs/rules/schnapsen.md#last-trick",
    )
    exchange_window: Window = option(
        "on_lead", "when the lowest trump may be exchanged", "docs/rules/schnapsen.md#exchange"
    )
    close_window: CloseWindow = option(
        "on_lead", "when the stock may be closed", "docs/rules/schnapsen.md#closing-the-stock"
    )
    claim_window: Literal["on_lead", "after_trick", "any_turn"] = option(
        "on_lead", "when a player may claim the goal", "docs/rules/schnapsen.md#claiming"
    )
    claims: Claims = claims_option(
        "claims may be wrong; are masked unless right; or are made by the engine",
        "docs/rules/schnapsen.md#kinds-of-claims",
    )
    first_marriage_counts: Literal["any_later_trick", "that_trick"] = option(
        "any_later_trick",
        "which trick credits a marriage shown with the first lead",
        "docs/rules/schnapsen.md#the-first-marriage",
    )
    marriages_count: Literal["at_once", "next_trick"] = option(
        "at_once",
        "when a marriage is credited to a player who has a trick",
        "docs/rules/schnapsen.md#when-marriages-count",
    )
    schneider_max: int = option(
        32,
        "most points with which the loser is schneider (two game points)",
        "docs/rules/schnapsen.md#schneider",
        usual=(0, 20, 32, 33, 50),
    )
    unclaimed: Literal["flat1", "table"] = option(
        "flat1",
        "what the higher total is worth when nobody claims (with `last_trick=ten`)",
        "docs/rules/schnapsen.md#unclaimed-deals",
    )
    target: int = option(
        7, "game points that win a match", "docs/rules/schnapsen.md#the-match", 1, (1, 3, 5, 7, 9, 11, 21)
    )
    pack: tuple[str, ...] | None = option(
        None,
        "the cards played with, for small games; none: the full pack",
        "docs/rules/schnapsen.md#small-packs",
        usual=(None, *SMALL_PACKS),
    )
    hand_size: int | None = option(
        None,
        "cards dealt to each; none: five, or six with nines",
        "docs/rules/schnapsen.md#small-packs",
        minimum=1,
        usual=(None, 3, 4, 5, 6),
    )
    goal: int = option(
        66, "points needed to win a deal", "docs/rules/schnapsen.md#small-packs", 1, (33, 50, 66, 80, 101)
    )

    PRESETS = {
        "schnapsen": Preset("the Schnapsen text, as it is played among friends"),
        "schnapsen_tournament": Preset(
            'the Schnapsen text, its list of tournament rules, all but the fifth, of which it says "some"',
            memory=("table", "tournament rule 1: taken cards may not be looked at again"),
            first_lead_melds=(False, "tournament rule 2: no marriage or exchange with the first lead"),
            king_leads_marriage=(True, "tournament rule 3: the king must be led"),
            min_stock=(3, "tournament rule 4: three face-down cards to exchange or close"),
        ),
        "schnapsen_vu": Preset(
            "the program schnapsen 0.0.5 of the VU Amsterdam, compared deal by deal",
            king_leads_marriage=(True, "the program: a marriage leads its king"),
            close_window=("never", "the program has no closing"),
            claims=("auto", "the program ends a deal at 66 points"),
            marriages_count=("next_trick", "the program credits a marriage with the next trick won"),
        ),
        "sixty_six": Preset(
            "the Sixty-six text, as exactly as possible",
            nines=(True, "24 cards, six in hand"),
            memory=("table", "taken cards may not be looked at"),
            score_at=("end", "it names no counts at closing; the Schnapsen text on 24 cards"),
            next_dealer=("loser", "the loser deals next"),
            meld_phase=("open_only", "its table: marriages need the stock"),
            last_trick=("ten", "its table: ten points for the last trick"),
            exchange_window=("after_trick", "its table: right after winning a trick"),
            close_window=("either", "right after winning a trick, or before leading"),
            claim_window=("after_trick", "right after winning a trick, or after a marriage"),
            schneider_max=(33, "schneider with 33 points or less"),
        ),
        "sixty_six_german": Preset(
            "the Schnapsen text, its list of how other countries differ",
            **ABROAD,
            meld_phase=("not_after_close", "Germany: no marriages once the stock is closed"),
        ),
        "sixty_six_bulgarian": Preset(
            "the Schnapsen text, its list of how other countries differ; Bulgarian pages differ from it",
            **ABROAD,
            must_head=(False, "Bulgaria, Greece: no duty to beat in suit"),
        ),
        "sixty_six_greek": Preset(
            "the Schnapsen text, its list of how other countries differ",
            **ABROAD,
            must_head=(False, "Bulgaria, Greece: no duty to beat in suit"),
        ),
    }

    def __post_init__(self):
        self.check()
        for name in self.deck:
            if name not in PACK.index:
                raise RulesError(f"rule option pack: unknown card {name!r}; there are {' '.join(FULL_PACK)}")
        if len(set(self.deck)) < len(self.deck):
            raise RulesError(f"rule option pack: a card occurs twice in {' '.join(self.deck)}")
        if len(self.deck) % 2 or len(self.deck) < 2 * self.in_hand + 2:
            raise RulesError(
                f"rule option pack: got {len(self.deck)} cards with {self.in_hand} in hand; "
                f"expected an even number of at least {2 * self.in_hand + 2}"
            )

    @property
    def sides(self) -> tuple[int, ...]:
        return 0, 1

    @property
    def deck(self) -> tuple[str, ...]:
        return self.pack if self.pack is not None else FULL_PACK if self.nines else WITHOUT_NINES

    @property
    def in_hand(self) -> int:
        return self.hand_size if self.hand_size is not None else 6 if self.nines else 5

    @property
    def layout(self) -> list[int]:
        """The destination of each card of a deck, in dealing order."""
        size, half = self.in_hand, self.in_hand // 2
        if set(self.deck) == set(FULL_PACK) and size == 6:
            dealt = ([FOREHAND] * half + [DEALER] * half) * 2 + [INDICATOR]
        elif set(self.deck) == set(WITHOUT_NINES) and size == 5:
            dealt = [FOREHAND] * 3 + [DEALER] * 3 + [INDICATOR] + [FOREHAND] * 2 + [DEALER] * 2
        else:
            dealt = [FOREHAND] * size + [DEALER] * size + [INDICATOR]
        return dealt + [STOCK] * (len(self.deck) - len(dealt))

    def derived(self) -> dict[str, Any]:
        layout = self.layout + [STOCK] * (len(FULL_PACK) - len(self.deck))
        return {"all_cards": PACK.mask(self.deck), "hand_size": self.in_hand, "layout": layout}


# The codes of listed values that the compiled rules ask for.
code = SchnapsenRules.code
MEMORY_OF_TABLE = code("memory", "table")
AT_CLOSE = code("score_at", "close")
ALTERNATE, WINNER_DEALS = code("next_dealer", "alternate"), code("next_dealer", "winner")
ALWAYS, NOT_AFTER_CLOSE = code("meld_phase", "always"), code("meld_phase", "not_after_close")
LAST_TEN = code("last_trick", "ten")
ON_LEAD, AFTER_TRICK, EITHER = (
    code("exchange_window", window) for window in ("on_lead", "after_trick", "either")
)
CLAIM_AFTER_TRICK, CLAIM_ANY_TURN = code("claim_window", "after_trick"), code("claim_window", "any_turn")
THAT_TRICK = code("first_marriage_counts", "that_trick")
NEXT_TRICK = code("marriages_count", "next_trick")
BY_COUNTS = code("unclaimed", "table")
