"""The cards of the shipped networks, and the page of them.

A card lies in its network's folder. `benchmarks/reproduce.py` writes it with the results; the part between
`<!-- generated: use -->` and `<!-- end -->` is made here, from the manifest.
"""

import json
import re
from pathlib import Path

from stichwerk.agents.networks.saved import DIGEST, MANIFEST, WEIGHTS, fits, plays_any_rules
from stichwerk.agents.registry import SHIPPED, SHIPPED_FOLDER
from stichwerk.agents.training.config_files import load_config
from stichwerk.envs.spec.game import Game
from stichwerk.support.numbers import digits_for

ROOT = Path(__file__).parent.parent
STRONG = ROOT / "configs" / "strong"
ELSEWHERE = re.compile(r"\A---\n.*?---\n\n|<!-- generated: use -->.*?<!-- end -->\n\n", re.DOTALL)
PLAYERS_BEGIN = """# Shipped players

The package includes these trained networks. Play them by name, such as `ppo:schnapsen`, or let them guide a
search, such as `search:schnapsen`. Each plays under its training rules; Sixty-six plays under any `memory`.
`make reproduce` trains all of them again.

`ppo:schnapsen-0.1` has no card. It is the network of `make train` in version 0.1, a fixed mark like
`rules:0.1`.

- A network whose card has no row `Code` was trained by commit b71d966 or earlier. The same command trains
  another network today, of about that strength.
- `Kept … the best` means the highest mean, which a later
  [choice of network](../notes/choice_of_network.md#which-network-a-run-keeps) replaced.
- Each card's file, `agents/builtin/shipped/NAME/README.md`, also has a program that plays a deal, the
  checksum, the limits, and the points by role.
"""
USE = """```python
from stichwerk.agents import make_agent
from stichwerk.envs import CardGameEnv

env = CardGameEnv({env}, rules={rules})
player = make_agent({player}, {env}, rules={rules})
env.reset(seed=1)
while not all(env.terminations.values()):
    env.step(player.act_in(env))
print(env.rewards)
```

- **Checksum.** `{weights}` has the SHA-256 `{digest}`.
  It is checked when the network is loaded. The file holds only arrays, so reading it runs no code.
- **Rules.** {others}
- **Mixing.** The same observation always gives the same action, so an opponent that knows the network can
  gain, such as a search guided by it, the last one below. `{player_text},greedy=no` plays by its
  probabilities.
- **Opponents.** It learned against {opponents} and itself. Its strength is measured against programs, not
  people.
"""


def use(card: Path) -> str:
    """A program that plays the network of a card, its checksum, and its limits."""
    name = card.parent.name
    manifest = json.loads((card.parent / MANIFEST).read_text(encoding="utf-8"))
    learned = load_config(STRONG / f"{name}.yaml")
    config = learned.game
    return USE.format(
        env=json.dumps(config.env),
        rules=json.dumps(config.rules or config.make().rules.preset_name()),
        player=json.dumps(f"ppo:{name}"),
        player_text=f"ppo:{name}",
        weights=WEIGHTS,
        digest=manifest[DIGEST],
        others=_others(name, config.make()),
        opponents=", ".join(f"`{each}`" for each in learned.pool.opponents if each not in ("latest", "past")),
    )


def _others(name: str, game: Game) -> str:
    """In words: the play of a network under other rules than its own."""
    if plays_any_rules(SHIPPED_FOLDER / name):
        return "It plays any rules of its game. The points below are those under one rule set."
    for other in SHIPPED:
        if plays_any_rules(SHIPPED_FOLDER / other) and fits(SHIPPED_FOLDER / other, game):
            return f"Under rules that it has not learned, `ppo:{name}` is the network `ppo:{other}`."
    return "It refuses rules that it has not learned."


def players() -> str:
    """The cards of all shipped players, one below the other, without their uses and points by role."""
    cards = [rounded(card.read_text(encoding="utf-8")) for card in sorted(SHIPPED_FOLDER.glob("*/README.md"))]
    short = [ELSEWHERE.sub("", card).split("\nBy role", 1)[0] for card in cards]
    return "\n".join([PLAYERS_BEGIN, *(re.sub("^#", "##", card, flags=re.MULTILINE) for card in short)])


def rounded(text: str) -> str:
    """The text with no more digits of means and margins than intervals bear; none is added."""

    def shorter(found: re.Match) -> str:
        mean, margin, decimals = found.groups()
        digits = min(digits_for(float(margin)), len(decimals))
        return f"{float(mean):+z.{digits}f} ± {float(margin):.{digits}f}"

    return re.sub(r"([+-]\d+\.\d+) ± (\d+\.(\d+))(?! %)", shorter, text)
