"""Compare agents over duplicate deals.

stichwerk eval rules random --env schnapsen_v0 --deals 20000 --out results/demo
stichwerk eval --agents rules random …          the same
stichwerk eval --agents mine=python:my_module:make_agent rules      custom agents, and names for them
stichwerk eval --agents rollout:worlds=100 rules --block 20 --cluster auto      on several cores and machines
stichwerk eval rules rules:0.1 --sprt 0,0.02      until it is known whether the first is better
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from rich.progress import Progress, TaskID

from stichwerk.agents import Agent
from stichwerk.agents.base import differences
from stichwerk.agents.evaluation.advantages import judged_agent
from stichwerk.agents.evaluation.eval_page import films_of, page_of
from stichwerk.agents.evaluation.keeper import Keeper
from stichwerk.agents.evaluation.matches import (
    DEALS,
    Play,
    Series,
    arrangements,
    games_in_pair,
    pair_seatings,
    play_pair,
    play_together,
)
from stichwerk.agents.evaluation.report import (
    draw_pairs,
    print_results,
    print_together,
    read_evaluation,
    write_deals,
    write_pairs,
    write_results,
)
from stichwerk.agents.evaluation.sequential import Sprt, StoppingRule, Until, looks_every
from stichwerk.agents.evaluation.stopping import Stopped, Watch, print_stops, read_stops
from stichwerk.agents.evaluation.tallies import DealPoints, PairResult
from stichwerk.agents.evaluation.workers import LineUp, workers
from stichwerk.agents.external.engine import EngineAgent
from stichwerk.agents.provenance import provenance
from stichwerk.agents.spec import named
from stichwerk.cli import DealOptions, Positional, Seed, check_bounds, command_line, parse
from stichwerk.envs import Game, InputError
from stichwerk.envs.engine.lanes import Episode
from stichwerk.support.cluster import FAILURES, Failure
from stichwerk.support.files import (
    EACH_DEAL,
    FILES,
    PAGE,
    PAIRS,
    PICTURE,
    RECORDS,
    RESULTS,
    WORST,
    held_folder,
    own_folder,
    write_whole,
)
from stichwerk.support.progress import make_bar

BOUNDS = {
    "deals": DEALS,
    "seed": (0, 2**64 - 1),
    "block": (0, DEALS[1]),
    "worst": (0, 10_000),
    "less_luck": (0, 10_000),
}
USUAL_DEALS, SEQUENTIAL_DEALS = 20_000, 1_000_000  # of a pair, at most in a sequential test
SEQUENTIAL_BLOCK = 500
UNFINISHED = "before the end"
Groups = list[tuple[Agent, ...]]  # who plays in each comparison


@dataclass(frozen=True, kw_only=True)
class EvalOptions(DealOptions):
    """Play every pair of agents over the same deals in every seating. In a game of more than two sides one
    agent sits alone among seats of the other. Roles are reported where the game has any."""

    agents: Positional[tuple[str, ...]]
    """Two or more agents, such as random, rules, ppo:NAME or ppo:FOLDER, rollout:worlds=100. NAME=AGENT gives
    one a name."""
    deals: int | None = None
    """The number of duplicate deals, or matches, a pair: 20,000. With --sprt or --until it is the most, and
    1,000,000 without this option."""
    episode: Episode = "deal"
    """What is played and counted: a deal or a match."""
    seed: Seed = 1
    """The seed of the deals and of the agents' random choices. `random` draws an unpredictable one,
    which results.json holds."""
    together: bool = False
    """Seat all agents together, as many as the game has sides, in every arrangement, instead of every
    pair."""
    block: int = 0
    """Seed the agents again after this number of deals, so that each such block can be played apart. With 0
    their random numbers run on through all deals of a comparison."""
    sprt: str = ""
    """Stop each pair as soon as a sequential probability ratio test accepts one of two effects, such as
    0,0.02. Effects are game points per deal in standard deviations of a duplicate deal. The result is
    corrected for the stop."""
    alpha: float = 0.05
    """The chance that --sprt accepts the upper effect where the lower one is true."""
    beta: float = 0.05
    """The chance that --sprt accepts the lower effect where the upper one is true."""
    until: float = 0.0
    """Stop each pair as soon as its 95 % interval reaches at most this number of game points per deal to both
    sides. The interval is valid at any time. 0 plays all deals."""
    less_luck: int = 0
    """Count what each decision gains over that of a rule-based opponent, in the mean over at most this number
    of worlds, such as 64. The expected points are the same, with less luck. Pairs without such an opponent
    count their points as they are, and so do 0 worlds."""
    cluster: str = ""
    """Play on a Ray cluster, block by block. auto: the running one, or else a local one on this machine.
    Otherwise an address, such as ray://host:10001 or host:6379. Without it this process plays. The results
    are the same."""
    limit_ms: float = 0.0
    """The milliseconds that a decision may take, as the mean over a batch. A slower agent ends the
    evaluation, and so does one that has not answered five seconds after its time. 0 sets no limit."""
    out: str = ""
    """The folder for results.json, pairs.csv, pairs.png and report.html. Without it none is written."""
    keep_deals: bool = False
    """Write deals.npz too, with the points of each seat in each deal."""
    records: bool = False
    """Write deals.jsonl too, with all deals as records, which `stichwerk show` reads. Those of a match are
    numbered from 0."""
    worst: int = 0
    """Write worst.jsonl too: this number of each agent's costliest deals, or matches, as records. The
    costliest brought the agent least in the mean over its seats."""
    resume: bool = False
    """Go on with the pairs that are not in the folder's results yet."""
    force: bool = False
    """Replace results that are in the folder already."""

    def __post_init__(self):
        if len(self.agents) < 2:
            raise InputError(f"agents: got {' '.join(self.agents) or 'none'}; expected two or more")
        check_bounds(self, {name: ends for name, ends in BOUNDS.items() if getattr(self, name) is not None})
        check_bounds(self, {"limit_ms": (0, 10**9), "until": (0, 10**9)}, "a number")
        if self.sprt and self.until:
            raise InputError("--sprt: got it with --until; expected one of them")
        _ = self.rule  # which checks its bounds

    @property
    def rule(self) -> StoppingRule | None:
        """What stops a pair; InputError for a test that there is not."""
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


