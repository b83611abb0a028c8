"""Snapshots of an AEC environment: plain values, proved by play when they come back.

A snapshot may come from anywhere. Besides the state it holds the match as it stood before the present deal
was dealt. From there the deck is dealt and the log played again, by the environment's own rules. The result
must be the snapshot's state, and the bookkeeping beside it must be the environment's own.

Values of earlier deals, of which there is no log, must be such as a set match may have. So the compiled rules
meet no number of a snapshot that they could not have written. The payments of the deal before are an
exception: they must be in range and add up to zero, and the rules do not read them.

These are parts of `aec.py` in a module of their own.
"""

import copy
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.records import copy_of, from_plain, to_plain
from stichwerk.envs.spec.fields import LIFETIMES, Lifetime
from stichwerk.support.check import is_number
from stichwerk.support.errors import InputError, SetupError, quoted

if TYPE_CHECKING:
    from stichwerk.envs.aec import CardGameEnv

FORMAT = 2
BEFORE: tuple[Lifetime, ...] = ("match",)  # of what lifetime the fields in `before` are
ROUNDING = 1e-9  # of game points, which may be thirds

# What an AEC environment keeps besides the game's state.
BOOKKEEPING = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_skip_agent_selection",
)


def take(env: "CardGameEnv") -> dict[str, Any]:
    """The snapshot of an environment."""
    course, layout = env._course, env.game.spec.state
    return {
        "format": FORMAT,
        **_identity(env),
        "state": to_plain(course.states[0], layout),
        "before": None if course.before is None else to_plain(course.before[0], layout, BEFORE),
        "aec": bookkeeping(env),
    }


def bookkeeping(env: "CardGameEnv") -> dict[str, Any] | None:
    """A copy of what an environment keeps besides the state; None before the first `reset`."""
    return {name: copy.deepcopy(getattr(env, name)) for name in BOOKKEEPING} if env._course.started else None


def _identity(env: "CardGameEnv") -> dict[str, Any]:
    return {"env_id": env.game.env_id, "rules": env.game.rules.as_dict(), "episode": env.episode}


def play_to(env: "CardGameEnv", snapshot: Any) -> None:
    """Bring an environment that is as before its first `reset` into the position of a snapshot; InputError if
    no play leads there."""
    _check_identity(env, snapshot)
    layout, seats = env.game.spec.state, env.game.seats
    given, before = copy_of(layout.fresh), copy_of(layout.fresh)
    from_plain(given[0], snapshot["state"], layout, seats)
    if snapshot["aec"] is None and snapshot["before"] is None:
        _check_same(env, given[0], LIFETIMES, "state", "before the first reset")
        return
    if snapshot["before"] is None:
        raise InputError(
            "a snapshot's before: got nothing; expected the match before the deal. An environment that "
            "`set_state` has put to the end of a deal does not know it"
        )
    from_plain(before[0], snapshot["before"], layout, seats, BEFORE, "before")
    _begin_again(env, given[0], before[0])
    _play_again(env, given[0])
    _keep_again(env, snapshot["aec"])


# The same game


def _check_identity(env: "CardGameEnv", snapshot: Any) -> None:
    if not isinstance(snapshot, Mapping):
        raise InputError(f"snapshot: got {quoted(snapshot)}; expected what `snapshot()` returns")
    if not _same(FORMAT, snapshot.get("format")):
        raise InputError(f"snapshot format: got {quoted(snapshot.get('format'))}; expected format {FORMAT}")
    for name, own in _identity(env).items():
        given = snapshot.get(name)
        if _same(own, given):
            continue
        if isinstance(own, dict) and isinstance(given, Mapping):  # say only what differs
            names = [each for each in {**own, **given} if not _same(own.get(each), given.get(each))]
            own, given = ({each: rules.get(each) for each in names} for rules in (own, given))
        raise InputError(f"the snapshot is of {name} {quoted(given)}; this environment has {quoted(own)}")
    if set(snapshot) != {"format", *_identity(env), "state", "before", "aec"}:
        raise InputError("a snapshot must have format, env_id, rules, episode, state, before and aec")


def _same(own: Any, given: Any) -> bool:
    """True if a plain value from outside is the same as an own one."""
    if isinstance(own, dict):
        return (
            isinstance(given, Mapping)
            and set(given) == set(own)
            and all(_same(own[name], given[name]) for name in own)
        )
    if isinstance(own, list):
        return isinstance(given, (list, tuple)) and len(given) == len(own) and all(map(_same, own, given))
    if isinstance(own, float):
        return is_number(given) and own == given
    return type(given) is type(own) and own == given


def _check_same(
    env: "CardGameEnv", given: np.record, lasts: Collection[Lifetime], what: str, words: str
) -> None:
    """A state is the environment's own in what lasts so long; InputError names the first other field."""
    own = env._course.states[0]
    for field in env.game.spec.state.fields:
        if field.lasts in lasts and not np.array_equal(given[field.name], own[field.name]):
            theirs, ours = (quoted(np.asarray(record[field.name]).tolist()) for record in (given, own))
            raise InputError(f"{what} field {field.name}: got {theirs}; expected {ours} {words}")


# The match before the deal


