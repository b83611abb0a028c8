"""The Schnapsen platform of the VU Amsterdam: the same rules, and players in both directions.

Where it is not installed, tests/test_vu_schnapsen.py runs these in an environment that has it.
"""

import random
import re

import numpy as np
import pytest

pytest.importorskip("schnapsen")

from schnapsen.game import Bot, SchnapsenGamePlayEngine

from stichwerk.agents import AgentError, make_agent, make_agent_for
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external.vu_schnapsen import GAME, NAMES, AgentBot, action_of, deal_of, perspective_of
from stichwerk.envs import CardGameEnv
from stichwerk.envs.games.schnapsen.options import DEALER, FOREHAND, INDICATOR, STOCK
from stichwerk.envs.records.replay import RecordReplay
from tests.environments import ROOT
from tests.envs.support import choose, over

DEALS = 2_000
ENGINE = SchnapsenGamePlayEngine()
REPLAY = RecordReplay(GAME)


class Comparing(Bot):
    """Plays at random, and finds at each turn the same legal actions and points in both programs."""

    def __init__(self, chance: random.Random):
        super().__init__("comparing")
        self.chance, self.turns = chance, 0

    def get_move(self, perspective, leader_move):
        view, mask = REPLAY.seen_by(REPLAY.check(deal_of(perspective, leader_move)), 0)
        moves = perspective.valid_moves()
        assert {GAME.actions[action] for action in np.flatnonzero(mask)} == set(map(action_of, moves))
        shown = 0
        if leader_move and leader_move.is_marriage():  # which the platform counts after the answer
            shown = 40 if leader_move.suit is perspective.get_trump_suit() else 20
        scores = perspective.get_my_score(), perspective.get_opponent_score()
        assert view[0].points.tolist() == [score.direct_points for score in scores]
        assert view[0].pending.tolist() == [scores[0].pending_points, scores[1].pending_points + shown]
        self.turns += 1
        return self.chance.choice(moves)


def test_both_programs_have_the_same_rules():
    """Seen from the platform: at each turn of its deals."""
    bots = [Comparing(random.Random(seed)) for seed in (1, 2)]
    for seed in range(DEALS):
        ENGINE.play_game(*bots, random.Random(seed))
    assert min(bot.turns for bot in bots) > 5 * DEALS


def test_deals_of_ours_go_the_same_way_there():
    """Seen from here: the same legal actions at each turn."""
    env, chance = CardGameEnv("schnapsen_v0", "schnapsen_vu"), random.Random(1)
    for seed in range(DEALS // 4):
        env.reset(seed=seed)
        while not over(env):
            agent = env.agent_selection
            mask = env.observe(agent)["action_mask"]
            if mask.sum() > 1:
                perspective, _ = perspective_of(env.copy_state()[0])
                legal = {GAME.actions[action] for action in np.flatnonzero(mask)}
                assert set(map(action_of, perspective.valid_moves())) == legal
            env.step(choose(env, chance))


class FirstLegal(Agent):
    def act(self, turns: Turns) -> np.ndarray:
        return turns.mask.argmax(axis=1)


def as_ours(seed: int) -> list[str]:
    """The deck of a seed of the platform, in our dealing order; the forehand there is ours."""
    cards = ENGINE.deck_generator.shuffle_deck(ENGINE.deck_generator.get_initial_deck(), random.Random(seed))
    forehand, dealer, stock = ENGINE.hand_generator.generateHands(cards)
    *stock, turned_up = stock
    places = {
        FOREHAND: iter(forehand),
        DEALER: iter(dealer),
        INDICATOR: iter([turned_up]),
        STOCK: iter(stock),
    }
    return [NAMES[next(places[place])] for place in GAME.rules.layout]


def test_points_at_the_end():
    """The same deals, played by the same choices in both programs."""
    env = CardGameEnv("schnapsen_v0", "schnapsen_vu")
    brought = set()
    for seed in range(300):
        bots = [AgentBot(FirstLegal("first")), AgentBot(FirstLegal("first"))]
        winner, points, _ = ENGINE.play_game(*bots, random.Random(seed))
        env.reset(options={"deck": as_ours(seed), "dealer": 1})
        while not over(env):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        won = points if winner is bots[0] else -points
        assert env.rewards == {"player_0": won, "player_1": -won}
        brought.add(abs(won))
    assert brought == {1, 2, 3}


def test_an_agent_plays_there_as_here():
    """The rule-based player draws nothing, so the same deals bring the same."""
    rules = make_agent_for("rules", GAME)
    env = CardGameEnv("schnapsen_v0", "schnapsen_vu")
    for seed in range(100):
        bots = [AgentBot(rules), AgentBot(rules)]
        winner, points, _ = ENGINE.play_game(*bots, random.Random(seed))
        env.reset(options={"deck": as_ours(seed), "dealer": 1})
        while not over(env):
            env.step(rules.act_in(env))
        assert env.rewards["player_0"] == (points if winner is bots[0] else -points)


@pytest.mark.parametrize("bot", ["rand", "bully", "rdeep"])
def test_their_bots_play_here(bot):
    agent = make_agent_for(f"vu:{bot}", GAME)
    results = [play_pair(GAME, agent, make_agent_for("random", GAME), Series(10, 1)) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].mean > -1


@pytest.mark.parametrize(
    ("text", "rules", "expected"),
    [
        ("vu:deep", "schnapsen_vu", "agent 'vu:deep': got 'deep'; expected one of rand, bully, rdeep"),
        ("vu:rand", "schnapsen", "plays by the preset schnapsen_vu: its rules"),
        ("vu:rdeep,depth=0", "schnapsen_vu", "depth: got '0'; expected a whole number from 1 to 20"),
    ],
)
def test_bots_that_are_none(text, rules, expected):
    with pytest.raises(AgentError) as error:
        make_agent(text, "schnapsen_v0", rules)
    assert expected in str(error.value)


def test_the_examples_of_the_page():
    page = (ROOT / "docs" / "howto" / "vu_schnapsen.md").read_text()
    found: dict = {}
    for example in re.findall(r"```py\n(.*?)```", page, re.DOTALL):
        exec(compile(example, "vu_schnapsen.md", "exec"), found)
    assert play_pair(GAME, found["make_agent"](GAME), make_agent_for("random", GAME), Series(4, 1)).deals == 4
    assert str(found["bot"]) == "rules"
