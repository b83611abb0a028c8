"""The decision nodes of Gaigel and its options, one small position each: 0 is forehand, hearts are trumps."""

import pytest

from stichwerk.envs import SetupError, gaigel_v0, make_vec
from tests.envs.games.gaigel.model import double_set
from tests.envs.games.gaigel.positions import (
    answering,
    at_the_end,
    change,
    deck,
    hand,
    on_lead,
    plays,
    set_deal,
    state,
)
from tests.envs.games.gaigel.test_examples import LOW_TRUMPS, TRUMPS, settled
from tests.envs.support import legal, over, play

# The opening and the first trick

OPENINGS = {
    "ace and more": ("cA cT hK hQ h7", "geelfen andere_alte hoeher_hat dissle", {}),
    "aces only": ("cA hT hK hQ h7", "geelfen andere_alte dissle", {}),
    "no ace": ("cT hT hK hQ h7", "hoeher_hat dissle", {}),
    "the ace must open": ("cA cT hK hQ h7", "geelfen andere_alte", {"must_open_ace": True}),
    "no ace to open": ("cT hA hK hQ h7", "hoeher_hat dissle", {"must_open_ace": True}),
    "no Dissle": ("cT hA hK hQ h7", "hoeher_hat", {"dissle": False}),
    "five trumps": (TRUMPS, "trump", {}),
    "five trumps with must_open_ace": (TRUMPS, "trump", {"must_open_ace": True}),
}


@pytest.mark.parametrize("case", OPENINGS)
def test_openings(case):
    cards, openings, rules = OPENINGS[case]
    assert legal(set_deal(cards, **rules)) == [f"open {opening}" for opening in openings.split()]


@pytest.mark.parametrize(
    ("opening", "allowed"),
    [("geelfen", "dA cA"), ("andere_alte", "dA cA"), ("hoeher_hat", "cT"), ("dissle", "dA cA cT")],
)
def test_the_lead_of_an_opening(opening, allowed):
    assert plays(set_deal("cA dA cT hA h7", actions=f"open {opening}")) == allowed


def test_no_trump_answers_in_the_first_trick_but_from_five():
    env = set_deal("cA", "hA d7 hK", LOW_TRUMPS, actions="open geelfen, play cA", indicator="hQ")
    assert not [card for card in plays(env).split() if card[0] == "h"]
    play(env, "play d7")
    assert plays(env) == "hT hK hQ hJ h7"


def test_aus_exchange_and_signals_wait_for_the_second_trick():
    env = set_deal("cA h7", "d7 h7", actions="open geelfen, play cA", signals="public", aus_window="any_turn")
    assert all(action.startswith("play") for action in legal(env))


@pytest.mark.parametrize(("lead", "may"), [("face_down", False), ("face_up", True)])
def test_a_pair_on_a_sure_card_needs_open_cards(lead, may):
    """The partner is last to play, and the third seat's card wins."""
    env = set_deal(
        "d7", "dA", "d7", "sK sQ", dissle_lead=lead, actions="open dissle, play d7, play dA, play d7"
    )
    assert ("meld s" in legal(env)) == may


def test_a_trump_pair_on_the_partners_trump_ace_shows_five_trumps():
    env = set_deal(
        "hA hA hT hK hQ", "d7", "hT hK hQ hJ h7", actions="open trump, play hA, play d7", indicator="hJ"
    )
    assert "meld h" in legal(env)
    env.step("meld h")
    assert plays(env) == "hK hQ"
    assert state(env)["missing"][2] == ((1 << 24) - 1) & ~(0b111111 << 6)


def test_a_sure_card_serves_for_one_pair_only():
    env = set_deal("cA", "s7", "sK sQ dK dQ", "d7", actions="open geelfen, play cA, play s7, meld s")
    assert legal(env) == ["play sK", "play sQ"]


# Turns


def test_aus_on_lead_and_after_a_pair():
    env = on_lead("d7", "d7", "sK sQ")
    assert "aus" in legal(env)
    play(env, "play d7, play d7")
    assert "aus" not in legal(env)
    env.step("meld s")
    assert "aus" in legal(env)


def test_aus_at_any_turn():
    env = on_lead("d7", "d7", aus_window="any_turn")
    play(env, "play d7")
    assert "aus" not in legal(env), "his side has no trick"
    play(env, "play d7")
    assert "aus" in legal(env)


