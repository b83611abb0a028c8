"""Checks that any game must pass, in the manner of PettingZoo's `api_test`: own games, and those of other
packages.

    from stichwerk.envs.testing import check_game
    check_game("schnapsen_v0", rules={"claims": "safe"})

Every check plays at random from a fixed seed. It raises AssertionError with the fault, the game, the seed and
the action. Matches that random players do not end are cut off. Nothing but the game's declaration is needed:
what a seat may not know is tested by worlds that the game itself holds possible. Each of them must lead,
dealt and played again, to just what the seat sees, and come up as often as it should.
"""

import copy
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from itertools import combinations

import numpy as np

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.lanes import EPISODES, Episode
from stichwerk.envs.engine.records import to_plain
from stichwerk.envs.engine.replay import Replay, same_position
from stichwerk.envs.engine.set_deal import replay_options
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.vector import CardVectorEnv
from stichwerk.envs.wrappers import wrap

MOST_WORLDS = 40  # of a position whose worlds are all found and counted
DRAWS = 3_000  # of worlds, to see whether they are even
FEWEST = 20  # draws of a world that are to be expected, to compare them
MOST_STEPS = 100  # of an episode that is played interpreted
LONGEST = 1_000  # steps of an episode, which is cut off then
LONGEST_COPIED = 200  # steps that a copy follows
PATIENCE = 5.0  # seconds without a word


def check_game(
    env_id: str,
    rules: RuleSpec = None,
    *,
    ends_deals: tuple[str, ...] = ("claim", "pass", "aus"),
    compiled: bool = True,
    compared: int = 3,
) -> None:
    """Run every check on one game under these rules, in half a minute or so. After a few seconds lines on
    stderr name the check that is running.

    Args:
        ends_deals: actions that cut a deal short, which random play mostly passes over
        compiled: compare interpreted with compiled play too, in another process, which takes a few seconds
        compared: in how many positions all possible worlds must have been found and counted (see
            `check_worlds_are_even`). 0 leaves this check out, for games without late positions of few worlds
    """
    from pettingzoo.test import api_test

    game = make_game(env_id, rules)
    rng = random.Random(0)

    begun = time.monotonic()

    def choose(env: CardGameEnv) -> str:
        return choose_patiently(env, rng, dict.fromkeys(ends_deals, 0.9))

    def say(what: str) -> None:
        if time.monotonic() - begun > PATIENCE:
            print(f"checking {game.env_id}: {what}", file=sys.stderr)

    check_declaration(game)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unknown reset option 'options'")  # which PettingZoo's test passes
        # Spaces are of dicts, as PettingZoo's own card games have them.
        warnings.filterwarnings("ignore", ".*Observation")
        with redirect_stdout(None):
            api_test(wrap(CardGameEnv(env_id, rules)), num_cycles=200)
    for episode in EPISODES:
        for check in (check_play, check_copies, check_determinism):
            say(f"{check.__name__}, episode {episode}")
            check(game, choose, episode)
    say("check_worlds")
    check_worlds(game, choose)
    say("check_worlds_are_even")
    done = check_worlds_are_even(game, choose, compared) if compared else 0
    assert done == compared, (
        f"{game.env_id}: got {done} positions with few enough worlds to count; expected {compared}: "
        "choose rules with fewer cards, or say compared=0"
    )
    if compiled:
        say("check_compiled")
        check_compiled(game)


# The declaration


def check_declaration(game: Game) -> None:
    """Sizes fit, every feature has its place, and options and actions have words."""
    deck = Counter(game.deck)
    assert set(deck) <= set(game.pack.names), (
        f"the deck has {set(deck) - set(game.pack.names)}, the pack has not"
    )
    assert len(set(game.actions)) == len(game.actions), "two actions have one name"
    assert game.sides, "nobody sits at the table"
    for encoding in (*game.encodings.values(), game.perfect):
        names = [feature.name for feature in encoding.features]
        assert len(set(names)) == len(names), f"{encoding.name}: two features have one name"
        for feature in encoding.features:
            parts = {"card": len(game.pack), "suit": 4, "action": len(game.actions), "value": 1}[feature.per]
            assert feature.size % parts == 0, f"{encoding.name}: {feature.name} is no multiple of {parts}"
            assert feature.meaning, f"{encoding.name}: {feature.name} has no meaning"
    for option in getattr(type(game.rules), "__dataclass_fields__", {}).values():
        if option.metadata:
            assert all(option.metadata[part] for part in ("meaning", "source")), f"{option.name} has no words"


