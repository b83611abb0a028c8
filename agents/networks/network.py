"""The policy network: its layers, and how it is kept on disk.

A saved network is a folder with `weights.safetensors` and `manifest.json`. The manifest names the game, the
rules, the observation with its schema hash and the layers; a network is refused wherever one of them does not
fit. It holds a digest of the weights, so that a file that has lost a bit is refused too. The manifests of
0.2.0.dev0's first networks hold none; those networks are loaded with nothing to compare.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as save_tensors
from torch import nn

from stichwerk.agents.base import AgentError, differences
from stichwerk.agents.networks.tensors import read_tensors
from stichwerk.envs.games import find_game, make_game
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, RulesError, quoted
from stichwerk.support.files import as_json, part_of, write_together
from stichwerk.support.parsing import read_json, read_text

FORMAT = 1
WEIGHTS, MANIFEST = "weights.safetensors", "manifest.json"
DIGEST = "sha256"  # the manifest's entry with the digest of the weights' file, in hexadecimal digits
MOST_LAYERS, WIDEST = 16, 8192
WIDTHS_ALLOWED = f"one to {MOST_LAYERS} whole numbers from 1 to {WIDEST}"


def are_widths(widths: Any) -> bool:
    """Whether these can be the sizes of hidden layers."""
    return (
        isinstance(widths, (list, tuple))
        and 1 <= len(widths) <= MOST_LAYERS
        and all(type(width) is int and 1 <= width <= WIDEST for width in widths)
    )


def make_trunk(inputs: int, widths: Sequence[int]) -> nn.Sequential:
    """Linear layers, each followed by ReLU."""
    layers: list[nn.Module] = []
    for size_in, size_out in zip([inputs, *widths], widths, strict=False):
        layers += [nn.Linear(size_in, size_out), nn.ReLU()]
    return nn.Sequential(*layers)


class PolicyNetwork(nn.Module):
    """From canonical observations, float32[n, inputs], to action logits, float32[n, actions]."""

    def __init__(self, inputs: int, widths: Sequence[int], actions: int):
        super().__init__()
        self.widths = list(widths)
        self.trunk = make_trunk(inputs, widths)
        self.action = nn.Linear(widths[-1], actions)

    def share(self, trunk: nn.Sequential, action: nn.Linear) -> None:
        """Use layers that another module trains."""
        self.trunk, self.action = trunk, action

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.action(self.trunk(observation))


def device_here(device: str) -> torch.device:
    """The device of this name; "auto" is a GPU where torch can use one. InputError where there is none."""
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError(f"device: got {quoted(device)}, but torch finds no GPU here; expected cpu or auto")
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


def precision_here(precision: str, device: torch.device | str = "cpu") -> str:
    """The type of the layers' products on this device: "auto" is bfloat16 where there are units for it (a
    processor's AMX or AVX-512 BF16, a GPU's tensor cores), without which it is slower than float32."""
    if precision != "auto":
        return precision
    if torch.device(device).type == "cuda":
        has_units = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        tests = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
        has_units = any(getattr(torch.cpu, test, lambda: False)() for test in tests)
    return "bfloat16" if has_units else "float32"


def in_precision(network: PolicyNetwork, precision: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """The network's logits, float32, from products of this type."""
    kind = getattr(torch, precision)
    copy = deepcopy(network).to(kind)
    return lambda observation: copy(observation.to(kind)).float()


def manifest_for(game: Game, observation: str, widths: Sequence[int], **facts: Any) -> dict[str, Any]:
    """What must fit for a network to be used, and further facts about it."""
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


def save_network(folder: Path, network: PolicyNetwork, manifest: Mapping[str, Any]) -> None:
    """Save weights and manifest, with the weights' digest. Whenever this is cut off, `load_network` finds the
    one network or the other."""
    weights = save_tensors(network.state_dict())
    digest = hashlib.sha256(weights).hexdigest()
    write_together({folder / WEIGHTS: weights, folder / MANIFEST: as_json({**manifest, DIGEST: digest})})


def load_network(folder: Path, game: Game) -> tuple[PolicyNetwork, dict[str, Any], Game]:
    """A saved network, its manifest, and the game as it has learned to see it, which differs from this one
    in options `SHOWN_BY` observations at most; AgentError if there is none, it is damaged, or it does not fit
    game and rules."""
    manifest = _manifest_of(folder)
    game = _seen_as(manifest.get("rules"), game)
    observation, widths = _observation_of(manifest, game, folder), manifest["widths"]
    needed = manifest_for(game, observation, widths)
    if faults := differences({name: manifest.get(name) for name in needed}, needed):
        raise AgentError(f"network {folder} does not fit: {faults}")
    shape = game.encoding(observation).size, widths, len(game.actions)
    with torch.device("meta"):  # without weights: to draw some would move on torch's chance
        network = PolicyNetwork(*shape)
    try:
        weights, _ = read_tensors(folder / WEIGHTS, network.state_dict())
        manifest = _with_this_digest(folder, manifest)
    except InputError as error:
        raise AgentError(f"damaged network {folder / WEIGHTS}: {error}") from None
    network.to_empty(device="cpu").load_state_dict(weights)
    return network.eval(), {**manifest, **needed}, game


def _with_this_digest(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest, if its digest is that of the weights, or else the one that belongs to them; InputError if
    there is none.

    Who saves a network moves the weights to their place before the manifest. Whoever reads in between finds
    the manifest beside its place, or there a moment later.
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
    """The game that a saved network has learned, under its rules; AgentError if there is none or it is
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
