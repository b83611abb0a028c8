"""Checks of any environment of PettingZoo's AEC interface."""

import copy
import pickle
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from stichwerk.envs.testing.outside.exchange import Exchange, exchange_cards
from stichwerk.envs.testing.outside.report import Clock, Report, fault_of, same

Make = Callable[[], AECEnv]
LONGEST = 2_000  # decisions of an episode, which is cut off then
LOOKED_AT = 0.2  # of the decisions at which copies are made and cards exchanged; of the first one always
FOLLOWED = 30  # decisions that a copy is played on
TOLERANCE = 1e-4  # of sums of rewards, which may be float32
FROM_COPIES = "copies", "pickles"


def check_aec(
    make: Make, episodes: int = 50, seed: int = 1, seconds: float = 60.0, exchange: Exchange = exchange_cards
) -> Report:
    """Play an environment at random and check it.

    Args:
        make: makes a new environment
        episodes: the number of episodes, if the time suffices
        seed: of the first episode; the next ones count on
        seconds: the time for all checks
        exchange: changes what an agent cannot see
    """
    report, clock = Report(), Clock(seconds)
    checks = _Checks(make, report, exchange)
    EnvLogger.suppress_output()  # of illegal actions, which are tried
    for number in range(episodes):
        if clock.is_over:
            report.note(f"stopped after {number} of {episodes} episodes, when the time was over")
            break
        checks.play_one(seed + number, clock)
    EnvLogger.unsuppress_output()
    checks.conclude()
    return report


def mask_of(env: AECEnv, seen: Any, info: Mapping[str, Any]) -> np.ndarray | None:
    """The legal actions, in the observation or in the info, as bool[actions]; None if neither has them."""
    for where in (seen, info):
        if isinstance(where, Mapping) and "action_mask" in where:
            return np.asarray(where["action_mask"]).astype(bool)
    return None


