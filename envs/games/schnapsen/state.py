"""The state of a deal: seats, actions, decision nodes, and every field of the record.

Two seats; `1 - seat` is the opponent.
"""

from enum import IntEnum

from stichwerk.envs.core.actions import Action, card_actions, suit_actions
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.games.family import JACK, NINE, RANKS_PER_SUIT
from stichwerk.envs.games.schnapsen.options import PACK
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.fields import SUIT_SET, Field, card, card_set, count, seat, suit
from stichwerk.envs.spec.state import state_layout

SEATS = 2
CARDS = len(PACK)
MOST_POINTS = 10_000  # far above what cards, marriages and the last trick bring

ACTIONS = (
    *card_actions("play", PACK.names),
    *suit_actions("meld"),
    Action("exchange"),
    Action("close"),
    Action("claim"),
    Action("continue"),
)
ACTION_COUNT = len(ACTIONS)
PLAY, MELD, EXCHANGE, CLOSE, CLAIM, CONTINUE = 0, CARDS, CARDS + 4, CARDS + 5, CARDS + 6, CARDS + 7

MAX_DRAWS = CARDS // 2 - 1  # each, with one card in hand
# Every card and marriage, exchange, close and claim, a `continue` a draw and one at the end.
LONGEST_DEAL = CARDS + 4 + 3 + MAX_DRAWS + 1


class Phase(IntEnum):
    """The decision nodes."""

    LEAD = 0  # on lead
    MELDED = 1  # a marriage is shown, one of its cards must be led
    ANSWER = 2  # to follow
    AFTER = 3  # the trick's winner before the draw, or after the very last trick
    DONE = 4  # no decision: the deal is over


STATE = state_layout(
    [
        Field("score", count(20_000), SEATS, "game points won in the match", lasts="match", below="target"),
        Field("hand", card_set(CARDS), SEATS, "cards in hand", known="owner"),
        Field("taken", card_set(CARDS), SEATS, "cards in won tricks"),
        Field("dealt", card_set(CARDS), SEATS, "the first hands", known="owner"),
        Field("drawn", card(CARDS), (SEATS, CARDS // 2), "the cards each seat drew, in order", known="owner"),
        Field("draws", count(MAX_DRAWS), (), "how many draws there have been"),
        Field("trump", suit(always=True), (), "trump suit"),
        Field("turned_up", card(CARDS, always=True), (), "the card turned up in the deal"),
        Field(
            "indicator",
            card(CARDS),
            (),
            "the card that now lies there, also after closing; NONE once it is drawn",
        ),
        Field("top", count(CARDS), (), "position in `deck` of the next face-down card"),
        Field("closed_by", seat(SEATS), (), "who closed the stock"),
        Field("closed_points", count(MOST_POINTS), SEATS, "`points` at the moment of closing"),
        Field("closed_tricks", count(CARDS // 2), SEATS, "`tricks` at the moment of closing"),
        Field("leader", seat(SEATS, always=True), (), "of the present trick"),
        Field("led", card(CARDS), (), "the card that waits for an answer"),
        Field("melded", suit(), (), "of the marriage shown with the present lead"),
        Field("points", count(MOST_POINTS), SEATS, "card points taken and marriages credited"),
        Field("pending", count(MOST_POINTS), SEATS, "marriages that wait for a trick"),
        Field("tricks", count(CARDS // 2), SEATS, "tricks won"),
        Field("marriages", SUIT_SET, SEATS, "suits of the marriages declared"),
        Field("exchanged_by", seat(SEATS), (), "who exchanged the lowest trump"),
        Field("exchanged_after", count(MAX_DRAWS), (), "how many draws there had been"),
        Field("shown", card_set(CARDS), SEATS, "cards publicly known to be in a hand"),
        Field("missing", card_set(CARDS), SEATS, "cards publicly proven not to be in a hand"),
        Field(
            "holding",
            count(CARDS),
            SEATS,
            "the exchange card was publicly among the first so many cards a seat got",
            fresh=CARDS,
        ),
        Field(
            "lacking",
            count(CARDS),
            SEATS,
            "the exchange card was publicly not among the first so many cards a seat got",
        ),
    ],
    seats=SEATS,
    kinds=CARDS,
    deck=CARDS,
    phases=Phase,
    actions=len(ACTIONS),
    longest_deal=LONGEST_DEAL,
)


# Facts about a position


@compiled
def face_down(rules, state):
    """Face-down cards of the stock; the indicator is not counted."""
    return rules.deck_size - state.top


@compiled
def drawable(rules, state):
    return state.closed_by == NONE and face_down(rules, state) >= 1


@compiled
def before_first_trick(state):
    return state.tricks[0] + state.tricks[1] == 0


@compiled
def exchange_card(rules, state):
    return state.trump * RANKS_PER_SUIT + (NINE if rules.nines else JACK)


@compiled
def reached_goal(rules, state, seat):
    return state.points[seat] >= rules.goal
