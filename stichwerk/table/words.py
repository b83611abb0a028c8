"""Actions and refusals in words for people."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from stichwerk.agents.core.agent import Rating
from stichwerk.agents.language.answers import LETTERS, AnswerError, read_answer
from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.core.text import seat_name
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import Move
from stichwerk.envs.records.replay import is_of_match
from stichwerk.envs.render.film import Film
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import closest, quoted
from stichwerk.support.language import decimals, tr
from stichwerk.support.numbers import in_value
from stichwerk.table.positions.exercises import Exercise
from stichwerk.table.positions.position import Position

if TYPE_CHECKING:
    from stichwerk.table.ratings import Odds


def short_label(game: Game, action: Action) -> str:
    """The words of a button among others: of a card that leaves the hand the card alone."""
    return pretty(str(action.card)) if game.lays_card(action) else game.label(action)


def short_names(names: Sequence[str]) -> list[str]:
    """The names of seats, of agents without their settings where no two are called the same then."""
    short = [re.sub(r",\S*=\S*", "", name) for name in names]
    return [few if short.count(few) == 1 else name for few, name in zip(short, names, strict=True)]


def in_words(game: Game, film: Film) -> Film:
    """A film whose moves have the words of buttons in place of the names of actions."""

    def labelled(name: str) -> str:
        return game.label(name) if name in game.action_index else name

    def words(text: str) -> str:
        seat, _, name = text.partition(" ")
        return f"{seat}: {labelled(name)}" if name else tr(text)

    frames = [
        replace(
            frame,
            words=words(frame.words),
            scene=replace(
                frame.scene, lines=tuple(line for line in frame.scene.lines if line.kind != "last")
            ),
            values=[(labelled(name), value) for name, value in frame.values],
        )
        for frame in film.frames
    ]
    return replace(film, frames=frames)


def why_not(game: Game, view: np.ndarray, seat: int, legal: Sequence[Action], name: str) -> str:
    """The reason for which an action is not legal for a seat, in words.

    Args:
        game: with its rules
        view: the state redacted for the seat, an array of one record
        seat: the seat that wants to act
        legal: its legal actions; none where the seat is not to act
        name: the action

    Returns:
        A sentence without a full stop.
    """
    scene = game.scene(view, seat)
    if not legal:
        if view[0].over or scene.turn < 0:
            return tr("the deal is over")
        return tr("it is the turn of {seat}", seat=seat_name(scene.turn))
    number = game.action_number(name)
    if number is None:
        expected = ", ".join(legal)
        meant = closest(name, game.actions)
        return tr(
            "got {given}; {meant}expected one of {legal}", given=quoted(name), meant=meant, legal=expected
        )
    action = game.actions[number]
    alike = [pretty(str(each.card)) for each in legal if each.verb == action.verb and game.lays_card(each)]
    possible = " ".join(alike) or ", ".join(map(game.label, legal))
    reason = game.why_not(view, seat, legal, action)
    return tr("{reason}; possible now: {actions}", reason=reason, actions=possible)


_SAFE: WeakKeyDictionary[Game, Replay] = WeakKeyDictionary()


def _with_safe_claims(game: Game) -> Replay | None:
    """The game with claims that are legal only where they must be right; None where that is so already."""
    rules = game.rules.as_dict()
    if rules.get("claims") != "free":
        return None
    if game not in _SAFE:
        _SAFE[game] = Replay(make_game(game.address, {**rules, "claims": "safe"}))
    return _SAFE[game]


def doubtful_claims(game: Game, view: np.ndarray, seat: int, legal: Sequence[Action]) -> list[str]:
    """The names of legal claims that a seat cannot know to be right from its view, an array of one record."""
    safe = _with_safe_claims(game) if legal else None
    mask = safe.seen_by(view, seat)[1] if safe else None
    return [] if mask is None else [str(each) for each in legal if not mask[game.action_index[each]]]


def read_action(game: Game, text: str, legal: Sequence[Action]) -> str:
    """Read what a person types as an action.

    Args:
        game: with its rules
        text: a number of the list, a name, the beginning of a name, or a card, suit or number
        legal: the legal actions, in the order of their numbers, from 1

    Returns:
        The name of a legal action, or of another one that the text names in full.

    Raises:
        AnswerError: the text names no action, or may be several.
    """
    try:
        return read_answer(text, legal)
    except AnswerError:
        verbs = dict.fromkeys(action.verb for action in legal if action.card is not None)
        card = text.translate(LETTERS)
        for name in (text, text.lower(), *(f"{verb} {card}" for verb in verbs)):
            if name in game.action_index:
                return name
        raise


def told_hint(game: Game, rating: Rating, odds: "Odds | None") -> str:
    """An agent's choice with its reason in numbers: its results in possible deals, and those of another."""
    chosen = game.label(game.actions[rating.chosen])
    if odds is None or len(rating.actions) < 2:
        return f"{chosen}."
    own = int(np.flatnonzero(rating.actions == rating.chosen)[0])
    others = np.where(np.arange(len(rating.actions)) == own, -np.inf, odds.means)
    other = int(others.argmax())
    text = tr(
        "{action}: wins in {wins} of 100 possible deals, {mean} game points on average, {worst} at worst.",
        action=chosen,
        wins=_wins(odds, own),
        mean=decimals(f"{odds.means[own]:+z.2f}"),
        worst=decimals(f"{odds.worst[own]:+z.4g}"),
    )
    if odds.means[other] >= odds.means[own]:
        return text  # played on by the rules, which the agent knows better
    than = tr(
        "{action}: {wins} of 100, {mean}.",
        action=game.label(game.actions[rating.actions[other]]),
        wins=_wins(odds, other),
        mean=decimals(f"{odds.means[other]:+z.2f}"),
    )
    return f"{text} {than}"