class _Checks:
    def __init__(self, make: Make, report: Report, exchange: Exchange):
        self._make, self._report, self._exchange = make, report, exchange
        self._env = make()
        self._sums = Counter[float]()
        self._blind = Counter[str]()  # exchanges by what they changed
        self._seed, self._actions = 0, list[Any]()  # of the episode that is played

    def play_one(self, seed: int, clock: Clock) -> None:
        """One episode, and a second one of the same seed alongside."""
        report, rng = self._report, random.Random(seed)
        env, twin = self._env, self._make()
        actions: list[Any] = []
        self._seed, self._actions = seed, actions
        _seed_all(1)  # environments must not draw from these
        env.reset(seed=seed)
        _seed_all(2)
        twin.reset(seed=seed)
        paid, taken = Counter[str](), Counter[str]()
        for _ in range(LONGEST):
            if not env.agents or clock.is_over:
                break
            place = f"seed {seed}, after {len(actions)} steps" + (f" {actions[-12:]}" if actions else "")
            agent = env.agent_selection
            if not self._check_turn(env, agent, place):
                return
            seen, reward, ended, cut, info = env.last()
            taken[agent] += reward
            self._check_twin(twin, agent, seen, reward, place)
            if ended or cut:
                action = None
            else:
                action = self._choose(env, agent, seen, info, rng, place)
                if not actions or rng.random() < LOOKED_AT:
                    self._check_copies(env, agent, rng, place)
                    self._check_hidden(agent, rng, place, not actions)
            try:
                env.step(action)
                twin.step(action)
            except Exception as error:
                report.find("legal actions", f"a legal action raises {fault_of(error)}", place)
                return
            report.looked_at["legal actions"] += 1
            actions.append(action)
            if action is not None:
                for each, value in env.rewards.items():
                    paid[each] += value
        if not env.agents:
            self._check_rewards(paid, taken, f"seed {seed}")

    def _check_turn(self, env: AECEnv, agent: str, place: str) -> bool:
        """The seat to act is one of those that play, and has its entries."""
        expect = self._report.expect
        there = {*env.agents}
        listed = expect("order", agent in there, "agent_selection is none of env.agents", place)
        expect("order", there <= {*env.possible_agents}, "env.agents has one that is not possible", place)
        for name in ("terminations", "truncations", "rewards", "infos"):
            entries = getattr(env, name)
            expect("order", agent in entries, f"env.{name} has no entry of the agent to act", place)
        return listed

    def _check_twin(self, twin: AECEnv, agent: str, seen: Any, reward: float, place: str) -> None:
        expect = self._report.expect
        if not expect(
            "seeds", twin.agent_selection == agent, "another agent acts after the same actions", place
        ):
            return
        theirs, paid, *_ = twin.last()
        expect("seeds", same(seen, theirs), "one seed and the same actions give two observations", place)
        expect("seeds", reward == paid, "one seed and the same actions give two rewards", place)

    def _choose(
        self, env: AECEnv, agent: str, seen: Any, info: Mapping[str, Any], rng: random.Random, place: str
    ) -> Any:
        """A random legal action; the observation and the mask are checked."""
        expect, mask = self._report.expect, mask_of(env, seen, info)
        again = env.observe(agent)
        expect(
            "observations", same(again, env.observe(agent)), "observing twice gives two observations", place
        )
        space = env.observation_space(agent)
        try:
            inside = space.contains(seen)
        except Exception as error:
            inside = False
            self._report.note(f"the observation space cannot be asked: {fault_of(error)}")
        expect("observations", inside, "the observation is outside its space", place)
        actions = env.action_space(agent)
        if mask is None:
            self._report.note("there is no action_mask: any action of the space is taken as legal")
            actions.seed(rng.randrange(2**31))
            return actions.sample()
        expect(
            "masks", mask.shape == (getattr(actions, "n", None),), "the mask is not one of all actions", place
        )
        if not expect("masks", mask.any(), "the mask of the agent to act allows nothing", place):
            return int(getattr(actions, "start", 0))
        self._check_illegal(agent, mask, rng, place)
        return int(rng.choice(np.flatnonzero(mask)))

    def _check_illegal(self, agent: str, mask: np.ndarray, rng: random.Random, place: str) -> None:
        """An action that is not legal is refused, or ends the episode with a penalty."""
        wrong = np.flatnonzero(~mask)
        if not len(wrong) or rng.random() > LOOKED_AT:
            return
        other = self._again()
        before = other.observe(agent)
        try:
            other.step(int(rng.choice(wrong)))
        except Exception:
            self._report.looked_at["illegal actions"] += 1
            return
        refused = any(other.terminations.values()) or any(other.truncations.values()) or not other.agents
        unchanged = other.agent_selection == agent and same(before, other.observe(agent))
        self._report.expect(
            "illegal actions", refused or unchanged, "an action outside the mask is played as if legal", place
        )

    def _check_copies(self, env: AECEnv, agent: str, rng: random.Random, place: str) -> None:
        """A copy equals the original, plays on without it, and reaches the same state by the same actions."""
        ways = copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))
        before, twins = env.observe(agent), []
        for name, way in zip(FROM_COPIES, ways, strict=True):
            try:
                twins.append((name, way(env)))
            except Exception as error:
                self._report.find(name, f"cannot be made: {fault_of(error)}", place)
        for name, twin in twins:
            try:
                equal = twin.agent_selection == agent and same(before, twin.observe(agent))
            except Exception:
                equal = False
            if not self._report.expect(name, equal, "it has lost the position of the first", place):
                continue
            try:
                self._play_on(twin, random.Random(rng.random()))
            except Exception as error:
                self._report.find(name, f"it cannot be played on: {fault_of(error)}", place)
            self._report.expect(name, same(before, env.observe(agent)), "playing it changes the first", place)

    def _again(self) -> AECEnv:
        """Another environment in the same position: played from the seed, as many cannot be copied."""
        env = self._make()
        env.reset(seed=self._seed)
        for action in self._actions:
            env.step(action)
        return env

    def _play_on(self, env: AECEnv, rng: random.Random) -> None:
        for _ in range(FOLLOWED):
            if not env.agents:
                return
            seen, _, ended, cut, info = env.last()
            mask = None if ended or cut else mask_of(env, seen, info)
            if ended or cut:
                env.step(None)
            elif mask is not None:
                env.step(int(rng.choice(np.flatnonzero(mask))))
            else:
                env.step(env.action_space(env.agent_selection).sample())

    def _check_hidden(self, agent: str, rng: random.Random, place: str, at_first: bool) -> None:
        """Cards that an agent cannot see change places: it must observe the same."""
        other, changed = self._again(), self._again()
        if not same(other.observe(agent), changed.observe(agent)) or not self._exchange(changed, agent, rng):
            self._blind["none"] += 1
            return
        try:
            shown = {each: changed.observe(each) for each in changed.possible_agents}
        except Exception as error:
            self._report.note(f"cards could not be exchanged: {fault_of(error)}")
            return
        differ = {each for each in shown if not same(other.observe(each), shown[each])}
        self._blind["seen by others" if differ - {agent} else "unseen"] += 1
        when = "at the first decision" if at_first else "later; cards shown before may explain it"
        says = f"what an agent observes changes with cards in other hands and in the stock ({when})"
        self._report.expect("hidden cards", agent not in differ, says, place)

    def _check_rewards(self, paid: Counter[str], taken: Counter[str], place: str) -> None:
        off = [agent for agent in paid if abs(paid[agent] - taken[agent]) > TOLERANCE]
        says = "rewards of all steps are another sum than `last` has handed out"
        self._report.expect("rewards", not off, says, place)
        self._sums[round(sum(taken.values()), 3)] += 1

    def conclude(self) -> None:
        """Notes on all episodes together."""
        if len(self._sums) == 1:
            self._report.note(
                f"the rewards of all agents add up to {next(iter(self._sums)):g} in each episode"
            )
        elif self._sums:
            low, high = min(self._sums), max(self._sums)
            self._report.note(f"the rewards of all agents add up to {low:g} to {high:g}: not zero-sum")
        if not self._report.looked_at["hidden cards"]:
            self._report.note(
                "hidden cards were not checked: none were found in attributes of lists or objects; "
                "name a function with --exchange"
            )
        elif not self._blind["seen by others"]:
            self._report.note(
                "no exchange of hidden cards changed what anybody observes: it may prove nothing"
            )


def _seed_all(seed: int) -> None:
    """Put the global generators into a state, which an environment with a seed of its own does not read."""
    random.seed(seed)
    np.random.seed(seed)
