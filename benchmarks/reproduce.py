"""Train the players that come with the package, measure them, and write their cards.

python benchmarks/reproduce.py [NAMES …] [--runs runs/strong] [--store]

For each config in configs/strong it trains (or goes on, or takes what is finished), plays the field and
writes a card. Neither training nor the choice of the best network has seen the deals of the field. With
--store the network and its card replace those in the package; `make docs` then writes how to use it.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common import run_or_end
from strong import STRONG, checked_names, game_words

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.data.card import head_of_card
from stichwerk.agents.evaluation.playing.matches import Series, play_pair
from stichwerk.agents.evaluation.playing.regret import Regret, measure_regret
from stichwerk.agents.evaluation.reports.report import in_percent
from stichwerk.agents.evaluation.reports.statistics_files import kind_of_decision
from stichwerk.agents.evaluation.statistics.tallies import PairResult
from stichwerk.agents.networks.saved import MANIFEST, WEIGHTS
from stichwerk.agents.registry import SHIPPED_FOLDER
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.config_files import load_config
from stichwerk.agents.training.groups import FIXED_MARK
from stichwerk.agents.training.run import RunFolder
from stichwerk.cli import Positional, parse, run
from stichwerk.envs import Game
from stichwerk.support.files import write_whole
from stichwerk.support.numbers import in_points

ROOT = Path(__file__).parent.parent
CARD = "README.md"
REGRET_DEALS = 200
FIELD = {  # with how many deals; {guide} is the player itself
    "random": 20_000,
    FIXED_MARK: 20_000,
    "rules": 20_000,
    "rollout:worlds=100": 600,
    "search:{guide},worlds=64": 300,
}


@dataclass(frozen=True)
class Options:
    names: Positional[tuple[str, ...]] = ()
    """Players by their configs' names; none: all."""
    runs: str = "runs/strong"
    """Folder of the training runs."""
    store: bool = False
    """Put network and card into the package."""


def main(
    options: Options,
    configs: Path = STRONG,
    package: Path = SHIPPED_FOLDER,
    field: Mapping[str, int] = FIELD,
    regret_deals: int = REGRET_DEALS,
) -> None:
    """Train, measure and store players.

    Args:
        configs: The folder of their configs.
        package: The folder that networks and cards are put into.
        field: The opponents' texts, with {guide} for the player itself, and the duplicate deals against each.
        regret_deals: The deals of the player with itself whose decisions are judged.
    """
    for name in checked_names(options.names, configs):
        folder = Path(options.runs).resolve() / name
        train = [sys.executable, "train.py", str(configs / f"{name}.yaml"), "--run", str(folder), "--resume"]
        run_or_end(train, cwd=ROOT)
        config = load_config(folder / "config.yaml")
        game = config.game.make()
        results = measured(name, folder, config, game, field)
        regrets = regret_of(name, folder, config, game, regret_deals)
        (folder / CARD).write_text(
            card(name, folder, config, game, results, regrets, regret_deals), encoding="utf-8"
        )
        if options.store:
            place = package / name
            place.mkdir(exist_ok=True)
            for file in (folder / "best" / WEIGHTS, folder / "best" / MANIFEST, folder / CARD):
                write_whole(place / file.name, file.read_bytes())


def measured(
    name: str, folder: Path, config: TrainConfig, game: Game, field: Mapping[str, int]
) -> list[PairResult]:
    """The player against each of the field, with roles."""
    player = NetworkAgent.load(f"ppo:{name}", folder / "best", game)
    results = []
    for text, deals in field.items():
        other = make_agent_for(text.format(guide=folder / "best"), game)
        pair = play_pair(
            game,
            player,
            other,
            Series(deals, config.execution.seed, start_states=config.game.start_states),
            by_role=True,
        )
        results.append(replace(pair, b=text.format(guide=name)))
        print(f"{name} against {results[-1].b}: {in_points(pair.mean, pair.margin)}", flush=True)
    return results


def regret_of(name: str, folder: Path, config: TrainConfig, game: Game, deals: int) -> list[Regret]:
    """The player's regret by kind of decision."""
    player = NetworkAgent.load(f"ppo:{name}", folder / "best", game)
    judge = RolloutPlayer("judge", game)
    return measure_regret(game, player, judge, deals, 1, config.game.start_states).by_kind


