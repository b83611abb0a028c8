"""Compare agents over duplicate deals.

stichwerk eval --env schnapsen_v0 --agents rules random --deals 20000 --out results/demo
stichwerk eval --agents mine=python:my_module:make_agent rules      own agents, and names of one's own
stichwerk eval --agents rollout:worlds=100 rules --block 20 --cluster auto      on several cores and machines
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, permutations
from pathlib import Path

from rich.progress import Progress

from stichwerk.agents import Agent
from stichwerk.agents.arena import (
    DEALS,
    PairResult,
    Play,
    Record,
    Series,
    arrangements,
    games_in_pair,
    pair_rows,
    play_pair,
    play_together,
)
from stichwerk.agents.cli import check_bounds, parse
from stichwerk.agents.cluster import FAILURES, Failure
from stichwerk.agents.files import new_folder, path_from
from stichwerk.agents.progress import make_bar
from stichwerk.agents.report import (
    draw_pairs,
    print_results,
    print_together,
    write_deals,
    write_pairs,
    write_results,
)
from stichwerk.agents.sources import provenance
from stichwerk.agents.workers import LineUp, workers
from stichwerk.envs import Game, InputError
from stichwerk.envs.core.errors import quoted
from stichwerk.envs.core.lanes import Episode

FILES = RESULTS, PAIRS, PICTURE, EACH_DEAL = "results.json", "pairs.csv", "pairs.png", "deals.npz"
BOUNDS = {"deals": DEALS, "seed": (0, 2**64 - 1), "block": (0, DEALS[1])}
ALIAS = re.compile(r"([\w.+#-]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class EvalOptions:
    """Play every pair of agents over the same deals in every seating, in a game of more than two sides each
    alone among seats of the other; roles are reported where the game has any."""

    agents: tuple[str, ...]
    """Two or more agents, such as random, rules, ppo:NAME or ppo:FOLDER, rollout:worlds=100; NAME=AGENT gives
    one a name."""
    env: str = "schnapsen_v0"
    """Environment id; MODULE:ID imports a module first."""
    rules: str = ""
    """Preset, or options such as '{preset: schnapsen, claims: auto}'; empty: the default preset."""
    deals: int = 20_000
    """Duplicate deals a pair, or matches."""
    episode: Episode = "deal"
    """What is played and counted: a deal or a match."""
    seed: int = 1
    """Of the deals and of the agents' chance."""
    together: bool = False
    """Seat all agents together, as many as the game has sides, in every arrangement, instead of every
    pair."""
    block: int = 0
    """After how many deals the agents' chance begins anew, so that these blocks can be played apart; 0: it
    runs on through all deals of a comparison."""
    cluster: str = ""
    """Play on a Ray cluster, block by block: auto, the running one or else a local one on this machine, or an
    address such as ray://host:10001 or host:6379. Empty: in this process. The results are the same."""
    limit_ms: float = 0.0
    """Milliseconds that a decision may take, as the mean over a batch; a slower agent ends the evaluation.
    0: any."""
    start_states: bool = False
    """Begin each deal in a start state of a match that the game draws, instead of with a fresh score."""
    out: str = ""
    """Folder for results.json, pairs.csv and pairs.png; empty: none is written."""
    keep_deals: bool = False
    """Also write what each deal brought to each seat, deals.npz."""
    force: bool = False
    """Replace results that are in the folder already."""

    def __post_init__(self):
        if len(self.agents) < 2:
            raise InputError(f"agents {' '.join(self.agents) or 'none'}: allowed are two or more")
        check_bounds(self, BOUNDS)
        check_bounds(self, {"limit_ms": (0, 10**9)}, "a number")


@dataclass(frozen=True)
class Comparison:
    """Agents that have played with each other, and what came of it."""

    agents: tuple[str, ...]
    results: Sequence[PairResult]
    record: Record | None


def main(arguments: Sequence[str]) -> None:
    options = parse(EvalOptions, arguments)
    line_up = LineUp(options.env, options.rules, tuple(named(options.agents)), options.limit_ms)
    game, agents = line_up.make()
    if options.keep_deals and not options.out:
        raise InputError("keep_deals needs a folder: add --out")
    if options.together and len(agents) != game.side_count:
        allowed = f"allowed with --together are {game.side_count}, one for each side"
        raise InputError(f"agents {' '.join(options.agents)}: {allowed}")
    game.check_start_states(options.start_states)
    folder = free_folder(options)
    with new_folder(folder) if folder else nullcontext():
        finished: list[Comparison] = []
        stopped: Failure | KeyboardInterrupt | None = None
        try:
            with make_bar() as bar, players(line_up, game, agents, options) as play:
                compare = compare_together if options.together else compare_pairs
                for comparison in compare(game, agents, options, bar, play):
                    finished.append(comparison)
        except (*FAILURES, KeyboardInterrupt) as error:
            if not finished:
                raise
            stopped = error
        report(game, options, folder, finished, stopped)
    if stopped:
        raise stopped


