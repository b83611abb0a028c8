"""Players of the suite against the neural player of SantaseGameEngine, for Bulgarian rules of Sixty-six.

git clone https://github.com/NikolayIT/SantaseGameEngine
python examples/santase.py SantaseGameEngine --agents rules --deals 2000

The weights, 128-128-128-24 with ReLU, are read from the clone, and the inputs are those that its page
NEURAL_NETWORK.md lists. As there, the trump nine is exchanged whenever that is legal, the stock is closed
with many trumps, and an exhausted stock is played exactly (here for the most points).

RULES come as near to its RULES.md as our options do. There, but not here, nobody may close before the first
trick, and a failed close always costs three points (here two, unless the other player had no trick).
"""

import argparse
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.playing.matches import Playing, Series, play_pair
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.envs import Game, InputError, make_game
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.games.schnapsen.state import Phase
from stichwerk.support.terminal.progress import make_bar

RULES: dict[str, Any] = {
    "preset": "sixty_six_bulgarian",
    "first_lead_melds": False,
    "must_head": True,
    "min_stock": 3,
    "claims": "auto",
    "target": 11,
}
WEIGHTS = Path("src/AI/Santase.AI.ClaudePlayer/Neural/weights.bin")
SIZES = 128, 128, 128, 24
SUITS, RANKS = "cdhs", "9JQKTA"  # in the order of their numbers of cards
NONE = -1
GOAL = 66


