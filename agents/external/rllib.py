"""A policy of RLlib that minds action masks, for `stichwerk.envs.rllib`, on RLlib's new API stack.

    RLModuleSpec(module_class=MaskedModule, model_config={"widths": [256, 256]})

`policies.from_rllib` makes agents of such modules.
"""

from typing import Any

import torch
from torch import nn

from stichwerk.agents.networks.network import make_trunk
from stichwerk.agents.networks.saved import WIDTHS_ALLOWED, are_widths
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra

TorchRLModule: Any = from_extra("ray.rllib.core.rl_module.torch", "rllib").TorchRLModule
ValueFunctionAPI: Any = from_extra("ray.rllib.core.rl_module.apis", "rllib").ValueFunctionAPI
Columns: Any = from_extra("ray.rllib.core.columns", "rllib").Columns

Batch = dict[str, Any]


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Action logits and a value on a common trunk of ReLU layers; illegal actions are never drawn.

    The model's configuration may have `widths`, those of the layers. Raises InputError for others.
    """

    def setup(self) -> None:
        widths = self.model_config.get("widths", [256, 256])
        if not are_widths(widths):
            raise InputError(f"widths: got {quoted(widths)}; expected {WIDTHS_ALLOWED}")
        self.trunk = make_trunk(self.observation_space["observation"].shape[0], widths)
        self.action = nn.Linear(widths[-1], int(self.action_space.n))
        self.value = nn.Linear(widths[-1], 1)

    def _forward(self, batch: Batch, **how: Any) -> Batch:
        seen = batch[Columns.OBS]
        embeddings = self.trunk(seen["observation"])
        logits = self.action(embeddings)
        lowest = torch.finfo(logits.dtype).min  # not -inf, of which RLlib's entropy and KL make NaN
        return {
            Columns.EMBEDDINGS: embeddings,
            Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, lowest),
        }

    def compute_values(self, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
        if embeddings is None:
            embeddings = self.trunk(batch[Columns.OBS]["observation"])
        return self.value(embeddings).squeeze(-1)
