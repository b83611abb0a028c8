"""Policy networks on disk; without torch.

A saved network is a folder with `weights.safetensors` and `manifest.json`. The manifest names the game, the
rules, the observation with its schema hash and the layers. A network is refused where one of them does not
fit. The manifest holds a digest of the weights, so that a file that has lost a bit is refused too. The
manifests of 0.2.0.dev0's first networks hold none; those networks are loaded with nothing to compare.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import save as save_arrays

from stichwerk.agents.core.agent import AgentError, differences
from stichwerk.agents.networks.arrays import Shape, read_arrays
from stichwerk.agents.networks.inference import layer_names
from stichwerk.envs.games import find_game, make_game
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.rule_inputs import RULES
from stichwerk.support.errors import InputError, RulesError, quoted
from stichwerk.support.files import as_json, part_of, write_together
from stichwerk.support.parsing import read_json, read_text

FORMAT = 1
WEIGHTS, MANIFEST = "weights.safetensors", "manifest.json"
DIGEST = "sha256"  # the manifest's entry with the digest of the weights' file, in hexadecimal digits
MOST_LAYERS, WIDEST = 16, 8192
WIDTHS_ALLOWED = f"one to {MOST_LAYERS} whole numbers from 1 to {WIDEST}"


class SavedNetwork(NamedTuple):
    """A network as it was read.

    Attributes:
        arrays: the weights, float32[outputs, inputs], and biases, float32[outputs], of its layers, by name.
        manifest: what the network is for, and further facts.
        sees: the game as the network has learned to see it, which differs from the one asked for in options
            `SHOWN_BY` or `COUNTED` at most.
    """

    arrays: dict[str, np.ndarray]
    manifest: dict[str, Any]
    sees: Game


def are_widths(widths: Any) -> bool:
    """True if these can be the sizes of hidden layers."""
    return (
        isinstance(widths, (list, tuple))
        and 1 <= len(widths) <= MOST_LAYERS
        and all(type(width) is int and 1 <= width <= WIDEST for width in widths)
    )


def manifest_for(game: Game, observation: str, widths: Sequence[int], **facts: Any) -> dict[str, Any]:
    """A network's manifest: the facts that must fit for it to be used, and further ones.

    Environment and rules need not fit where the observation is `rules`: such a network plays all rules of all
    environments of its game.
    """
    return {
        "format": FORMAT,
        "env": game.env_id,
        "rules": game.rules.as_dict(),
        "observation": observation,
        "schema": game.encoding(observation).schema,
        "actions": len(game.actions),
        "widths": list(widths),
        **facts,
    }


def write_network(folder: Path, arrays: Mapping[str, np.ndarray], manifest: Mapping[str, Any]) -> None:
    """Save weights and manifest, with the digest of the weights.

    Whenever this is cut off, `read_network` finds the one network or the other.
    """
    weights = save_arrays(dict(arrays))
    digest = hashlib.sha256(weights).hexdigest()
    write_together({folder / WEIGHTS: weights, folder / MANIFEST: as_json({**manifest, DIGEST: digest})})


def read_network(folder: Path, game: Game) -> SavedNetwork:
    """Read a saved network.

    Raises:
        AgentError: there is none, it is damaged, or it does not fit game and rules.
    """
    manifest, needed, game = _fitting(folder, game)
    sizes = [game.encoding(needed["observation"]).size, *needed["widths"], len(game.actions)]
    try:
        arrays, _ = read_arrays(folder / WEIGHTS, dict(_shapes(sizes)))
        manifest = _with_this_digest(folder, manifest)
    except InputError as error:
        raise AgentError(f"damaged network {folder / WEIGHTS}: {error}") from None
    return SavedNetwork(arrays, {**manifest, **needed}, game)


def fits(folder: Path, game: Game) -> bool:
    """True if a saved network plays this game under its rules; AgentError if there is none."""
    _manifest_of(folder)
    with suppress(AgentError):
        _fitting(folder, game)
        return True
    return False


def _fitting(folder: Path, game: Game) -> tuple[dict[str, Any], dict[str, Any], Game]:
    """The manifest of a saved network, what of it must fit, and the game as the network sees it; AgentError
    if it does not fit."""
    manifest = _manifest_of(folder)
    by_rules = manifest.get("observation") == RULES
    counting = {name: seen for name, _, seen in game.rules.COUNTED}
    game = _seen_as(counting if by_rules else manifest.get("rules"), game)
    needed = manifest_for(game, _observation_of(manifest, game, folder), manifest["widths"])
    if by_rules and manifest.get("env") in game.spec.env_ids:
        needed |= {name: manifest.get(name) for name in ("env", "rules")}
    if faults := differences({name: manifest.get(name) for name in needed}, needed):
        raise AgentError(f"network {folder} does not fit: {faults}")
    return manifest, needed, game


def plays_any_rules(folder: Path) -> bool:
    """True if a saved network plays its game under all rules; AgentError if there is none."""
    return _manifest_of(folder).get("observation") == RULES


def _shapes(sizes: Sequence[int]) -> Iterator[tuple[str, Shape]]:
    """The arrays of a network whose layers go from one of these sizes to the next."""
    for name, (inputs, outputs) in zip(layer_names(len(sizes) - 2), pairwise(sizes), strict=True):
        yield f"{name}.weight", Shape("F32", (outputs, inputs))
        yield f"{name}.bias", Shape("F32", (outputs,))


def _with_this_digest(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest, if its digest is that of the weights, or else the one that belongs to them; InputError if
    there is none.

    A network is saved by moving the weights to their place before the manifest. A reader in between finds the
    manifest in its temporary file, or in its place a moment later.
    """
    with open(folder / WEIGHTS, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if manifest.get(DIGEST, digest) == digest:
        return manifest
    for path in (part_of(folder / MANIFEST), folder / MANIFEST):
        with suppress(AgentError, OSError):
            other = _manifest_in(path)
            if other.get(DIGEST) == digest:
                return other
    raise InputError(f"its {DIGEST}: got {digest}; expected {quoted(manifest[DIGEST])}, as in {MANIFEST}")


def game_of(folder: Path) -> Game:
    """The game that a saved network was trained on, under its rules; AgentError if there is none or it is
    damaged."""
    manifest = _manifest_of(folder)
    try:
        return make_game(str(manifest.get("env")), manifest.get("rules"))
    except InputError as error:
        raise AgentError(f"damaged network {folder / MANIFEST}: {error}") from None


def _manifest_of(folder: Path) -> dict[str, Any]:
    for name in (MANIFEST, WEIGHTS):
        if not (folder / name).is_file():
            inside = next((part for part in ("best", "last") if (folder / part / MANIFEST).is_file()), None)
            hint = f"; do you mean {folder / inside}?" if inside else ""
            raise AgentError(f"network {folder}: got no {name} in it; expected one{hint}")
    return _manifest_in(folder / MANIFEST)


def _manifest_in(path: Path) -> dict[str, Any]:
    try:
        manifest = read_json(read_text(path))
        if not isinstance(manifest, dict):
            raise InputError("it must hold a mapping")
        if not are_widths(manifest.get("widths")):
            raise InputError(f"widths: got {quoted(manifest.get('widths'))}; expected {WIDTHS_ALLOWED}")
    except InputError as error:
        raise AgentError(f"damaged network {path}: {error}") from None
    rules = manifest.get("rules")
    if isinstance(rules, Mapping):
        with suppress(InputError):
            _, spec = find_game(str(manifest.get("env")))
            manifest["rules"] = spec.rules.completed(rules)
    return manifest


def _seen_as(rules: Any, game: Game) -> Game:
    """The game with observations as under other rules, if these can be."""
    theirs = rules if isinstance(rules, Mapping) else {}
    ours = game.rules.as_dict()
    shown = {name: theirs[name] for name in game.rules.SHOWN_BY if theirs.get(name, ours[name]) != ours[name]}
    for name, hidden, seen in game.rules.COUNTED:
        if (ours[name], theirs.get(name)) == (hidden, seen):
            shown[name] = seen
    with suppress(RulesError):
        return make_game(game.env_id, {**ours, **shown}) if shown else game
    return game


def _observation_of(manifest: Mapping[str, Any], game: Game, folder: Path) -> str:
    observation = str(manifest.get("observation"))
    if observation not in game.encodings:
        raise AgentError(
            f"network {folder} has observation {quoted(observation)}; there are {', '.join(game.encodings)}"
        )
    return observation
