"""Checks that any game must pass, in the manner of PettingZoo's `api_test`: own games, and those of other
packages.

    from stichwerk.envs.testing import check_game
    check_game("schnapsen_v0", rules={"claims": "safe"})

Every check plays at random from a fixed seed. It raises AssertionError with the fault, the game, the seed and
the action. Matches that random players do not end are cut off. Nothing but the game's declaration is needed:
what a seat may not know is tested by worlds that the game itself holds possible. Each of them must lead,
dealt and played again, to just what the seat sees, and come up as often as it should.
"""

import random
import sys
import time
import warnings
from contextlib import redirect_stdout

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.engine.lanes import EPISODES
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.testing.compiling import check_compiled, digest
from stichwerk.envs.testing.conduct import check_declaration, check_play
from stichwerk.envs.testing.even_worlds import check_worlds_are_even, spread_evenly
from stichwerk.envs.testing.playing import (
    by_sight,
    choose_patiently,
    legal_actions,
    naming_the_place,
    over,
    positions,
)
from stichwerk.envs.testing.values import check_copies, check_determinism
from stichwerk.envs.testing.worlds import check_worlds, check_worlds_here
from stichwerk.envs.wrappers import wrap

__all__ = [
    "by_sight",
    "check_compiled",
    "check_copies",
    "check_declaration",
    "check_determinism",
    "check_game",
    "check_play",
    "check_worlds",
    "check_worlds_are_even",
    "check_worlds_here",
    "choose_patiently",
    "digest",
    "legal_actions",
    "naming_the_place",
    "over",
    "positions",
    "spread_evenly",
]

PATIENCE = 5.0  # seconds without a word


def check_game(
    env_id: str,
    rules: RuleSpec = None,
    *,
    ends_deals: tuple[str, ...] | None = None,
    compiled: bool = True,
    compared: int = 3,
) -> None:
    """Run every check on one game under these rules, in half a minute or so. After a few seconds lines on
    stderr name the check that is running.

    Args:
        ends_deals: actions that cut a deal short, which random play mostly passes over; None: those of the
            verbs that say so
        compiled: compare interpreted with compiled play too, in another process, which takes a few seconds
        compared: in how many positions all possible worlds must have been found and counted (see
            `check_worlds_are_even`). 0 leaves this check out, for games without late positions of few worlds
    """
    from pettingzoo.test import api_test

    game = make_game(env_id, rules)
    rng = random.Random(0)
    if ends_deals is None:
        ends_deals = tuple(action for action in game.actions if game.verb(action).ends_deal)

    begun = time.monotonic()

    def choose(env: CardGameEnv) -> str:
        return choose_patiently(env, rng, dict.fromkeys(ends_deals, 0.9))

    def say(what: str) -> None:
        if time.monotonic() - begun > PATIENCE:
            print(f"checking {game.env_id}: {what}", file=sys.stderr)

    check_declaration(game)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unknown reset option 'options'")  # which PettingZoo's test passes
        # Spaces are of dicts, as PettingZoo's own card games have them.
        warnings.filterwarnings("ignore", ".*Observation")
        with redirect_stdout(None):
            api_test(wrap(CardGameEnv(env_id, rules)), num_cycles=200)
    for episode in EPISODES:
        for check in (check_play, check_copies, check_determinism):
            say(f"{check.__name__}, episode {episode}")
            check(game, choose, episode)
    say("check_worlds")
    check_worlds(game, choose)
    say("check_worlds_are_even")
    done = check_worlds_are_even(game, choose, compared) if compared else 0
    assert done == compared, (
        f"{game.env_id}: got {done} positions with few enough worlds to count; expected {compared}: "
        "choose rules with fewer cards, or say compared=0"
    )
    if compiled:
        say("check_compiled")
        check_compiled(game)
