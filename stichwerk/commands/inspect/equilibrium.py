"""Solve a public state of Schnapsen or Sixty-six: what perfect play does with every hand that it allows.

stichwerk inspect equilibrium --seed 3
stichwerk inspect equilibrium --position 75      a position of stichwerk bench --suite equilibrium
stichwerk inspect equilibrium --record deals.jsonl --deal 3 --step 17 --prior ppo:schnapsen --out solved.json
stichwerk inspect equilibrium --rules "{pack: [sA, sK, sQ, hA, hK, hQ], hand_size: 2, goal: 30}" --laid-open 0
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.equilibrium import Decision, Equilibrium, solve_equilibrium
from stichwerk.agents.equilibrium.solve import GAP, LAID_OPEN, MOST_ITERATIONS
from stichwerk.agents.evaluation.bench.equilibrium import Suite
from stichwerk.cli import GameOptions, check_bounds, check_source, parse
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.records.deal import deal_record
from stichwerk.envs.records.file import read_deal
from stichwerk.envs.records.notation import write_line
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.files import new_file, write_json
from stichwerk.support.terminal.progress import make_bar, print_table
from stichwerk.support.terminal.streams import legible

OF_POSITION = ("env", "rules", "seed", "agent")


@dataclass(frozen=True, kw_only=True)
class EquilibriumOptions(GameOptions):
    """Print the equilibrium of a position as both seats know it, with all cards that are hidden: the value,
    how often each action is played over all hands, and how the hand of the seat to act is played. The
    position comes from a record, or is the first of a deal that can be solved."""

    record: Path | None = None
    """A record with the deal, instead of one that a seed deals."""
    deal: int = 1
    """The number of the deal in the record, from 1."""
    step: int | None = None
    """The number of moves of the record to play first. By default they lead to the first position that
    can be solved."""
    position: int | None = None
    """The number, from 1, of a position of stichwerk bench --suite equilibrium. The command that opens it at
    a table is printed too."""
    seed: int = 1
    """The seed of the deal."""
    agent: str = "rules"
    """The player that plays all seats up to the position."""
    prior: str = ""
    """A network, such as ppo:schnapsen, whose play makes each hand more or less likely. By default all hands
    that agree with the play are equally likely."""
    gap: float = GAP
    """The gap, in game points, at which the solver stops: the most that both seats together could still
    win."""
    iterations: int = MOST_ITERATIONS
    """The most iterations of the solver."""
    laid_open: int = LAID_OPEN
    """Lay open all cards of a closed stock when each hand has this number of cards left; 0: never, which
    takes several times as long."""
    worlds: int = 13_000
    """The most combinations of hands and stock that are solved."""
    out: Path | None = None
    """The file for the strategies by hand, as JSON."""
    depth: int = 1
    """With --out: the number of actions that the decisions in the file may be away."""
    force: bool = False
    """Replace an existing file."""

    def __post_init__(self):
        bounds = {
            "deal": (1, 10**9),
            "step": (0, 10**6),
            "position": (1, 1 if self.position is None else len(Suite())),
            "seed": (0, 2**64 - 1),
            "iterations": (1, 10**6),
            "laid_open": (0, 24),
            "worlds": (1, 10**7),
            "depth": (0, 100),
        }
        check_bounds(self, bounds)
        check_bounds(self, {"gap": (1e-6, 1)}, "a number")
        check_source(self, "record", ("deal", "step"), (*OF_POSITION, "position"))
        check_source(self, "position", beside=OF_POSITION)
        check_source(self, "out", ("depth", "force"))


def main(arguments: Sequence[str]) -> None:
    options = parse(EquilibriumOptions, arguments)
    out = new_file(str(options.out), options.force) if options.out else None
    begun = time.perf_counter()
    with make_bar(transient=True) as bar:
        bar.add_task("solving", total=None)
        found = _solved(options)
    seconds = time.perf_counter() - begun
    seat = int(found.state[0]["seat"])
    print(legible(found.game.text(Replay(found.game).view(found.state, seat), seat)))
    print_actions(found)
    for line in in_words(found, seconds, options.prior):
        print(line)
    if options.position is not None:
        line = write_line(found.game, deal_record(found.game, found.state[0], found.state[0]))
        print(f'stichwerk play --position "{line}"')
    if out:
        write_json(out, content_of(found, options.depth, options.prior))
        print(f"written: {out}")


def _solved(options: EquilibriumOptions) -> Equilibrium:
    """The equilibrium of the options' position."""
    if options.position is not None:
        suite = Suite()
        game, positions = suite.game, iter([suite[options.position - 1].state])
    elif options.record:
        game, deal = read_deal(options.record, options.deal)
        if deal.seat is not None:
            raise InputError("record: got one of a single seat; expected one of all cards")
        replay = RecordReplay(game)
        last = len(deal.moves) if options.step is None else options.step
        steps = range(last + 1) if options.step is None else [last]
        positions = (replay.at(deal, step) for step in steps)
    else:
        game = options.game()
        positions = played(game, options.agent, options.seed)
    prior = make_agent_for(options.prior, game) if options.prior else None
    if prior is not None and not isinstance(prior, NetworkAgent):
        raise InputError(f"prior: got {options.prior}; expected a network, such as ppo:schnapsen")
    fault = InputError("position: got a deal that is over; expected a position in it")
    for state in positions:
        if state[0]["over"]:
            break
        try:
            return solve_equilibrium(
                game,
                state,
                options.gap,
                options.iterations,
                prior,
                options.laid_open,
                options.worlds,
            )
        except InputError as error:
            fault = error
    raise fault


