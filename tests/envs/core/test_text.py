"""Words that the texts of all games share."""

import re

from stichwerk.envs.core.text import counted, results
from tests.envs.support import each_variant, positions


def test_numbers_in_texts():
    assert [counted(number, "card") for number in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert results([-0.0, 1.5]) == "over      player_0 +0, player_1 +1.5"
    assert results([1234, -411 - 1 / 3]) == "over      player_0 +1234, player_1 -411.33"
    assert results([-1e-9, -2], "+z.3f") == "over      player_0 +0.000, player_1 -2.000"


@each_variant
def test_one_card_is_no_cards(variant):
    """Until a deal is over, in what every seat sees."""
    env = variant.env(render_mode="ansi")
    texts = [
        env.game.text(env.view(agent), seat)
        for _ in positions(env, seed=5)
        for seat, agent in enumerate(env.possible_agents)
    ]
    assert not any(re.search(r"\b1 (cards|tricks|points)\b", text) for text in texts)
