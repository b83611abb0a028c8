"""Compiled and interpreted, a game plays the same."""

import hashlib
import os
import subprocess
import sys

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.envs.testing.playing import by_sight, over

MOST_STEPS = 100  # of an episode that is played interpreted


def digest(env_id: str, rules: RuleSpec = None) -> str:
    """A fingerprint of some play: cards, observations, masks, texts, rewards, and a world at every
    decision."""
    sha = hashlib.sha256()
    for observation in make_game(env_id, rules).encodings:
        env = CardGameEnv(env_id, rules, "match", observation=observation)
        env.reset(seed=1)
        for step in range(MOST_STEPS):
            if over(env):
                break
            agent = env.agent_selection
            seen = env.observe(agent)
            sha.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
            sha.update(env.resample(agent, step).tobytes())
            env.step(by_sight(seen["observation"], seen["action_mask"]))
        text = env.game.text(env.view(env.agent_selection), env.possible_agents.index(env.agent_selection))
        sha.update(text.encode() + env.copy_state().tobytes() + env.state().tobytes())
    return sha.hexdigest()


def check_compiled(game: Game) -> None:
    """Compiled and interpreted the game plays the same; integers that overflow are errors in interpreted
    play."""
    env_id, rules = f"{_home(game)}:{game.env_id}", game.rules.as_dict()
    program = f"from stichwerk.envs.testing import digest; print(digest({env_id!r}, {rules!r}))"
    result = subprocess.run(
        [sys.executable, "-W", "error:overflow encountered:RuntimeWarning", "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"interpreted play fails:\n{result.stderr}"
    assert result.stdout.strip() == digest(game.env_id, rules), "compiled and interpreted play differ"


def _home(game: Game) -> str:
    """The module that declares the game: where its functions stand, or a package around it."""
    module = game.spec.deal.__module__
    while getattr(sys.modules[module], "GAME", None) is not game.spec:
        module, _, rest = module.rpartition(".")
        assert rest, f"no module above {game.spec.deal.__module__} has this game as its GAME"
    return module
