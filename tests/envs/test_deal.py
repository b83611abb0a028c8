"""A deal at a prompt is the deal of the environments, also when actions are taken back."""

import doctest
import json
import random
import subprocess
import sys
from dataclasses import replace
from inspect import getmembers, isfunction

import numpy as np
import pytest

import stichwerk
from stichwerk.envs import GAMES, CardGameEnv, IllegalAction, InputError, make_game
from stichwerk.envs import deal as module
from stichwerk.envs.deal import Deal, View
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.notation import write_deal, write_line

EXPLAINED = {"Deal": Deal, "Deal.of": Deal.of, "Deal.read": Deal.read} | {
    f"{own.__name__}.{name}": member
    for own in (Deal, View)
    for name, member in getmembers(own)
    if not name.startswith("_") and (isinstance(member, property) or isfunction(member))
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_example_of_each_attribute(name):
    (example,) = doctest.DocTestFinder(recurse=False).find(EXPLAINED[name], name, module, globs={})
    assert example.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


def drawn(seed: int) -> tuple[Deal, CardGameEnv, random.Random]:
    """A deal of a game drawn at random, and an environment with the same cards."""
    rng = random.Random(seed)
    env = CardGameEnv(rng.choice(sorted(GAMES)))
    env.reset(seed=seed)
    return stichwerk.Deal(env.game.env_id, seed=seed), env, rng


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_deal_of_an_environment(seed):
    deal, env, rng = drawn(seed)
    while not deal.is_over:
        mask = env.observe(env.agent_selection)["action_mask"]
        assert f"player_{deal.seat}" == env.agent_selection
        assert deal.legal_actions == tuple(env.action_names[each] for each in np.flatnonzero(mask))
        for seat in range(deal.game.seats):
            view, known = deal.view(seat), env.view(f"player_{seat}")
            assert str(view) == repr(view) == deal.game.text(known, seat)
            assert view.scene == deal.game.scene(known, seat)
        assert str(deal) == deal.game.text(env.copy_state(), -1)
        seat = rng.randrange(deal.game.seats)
        assert deal.view(seat)._repr_svg_() == env.picture(seat).svg()
        assert deal._repr_svg_() == env.picture("all").svg()
        action = rng.choice(deal.legal_actions)
        deal.push(action)
        env.step(action)
    (record,) = env.deals()
    assert deal.record() == replace(record, number=None)
    assert deal.record(seat=0) == deal.record("player_0")
    assert (deal.points, deal.moves, deal.seat, deal.legal_actions) == (record.points, record.moves, None, ())
    assert deal.points == tuple(env.rewards.values())


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_back_was_never_there(seed):
    deal, _, rng = drawn(seed)
    kept = []
    while not deal.is_over and len(kept) < 40:
        kept.append((deal.state.tobytes(), deal.record(), str(deal)))
        deal.push(rng.choice(deal.legal_actions))
    for state, record, text in reversed(kept):
        assert deal.pop() in deal.legal_actions
        assert (deal.state.tobytes(), deal.record(), str(deal)) == (state, record, text)
    with pytest.raises(InputError, match="before the first action"):
        deal.pop()


@pytest.mark.parametrize("seed", range(4))
def test_records_lines_and_snapshots_are_read(seed):
    deal, env, rng = drawn(seed)
    for _ in range(6):
        action = rng.choice(deal.legal_actions)
        deal.push(action)
        env.step(action)
    game, record = deal.game, deal.record()
    for text in (write_records(game, [record]), write_deal(game, record), write_line(game, record)):
        assert Deal.read(text).moves == record.moves
        assert str(Deal.read(text)) == str(deal)
    assert Deal.read(json.dumps(env.snapshot())).moves == record.moves
    own = deal.record(seat=1)
    assert Deal.of(game, own).record() == own
    assert str(Deal.of(game, own).view(1)) == str(deal.view(1))


@pytest.mark.parametrize("seed", range(4))
def test_a_view_depends_on_nothing_but_what_the_seat_knows(seed):
    deal, env, _ = drawn(seed)
    for seat in range(deal.game.seats):
        env.set_state(env.resample(f"player_{seat}", 5))
        other = Deal.of(make_game(env.game.env_id), env.deals()[-1])
        assert other.record().deck != deal.record().deck
        assert str(other.view(seat)) == str(deal.view(seat))
        assert other.view(seat)._repr_svg_() == deal.view(seat)._repr_svg_()
        env.reset(seed=seed)


def test_set_deals_and_wrong_words():
    deal = Deal("schnapsen", "schnapsen", 1, {"dealer": 1, "match": {"score": [3, 5]}, "actions": []})
    assert (deal.seat, deal.record().match) == (0, {"score": [3, 5]})
    before = deal.record()
    for action, says in (
        ("play xx", "action 'play xx' is not legal for player_0; "),
        (10**6, "action 1000000 is not legal"),
        (None, "action None is not legal"),
    ):
        with pytest.raises(IllegalAction, match=says):
            deal.push(action)
    assert deal.record() == before
    for wrong in ({"dealer": 7}, {"deck": ["sA"]}, {"actions": ["fly"]}):
        with pytest.raises(InputError):
            Deal("schnapsen", options=wrong)
    with pytest.raises(InputError, match="seat: got 9"):
        deal.view(9)
    while not deal.is_over:
        deal.push(deal.legal_actions[0])
    with pytest.raises(IllegalAction, match="the deal is over"):
        deal.push("play sA")


def test_it_is_imported_when_it_is_asked_for():
    code = "import stichwerk, sys; print('numpy' in sys.modules, hasattr(stichwerk, 'Dael')); stichwerk.Deal"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False False\n"