def report(
    game: Game,
    options: EvalOptions,
    folder: Path | None,
    finished: Sequence[Comparison],
    stopped: BaseException | None,
) -> None:
    """Print what has been finished, and write it where that is asked for."""
    results = [result for comparison in finished for result in comparison.results]
    if options.together:
        print_together(results, options.episode)
    else:
        print_results(results, game.side_count, options.episode)
    if not folder:
        return
    settings = {**asdict(options), "env": game.env_id, "rules": game.rules.as_dict()}
    del settings["force"], settings["cluster"]
    if stopped:
        settings["stopped"] = str(stopped) or "on request"
    write_results(folder / RESULTS, {**settings, **provenance(game)}, results)
    write_pairs(folder / PAIRS, results)
    draw_pairs(folder / PICTURE, results, game.side_count, game.env_id, options.episode)
    if options.keep_deals:
        records = [comparison.record for comparison in finished if comparison.record]
        write_deals(folder / EACH_DEAL, [comparison.agents for comparison in finished], records)
    print(f"written: {', '.join(map(str, there_already(folder)))}")


def free_folder(options: EvalOptions) -> Path | None:
    """Where to write, if anywhere; InputError if results of another evaluation are there."""
    if not options.out:
        return None
    folder = path_from(options.out)
    if (there := there_already(folder)) and not options.force:
        raise InputError(
            f"{' and '.join(map(str, there))}: there already; allowed are another folder, "
            "or --force to replace them"
        )
    return folder


def there_already(folder: Path) -> list[Path]:
    return [folder / name for name in FILES if (folder / name).exists()]


def players(
    line_up: LineUp, game: Game, agents: Sequence[Agent], options: EvalOptions
) -> AbstractContextManager[Play | None]:
    """Who plays the comparisons: the cluster's workers, or nobody but this process."""
    if not options.cluster:
        return nullcontext()
    series = Series(
        arrangements(game) if options.together else pair_rows(game, by_role=options.episode == "deal"),
        options.deals,
        options.seed,
        episode=options.episode,
        start_states=options.start_states,
        block=options.block,
    )
    groups = [tuple(agents)] if options.together else pairs_of(game, agents)
    return workers(line_up, agents, groups, series, options.cluster)


def pairs_of(game: Game, agents: Sequence[Agent]) -> list[tuple[Agent, ...]]:
    """Who meets whom: each two once, but where more than two sides play each alone among the other."""
    return list((combinations if game.side_count == 2 else permutations)(agents, 2))


def compare_pairs(
    game: Game, agents: Sequence[Agent], options: EvalOptions, bar: Progress, play: Play | None
) -> Iterator[Comparison]:
    pairs = pairs_of(game, agents)
    by_role = options.episode == "deal"
    task = bar.add_task("playing", total=len(pairs) * options.deals * games_in_pair(game, by_role))
    for a, b in pairs:
        record = Record() if options.keep_deals else None
        result = play_pair(
            game,
            a,
            b,
            options.deals,
            options.seed,
            by_role=by_role,
            start_states=options.start_states,
            episode=options.episode,
            record=record,
            on_progress=partial(bar.advance, task),
            block=options.block,
            play=play,
        )
        yield Comparison((a.name, b.name), [result], record)


def compare_together(
    game: Game, agents: Sequence[Agent], options: EvalOptions, bar: Progress, play: Play | None
) -> Iterator[Comparison]:
    task = bar.add_task("playing", total=options.deals * len(arrangements(game)))
    record = Record() if options.keep_deals else None
    results = play_together(
        game,
        agents,
        options.deals,
        options.seed,
        start_states=options.start_states,
        episode=options.episode,
        record=record,
        on_progress=partial(bar.advance, task),
        block=options.block,
        play=play,
    )
    yield Comparison(tuple(agent.name for agent in agents), results, record)


def named(words: Sequence[str]) -> list[tuple[str, str]]:
    """The name and the text of each agent: `NAME=TEXT`, or a text that is its own name, of which the second
    is told apart as rules#2. InputError for a name that is given twice."""
    aliases, seen, agents = [ALIAS.fullmatch(word) for word in words], Counter[str](), []
    for word, alias in zip(words, aliases, strict=True):
        if alias:
            agents.append((alias[1], alias[2]))
        else:
            seen[word] += 1
            agents.append((word if seen[word] == 1 else f"{word}#{seen[word]}", word))
    counts = Counter(name for name, _ in agents)
    for name, count in counts.items():
        if count > 1:
            raise InputError(f"agent name {quoted(name)} is given {count} times: allowed is once")
    return agents
