"""Custom agents play everywhere, and whatever goes wrong in one is named in a line."""

import json
import re
import sys
import threading

import numpy as np
import pytest

from stichwerk.agents import AgentError, as_agent, make_agent, make_agent_for
from stichwerk.agents.builtin.baselines import RandomAgent, RulesAgent
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.envs.gym import SeatEnv
from stichwerk.agents.evaluation.playing.matches import (
    Series,
    blocks_of,
    play_block,
    play_here,
    play_pair,
    seatings,
)
from stichwerk.agents.external import custom as own
from stichwerk.agents.external.custom import CustomAgent
from stichwerk.commands import eval as evaluation
from stichwerk.commands import train
from stichwerk.envs import IllegalAction, InputError, make_game, make_vec, schnapsen_v0
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.support.numbers import in_points
from tests.agents.support import ROOT, assert_same_run, ctrl_c_after, here, ppo_agent, tree, write_config
from tests.envs.support import each_game, python

GAME = make_game("schnapsen_v0")
DOCUMENTED = re.findall(r"```python\n(.*?)```", (ROOT / "docs/howto/custom_agents.md").read_text(), re.DOTALL)


def first_legal(observation, mask):
    return int(mask.argmax())


class Batched:
    """No Agent, but it acts."""

    def act(self, turns: Turns) -> list[int]:
        return turns.mask.argmax(axis=1).tolist()


class Chancy(Agent):
    def act(self, turns: Turns) -> np.ndarray:
        mask = turns.mask
        return (self.random.random(mask.shape) * mask).argmax(axis=1)


# Whatever a maker returns


@each_game
@pytest.mark.parametrize(
    "player", [first_legal, Batched(), Chancy("chancy")], ids=["function", "object", "Agent"]
)
def test_all_kinds_play_every_game(env_id, player):
    game = make_game(env_id)
    result = play_pair(game, as_agent(player, game, "mine"), RandomAgent("random"), Series(6, seed=1))
    assert (result.a, result.deals) == ("mine", 6)


def test_functions_see_a_row_and_its_mask():
    seen = []

    def look(observation, mask):
        seen.append((observation.copy(), mask.copy()))
        observation[:], mask[:] = 9, 0  # whatever it does to them
        return GAME.actions[np.flatnonzero(seen[-1][1])[0]]  # by name

    agent, env = as_agent(look, GAME), schnapsen_v0.raw_env()
    env.reset(seed=3)
    observed = env.observe(env.agent_selection)
    assert agent.act_in(env) == np.flatnonzero(observed["action_mask"])[0]
    ((observation, mask),) = seen
    assert observation.dtype == np.float32
    np.testing.assert_array_equal(observation, observed["observation"])
    np.testing.assert_array_equal(mask, observed["action_mask"])


def test_an_agent_keeps_its_own_chance():
    """Hence a checkpoint holds it."""
    agent, alone = as_agent(Chancy("chancy"), GAME), Chancy("chancy")
    agent.seed(7)
    alone.seed(7)
    vec = make_vec("schnapsen_v0", 50)
    vec.reset()
    assert (agent.act_in(vec) == alone.act_in(vec)).all()
    assert agent.random.bit_generator.state == alone.random.bit_generator.state


@pytest.mark.parametrize("player", [None, 3, "rules"])
def test_what_cannot_play(player):
    with pytest.raises(AgentError, match=r"agent mine: got .*act\(turns\)"):
        as_agent(player, GAME, "mine")


def test_an_agent_of_another_game():
    with pytest.raises(AgentError, match="gaigel_v0"):
        as_agent(make_agent("rules", "gaigel_v0"), GAME)


# In three lines


@pytest.mark.parametrize("text", ["random", "rules", "ppo", "own"])
def test_any_agent_on_a_table_and_on_lanes(text):
    made = {"ppo": lambda: ppo_agent(GAME), "own": lambda: as_agent(first_legal, GAME)}
    agent = made[text]() if text in made else make_agent(text, "schnapsen_v0")
    vec = make_vec("schnapsen_v0", 20, seed=1)
    with pytest.raises(InputError, match="reset"):
        agent.act_in(vec)
    vec.reset()
    for _ in range(30):
        actions = agent.act_in(vec)
        assert actions.shape == (20,)
        vec.step(actions)
    env = schnapsen_v0.env()
    env.reset(seed=1)
    observation, *_ = env.last()
    if text == "rules":
        with pytest.raises(AgentError, match="act_in"):
            agent.act_on(observation)
    else:
        assert observation["action_mask"][agent.act_on(observation)]
    if text != "random":
        with pytest.raises(AgentError, match="does not fit"):
            agent.act_in(make_vec("gaigel_v0", 2))


