"""The rule options of Gaigel, the Swabian game for three, four or six with a double pack.

The rule book says where each rule comes from, and what the texts leave open: docs/rules/gaigel.md
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.games.claims import Claims, claims_option
from stichwerk.envs.spec.options import Options, Preset, option

PACK = Pack("ATKQJ7")
PLAYERS = (3, 4, 6)
IN_HAND, FIRST_PACKET = 5, 3


def sides_among(players: int) -> int:
    return 3 if players == 3 else 2


@dataclass(frozen=True)
class GaigelRules(Options):
    """By which rules one game is played."""

    PACK: ClassVar[Pack] = PACK
    COPIES: ClassVar[int] = 2
    COUNTED = (("show_points", "off", "own"),)
    OF_MATCHES = ("score", "pool", "target", "tokenless")

    players: Literal[3, 4, 6] = option(
        4,
        "each for himself, two against two, or three against three, in alternate seats",
        "docs/rules/gaigel.md#seats-and-sides",
    )
    deal_order: Literal["three_two_turn", "three_turn_two"] = option(
        "three_two_turn",
        "when the indicator is turned up: after both packets or between them",
        "docs/rules/gaigel.md#the-deal; Wikipedia",
    )
    dissle: bool = option(
        True,
        "forehand may open Auf Dissle, to collect five sevens",
        "docs/rules/gaigel.md#auf-dissle; Wikipedia",
    )
    dissle_lead: Literal["face_down", "face_up"] = option(
        "face_down", "how the first trick of Auf Dissle is played", "docs/rules/gaigel.md#auf-dissle"
    )
    dissle_value: Literal[1, 2] = option(
        1, "game points of Auf Dissle, won or lost", "docs/rules/gaigel.md#auf-dissle"
    )
    must_open_ace: bool = option(
        False,
        "forehand with an ace that is no trump must open with Ge-elfen or Andere Alte",
        "docs/rules/gaigel.md#openings; one page",
    )
    post_talon: Literal["strict", "follow_only"] = option(
        "strict",
        "after the last draw: follow suit, else trump, and beat the trick; or only follow suit",
        "docs/rules/gaigel.md#strict-play; gaigel.club, Hoyle; TrueTaco",
    )
    meld_must_play: bool = option(
        False,
        "who declares a pair must play a king or queen declared in this turn",
        "docs/rules/gaigel.md#pairs; TrueTaco",
    )
    aus_window: Literal["on_lead", "any_turn"] = option(
        "on_lead",
        "when Aus may be said: on lead or after a pair, or at any own turn",
        "docs/rules/gaigel.md#aus",
    )
    claims: Claims = claims_option(
        "Aus may be wrong; is masked unless it is right; or is said by the engine",
        "docs/rules/gaigel.md#aus",
    )
    five_sevens: bool = option(
        True, "a dealt hand of five sevens wins at once", "docs/rules/gaigel.md#five-sevens"
    )
    last_trick_wins: bool = option(
        False,
        "equal highest totals: the side that won the last trick scores",
        "docs/rules/gaigel.md#scoring",
    )
    last_trick_10: bool = option(
        False, "the last trick is worth ten points", "docs/rules/gaigel.md#scoring; Gibson's Hoyle"
    )
    any_opponent: bool = option(
        False,
        "three players: Aus is worth 2 if either opponent, not only if both, have no trick",
        "docs/rules/gaigel.md#scoring",
    )
    signals: Literal["off", "partner", "public"] = option(
        "off",
        "suits may be signalled once a trick: never, seen by partners, or seen by all",
        "docs/rules/gaigel.md#signals",
    )
    show_points: Literal["own", "all", "off"] = option(
        "own",
        "whose totals the summary observation and the text count: the own side's, all, or none",
        "docs/rules/gaigel.md#who-knows-what",
    )
    score: Literal["tokens", "target"] = option(
        "tokens", "how a match is scored", "docs/rules/gaigel.md#the-match"
    )
    pool: int = option(
        10, "tokens in the pool at the start of a match", "docs/rules/gaigel.md#the-match", 1, (5, 10, 20)
    )
    target: int = option(
        7,
        "game points that win a match scored by target",
        "docs/rules/gaigel.md#the-match",
        1,
        (1, 3, 5, 7, 11),
    )
    tokenless: Literal["wins", "one_more"] = option(
        "wins",
        "a side without tokens when the pool is empty has won, or must win one more deal",
        "docs/rules/gaigel.md#the-match",
    )

    PRESETS = {"source": Preset("the Gaigel text; what it leaves open as docs/rules/gaigel.md says")}

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat: each seat alone, or alternate seats together."""
        return tuple(seat % sides_among(self.players) for seat in range(self.players))

    def derived(self) -> dict[str, Any]:
        packets = FIRST_PACKET if self.deal_order == "three_turn_two" else IN_HAND
        return {
            "side_count": sides_among(self.players),
            "seating": PLAYERS.index(self.players),  # chooses among the encodings
            "indicator_at": packets * self.players,  # its position in a deck
        }


# The codes of listed values that the compiled rules ask for.
code = GaigelRules.code
FACE_DOWN = code("dissle_lead", "face_down")
FOLLOW_ONLY = code("post_talon", "follow_only")
ANY_TURN = code("aus_window", "any_turn")
SIGNALS_OFF, SIGNALS_TO_PARTNERS = code("signals", "off"), code("signals", "partner")
SHOW_OWN, SHOW_ALL = code("show_points", "own"), code("show_points", "all")
TOKENS = code("score", "tokens")
TOKENLESS_WINS = code("tokenless", "wins")
