"""Snapshots from outside are proved by play: what play leads to comes back, and nothing else."""

import json
import random

import pytest

from stichwerk.envs import CardGameEnv, InputError
from stichwerk.envs.engine.records import to_plain
from tests.envs.mutations import mutate, play_on
from tests.envs.support import (
    EPISODES,
    VARIANTS,
    choose,
    decisions,
    each_game,
    each_variant,
    each_variant_with,
    over,
    positions,
    python,
)

EACH = 20_000  # mutations of every game, in the slow test
HOURS = 3 * 3_600  # seconds, that they may take: far more than they need


def first_variant(env_id: str):
    return next(variant for variant in VARIANTS if variant.env_id == env_id)


@each_variant_with(episode=EPISODES)
def test_tampered_snapshots_are_refused_or_played_to(variant, episode):
    seen = mutate(variant, episode, 25, seed=3)
    assert seen["refused"] > 10


@pytest.mark.slow
@each_game
def test_many_tampered_snapshots(env_id):
    code = f"from tests.envs.mutations import mutate_game; mutate_game({env_id!r}, {EACH})"
    seen = json.loads(python(code, timeout=HOURS))
    assert seen.pop("MiB") < 64
    assert sum(seen.values()) >= EACH
    assert min(seen["accepted"], seen["refused"]) > EACH / 100


@each_variant_with(episode=EPISODES)
def test_worlds_are_restored_too(variant, episode):
    """In the place of the state a snapshot may have any world that a seat holds possible."""
    env, other = variant.env(episode=episode), variant.env(episode=episode, render_mode="ansi")
    rng = random.Random(1)

    def check_worlds() -> None:
        for agent in env.possible_agents:
            world = env.resample(agent, rng.getrandbits(32))
            snapshot = {**env.snapshot(), "state": to_plain(world[0], env.game.spec.state)}
            other.restore(json.loads(json.dumps(snapshot)))
            assert other.snapshot() == snapshot
            assert (other.copy_state() == world).all()

    for _ in positions(env, seed=61, episodes=2, share=0.2):
        check_worlds()
    play_on(other, rng)
    while env.agents:
        check_worlds()
        env.step(None)


@each_variant
def test_every_snapshot_of_a_match_comes_back(variant):
    env, other = variant.env(episode="match"), variant.env(episode="match")
    for _ in positions(env, seed=62, share=0.3):
        other.restore(env.snapshot())
        assert other.snapshot() == env.snapshot()
        assert (other.copy_state() == env.copy_state()).all()


def state(**fields):
    return lambda snapshot: {**snapshot, "state": {**snapshot["state"], **fields}}


def before(**fields):
    return lambda snapshot: {**snapshot, "before": {**snapshot["before"], **fields}}


def aec(**fields):
    return lambda snapshot: {**snapshot, "aec": {**snapshot["aec"], **fields}}


def paid(*deals: float) -> dict:
    return {f"player_{seat}": {"deal_points": sum(deals), "deals": list(deals)} for seat in range(2)}


TIMES = {"player_0": 0.0, "player_1": 0.0}
ALL_CARDS = (1 << 20) - 1