@dataclass(frozen=True)
class Comparison:
    """Agents that have played with each other, and what came of it."""

    agents: tuple[str, ...]
    results: Sequence[PairResult]
    points: DealPoints | None = None
    stopped: Stopped | None = None


def main(arguments: Sequence[str]) -> None:
    options = parse(EvalOptions, arguments)
    line_up = LineUp(options.env, options.rules, tuple(named(options.agents)), options.limit_ms)
    game, agents = line_up.make()
    _check_together(options)
    if options.together and len(agents) != game.side_count:
        allowed = f"{game.side_count} with --together, one for each side"
        raise InputError(f"agents: got {' '.join(options.agents)}; expected {allowed}")
    if options.less_luck and not with_less_luck(game, agents):
        allowed = "rules, or a version of it, as the second agent, in a game without partners"
        raise InputError(f"--less-luck: got {' '.join(options.agents)} in {game.env_id}; expected {allowed}")
    game.check_start_states(options.start_states)
    folder = own_folder(options.out, "results", "--out") if options.out else None
    settings = settings_of(game, options)
    results_before(folder, settings, options)
    with (
        held_folder(folder, "results", "--out") if folder else nullcontext(),
        keeper_for(game, options, folder) or nullcontext() as keeper,
    ):
        before = results_before(folder, settings, options)  # now that nobody else can change them
        finished = [*before]
        groups = [tuple(agents)] if options.together else pairs_left(game, agents, finished)
        stopped: Failure | KeyboardInterrupt | None = None
        try:
            with make_bar() as bar:
                for comparison in comparisons(line_up, game, agents, groups, options, bar, keeper):
                    if folder and not finished:
                        clear(folder)
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
        results = [result for comparison in finished for result in comparison.results]
        if options.together:
            print_together(results, options.episode)
        else:
            print_results(results, game.side_count, options.episode)
            print_stops([comparison.stopped for comparison in finished if comparison.stopped])
        if options.less_luck:
            pairs = ", ".join(f"{a.name} – {b.name}" for a, b in with_less_luck(game, agents))
            print(f"less luck in the points, each decision in at most {options.less_luck} worlds: {pairs}")
        for agent in agents:
            if isinstance(agent, EngineAgent) and agent.faults.deals:
                lost, first = f"{agent.faults.deals:,}", agent.faults.first
                print(f"{agent.name} lost {lost} deals by faults; the first: {first}")
        if folder:
            draw_pairs(folder / PICTURE, results, game.side_count, game.env_id, options.episode)
            if options.keep_deals:
                points = [comparison.points for comparison in finished if comparison.points]
                write_deals(folder / EACH_DEAL, [comparison.agents for comparison in finished], points)
            if keeper:
                keeper.close()
            write_page(folder, game, options, settings, finished)
            keep(folder, settings, finished)
            print(f"written: {', '.join(map(str, there_already(folder)))}")
            if options.worst:
                print(f"to find the costly decisions: stichwerk regret --record {folder / WORST}")
    if stopped:
        raise stopped