def _wins(odds: "Odds", place: int) -> str:
    return f"{100 * odds.wins[place]:.0f}"


def told_choice(game: Game, before: Move, chosen: Action, of_match: bool = False) -> str:
    """The cost of an action by the values of an earlier move, and the cost of that move, in words.

    Args:
        game: with its rules
        before: the earlier move in the same position, with the values of all actions there
        chosen: the action chosen now
        of_match: whether values are of the probability to win a match, instead of game points
    """
    values = before.values or {}
    best = max(values, key=lambda name: values[name])
    costs = {
        name: decimals(in_value(values[best] - value, of_match=of_match)[1:])
        for name, value in values.items()
    }
    now, then, better = (game.label(each) for each in (chosen, before.action, best))
    if str(chosen) == before.action:
        again = tr("{action} again: it costs {cost}; {better} is best.")
        return again.format(action=now, cost=costs[before.action], better=better)
    told = tr("{action} costs {cost}; before, {earlier} cost {earlier_cost}.")
    told = told.format(action=now, cost=costs[str(chosen)], earlier=then, earlier_cost=costs[before.action])
    return told if str(chosen) == best else " ".join([told, tr("{better} is best.", better=better)])


def told_answer(game: Game, exercise: Exercise, chosen: Action) -> str:
    """The verdict on an answer to an exercise, and the reason for the best one."""
    best = game.label(exercise.answer)
    right = str(chosen) == exercise.answer
    verdict = tr("Right.") if right else tr("{action} is not best; {best} is.")
    return " ".join([verdict.format(action=game.label(chosen), best=best), tr(exercise.why)])


def verdict(game: Game, start: Position, log: Sequence[tuple[int, int]]) -> str:
    """The verdict on the choice in a start position, by the log of the deal. It is empty before the choice,
    and without an exercise or an earlier choice."""
    place = len(start.deal.moves)
    if place >= len(log):
        return ""
    chosen = game.actions[log[place][1]]
    if start.exercise:
        return told_answer(game, start.exercise, chosen)
    if not start.before:
        return ""
    return told_choice(game, start.before, chosen, is_of_match(game, start.deal))
