"""Networks as ONNX files, from which other programs play.

The file's graph takes observations and masks in true suits, as the environment gives them, and gives the
scores of true actions. The renaming of suits is part of the graph.
"""

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import nn

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.core.agent import AgentError, differences, identity
from stichwerk.agents.external.policies import ABOUT
from stichwerk.agents.networks.inference import InferenceNetwork
from stichwerk.agents.networks.network import PolicyNetwork
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.support.extras import from_extra
from stichwerk.support.files import write_whole

ILLEGAL = -1e9


class TrueSuits(nn.Module):
    """A network of canonical suits, between true ones.

    It maps observations, float32[n, features], and masks, float32[n, actions], to scores, float32[n,
    actions]. Scores of illegal actions are far below all others.
    """

    keys: torch.Tensor
    order_number: torch.Tensor
    sources: torch.Tensor
    canonical: torch.Tensor

    def __init__(self, network: nn.Module, symmetry: SuitSymmetry):
        super().__init__()
        self.network = network
        for name in ("keys", "order_number", "sources"):
            self.register_buffer(name, torch.from_numpy(getattr(symmetry, name)))
        # for each true action the canonical one
        self.register_buffer("canonical", torch.from_numpy(np.argsort(symmetry.actions, axis=1)))

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        order = self._order(observation)
        scores = self.network(observation.gather(1, self.sources[order]))
        return torch.where(action_mask > 0, scores.gather(1, self.canonical[order]), ILLEGAL)

    def _order(self, observation: torch.Tensor) -> torch.Tensor:
        """The number of each observation's canonical order of the suits, int64[n]."""
        if not len(self.keys):
            return torch.zeros_like(observation[:, 0], dtype=torch.int64)
        entries = observation[:, self.keys]
        place = [torch.zeros_like(observation[:, 0], dtype=torch.int64) for _ in range(4)]
        for suit in range(4):
            for later in range(suit + 1, 4):
                less = entries[:, :, suit] - entries[:, :, later]
                first = (less != 0).int().argmax(dim=1, keepdim=True)  # the first entry in which they differ
                is_behind = (less.gather(1, first)[:, 0] < 0).long()
                place[suit] = place[suit] + is_behind
                place[later] = place[later] + 1 - is_behind
        code = sum(suit * 4 ** (3 - place[suit]) for suit in range(4))
        return self.order_number[code]


def write_onnx(agent: NetworkAgent, path: Path, int8: bool = False) -> None:
    """Write the agent's network as an ONNX file: inputs `observation`, float32[n, features], and
    `action_mask`, float32[n, actions]; output `scores`, float32[n, actions]. Its metadata hold, under
    `stichwerk`, game, rules and observation as JSON.

    Args:
        agent: with the network
        path: the file
        int8: Write the weights in 8 bits, a quarter of the size; the scores then differ a little.

    Raises AgentError for a network that learned from other observations than there are under these rules, and
    MissingExtra without the extra `onnx`.
    """
    if agent.reads_views:
        assert agent.game
        faults = differences(identity(agent.sees), identity(agent.game))
        raise AgentError(f"agent {agent.name} has learned from other observations than these: {faults}")
    for name in ("onnx", "onnxscript"):
        from_extra(name, "onnx")
    assert isinstance(agent.network, InferenceNetwork)  # as agents from files have
    graph = TrueSuits(PolicyNetwork.of(agent.network), agent.symmetry).eval()
    rows = torch.zeros(3, graph.sources.shape[1]), torch.ones(3, graph.canonical.shape[1])
    count = torch.export.Dim("n")
    with _exporter_is_quiet():
        program = torch.onnx.export(
            graph,
            rows,
            input_names=["observation", "action_mask"],
            output_names=["scores"],
            dynamic_shapes=({0: count}, {0: count}),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    model = _in_int8(program.model_proto) if int8 else program.model_proto
    about = {**identity(agent.sees), "observation": agent.observation}
    model.metadata_props.add(key=ABOUT, value=json.dumps(about))
    write_whole(path, model.SerializeToString())


def _in_int8(model: Any) -> Any:
    """The same model with weights in 8 bits, quantized by output; inputs of layers are as they come. The
    weights take 7 of the bits, because sums of 8 overflow in AVX2."""
    tools: Any = from_extra("onnxruntime.quantization", "onnx")
    with TemporaryDirectory() as folder, _exporter_is_quiet():
        path = Path(folder) / "int8.onnx"
        tools.quantize_dynamic(model, path, per_channel=True, reduce_range=True)
        return from_extra("onnx", "onnx").load(path)


@contextmanager
def _exporter_is_quiet() -> Iterator[None]:
    """It warns of its own parts, and of packages that it does not need."""
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