def _check_together(options: EvalOptions) -> None:
    """InputError for options that do not go together."""
    for name in ("keep_deals", "records", "worst", "resume"):
        if getattr(options, name) and not options.out:
            raise InputError(f"{name} needs a folder: add --out")
    for name in ("sprt", "until"):
        if getattr(options, name) and options.together:
            raise InputError(f"--{name}: got it with --together; expected one of them")
    if options.less_luck and (options.together or options.sprt or options.episode == "match"):
        other = "--together" if options.together else "--sprt" if options.sprt else "--episode match"
        raise InputError(f"--less-luck: got it with {other}; expected one of them")
    for name in ("keep_deals", "records", "worst", "together", "force"):
        if getattr(options, name) and options.resume:
            raise InputError(f"--resume: got it with --{name.replace('_', '-')}; expected one of them")


def keep(folder: Path, settings: Mapping[str, Any], finished: Sequence[Comparison]) -> None:
    """Write what has been finished; last the file by which it is known to be."""
    results = [result for comparison in finished for result in comparison.results]
    stops = [asdict(comparison.stopped) for comparison in finished if comparison.stopped]
    write_pairs(folder / PAIRS, results)
    write_results(folder / RESULTS, {**settings, "stops": stops} if stops else settings, results)


def write_page(
    folder: Path,
    game: Game,
    options: EvalOptions,
    settings: Mapping[str, Any],
    finished: Sequence[Comparison],
) -> None:
    """Write the report as a page, with the costliest deals if they are kept."""
    results = [result for comparison in finished for result in comparison.results]
    stops = [comparison.stopped for comparison in finished if comparison.stopped]
    worst = films_of(folder / WORST) if options.worst else []
    command = command_line("eval", options, ("force", "resume", "cluster", "out"))
    page = page_of(results, stops, game.side_count, settings, command, worst)
    write_whole(folder / PAGE, page)


def settings_of(game: Game, options: EvalOptions) -> dict[str, Any]:
    """What reproduces the results."""
    texts = [text for _, text in named(options.agents)]
    origin = {"env": game.env_id, "rules": game.rules.as_dict(), **provenance(game, texts)}
    settings = {**asdict(options), **origin}
    settings |= {"deals": options.most_deals, "block": options.own_block}
    unasked = [name for name in ("sprt", "until", "less_luck") if not getattr(options, name)]
    tests = [] if options.sprt else ["alpha", "beta"]
    for name in ("force", "resume", "cluster", "records", "worst", *unasked, *tests):
        del settings[name]
    return settings


def results_before(
    folder: Path | None, settings: Mapping[str, Any], options: EvalOptions
) -> list[Comparison]:
    """The finished pairs from which the evaluation goes on.

    Raises:
        InputError: the folder has results that are not to be replaced, or those of another evaluation.
    """
    there = there_already(folder) if folder else []
    if not folder or not there or options.force:
        return []
    if not options.resume:
        raise InputError(
            f"{' and '.join(map(str, there))}: there already; expected another folder, "
            "--resume to go on with them, or --force to replace them"
        )
    path = folder / RESULTS
    if not path.is_file():
        return []
    before, results = read_evaluation(path)
    ours = json.loads(json.dumps({**settings, "out": None}))
    del ours["commit"]  # a later one may go on, if all that decides results is the same
    theirs = {name: before.get(name) for name in ours}
    if faults := differences({**theirs, "out": None}, ours):
        allowed = "expected another folder, or --force to replace it"
        raise InputError(f"{path} is of another evaluation: {faults}; {allowed}")
    stops = read_stops(before.get("stops", []), path)
    return [Comparison((r.a, r.b), [r], stopped=stops.get((r.a, r.b))) for r in results]


def clear(folder: Path) -> None:
    """Take away what an earlier evaluation has written, also what this one will not write."""
    for path in there_already(folder):
        path.unlink()


def there_already(folder: Path) -> list[Path]:
    return [folder / name for name in FILES if (folder / name).exists()]


