"""The settings of a training run by groups, with their defaults, what they may hold and how they may vary."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from stichwerk.agents.envs.lane_rules import GIVEN
from stichwerk.agents.envs.pool import are_shares
from stichwerk.agents.evaluation.playing.matches import DEALS
from stichwerk.agents.networks.saved import WIDTHS_ALLOWED, are_widths
from stichwerk.agents.training.settings import Group, Rules, Schedule, require, setting
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.rule_inputs import RULES
from stichwerk.envs.spec.rule_sets import KINDS
from stichwerk.support.check import Allowed, between, one_of
from stichwerk.support.parsing import in_one_line, parse_yaml

MOST_SEED = 2**32 - 1
FRACTION = between(0.0, 1.0)
UPDATES = between(1, 10**9)
MOST_DECISIONS = 2**24  # of an update, which are all in memory
FIXED_MARK = "rules:0.1"  # a rule-based player that stays as it is: the same seed trains the same network
BASELINES = (FIXED_MARK, "random")


@dataclass(frozen=True)
class GameConfig(Group):
    """The game, its rules and the observation."""

    env: str = setting("schnapsen_v0", may_vary=False, aliases=("game",))
    """The environment id of the game. MODULE:ID imports a module first."""
    rules: Rules = setting("", may_vary=False)
    """The name of a preset, or options such as '{preset: schnapsen, claims: auto}'. The default is the game's
    default preset."""
    episode: str = setting("deal", may_vary=False)
    """The learner is rewarded for a deal or for a match."""
    observation: str = setting("summary", names_something=True)
    """The encoding of the observations that the network sees."""
    start_states: bool = setting(False, may_vary=False, formerly=("situations",))
    """Begin episodes in start states of a match as they occur, instead of with a fresh score."""
    match_equity: bool = setting(False, may_vary=False)
    """With episode match, reward each deal by the change in the probability of winning the match, in rollout
    targets too."""

    rule_shares: dict[str, float] = setting({}, may_vary=False)
    """Many rule sets in one training, by their shares of the lanes: given (the rules above), defaults (of all
    environments of the game), presets, singles (defaults with one other option), random (any options), such
    as {defaults: 0.5, random: 0.5}. Needs observation rules. By default all lanes have the rules above."""
    rules_every: int = setting(10, UPDATES, may_vary=False, needs="rule_shares")
    """The number of updates between draws of new rules for the lanes."""

    def __post_init__(self):
        super().__post_init__()
        shares, kinds = self.rule_shares, (GIVEN, *KINDS)
        right = shares == {} or (
            isinstance(shares, dict) and {*shares} <= {*kinds} and are_shares(shares.values())
        )
        expected = f"a mapping of {', '.join(kinds)} with shares above 0 that add up to 1"
        require("rule_shares", shares, right, expected)
        right = not shares or self.observation == RULES
        require("observation", self.observation, right, f"{RULES} with rule_shares")
        right = not (shares and self.match_equity)  # its table is of one rule set
        require("match_equity", self.match_equity, right, "no with rule_shares")

    @property
    def evaluated_in_start_states(self) -> bool:
        """True if evaluations of deals begin as training does: by equity deals at other scores are not played
        for their points."""
        return self.start_states and not self.match_equity

    @property
    def rules_yaml(self) -> str:
        """The rules as the command line takes them."""
        return in_one_line(self.rules) if isinstance(self.rules, dict) else self.rules

    def make(self) -> Game:
        """Make the game under its rules."""
        return make_game(self.env, parse_yaml(self.rules) if isinstance(self.rules, str) else self.rules)


@dataclass(frozen=True)
class NetworkConfig(Group):
    """The network that learns."""

    widths: tuple[int, ...] = setting((256, 256), Allowed(are_widths, WIDTHS_ALLOWED))
    """The widths of the network's hidden layers."""
    init: str = setting("", names_something=True)
    """The network to begin with, ppo:NAME or ppo:FOLDER. By default the weights are random."""
    precision: str = setting("auto", one_of("auto", "float32", "bfloat16"))
    """The precision of the layers' products while the network learns: float32, bfloat16 or auto. `auto` is
    bfloat16 where the processor or the GPU has units for it, and float32 elsewhere."""


