"""The rule-based players of version 0.1 play as they did then, so that results against them stay comparable.

They share functions with the players of today. A change of one of these that is seen here goes into a copy:
`v0_1` keeps the function as it was.
"""

import hashlib

import numpy as np
import pytest

from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.envs import make_game
from stichwerk.envs.engine.lanes import Lanes

LANES, STEPS = 1_000, 100
OTHERS = 0.3  # the share of the decisions that are played otherwise, so that all kinds of positions come up

# Digests of 100,000 decisions, recorded with the players as version 0.1 had them.
PLAYED = [
    ("schnapsen_v0", {}, "ad31a01b5b2d7eaf"),
    ("sixty_six_v0", {}, "7ed50c6b6054142d"),
    ("snapszer_v0", {}, "3e22a799b67d55a5"),
    ("gaigel_v0", {"players": 3}, "7ba4801801cebf1e"),
    ("gaigel_v0", {"players": 4}, "e2024209786c557a"),
    ("gaigel_v0", {"players": 6}, "106a272b37f88212"),
    ("preferans_v0", {"players": 3}, "0889b34563d8a5e4"),
    ("preferans_v0", {"players": 4}, "0889b34563d8a5e4"),
]


@pytest.mark.parametrize(("env_id", "rules", "digest"), PLAYED)
def test_players_of_version_0_1_play_as_they_did(env_id, rules, digest):
    game = make_game(env_id, rules)
    player = RulesAgent("rules:0.1", game, "0.1")
    lanes = Lanes(game, LANES, "match", keep_views=True)
    lanes.seed(1)
    lanes.start()
    played, others = hashlib.sha256(), np.random.default_rng(1).random((STEPS, LANES)) < OTHERS
    for number, other in enumerate(others):
        actions = player.act(Turns.of(lanes, lanes.all))
        played.update(actions.astype(np.int16).tobytes())
        nth = (number + lanes.all) % lanes.mask.sum(axis=1)
        nth_legal = (lanes.mask.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
        lanes.step(np.where(other, nth_legal, actions))
    assert played.hexdigest()[:16] == digest
