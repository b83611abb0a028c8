"""Everything that a resumed run needs, as tensors and plain values: taken down, checked and put back.

A checkpoint may have been altered by anybody, and compiled code trusts the states that it is given. So no
state of a lane is taken over: each is reached again from what the config gives, by the actions of its log.
"""

import hashlib
import math
import random
from collections.abc import Callable, Mapping, Set
from typing import Any

import numpy as np
import torch

from stichwerk.agents.evaluation.playing.matches import DEALS
from stichwerk.agents.provenance import commit
from stichwerk.agents.training.learner import Learner
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.engine.lanes import Lanes
from stichwerk.support.errors import IllegalAction, InputError, quoted
from stichwerk.support.machine.hardware import machine

TWISTER = 624  # words of the Mersenne twister, NumPy's and torch's
TORCH_STATE = np.dtype([("seed", np.uint64), ("left", np.int32), ("seeded", np.int32), ("next", np.uint64)])
OF_EPISODE = ("match", "over", "reward")  # fields of a match that are known while it goes on


State = tuple[dict[str, torch.Tensor], dict[str, Any]]


def capture(learner: Learner) -> State:
    """The whole state of a run between two updates; the tensors are on the CPU, wherever the learner is.

    Raises:
        InputError: the networks of the workers differ.
    """
    ppo = learner.ppo
    tensors = {f"policy.{name}": parameter.detach() for name, parameter in ppo.policy.named_parameters()}
    for number, network in enumerate(learner.past):
        tensors |= {f"past.{number}.{name}": tensor for name, tensor in network.state_dict().items()}
    if ppo.magnet:
        tensors |= {f"magnet.{name}": tensor for name, tensor in ppo.magnet.state_dict().items()}
    for index, parameter in enumerate(ppo.policy.parameters()):
        state = ppo.policy.optimizer.state.get(parameter) or _fresh_moments(parameter)
        tensors |= {f"optimizer.{index}.{name}": tensor for name, tensor in state.items()}
    facts: dict[str, Any] = {"decisions": ppo.decisions, "promoted": learner.promoted}
    (own, own_facts, digest), *others = learner.together(_capture_own)
    tensors |= own
    facts |= own_facts
    for rank, (theirs, _, their_digest) in enumerate(others, 1):
        if their_digest != digest:
            raise InputError(
                f"worker {rank} rounds differently from the first; expected processors of one kind"
            )
        tensors |= {f"{_prefix(rank)}.{name}": tensor for name, tensor in theirs.items()}
    if others:
        facts["workers"] = [their_facts for _, their_facts, _ in others]
    return {name: tensor.cpu() for name, tensor in tensors.items()}, facts


def _prefix(rank: int) -> str:
    """The names of a worker's tensors begin with it."""
    return f"worker.{rank}"


def _capture_own(learner: Learner) -> tuple[dict[str, torch.Tensor], dict[str, Any], str]:
    """The state that each worker has for itself, and a hash of the network, which is the same for all."""
    env, tensors = learner.env, {}
    _, keys, position, *normal = np.random.get_state()
    version, words, pythons_normal = random.getstate()
    tensors["random.torch"] = torch.get_rng_state()
    tensors["random.numpy"] = torch.from_numpy(np.asarray(keys).astype(np.int64))
    tensors["random.python"] = torch.tensor(words)
    tensors["lanes.states"] = torch.from_numpy(env.lanes.states.view(np.uint8).copy())
    tensors["lanes.learner"] = torch.from_numpy(env.learner)
    facts = {
        "random_position": int(position),
        "random_normal": normal,
        "random_python": [version, pythons_normal],
        "chances": [chance.bit_generator.state for chance in learner.chances()],
    }
    digest = hashlib.sha256()
    for array in learner.network.arrays().values():
        digest.update(array.tobytes())
    return tensors, facts, digest.hexdigest()


def _fresh_moments(parameter: torch.Tensor) -> dict[str, torch.Tensor]:
    """Adam's state of a parameter before the first step."""
    first, second = (torch.zeros_like(parameter, requires_grad=False) for _ in range(2))
    return {"step": torch.zeros(()), "exp_avg": first, "exp_avg_sq": second}


