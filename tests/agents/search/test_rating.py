"""How agents rate the actions of one turn: probabilities, values with their intervals, and the choice."""

import numpy as np
import pytest

from stichwerk.agents import Agent, Turns, make_agent_for
from stichwerk.agents.search.rollout import margins_of
from stichwerk.envs import CardGameEnv
from tests.agents.support import ppo_agent
from tests.envs.records.test_records import played


def at_table(env_id: str = "schnapsen_v0", seed: int = 2, **options) -> tuple[CardGameEnv, Turns]:
    env = CardGameEnv(env_id)
    env.reset(seed=seed, options=options)
    return env, Turns.at(env)


def seeded(text: str, env: CardGameEnv) -> Agent:
    agent = make_agent_for(text, env.game)
    agent.seed(7)
    return agent


@pytest.mark.parametrize(
    ("text", "has_probabilities", "has_values", "has_margins"),
    [
        ("rules", False, False, False),
        ("random", True, False, False),
        ("rollout:worlds=40", False, True, True),
        ("ismcts:worlds=200", True, True, False),
    ],
)
def test_what_agents_tell(text, has_probabilities, has_values, has_margins):
    """They choose in the same way as when they play."""
    env, turn = at_table()
    rating = seeded(text, env).rate(turn)
    assert rating.actions.tolist() == np.flatnonzero(turn.mask[0]).tolist()
    assert rating.chosen == seeded(text, env).act(turn)[0]
    for name, is_there in {
        "probabilities": has_probabilities,
        "values": has_values,
        "margins": has_margins,
    }.items():
        told = getattr(rating, name)
        assert (told is not None) == is_there, name
        assert told is None or told.shape == rating.actions.shape
    if has_probabilities:
        assert rating.probabilities.sum() == pytest.approx(1)
    if has_margins:
        assert (rating.margins > 0).any()


def test_a_network_tells_its_probabilities():
    env, turn = at_table()
    agent = ppo_agent(env.game, greedy=True)
    rating = agent.rate(turn)
    policy = np.exp(agent.log_probabilities(turn.observation(env.game), turn.mask)[0])
    assert rating.probabilities == pytest.approx(policy[rating.actions])
    assert rating.chosen == rating.actions[rating.probabilities.argmax()]


def test_known_cards_are_valued_exactly():
    """When both cards of a small stock are drawn, each seat can tell all cards."""
    pack = ["sA", "sK", "sQ", "sJ", "hT", "hQ", "hJ", "hK"]
    env = CardGameEnv("schnapsen_v0", {"pack": pack, "hand_size": 3, "goal": 30})
    env.reset(seed=1)
    for _ in range(2):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    turn = Turns.at(env)
    rating = seeded("rollout:worlds=8", env).rate(turn)
    assert rating.margins.tolist() == [0] * len(rating.actions)
    assert rating.chosen == seeded("rollout:worlds=8", env).act(turn)[0]


def test_half_of_an_interval():
    """By Student's t, as of so many worlds of equal weight as the weights are worth."""
    values = np.array([[0.0, 3.0], [1.0, 3.0], [2.0, 3.0], [3.0, 3.0]])
    margins = margins_of(values, np.full(4, 0.25))
    assert margins == pytest.approx([3.182 * np.std(values[:, 0], ddof=1) / 2, 0], rel=1e-3)
    assert margins_of(values, np.array([1.0, 0, 0, 0])).tolist() == [np.inf, np.inf]


def test_a_lone_action_is_sure():
    env, _ = at_table()
    while len(np.flatnonzero(Turns.at(env).mask[0])) > 1:
        env.step(int(np.flatnonzero(Turns.at(env).mask[0])[0]))
    agent = make_agent_for("ismcts:worlds=20", env.game)
    rating = agent.rate_hidden(env.view(env.agent_selection), Turns.at(env).all_seats[0], np.array([3]), 1)
    assert rating.probabilities.tolist() == [1]


def test_a_lone_action_is_not_valued_by_a_later_decision():
    """Which may have the same action in Gaigel, where each card is there twice."""
    env = played(CardGameEnv("gaigel_v0"), 7, 32)
    rating = seeded("ismcts:worlds=40", env).rate(Turns.at(env))
    assert rating.probabilities.tolist() == [1]
    assert np.isnan(rating.values).tolist() == [True]
