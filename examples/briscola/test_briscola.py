"""Briscola: the kit's checks, and the rules by example."""

import pytest
from briscola import GAME

from stichwerk.envs import make_game
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.testing import check_game

ID = "briscola:briscola_v0"


@pytest.mark.parametrize(
    ("rules", "compared"),
    [(None, 1), *(pytest.param(rules, 3, marks=pytest.mark.slow) for rules in (None, {"target": 1}))],
)
def test_the_kit(rules, compared):
    check_game(ID, rules, compared=compared)


def test_forty_cards():
    assert len(make_game(ID).deck) == 40


def deal(
    forehand: str, dealer: str, turned_up: str, stock: str = "", actions: tuple[str, ...] = ()
) -> CardGameEnv:
    """Player 0 deals these cards; the rest of the stock is in any order."""
    known = [*forehand.split(), *dealer.split(), turned_up, *stock.split()]
    rest = [name for name in GAME.pack.names if name not in known]
    env = CardGameEnv(ID)
    env.reset(seed=1, options={"deck": known + rest, "dealer": 0, "actions": list(actions)})
    return env


@pytest.mark.parametrize(
    ("led", "answer", "winner", "points"),
    [
        ("hA", "h3", 1, 21),  # the ace beats the three, which is the second card
        ("h4", "h5", 0, 0),
        ("hA", "s2", 0, 11),  # the smallest trump
        ("hA", "cA", 1, 22),  # another suit never wins
        ("sJ", "sQ", 0, 5),
    ],
)
def test_who_wins_a_trick(led, answer, winner, points):
    env = deal(f"{led} d2 d4", f"{answer} d5 d6", "s7", actions=(f"play {led}", f"play {answer}"))
    assert env.agent_selection == f"player_{winner}"
    state = env.copy_state()[0]
    assert state.points[winner] == points
    assert state.held.tolist() == [3, 3], "both have drawn"


def test_any_card_may_answer():
    env = deal("hA d2 d4", "h3 s5 d6", "s7", actions=("play hA",))
    assert env.observe("player_0")["action_mask"].sum() == 3


def test_the_last_card_drawn_is_the_one_turned_up():
    env = deal("hA d2 d4", "h3 s5 d6", "s7")
    for _ in range(34):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    state = env.copy_state()[0]
    loser = 1 - int(state.leader)
    assert state.got[loser, 19] == GAME.pack.index["s7"]


def test_sixty_each_is_a_draw():
    env = CardGameEnv(ID)
    for seed in range(400):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        points = env.copy_state()[0].points.tolist()
        assert sum(points) == 120
        expected = (points[0] > 60) - (points[0] < 60)
        assert [env.rewards["player_0"], env.rewards["player_1"]] == [expected, -expected]
