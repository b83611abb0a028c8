"""Find positions for exercises in real deals: python benchmarks/exercises.py GAME --seconds 300

Rule-based players play. A position is kept where one action alone is best in each of 40 deals that agree with
the view of the seat to act, all cards solved. It prints those of each kind as YAML, the easier ones first.
"""

import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field

import yaml

from stichwerk.agents.solver import PositionTooLarge, solve
from stichwerk.cli import Positional, parse, run
from stichwerk.envs import make_game
from stichwerk.envs.core.actions import Action
from stichwerk.envs.spec.verbs import PLAY
from stichwerk.table.table import Table

WORLDS, NODES = 40, 400_000
MOST = 7  # of a kind


@dataclass(frozen=True)
class Options:
    env: Positional[str] = field(metadata={"aliases": ("game",)})
    """Game of the deals."""
    rules: str = ""
    """Preset of its rules."""
    seconds: float = 300
    """Time to search."""
    seed: int = 1
    """Of the deals."""
    cards: int = 10
    """Most cards in a hand: more take long to solve."""


def main(options: Options) -> None:
    game = make_game(options.env, {"preset": options.rules} if options.rules else None)
    found, end = defaultdict(list), time.monotonic() + options.seconds
    table = Table(game, ["rules"] * game.seats, seed=options.seed)
    chance = random.Random(options.seed)
    while time.monotonic() < end:
        legal = table.legal(table.turn)
        held = len(table.game.scene(table.view(table.turn), table.turn).hands[0].cards)
        if len(legal) > 2 and held <= options.cards and (kept := position(table, legal)):
            kind, entry = kept
            if len(found[kind]) < MOST:
                found[kind].append(entry)
                print(kind, len(found[kind]), file=sys.stderr)
            table = Table(game, ["rules"] * game.seats, seed=chance.randrange(2**62))
            continue
        table.move_agent()
        while table.result or not table.waits_for_agent:
            table = Table(game, ["rules"] * game.seats, seed=chance.randrange(2**62))
    for kind, entries in found.items():
        entries.sort(key=lambda entry: entry.pop("size"))
        print(yaml.safe_dump({kind: entries}, allow_unicode=True, width=105, sort_keys=False))


def position(table: Table, legal: tuple[Action, ...]) -> tuple[str, dict] | None:
    """The kind and the entry of a position, if it makes an exercise."""
    seat, answer = table.turn, None
    for world in range(WORLDS):
        try:
            values = solve(table.game, table.env.resample(f"player_{seat}", world), NODES)
        except PositionTooLarge:
            return None
        top = max(values.values())
        best = [action for action, value in values.items() if value > top - 1e-9]
        if len(best) > 1 or answer not in (None, best[0]):
            return None
        answer = best[0]
    scene, action = (
        table.game.scene(table.view(seat), seat),
        table.game.actions[table.game.action_index[answer]],
    )
    verbs = {each.verb for each in legal}
    if action.verb != PLAY:
        kind = action.verb
    elif scene.trump == "betl":
        kind = "betl"
    elif others := sorted(verbs - {PLAY}):
        kind = f"not {others[0]}"
    else:
        kind = "follow" if any(hand.played for hand in scene.hands) else "lead"
    size = len(legal) + len(scene.hands[0].cards)
    return kind, {"position": table.position(seat), "answer": answer, "size": size}


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
