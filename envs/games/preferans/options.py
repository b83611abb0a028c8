"""The rule options of Balkan Preferans and the presets that name whole rule sets.

Each option cites its place in the rule book, which also says what its sources leave open.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stichwerk.envs.core.cards import Pack
from stichwerk.envs.spec.options import Options, Preset, option

PACK = Pack("AKQJT987")


@dataclass(frozen=True)
class PreferansRules(Options):
    """By which rules one game is played; the defaults are those of the Preferans text."""

    PACK: ClassVar[Pack] = PACK
    OF_MATCHES = ("max_hands",)

    players: Literal[3, 4] = option(3, "seats; of four the dealer sits out", "docs/rules/preferans.md#seats")
    start: int = option(
        100,
        "the own column at the start of a match",
        "docs/rules/preferans.md#the-score-sheet",
        1,
        (40, 60, 100, 200),
    )
    max_hands: int | None = option(
        None,
        "a match is stopped after so many hands; none: played to the end",
        "docs/rules/preferans.md#early-stop",
        1,
        (None, 12, 24, 48),
    )
    refa_limit: int | None = option(
        None,
        "how often refas are written in a match; none: once for each 30 of `start`",
        "docs/rules/preferans.md#all-pass-and-refas",
        usual=(None, 0, 1, 2, 3),
    )
    hat_at_zero: bool = option(
        True, "an own column of exactly 0 is under the hat", "docs/rules/preferans.md#the-hat"
    )
    enable_preferans: bool = option(
        False,
        "there is an eighth game: all ten tricks without trumps",
        "docs/rules/preferans.md#the-eighth-game",
    )
    igra_tie: Literal["first", "last"] = option(
        "first", "who wins when two players name the same hand game", "docs/rules/preferans.md#naming"
    )
    igra_two_needs_first: bool = option(
        False, "only the first to name a hand game may name 2", "docs/rules/preferans.md#naming"
    )
    igra_may_declare_notrump: bool = option(
        False, "who said plain igra may still choose betl or sans", "docs/rules/preferans.md#hand-games"
    )
    igra_min_level: Literal["off", "level", "level_minus_one"] = option(
        "off",
        "least hand game after numbers were bid: any, the last number, or one less",
        "docs/rules/preferans.md#hand-games",
    )
    max_kontra: Literal[0, 1, 2, 3, 4] = option(
        4, "how often a hand may be doubled", "docs/rules/preferans.md#kontra"
    )
    kontra_target: Literal[4, 5] = option(
        4, "tricks that a doubler's side must take", "docs/rules/preferans.md#penalties"
    )
    plain_two: Literal["play", "refa_or_hat_win", "refa_or_win", "win"] = option(
        "play",
        "a 2 without refa and kontra is played; or not, and then brings everybody a refa, "
        "or else counts as ten tricks for a declarer under the hat, for any declarer, or at once",
        "docs/rules/preferans.md#the-plain-two",
    )
    sans_lead: Literal["declarer_left", "forehand_nondeclarer"] = option(
        "declarer_left",
        "who leads to sans and preferans: the player before the declarer, "
        "or forehand if he is not the declarer",
        "docs/rules/preferans.md#the-first-lead",
    )
    two_defender_quota: Literal["joint", "each_two"] = option(
        "joint",
        "two who came are safe with four tricks together, or only with two each",
        "docs/rules/preferans.md#penalties",
    )
    betl_kontra_supe: Literal["both", "kontra_only"] = option(
        "both", "who is paid for a doubled betl that failed", "docs/rules/preferans.md#doubled-betl"
    )
    betl_kontra_penalty: bool = option(
        False,
        "who doubled a betl that was made adds the game to his own column",
        "docs/rules/preferans.md#doubled-betl",
    )
    last_hand_double_fail: bool = option(
        False,
        "who fails when success would end the match adds twice the game",
        "docs/rules/preferans.md#the-last-hand",
    )
    last_hand_test: Literal["ge", "gt"] = option(
        "ge",
        "success would end the match if the game is at least the sum of the own columns, or greater",
        "docs/rules/preferans.md#the-last-hand",
    )
    trick_offer: bool = option(
        False, "a lone defender may offer to settle for a number of tricks", "docs/rules/preferans.md#offers"
    )

    PRESETS = {
        "source": Preset("the Preferans text"),
        "serbian_club": Preset(
            "the club rules (preferansklub.com, version 1.2)",
            hat_at_zero=(False, "section 13: under the hat is a negative column"),
            kontra_target=(5, "sections 10 and 12: a doubler's side must take five tricks"),
            plain_two=("refa_or_hat_win", "section 15, variation a; also the Preferans text on Serbia"),
            betl_kontra_penalty=(True, "section 13, example 6"),
        ),
        "iklub": Preset(
            "iklub.rs, rules of 2023-03-31; it refers to the club rules for the rest",
            hat_at_zero=(False, "the club rules, section 13"),
            max_kontra=(2, "iklub.rs, 1: no subkontra and no mortkontra"),
            kontra_target=(5, "the club rules, sections 10 and 12"),
            plain_two=(
                "refa_or_win",
                "iklub.rs, 2: a refa, and without one left the declarer goes down by 4",
            ),
            betl_kontra_penalty=(True, "the club rules, section 13, example 6"),
            last_hand_double_fail=(True, "iklub.rs, 3: who fails falls twice"),
            last_hand_test=("gt", "iklub.rs, 3: in a game greater than what is left of the columns"),
        ),
        "croatian": Preset(
            "pagat.com, Croatian Preference, as far as it could be read; else the Preferans text",
            plain_two=("win", "pagat.com: without kontra the declarer of a 2 has won"),
            sans_lead=("forehand_nondeclarer", "pagat.com on the first lead"),
            igra_may_declare_notrump=(True, "the Preferans text: some Croatians allow it"),
        ),
    }

    @property
    def sides(self) -> tuple[int, ...]:
        return tuple(range(self.players))

    def derived(self) -> dict[str, Any]:
        return {"refa_limit": self.start // 30 if self.refa_limit is None else self.refa_limit}


# The codes of listed values that the compiled rules ask for.
code = PreferansRules.code
LAST_NAMED = code("igra_tie", "last")
LEVEL, LEVEL_MINUS_ONE = code("igra_min_level", "level"), code("igra_min_level", "level_minus_one")
PLAY_TWO, REFA_OR_HAT_WIN, WIN_TWO = (
    code("plain_two", custom) for custom in ("play", "refa_or_hat_win", "win")
)
DECLARER_LEFT = code("sans_lead", "declarer_left")
EACH_TWO = code("two_defender_quota", "each_two")
KONTRA_ONLY = code("betl_kontra_supe", "kontra_only")
GREATER = code("last_hand_test", "gt")