@pytest.mark.parametrize(("points", "may"), [(100, False), (101, True)])
def test_safe_aus(points, may):
    env = change(on_lead(claims="safe"), points=[points, 0])
    assert ("aus" in legal(env)) == may


def test_the_engine_says_aus_at_the_first_moment():
    env = change(on_lead("sK sQ", claims="auto"), points=[90, 60], tricks=[3, 3])
    assert "aus" not in legal(env)
    env.step("meld s")
    assert list(env.rewards.values()) == [1, -1, 1, -1]


def test_the_last_node_is_there_only_for_aus():
    env = on_lead("", claims="safe")
    cards = {"hand": [double_set([card]) for card in ("cA", "c7", "d7", "s7")], "held": [1, 1, 1, 1]}
    change(env, indicator=-1, top=48, trick=12, points=[60, 100], tricks=[6, 5], **cards)
    play(env, "play cA, play c7, play d7, play s7")
    assert over(env)
    assert list(env.rewards.values()) == [-1, 1, -1, 1]


def test_meld_must_play():
    env = on_lead("cK cQ sK sQ", meld_must_play=True)
    env.step("meld c")
    assert plays(env) == "cK cQ"
    env.step("meld s")
    assert plays(env) == "sK sQ cK cQ"


def test_meld_must_play_needs_a_playable_card():
    answers = {rule: answering("cK cQ sA", "sT", meld_must_play=rule) for rule in (False, True)}
    for env in answers.values():
        change(env, tricks=[1, 1])
    assert "meld c" in legal(answers[False])
    assert "meld c" not in legal(answers[True])


@pytest.mark.parametrize(("rule", "allowed"), [("strict", "cA"), ("follow_only", "cA cJ")])
def test_following_when_the_talon_is_gone(rule, allowed):
    assert plays(answering("cA cJ hA", "cT", post_talon=rule)) == allowed


def test_signals():
    env = on_lead("d7", signals="public")
    assert [action for action in legal(env) if action.startswith("signal")] == [
        f"signal {suit}" for suit in "shdc"
    ]
    env.step("signal c")
    assert env.agent_selection == "player_0"
    assert not [action for action in legal(env) if action.startswith("signal")]
    play(env, "play d7")
    assert "signal s" in legal(env)


# The exchange

KING = {"indicator": "hK"}


def test_the_exchange():
    env = on_lead("h7", **KING)
    env.step("exchange")
    assert hand(env, 0)["hK"] == 1
    assert state(env)["indicator"] == env.game.pack.index["h7"]
    assert "exchange" not in legal(env)


def test_no_exchange_without_a_trick_or_for_a_seven():
    env = on_lead("dQ", "h7", **KING)
    env.step("play dQ")
    assert "exchange" not in legal(env)
    assert "exchange" not in legal(on_lead("h7", indicator="h7"))


def test_the_partners_chain():
    env = on_lead("h7 dQ", "cJ", "h7 hK", **KING)
    play(env, "exchange, play dQ, play cJ")
    assert "exchange" in legal(env)
    env.step("exchange")
    assert hand(env, 0)["h7"] == 1
    assert hand(env, 0)["hK"] == 0
    assert hand(env, 2)["hK"] == 2
    assert "exchange" not in legal(env)


def test_no_chain_once_the_card_is_gone():
    env = on_lead("h7", "cJ", "h7 hK", **KING)
    play(env, "exchange, play hK, play cJ")
    assert "exchange" not in legal(env)


def test_a_card_keeps_its_mark_in_the_chain():
    env = on_lead("h7 hQ dQ", "cJ", "h7", **KING)
    play(env, "exchange, meld h, play dQ, play cJ, exchange")
    king = double_set(["hK"])
    assert state(env)["declared"][2] == king
    assert state(env)["declared"][0] == double_set(["hQ"])


def test_only_the_holder_of_the_other_seven_learns_whether_the_chain_is_open():
    """The partner, when it is to act, can tell whether forehand holds a second king; nobody else can."""
    env = on_lead("h7 hK", "cJ", "h7", **KING)
    play(env, "exchange, play hK, play cJ")
    assert "exchange" in legal(env)
    for seat, agent in enumerate(env.possible_agents):
        view = env.view(agent)[0]
        assert (view.asker, view.answers) == ((2, 1) if seat == 2 else (-1, 0))
    for seed in range(20):
        assert env.resample("player_2", seed)[0].hand[0] & double_set(["hK"])