# What is wrong with a snapshot from the second deal of a match, and words of the complaint about it.
REFUSED = {
    "format of 0.1.0": ("schnapsen_v0", lambda s: {**s, "format": 1}, "format: got 1; expected format 2"),
    "no format": ("schnapsen_v0", lambda s: {**s, "format": [2]}, "format"),
    "no snapshot": ("schnapsen_v0", lambda s: list(s), "snapshot: got ["),
    "more entries": ("schnapsen_v0", lambda s: {**s, "note": ""}, "must have format, env_id"),
    "all cards in both hands": ("schnapsen_v0", state(hand=[ALL_CARDS, ALL_CARDS]), "field hand"),
    "hand of lists": ("schnapsen_v0", state(hand=[1, [2]]), "field hand"),
    "hand of nested lists": ("schnapsen_v0", state(hand=[[[[[[1]]]]], 2]), "field hand"),
    "hand of text": ("schnapsen_v0", state(hand=["1" * 10**6, "2"]), "field hand"),
    "hand of truths": ("schnapsen_v0", state(hand=[True, True]), "field hand"),
    "number of 5,000 digits": ("schnapsen_v0", state(points=[10**5000, 0]), "field points"),
    "position before the deck": ("schnapsen_v0", state(top=0), "field top"),
    "points of nobody": ("schnapsen_v0", state(points=[66, 0]), "field points"),
    "score of another match": ("schnapsen_v0", state(score=[0, 0]), "field score"),
    "score before of another match": ("schnapsen_v0", before(score=[0, 0]), "field score"),
    "score before of a finished match": ("schnapsen_v0", before(score=[7, 0]), "0 to 6"),
    "dealer who is to be drawn": ("schnapsen_v0", before(dealer=-1), "field dealer"),
    "more deals than dealt": ("schnapsen_v0", before(deals_done=2), "field deals_done"),
    "match that was over": ("schnapsen_v0", before(over=1), "field over"),
    "reward before the end": ("schnapsen_v0", before(reward=[1.0, -1.0]), "field reward"),
    "points for both": ("schnapsen_v0", before(deal_points=[1.0, 1.0]), "field deal_points"),
    "infinite points": ("schnapsen_v0", before(deal_points=[float("inf"), float("-inf")]), "deal_points"),
    "points that are no numbers": ("schnapsen_v0", before(deal_points=[float("nan")] * 2), "deal_points"),
    "no match before": ("schnapsen_v0", lambda s: {**s, "before": None}, "set_state"),
    "aec is a number": ("schnapsen_v0", lambda s: {**s, "aec": 5}, "aec part must have agents"),
    "no aec": ("schnapsen_v0", lambda s: {**s, "aec": None}, "aec part must have agents"),
    "unknown seat to act": (
        "schnapsen_v0",
        aec(agent_selection="player_9"),
        "agent_selection of a snapshot: got 'player_9'",
    ),
    "agents of nothing": ("schnapsen_v0", aec(agents=None), "agents of a snapshot: got None"),
    "agent who is out": ("schnapsen_v0", aec(agents=["player_0"]), "agents"),
    "rewards are a text": ("schnapsen_v0", aec(rewards="x"), "rewards of a snapshot: got 'x'"),
    "rewards of nobody": ("schnapsen_v0", aec(rewards={**TIMES, "player_0": 1.0}), "rewards"),
    "rewards of three": ("schnapsen_v0", aec(rewards={**TIMES, "player_2": 0.0}), "rewards"),
    "truncated": ("schnapsen_v0", aec(truncations=dict.fromkeys(TIMES, True)), "truncations"),
    "deals of long ago": ("schnapsen_v0", aec(infos=paid(1.0, 1.0)), "infos"),
    "deals of text": ("schnapsen_v0", aec(infos=paid() | {"player_0": {"deals": "11"}}), "infos"),
    "next agent": ("schnapsen_v0", aec(_skip_agent_selection="player_0"), "_skip_agent_selection"),
    "card counted that nobody saw": ("gaigel_v0", state(proofs=48), "field proofs"),
    "position in the talon": ("gaigel_v0", state(top=0), "field top"),
    "tokens out of nothing": ("gaigel_v0", before(score=[5, 0, 0]), "match tokens"),
    "tokens of a side that is not there": ("gaigel_v0", before(score=[0, 0, 0], pool=99), "match tokens"),
    "300 million refas": ("preferans_v0", state(refas=[300_000_000, 0, 0, 0]), "field refas"),
    "refas that were never written": ("preferans_v0", before(refas=[5_000, 0, 0, 0]), "match refas"),
    "too many refas written": ("preferans_v0", before(refas_written=99), "match refas_written"),
    "refas of a fourth player": ("preferans_v0", before(refas=[0, 0, 0, 1]), "field refas"),
    "points of a fourth player": ("preferans_v0", before(deal_points=[-1.0, 0, 0, 1]), "field deal_points"),
    "hand of the last deal": ("preferans_v0", before(deals_done=10**6), "field deals_done"),
    "drawn deals that do not wait": ("snapszer_v0", before(carry=1), "match carry"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_no_play_leads_to_is_refused(fault):
    env_id, spoil, words = REFUSED[fault]
    env, other = (first_variant(env_id).env(episode="match") for _ in range(2))
    rng = random.Random(0)
    for seed in range(100):  # until the second deal of a match has begun
        env.reset(seed=seed)
        for _ in decisions(env, rng):
            if env.copy_state()[0].deals_done and env.copy_state()[0].log_size > 2:
                break
        if not over(env):
            break
    other.reset(seed=1)
    kept = other.snapshot()
    with pytest.raises(InputError) as refusal:
        other.restore(spoil(env.snapshot()))
    message = str(refusal.value)
    assert words in message
    assert "\n" not in message
    assert len(message) < 2_100
    assert other.snapshot() == kept, "what is refused changes nothing"
    other.step(choose(other, rng))
    other.restore(env.snapshot())


def test_infos_tell_what_the_state_has_paid():
    env, rng = CardGameEnv("schnapsen_v0"), random.Random(1)
    env.reset(seed=1)
    while not over(env):
        env.step(choose(env, rng))
    other = 2.0 if abs(env.infos["player_0"]["deal_points"]) == 1 else 1.0
    snapshot = env.snapshot()
    for points, agent in ((other, "player_0"), (-other, "player_1")):
        snapshot["aec"]["infos"][agent] = {"deal_points": points, "deals": [points]}
    with pytest.raises(InputError, match="infos"):
        CardGameEnv("schnapsen_v0").restore(snapshot)


def test_a_single_deal_has_none_before():
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    env.reset()
    snapshot = env.snapshot()
    for part in ("before", "state"):
        snapshot[part]["deals_done"] = 1
    with pytest.raises(InputError, match="before field deals_done: got 1; expected at most 0"):
        CardGameEnv("schnapsen_v0").restore(snapshot)


@each_variant
def test_what_set_state_has_ended_is_not_known_from_the_start(variant):
    """A state alone does not tell how the match stood before its deal, once the deal is over."""
    env, other = variant.env(), variant.env()
    for _ in positions(env, seed=63):
        other.set_state(env.copy_state())
        env.restore(other.snapshot())
    other.set_state(env.copy_state())
    with pytest.raises(InputError, match="set_state"):
        env.restore(other.snapshot())
