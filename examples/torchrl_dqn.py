"""DQN with TorchRL against the rule-based player: masked actions, a replay buffer, a slowly following target.

python examples/torchrl_dqn.py --decisions 60000 --out dqn.pt
"""

import gymnasium
import torch
import tyro
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Composite, LazyTensorStorage, TensorDictReplayBuffer
from torchrl.envs import GymWrapper
from torchrl.envs.gym_like import BaseInfoDictReader
from torchrl.modules import EGreedyModule, QValueModule
from torchrl.objectives import DQNLoss, SoftUpdate

import stichwerk.envs  # noqa: F401 - registers the games with Gymnasium
from stichwerk.agents import make_agent
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.external.policies import from_torchscript


class Masks(BaseInfoDictReader):
    """Takes the mask from Gymnasium's `info`, as truths."""

    info_spec: Composite | None = None

    def __init__(self, actions: int):
        self.info_spec = Composite(action_mask=Binary(actions, dtype=torch.bool))

    def __call__(self, info: dict, tensordict: TensorDict) -> TensorDict:
        return tensordict.set("action_mask", torch.from_numpy(info["action_mask"]).bool())


def main(
    env: str = "stichwerk/Schnapsen-v0",
    opponent: str = "rules:0.1",
    decisions: int = 60_000,
    frames: int = 250,
    updates: int = 20,
    batch: int = 256,
    width: int = 128,
    deals: int = 2_000,
    out: str = "dqn.pt",
) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    seat = gymnasium.make(env, opponents=opponent)
    game = seat.unwrapped.table.game
    train = GymWrapper(seat, categorical_action_encoding=True)
    train.set_info_dict_reader(Masks(len(game.actions)))
    train.set_seed(1)
    network = nn.Sequential(
        nn.Linear(game.encoding("summary").size, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, len(game.actions)),
    )
    q_values = TensorDictModule(network, in_keys=["observation"], out_keys=["action_value"])
    choice = QValueModule(spec=train.action_spec, action_mask_key="action_mask")
    greedy = TensorDictSequential(q_values, choice)
    chance = EGreedyModule(
        train.action_spec, 1.0, 0.05, annealing_num_steps=decisions // 2, action_mask_key="action_mask"
    )
    collector = Collector(
        train,
        TensorDictSequential(greedy, chance),
        frames_per_batch=frames,
        total_frames=decisions,
        auto_register_policy_transforms=False,
    )
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(decisions), batch_size=batch)
    loss = DQNLoss(greedy, action_space=train.action_spec, delay_value=True)
    loss.make_value_estimator(gamma=1.0)
    target = SoftUpdate(loss, tau=0.01)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for played in collector:
        chance.step(played.numel())
        buffer.extend(played)
        for _ in range(updates):
            value = loss(buffer.sample())["loss"]
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            target.step()
    collector.shutdown()

    torch.jit.script(network).save(out)
    player = from_torchscript(out, game)
    for other in ("random", opponent):
        result = play_pair(game, player, make_agent(other, game.env_id), Series(deals, seed=1))
        print(f"{result.mean:+.3f} +/- {result.mean - result.low:.3f} points per deal against {other}")


if __name__ == "__main__":
    tyro.cli(main)
