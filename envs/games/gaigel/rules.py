"""The rule options of Gaigel, the Swabian game for three, four or six with a double pack.

The source is a rule text in Japanese after pagat and the German and English Wikipedia; "open" marks what it leaves open.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.core.options import Options, option

PACK = Pack("ATKQJ7")


@dataclass(frozen=True)
class GaigelRules(Options):
    """How one table plays."""

    players: Literal[3, 4, 6] = option(4, "each for himself, two against two, or three against three, in alternate seats", "source")
    deal_order: Literal["three_two_turn", "three_turn_two"] = option(
        "three_two_turn", "when the indicator is turned up: after both packets or between them", "source; Wikipedia"
    )
    dissle: bool = option(True, "forehand may open Auf Dissle, to collect five sevens", "Wikipedia")
    dissle_lead: Literal["face_down", "face_up"] = option("face_down", "how the first trick of Auf Dissle is played", "open")
    dissle_value: Literal[1, 2] = option(1, "game points of Auf Dissle, won or lost", "open")
    must_open_ace: bool = option(False, "forehand with an ace that is no trump must open with Ge-elfen or Andere Alte", "one page")
    post_talon: Literal["strict", "follow_only"] = option(
        "strict", "after the last draw: follow suit, else trump, and beat the trick; or only follow suit", "gaigel.club, Hoyle; TrueTaco"
    )
    meld_must_play: bool = option(False, "who declares a pair must play a king or queen declared in this turn", "TrueTaco")
    aus_window: Literal["on_lead", "any_turn"] = option(
        "on_lead", "when Aus may be said: on lead or after a pair, or at any own turn", "source; open"
    )
    claims: Literal["free", "safe", "auto"] = option(
        "free", "Aus may be wrong; is masked unless it is right; or is said by the engine", "source; study"
    )
    five_sevens: bool = option(True, "a dealt hand of five sevens wins at once", "source")
    last_trick_wins: bool = option(False, "equal highest totals: the side that won the last trick scores", "open")
    last_trick_10: bool = option(False, "the last trick brings ten points", "Gibson's Hoyle")
    any_opponent: bool = option(False, "three players: Aus is worth 2 if either opponent, not only if both, have no trick", "open")
    signals: Literal["off", "partner", "public"] = option(
        "off", "suits may be signalled once a trick: never, seen by partners, or seen by all", "source mentions gestures"
    )
    show_points: Literal["own", "all", "off"] = option(
        "own", "whose totals the summary observation and the text count: the own side's, all, or none", "open"
    )
    score: Literal["tokens", "target"] = option("tokens", "how a match is scored", "source")
    pool: int = option(10, "tokens in the pool at the start of a match", "source", minimum=1)
    target: int = option(7, "game points that win a match scored by target", "open", minimum=1)
    tokenless: Literal["wins", "one_more"] = option(
        "wins", "a side without tokens when the pool is empty has won, or must win one more deal", "open"
    )

    PRESETS = {"source": {}}

    def __post_init__(self):
        self.check()

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat: every man for himself, or alternate seats together."""
        return tuple(seat % sides_among(self.players) for seat in range(self.players))

    def record(self) -> np.ndarray:
        record = np.zeros(1, RULES)
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            record[0][name] = self.code(name, value) if isinstance(value, str) else value
        record[0]["sides"] = sides_among(self.players)
        record[0]["table"] = PLAYERS.index(self.players)
        return record


def sides_among(players: int) -> int:
    return 3 if players == 3 else 2


PLAYERS = (3, 4, 6)
RULES = np.dtype(
    (
        np.record,
        [
            *((name, np.int64) for name in GaigelRules.__dataclass_fields__),
            ("sides", np.int64),  # how many there are
            ("table", np.int64),  # position of `players` in PLAYERS, which chooses the feature tables
        ],
    )
)

# The codes of listed values that the compiled rules ask for.
code = GaigelRules.code
THREE_TURN_TWO = code("deal_order", "three_turn_two")
FACE_DOWN = code("dissle_lead", "face_down")
FOLLOW_ONLY = code("post_talon", "follow_only")
ANY_TURN = code("aus_window", "any_turn")
FREE, SAFE, AUTO = (code("claims", claims) for claims in ("free", "safe", "auto"))
SIGNALS_OFF, SIGNALS_TO_PARTNERS = code("signals", "off"), code("signals", "partner")
SHOW_OWN, SHOW_ALL = code("show_points", "own"), code("show_points", "all")
TOKENS = code("score", "tokens")
TOKENLESS_WINS = code("tokenless", "wins")