def restore(learner: Learner, tensors: Mapping[str, torch.Tensor], facts: Any) -> None:
    """Bring a freshly made learner of the same config to a captured state.

    Args:
        learner: is changed in place
        tensors: of the right names, shapes and types
        facts: what else `capture` has returned, as JSON gives it back

    Raises:
        InputError: for a state to which no run of this config can come. The learner is then of no further
            use.
    """
    _check_facts(facts, learner)
    for name, tensor in tensors.items():
        if name.endswith((".step", ".exp_avg_sq")) and (tensor < 0).any():
            raise InputError(f"{name} holds numbers below zero")
    _check_own(tensors, learner.env.lanes.seat_count)
    for rank in range(1, learner.config.execution.workers):
        _check_own(_below(_prefix(rank), tensors), learner.env.lanes.seat_count)
    learner.together(_put_back, tensors, facts)


def _put_back(learner: Learner, tensors: Mapping[str, torch.Tensor], facts: dict[str, Any]) -> None:
    """Bring one worker to a captured state of all."""
    if learner.rank:
        tensors = {**tensors, **_below(_prefix(learner.rank), tensors)}
        facts = {**facts, **facts["workers"][learner.rank - 1]}
    ppo, env = learner.ppo, learner.env
    env.renew_rules(facts["decisions"] // ppo.batch_size - 1)  # as in the last update
    states = np.empty_like(env.lanes.states)
    states.view(np.uint8)[:] = tensors["lanes.states"].numpy()
    play_again(env.lanes, states)
    env.learner[:] = tensors["lanes.learner"].numpy()

    with torch.no_grad():
        for name, parameter in ppo.policy.named_parameters():
            parameter.copy_(tensors[f"policy.{name}"])
    for number, network in enumerate(learner.past):
        network.load_state_dict(_below(f"past.{number}", tensors))
    if ppo.magnet:
        ppo.magnet.load_state_dict(_below("magnet", tensors))
    optimizer = ppo.policy.optimizer.state_dict()
    for name, tensor in _below("optimizer", tensors).items():
        index, _, part = name.partition(".")
        optimizer["state"].setdefault(int(index), {})[part] = tensor
    ppo.policy.optimizer.load_state_dict(optimizer)
    ppo.decisions, learner.promoted = facts["decisions"], facts["promoted"]
    for chance, state in zip(learner.chances(), facts["chances"], strict=True):
        chance.bit_generator.state = state
    torch.set_rng_state(tensors["random.torch"])
    keys = tensors["random.numpy"].numpy().astype(np.uint32)
    np.random.set_state(("MT19937", keys, facts["random_position"], *facts["random_normal"]))
    version, normal = facts["random_python"]
    random.setstate((version, tuple(tensors["random.python"].tolist()), normal))


def workplace(learner: Learner) -> dict[str, str]:
    """The software and hardware that a run's digits depend on, besides its config and its `codes`."""
    gpu = {"gpu": torch.cuda.get_device_name()} if learner.device.type == "cuda" else {}
    return {
        "commit": commit(),
        "machine": machine(),
        "device": learner.device.type,
        **gpu,
        "precision": learner.ppo.precision,
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _below(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {
        name.removeprefix(f"{prefix}."): tensor
        for name, tensor in tensors.items()
        if name.startswith(f"{prefix}.")
    }


def _check_facts(facts: Any, learner: Learner) -> None:
    batch = learner.ppo.batch_size
    most = math.ceil(learner.config.ppo.decisions / batch) * batch
    names = workplace(learner).keys() - {"gpu"}
    own: dict[str, Callable[[Any], Any]] = {
        "random_position": lambda value: type(value) is int and 0 <= value <= TWISTER,
        "random_normal": _is_normal,
        "random_python": _is_python_normal,
        "chances": lambda value: (
            isinstance(value, list)
            and len(value) == len(learner.chances())
            and all(map(_is_generator, value))
        ),
    }
    others = learner.config.execution.workers - 1
    right: dict[str, Callable[[Any], Any]] = {
        "decisions": lambda value: type(value) is int and 0 < value <= most and value % batch == 0,
        "promoted": lambda value: type(value) is int and value in _possibly_promoted(facts, learner),
        **own,
        "highest": lambda value: value is None or (type(value) is float and math.isfinite(value)),
        "codes": lambda value: isinstance(value, list) and value and all(isinstance(v, str) for v in value),
        "learned_on": lambda value: (
            isinstance(value, list) and value and all(_is_workplace(each, names) for each in value)
        ),
    }
    if others:
        right["workers"] = lambda value: isinstance(value, list) and len(value) == others
    _check_each(facts, right)
    for each in facts.get("workers", ()):
        _check_each(each, own)


def _check_each(facts: Any, right: Mapping[str, Callable[[Any], Any]]) -> None:
    if not isinstance(facts, dict) or set(facts) != set(right):
        raise InputError(f"its facts must be {', '.join(right)}")
    for name, is_right in right.items():
        if not is_right(facts[name]):
            raise InputError(f"its {name} cannot be {quoted(facts[name])}")


def _possibly_promoted(facts: Mapping[str, Any], learner: Learner) -> range:
    """The possible numbers of snapshots that have been promoted to the pool."""
    config = learner.config
    updates = facts["decisions"] // (config.ppo.lanes * config.ppo.steps)
    snapshots = updates // config.pool.past_every if learner.past else 0
    return range(0 if config.pool.promote else snapshots, snapshots + 1)


def _is_workplace(value: Any, names: Set[str]) -> bool:
    """True if this is a `workplace` with at least these names."""
    return (
        isinstance(value, dict) and names <= value.keys() and all(isinstance(v, str) for v in value.values())
    )


def _is_normal(value: Any) -> bool:
    """True if this is the second of a pair of normal numbers, which NumPy keeps for the next call."""
    match value:
        case [int(is_kept), float(number)]:
            return is_kept in (0, 1) and math.isfinite(number)
    return False


def _is_python_normal(value: Any) -> bool:
    """True if this is the version of Python's generator, and a normal number or None for the next call."""
    match value:
        case [random.Random.VERSION, None]:
            return True
        case [random.Random.VERSION, float(number)]:
            return math.isfinite(number)
    return False


def _is_generator(value: Any) -> bool:
    """True if this is a state of NumPy's PCG64."""
    match value:
        case {
            "bit_generator": "PCG64",
            "state": {"state": int(state), "inc": int(inc)},
            "has_uint32": int(has_half),
            "uinteger": int(half),
        }:
            whole = 0 <= state < 2**128 and 0 < inc < 2**128 and inc % 2 == 1
            return whole and has_half in (0, 1) and 0 <= half < 2**32
    return False


def _check_own(tensors: Mapping[str, torch.Tensor], seats: int) -> None:
    """Check the values of a worker's own tensors, whose shapes and types are right; lane states are checked
    elsewhere."""
    if ((tensors["lanes.learner"] < 0) | (tensors["lanes.learner"] >= seats)).any():
        raise InputError(f"lanes.learner holds numbers that are not of {seats} seats")
    for name in ("random.numpy", "random.python"):
        if ((tensors[name] < 0) | (tensors[name] >= 2**32)).any():
            raise InputError(f"{name} holds numbers that are not of 32 bits")
    if tensors["random.python"][-1] > TWISTER:
        raise InputError("random.python is no state of a generator")
    # Torch checks the position in its words, and how many are left of them, but not that they agree.
    head = tensors["random.torch"].numpy()[: TORCH_STATE.itemsize].copy().view(TORCH_STATE)[0]
    left, position = int(head["left"]), int(head["next"])
    if left + position != TWISTER + 1 and (left, position) != (1, 0):
        raise InputError("random.torch is no state of a generator")
    try:
        torch.Generator().set_state(tensors["random.torch"])
    except RuntimeError as error:
        raise InputError(f"random.torch is no state of a generator: {error}") from None


def play_again(lanes: Lanes, states: np.ndarray) -> None:
    """Bring lanes that have their seeds to these states, by dealing and playing again what was dealt and
    played there.

    The past deals of a match cannot be played again. Its score is taken as given if every number is in its
    range; the present deal is played again after it.

    Raises:
        InputError: no play leads to these states.
    """
    layout, seats = lanes.game.spec.state, lanes.seat_count
    if name := layout.out_of_range(states, seats):
        raise InputError(f"lanes.states holds a {name} out of its range")
    if (states["deal_number"] >= DEALS[1]).any():
        raise InputError("lanes.states holds a deal_number that no run reaches")
    lanes.states["deal_number"] = states["deal_number"]
    lanes.start()
    if lanes.match:
        later = np.flatnonzero(states["deals_done"])
        for field in layout.fields:
            if field.lasts == "match" and field.name not in OF_EPISODE:
                lanes.states[field.name][later] = states[field.name][later]
        lanes.deal(later)
    for number in range(states["log_size"].max()):
        which = np.flatnonzero(states["log_size"] > number)
        actors = np.array([logged_seat(states[lane], number) for lane in which])
        actions = np.array([logged_action(states[lane], number) for lane in which])
        if (actors != lanes.seats[which]).any():
            raise InputError("lanes.states logs an action of a seat that was not to act")
        try:
            lanes.step(actions, which, restart=False)
        except IllegalAction as error:
            raise InputError(f"lanes.states logs an impossible action: {error}") from None
    if lanes.states.tobytes() != states.tobytes():
        raise InputError("lanes.states do not follow from their seeds and logs")
