"""The rule-based player of Gaigel keeps to its principles. Seat 0 is forehand, hearts are trumps."""

import numpy as np
import pytest

from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.envs import make_game
from tests.agents.support import Onlooker
from tests.envs.games.gaigel.positions import change, on_lead, set_deal

each_number = pytest.mark.parametrize("players", [3, 4, 6])


def chosen(env) -> str:
    """What the player does at this table."""
    seat = env.possible_agents.index(env.agent_selection)
    mask = env.observe(env.agent_selection)["action_mask"]
    turns = Turns.one(env.view(env.agent_selection), seat, mask)
    return env.action_names[RulesAgent("rules", env.game).act(turns)[0]]


@pytest.mark.parametrize(
    ("hand", "opening"),
    [
        ("cA cT", "geelfen"),
        ("cT cK", "hoeher_hat"),
        ("c7 c7 s7 d7 dJ", "hoeher_hat"),
        ("hA hT hK hQ h7", "trump"),
    ],
)
def test_the_opening(hand, opening):
    assert chosen(set_deal(hand)) == f"open {opening}"


@pytest.mark.parametrize(("points", "says"), [(101, True), (100, False)])
def test_aus_with_101_and_not_before(points, says):
    assert (chosen(change(on_lead("d7"), points=[points, 40])) == "aus") == says


def test_exchanges_and_declares_at_once():
    assert chosen(on_lead("h7 hQ", indicator="hK")) == "exchange"
    assert chosen(on_lead("sK sQ hK hQ")) == "meld h"
    assert chosen(on_lead("sK sQ")) == "meld s"


def test_feeds_the_partners_sure_trick_and_starves_the_opponents():
    env = set_deal("cA", "cT d7", "dT d7", "dT s7", actions="open geelfen, play cA")
    assert chosen(env) != "play cT"
    env.step("play d7")
    assert chosen(env) == "play dT"


def test_keeps_a_pair_until_it_can_be_declared():
    env = set_deal("cA", "dK dQ sJ sJ sT", actions="open geelfen, play cA")
    assert chosen(env) not in ("play dK", "play dQ")


def test_asks_for_the_suit_of_an_ace():
    assert chosen(on_lead("dA", signals="partner")) == "signal d"


def fourth_in_hand(hand: str, points: int):
    """Cards are drawn; the opponents' jack wins the second trick, and the last to play has this hand."""
    env = on_lead("d7", "c7", "dJ", hand)
    for card in ("d7", "c7", "dJ"):
        env.step(f"play {card}")
    return change(env, points=[0, points])


def test_spends_a_high_trump_on_the_trick_that_wins_and_not_on_a_poor_one():
    assert chosen(fourth_in_hand("hA cJ cQ cT", 30)) != "play hA"
    assert chosen(fourth_in_hand("hA cJ cQ cT", 88)) == "play hA"


def test_takes_points_that_nobody_can_take_back():
    env = on_lead("dT", "d7", "cJ", "dA cJ")
    for card in ("dT", "d7", "cJ"):
        env.step(f"play {card}")
    assert chosen(env) == "play dA"


@each_number
@pytest.mark.slow
def test_beats_random_play(players):
    game = make_game("gaigel_v0", {"players": players})
    result = play_pair(game, RulesAgent("rules", game), RandomAgent("random"), Series(200, seed=1))
    assert result.low > 1


@each_number
def test_never_says_aus_in_vain(players):
    game = make_game("gaigel_v0", {"players": players})
    player = Onlooker(RulesAgent("rules", game))
    play_pair(game, player, player, Series(200, seed=2))
    turns, actions = player.seen()
    said = actions == game.action_index["aus"]
    sides = turns.all_seats[said] % len(set(game.sides))
    assert said.sum() > 100
    assert (turns.all_views["points"][said, sides] >= 101).all()


@each_number
def test_beats_version_0_1(players):
    game = make_game("gaigel_v0", {"players": players})
    result = play_pair(
        game, RulesAgent("rules", game), RulesAgent("rules:0.1", game, "0.1"), Series(1000, seed=3)
    )
    assert result.low > 0


def test_version_0_1_plays_as_it_did():
    """It is a fixed mark: what it did in 50 deals against itself, added up."""
    for players, did in {3: (5775, 297303063), 4: (2772, 70248592), 6: (2594, 61109574)}.items():
        game = make_game("gaigel_v0", {"players": players})
        player = Onlooker(RulesAgent("rules:0.1", game, "0.1"))
        play_pair(game, player, player, Series(50, seed=1))
        _, actions = player.seen()
        assert (len(actions), int(actions @ np.arange(len(actions)))) == did
