"""`stichwerk analyse`: positions from records and from words, as agents rate them."""

import random

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Rating
from stichwerk.agents.evaluation.playing.analysis import Analysis, analyse, analysis_rows
from stichwerk.agents.solver import solve
from stichwerk.commands import analyse as command
from stichwerk.envs import CardGameEnv
from tests.agents.support import here, save_random_network
from tests.envs.records.test_records import END, played
from tests.envs.support import each_game, positions

FEW = "rollout:worlds=8"


def same(one: Analysis, two: Analysis) -> bool:
    ratings = [
        np.array_equal(getattr(mine, part), getattr(two.ratings[name], part), equal_nan=True)
        for name, mine in one.ratings.items()
        for part in ("actions", "chosen", "values", "margins")
        if getattr(mine, part) is not None
    ]
    return all(ratings) and one.view.tobytes() == two.view.tobytes() and one.exact == two.exact


@each_game
def test_nothing_depends_on_hidden_cards(env_id):
    """A deal that the seat cannot tell from the true one is rated in the same way."""
    env, rng = CardGameEnv(env_id), random.Random(1)
    agents = [make_agent_for(text, env.game) for text in ("rules", "rollout:worlds=2")]
    seats = set()
    for agent in positions(env, seed=3, episodes=2, share=0.4):
        worlds = env.copy_state(), env.resample(agent, rng.getrandbits(32))
        one, two = (analyse(env.game, world, agents, 5, 1_000, all_known=False) for world in worlds)
        assert same(one, two)
        seats.add(one.seat)
    assert len(seats) == env.game.seats


@each_game
def test_words_set_up_any_game(env_id, capsys):
    """Without any words the whole deal is drawn."""
    assert here(command.main, "--env", env_id, "--agents", "rules", FEW) == 0
    printed = capsys.readouterr().out
    assert f"{env_id}, player_" in printed
    assert "±" in printed


def test_a_position_in_words(capsys):
    words = "--hand", "hA", "hT", "sK", "sQ", "dJ", "--trump", "hJ", "--seat", 1
    assert here(command.main, *words, "--agents", "rules", f"try={FEW}", "random") == 0
    printed = capsys.readouterr().out
    assert "player_1  ♠K ♠Q ♥A ♥T ♦J" in printed
    assert "player_0  5 cards" in printed
    assert "trump ♥" in printed
    assert {name in printed for name in ("meld s", "close", "try", "14 %")} == {True}
    assert "exact" not in printed


def test_known_cards_have_exact_values(tmp_path, capsys):
    """Of a record of all cards; a record of one seat has none while cards are hidden."""
    env = played(CardGameEnv("schnapsen_v0"), 4, END)
    whole, own = tmp_path / "whole.jsonl", tmp_path / "own.jsonl"
    whole.write_text(env.record())
    own.write_text(env.record(seat=1))
    (deal,) = env.deals()
    step = next(number for number, move in enumerate(deal.moves) if move.seat == 1)
    env.reset(options={**deal.options(), "actions": deal.options()["actions"][:step]})
    values = solve(env.game, env.copy_state())
    words = "--step", step, "--agents", "rules", "--nodes", 10**8
    assert here(command.main, "--record", whole, *words) == 0
    printed = capsys.readouterr().out
    for action, value in values.items():
        (line,) = (line for line in printed.splitlines() if f" {action} " in line)
        assert line.split()[-2] == f"{value:+g}"
    assert here(command.main, "--record", own, *words) == 0
    printed = capsys.readouterr().out
    assert all(action in printed for action in values)
    assert "exact" not in printed
    assert here(command.main, "--record", whole, "--step", 0, "--agents", "rules", "--nodes", 1) == 0
    assert "no exact values: not solved within 1 nodes" in capsys.readouterr().out


def test_networks_tell_probabilities(tmp_path, capsys):
    folder = save_random_network(tmp_path / "network", CardGameEnv("schnapsen_v0").game)
    assert here(command.main, "--agents", f"net=ppo:{folder}", f"by=search:{folder},worlds=8") == 0
    printed = capsys.readouterr().out
    rows = [line for line in printed.splitlines() if " play " in line]
    assert all(row.count("%") == 2 and row.count("±") == 1 for row in rows)
    assert printed.count("*") == 3


def test_the_highest_seed(capsys):
    assert here(command.main, "--agents", "rules", "--seed", 2**64 - 1) == 0
    assert "player_1 to act" in capsys.readouterr().out


def test_rounding_is_no_doubt():
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[:3]
    rating = Rating(actions, int(actions[0]), None, np.full(3, -3.0), np.array([0, 1e-16, 0.5]))
    _, rows = analysis_rows(env.game, Analysis(0, env.view("player_0"), {"agent": rating}, None, False))
    assert [cells for _, cells in rows] == [["-3.00  *"], ["-3.00"], ["-3.00 ± 0.50"]]


def test_another_seats_record(tmp_path, capsys):
    env = played(CardGameEnv("schnapsen_v0"), 4, END)
    (tmp_path / "own.jsonl").write_text(env.record(seat=1))
    step = next(number for number, move in enumerate(env.deals()[0].moves) if move.seat == 0)
    assert here(command.main, "--record", tmp_path / "own.jsonl", "--step", step, "--agents", "rules") == 2
    assert "expected player_1, whose record this is" in capsys.readouterr().err