def card(
    name: str,
    folder: Path,
    config: TrainConfig,
    game: Game,
    results: list[PairResult],
    regrets: Sequence[Regret],
    regret_deals: int = REGRET_DEALS,
) -> str:
    run = RunFolder(folder, config.replace(resume=True), game)
    updates = [row for row in run.metrics() if row["kind"] == "update"]
    minutes = sum(row["processor_seconds"] for row in updates) / 60
    manifest = json.loads((run.best / MANIFEST).read_text(encoding="utf-8"))
    size = (run.best / WEIGHTS).stat().st_size
    rules = config.game.rules_yaml or game.rules.preset_name()
    how = game_words(config) + " --start-states" * config.game.start_states
    standing = "Points of standing a hand, in start states of a match,"
    unit = standing if config.game.start_states else "Game points a deal"
    facts = json.loads(run.results_file.read_text(encoding="utf-8"))
    learned_on = facts["learned_on"]
    versions = dict.fromkeys(f"torch {place['torch']}, NumPy {place['numpy']}" for place in learned_on)
    precisions = " and ".join(dict.fromkeys(place["precision"] for place in learned_on))
    commits = "".join(
        f"; commit `{commit}`" for commit in dict.fromkeys(p["commit"] for p in learned_on) if commit
    )
    machines = "; ".join(
        dict.fromkeys(", ".join(filter(None, [place["machine"], place.get("gpu")])) for place in learned_on)
    )
    suits = "" if game.spec.suits_ranked else " in canonical suits"
    chosen = "the latest that was level with the best against `rules:0.1` on validation deals"
    what_for = f"`{config.game.env}`, rules `{rules}`"
    if config.game.rule_shares:
        chosen = "the last"
        what_for = f"any rules of {' and '.join(f'`{each}`' for each in game.spec.env_ids)}"
    head = head_of_card(
        library_name="stichwerk",
        pipeline_tag="reinforcement-learning",
        tags=["card-games", "imperfect-information", config.game.env],
    )
    lines = [
        f"{head}# `ppo:{name}`",
        "",
        f"A policy for {what_for}. It sees `{config.game.observation}` observations{suits}, has layers of",
        f"{' and '.join(map(str, config.network.widths))}, and plays its likeliest action.",
        "",
        "<!-- generated: use -->",
        "<!-- end -->",
        "",
        "| | |",
        "| --- | --- |",
        f"| Trained by | `python benchmarks/reproduce.py {name} --store` with `configs/strong/{name}.yaml` |",
        f"| Decisions | {config.ppo.decisions:,} |",
        f"| Kept | the network after {manifest['decisions']:,}, {chosen} |",
        f"| Seed | {config.execution.seed} |",
        f"| Learned for | {minutes:.0f} processor minutes, one thread, in {precisions} |",
        f"| Machine | {machines}; {'; '.join(versions)} |",
        f"| Code | version {facts['version']}{commits}; fingerprint `{' '.join(facts['run_codes'])}` |",
        f"| File | {size / 2**20:.2f} MiB |",
        "",
        *([f"Under the rules `{rules}`:", ""] if config.game.rule_shares else []),
        f"{unit} over duplicate deals (test stream of seed {config.execution.seed}), ± 95 %:",
        "",
        "| Opponent | Points a deal | Games won | Deals |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| `{r.b}` | {in_points(r.mean, r.margin)} | {in_percent(r.win_rate, r.win_low)} | {r.deals:,} |"
            for r in results
        ),
        "",
        *["With more than two sides equal agents need not win half of the games.", ""]
        * (game.side_count > 2),
        "Each row is played by",
        "",
        "```",
        f"python eval.py {how} --agents ppo:{name} OPPONENT --deals DEALS",
        "```",
    ]
    lines += regret_lines(name, how, regrets, regret_deals)
    lines += role_lines(name, next(result for result in results if result.b == FIXED_MARK))
    return "\n".join([*lines, ""])


def regret_lines(name: str, how: str, regrets: Sequence[Regret], deals: int) -> list[str]:
    """A row of the card for each kind of decision."""
    return [
        "",
        f"Regret by kind of decision in {deals} deals with itself, per deal and seat, ± 95 %, if the",
        "rule-based player plays on:",
        "",
        "| Decision | Number | Regret |",
        "| --- | ---: | ---: |",
        *(
            f"| {kind_of_decision(each)} | {each.share:.2f} | {in_points(each.mean, each.mean - each.low)} |"
            for each in regrets
        ),
        "",
        "```",
        f"stichwerk inspect regret {how} --agent ppo:{name} --deals {deals}",
        "```",
    ]


def role_lines(name: str, result: PairResult) -> list[str]:
    """A row of the card for each role, where the game has roles."""
    roles = [role for role in result.roles if role.agent == f"ppo:{name}"]
    if not roles:
        return []
    several = ["", "A seat may have several roles: the later ones divide the earlier ones further."]
    return [
        "",
        "By role, among `rules:0.1` in the other seats:",
        "",
        "| Role | Share | Points a deal |",
        "| --- | ---: | ---: |",
        *(
            f"| {role.role} | {100 * role.share:.1f} % | {in_points(role.mean, role.margin)} |"
            for role in roles
        ),
        *several * (sum(role.share for role in roles) > 1.01),
    ]


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