class SantasePlayer(Agent):
    """Plays by the weights of a clone of SantaseGameEngine.

    Args:
        game: Sixty-six under RULES, or others of 24 cards without claims by the player
        weights: the file
    """

    def __init__(self, game: Game, weights: Path):
        super().__init__("santase", game)
        numbers = np.fromfile(weights, "<f4")
        layers = [(rows, columns) for columns, rows in pairwise(SIZES)]
        if len(numbers) != (expected := sum(rows * columns + rows for rows, columns in layers)):
            raise InputError(f"{weights}: got {len(numbers):,} numbers; expected {expected:,}")
        self.layers = []
        for rows, columns in layers:
            matrix, bias, numbers = np.split(numbers, [rows * columns, rows * columns + rows])
            self.layers.append((matrix.reshape(rows, columns).T, bias))
        names = game.pack.names
        self._theirs = np.array([SUITS.index(name[0]) * len(RANKS) + RANKS.index(name[1]) for name in names])
        self._suit_of = [name[0] for name in names]
        self._exact = ExactPlayer(game)

    def act(self, turns: Turns) -> np.ndarray:
        """The id of a legal action for each turn, int64[n]."""
        assert self.game
        chosen = np.full(len(turns), NONE)
        for i, (view, seat, mask) in enumerate(
            zip(turns.views, turns.all_seats[turns.which], turns.mask, strict=True)
        ):
            legal = np.flatnonzero(mask)
            if len(legal) == 1:
                chosen[i] = legal[0]
            elif (known := self._by_rule(view, int(seat), mask)) is not None:
                chosen[i] = known
            elif view["closed_by"] == NONE and view["top"] == len(self.game.deck):
                place = self._exact.decide(np.array([view]), int(seat), legal, 0)
                chosen[i] = NONE if place is None else legal[place]
        left = np.flatnonzero(chosen == NONE)
        if len(left):
            logits = self.logits(
                np.array([self.inputs(turns.views[i], int(turns.all_seats[turns.which[i]])) for i in left])
            )
            cards = len(self._theirs)
            for i, row in zip(left, logits, strict=True):
                playable = np.where(turns.mask[i, :cards] != 0, row[self._theirs], -np.inf)
                chosen[i] = self._with_marriage(int(playable.argmax()), turns.mask[i])
        return chosen

    def _by_rule(self, view: np.record, seat: int, mask: np.ndarray) -> int | None:
        """The exchange and the closing, which no network decides."""
        assert self.game
        if mask[exchange := self.game.action_index["exchange"]]:
            return exchange
        trump = self.game.pack.names[view["indicator"]][0] if view["indicator"] != NONE else ""
        held = self._names(int(view["hand"][seat]))
        trumps = {name[1] for name in held if name[0] == trump}
        unseen = {name[1] for name in self._names(self._unseen(view, seat)) if name[0] == trump}
        strong = len(trumps) >= 5 or (len(trumps) == 4 and {*"KQ"} <= trumps and not {*"AT"} <= unseen)
        return self.game.action_index["close"] if strong and mask[self.game.action_index["close"]] else None

    def _with_marriage(self, card: int, mask: np.ndarray) -> int:
        """A king or queen shows its marriage first."""
        assert self.game
        name = self.game.pack.names[card]
        meld = self.game.action_index[f"meld {name[0]}"]
        return meld if name[1] in "KQ" and mask[meld] else card

    def logits(self, inputs: np.ndarray) -> np.ndarray:
        """float32[n, 24], by their numbers of cards."""
        *hidden, (matrix, bias) = self.layers
        for weights, shift in hidden:
            inputs = np.maximum(inputs @ weights + shift, 0)
        return inputs @ matrix + bias

    def inputs(self, view: np.record, seat: int) -> np.ndarray:
        """The inputs of a seat on lead or to answer, float32[128]."""
        assert self.game
        out = np.zeros(SIZES[0], np.float32)
        taken = int(view["taken"][0]) | int(view["taken"][1])
        hand = self._cards(int(view["hand"][seat]))
        out[self._theirs[hand]] = 1
        out[24 + self._theirs[self._cards(taken)]] = 1
        out[48 + self._theirs[self._cards(self._unseen(view, seat))]] = 1
        indicator, led = int(view["indicator"]), int(view["led"])
        if indicator != NONE:
            suit, rank = divmod(int(self._theirs[indicator]), len(RANKS))
            out[72 + suit] = out[76 + rank] = 1
            out[116] = out[suit * len(RANKS)]  # the trump nine is in hand
        if led != NONE:
            out[82 + self._theirs[led]] = 1
        stock = len(self.game.deck) - int(view["top"]) + (indicator != NONE)
        first, is_open = view["tricks"].sum() == 0, view["closed_by"] == NONE and stock > 0
        melded = int(view["melded"])
        value = 0 if melded == NONE else 40 if melded == view["trump"] else 20
        own = view["phase"] == Phase.MELDED  # there the card and its marriage are one move
        mine, theirs = (int(view["points"][each]) + int(view["pending"][each]) for each in (seat, 1 - seat))
        mine -= value if own else 0
        out[106:110] = stock / 12, mine / GOAL, theirs / GOAL, (mine - theirs) / GOAL
        may = is_open and not first and stock > 2
        out[110:116] = not is_open, may, may, not first, led == NONE, stock >= 2
        out[117], out[118] = (led != NONE and value == points for points in (20, 40))
        return out

    def _unseen(self, view: np.record, seat: int) -> int:
        """The set of the cards that are not in hand, in tricks or turned up; a led card is one of them."""
        assert self.game
        seen = int(view["hand"][seat]) | int(view["taken"][0]) | int(view["taken"][1])
        if view["indicator"] != NONE:
            seen |= 1 << int(view["indicator"])
        return ~seen & ((1 << len(self.game.pack.names)) - 1)

    def _cards(self, cards: int) -> list[int]:
        return [card for card in range(len(self._theirs)) if cards >> card & 1]

    def _names(self, cards: int) -> list[str]:
        assert self.game
        return [self.game.pack.names[card] for card in self._cards(cards)]


def main(clone: Path, agents: Sequence[str], deals: int, episode: Episode = "deal", seed: int = 1) -> None:
    """Play each agent against the player of a clone, over duplicate deals or matches."""
    game = make_game("sixty_six_v0", RULES)
    santase = SantasePlayer(game, clone / WEIGHTS)
    for text in agents:
        with make_bar() as bar:
            progress = partial(bar.advance, bar.add_task(text, total=2 * deals))
            series, playing = Series(deals, seed, episode=episode), Playing(on_progress=progress)
            found = play_pair(game, make_agent_for(text, game), santase, series, playing=playing)
        won = f"{100 * found.win_rate:.1f} ± {100 * (found.win_rate - found.win_low):.1f} % won"
        print(f"{text:30} {found.mean:+.3f} ± {found.margin:.3f} a {episode}, {won}")


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("clone", type=Path)
    words.add_argument("--agents", nargs="+", default=["rules", "rules:0.1"])
    words.add_argument("--deals", type=int, default=2000)
    words.add_argument("--episode", choices=["deal", "match"], default="deal")
    main(**vars(words.parse_args()))
