"""The upper bound of what a best response wins, beside the best response on a pack of six cards."""

import numpy as np
import pytest

from stichwerk.agents import make_agent_for
from stichwerk.agents.equilibrium.cfr import response_value
from stichwerk.agents.equilibrium.schnapsen import worlds_of
from stichwerk.agents.equilibrium.solve import arranged
from stichwerk.agents.equilibrium.whole import whole_deals
from stichwerk.agents.evaluation.bench.clairvoyant import ClairvoyantResponse
from stichwerk.agents.evaluation.bench.equilibrium import chances_of, turns_at
from stichwerk.envs import InputError, make_game
from stichwerk.envs.engine.replay import Replay

GAME = make_game("schnapsen_v0", {"pack": ["sA", "sK", "sQ", "hA", "hT", "hJ"], "hand_size": 2, "goal": 30})


@pytest.fixture(scope="module", params=["ppo:schnapsen", "ppo:schnapsen,greedy=no"])
def response(request):
    return ClairvoyantResponse(GAME, make_agent_for(request.param, GAME), worlds=16, lessons=500)


@pytest.fixture(scope="module")
def deals():
    """All deals but for what nobody sees, equally often."""
    cards, found = [GAME.pack.parse(name) for name in GAME.deck], []
    for card in cards:
        others = [each for each in cards if each != card]
        start = Replay(GAME).deal([*others[:4], card, *others[4:]], 0)
        worlds = worlds_of(GAME, start[0], 1_000)
        found.append(arranged(GAME, start, worlds.hands, worlds.stock))
    return np.concatenate(found)


def test_bounds_lie_above_the_best_response_and_the_penalty_brings_them_nearer(response, deals):
    exact = []
    for tree, states in whole_deals(GAME):
        chances = chances_of(response.agent, turns_at(GAME, states))
        infos = np.repeat(np.arange(len(tree.owners)), np.diff(tree.slots))
        exact += [response_value(tree, chances[infos, tree.actions], seat) for seat in (0, 1)]
    wins = [response.wins(deals, seat) for seat in (0, 1)]
    clairvoyant, penalised = (np.mean(each) for each in zip(*wins, strict=True))
    own = [response.wins(deals, seat, response.agent).clairvoyant for seat in (0, 1)]
    assert np.mean(own) == pytest.approx(0, abs=0.1 if response.agent.draws else 1e-9)
    assert np.mean(exact) - 0.02 < penalised < clairvoyant - 0.08
    assert 0 < np.mean(exact) < clairvoyant


@pytest.mark.parametrize("text", ["ppo:schnapsen", "random"])
def test_penalties_of_who_sees_a_hand_alone_are_nothing_in_the_mean(response, deals, text):
    responder, found = make_agent_for(text, GAME), []
    for seat in (0, 1):
        responder.seed(seat)
        many = np.concatenate([deals] * 2)
        wins = response.wins(many, seat, responder)
        found.append(wins.clairvoyant - wins.penalised)
    penalties = np.concatenate(found)
    assert penalties.std() > 0.3
    assert abs(penalties.mean()) < 4 * penalties.std() / len(penalties) ** 0.5


def test_others_than_networks_are_refused(game):
    with pytest.raises(InputError, match="agent: got rules; expected a network"):
        ClairvoyantResponse(game, make_agent_for("rules", game))