@pytest.mark.parametrize("number", [1, 7])
def test_lanes_show_the_same_views_as_a_table(number):
    vec, env = make_vec("schnapsen_v0", number, seed=5), schnapsen_v0.raw_env()
    vec.reset()
    env.reset(seed=5)
    for _ in range(8):
        assert vec.views()[0] == env.view(env.agent_selection)[0]
        actions = make_agent("rules", "schnapsen_v0").act_in(vec)
        vec.step(actions)
        env.step(int(actions[0]))


def test_observations_that_do_not_fit():
    agent, env = as_agent(first_legal, GAME), schnapsen_v0.raw_env()
    env.reset(seed=1)
    observed = env.observe(env.agent_selection)
    with pytest.raises(InputError, match="shape"):
        agent.act_on({**observed, "observation": observed["observation"][1:]})
    with pytest.raises(InputError, match="a dict of observation and action_mask"):
        agent.act_on(observed["observation"])
    with pytest.raises(InputError, match="no legal action"):
        agent.act_on({**observed, "action_mask": 0 * observed["action_mask"]})
    for name, value, given in [
        ("observation", observed["observation"].astype(str), "got observation array"),
        ("observation", [[1], [1, 2]], "got observation [[1], [1, 2]]; expected an array of numbers"),
        ("observation", None, "got observation None; expected an array of numbers"),
        ("action_mask", None, "got action_mask None; expected an array of numbers"),
        ("action_mask", observed["action_mask"] * np.nan, "got action_mask [nan, "),
        ("action_mask", -observed["action_mask"], "expected int8[actions] of 0 and 1"),
    ]:
        for each in (agent, make_agent("random", "schnapsen_v0"))[: 1 + (name == "action_mask")]:
            with pytest.raises(InputError, match=re.escape(given)):
                each.act_on({**observed, name: value})
    assert agent.act_on({**observed, "action_mask": observed["action_mask"].astype(bool)}) == agent.act_on(
        {name: value.tolist() for name, value in observed.items()}
    )
    history = schnapsen_v0.raw_env(observation="history")
    history.reset(seed=1)
    with pytest.raises(AgentError, match="expected 'summary'"):
        agent.act_on(history.observe(history.agent_selection))


# What they remember, and what they can change


class Remembers:
    """Plays otherwise as soon as it has ever sat elsewhere, where it was shown the others' cards."""

    def __init__(self):
        self.seats = set()

    def act(self, turns: Turns) -> np.ndarray:
        self.seats |= set(turns.all_seats[turns.which].tolist())
        mask = turns.mask
        return (
            mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1) if len(self.seats) > 1 else mask.argmax(axis=1)
        )


class AgentRemembers(Remembers, Agent):
    def __init__(self):
        Remembers.__init__(self)
        Agent.__init__(self, "mine", GAME)


def remembering_function(game):
    player = Remembers()

    def act(observation, mask):
        own = GAME.encoding("summary").slices["hand"]
        player.seats.add(observation[own].tobytes())
        return int(np.flatnonzero(mask)[-1 if len(player.seats) > 1000 else 0])

    return act


REMEMBERING = {
    "made": lambda: CustomAgent("mine", Remembers(), GAME, make=Remembers),
    "copied": lambda: as_agent(Remembers(), GAME, "mine"),
    "with a limit": lambda: CustomAgent("mine", as_agent(Remembers(), GAME), GAME, limit_ms=1e6),
    "Agent": AgentRemembers,
}


@pytest.mark.parametrize("kind", REMEMBERING)
def test_memory_of_the_other_seating_brings_nothing(kind):
    """Both seatings have the same cards."""
    mine = REMEMBERING[kind]()
    result = play_pair(GAME, mine, RulesAgent("rules", GAME), Series(200, seed=1))
    without = play_pair(
        GAME, as_agent(first_legal, GAME, "mine"), RulesAgent("rules", GAME), Series(200, seed=1)
    )
    assert result == without
    assert play_pair(GAME, mine, RulesAgent("rules", GAME), Series(200, seed=1)) == without, (
        "nor of another evaluation"
    )


