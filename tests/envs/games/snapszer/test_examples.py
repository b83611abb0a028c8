"""The worked examples of docs/rules/snapszer.md#examples, and the called, hidden partner."""

from typing import NamedTuple

import pytest

from stichwerk.envs import snapszer_v0
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.games.snapszer.state import Phase
from stichwerk.support.errors import SetupError
from tests.envs.support import change, over

# Seat 3 deals, so seat 0 is forehand; sT makes seat 2 its partner, hJ is its own. Order: three cards to each
# seat, twice.
HANDS = ("sK sQ hJ", "sA h9 hK", "sT hA hT", "sJ s9 hQ", "dA cJ c9", "dQ cQ cK", "dJ dT cA", "dK d9 cT")
DECK = " ".join(HANDS).split()


def after(*actions: str, named: str = "sT", score=(0, 0, 0, 0), episode: str = "deal", **rules):
    env = snapszer_v0.raw_env(rules, episode)
    options = {
        "deck": DECK,
        "dealer": 3,
        "match": {"score": list(score)},
        "actions": [f"name {named}", *actions],
    }
    env.reset(seed=1, options=options)
    return env


class Counts(NamedTuple):
    """Points and tricks of forehand's side, then of the others; spread over the members as it comes."""

    points: tuple[int, int]
    tricks: tuple[int, int]


def counted(counts: Counts, lone: bool, phase: Phase, seat: int, **kwargs):
    """A table in the middle of play with these counts, `seat` to act; a lone forehand named an own card."""
    env = after(**kwargs)
    state = env.snapshot()["state"]
    caller, others = 0, 1  # who has won all the tricks of each side
    state["holder"] = 0 if lone else 2
    for field in ("points", "tricks"):
        state[field] = [0] * 4
        state[field][caller], state[field][others] = getattr(counts, field)
    if not state["tricks"][seat]:
        caller_side = seat in (0, state["holder"])
        state["tricks"][caller if caller_side else others] -= 1
        state["tricks"][seat] = 1
    state["phase"], state["seat"], state["leader"] = int(phase), seat, seat
    if phase == Phase.AFTER:
        state["hand"] = [0] * 4
    return change(env, **state)


class Example(NamedTuple):
    counts: Counts
    actor: int
    action: str
    reward: tuple[float, ...]
    lone: bool = False


SIDES = {
    1: Example(Counts((70, 33), (2, 2)), 0, "claim", (1, -1, 1, -1)),
    2: Example(Counts((66, 32), (2, 2)), 0, "claim", (2, -2, 2, -2)),
    3: Example(Counts((90, 10), (3, 1)), 2, "claim", (2, -2, 2, -2)),
    4: Example(Counts((130, 0), (6, 0)), 0, "claim", (3, -3, 3, -3)),
    5: Example(Counts((100, 0), (4, 1)), 0, "claim", (2, -2, 2, -2)),
    6: Example(Counts((66, 40), (3, 2)), 0, "claim", (1, -1 / 3, -1 / 3, -1 / 3), lone=True),
    7: Example(Counts((28, 80), (1, 4)), 1, "claim", (-6, 2, 2, 2), lone=True),
    8: Example(Counts((60, 30), (3, 2)), 2, "claim", (-2, 2, -2, 2)),
    9: Example(Counts((50, 0), (3, 0)), 0, "claim", (-9, 3, 3, 3), lone=True),
    10: Example(Counts((72, 58), (4, 2)), 0, "continue", (1, -1, 1, -1)),
    11: Example(Counts((100, 30), (5, 1)), 0, "continue", (2, -2, 2, -2)),
    12: Example(Counts((65, 65), (3, 3)), 0, "continue", (0, 0, 0, 0)),
}


@pytest.mark.parametrize("number", SIDES)
def test_result(number):
    counts, actor, action, reward, lone = SIDES[number]
    env = counted(counts, lone, Phase.AFTER if action == "continue" else Phase.LEAD, actor)
    env.step(action)
    assert over(env)
    assert tuple(env.rewards.values()) == pytest.approx(reward)


def test_the_last_trick_brings_its_cards_and_ten():
    """Example 13: ace, ten, king and queen are 28, with the ten 38; forehand's hA takes the last trick."""
    env = after()
    hands = [env.game.pack.mask([card]) for card in ("hA", "hT", "hK", "hQ")]
    change(env, hand=hands, tricks=[3, 2, 0, 0])
    for action in ("play hA", "play hT", "play hK", "play hQ"):
        env.step(action)
    assert env.snapshot()["state"]["points"] == [38, 0, 0, 0]


MARRIAGE = ("meld s", "play sQ", "play sA", "play sT", "play s9")
PARTNER_WINS = ("play h9", "play hA", "play hQ", "play hJ")
FOREHAND_WINS = ("play dJ", "play dK", "play dA", "play dQ")