# Playing at random


def over(env: CardGameEnv) -> bool:
    """Whether the episode has ended."""
    return any(env.terminations.values())


def legal_actions(env: CardGameEnv) -> list[str]:
    """The names of the legal actions of the seat to act."""
    return [
        env.action_names[action] for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    ]


def choose_patiently(env: CardGameEnv, rng: random.Random, patience: Mapping[str, float]) -> str:
    """A random legal action; for those that cut a deal short another one is looked for so often."""
    actions = legal_actions(env)
    patient = [action for action in actions if action not in patience]
    if patient and rng.random() < min(
        [0.95, *(patience[action] for action in actions if action in patience)]
    ):
        actions = patient
    # Unlike `choice`, this is promised to stay the same in every Python.
    return actions[int(rng.random() * len(actions))]


Chooser = Callable[[CardGameEnv], str]


def positions(env: CardGameEnv, choose: Chooser, seed: int, episodes: int = 1) -> Iterator[str]:
    """Play episodes from a seed on, none for more than `LONGEST` steps; yields the seat to act before every
    step."""
    for episode in range(episodes):
        env.reset(seed=seed if episode == 0 else None)
        for _ in range(LONGEST):
            if over(env):
                break
            yield env.agent_selection
            env.step(choose(env))


@contextmanager
def naming_the_place(env: CardGameEnv, seed: int) -> Iterator[None]:
    """Name game, seed, deal and last action in an AssertionError about the environment as it stands."""
    try:
        yield
    except AssertionError as error:
        state = env.copy_state()[0]
        log = log_entries(state)
        last = f", after {len(log)} actions, the last {env.game.actions[log[-1][1]]!r}" if log else ""
        place = f"{env.game.env_id}, {env.episode} from seed {seed}, deal {state.deal_number}{last}"
        raise AssertionError(f"{place}: {error}") from error


def check_play(game: Game, choose: Chooser, episode: Episode = "deal", episodes: int = 5) -> None:
    """Every decision has a legal action, and nobody else has one. The numbers are in their spaces, cards are
    played once, and gains of one side are losses of the others."""
    env = CardGameEnv(game.env_id, game.rules, episode)
    for number in range(episodes):
        with naming_the_place(env, number):
            _check_one_play(env, choose, number)


def _check_one_play(env: CardGameEnv, choose: Chooser, seed: int) -> None:
    game, copies = env.game, Counter(env.game.deck)
    deals_done, played = 0, Counter[str]()
    for agent in positions(env, choose, seed):
        state = env.copy_state()[0]
        if state.deals_done != deals_done:
            deals_done, played = int(state.deals_done), Counter()
        assert state.log_size < len(state.log), "there is no room to write down the next action"
        assert Counter(game.pack.names[card] for card in state.deck[: len(game.deck)]) == copies, (
            "cards are lost"
        )
        _check_one_position(env, agent)
        assert not any(env.rewards.values()), "a reward before the end of the episode"
        _check_points(env)
        action = game.actions[log_entries(state)[-1][1]] if state.log_size else None
        if action and action.card is not None:
            played[action] += 1
            assert played[action] <= copies[action.card], f"{action!r} came more often than the card is there"
    if not over(env):
        return
    if env.episode == "deal":  # a match may pay every loser as much as every winner gets
        assert abs(sum(env.rewards.values())) < 1e-9, f"the rewards {env.rewards} do not add up to zero"
        least, most = game.stakes
        assert all(least <= reward <= most for reward in env.rewards.values()), (
            f"the rewards {env.rewards} are outside the stakes, {least} to {most}"
        )
    _check_points(env)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents), (
        "the end has actions"
    )


