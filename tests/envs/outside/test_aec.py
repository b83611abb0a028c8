"""The checks of anybody's AEC environment: a sound one passes, and each fault of another is found."""

import random
import sys

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv

from stichwerk.commands import check
from stichwerk.envs import schnapsen_v0
from stichwerk.envs.testing.outside.aec import check_aec
from stichwerk.envs.testing.outside.exchange import exchange_cards, owner_of, slots_of
from stichwerk.envs.testing.outside.report import Report, same
from tests.agents.support import here

CARDS = [f"{rank}{suit}" for suit in "sh" for rank in "23456789"]


class HighCard(AECEnv):
    """Two players lay a card each, three times; the higher rank wins. A fault, if it has one, is a word."""

    metadata = {"name": "high_card", "render_modes": []}

    def __init__(self, fault: str = ""):
        super().__init__()
        self.fault, self.possible_agents = fault, ["first", "second"]
        self.hands: list[list[str]] = [[], []]
        self.agents: list[str] = []

    def action_space(self, agent):
        return spaces.Discrete(len(CARDS))

    def observation_space(self, agent):
        vector = spaces.Box(0, 1, (len(CARDS),), np.float32)
        return spaces.Dict({"observation": vector, "action_mask": spaces.Box(0, 1, (len(CARDS),), np.int8)})

    def reset(self, seed=None, options=None):
        chance = random if self.fault == "chance" else random.Random(seed)
        deck = chance.sample(CARDS, len(CARDS))
        self.hands, self.deck, self.table = [deck[:3], deck[3:6]], deck[6:], []
        self.agents = [*self.possible_agents]
        self.agent_selection = "first"
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        own = self.possible_agents.index(agent)
        seen = np.isin(CARDS, self.hands[own] + self.table).astype(np.float32)
        mask = np.isin(CARDS, self.hands[own]).astype(np.int8)
        if self.fault == "leak" and self.hands[1 - own] and self.hands[1 - own][0] < "5":
            seen[0] = 0.5
        if self.fault == "space":
            seen += 1
        if self.fault == "mask":
            mask[CARDS.index(self.deck[0])] = 1
        if self.fault == "moody":
            seen[0] = random.random()
        return {"observation": seen, "action_mask": mask}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        own = self.possible_agents.index(agent)
        if CARDS[action] not in self.hands[own]:
            if self.fault != "lax":
                raise ValueError("not in hand")
        else:
            self.hands[own].remove(CARDS[action])
        self.table.append(CARDS[action])
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if len(self.table) % 2 == 0:
            one, two = self.table[-2:]
            self.rewards = {"first": (one > two) - (one < two), "second": (one < two) - (one > two)}
        self.agent_selection = self.possible_agents[1 - own]
        if len(self.table) == 6:
            self.terminations = dict.fromkeys(self.agents, True)
        if self.fault != "unpaid":
            self._accumulate_rewards()

    def __deepcopy__(self, memo):
        if self.fault == "copies":
            return HighCard(self.fault)
        return self if self.fault == "shared" else self._copied()

    def _copied(self):
        twin = HighCard(self.fault)
        vars(twin).update({name: _copy_of(value) for name, value in vars(self).items()})
        return twin


def _copy_of(value):
    if isinstance(value, list):
        return [*map(_copy_of, value)]
    return {key: _copy_of(each) for key, each in value.items()} if isinstance(value, dict) else value


def found(report: Report) -> set[str]:
    return {finding.check for finding in report.findings}


def test_a_sound_environment_passes():
    report = check_aec(HighCard, episodes=10)
    assert not report.findings
    assert all(report.looked_at[name] > 5 for name in ("seeds", "masks", "copies", "hidden cards", "rewards"))
    assert report.notes == ["the rewards of all agents add up to 0 in each episode"]


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        ("chance", "seeds"),
        ("leak", "hidden cards"),
        ("space", "observations"),
        ("moody", "observations"),
        ("mask", "legal actions"),
        ("lax", "illegal actions"),
        ("unpaid", "rewards"),
        ("copies", "copies"),
        ("shared", "copies"),
    ],
)
def test_each_fault_is_found(fault, finding):
    report = check_aec(lambda: HighCard(fault), episodes=20)
    assert finding in found(report)
    assert all(each.place.startswith("seed ") and each.times for each in report.findings)


def test_hidden_cards_are_those_of_others_and_of_the_stock():
    env = HighCard()
    env.reset(seed=1)
    slots = slots_of(env)
    assert len(slots) == len(CARDS)
    assert {owner_of(slot, env.possible_agents) for slot in slots} == {"first", "second", None}
    own, others = [*env.hands[0]], sorted(env.hands[1] + env.deck)
    assert exchange_cards(env, "first", random.Random(1))
    assert env.hands[0] == own
    assert sorted(env.hands[1] + env.deck) == others


def test_a_game_of_the_suite_passes_as_anybodys():
    report = check_aec(schnapsen_v0.env, episodes=1)
    assert not report.findings
    assert any("hidden cards were not checked" in note for note in report.notes)


def test_an_own_exchange_is_used():
    """Of a game whose cards are numbers in arrays: a sampled world."""

    def exchange(env, agent, rng):
        env.unwrapped.set_state(env.unwrapped.resample(agent, rng.randrange(2**31)))
        return True

    report = check_aec(schnapsen_v0.env, episodes=3, exchange=exchange)
    assert not report.findings
    assert report.looked_at["hidden cards"] > 2


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ({"a": np.zeros(2)}, {"a": [0, 0]}, True),
        ({"a": 1}, {"b": 1}, False),
        (np.array([np.nan, 1.0]), np.array([np.nan, 1.0]), True),
        ((1, "x"), [1, "x"], True),
        (np.zeros(2), np.zeros(3), False),
        ("x", "y", False),
        (np.array(["a", "b"]), np.array(["a", "c"]), False),
    ],
)
def test_observations_are_compared_by_value(one, two, equal):
    assert same(one, two) is equal


def test_the_command_says_what_it_has_found(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "my_card_game", sys.modules[__name__])
    words = "my_card_game:HighCard", "--episodes", "10"
    assert here(check.main, *words) == 0
    assert "hidden cards" in capsys.readouterr().out
    assert here(check.main, *words, "--args", "{fault: leak}") == 1
    assert "found: hidden cards: what an agent observes changes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["no_such_module"], "cannot be loaded"),
        (["math:pi"], "expected a module with `env`"),
        (["collections:Counter"], "expected an AEC environment"),
        (["math:floor", "--args", "[1]"], "arguments by name"),
        (["openspiel:nothing"], "openspiel game"),
        (["collections:Counter", "--episodes", "0"], "episodes: got 0"),
        (["collections:Counter", "--exchange", "math:none"], "--exchange: 'math:none' cannot be loaded"),
    ],
)
def test_what_cannot_be_checked_is_refused(words, says, capsys):
    if words[0].startswith("openspiel"):
        pytest.importorskip("pyspiel")
    assert here(check.main, *words) == 2
    assert says in capsys.readouterr().err
