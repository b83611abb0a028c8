"""Verdicts on recorded decisions in solved public states, which separate mistakes from luck.

Two costs of a decision are compared. One is the mean over the hands that the public state allows, both seats
playing on by the equilibrium. The other is that of the cards as they lay, with all of them known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from stichwerk.agents.equilibrium import Decision, solve_equilibrium
from stichwerk.agents.equilibrium.schnapsen import SOLVES, is_closed
from stichwerk.agents.equilibrium.solve import LAID_OPEN
from stichwerk.agents.equilibrium.tree import TooLargeError
from stichwerk.agents.solver import solve
from stichwerk.envs.games import make_game
from stichwerk.envs.games.schnapsen.state import CLAIM
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay, is_of_match
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

WORLDS, EDGES = 3_000, 4_000_000  # that are solved: more take longer than a person waits
LEAST = 0.05  # game points that count as a cost: the solver is less exact for one hand than for all
SMALL = {"pack": ["sA", "sK", "sQ", "hA", "hK", "hQ"], "hand_size": 2, "goal": 30}  # solved in a moment


@dataclass(frozen=True)
class Verdict:
    """A decision compared with the equilibrium, in game points of the seat.

    Attributes:
        chances: how often the equilibrium takes each action with this hand
        values: of each action, averaged over the hands that were possible
        best, cost: the best action in that mean, and what it gains over the action taken
        better, luck: the same with the cards as they lay
    """

    chances: Mapping[str, float]
    values: Mapping[str, float]
    best: str
    cost: float
    better: str
    luck: float

    @property
    def word(self) -> str:
        return word_of(self.cost >= LEAST, self.luck)


def word_of(costs: bool, luck: float) -> str:
    """A decision in a word: `mistake` costs on average and with these cards, `lucky` on average alone,
    `unlucky` with these cards alone, and `right` neither way."""
    if costs:
        return "mistake" if luck > 0 else "lucky"
    return "unlucky" if luck > 0 else "right"


def verdicts_of(game: Game, deal: DealRecord, seat: int) -> dict[int, Verdict]:
    """The verdicts on the decisions of a seat, by the number of the move, from 0.

    Hands are equally likely in the first public state that can be solved. From there on they are as likely as
    the equilibrium makes them, as far as its tree goes and while both seats take actions that it takes. What
    follows is solved afresh, with hands equally likely.

    Args:
        game: of the deal. There are verdicts in Schnapsen and Sixty-six, outside matches.
        deal: with all cards; is played again and checked
        seat: whose decisions are judged
    """
    verdicts, found, begun = dict[int, Verdict](), None, 0
    too_large = game.rules_record[0].deck_size  # cards in a hand, of a tree that was given up
    if game.env_id not in SOLVES or is_of_match(game, deal):
        return verdicts
    actions, replay = [move.action for move in deal.moves], RecordReplay(game)
    for number, (states, move) in enumerate(zip(replay.states(deal), deal.moves, strict=False)):
        if len({*replay.legal(states)} - {str(game.actions[CLAIM])}) < 2:
            continue  # no decision, and not in the tree
        hand = int(states[0]["hand"][move.seat])
        decision = found.decision(actions[begun:number], move.seat, hand) if found else None
        held = max(int(cards).bit_count() for cards in states[0]["hand"])
        if not is_settled(decision) and (move.seat == seat or not found):
            found = None
            if held >= too_large:  # before the next trick: to find out again takes seconds
                continue
            laid_open = 0 if is_closed(states[0]) else LAID_OPEN
            try:
                found = solve_equilibrium(
                    game, states, laid_open=laid_open, most_worlds=WORLDS, most_edges=EDGES
                )
            except TooLargeError:
                too_large = held
                continue
            except InputError:  # too many worlds, or both seats can tell all cards
                continue
            begun, decision = number, found.decision([], move.seat, hand)
        if move.seat == seat and is_settled(decision) and move.action in decision.actions:
            verdicts[number] = _verdict(decision, move.action, solve(game, states))
    return verdicts


def is_settled(decision: Decision | None) -> TypeGuard[Decision]:
    """True if all its values are known and the solver plays it well. It need not where its play seldom
    comes."""
    if decision is None or np.isnan(decision.values).any():
        return False
    return bool(decision.values.max() - decision.chances @ decision.values < LEAST / 2)


def _verdict(decision: Decision, action: str, exact: Mapping[str, float]) -> Verdict:
    values = dict(zip(decision.actions, decision.values.tolist(), strict=True))
    chances = dict(zip(decision.actions, decision.chances.tolist(), strict=True))
    best, better = (max(each, key=lambda action: each[action]) for each in (values, exact))
    return Verdict(
        chances, values, best, values[best] - values[action], better, exact[better] - exact[action]
    )


def rehearse(game: Game) -> None:
    """Call once all functions that verdicts on a game call."""
    if game.env_id in SOLVES:
        small = make_game(game.env_id, SMALL)
        solve_equilibrium(small, RecordReplay(small).dealt({}))
