"""The public checks pass for every game, and each notices the fault that it is there for."""

import random
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pytest

from stichwerk.envs import Game, make_game, testing
from stichwerk.envs.core.deal import end_deal
from stichwerk.envs.core.log import logged_seat
from stichwerk.envs.engine.determinize import resample_by_replay
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.games import GAMES, OWN_GAMES
from stichwerk.envs.games.schnapsen import GAME, flow, hidden
from stichwerk.envs.games.schnapsen.features import SUMMARY, observe_summary
from stichwerk.envs.games.schnapsen.state import Phase
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.fields import StateLayout
from tests.envs.games.test_registry import BRISCOLA
from tests.envs.support import FIRST_VARIANTS, PATIENCE, VARIANTS, slowly

QUICK = [each for each in FIRST_VARIANTS if each.env_id in ("schnapsen_v0", "snapszer_v0")]


@pytest.mark.parametrize(
    "variant", [*QUICK, *slowly(*(each for each in VARIANTS if each not in QUICK))], ids=str
)
@pytest.mark.parametrize("compared", [0, *slowly(1)])  # to find all worlds takes long
def test_every_game_passes(variant, compared):
    testing.check_game(
        variant.env_id, variant.rules, ends_deals=tuple(PATIENCE), compiled=False, compared=compared
    )


@pytest.mark.slow
def test_random_matches_without_end_are_cut_off(capsys, monkeypatch):
    """As those of Preferans are at its usual rules."""
    monkeypatch.setattr(testing, "PATIENCE", 0)  # seconds: a quick machine says what it checks too
    testing.check_game("preferans_v0", compiled=False, compared=1)
    assert "checking preferans_v0: check_worlds" in capsys.readouterr().err


SMALL = {"pack": ["sA", "sK", "sQ", "hA", "hK", "hQ", "dA", "dK", "dQ", "cA"], "hand_size": 2, "goal": 20}


def test_worlds_of_a_small_pack_come_up_evenly(faulty):
    assert testing.check_worlds_are_even(faulty(SMALL), chooser()) == 3


@compiled
def deal_that_may_end(rules, state):
    """Is over at once in one deal of three."""
    flow.deal(rules, state)
    if state.deck[0] % 3 == 0:
        state.phase = Phase.DONE
        end_deal(state)


def test_deals_may_end_at_once(faulty):
    game = faulty(SMALL, deal=deal_that_may_end)
    testing.check_determinism(game, chooser())
    assert testing.check_worlds_are_even(game, chooser()) == 3


# Schnapsen with one fault each


@pytest.fixture
def faulty():
    """Puts a game with faults in the place of Schnapsen."""
    with ExitStack() as stack:

        def put(rules=None, **changes) -> Game:
            spec = replace(GAME, **{"encodings": {"summary": SUMMARY}, **changes})
            stack.enter_context(GAMES.replaced({"schnapsen_v0": spec}))
            return make_game("schnapsen_v0", rules)

        yield put


def chooser():
    rng = random.Random(0)
    return partial(
        testing.choose_patiently, rng=rng, patience=dict.fromkeys(("claim", "close", "pass", "aus"), 0.9)
    )


def with_fields(**changes) -> StateLayout:
    """Schnapsen's state with fields declared otherwise."""
    fields = [replace(field, **changes.get(field.name, {})) for field in GAME.state.fields]
    return replace(GAME.state, fields=fields)


@compiled
def forget_the_last(rules, state, seat):
    """Take the last action of another seat out of the log."""
    if state.log_size and logged_seat(state, state.log_size - 1) != seat:
        state.log_size -= 1


def test_actions_that_are_left_out_of_a_log(faulty):
    with pytest.raises(AssertionError, match="without actions that leaves_out does not name"):
        testing.check_play(faulty(redact=forget_the_last), chooser())


def test_a_refusal_that_is_no_sentence(faulty):
    with pytest.raises(AssertionError, match=r"why_not says 'No\.' of '.*'; expected one line"):
        testing.check_play(faulty(why_not=lambda rules, view, seat, action: "No."), chooser())


@pytest.mark.parametrize(
    "name", ["hand", *(pytest.param(n, marks=pytest.mark.slow) for n in ("drawn", "dealt"))]
)
@pytest.mark.slow
def test_a_field_that_is_shown_to_all(faulty, name):
    game = faulty(state=with_fields(**{name: {"known": "all"}}))
    with pytest.raises(AssertionError, match=r"differs in|tells what it cannot know"):
        testing.check_worlds(game, chooser())


def test_a_deck_that_is_shown_to_all(faulty):
    game = faulty(state=with_fields(deck={"known": "all"}))
    with pytest.raises(AssertionError, match=r"the view of player_. tells what it cannot know"):
        testing.check_worlds(game, chooser())


@compiled
def resample_nothing(rules, view, seat):
    """Leaves the other hand empty."""


def unevenly(spec):
    """Two worlds are drawn, and the one whose other hand is the lower number is kept."""
    record, size, engine = spec.state.dtype, spec.state.dtype.itemsize, engine_for(spec, False)
    resample = spec.resample or resample_by_replay(
        spec, engine.deal_again, engine.legal, engine.apply, engine.redact
    )

    @compiled
    def resample_unevenly(rules, view, seat):
        worlds = np.zeros(2, record)
        for world in range(2):
            worlds[world] = view
            worlds[world].random += world
            resample(rules, worlds[world], seat)
        other = 1 if seat == 0 else 0
        kept = 0 if worlds[0].hand[other] < worlds[1].hand[other] else 1
        copy_bytes(view, worlds[kept], 0, size)

    return resample_unevenly