@dataclass(frozen=True)
class PPOConfig(Group):
    """Proximal policy optimization."""

    decisions: int = setting(16_000_000, between(1, 10**12), may_vary=False, aliases=("total_timesteps",))
    """The number of decisions to learn from, of all lanes together."""
    lanes: int = setting(1024, between(1, 2**16), aliases=("num_envs",))
    """The number of games played side by side."""
    steps: int = setting(24, between(1, 2**16), aliases=("num_steps",))
    """The number of decisions of a lane between updates."""
    minibatches: int = setting(8, between(1, 2**24), aliases=("num_minibatches",))
    """The number of minibatches that the decisions of an update are divided into."""
    epochs: int = setting(2, between(1, 1_000), aliases=("update_epochs",))
    """The number of passes over the decisions of an update."""
    learning_rate: float = setting(4e-3, between(1e-9, 1.0), aliases=("lr",))
    """The learning rate of the first update."""
    lr_final_fraction: float = setting(0.0, FRACTION, formerly=("rate_left",))
    """The fraction of the first learning rate to which it falls linearly. The end value is reached after the
    last update."""
    entropy: float = setting(0.08, between(0.0, 100.0), aliases=("ent_coef",))
    """The weight of the policy's entropy in the loss of the first update."""
    entropy_final_fraction: float = setting(1.0, FRACTION, formerly=("entropy_left",))
    """The fraction of the first entropy weight to which it falls, as the learning rate does."""
    magnet: float = setting(0.0, between(0.0, 100.0))
    """The weight of the divergence from the magnet, a past state of the network (magnetic mirror descent).
    With 0 there is none."""
    magnet_every: int = setting(50, UPDATES, needs="magnet")
    """The number of updates after which the magnet becomes the current network."""
    clip: float = setting(0.2, between(1e-6, 100.0), aliases=("clip_coef",))
    """The clip range of the probability ratio."""
    gae_lambda: float = setting(0.95, FRACTION)
    """The lambda of the advantage estimate (GAE). There is no discount."""
    reward_scale: float = setting(1 / 3, between(1e-6, 1e6))
    """The factor by which rewards are multiplied for the learner."""
    reward_limit: float = setting(
        0.0, Allowed(lambda value: value == 0 or 1e-6 <= value <= 1e6, "0, or a number from 1e-06 to 1e+06")
    )
    """The limit of scaled rewards, which they approach smoothly: limit * tanh(reward / limit). 0 sets no
    limit."""

    def __post_init__(self):
        super().__post_init__()
        batch = self.lanes * self.steps
        fits = batch <= MOST_DECISIONS
        require("steps", self.steps, fits, f"at most {MOST_DECISIONS} decisions, lanes x steps")
        divides = batch % self.minibatches == 0 and batch > self.minibatches
        require("minibatches", self.minibatches, divides, f"a divisor of lanes x steps = {batch}, and less")

    @property
    def learning_rates(self) -> Schedule:
        """Adam's learning rate by update."""
        return Schedule(self.learning_rate, self.lr_final_fraction)

    @property
    def entropies(self) -> Schedule:
        """The weight of the policy's entropy by update."""
        return Schedule(self.entropy, self.entropy_final_fraction)


@dataclass(frozen=True)
class ImitationConfig(Group):
    """A warm start by imitation."""

    imitation_agent: str = setting("", names_something=True, formerly=("teacher",))
    """The agent that plays the learner's seats at first, such as rules. The policy imitates its actions, and
    the value learns its results. By default there is no imitation."""
    imitation_decisions: int = setting(
        2_000_000, between(0, 10**12), needs="imitation_agent", formerly=("taught",)
    )
    """The number of decisions by the imitation agent, over all lanes, before the learner plays."""


@dataclass(frozen=True)
class RolloutTargetConfig(Group):
    """Targets for all legal actions, by playing the deal on after each of them."""

    rollout_policy: str = setting("", names_something=True, formerly=("adviser",))
    """The player that plays the deal on after each legal action: rules, rules:VERSION, ppo:NAME or
    ppo:FOLDER. Once the stock of Schnapsen or Sixty-six is exhausted the value is exact. The outcomes are
    targets for all actions (rollout targets). By default there are none."""
    rollout_share: float = setting(1.0, between(1e-6, 1.0), needs="rollout_policy")
    """The share of the decisions, drawn at random, that get rollout targets. Those of a network take several
    times as long as the decision itself."""
    rollout_weight: float = setting(0.5, between(1e-6, 1.0), needs="rollout_policy", formerly=("advice",))
    """The weight of the rollout targets in the policy loss of the first update. The rest is for the learner's
    own returns."""
    rollout_final_fraction: float = setting(1.0, FRACTION, needs="rollout_policy", formerly=("advice_left",))
    """The fraction of the first rollout weight to which it falls, as the learning rate does."""
    rollout_floor: float = setting(0.3, FRACTION, needs="rollout_policy", formerly=("advice_floor",))
    """The share of the uniform distribution in the targets' weights, so that unlikely actions are learned
    too. The rest of each weight is the policy's probability."""

    @property
    def rollout_weights(self) -> Schedule:
        """The weight of the rollout targets in the policy loss by update."""
        return Schedule(self.rollout_weight, self.rollout_final_fraction)