class CountsTurns:
    """What it plays depends on all turns that it had before."""

    def __init__(self):
        self.turns = 0

    def act(self, turns: Turns) -> np.ndarray:
        self.turns += len(turns)
        return (turns.mask * (np.arange(turns.mask.shape[1]) * self.turns % 7 + 1)).argmax(axis=1)


def test_blocks_can_be_played_apart_whatever_an_agent_remembers():
    """As a cluster does, and an evaluation that is resumed."""
    agents = CustomAgent("mine", CountsTurns(), GAME, make=CountsTurns), RandomAgent("random")
    series = Series(40, 1, block=10, seatings=seatings(GAME))
    whole = [rewards for rewards, *_ in play_here(GAME, agents, series, lambda games: None)]
    for block, rewards in reversed(list(zip(blocks_of(series), whole, strict=True))):
        ((apart, *_),) = play_block(GAME, agents, series, block)
        np.testing.assert_array_equal(apart, rewards)


class Seeded(Remembers):
    def __init__(self, given):
        super().__init__()
        self.given = given

    def __deepcopy__(self, memo):
        return Seeded(self.given)

    def seed(self, number):
        self.given.append(number)


def test_no_seed_of_an_agent_tells_that_of_the_deals():
    given = {}
    for seed in (1, 2):
        player = Seeded([])
        play_pair(GAME, as_agent(player, GAME), as_agent(player, GAME), Series(20, seed=seed, block=10))
        env = SeatEnv("schnapsen_v0", as_agent(player, GAME))
        env.reset(seed=seed)
        given[seed] = player.given
    assert given[1] == given[2]
    assert len(set(given[1])) == 1 + 2 * 2 * 2 + 1, "at first; by block, seating and place; at the table"
    tried = {
        int(stream_seed(seed, *place))
        for seed in range(1001)
        for use in (Use.TEST, Use.VALIDATION)
        for at in range(4)
        for place in ((use,), (use, at), (Use.AGENTS, use, at), (Use.AGENTS, use, at, 1), (Use.OPPONENTS, at))
    }
    assert not tried & set(given[1])


def test_agents_of_the_suite_keep_their_chance():
    """By which published results were played."""
    agent = RandomAgent("random")
    agent.seed_for(1, Use.AGENTS, Use.TEST, 0)
    alone = np.random.default_rng(int(stream_seed(1, Use.AGENTS, Use.TEST, 0)))
    assert agent.random.bit_generator.state == alone.bit_generator.state
    limited = CustomAgent("random", agent, GAME, limit_ms=1e6)
    assert not limited.outside
    assert limited.fresh() is limited


@pytest.mark.parametrize("what", ["a closure", "a lock"])
def test_an_agent_that_cannot_be_made_again_says_so(what):
    player = remembering_function(GAME) if what == "a closure" else Remembers()
    if what == "a lock":
        player.lock = threading.Lock()
    with pytest.warns(UserWarning, match="agent mine: got a player that cannot be started again"):
        play_pair(GAME, as_agent(player, GAME, "mine"), RandomAgent("random"), Series(2, seed=1))


class Overwrites(Agent):
    """Makes all legal, and looks at all that it can reach."""

    def act(self, turns: Turns) -> np.ndarray:
        self.turns, actions = turns, turns.mask.argmax(axis=1)
        for array in (turns.all_masks, turns.all_seats, turns.written.rows, turns.all_views.view(np.uint8)):
            array[:] = 1
        return actions


@pytest.mark.parametrize(
    "wrap", [lambda agent: agent, lambda agent: as_agent(agent, GAME)], ids=["Agent", "own"]
)
def test_an_agent_cannot_change_a_vector_environment(wrap):
    vec = make_vec("schnapsen_v0", 8, seed=1)
    seen, _ = vec.reset()
    before = {name: array.copy() for name, array in seen.items()}, vec.seats.copy()
    player = Overwrites("mine", GAME)
    wrap(player).act_in(vec)
    for name, array in seen.items():
        np.testing.assert_array_equal(array, before[0][name])
    np.testing.assert_array_equal(vec.seats, before[1])
    with pytest.raises(IllegalAction):
        vec.step(before[0]["action_mask"].argmin(axis=1))


