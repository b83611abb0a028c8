"""Study of a finished deal: the costs of a seat's decisions, separated from its luck."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.regret import DIGITS, judge_deal
from stichwerk.agents.evaluation.playing.verdicts import LEAST, verdicts_of, word_of
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.search.rollout import RolloutPlayer
from stichwerk.envs.engine.equity import as_of_match, equity_in, gains_by_points
from stichwerk.envs.engine.records import copy_of
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay, is_of_match
from stichwerk.envs.spec.game import Game
from stichwerk.support.language import decimals, mark, tr
from stichwerk.support.numbers import in_points, in_value
from stichwerk.table.message import NOTHING_SEEN, entry_data, position_data
from stichwerk.table.opponents import default_opponent
from stichwerk.table.protocol import DecisionData

WORLDS = 60  # that each decision is judged by
MOST = 5  # decisions that are told
MOST_UNLUCKY = 2  # of them, those that were right by what the seat could know
LEAST_LUCK = 0.5  # game points that such a one cost; from positions that are solved all are told
LEAST_OF_MATCH = 0.01  # the same, and the least cost, of the probability to win a match
RARE = 0.005  # a chance that is not told
LINE = 6  # moves that are told of a better line
NONE_BETTER = mark("nothing is better")
VERDICTS = {
    "mistake": mark("mistake"),
    "lucky": mark("lucky"),
    "unlucky": mark("unlucky"),
    "right": mark("played right"),
}


@dataclass(frozen=True)
class Decision:
    """A decision of a deal, with its costs in game points, or of the probability to win the match.

    Attributes:
        move: its number in the deal, from 1
        best, cost: the best action in the deals that were possible, and its average gain there
        margin: half of the 95 % interval of that; 0: it is exact
        better, luck: the best action with the cards as they lay, and what it gains
        chances: how often the equilibrium takes each action, where that is known
    """

    move: int
    action: str
    best: str
    cost: float
    margin: float
    better: str
    luck: float
    of_match: bool = False
    chances: Mapping[str, float] = field(default_factory=dict)

    @property
    def costs(self) -> bool:
        """True if another action was better by what the seat could know, beyond chance."""
        return self.cost > self.margin and self.cost >= (LEAST_OF_MATCH if self.of_match else LEAST)

    @property
    def word(self) -> str:
        return word_of(self.costs, self.luck)

    @property
    def instead(self) -> str:
        """The action to show beside the one that was played."""
        return self.best if self.costs else self.better


def review(game: Game, deal: DealRecord, seat: int, since: int = 0) -> tuple[DealRecord, list[Decision]]:
    """Judge the decisions of a seat: exactly where it could tell all cards, by the equilibrium where the
    public state is solved, else by sampled worlds that agree with its view.

    Args:
        game: of the deal
        deal: with all cards
        seat: whose decisions are judged
        since: the number of moves that are left out, from the first one on

    Returns:
        The deal with the values of the seat's actions at its moves, and the few decisions that mattered: the
        costliest first, then those that were right and unlucky.
    """
    replay, judge = RecordReplay(game), RolloutPlayer("judge", game, worlds=WORLDS)
    known = replay.for_seat(deal, seat)
    judged, costly = judge_deal(game, known, judge)
    values = {number: dict(move.values) for number, move in enumerate(judged.moves) if move.values}
    costs = {each.move - 1: (each.better, each.points, each.margin) for each in costly}
    exact = dict(_exact(game, known))
    verdicts = {number: each for number, each in verdicts_of(game, deal, seat).items() if number >= since}
    values |= exact | {number: dict(each.values) for number, each in verdicts.items()}
    of_match, found = is_of_match(game, known), []
    for number, states in enumerate(replay.states(deal)):
        if number not in values or number < since or deal.moves[number].seat != seat:
            continue
        own = deal.moves[number].action
        if verdict := verdicts.get(number):
            told = verdict.best, verdict.cost, 0.0, verdict.better, verdict.luck
            sampled = costs.get(number, (own, 0.0, 0.0))
            decision = Decision(number + 1, own, *told, of_match, verdict.chances)
            matters = decision.word != "right" or sampled[1] > sampled[2]
        else:
            laid = exact.get(number) or _as_laid(replay, states, seat, judge)
            best = max(values[number], key=lambda action: values[number][action])
            cost = (best, values[number][best] - values[number][own], 0.0) if number in exact else None
            better = max(laid, key=lambda action: laid[action])
            luck = laid[better] - laid[own]
            decision = Decision(
                number + 1, own, *(cost or costs.get(number, (own, 0.0, 0.0))), better, luck, of_match
            )
            matters = decision.costs or luck >= (LEAST_OF_MATCH if of_match else LEAST_LUCK)
        if matters:
            found.append(decision)
    moves = tuple(
        replace(move, values={action: round(value, DIGITS) for action, value in values[number].items()})
        if move.seat == seat and number in values
        else move
        for number, move in enumerate(deal.moves)
    )
    wrong = sorted((each for each in found if each.costs), key=lambda each: -each.cost)
    others = sorted(
        (each for each in found if not each.costs), key=lambda each: (not each.chances, -each.luck)
    )
    room = max(MOST_UNLUCKY, sum(bool(each.chances) for each in others))
    return replace(deal, moves=moves), [*wrong, *others[:room]][:MOST]


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


def _as_laid(replay: RecordReplay, states: np.ndarray, seat: int, judge: RolloutPlayer) -> dict[str, float]:
    """The value of each action of a seat with the cards as they lie, played on by the judge's playouts."""
    names = replay.legal(states)
    actions = np.array([replay.game.action_index[name] for name in names])
    values = np.empty((1, len(names)))
    judge.points_after(as_of_match(replay.game, states), seat, actions, 0, values)
    return dict(zip(names, values[0].tolist(), strict=True))


