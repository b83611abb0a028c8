"""Snapshots that somebody has tampered with: each is refused with one line, or play leads to it."""

import copy
import json
import random
import resource
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from stichwerk.envs import InputError
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.records import from_plain, to_plain
from stichwerk.envs.engine.replay import CHANCE
from stichwerk.support.errors import LONGEST
from tests.envs.support import EPISODES, VARIANTS, Variant, legal, over, positions, replay_options

PLAYED_ON = 40  # steps after a mutation that is accepted
EARLIER = {"deals_done", "deal_points", "reward", "match", "over"}  # what a replay as one deal need not share

Path = tuple[Any, ...]


# The mutations: each changes a snapshot in place; `others` are further ones of the same game


def leaves(values: Any, path: Path = ()) -> Iterator[Path]:
    """The places of everything that stands in dicts and lists, as far as a snapshot is deep."""
    if isinstance(values, (dict, list)) and len(path) < 6:
        for key in list(values) if isinstance(values, dict) else range(min(len(values), 200)):
            yield (*path, key)
            yield from leaves(values[key], (*path, key))


def at(values: Any, path: Path) -> Any:
    for key in path:
        values = values[key]
    return values


def put(values: Any, path: Path, value: Any) -> None:
    at(values, path[:-1])[path[-1]] = value


def a_number(snapshot: dict, rng: random.Random) -> Path:
    """The place of a number; small parts come up as often as large ones."""
    part = rng.choice(["state", "state", "before", "aec"])
    found = [path for path in leaves(snapshot[part] or {}) if type(at(snapshot[part], path)) in (int, float)]
    if not found:
        return "state", "seed"
    field = rng.choice([path[0] for path in found])
    return part, *rng.choice([path for path in found if path[0] == field])