def _begin_again(env: "CardGameEnv", given: np.record, before: np.record) -> None:
    """Let a match stand as in `before`, with the deal of `given` about to be dealt."""
    game, course = env.game, env._course
    state = course.states[0]
    size = len(game.deck)
    if (
        sorted(given.deck[:size]) != sorted(map(game.pack.parse, game.deck))
        or (given.deck[size:] != state.deck[size:]).any()
    ):
        cards = quoted(given.deck.tolist())
        raise InputError(
            f"state field deck: got {cards}; expected the {size} cards of the pack, each in its place"
        )
    _check_past(env, before, int(given.deal_number))

    course.loops.begin(course.rules, course.states, 0, env.episode == "match")
    course.started = True
    for name in ("seed", "deal_number", "deck"):
        state[name] = given[name]
    state.deck_is_set = 1
    for name in ("deals_done", "deal_points", "dealer"):
        state[name] = before[name]
    try:
        game.set_match(state, game.match_of(before))
    except SetupError as error:
        raise InputError(f"no match leads to the snapshot's before: {error}") from None
    _check_same(env, before, BEFORE, "before", "while a match goes on")


def _check_past(env: "CardGameEnv", before: np.record, deal_number: int) -> None:
    """InputError unless the values of earlier deals are possible."""
    most = deal_number if env.episode == "match" else 0
    if before.deals_done > most:
        raise InputError(f"before field deals_done: got {before.deals_done}; expected at most {most}")
    if before.dealer == NONE:
        raise InputError(f"before field dealer: got {before.dealer}; expected the seat that deals")
    points = before.deal_points.tolist()
    paid = points[: env.game.seats if before.deals_done else 0]
    if any(points[len(paid) :]) or not _could_be_paid(env, paid):
        raise InputError(
            f"before field deal_points: got {points}; expected a deal's points, which add up to 0"
        )


def _could_be_paid(env: "CardGameEnv", points: list[float], all_seats: bool = True) -> bool:
    """True if a deal could pay these points; to all seats together it pays nothing."""
    kind = env.game.spec.state.field("deal_points").kind
    whole = kind.stored_as.kind != "f"
    fit = all(abs(each) <= kind.high and (not whole or each == int(each)) for each in points)
    return fit and not (all_seats and abs(sum(points)) > ROUNDING * max(map(abs, points), default=0))


# The deal


def _play_again(env: "CardGameEnv", given: np.record) -> None:
    """Deal the deck that is set, and play the log of `given`: that must lead to `given`."""
    log = log_entries(given)
    unknown = [action for _, action in log if not 0 <= action < len(env.action_names)]
    if unknown:
        raise InputError(f"log of a snapshot: got action {unknown[0]}; expected those that the game has")
    try:
        env._course.deal()
        env._course.play([env.action_names[action] for _, action in log])
    except SetupError as error:
        raise InputError(f"no play leads to the snapshot's state: {error}") from None
    env._course.states["random"] = given.random  # nothing depends on it: each deal begins it again
    _check_same(env, given, LIFETIMES, "state", "by its deck and log")


# The bookkeeping


def _keep_again(env: "CardGameEnv", given: Any) -> None:
    """Store beside the state what this environment itself would store; `given` must be that."""
    if not isinstance(given, Mapping) or set(given) != set(BOOKKEEPING):
        raise InputError(f"a snapshot's aec part must have {', '.join(BOOKKEEPING)}")
    env._begin_bookkeeping(_deals_told(env, given["infos"]))
    left = len(given["agents"]) if isinstance(given["agents"], (list, tuple)) else len(env.agents)
    while env.terminations and all(env.terminations.values()) and len(env.agents) > left:
        env.step(None)
    for name, own in (bookkeeping(env) or {}).items():
        if not _same(own, given[name]):
            words = f"in this position {quoted(own)}"
            raise InputError(f"{name} of a snapshot: got {quoted(given[name])}; expected {words}")


def _deals_told(env: "CardGameEnv", infos: Any) -> list[list[float]]:
    """The points by deal and seat that infos tell of the deals that have ended in the last step or `reset`.

    The last of them is in the state, the others must be possible. Seats that are out are told nothing more.
    """
    state, seats = env._course.states[0], range(env.game.seats)
    told: dict[int, list[float]] = {}
    for seat, agent in enumerate(env.possible_agents):
        info = infos.get(agent) if isinstance(infos, Mapping) else None
        deals = info.get("deals") if isinstance(info, Mapping) else None
        if isinstance(deals, (list, tuple)) and deals and all(map(is_number, deals)):
            told[seat] = list(deals)
    numbers, done = {len(deals) for deals in told.values()}, int(state.deals_done)
    possible = range(1, done + 1) if state.log_size == 0 else {1, done} if state.over else {done}
    ended = [
        [told[seat][deal] if seat in told else 0 for seat in seats] for deal in range(min(numbers, default=0))
    ]
    if ended and not (
        len(numbers) == 1
        and len(ended) in possible
        and all(_could_be_paid(env, points, len(told) == len(seats)) for points in ended)
        and all(ended[-1][seat] == state.deal_points[seat] for seat in told)
    ):
        words = "expected what has been paid for the deals that ended in the last step"
        raise InputError(f"infos of a snapshot: got {quoted(infos)}; {words}")
    return ended