# Telling


def decisions_data(
    game: Game, deal: DealRecord, seat: int, decisions: Sequence[Decision]
) -> list[DecisionData]:
    """Decisions on the table as it stood, each with the line that follows the better action."""
    player = make_agent_for("rules" if has_rule_player(game.env_id) else default_opponent(game), game)
    replay, sight = RecordReplay(game), NOTHING_SEEN
    told: dict[int, DecisionData] = {}
    wanted = {each.move - 1: each for each in decisions}
    for number, states in enumerate(replay.states(deal)):
        view, mask = replay.seen_by(states, seat)
        sight = sight.after(game, view, seat) if number else sight
        if (decision := wanted.get(number)) is None:
            continue
        legal = [game.actions[action] for action in np.flatnonzero(mask)]
        line = [(seat, game.action_index[decision.instead])]
        state = copy_of(states)
        replay.apply(state, decision.instead)
        while len(line) < LINE and not state[0].over:
            actor = int(state[0].seat)
            (action,) = player.act(Turns.one(*_seen(game, replay, state, actor)))
            line.append((actor, int(action)))
            replay.apply(state, str(game.actions[action]))
        told[number] = {
            "move": decision.move,
            "action": decision.action,
            "label": game.label(decision.action),
            "instead": decision.instead,
            "verdict": decision.word,
            "cost": decision.cost if decision.costs else 0.0,
            "told": _told(game, decision),
            "position": position_data(game, view, seat, legal, sight),
            "line": [entry_data(game, actor, action) for actor, action in line],
        }
    return [told[each.move - 1] for each in decisions]


def _seen(
    game: Game, replay: RecordReplay, states: np.ndarray, seat: int
) -> tuple[np.ndarray, int, np.ndarray]:
    view, mask = replay.seen_by(states, seat)
    return as_of_match(game, view), seat, mask


def told_costs(game: Game, decisions: Sequence[Decision]) -> list[str]:
    """Decisions in words, a line for each."""
    told = tr("move {number}, {action}: {told}")
    return [
        told.format(number=each.move, action=game.label(each.action), told=_told(game, each))
        for each in decisions
    ]


def _told(game: Game, decision: Decision) -> str:
    """The verdict on a decision with its reasons."""
    mean = _gains(game, decision, decision.best, _cost(decision)) if decision.costs else tr(NONE_BETTER)
    luck = f"{100 * decision.luck:.1f} %" if decision.of_match else f"{decision.luck:.4g}"
    laid = _gains(game, decision, decision.better, decimals(luck)) if decision.luck > 0 else tr(NONE_BETTER)
    told = tr(
        "{verdict}. On average {mean}; as the cards lay, {laid}.",
        verdict=tr(VERDICTS[decision.word]),
        mean=mean,
        laid=laid,
    )
    often = sorted(decision.chances.items(), key=lambda each: -each[1])
    usual = ", ".join(f"{game.label(action)} {100 * each:.0f} %" for action, each in often if each >= RARE)
    return " ".join([told, tr("Equilibrium: {usual}.", usual=usual)]) if usual else told


def _gains(game: Game, decision: Decision, better: str, points: str) -> str:
    text = (
        tr("{better} wins the match more often by {points}")
        if decision.of_match
        else tr("{better} gains {points}")
    )
    return text.format(better=game.label(better), points=points)


def _cost(decision: Decision) -> str:
    if decision.margin:
        cost, margin = decision.cost, decision.margin
        told = (
            in_value(cost, margin, True)[1:] if decision.of_match else in_points(cost, margin, signed=False)
        )
        return decimals(told)
    if decision.chances:
        return decimals(f"{decision.cost:.2f}")
    points = f"{100 * decision.cost:.1f} %" if decision.of_match else f"{decision.cost:g}"
    return tr("{points}, exactly", points=decimals(points))
