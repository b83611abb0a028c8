"""The agents that the table seats or offers."""

from stichwerk.agents import make_agent_for
from stichwerk.agents.registry import SHIPPED
from stichwerk.envs.games import make_game
from stichwerk.table.opponents import default_opponent, offered_opponents, searched_networks
from tests.agents.support import ROOT
from tests.envs.support import each_variant


@each_variant
def test_every_offered_agent_can_play(variant):
    game = variant.game
    offered = offered_opponents(game)
    assert offered[0] == default_opponent(game)
    assert len(set(offered)) == len(offered)
    for agent in offered:
        make_agent_for(agent, game)


def test_a_game_without_a_rule_based_player_offers_none(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "briscola"))
    game = make_game("briscola:briscola_v0")
    assert offered_opponents(game) == ("random", "rollout", "ismcts")
    for agent in offered_opponents(game):
        make_agent_for(agent, game)


def test_networks_that_are_searched_are_shipped():
    searched = searched_networks()
    assert {*searched["by_default"]} <= {*searched["better"]} <= {*SHIPPED}
    assert default_opponent(make_game("schnapsen_v0")) == "search:schnapsen,worlds=0,few=400"
    assert default_opponent(make_game("schnapsen_v0", {"target": 11})) == "search:schnapsen,worlds=0,few=400"
    assert default_opponent(make_game("gaigel_v0", {"players": 4, "target": 3})) == "ppo:gaigel4"
    assert default_opponent(make_game("preferans_v0", "serbian_club")) == "ppo:preferans3"
    preferans = make_game("preferans_v0")
    assert default_opponent(preferans) == "ppo:preferans3"
    assert "search:preferans3,worlds=0,few=400" in offered_opponents(preferans)