# Scoring

THREE = {"players": 3}


@pytest.mark.parametrize(("any_opponent", "rewards"), [(False, [2, -1, -1]), (True, [4, -2, -2])])
def test_three_players_and_a_trickless_opponent(any_opponent, rewards):
    env = at_the_end([101, 0, 0], [3, 1, 0], any_opponent=any_opponent, **THREE)
    env.step("aus")
    assert list(env.rewards.values()) == rewards


def test_false_aus_of_three():
    env = on_lead(**THREE)
    env.step("aus")
    assert list(env.rewards.values()) == [-4, 2, 2]


@pytest.mark.parametrize("value", [1, 2])
def test_a_lost_dissle_of_three(value):
    actions = "open dissle, play d7, play cJ, play sJ"
    env = set_deal("d7", "cJ", "sJ", actions=actions, indicator="hQ", dissle_value=value, **THREE)
    assert list(env.rewards.values()) == [-2 * value, value, value]


@pytest.mark.parametrize(
    ("last_trick_wins", "seat", "winner"), [(False, 0, None), (True, 0, 0), (True, 1, 1)]
)
def test_equal_totals(last_trick_wins, seat, winner):
    env = at_the_end([120, 120], [6, 6], seat=seat, last_trick_wins=last_trick_wins)
    env.step("continue")
    assert list(env.rewards.values()) == [
        0 if winner is None else 1 if other % 2 == winner else -1 for other in range(4)
    ]


def test_equal_totals_of_two_while_a_third_wins_the_last_trick():
    env = at_the_end([100, 100, 40], [6, 5, 5], seat=2, last_trick_wins=True, **THREE)
    env.step("continue")
    assert not any(env.rewards.values())


def test_the_last_trick_may_bring_ten():
    for ten in (False, True):
        env = on_lead(last_trick_10=ten)
        cards = {"hand": [double_set([card]) for card in ("cA", "c7", "d7", "s7")], "held": [1, 1, 1, 1]}
        change(env, indicator=-1, top=48, trick=12, points=[60, 100], tricks=[6, 5], **cards)
        play(env, "play cA, play c7, play d7, play s7")
        assert state(env)["points"][0] == 71 + 10 * ten


# The match


def test_a_side_without_tokens_when_the_pool_is_empty_has_won():
    assert settled(([0, 9], 1, 1), 0, 2) == ([0, 10], 0, 2, True)


def test_or_must_win_one_more_deal():
    one_more = {"tokenless": "one_more"}
    assert settled(([0, 9], 1, 1), 0, 2, **one_more) == ([0, 10], 0, 2, False)
    assert settled(([0, 10], 0, 2), 1, 1, **one_more) == ([0, 9], 1, 2, False)
    assert settled(([0, 10], 0, 2), 0, 1, **one_more) == ([0, 10], 0, 2, True)


def test_short_tokens_go_out_from_the_winners_right():
    assert settled(([4, 0, 3], 3, 1), 1, 2) == ([5, 0, 5], 0, 2, True)


def test_three_players_may_finish_together():
    env = on_lead(players=3, episode="match", score="target", target=2)
    env.step("aus")
    assert over(env)
    assert list(env.rewards.values()) == [-1, 1, 1]


def test_five_sevens_in_a_match_are_paid_and_dealt_past():
    env = set_deal("c7 c7 s7 h7 d7", episode="match")
    after = state(env)
    assert (after["deal_number"], after["deals_done"]) == (1, 1)
    assert after["score"][:2] == [0, 1]
    assert after["dealer"] == 0
    assert legal(env)


# Every deal is told, also those that dealt sevens end: docs/rules/conventions.md#episodes

SEVENS = 4583  # a seed whose second deal, number 1, gives somebody five sevens


def rewards_of_sevens(dealer: int) -> list[float]:
    """What that deal brings, as an episode of its own."""
    env = gaigel_v0.raw_env()
    env.reset(seed=SEVENS)
    env.reset()
    cards = [env.game.pack.names[card] for card in env.copy_state()[0].deck]
    env.reset(options={"deck": cards, "dealer": dealer})
    assert over(env)
    assert told(env) == [(reward, [reward]) for reward in env.rewards.values()]
    return list(env.rewards.values())


