"""Transcripts: the beginning of one match under every variant, written down step by step.

They show at a glance what a change of the rules, texts or features changes. `test_transcripts.py` compares;
after a change that is meant, write them again with

    python -m tests.envs.transcripts --write

and read the difference before committing it.
"""

import random
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from tests.envs.support import VARIANTS, Variant, choose, legal, over, true_state

FOLDER = Path(__file__).with_name("transcripts")
COMMAND = "python -m tests.envs.transcripts --write"
HANDS = 3  # at least so many hands are played: two deals for two, one for more …
STEPS = 20  # … and so many steps
# Bytes of what the seats see, after which it is written at every third step and for the seat to act only.
BRIEF_FROM = 30_000


def path(variant: Variant) -> Path:
    return FOLDER / f"{variant}.txt"


def transcript(variant: Variant) -> list[str]:
    return [
        line.rstrip()
        for part in (header(variant), match(variant))
        for text in part
        for line in text.split("\n")
    ]


def header(variant: Variant) -> Iterator[str]:
    game = variant.game
    yield f"{variant.env_id} under {variant.preset}"
    yield from (f"  {name} = {value!r}" for name, value in game.rules.as_dict().items())
    yield f"{game.seats} seats, {len(game.deck)} cards, {len(game.actions)} actions"
    for name, encoding in {**game.encodings, "perfect": game.perfect}.items():
        yield f"{name}: {encoding.size} features, schema {encoding.schema}"


def match(variant: Variant) -> Iterator[str]:
    """The first deals of a match in which the seats choose at random, each step as its seat sees it
    before."""
    env, rng = variant.env(episode="match", render_mode="ansi"), random.Random(str(variant))
    env.reset(seed=len(variant.preset))
    step = size = 0
    while not over(env) and not is_enough(env, step):
        agent = env.agent_selection
        yield f"\n--- {step}"
        shown = list(
            views(
                env,
                range(env.game.seats)
                if size < BRIEF_FROM
                else [env.possible_agents.index(agent)][: step % 3 == 0],
            )
        )
        size += sum(len(text.encode()) for text in shown)
        yield from shown
        yield f"legal: {', '.join(legal(env))}"
        if shown:
            yield f"{agent} observes: {features(env.encoding.named(env.observe(agent)['observation']))}"
        action = choose(env, rng)
        yield f"{agent}: {action}"
        env.step(action)
        for seat, info in env.infos.items():
            if info:
                yield f"{seat} gets {info['deal_points']:+g}"
        step += 1
    yield "\n--- the end"
    yield from views(env, range(env.game.seats))
    yield "rewards: " + ", ".join(f"{agent} {reward:+g}" for agent, reward in env.rewards.items())


def is_enough(env, step: int) -> bool:
    """Whether this is the end of a deal after which no other is written."""
    state = true_state(env)[0]
    return state.log_size == 0 and state.deals_done * env.game.seats >= HANDS and step >= STEPS


def views(env, seats: Iterable[int]) -> Iterator[str]:
    """The table as these seats see it."""
    for seat in seats:
        env.render_seat = seat
        yield f"[player_{seat}]"
        yield env.render()


def features(named: dict[str, np.ndarray]) -> str:
    """The entries that are not zero, those of equal value together: `hand[3 7]=1 points[0]=0.5`."""
    parts = []
    for name, values in named.items():
        for value, places in groupby(np.flatnonzero(values), key=lambda place, values=values: values[place]):
            parts.append(f"{name}[{' '.join(map(str, places))}]={value:.4g}")
    return " ".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: {COMMAND}")
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for variant in VARIANTS:
        path(variant).write_text("\n".join(transcript(variant)) + "\n", encoding="utf-8")
    print(f"wrote {len(VARIANTS)} transcripts to {FOLDER}")