def keeper_for(game: Game, options: EvalOptions, folder: Path | None) -> Keeper | None:
    """What keeps the deals as records, if any are to be kept."""
    if folder is None or not (options.records or options.worst):
        return None
    everything = folder / RECORDS if options.records else None
    return Keeper(game, everything, options.worst, folder / WORST if options.worst else None)


def players(
    line_up: LineUp, game: Game, agents: Sequence[Agent], groups: Groups, options: EvalOptions
) -> AbstractContextManager[Play | None]:
    """Who plays the comparisons: the cluster's workers, or nobody but this process."""
    if not options.cluster:
        return nullcontext()
    series = Series(
        arrangements(game) if options.together else pair_seatings(game, by_role=options.episode == "deal"),
        options.most_deals,
        options.seed,
        episode=options.episode,
        start_states=options.start_states,
        block=options.own_block,
        records=bool(options.records or options.worst),
        less_luck=options.less_luck,
    )
    return workers(line_up, agents, groups, series, options.cluster)


def pairs_of(game: Game, agents: Sequence[Agent]) -> Groups:
    """The pairs that play: each two agents once. With more than two sides each of the two plays alone among
    the other."""
    return list((combinations if game.side_count == 2 else permutations)(agents, 2))


def with_less_luck(game: Game, agents: Sequence[Agent]) -> Groups:
    """The pairs whose luck `--less-luck` can lessen."""
    return [pair for pair in pairs_of(game, agents) if judged_agent(game, pair) is not None]


def pairs_left(game: Game, agents: Sequence[Agent], finished: Sequence[Comparison]) -> Groups:
    """Those of them that have not met yet."""
    met = {comparison.agents for comparison in finished}
    return [pair for pair in pairs_of(game, agents) if tuple(agent.name for agent in pair) not in met]


def comparisons(
    line_up: LineUp,
    game: Game,
    agents: Sequence[Agent],
    groups: Groups,
    options: EvalOptions,
    bar: Progress,
    keeper: Keeper | None,
) -> Iterator[Comparison]:
    """Play the groups; pairs that may stop are begun one after the other, as nobody knows where each ends."""
    compare = compare_together if options.together else compare_pairs
    for some in [[group] for group in groups] if options.rule else [groups]:
        with players(line_up, game, agents, some, options) as play:
            yield from compare(game, some, options, bar, play, keeper)


def compare_pairs(
    game: Game,
    groups: Groups,
    options: EvalOptions,
    bar: Progress,
    play: Play | None,
    keeper: Keeper | None,
) -> Iterator[Comparison]:
    by_role = options.episode == "deal"
    total = len(groups) * options.most_deals * games_in_pair(game, by_role)
    rule, every = options.rule, looks_every(options.most_deals, options.own_block or 1)
    task = bar.add_task("playing at most" if rule else "playing", total=total)
    for a, b in groups:
        points = DealPoints() if options.keep_deals else None
        watch = Watch(rule, every, options.most_deals, partial(tell, bar, task)) if rule else None
        result = play_pair(
            game,
            a,
            b,
            options.most_deals,
            options.seed,
            by_role=by_role,
            start_states=options.start_states,
            episode=options.episode,
            deal_points=points,
            on_progress=partial(bar.advance, task),
            block=options.own_block,
            play=play,
            keeper=keeper,
            stop=watch,
            less_luck=options.less_luck,
        )
        stopped = None
        if watch:
            result, stopped = watch.ended(result)
            bar.update(task, visible=False)
        yield Comparison((a.name, b.name), [result], points, stopped)


def tell(bar: Progress, task: TaskID, note: str) -> None:
    """Show the state of a sequential test beside the progress."""
    bar.update(task, note=note)


def compare_together(
    game: Game,
    groups: Groups,
    options: EvalOptions,
    bar: Progress,
    play: Play | None,
    keeper: Keeper | None,
) -> Iterator[Comparison]:
    (agents,) = groups
    task = bar.add_task("playing", total=options.most_deals * len(arrangements(game)))
    points = DealPoints() if options.keep_deals else None
    results = play_together(
        game,
        agents,
        options.most_deals,
        options.seed,
        start_states=options.start_states,
        episode=options.episode,
        deal_points=points,
        on_progress=partial(bar.advance, task),
        block=options.own_block,
        play=play,
        keeper=keeper,
    )
    yield Comparison(tuple(agent.name for agent in agents), results, points)