def _check_points(env: CardGameEnv) -> None:
    """What one side has won another has lost, in each of the deals that have ended just now."""
    for points in zip(*(info["deals"] for info in env.infos.values() if info), strict=True):
        assert abs(sum(points)) < 1e-6, f"the points of a deal, {points}, do not add up to zero"


def _check_one_position(env: CardGameEnv, acting: str) -> None:
    assert env.state_space.contains(env.state()), "the perfect information is outside its space"
    log = log_entries(env.copy_state()[0])
    for agent in env.possible_agents:
        _check_log(env, agent, log)
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen), f"what {agent} observes is outside its space"
        expected = agent == acting
        assert seen["action_mask"].any() == expected, (
            f"{agent} {'has no' if expected else 'has a'} legal action"
        )


def _check_log(env: CardGameEnv, agent: str, log: Sequence[tuple[int, int]]) -> None:
    """Each entry of the log is shown, or blank, or its action is one that `leaves_out` names."""
    leaves_out = engine_for(env.game.spec, False).leaves_out
    seat, rules = env.possible_agents.index(agent), env.game.rules_record[0]
    there = [
        (actor, action)
        for actor, action in log
        if actor == seat or not leaves_out(rules, seat, actor, action)
    ]
    shown = log_entries(env.view(agent)[0])
    assert len(shown) == len(there), f"{agent} is shown a log without actions that leaves_out does not name"
    assert all(
        who == actor and action in (NONE, done)
        for (who, action), (actor, done) in zip(shown, there, strict=True)
    ), f"{agent} is shown a log of other actions"


# Values


