"""Making puzzles: positions from deals of a rule-based player that errs now and then, solved exactly.

Puzzle number n of a seed depends on the game, the seed and n alone. The player is that of version 0.1, which
stays as it is.
"""

import json
import random

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.language.puzzles import Puzzle
from stichwerk.agents.language.words import CARDS, choices, seat_line
from stichwerk.agents.solver import PositionTooLarge, find_kernel, solve
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.notation import cards_in, write_deal
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError

PLAYER = "rules:0.1"
ERRS = 0.1  # how often an action at random stands in the place of the player's
MOST_DEALS = 300  # without a puzzle, after which there is none
TASK = "All cards are open. Everybody plays for the most game points of the own side. Which action is best?"


class Generator:
    """The puzzles of one game and seed.

    Args:
        game: with its rules; the solver must have a kernel for it
        seed: of all puzzles
        cards: the most cards that may be left in all hands; None: any number

    Raises:
        InputError: no kernel of the solver knows the game.
    """

    def __init__(self, game: Game, seed: int = 1, cards: int | None = None):
        kernel = find_kernel(game.env_id)
        if kernel is None:
            raise InputError(
                f"env: got {game.env_id}; expected a game that the exact solver has a kernel for"
            )
        self.game, self.seed, self.most_cards, self._kernel = game, seed, cards, kernel
        self._env = CardGameEnv(game.address, game.rules)
        self._player = make_agent_for(PLAYER, game)

    def id(self, number: int) -> str:
        """The id of a puzzle by its number."""
        return f"{self.game.env_id}:{self.seed}:{number}"

    def puzzle(self, number: int) -> Puzzle:
        """Make the puzzle of a number, from 0.

        Raises:
            InputError: three hundred deals have come to no position that can be one.
        """
        rng = random.Random(int(stream_seed(self.seed, Use.PUZZLES, number)))
        for _ in range(MOST_DEALS):
            positions = self._positions(rng)
            rng.shuffle(positions)
            for state, deal in positions:
                if puzzle := self._solved(state, deal, number):
                    return puzzle
        raise InputError(
            f"got no puzzle of {self.game.env_id} in {MOST_DEALS:,} deals; "
            "expected rules that the solver knows, or more cards"
        )

    def _positions(self, rng: random.Random) -> list[tuple[np.ndarray, DealRecord]]:
        """The positions of one deal that may be puzzles, with their records."""
        env, found = self._env, []
        env.reset(seed=rng.getrandbits(62))
        while not env.terminations["player_0"]:
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            if len(legal) > 1 and self._may_be_one(env.copy_state()[0]):
                found.append((env.copy_state(), env.deals()[-1]))
            errs = rng.random() < ERRS
            env.step(rng.choice(legal.tolist()) if errs else self._player.act_in(env))
        return found

    def _may_be_one(self, state: np.record) -> bool:
        rules, kernel = self.game.rules_record[0], self._kernel
        few = self.most_cards is None or self._cards_left(state) <= self.most_cards
        if not (few and self.game.puzzle_kind(state)):
            return False
        return bool(kernel.knows(rules, state) and not kernel.shared(rules, state))

    def _solved(self, state: np.ndarray, deal: DealRecord, number: int) -> Puzzle | None:
        """The puzzle of a position; None if all actions of each verb are worth the same.

        A choice between a wrong claim and cards of one value is no puzzle.
        """
        try:
            values = solve(self.game, state)
        except PositionTooLarge:
            return None
        verbs = {name: self.game.actions[self.game.action_index[name]].verb for name in values}
        if len({(verbs[name], value) for name, value in values.items()}) == len(set(verbs.values())):
            return None
        ranked = sorted(set(values.values()), reverse=True)
        return Puzzle(
            id=self.id(number),
            env=self.game.env_id,
            kind=self.game.puzzle_kind(state[0]),
            seat=int(state[0].seat),
            record=tuple(json.loads(line) for line in write_records(self.game, [deal]).splitlines()),
            question=self._question(state, deal, tuple(values)),
            actions=tuple(values),
            values=values,
            difficulty={
                "cards": self._cards_left(state[0]),
                "actions": len(values),
                "gap": ranked[0] - ranked[1],
            },
        )

    def _cards_left(self, state: np.record) -> int:
        """The number of cards in all hands."""
        scene = self.game.scene(np.array(state).reshape(1), SPECTATOR)
        return sum(len(hand.cards) for hand in scene.hands)

    def _question(self, state: np.ndarray, deal: DealRecord, actions: tuple[str, ...]) -> str:
        """The position in words, with all cards."""
        game, seat = self.game, int(state[0].seat)
        view = self._env.view_of(state, seat)
        tricks = [line for line in write_deal(game, deal).splitlines() if line[0].isdecimal()]
        hands = [*cards_in(game.scene(state, SPECTATOR)), *points_lines(game, state[0])]
        parts = (
            game.rules_text(),
            "\n".join([CARDS, f"{seat_line(game, seat)} {TASK}"]),
            "\n".join(["The deal so far:", *tricks]),
            "\n".join(["The table:", game.text(view, seat)]),
            "\n".join(["All cards:", *hands]),
            choices(actions),
        )
        return "\n\n".join(parts)


def points_lines(game: Game, state: np.record) -> list[str]:
    """The card points of each seat, or of each side, in a game that counts them."""
    if not game.spec.card_points:
        return []
    points = state[game.spec.card_points].tolist()
    if len(points) == game.seats:
        return [f"points  {', '.join(f'player_{seat} {each}' for seat, each in enumerate(points))}"]
    sides = [
        f"{'+'.join(f'player_{seat}' for seat, each in enumerate(game.sides) if each == side)} {points[side]}"
        for side in range(game.side_count)
    ]
    return [f"points  {', '.join(sides)}"]
