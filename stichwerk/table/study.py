"""Study of a deal that is over: the costs of a seat's decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stichwerk.agents.evaluation.playing.regret import DIGITS, JudgedMove, judge_deal
from stichwerk.agents.evaluation.playing.verdicts import LEAST, verdicts_of
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.engine.equity import as_of_match, equity_in, gains_by_points
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay, is_of_match
from stichwerk.envs.spec.game import Game
from stichwerk.support.language import decimals, mark, tr
from stichwerk.support.numbers import in_value

WORLDS = 60  # that each decision is judged by
MOST = 5  # decisions that are told
RARE = 0.005  # a chance that is not told
NONE_BETTER = mark("nothing is better")
VERDICTS = {
    "mistake": mark("mistake"),
    "lucky": mark("lucky"),
    "unlucky": mark("unlucky"),
    "right": mark("played right"),
}


def review(game: Game, deal: DealRecord, seat: int, since: int = 0) -> tuple[DealRecord, list[JudgedMove]]:
    """Judge the decisions of a seat: exactly where it could tell all cards, by the equilibrium where the
    public state is solved, else by sampled worlds that agree with its view.

    Args:
        game: of the deal
        deal: with all cards
        seat: whose decisions are judged
        since: the number of moves that are left out, from the first one on

    Returns:
        The deal with the values of the seat's actions at its moves, and the costliest of these, the worst
        first. They cost more than chance explains, or have a verdict. Exact ones have a margin of 0.
    """
    known = RecordReplay(game).for_seat(deal, seat)
    judged, costly = judge_deal(game, known, RolloutPlayer("judge", game, worlds=WORLDS))
    values = {number: move.values for number, move in enumerate(judged.moves)}
    costs = {each.move - 1: each for each in costly}
    of_match = is_of_match(game, known)
    for number, exact in _exact(game, known):
        values[number] = exact
        costs[number] = _cost(number, known, exact, of_match)
    for number, found in verdicts_of(game, deal, seat).items():
        values[number] = {action: round(value, DIGITS) for action, value in found.values.items()}
        before, move = costs.get(number), deal.moves[number]
        if found.word != "right" or (before and before.points > before.margin):
            cost = found.best, found.cost, 0.0
            costs[number] = JudgedMove(number + 1, seat, move.action, *cost, verdict=found)
    moves = [
        replace(move, values=values[number]) if move.seat == seat else move
        for number, move in enumerate(deal.moves)
    ]
    told = [
        each
        for number, each in costs.items()
        if number >= since and (each.verdict or each.points > each.margin)
    ]
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
    told = tr("move {number}, {action}: {told}")
    return [
        told.format(number=each.move, action=game.label(each.action), told=_told(game, each))
        for each in costly
    ]


def _told(game: Game, cost: JudgedMove) -> str:
    """The better action with its gain, or the verdict."""
    if (found := cost.verdict) is None:
        return _gains(game, cost.better, _gain(cost))
    mean = _gains(game, found.best, decimals(f"{found.cost:.2f}")) if found.cost >= LEAST else tr(NONE_BETTER)
    laid = _gains(game, found.better, f"{found.luck:g}") if found.luck > 0 else tr(NONE_BETTER)
    often = sorted(found.chances.items(), key=lambda each: -each[1])
    usual = ", ".join(f"{game.label(action)} {100 * each:.0f} %" for action, each in often if each >= RARE)
    told = tr("{verdict}. On average {mean}; as the cards lay, {laid}. Equilibrium: {usual}")
    return told.format(verdict=tr(VERDICTS[found.word]), mean=mean, laid=laid, usual=usual)


def _gains(game: Game, better: str, points: str) -> str:
    return tr("{better} gains {points}", better=game.label(better), points=points)


def _gain(cost: JudgedMove) -> str:
    if cost.margin:
        return decimals(in_value(cost.points, cost.margin, cost.of_match)[1:])
    points = decimals(f"{100 * cost.points:.1f} %" if cost.of_match else f"{cost.points:g}")
    return tr("{points}, exactly", points=points)
