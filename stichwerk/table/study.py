"""Study of a deal that is over: the costs of a seat's decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stichwerk.agents.evaluation.playing.regret import JudgedMove, judge_deal
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.engine.equity import as_of_match, equity_in, gains_by_points
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay, is_of_match
from stichwerk.envs.spec.game import Game
from stichwerk.support.numbers import in_value

WORLDS = 60  # that each decision is judged by
MOST = 5  # decisions that are told


def review(game: Game, deal: DealRecord, seat: int, since: int = 0) -> tuple[DealRecord, list[JudgedMove]]:
    """Judge the decisions of a seat: exactly where it could tell all cards, else by sampled worlds that agree
    with its view.

    Args:
        game: of the deal
        deal: with all cards
        seat: whose decisions are judged
        since: the number of moves that are left out, from the first one on

    Returns:
        The deal with the values of the seat's actions at its moves, and the costliest of these, the worst
        first. They cost more than chance explains. Exact ones have a margin of 0.
    """
    known = RecordReplay(game).for_seat(deal, seat)
    judged, costly = judge_deal(game, known, RolloutPlayer("judge", game, worlds=WORLDS))
    values = {number: move.values for number, move in enumerate(judged.moves)}
    costs = {each.move - 1: each for each in costly}
    of_match = is_of_match(game, known)
    for number, exact in _exact(game, known):
        values[number] = exact
        costs[number] = _cost(number, known, exact, of_match)
    moves = [
        replace(move, values=values[number]) if move.seat == seat else move
        for number, move in enumerate(deal.moves)
    ]
    told = [each for number, each in costs.items() if number >= since and each.points > each.margin]
    return replace(deal, moves=tuple(moves)), sorted(told, key=lambda move: -move.points)[:MOST]


def _exact(game: Game, known: DealRecord) -> Iterator[tuple[int, dict[str, float]]]:
    """The numbers of those moves, from 0, before which the record's seat could tell all cards, with the value
    of each action."""
    replay, player = RecordReplay(game), ExactPlayer(game)
    for number, (states, move) in enumerate(zip([*replay.states(known)], known.moves, strict=False)):
        if move.seat != known.seat:
            continue
        view, mask = replay.seen_by(states, move.seat)
        actions = np.flatnonzero(mask)
        values = player.values(view, move.seat, actions, 0) if len(actions) > 1 else None
        if values is not None and len(equity_in(game, view := as_of_match(game, view))):
            values = gains_by_points(game, view, move.seat, values) if game.seats == 2 else None
        if values is not None:
            names = [str(game.actions[action]) for action in actions]
            yield number, dict(zip(names, values.tolist(), strict=True))


def _cost(number: int, known: DealRecord, values: dict[str, float], of_match: bool) -> JudgedMove:
    """The cost of a move by exact values."""
    move = known.moves[number]
    better = max(values, key=lambda action: values[action])
    gain = values[better] - values[move.action]
    return JudgedMove(number + 1, move.seat, move.action, better, gain, 0.0, of_match)


def told_costs(game: Game, costly: Sequence[JudgedMove]) -> list[str]:
    """The costliest decisions in words, a line for each."""
    return [
        f"move {each.move}, {game.label(each.action)}: {game.label(each.better)} gains {_gain(each)}"
        for each in costly
    ]


def _gain(cost: JudgedMove) -> str:
    if cost.margin:
        return in_value(cost.points, cost.margin, cost.of_match)[1:]
    return f"{f'{100 * cost.points:.1f} %' if cost.of_match else f'{cost.points:g}'}, exactly"