def told(env) -> list[tuple[float, list[float]]]:
    """For each seat what it got in all, and deal by deal, for those that ended in the last step or
    `reset`."""
    return [(info["deal_points"], info["deals"]) for info in env.infos.values()]


def both(first: list[float], second: list[float]) -> list[tuple[float, list[float]]]:
    return [(one + two, [one, two]) for one, two in zip(first, second, strict=True)]


def test_deals_that_end_in_a_reset_are_told_in_order():
    env = gaigel_v0.raw_env(episode="match")
    env.reset(seed=SEVENS, options={"deck": deck("c7 c7 s7 h7 d7"), "dealer": 3})
    assert state(env)["deals_done"] == 2
    assert told(env) == both([1, -1, 1, -1], rewards_of_sevens(dealer=0))
    twin = gaigel_v0.raw_env(episode="match")
    twin.restore(env.snapshot())
    assert twin.infos == env.infos
    for each in (env, twin):
        each.step(legal(each)[0])
        assert not any(each.infos.values())


def test_deals_that_end_in_one_step_are_told_in_order():
    """Alone, in a match and in a lane: there the sum is told."""
    alone, env = gaigel_v0.raw_env(), gaigel_v0.raw_env(episode="match")
    vec = make_vec("gaigel_v0", 1, episode="match")
    alone.reset(seed=SEVENS)
    env.reset(seed=SEVENS)
    vec.reset(seed=SEVENS)
    while not over(alone):
        assert not any(env.infos.values())
        action = legal(alone)[0]
        alone.step(action)
        env.step(action)
        *_, info = vec.step([env.action_names.index(action)])
    assert state(env)["deals_done"] == 2
    second = rewards_of_sevens(dealer=(state(env)["dealer"] - 1) % 4)
    assert told(env) == both(list(alone.rewards.values()), second)
    assert info["deal_points"][0].tolist() == [points for points, _ in told(env)]
    assert vec.lanes.states[0].deals_done == 2


IMPOSSIBLE = {
    "no stage": ({"tokens": [0, 0], "pool": 10}, {}, "stage"),
    "stage 3": ({"tokens": [0, 0], "pool": 10, "stage": 3}, {}, "stage: got 3"),
    "empty pool in stage 1": ({"tokens": [5, 5], "pool": 0, "stage": 1}, {}, "pool: got 0"),
    "tokens too many": ({"tokens": [5, 5], "pool": 1, "stage": 1}, {}, r"tokens: got \[5, 5\]"),
    "tokens of three": ({"tokens": [1, 1, 1], "pool": 7, "stage": 1}, {}, "2 whole numbers"),
    "a side that has won": ({"tokens": [0, 10], "pool": 0, "stage": 2}, {}, "would have won"),
    "no tokens in stage 2": ({"tokens": [0, 0], "pool": 10, "stage": 2}, {"tokenless": "one_more"}, "tokens"),
    "score by target": ({"score": [7, 0]}, {"score": "target"}, "0 to 6"),
    "tokens by target": ({"tokens": [0, 0], "pool": 10, "stage": 1}, {"score": "target"}, "score"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_an_impossible_match_state(case):
    match, rules, word = IMPOSSIBLE[case]
    with pytest.raises(SetupError, match=word):
        gaigel_v0.raw_env(rules).reset(options={"match": match})


# The cards: docs/rules/gaigel.md#seats-and-sides


@pytest.mark.parametrize(
    ("players", "talon", "rounds", "tricks"), [(3, 33, 11, 16), (4, 28, 7, 12), (6, 18, 3, 8)]
)
def test_the_talon_divides_evenly(players, talon, rounds, tricks):
    env = gaigel_v0.raw_env({"players": players, "dissle": False, "five_sevens": False})
    env.reset(seed=1)
    before = state(env)
    assert 48 - before["top"] + 1 == talon == rounds * players
    while legal(env) != ["aus", "continue"]:
        env.step(next(action for action in legal(env) if action.startswith(("open", "play"))))
    assert sum(state(env)["tricks"]) == tricks
    assert sum(state(env)["points"]) == 240
    env.step("continue")
    assert over(env)