def test_an_agent_of_no_wrapper_sees_its_own_turns_alone():
    player = Overwrites("mine", GAME)
    kept = []
    player.act = lambda turns: (kept.append(turns), turns.mask.argmax(axis=1))[1]
    play_pair(GAME, player, RulesAgent("rules", GAME), Series(20, seed=1))
    assert kept
    assert all(len(turns) == len(turns.all_views) == len(turns.all_masks) for turns in kept)


# What goes wrong is named


def crash(observation, mask):
    raise ValueError("out of luck")


def leave(observation, mask):
    sys.exit(0)


FAULTS = {
    "a crash": (crash, "agent mine crashed: ValueError: out of luck (test_custom.py:"),
    "it leaves": (leave, "agent mine crashed: SystemExit"),
    "one argument": (lambda observation: 0, "agent mine crashed: TypeError"),
    "illegal": (lambda observation, mask: int(mask.argmin()), "is not legal here; legal: "),
    "below zero": (lambda observation, mask: -1, "agent mine plays -1, which is not legal"),
    "no action": (lambda observation, mask: None, "agent mine: got the answer None; expected"),
    "half an action": (lambda observation, mask: 0.5, "got the answer 0.5"),
    "a truth": (lambda observation, mask: True, "got the answer True"),
    "a huge number": (lambda observation, mask: 10**30, "agent mine: got the answer"),
    "an unknown name": (lambda observation, mask: "sing", "got the answer 'sing'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_functions(fault):
    player, words = FAULTS[fault]
    env = schnapsen_v0.env()
    env.reset(seed=1)
    with pytest.raises(AgentError, match=re.escape(words)) as caught:
        as_agent(player, GAME, "mine").act_in(env)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answer", [None, 0, [], [0.0], [[0]], ["play sA"], [0, 0], [[0], [0, 1]]])
def test_objects_that_answer_wrongly(answer):
    class Wrong:
        def act(self, turns):
            return answer

    env = schnapsen_v0.env()
    env.reset(seed=1)
    with pytest.raises(AgentError, match=r"agent mine: got the answer .* to 1 turns; .*shape \(1,\)"):
        as_agent(Wrong(), GAME, "mine").act_in(env)


def test_a_player_that_cannot_be_seeded():
    class Seedless:
        def seed(self):
            pass

        def act(self, turns):
            return turns.mask.argmax(axis=1)

    with pytest.raises(AgentError, match=r"agent mine crashed in seed: TypeError: .* \(custom.py:"):
        as_agent(Seedless(), GAME, "mine")


def test_a_slow_agent(monkeypatch):
    clock = iter([0, 5, 5, 5.005, 6, 6.02])  # seconds: the first decision is free
    monkeypatch.setattr(own, "perf_counter", lambda: next(clock))
    agent, env = CustomAgent("mine", first_legal, GAME, limit_ms=10), schnapsen_v0.env()
    env.reset(seed=1)
    agent.act_in(env)
    agent.act_in(env)
    with pytest.raises(AgentError, match="agent mine is too slow: got 20 ms a decision; expected at most 10"):
        agent.act_in(env)


# By name


def test_a_custom_imitation_agent_is_asked_in_its_turns_alone(module, tmp_path):
    """Of few lanes all may wait for the opponents."""
    module(DOCUMENTED[0])
    few = {"lanes": 2, "steps": 64, "decisions": 128, "opponents": {"random": 1}}
    config = write_config(tmp_path, **few, imitation_agent="python:my_module:make_agent")
    assert here(train.main, config, "--run", tmp_path / "run") == 0


def test_the_documented_lines_play(module, tmp_path):
    module(DOCUMENTED[0])
    words = "--agents", "mine=python:my_module:make_agent", "best=rules", "random", "--deals", 20
    assert here(evaluation.main, *words, "--out", tmp_path / "out") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [(pair["a"], pair["b"]) for pair in results["pairs"]] == [
        ("mine", "best"),
        ("mine", "random"),
        ("best", "random"),
    ]


def test_a_documented_agent_made_of_others(module):
    """It declares betl, as the network in it hardly ever does."""
    (source,) = (block for block in DOCUMENTED if "class WithBetl" in block)
    module(source)
    game = make_game("preferans_v0")
    made = make_agent_for("python:my_module:make_agent", game)
    roles = play_pair(game, made, make_agent_for("ppo:preferans3", game), Series(200, 1), by_role=True).roles
    assert (made.name, "declared igra betl") in {(role.agent, role.role) for role in roles}


BAD_TEXTS = {
    "no module": ("python:", "python:MODULE:MAKER"),
    "no maker": ("python:my_module", "python:MODULE:MAKER"),
    "unknown module": ("python:no_module:make_agent", "No module named 'no_module'"),
    "unknown maker": ("python:my_module:think", "think"),
    "no function": ("python:my_module:NUMBER", "NUMBER is 3"),
    "a maker that crashes": ("python:my_module:fail", "ZeroDivisionError"),
    "a maker of nothing": ("python:my_module:nothing", "got None"),
    "a setting": ("python:my_module:nothing,ms=3", "python:MODULE:MAKER"),
}


@pytest.mark.parametrize("what", BAD_TEXTS)
def test_texts_that_lead_nowhere(what, module, tmp_path, capsys):
    module("NUMBER = 3\ndef fail(game): return 1 / 0\ndef nothing(game): return None\n")
    text, words = BAD_TEXTS[what]
    before = tree(tmp_path).keys()
    assert here(evaluation.main, "--agents", text, "rules", "--out", tmp_path / "out") == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert words in err
    assert {name for name in tree(tmp_path) if "__pycache__" not in name} == before


ENTRY_POINTS = "[stichwerk.agents]\nclubplayer = clubmodule:make_agent\nbroken = clubmodule:think\n"


def test_installed_agents_go_by_their_name(tmp_path, monkeypatch):
    (tmp_path / "clubmodule.py").write_text(DOCUMENTED[0])
    facts = tmp_path / "club-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: club\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    program = """
from stichwerk.agents import make_agent
print(make_agent("clubplayer", "schnapsen_v0").name)
for text in ("broken", "clubplayer:x", "clap"):
    try:
        make_agent(text, "schnapsen_v0")
    except ValueError as error:
        print(error)
"""
    name, broken, argument, unknown = python(program).splitlines()
    assert name == "clubplayer"
    assert "'broken' cannot be loaded" in broken
    assert "expected clubplayer" in argument
    assert "clubplayer" in unknown


# What was finished is kept


FAILING = """
def make_agent(game):
    turns = []
    def act(observation, mask):
        turns.append(1)
        return int(mask.argmax()) if len(turns) < 500 else -1
    return act
"""


def test_finished_pairs_are_kept(module, tmp_path, capsys):
    module(FAILING)
    words = "--agents", "rules", "random", "mine=python:my_module:make_agent", "--deals", 100
    assert here(evaluation.main, *words, "--out", tmp_path / "out") == 2
    told = capsys.readouterr()
    assert told.err.startswith("error: agent mine plays -1")
    assert told.err.count("\n") == 1
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [(pair["a"], pair["b"]) for pair in results["pairs"]] == [("rules", "random")]
    assert "agent mine plays -1" in results["stopped"]
    (pair,) = results["pairs"]
    assert in_points(pair["mean"], pair["mean"] - pair["low"]) in told.out


def test_every_agent_can_be_given_a_limit(module, capsys):
    words = "--agents", "rules", "slow=random", "--deals", 10, "--limit-ms", 1e-9
    assert here(evaluation.main, *words) == 2
    assert "is too slow" in capsys.readouterr().err


# In training pools


CHANCY = """
import numpy as np
from stichwerk.agents import Agent

class Chancy(Agent):
    def act(self, turns):
        marks = self.random.random(turns.mask.shape) + np.random.randn() * np.random.random(turns.mask.shape)
        return (np.exp(marks) * turns.mask).argmax(axis=1)

def make_agent(game):
    return Chancy("chancy")
"""


def test_a_pool_with_a_custom_agent_resumes_exactly(module, tmp_path, capsys):
    module(CHANCY)
    opponents = "{latest: 0.5, python:my_module:make_agent: 0.5}"
    config = write_config(tmp_path, opponents=opponents, decisions=2_000, checkpoint_every=2)
    assert here(train.main, config, "--run", "whole") == 0
    with ctrl_c_after(2):
        assert here(train.main, config, "--run", "parts") == 130
    module(CHANCY.replace("chancy", "changed"))
    assert here(train.main, config, "--run", "parts", "--resume") == 2
    assert "--other-code" in capsys.readouterr().err
    module(CHANCY)
    assert here(train.main, config, "--run", "parts", "--resume") == 0
    assert_same_run(tmp_path / "whole", tmp_path / "parts")