@dataclass(frozen=True)
class PoolConfig(Group):
    """The pool of opponents."""

    opponents: dict[str, float] = setting({}, names_something=True)
    """The opponents by their shares of the lanes: latest (the learner itself), past (its past networks), or
    any agent. The default is {latest: 0.5, past: 0.2, 'rules:0.1': 0.3}, and {latest: 0.7, past: 0.3} in a
    game without rule-based player."""
    past_size: int = setting(2, between(0, 100), needs="past")
    """The number of past networks in the pool."""
    past_every: int = setting(15, UPDATES, needs="past")
    """The number of updates between past networks."""
    promote: float = setting(0.0, FRACTION, needs="past")
    """The share of games that a network must win against those of the pool, on the validation deals, to
    replace the oldest. With 0 every network does."""

    def __post_init__(self):
        super().__post_init__()
        right = self.opponents == {} or _is_pool(self.opponents)
        require("opponents", self.opponents, right, _pool_in_words(self.opponents))
        right = self.past_size > 0 or "past" not in self.opponents
        require("past_size", self.past_size, right, "at least 1 with opponents past")
        require("promote", self.promote, self.has_past or not self.promote, "0 without opponents past")

    @property
    def shares(self) -> dict[str, float]:
        """The opponents in the order of their names, so that their order in a file does not matter."""
        return dict(sorted(self.opponents.items()))

    @property
    def has_past(self) -> bool:
        """True if past networks of the learner are among the opponents, as they are by default."""
        return not self.opponents or "past" in self.opponents


def _is_pool(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(name, str) for name in value)
        and are_shares(value.values())
    )


def _pool_in_words(value: Any) -> str:
    words = (
        "a mapping such as {latest: 0.5, rules: 0.5}, of latest, past and agents, "
        "with shares above 0 that add up to 1"
    )
    if isinstance(value, dict) and all(type(share) in (int, float) for share in value.values()):
        with suppress(OverflowError):  # of a whole number that is no float
            return f"{words}, not to {sum(value.values()):g}"
    return words


@dataclass(frozen=True)
class EvaluationConfig(Group):
    """Evaluations: their schedule, deals and opponents."""

    evaluate_every: int = setting(20, UPDATES, may_vary=False)
    """The number of updates between evaluations."""
    evaluate_deals: int = setting(2_000, between(*DEALS), may_vary=False)
    """The number of duplicate deals against each baseline, rules:0.1 and random, in an evaluation."""
    final_deals: int = setting(20_000, between(*DEALS), may_vary=False)
    """The number of duplicate deals against each of them at the end; these are fresh deals."""
    measured_against: dict[str, int] = setting({}, is_place=True)
    """Agents besides the baselines to evaluate against, also at the end, each with its number of duplicate
    deals, such as {'ppo:schnapsen-0.1': 2000, 'rollout:worlds=20': 100}. They do not affect learning, so a
    resumed run may have others, or none."""

    def __post_init__(self):
        super().__post_init__()
        least, most = DEALS
        expected = f"a whole number of deals from {least} to {most}"
        expected = f"agents other than {' and '.join(BASELINES)}, each with {expected}"
        require("measured_against", self.measured_against, _are_deals(self.measured_against), expected)


def _are_deals(value: Any) -> bool:
    least, most = DEALS
    return isinstance(value, dict) and all(
        isinstance(name, str) and name not in BASELINES and type(deals) is int and least <= deals <= most
        for name, deals in value.items()
    )


@dataclass(frozen=True)
class ExecutionConfig(Group):
    """The execution of a run: its folder, devices and processes."""

    seed: int = setting(1, between(0, MOST_SEED), may_vary=False)
    """The seed of the deals, the weights and all random choices. With one thread the same seed gives the same
    result."""
    seeds: tuple[int, ...] = setting(
        (),
        Allowed(
            lambda seeds: len({*seeds}) == len(seeds) and all(0 <= seed <= MOST_SEED for seed in seeds),
            f"different whole numbers from 0 to {MOST_SEED}",
        ),
        is_place=True,
    )
    """Several seeds. A run of each is trained in RUN/SEED, one after the other, and RUN gets a picture of
    all."""
    threads: int = setting(1, between(1, 1_024), may_vary=False)
    """The number of torch's threads. More than one is slow on a busy machine and not reproducible."""
    workers: int = setting(1, between(1, 1_024), may_vary=False)
    """The number of processes that train together, a core for each, here or on the cluster. They divide the
    lanes, so the batch of an update is unchanged. The same number gives the same result."""
    device: str = setting("cpu", one_of("auto", "cpu", "cuda"), is_place=True)
    """The device of the network and its pool: cpu, cuda, or auto, which is a GPU where there is one. It
    changes only how sums are rounded, so a run may continue on another device."""
    checkpoint_every: int = setting(20, UPDATES, may_vary=False)
    """The number of updates between checkpoints."""
    tracker: str = setting("", one_of("", "wandb", "trackio"), is_place=True)
    """A tracker that gets the metrics besides TensorBoard: wandb or trackio."""
    cluster: str = setting("", is_place=True)
    """A Ray cluster that trains several seeds, or the trials of a sweep, side by side, a core for each. In a
    single run it runs the agents that search. `auto` is the running one or else a local one on this machine;
    an address is such as ray://host:10001 or host:6379. By default everything runs here."""
    run: str = setting("", is_place=True)
    """The run folder. The default is runs/<config name>-<seed>, and runs/<config name>-seeds for several
    seeds."""
    resume: bool = setting(False, is_place=True)
    """Continue an existing run folder."""
    other_code: bool = setting(False, is_place=True)
    """Continue although the rules, encoding, learner or opponents have changed since the run began."""
