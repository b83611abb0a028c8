"""Compare agents over duplicate deals.

stichwerk eval rules random --env schnapsen_v0 --deals 20000 --out results/demo
stichwerk eval --agents rules random …          the same
stichwerk eval --agents mine=python:my_module:make_agent rules      custom agents, and names for them
stichwerk eval --agents rollout:worlds=100 rules --block 20 --cluster auto      on several cores and machines
stichwerk eval rules rules:0.1 --sprt 0,0.02      until it is known whether the first is better
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stichwerk.agents import Agent
from stichwerk.agents.core.spec import named
from stichwerk.agents.evaluation.playing.comparisons import (
    Comparison,
    Plan,
    compare,
    pairs_left,
    pairs_with_less_luck,
)
from stichwerk.agents.evaluation.playing.keeper import Finished, Keeper
from stichwerk.agents.evaluation.playing.matches import DEALS, Series, games_in_pair
from stichwerk.agents.evaluation.playing.workers import LineUp
from stichwerk.agents.evaluation.reports.eval_folder import (
    IF_ASKED,
    clear,
    keep,
    results_before,
    there_already,
)
from stichwerk.agents.evaluation.reports.eval_page import films_of, page_of
from stichwerk.agents.evaluation.reports.figures import pairs_figure
from stichwerk.agents.evaluation.reports.report import print_results, print_together, write_deals
from stichwerk.agents.evaluation.statistics.sequential import Sprt, StoppingRule, Until
from stichwerk.agents.evaluation.statistics.stopping import print_stops
from stichwerk.agents.external.engine import EngineAgent
from stichwerk.agents.provenance import provenance
from stichwerk.cli import ANOTHER, DealOptions, Positional, Seed, check_bounds, command_line, parse, too_few
from stichwerk.envs import Game, InputError
from stichwerk.envs.engine.lanes import Episode
from stichwerk.support.escape import plain
from stichwerk.support.files import (
    EACH_DEAL,
    PAGE,
    PICTURE,
    RECORDS,
    WORST,
    held_folder,
    own_folder,
    write_whole,
)
from stichwerk.support.machine.cluster import FAILURES, Failure
from stichwerk.support.terminal.progress import make_bar

BOUNDS = {
    "deals": DEALS,
    "seed": (0, 2**64 - 1),
    "block": (0, DEALS[1]),
    "worst": (0, 10_000),
    "less_luck": (0, 10_000),
}
USUAL_DEALS, SEQUENTIAL_DEALS = 20_000, 1_000_000  # of a pair, at most in a sequential test
SEQUENTIAL_BLOCK = 500
IN_FOLDER = "keep_deals", "records", "worst"  # which need one
UNFINISHED = "before the end"


@dataclass(frozen=True, kw_only=True)
class EvalOptions(DealOptions):
    """Play every pair of agents over the same deals in every seating. In a game of more than two sides one
    agent sits alone among seats of the other. Also reports results per role (declarer, defender)."""

    agents: Positional[tuple[str, ...]]
    """Two or more agents, such as random, rules, ppo:NAME or ppo:FOLDER, rollout:worlds=100. NAME=AGENT gives
    one a name."""
    deals: int | None = None
    """The number of duplicate deals, or matches, a pair: 20,000. With --sprt or --until it is the maximum, by
    default 1,000,000."""
    episode: Episode = "deal"
    """The unit of play and counting: a deal or a match."""
    seed: Seed = 1
    """The seed of the deals and of the agents' random choices. `random` draws an unpredictable one, and
    stores it in results.json."""
    together: bool = False
    """Seat all agents together, as many as the game has sides, in every arrangement, instead of every
    pair."""
    block: int = 0
    """Play this number of deals in a row, on one worker of a cluster. 0: 4,096. Custom agents and engines
    restart after them, so their results depend on the block."""
    sprt: str = ""
    """Stop each pair as soon as a sequential probability ratio test accepts one of two effects, such as
    0,0.02. Effects are game points per deal in standard deviations of a duplicate deal. The result is
    corrected for the stop."""
    alpha: float = 0.05
    """The probability that --sprt accepts the upper effect when the lower one is true."""
    beta: float = 0.05
    """The probability that --sprt accepts the lower effect when the upper one is true."""
    until: float = 0.0
    """Stop each pair as soon as its 95 % interval is at most ± this number of game points per deal. The
    interval is valid at any time. 0 plays all deals."""
    less_luck: int = 0
    """Count the gain of each decision over the opponent's, averaged over at most this number of worlds, such
    as 64. The expected points are the same, with less luck. Pairs whose opponent is neither a rule-based
    player nor a network use raw points. 0 disables it."""
    cluster: str = ""
    """Play on a Ray cluster, block by block: auto for the running one, or else a local one, or an address
    such as ray://host:10001 or host:6379. By default this process plays. The results are the same."""
    limit_ms: float = 0.0
    """The milliseconds that a decision may take, as the mean over a batch. A slower agent ends the
    evaluation, as does one that has not answered five seconds after its time. 0 sets no limit."""
    out: str = ""
    """The folder for results.json, pairs.csv, pairs.svg and report.html. By default nothing is written."""
    keep_deals: bool = False
    """Also write deals.npz, with the points of each seat in each deal."""
    records: bool = False
    """Also write deals.jsonl, with all deals as records, which `stichwerk show` reads. Those of a match are
    numbered from 0."""
    worst: int = 0
    """Also write worst.jsonl: this number of each agent's costliest deals, or matches, as records. The
    costliest are those with the lowest mean points over the agent's seats."""
    resume: bool = False
    """Play only the pairs missing from the folder's results."""
    force: bool = False
    """Replace existing results in the folder."""

    def __post_init__(self):
        if len(self.agents) < 2:
            raise InputError(too_few("eval", self.agents))
        check_bounds(self, BOUNDS)
        check_bounds(self, {"limit_ms": (0, 10**9), "until": (0, 10**9)}, "a number")
        if self.sprt and self.until:
            raise InputError("--sprt: got it with --until; expected one of them")
        _ = self.rule  # which checks its bounds

    @property
    def rule(self) -> StoppingRule | None:
        """The stopping rule of a pair; InputError for an unknown test."""
        if self.sprt:
            return Sprt.read(self.sprt, self.alpha, self.beta)
        return Until(self.until) if self.until else None

    @property
    def most_deals(self) -> int:
        return self.deals or (SEQUENTIAL_DEALS if self.sprt or self.until else USUAL_DEALS)

    @property
    def own_block(self) -> int:
        """A pair that may stop is played in blocks, so that it is looked at at the same deals everywhere."""
        return self.block or (SEQUENTIAL_BLOCK if self.sprt or self.until else 0)

    @property
    def plan(self) -> Plan:
        series = Series(
            deals=self.most_deals,
            seed=self.seed,
            episode=self.episode,
            start_states=self.start_states,
            block=self.own_block,
            records=bool(self.records or self.worst),
            less_luck=self.less_luck,
        )
        return Plan(
            series=series,
            together=self.together,
            rule=self.rule,
            cluster=self.cluster,
            keep_points=self.keep_deals,
        )