@pytest.mark.parametrize("env_id", ["schnapsen_v0", *slowly(*OWN_GAMES[1:], "briscola_v0")])
def test_worlds_that_come_up_unevenly(env_id, monkeypatch):
    """In each game at its usual rules."""
    monkeypatch.syspath_prepend(BRISCOLA)
    spec = import_module("briscola").GAME if env_id == "briscola_v0" else GAMES[env_id]
    with GAMES.replaced({env_id: replace(spec, resample=unevenly(spec))}):
        game = make_game(env_id)
        testing.check_worlds(game, chooser(), episodes=1)
        with pytest.raises(
            AssertionError, match=rf"{env_id}, deal from seed .* draws some worlds more often"
        ):
            testing.check_worlds_are_even(game, chooser())


@compiled
def apply_one_trick(rules, state, action):
    """A deal is over, unpaid, before many cards are known."""
    flow.apply(rules, state, action)
    if state.log_size >= 2 and not state.over:
        state.phase = Phase.DONE
        end_deal(state)


@pytest.fixture
def deep_stack():
    """Room for Numba to compile one function inside of another, below pytest's own calls."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(3_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.slow
@pytest.mark.usefixtures("deep_stack")
def test_a_check_that_counts_nothing_fails(faulty):
    faulty(apply=apply_one_trick)
    with pytest.raises(AssertionError, match="got 0 positions with few enough worlds to count; expected 3"):
        testing.check_game("schnapsen_v0", compiled=False)
    testing.check_game("schnapsen_v0", compiled=False, compared=0)


@compiled
def resample_too_few(rules, view, seat):
    """The same world whenever it is drawn."""
    random = view.random
    view.random = 1
    hidden.resample(rules, view, seat)
    view.random = random


def test_worlds_that_never_come_up(faulty):
    with pytest.raises(AssertionError, match="never draws a world that is possible"):
        testing.check_worlds_are_even(faulty(SMALL, resample=resample_too_few), chooser())


def test_worlds_that_lack_cards(faulty):
    with pytest.raises(AssertionError, match=r"cannot be played|differs in"):
        testing.check_worlds(faulty(resample=resample_nothing), chooser())


@compiled
def deal_one_card_twice(rules, state):
    state.deck[1] = state.deck[0]
    flow.deal(rules, state)


def test_a_card_that_is_there_twice(faulty):
    with pytest.raises(AssertionError, match="cards are lost"):
        testing.check_play(faulty(deal=deal_one_card_twice), chooser())


@compiled
def apply_and_pay_twice(rules, state, action):
    flow.apply(rules, state, action)
    if state.over:
        state.reward[0] += 1


def test_rewards_that_do_not_add_up(faulty):
    with pytest.raises(AssertionError, match="do not add up to zero"):
        testing.check_play(faulty(apply=apply_and_pay_twice), chooser())


@compiled
def no_legal_answer(rules, state, mask):
    if state.led < 0:
        flow.legal(rules, state, mask)


def test_a_decision_without_an_action(faulty):
    with pytest.raises(AssertionError, match="has no legal action"):
        testing.check_play(faulty(legal=no_legal_answer), chooser())


@compiled
def deal_by_the_past(rules, state):
    """The cards depend on what has been played before."""
    place = 1 + 2 * state.score[0] + state.score[1]
    state.deck[0], state.deck[place] = state.deck[place], state.deck[0]
    flow.deal(rules, state)


def test_cards_that_depend_on_the_play_before(faulty):
    with pytest.raises(AssertionError, match="depend on how the deals before were played"):
        testing.check_determinism(faulty(deal=deal_by_the_past), chooser(), "match")


@compiled
def negative(rules, view, seat, out):
    observe_summary(rules, view, seat, out)
    out[0] = -1


def test_an_observation_outside_its_space(faulty):
    summary = Encoding("summary", SUMMARY.features, negative)
    with pytest.raises(AssertionError, match="outside its space"):
        testing.check_play(faulty(encodings={"summary": summary}), chooser())


ODD = """
from dataclasses import replace

from numba import config
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.games.schnapsen import GAME as SCHNAPSEN
from stichwerk.envs.games.schnapsen import flow

FIRST = 1 if config.DISABLE_JIT else 0

@compiled
def deal(rules, state):
    state.deck[0], state.deck[FIRST] = state.deck[FIRST], state.deck[0]
    flow.deal(rules, state)

GAME = replace(SCHNAPSEN, env_ids={"odd_v0": "schnapsen"}, deal=deal)
"""


def test_interpreted_play_that_differs(tmp_path, monkeypatch):
    (tmp_path / "odd.py").write_text(ODD)
    monkeypatch.syspath_prepend(tmp_path)
    with (
        GAMES.replaced({}),
        pytest.raises(AssertionError, match="compiled and interpreted play differ"),
    ):
        testing.check_compiled(make_game("odd:odd_v0"))