def played(game: Game, agent: str, seed: int):
    """The positions of a deal that an agent plays with itself."""
    player, env = make_agent_for(agent, game), CardGameEnv(game.env_id, game.rules.as_dict())
    env.reset(seed=seed)
    player.seed(seed)
    while not env.terminations[env.agent_selection]:
        yield env.copy_state()
        env.step(player.act_in(env))


def in_words(found: Equilibrium, seconds: float, prior: str) -> list[str]:
    """The value, its precision and the hands, in words."""
    seat, worlds = found.state[0]["seat"], len(found.worlds.weights)
    weighed = f"weighed by {prior}" if prior else "equally likely hands"
    lines = [
        f"value for player_{seat}: {found.value:+.4f} game points, true to {found.gap / 2:.4f}",
        f"gap (NashConv) {found.gap:.5f} after {found.iterations} iterations, {worlds:,} worlds ({weighed}), "
        f"{len(found.tree.ends):,} edges, {seconds:.1f} s",
    ]
    if found.laid_open:
        lines.append(
            f"approximated: in a closed stock all cards are laid open when {found.laid_open} are left in "
            "each hand; --laid-open 0 solves to the end"
        )
    else:
        lines.append("approximated: nothing")
    return lines


def print_actions(found: Equilibrium) -> None:
    """A row for each action of the seat to act: over all hands, and of its own one."""
    decisions = [*found.decisions(0)]
    seat = int(found.state[0]["seat"])
    own = tuple(found.game.pack.cards(int(found.state[0]["hand"][seat])))
    mine = next((each for each in decisions if each.hand == own), None)
    table = Table("action", caption=f"player_{seat} to act; of {len(decisions):,} hands")
    for head in ("in all hands", "this hand", "game points"):
        table.add_column(head, justify="right")
    often: dict[str, float] = {}
    for each in decisions:
        for action, chance in zip(each.actions, each.chances, strict=True):
            often[action] = often.get(action, 0.0) + each.likely * float(chance)
    for action in sorted(often, key=lambda name: -often[name]):
        cells = ["", ""]
        if mine and action in mine.actions:
            place = mine.actions.index(action)
            cells = [f"{100 * mine.chances[place]:.1f} %", f"{mine.values[place]:+.3f}"]
        table.add_row(action, f"{100 * often[action]:.1f} %", *cells)
    print_table(table)


def content_of(found: Equilibrium, depth: int, prior: str) -> dict:
    """The content of the results file."""
    return {
        "env": found.game.env_id,
        "rules": found.game.rules.as_dict(),
        "seat": int(found.state[0]["seat"]),
        "prior": prior,
        "value": found.value,
        "gap": found.gap,
        "iterations": found.iterations,
        "worlds": len(found.worlds.weights),
        "laid_open": found.laid_open,
        "decisions": [_row(each) for each in found.decisions(depth)],
    }


def _row(decision: Decision) -> dict:
    values = [None if np.isnan(value) else round(float(value), 4) for value in decision.values]
    return {
        "path": list(decision.path),
        "seat": decision.seat,
        "hand": list(decision.hand),
        "likely": round(decision.likely, 8),
        "actions": list(decision.actions),
        "chances": [round(float(chance), 4) for chance in decision.chances],
        "values": values,
    }