def nudge(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    path = a_number(snapshot, rng)
    number = at(snapshot, path)
    bits = 1 << rng.randrange(8)
    ways = [number + 1, number - 1, number + bits, number - bits, -number, 2 * number]
    put(snapshot, path, rng.choice([*ways, int(number) ^ bits] if number == number else ways))


def exaggerate(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    extremes = (-1, 0, 127, 128, 255, 2**31 - 1, 2**31, 2**63 - 1, -(2**63), 2**64, 10**5000)
    put(snapshot, a_number(snapshot, rng), rng.choice([*extremes, 0.5, 1e308, float("inf"), float("nan")]))


def retype(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    nested: list = []
    for _ in range(3_000):
        nested = [nested]
    things = [None, True, "x", "9" * 100_000, "1", b"1", [], {}, [1, [2]], [[]], {"a": 1}, nested, 1 + 0j]
    things += [object(), np.array([1, 2]), np.float32(1.5), float("nan"), {1: 2}, list(range(100_000))]
    put(snapshot, rng.choice(list(leaves(snapshot))), rng.choice(things))


def swap(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    """Exchange two entries of a list."""
    lists = [path for path in leaves(snapshot) if isinstance(at(snapshot, path), list)]
    if entries := at(snapshot, rng.choice(lists)) if lists else None:
        one, two = (rng.randrange(len(entries)) for _ in range(2))
        entries[one], entries[two] = entries[two], entries[one]


def swap_cards(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    """Exchange two cards of the deck, often such as nobody has seen yet."""
    deck = snapshot["state"]["deck"]
    one, two = (rng.randrange(rng.choice([0, len(deck) // 2]), len(deck)) for _ in range(2))
    deck[one], deck[two] = deck[two], deck[one]


def change_log(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    state = snapshot["state"]
    size, log = state["log_size"], state["log"]
    entry = rng.randrange(max(size, 1))
    kind = rng.randrange(4)
    if kind == 0:
        log[entry] = rng.randrange(max(log) + 2)
    elif kind == 1:
        other = rng.randrange(max(size, 1))
        log[entry], log[other] = log[other], log[entry]
    elif kind == 2:
        state["log_size"] = entry
        log[entry:] = [0] * (len(log) - entry)
    elif size < len(log):
        log[size] = rng.choice(log)
        state["log_size"] += 1


def take_over(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    """A part, or one field of it, as it is in another snapshot."""
    other = copy.deepcopy(rng.choice(others))
    part = rng.choice(["state", "before", "aec"])
    if rng.random() < 0.3 or not snapshot[part] or not other[part]:
        snapshot[part] = other[part]
    else:
        name = rng.choice(list(snapshot[part]))
        snapshot[part][name] = other[part][name]


def rename(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    """A key that is missing, too many, or another."""
    places = [(), *(path for path in leaves(snapshot) if isinstance(at(snapshot, path), dict))]
    values = at(snapshot, rng.choice(places))
    if values and rng.random() < 0.7:
        value = values.pop(rng.choice(list(values)))
        if rng.random() < 0.5:
            values[rng.choice(["agents", "seat", "player_9", 0, None])] = value
    else:
        values["more"] = 1


def change_agent(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    agents = ["player_0", "player_1", "player_2", "player_9", "", None]
    words = [path for path in leaves(snapshot["aec"] or {}) if isinstance(at(snapshot["aec"], path), str)]
    if words:
        put(snapshot["aec"], rng.choice(words), rng.choice(agents))


def allowed(snapshot: dict, others: list[dict], rng: random.Random) -> None:
    """What other seeds, and other deals before, would have brought."""
    state, before = snapshot["state"], snapshot["before"]
    state["seed"], state["random"] = rng.getrandbits(62), rng.getrandbits(63)
    if before is not None and not any(state["reward"]):
        name = rng.choice([name for name in before if name not in EARLIER | {"dealer"}])
        if before[name] == state[name] and isinstance(before[name], list):
            before[name] = state[name] = rng.sample(before[name], len(before[name]))


MUTATIONS = (
    *(nudge, nudge, nudge, exaggerate, retype, swap, swap_cards),
    *(change_log, take_over, rename, change_agent, allowed),
)


# What becomes of them


def snapshots(variant: Variant, episode: str, seed: int, count: int = 40) -> list[dict]:
    """Snapshots of all kinds: never dealt, just dealt, in between, over, and while the seats leave."""
    env = variant.env(episode=episode)
    taken, rng = [env.snapshot()], random.Random(seed)
    for _ in positions(env, seed, episodes=3):
        if env.infos[env.agent_selection] or not env.copy_state()[0].log_size or rng.random() < 0.2:
            taken.append(env.snapshot())
    while env.agents:
        taken.append(env.snapshot())
        env.step(None)
    return [*taken[:2], *rng.sample(taken[2:], min(count, len(taken) - 2)), *taken[-2:], env.snapshot()]


def check_reached(env: CardGameEnv, twin: CardGameEnv) -> None:
    """The position of `env` is one that a set deal leads to as well."""
    game, state = env.game, env.copy_state()[0]
    before = game.spec.state.fresh.copy()
    values = env.snapshot()["before"]
    from_plain(before[0], values, game.spec.state, game.seats, ["match"], "before")
    match = game.match_of(before[0])
    twin.reset(seed=0, options={**replay_options(game, env.copy_state()), "match": match})
    if state.over and not over(twin):
        return  # a match that has had its number of deals, which a set match does not begin with
    own, other = (to_plain(record, game.spec.state) for record in (state, twin.copy_state()[0]))
    for name in own.keys() - EARLIER - set(CHANCE):
        assert own[name] == other[name], f"{name} is {own[name]}, play leads to {other[name]}"
    assert twin.agent_selection == env.possible_agents[state.seat]


def play_on(env: CardGameEnv, rng: random.Random) -> None:
    """Whatever an accepted snapshot holds, the game goes on."""
    for step in range(PLAYED_ON):
        for agent in env.possible_agents:
            env.observe(agent)
        assert len(env.render()) < 10_000
        env.state()
        if over(env) or not env.agents:
            break
        if step % 8 == 0:
            env.resample(rng.choice(env.possible_agents), rng.getrandbits(32))
        env.step(rng.choice(legal(env)))
    twin = type(env)(env.game.env_id, env.game.rules, env.episode)
    twin.restore(env.snapshot())


def refusal(env: CardGameEnv, snapshot: dict) -> str | None:
    """Why a snapshot is refused, if it is."""
    try:
        env.restore(snapshot)
    except InputError as error:
        return str(error)
    return None


def mutate(variant: Variant, episode: str, count: int, seed: int) -> Counter[str]:
    """Restore so many tampered snapshots; returns how many were accepted, refused, and not changed at all."""
    rng = random.Random(seed)
    env, twin = (variant.env(episode=episode, render_mode="ansi") for _ in range(2))
    originals, seen = snapshots(variant, episode, seed), Counter[str]()
    for number in range(count):
        original = rng.choice(originals)
        tampered = copy.deepcopy(original)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            try:
                rng.choice(MUTATIONS)(tampered, originals, rng)
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
                break  # an earlier mutation has left nothing for this one to change
        if number % 50 == 0:
            env.reset(seed=number)
        kept = env.snapshot()
        if complaint := refusal(env, tampered):
            assert "\n" not in complaint
            assert len(complaint) < LONGEST + 100
            assert env.snapshot() == kept, "what is refused changes nothing"
            seen["refused"] += 1
            continue
        assert env.snapshot() == tampered, "what is accepted is not what was given"
        if tampered["aec"]:
            check_reached(env, twin)
            play_on(env, rng)
        seen["unchanged" if tampered == original else "accepted"] += 1
    return seen


def memory() -> int:
    """The most memory that this process has taken so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def mutate_game(env_id: str, count: int) -> None:
    """Restore so many tampered snapshots of a game, under all its presets and in both episodes; print what
    became of them, and by how many MiB memory has grown since a tenth of them, as JSON."""
    variants = [variant for variant in VARIANTS if variant.env_id == env_id]
    parts = [(variant, episode) for variant in variants for episode in EPISODES]
    seen, each = Counter[str](), -(-count // len(parts))
    for variant, episode in parts:
        mutate(variant, episode, each // 10, seed=1)
    before = memory()
    for variant, episode in parts:
        seen += mutate(variant, episode, each, seed=2)
    print(json.dumps({**seen, "MiB": memory() - before}))