@pytest.mark.parametrize(("owner", "after_partner", "after_own"), [("declarer", 0, 60), ("team", 40, 60)])
def test_a_marriage_of_the_first_lead_waits(owner, after_partner, after_own):
    """Example 14: forehand shows the trump marriage and loses; its partner wins trick 2, forehand trick 3."""
    lost = after(*MARRIAGE, pending_marriage_owner=owner)
    assert (lost.snapshot()["state"]["points"][0], lost.snapshot()["state"]["pending"][0]) == (0, 40)
    partner = after(*MARRIAGE, *PARTNER_WINS, pending_marriage_owner=owner)
    assert partner.snapshot()["state"]["points"][0] == after_partner
    own = after(*MARRIAGE, *PARTNER_WINS, *FOREHAND_WINS, pending_marriage_owner=owner)
    assert own.snapshot()["state"]["points"][0] == after_own


def test_several_may_win_a_match_together_or_one():
    """Example 15: scores 5, 6, 5, 3; seats 0 and 1 get one point, and seat 1 has won."""
    env = after("play sQ", named="sA", score=(5, 6, 5, 3), episode="match")  # sA: seat 1 is the partner
    change(env, points=[0, 70, 40, 0], tricks=[0, 2, 2, 0], phase=Phase.LEAD, seat=1, leader=1)
    env.step("claim")
    assert env.snapshot()["state"]["score"] == [6, 7, 5, 3]
    assert list(env.rewards.values()) == [-1, 1, -1, -1]


@pytest.mark.parametrize("tie", ["none", "last_trick"])
def test_drawn_deals_wait_only_where_they_are_carried(tie):
    """The match state of docs/rules/snapszer.md#the-match: a carry above 0 needs `tie=carry`."""
    env = snapszer_v0.raw_env({"tie": tie}, "match")
    with pytest.raises(SetupError, match=r"^match carry: got 1; expected only 0 unless tie=carry$"):
        env.reset(seed=1, options={"match": {"score": [0] * 4, "carry": 1}})
    env.reset(seed=1, options={"match": {"score": [0] * 4, "carry": 0}})

    carrying = snapszer_v0.raw_env({"tie": "carry"}, "match")
    carrying.reset(seed=1, options={"match": {"score": [0] * 4, "carry": 1}})
    assert carrying.snapshot()["state"]["carry"] == 1


# What each seat knows


def knows(env, seat: int) -> tuple[list[float], bool]:
    """Which of the next three seats a seat takes for partners, and whether it knows the sides."""
    features = env.encoding.named(env.observe(f"player_{seat}")["observation"])
    return features["partners"].tolist(), bool(features["partners"].any() or features["opponents"].any())


def test_only_the_holder_knows_at_first():
    env = after()
    assert knows(env, 2) == ([0, 1, 0], True)
    assert [knows(env, seat)[1] for seat in (0, 1, 3)] == [False] * 3


def test_all_know_once_the_named_card_is_played():
    env = after("play sK", "play sA", "play sT")
    assert [knows(env, seat) for seat in range(4)] == [([0, 1, 0], True)] * 4


def test_all_know_once_the_named_card_is_shown_in_a_marriage():
    """Forehand may name a card of its own where the rules allow it; showing it tells so."""
    env = after(named="sK", allow_call_own=True)
    assert [knows(env, seat)[1] for seat in range(4)] == [True, False, False, False]
    env.step("meld s")
    assert all(env.encoding.named(env.observe(agent)["observation"])["alone"] == 1 for agent in env.agents)


def test_forehand_may_not_name_a_visible_card():
    env = snapszer_v0.raw_env()
    env.reset(seed=1, options={"deck": DECK, "dealer": 3})
    assert env.observe("player_0")["action_mask"].sum() == 21


def test_safe_claims_count_what_the_claimer_can_know():
    """Partner and forehand have 70 together; only the holder of the named card may count them."""
    for seat, allowed in ((0, False), (2, True)):
        env = counted(Counts((70, 20), (3, 2)), False, Phase.LEAD, seat, claims="safe")
        change(env, points=[40, 20, 30, 0])
        claim = env.game.action_index["claim"]
        assert env.observe(f"player_{seat}")["action_mask"][claim] == allowed


def holders(claims: str) -> set[int]:
    """Seats that may hold the named card for seat 3 when forehand has 40 points and seat 1 has 30."""
    env = counted(Counts((40, 30), (2, 2)), False, Phase.LEAD, 0, claims=claims)
    return {int(env.resample("player_3", seed)[0].holder) for seed in range(200)}


@pytest.mark.parametrize("owner", ["declarer", "team"])
def test_a_marriage_that_the_first_trick_has_lost_is_lost_in_every_world(owner):
    """However often a world is drawn again because forehand could not have named the card in it."""
    rules = {"first_marriage_counts": "that_trick", "pending_marriage_owner": owner}
    env = after("meld s", "play sK", "play sA", "play sT", "play sJ", named="cA", **rules)
    assert env.copy_state()[0].voided[0] == 20
    replay = Replay(env.game)
    for agent in "player_1", "player_3":
        assert all(replay.is_true(env.resample(agent, seed)) for seed in range(50))


def test_where_the_engine_claims_no_side_can_have_the_goal_already():
    assert holders("free") == {0, 1, 2}
    assert holders("auto") == {0, 2}