def main(arguments: Sequence[str]) -> None:
    evaluate(parse(EvalOptions, arguments))


def evaluate(options: EvalOptions) -> None:
    """Play, print and write the evaluation that the options ask for."""
    line_up = LineUp(options.env, options.rules, tuple(named(options.agents)), options.limit_ms)
    game, agents = line_up.make()
    check_together(options)
    check_agents(options, game, agents)
    game.check_start_states(options.start_states)
    folder = own_folder(options.out, "results", "--out") if options.out else None
    settings = settings_of(game, options)
    results_before(folder, settings, options.resume, options.force)
    with (
        held_folder(folder, "results", "--out") if folder else nullcontext(),
        ExitStack() as files,
    ):
        # now that nobody else can change them
        finished = results_before(folder, settings, options.resume, options.force)
        keeper = keeper_for(game, options, folder, finished)
        if keeper:
            files.enter_context(keeper)
        groups = [tuple(agents)] if options.together else pairs_left(game, agents, finished)
        stopped: Failure | KeyboardInterrupt | None = None
        try:
            with make_bar() as bar:
                for comparison in compare(line_up, game, agents, groups, options.plan, bar, keeper):
                    if folder and not finished:
                        clear(folder, [file.path for file in keeper.files] if keeper else ())
                    finished.append(comparison)
                    if keeper:
                        keeper.finish()
                    if folder:
                        keep(folder, {**settings, "stopped": UNFINISHED}, finished)
        except (*FAILURES, KeyboardInterrupt) as error:
            if not finished:
                raise
            stopped = error
            is_asked = isinstance(error, KeyboardInterrupt)
            settings["stopped"] = "on request" if is_asked else str(error) or type(error).__name__
        print_all(options, game, agents, finished)
        if folder:
            write_all(folder, game, options, settings, finished)
    if stopped:
        raise stopped


