"""The policy network as it learns: its layers in torch, on the processor or a GPU."""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import torch
from torch import nn

from stichwerk.agents.networks.inference import InferenceNetwork
from stichwerk.agents.networks.tensors import one_thread
from stichwerk.support.errors import InputError, quoted


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

    @classmethod
    def of(cls, network: InferenceNetwork) -> Self:
        """The network with the weights of one that plays."""
        (weights, _), *_, (_, biases) = network.layers
        with torch.device("meta"):  # without weights: to draw some would move on torch's chance
            copy = cls(len(weights), network.widths, len(biases))
        copy.to_empty(device="cpu").load_arrays(network.arrays())
        return copy.eval()

    def for_play(self) -> InferenceNetwork:
        """A copy without torch."""
        return InferenceNetwork({name: array.copy() for name, array in self.arrays().items()}, self.widths)

    def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights, float32[outputs, inputs], and biases, float32[outputs], of the layers by name."""
        return {name: tensor.cpu().numpy() for name, tensor in self.state_dict().items()}

    def share(self, trunk: nn.Sequential, action: nn.Linear) -> None:
        """Use layers that another module trains."""
        self.trunk, self.action = trunk, action

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.action(self.trunk(observation))


class TorchLogits:
    """The pass forward of a network that may still learn, on its device, for agents: from canonical
    observations, float32[n, inputs], to action logits, float32[n, actions]. The layers' products have the
    precision given."""

    def __init__(self, network: PolicyNetwork, device: torch.device, precision: str = "float32"):
        self.network, self.device, self.precision = network.to(device), device, precision

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        with one_thread(), torch.inference_mode(), in_precision(self.device, self.precision):
            return self.network(torch.from_numpy(observation).to(self.device)).float().cpu().numpy()


def device_here(device: str) -> torch.device:
    """The device of this name; "auto" is a GPU where torch can use one. InputError where there is none."""
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError(f"device: got {quoted(device)}, but torch finds no GPU here; expected cpu or auto")
    return torch.device("cuda" if device != "cpu" and torch.cuda.is_available() else "cpu")


def in_precision(device: torch.device, precision: str) -> torch.autocast:
    """A block in which layers on this device multiply float32 or bfloat16."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


def precision_here(precision: str, device: torch.device | str = "cpu") -> str:
    """The type of the layers' products on this device. "auto" is bfloat16 where there are units for it: a
    processor's AMX or AVX-512 BF16, or a GPU's tensor cores. Without them it is slower than float32."""
    if precision != "auto":
        return precision
    if torch.device(device).type == "cuda":
        has_units = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        tests = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
        has_units = any(getattr(torch.cpu, test, lambda: False)() for test in tests)
    return "bfloat16" if has_units else "float32"
