"""Ready makers: agents from policies that other libraries have trained or stored.

    def make_agent(game):
        return from_sb3(MaskablePPO.load("policy.zip"), game)

Each takes three settings by name. `observation` is the encoding that the policy sees. `suits` is "true" or,
for a policy trained in `SelfPlayEnv`, "canonical". `greedy` says whether it plays its best action, or draws
one with scores as logits. An action that is not legal is never played, whatever its score.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from stichwerk.agents.core.agent import Agent, AgentError, Turns, differences, identity
from stichwerk.agents.networks.sampling import pick
from stichwerk.agents.networks.symmetry import SuitSymmetry
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError, error_line
from stichwerk.support.extras import from_extra
from stichwerk.support.parsing import read_json

ABOUT = "stichwerk"  # the key of an ONNX file's metadata under which game, rules and observation stand
Scores = Callable[[np.ndarray, np.ndarray], np.ndarray]


class HowToPlay(TypedDict, total=False):
    """The arguments of all makers, apart from the policy and the game."""

    observation: str
    suits: Literal["true", "canonical"]
    greedy: bool


class PolicyAgent(Agent):
    """Plays by `scores(observation, mask)`: from float32[n, features] and int8[n, actions] to a score for
    each action, [n, actions]. A legal action's score may be -inf, but not those of all; none may be NaN."""

    reads_views = False

    def __init__(
        self,
        name: str,
        scores: Scores,
        game: Game,
        observation: str = "summary",
        suits: Literal["true", "canonical"] = "true",
        greedy: bool = True,
    ):
        if suits not in ("true", "canonical"):
            raise AgentError(f"suits: got {suits!r}; expected 'true' or 'canonical'")
        encoding = game.encoding(observation)
        self._scores, self._game, self._observation, self._greedy = scores, game, observation, greedy
        self.draws = not greedy
        self._symmetry = SuitSymmetry(game, encoding) if suits == "canonical" else None
        super().__init__(name, game)

    def act(self, turns: Turns) -> np.ndarray:
        observation, mask = turns.observation(self._game, self._observation), turns.mask
        if self._symmetry:
            observation, mask, orders = self._symmetry.canonical(observation, mask)
        chance = None if self._greedy else self.chance_in(turns)
        actions = pick(self._asked(observation, mask), mask, chance, self.name)
        return self._symmetry.true_actions(actions, orders) if self._symmetry else actions

    def _asked(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The policy's scores, float64[n, actions]; whatever goes wrong in it, or with them, is an
        AgentError."""
        try:
            scores = np.asarray(self._scores(observation, mask))
        except Exception as error:  # the libraries' errors have no common kind
            raise AgentError(f"agent {self.name} crashed: {error_line(error)}") from error
        if scores.shape != mask.shape or scores.dtype.kind not in "fiu":
            given = f"scores of type {scores.dtype} in shape {scores.shape}"
            raise AgentError(f"agent {self.name}: got {given}; expected numbers in shape {mask.shape}")
        return scores.astype(np.float64)


def from_sb3(model: Any, game: Game, **how: Unpack[HowToPlay]) -> Agent:
    """The player of a stable-baselines3 or sb3-contrib model with a policy (PPO, A2C, MaskablePPO …) or
    values (DQN, QRDQN …) over the game's actions.

    Only load models that you trust: their files hold programs.

    Args:
        model: A model that is loaded already.
        game: The game that it has learned.
        how: `observation`, `greedy` and the like, as `HowToPlay` lists them.

    Raises:
        AgentError: if the model's spaces are not those of the game.
    """
    torch = from_extra("torch", "train")
    _check_spaces(model.observation_space, model.action_space, game, how.get("observation", "summary"))
    policy = model.policy
    policy.set_training_mode(False)

    def scores(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        tensor = torch.as_tensor(observation, device=policy.device)
        with torch.inference_mode():
            if hasattr(policy, "get_distribution"):
                return policy.get_distribution(tensor).distribution.logits.cpu().numpy()
            values = (policy.q_net if hasattr(policy, "q_net") else policy.quantile_net)(tensor)
            return (values.mean(dim=1) if values.ndim == 3 else values).cpu().numpy()

    return PolicyAgent("sb3", scores, game, **how)


def from_rllib(module: Any, game: Game, policy: str = "", **how: Unpack[HowToPlay]) -> Agent:
    """The player of an RLlib module that was trained in `stichwerk.envs.rllib`: the module itself, or the
    folder of its checkpoint, or of an algorithm's.

    Only load checkpoints that you trust: their files hold programs.

    Args:
        module: The module, or the folder.
        game: The game that it has learned.
        policy: Which of the algorithm's modules; empty: the only one.
        how: `observation`, `greedy` and the like, as `HowToPlay` lists them.

    Raises:
        AgentError: for a policy that is not there, or where there is but one module and no name.
    """
    torch = from_extra("torch", "train")
    rl_module: Any = from_extra("ray.rllib.core.rl_module", "rllib").RLModule
    columns: Any = from_extra("ray.rllib.core.columns", "rllib").Columns
    if isinstance(module, (str, Path)):
        folder = _module_folder(Path(module).absolute(), policy)
        try:
            with torch.random.fork_rng(devices=()):  # it draws weights before it loads its own
                module = rl_module.from_checkpoint(folder)
        except Exception as error:  # files of any content
            raise AgentError(f"{folder}: not a playable checkpoint: {error}") from None
    elif policy:
        raise AgentError(
            f"policy {policy!r}: got a single module; expected an algorithm's checkpoint to choose from"
        )
    _check_spaces(
        module.observation_space["observation"], module.action_space, game, how.get("observation", "summary")
    )

    def scores(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        seen = {"observation": torch.from_numpy(observation), "action_mask": torch.from_numpy(mask)}
        with torch.inference_mode():
            return module.forward_inference({columns.OBS: seen})[columns.ACTION_DIST_INPUTS].numpy()

    return PolicyAgent("rllib", scores, game, **how)


def _module_folder(folder: Path, policy: str) -> Path:
    """The folder of a module in an algorithm's checkpoint, or in one of its own."""
    modules = folder / "learner_group" / "learner" / "rl_module"
    if not modules.is_dir():
        if policy:
            raise AgentError(
                f"policy {policy!r}: got {folder}; expected an algorithm's checkpoint to choose from"
            )
        return folder
    names = sorted(path.name for path in modules.iterdir() if path.is_dir())
    if policy not in names and (policy or len(names) != 1):
        raise AgentError(f"policy of {folder}: got {policy!r}; expected one of {', '.join(names)}")
    return modules / (policy or names[0])


def from_onnx(path: str | Path, game: Game, **how: Unpack[HowToPlay]) -> Agent:
    """The player of an ONNX file, whose first output is the scores, float32[n, actions].

    Its inputs are an observation, float32[n, features], or that and a mask, [n, actions].

    Args:
        path: The file.
        game: The game that it plays.
        how: `observation`, `greedy` and the like, as `HowToPlay` lists them.

    Raises:
        AgentError: for a file with other inputs or outputs. Also for one of `export network` that names
            another game, other rules or another observation.
    """
    runtime = from_extra("onnxruntime", "onnx")
    try:
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4  # its errors are told in an AgentError, not on stderr too
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's errors have no common kind
        raise AgentError(f"{path}: not a playable ONNX file: {error}") from None
    inputs = session.get_inputs()
    kinds = {"tensor(float)": np.float32, "tensor(int8)": np.int8, "tensor(bool)": np.bool_}
    types = [each.type for each in inputs]
    if not 1 <= len(inputs) <= 2 or types[0] != "tensor(float)" or types[-1] not in kinds:
        allowed = "an observation, float32, and perhaps a mask, float32, int8 or bool"
        raise AgentError(f"inputs of {path}: got {', '.join(types)}; expected {allowed}")
    _check_file(path, session, game, how.get("observation", "summary"))

    def scores(*arrays: np.ndarray) -> np.ndarray:
        given = zip(inputs, arrays, strict=False)
        return session.run(None, {each.name: array.astype(kinds[each.type]) for each, array in given})[0]

    return PolicyAgent("onnx", scores, game, **how)


def _check_file(path: str | Path, session: Any, game: Game, observation: str) -> None:
    """AgentError unless an ONNX file's metadata and shapes fit the game and the observation."""
    if about := session.get_modelmeta().custom_metadata_map.get(ABOUT):
        try:
            theirs = read_json(about)
            if not isinstance(theirs, dict):
                raise InputError("no mapping")
        except InputError as error:
            raise AgentError(f"damaged ONNX file {path}: its {ABOUT} is {error}") from None
        if faults := differences(theirs, {**identity(game), "observation": observation}):
            raise AgentError(f"{path} does not fit: {faults}")
    widths = {
        "observations": session.get_inputs()[0].shape[-1:],
        "scores": session.get_outputs()[0].shape[-1:],
    }
    needed = {"observations": game.encoding(observation).size, "scores": len(game.actions)}
    for name, width in widths.items():
        if width and isinstance(width[0], int) and width[0] != needed[name]:
            raise AgentError(f"{path} has {name} of {width[0]} numbers: those here have {needed[name]}")


def from_torchscript(path: str | Path, game: Game, **how: Unpack[HowToPlay]) -> Agent:
    """The player of a TorchScript file whose `forward(observation)`, or `forward(observation, mask)`, gives
    scores, [n, actions].

    Args:
        path: The file.
        game: The game that it plays.
        how: `observation`, `greedy` and the like, as `HowToPlay` lists them.

    Raises:
        AgentError: for a file that is no TorchScript.
    """
    torch = from_extra("torch", "train")
    try:
        module = torch.jit.load(str(path), map_location="cpu").eval()
        taken = len(module.forward.schema.arguments) - 1  # without the module itself
    except (RuntimeError, ValueError, OSError, AttributeError) as error:
        raise AgentError(f"{path}: not a playable TorchScript file: {error}") from None

    def scores(*arrays: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return module(*map(torch.from_numpy, arrays[:taken])).numpy()

    return PolicyAgent("torchscript", scores, game, **how)


def _check_spaces(observations: Any, choices: Any, game: Game, observation: str) -> None:
    shape, actions = observations.shape, getattr(choices, "n", None)
    needed = (game.encoding(observation).size,), len(game.actions)
    if (shape, actions) != needed:
        raise AgentError(
            f"the model takes observations in shape {shape} and has {actions} actions: "
            f"{game.env_id} with {observation!r} has {needed[0]} and {needed[1]}"
        )