def check_together(options: EvalOptions) -> None:
    """InputError for options that do not go together."""
    for name in (*IN_FOLDER, "resume"):
        if getattr(options, name) and not options.out:
            raise InputError(f"{name} needs a folder: add --out")
    for name in ("sprt", "until"):
        if getattr(options, name) and options.together:
            raise InputError(f"--{name}: got it with --together; expected one of them")
    others = {
        "--together": options.together,
        "--sprt": options.sprt,
        "--episode match": options.episode == "match",
        "--limit-ms": options.limit_ms,
    }
    for name, given in others.items():
        if options.less_luck and given:
            raise InputError(f"--less-luck: got it with {name}; expected one of them")
    for name in ("keep_deals", "together", "force"):
        if getattr(options, name) and options.resume:
            raise InputError(f"--resume: got it with --{name.replace('_', '-')}; expected one of them")


def check_agents(options: EvalOptions, game: Game, agents: Sequence[Agent]) -> None:
    """InputError for agents with which the options cannot be used."""
    if options.together and len(agents) != game.side_count:
        allowed = f"{game.side_count} with --together, one for each side"
        raise InputError(f"agents: got {' '.join(options.agents)}; expected {allowed}")
    if options.less_luck and not pairs_with_less_luck(game, agents):
        allowed = "as the second agent rules, a version of it or a network, in a game without fixed partners"
        raise InputError(f"--less-luck: got {' '.join(options.agents)} in {game.env_id}; expected {allowed}")


def settings_of(game: Game, options: EvalOptions) -> dict[str, Any]:
    """The settings that reproduce the results."""
    texts = [text for _, text in named(options.agents)]
    origin = {"env": game.env_id, "rules": game.rules.as_dict(), **provenance(game, texts)}
    settings = {**asdict(options), **origin}
    settings |= {"deals": options.most_deals, "block": options.own_block}
    unasked = [name for name in IF_ASKED if not getattr(options, name)]
    tests = [] if options.sprt else ["alpha", "beta"]
    for name in {"force", "resume", "cluster", *unasked, *tests}:
        del settings[name]
    return settings


def keeper_for(
    game: Game, options: EvalOptions, folder: Path | None, finished: Sequence[Comparison]
) -> Keeper | None:
    """The recorder of deals, if any are to be kept; it appends to the records of finished pairs."""
    if folder is None or not (options.records or options.worst):
        return None
    seatings = games_in_pair(game, by_role=options.episode == "deal")
    deals = [result.deals for comparison in finished for result in comparison.results]
    before = Finished(
        games=sum(deals) * seatings,
        worst=sum(2 * min(number, options.worst) for number in deals) * seatings,  # of both agents
        match=options.episode == "match",
    )
    everything, worst_file = folder / RECORDS, folder / WORST
    return Keeper(
        game,
        everything if options.records else None,
        options.worst,
        worst_file if options.worst else None,
        before,
        options.force,
    )


def print_all(
    options: EvalOptions, game: Game, agents: Sequence[Agent], finished: Sequence[Comparison]
) -> None:
    """Print the results, and what a reader needs to know of them."""
    results = [result for comparison in finished for result in comparison.results]
    if options.together:
        print_together(results, options.episode)
    else:
        print_results(results, game.side_count, options.episode)
        print_stops([comparison.stopped for comparison in finished if comparison.stopped])
    if options.less_luck:
        pairs = ", ".join(f"{a.name} – {b.name}" for a, b in pairs_with_less_luck(game, agents))
        print(plain(f"less luck in the points, each decision in at most {options.less_luck} worlds: {pairs}"))
    for agent in agents:
        if isinstance(agent, EngineAgent) and agent.faults.deals:
            lost, first = f"{agent.faults.deals:,}", agent.faults.first
            print(plain(f"{agent.name} lost {lost} deals by faults; the first: {first}"))


def write_all(
    folder: Path,
    game: Game,
    options: EvalOptions,
    settings: Mapping[str, Any],
    finished: Sequence[Comparison],
) -> None:
    """Write all files of the results but the records, which have been written."""
    results = [result for comparison in finished for result in comparison.results]
    picture = pairs_figure(results, game.side_count, game.env_id, options.episode)
    write_whole(folder / PICTURE, picture.svg())
    if options.keep_deals:
        points = [comparison.points for comparison in finished if comparison.points]
        write_deals(folder / EACH_DEAL, [comparison.agents for comparison in finished], points)
    stops = [comparison.stopped for comparison in finished if comparison.stopped]
    worst = films_of(folder / WORST) if options.worst else []
    command = command_line("eval", options, ("force", "resume", "cluster", "out"))
    if any(getattr(options, name) for name in IN_FOLDER):
        command += f" --out {ANOTHER}"
    write_whole(folder / PAGE, page_of(results, stops, game.side_count, settings, command, worst))
    keep(folder, settings, finished)
    print(f"written: {', '.join(map(str, there_already(folder)))}")
    if options.worst:
        print(f"to find the costly decisions: stichwerk inspect regret --record {folder / WORST}")
