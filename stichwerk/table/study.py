"""Study of a deal that is over: what the decisions of a seat have cost."""

from collections.abc import Sequence
from dataclasses import replace

from stichwerk.agents.evaluation.regret import JudgedMove, judge_deal
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.table.words import label

WORLDS = 60  # that each decision is judged by
MOST = 5  # decisions that are told


def review(game: Game, deal: DealRecord, seat: int) -> tuple[DealRecord, list[JudgedMove]]:
    """Judge the decisions of a seat by sampled worlds that agree with what it knew.

    Args:
        game: of the deal
        deal: with all cards
        seat: whose decisions are judged

    Returns:
        The deal with the values of the seat's actions beside its moves, and the costliest of these, the first
        one first.
    """
    judge = RolloutPlayer("judge", game, worlds=WORLDS)
    judged, costly = judge_deal(game, RecordReplay(game).for_seat(deal, seat), judge)
    moves = [
        replace(move, values=known.values) if move.seat == seat else move
        for move, known in zip(deal.moves, judged.moves, strict=True)
    ]
    return replace(deal, moves=tuple(moves)), sorted(costly, key=lambda move: -move.points)[:MOST]


def told_costs(game: Game, costly: Sequence[JudgedMove]) -> list[str]:
    """The costliest decisions in words, a line for each."""
    actions = game.actions
    return [
        f"move {each.move}, {label(actions[game.action_index[each.action]])}: "
        f"{label(actions[game.action_index[each.better]])} gains {each.points:.2f} ± {each.margin:.2f}"
        for each in costly
    ]