def check_copies(game: Game, choose: Chooser, episode: Episode = "deal") -> None:
    """A copy made in the middle, in whatever way, plays on the same and shares nothing with the first."""
    for steps in (0, 5, 12):
        env = CardGameEnv(game.env_id, game.rules, episode)
        env.reset(seed=steps)
        for _ in range(steps):
            if not over(env):
                env.step(choose(env))
        restored = CardGameEnv(game.env_id, game.rules, episode)
        restored.restore(json.loads(json.dumps(env.snapshot())))
        twins = [restored, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        before = env.snapshot()
        kept = copy.deepcopy(before)
        with naming_the_place(env, steps):
            for _ in range(LONGEST_COPIED):
                if over(env):
                    break
                action = choose(env)
                assert all(twin.snapshot() == env.snapshot() for twin in twins), "a copy differs"
                for each in (env, *twins):
                    each.step(action)
            assert all(twin.snapshot() == env.snapshot() for twin in twins), "a copy plays on otherwise"
            assert before == kept, "a snapshot changes with its environment"


def check_determinism(game: Game, choose: Chooser, episode: Episode = "deal") -> None:
    """One seed gives one course of play, here and in the first of many lanes; its cards do not depend on the
    play before."""
    decks = [_decks(game, choose, episode) for _ in range(2)]  # chance goes on, so they are played otherwise
    assert decks[0] == decks[1], "the cards of a deal depend on how the deals before were played"
    few_orders = len(game.deck) < 8  # of which one may well come twice
    assert len(set(decks[0])) >= (2 if few_orders else len(decks[0])), "deals of a seed have the same cards"
    env, vec = CardGameEnv(game.env_id, game.rules, episode), CardVectorEnv(game, 3, episode, seed=1)
    seen, _ = vec.reset(seed=1)
    env.reset(seed=1)
    for _ in range(60):
        while over(env):  # lanes pass over episodes that the cards end at once
            env.reset()
        single = env.observe(env.agent_selection)
        for name, array in seen.items():
            assert (array[0] == single[name]).all(), f"{name} of a lane differs from the single environment's"
        actions = [by_sight(*both) for both in zip(seen["observation"], seen["action_mask"], strict=True)]
        seen, rewards, terminations, _, _ = vec.step(actions)
        env.step(actions[0])
        assert (rewards[0] == np.array(list(env.rewards.values()), np.float32)).all(), (
            "rewards of a lane differ"
        )
        assert terminations[0] == over(env), "a lane ends otherwise"


def _decks(game: Game, choose: Chooser, episode: Episode, deals: int = 3) -> list[str]:
    """The first decks of a seed, as who plays like this comes upon them."""
    env, dealt = CardGameEnv(game.env_id, game.rules, episode), dict[int, str]()
    env.reset(seed=1)
    while len(dealt) < deals:
        while True:
            state = env.copy_state()[0]
            dealt.setdefault(int(state.deal_number), str(state.deck.tolist()))
            if over(env) or len(dealt) == deals:
                break
            env.step(choose(env))
        env.reset()
    return [dealt[number] for number in range(deals)]


def by_sight(observation: np.ndarray, mask: np.ndarray) -> int:
    """An action rule that any environment can follow: a legal action picked by a checksum of what the seat
    sees."""
    actions = np.flatnonzero(mask)
    return int(actions[zlib.crc32(observation.tobytes() + mask.tobytes()) % len(actions)])


# Hidden information


def check_worlds(game: Game, choose: Chooser, seed: int = 0, episodes: int = 3) -> None:
    """What a seat is shown fits every world that it must hold possible: a leak would fit the true one alone.

    A world is a whole deal. Dealt and played again it leads to its own position, and in it the seat sees what
    it sees.
    """
    env, replay = CardGameEnv(game.env_id, game.rules), Replay(game)
    onlookers = [CardGameEnv(game.env_id, game.rules, observation=name) for name in game.encodings]
    rng = random.Random(seed)
    for step, _ in enumerate(positions(env, choose, seed, episodes)):
        if rng.random() < 0.5:
            with naming_the_place(env, seed):
                check_worlds_here(env, onlookers, replay, step)


def check_worlds_here(env: CardGameEnv, onlookers: list[CardGameEnv], replay: Replay, seed: int) -> None:
    """`check_worlds` for one position of one environment; `onlookers` are environments with each
    observation."""
    before = env.copy_state()
    for seat, agent in enumerate(env.possible_agents):
        world, other, again = (
            env.resample(agent, seed),
            env.resample(agent, seed + 1),
            env.resample(agent, seed),
        )
        assert (world == again).all(), "one seed gives two worlds"
        assert world[0].seed != other[0].seed, "the deals to come are not drawn anew"
        played = replay.again(world[0])
        assert played is not None, (
            f"a world of {agent} cannot be played: {replay_options(env.game, world[0])}"
        )
        wrong = [
            name for name in world.dtype.names or () if not same_position(world[[name]][0], played[[name]][0])
        ]
        assert not wrong, f"a world of {agent}, dealt and played again, differs in {', '.join(wrong)}"
        onlookers[0].restore({**env.snapshot(), "state": to_plain(world[0], env.game.spec.state)})
        for onlooker in onlookers:
            _check_same_sight(onlooker, seat, env.copy_state(), world)
    assert (env.copy_state() == before).all(), "resampling changed the game"


def _check_same_sight(env: CardGameEnv, seat: int, one: np.ndarray, two: np.ndarray) -> None:
    """A seat observes, reads, sees drawn and may do the same in two states."""
    agent, sights = env.possible_agents[seat], []
    for state in (one, two):
        env.set_state(state)
        view, seen = env.view(agent), env.observe(agent)
        arrays = [view.tobytes(), *(array.tobytes() for array in seen.values())]
        sights.append([*arrays, env.game.text(view, seat), env.picture(agent).svg()])
    kinds = ("view", "observation", "action mask", "text", "picture")
    for what, first, second in zip(kinds, *sights, strict=True):
        assert first == second, f"the {what} of {agent} tells what it cannot know"


def check_worlds_are_even(
    game: Game, choose: Chooser, count: int = 3, tries: int = 40, draws: int = DRAWS
) -> int:
    """In positions with few possible worlds each of them comes up, and as often as it should.

    Returns how many such positions have been compared, `count` of them unless `tries` deals have too few.

    The worlds are found without `resample`: exchange two cards of the deck, play the log again, and see
    whether the seat's view is the same. Deals in which every seat observes the same count as one world, which
    weighs as much as there are such deals. Worlds that differ in what others have done unseen are drawn too,
    and not compared.
    """
    env, replay, rng = CardGameEnv(game.env_id, game.rules), Replay(game), random.Random(2)
    shortest = min(game.encodings.values(), key=lambda encoding: encoding.size)
    twin = CardGameEnv(game.env_id, game.rules, observation=shortest.name)
    compared = 0
    for seed in range(tries):
        played = [(agent, env.copy_state()) for agent in positions(env, choose, seed)]
        worlds: dict[bytes, float] = {}
        for step in range(len(played) - 1, -1, -1 - rng.randrange(3)):  # the later, the fewer worlds
            agent, state = played[step]
            env.set_state(state)
            worlds = _all_worlds(env, agent, replay, twin)
            if len(worlds) != 1:
                break
        if len(worlds) < 2 or draws * min(worlds.values()) < FEWEST * sum(worlds.values()):
            continue
        drawn = Counter(_all_sights(twin, env.resample(agent, draw)) for draw in range(draws))
        counts, weights = np.array([(drawn[world], weight) for world, weight in worlds.items()]).T
        with naming_the_place(env, seed):
            assert worlds.keys() <= drawn.keys(), f"{agent} never draws a world that is possible"
            if counts.sum() * weights.min() < FEWEST * weights.sum():
                continue
            many = ", ".join(
                f"{count:g} for {weight:g}" for count, weight in zip(counts, weights, strict=True)
            )
            assert spread_evenly(counts, weights), f"{agent} draws some worlds more often: {many}"
        compared += 1
        if compared == count:
            break
    return compared


def _all_worlds(env: CardGameEnv, agent: str, replay: Replay, twin: CardGameEnv) -> dict[bytes, float]:
    """The observations of all seats in the worlds that one seat cannot tell from the present one.

    Each comes with the number of deals that look like that, as a share of the present one's. Empty if there
    are too many, or if their numbers cannot be told.
    """
    seat, state = env.possible_agents.index(agent), env.copy_state()
    log, dealer, sight = log_entries(state[0]), int(state[0].dealer), env.view(agent).tobytes()

    def exchanges(deck: list[int], pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[tuple, list, bytes]]:
        """Those that lead to the same sight, with the deck and what all observe then."""
        for one, two in pairs:
            exchanged = deck.copy()
            exchanged[one], exchanged[two] = deck[two], deck[one]
            world = replay.play(exchanged, dealer, log)
            if world is not None and twin.view_of(world, seat).tobytes() == sight:
                yield (one, two), exchanged, _all_sights(twin, world)

    laid = Counter(action.card for action in (env.game.actions[action] for _, action in log))

    def hidden(card: int) -> int:
        """How many copies of a card may lie elsewhere. Of two in one hand, one of them played, either may be
        exchanged; but the one on the table is that one and no other."""
        copies = env.game.rules.COPIES
        return max(copies - laid[env.game.pack.names[card]], 1) if copies > 1 else 1

    deck = state[0].deck[: len(env.game.deck)].tolist()
    open_pairs = [pair for pair, *_ in exchanges(deck, combinations(range(len(deck)), 2))]
    pairs = list(combinations(sorted({place for pair in open_pairs for place in pair}), 2))
    here = _all_sights(twin, state)
    decks, ways = {here: deck}, {}
    waiting = [here]
    while waiting:
        world = waiting.pop()
        ways[world] = Counter[bytes]()
        twins: dict[tuple, tuple[set[int], set[int]]] = {}
        for pair, exchanged, views in exchanges(decks[world], pairs):
            if views not in decks:
                decks[views] = exchanged
                waiting.append(views)
                if len(decks) > MOST_WORLDS:
                    return {}
            (low, one), (high, two) = sorted((decks[world][place], place) for place in pair)
            ones, twos = twins.setdefault((low, high, views), (set(), set()))
            ones.add(one)
            twos.add(two)
        for (low, high, views), (ones, twos) in twins.items():
            ways[world][views] += min(len(ones), hidden(low)) * min(len(twos), hidden(high))
    return _weights(here, ways)


def _weights(start: bytes, ways: Mapping[bytes, Mapping[bytes, int]]) -> dict[bytes, float]:
    """How many deals each world has, as a share of the first one's.

    Between two worlds there are as many exchanges one way as the other, over all their deals. Empty if the
    deals of a world are not alike.
    """
    weights, waiting = {start: 1.0}, [start]
    while waiting:
        world = waiting.pop()
        for other, number in ways[world].items():
            back = ways[other].get(world, 0)
            if not back:
                return {}
            weight = weights[world] * number / back
            if other not in weights:
                weights[other] = weight
                waiting.append(other)
            elif abs(weights[other] - weight) > 1e-9 * weight:
                return {}
    return weights


def _all_sights(env: CardGameEnv, state: np.ndarray) -> bytes:
    """What the seats observe in the shortest encoding, which has no order in which they got their cards."""
    env.set_state(state)
    return b"".join(env.observe(agent)["observation"].tobytes() for agent in env.possible_agents)


def spread_evenly(counts: np.ndarray, weights: np.ndarray | float = 1.0) -> bool:
    """Whether draws fell on outcomes by their weights: a chi-square test that fair draws fail about once in
    10,000 seeds."""
    shares = weights * np.ones(len(counts))
    expected = counts.sum() * shares / shares.sum()
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = len(counts) - 1
    # Wilson and Hilferty: the cube root of chi-square per degree of freedom is almost normal.
    return (chi_square / freedom) ** (1 / 3) < 1 - 2 / (9 * freedom) + 3.7 * (2 / (9 * freedom)) ** 0.5


# Compiled and interpreted


def digest(env_id: str, rules: RuleSpec = None) -> str:
    """A fingerprint of some play: cards, observations, masks, texts, rewards, and a world at every
    decision."""
    sha = hashlib.sha256()
    for observation in make_game(env_id, rules).encodings:
        env = CardGameEnv(env_id, rules, "match", observation=observation)
        env.reset(seed=1)
        for step in range(MOST_STEPS):
            if over(env):
                break
            agent = env.agent_selection
            seen = env.observe(agent)
            sha.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
            sha.update(env.resample(agent, step).tobytes())
            env.step(by_sight(seen["observation"], seen["action_mask"]))
        text = env.game.text(env.view(env.agent_selection), env.possible_agents.index(env.agent_selection))
        sha.update(text.encode() + env.copy_state().tobytes() + env.state().tobytes())
    return sha.hexdigest()


def check_compiled(game: Game) -> None:
    """Compiled and interpreted the game plays the same; integers that overflow are errors in interpreted
    play."""
    env_id, rules = f"{_home(game)}:{game.env_id}", game.rules.as_dict()
    program = f"from stichwerk.envs.testing import digest; print(digest({env_id!r}, {rules!r}))"
    result = subprocess.run(
        [sys.executable, "-W", "error:overflow encountered:RuntimeWarning", "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"interpreted play fails:\n{result.stderr}"
    assert result.stdout.strip() == digest(game.env_id, rules), "compiled and interpreted play differ"


def _home(game: Game) -> str:
    """The module that declares the game: where its functions stand, or a package around it."""
    module = game.spec.deal.__module__
    while getattr(sys.modules[module], "GAME", None) is not game.spec:
        module, _, rest = module.rpartition(".")
        assert rest, f"no module above {game.spec.deal.__module__} has this game as its GAME"
    return module
