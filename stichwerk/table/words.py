"""Actions and refusals in words for people."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stichwerk.agents.base import Rating
from stichwerk.agents.language.answers import LETTERS, AnswerError, read_answer
from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.cards import SUIT_SYMBOLS, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import FRENCH_SUITS
from stichwerk.envs.records.deal import Move
from stichwerk.envs.render.film import Film
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import BACK
from stichwerk.support.errors import closest, quoted
from stichwerk.table.exercises import Exercise

SAID = {
    "aus": "Say aus",
    "claim": "Claim",
    "close": "Close the stock",
    "continue": "Go on",
    "exchange": "Exchange the trump card",
    "meld": "Marriage in",
    "name": "Name",
    "open geelfen": "Ge-elfen",
    "open andere_alte": "Andere Alte",
    "open hoeher_hat": "Höher hat",
    "open dissle": "Auf Dissle",
    "open trump": "All trumps",
    "bid 2": "Bid 2, spades",
    "bid 3": "Bid 3, diamonds",
    "bid 4": "Bid 4, hearts",
    "bid 5": "Bid 5, clubs",
    "bid 6": "Bid 6, betl",
    "bid 7": "Bid 7, sans",
    "declare 2": "Declare 2, spades",
    "declare 3": "Declare 3, diamonds",
    "declare 4": "Declare 4, hearts",
    "declare 5": "Declare 5, clubs",
    "declare 6": "Declare 6, betl",
    "declare 7": "Declare 7, sans",
    "alone": "Defend alone",
    "together": "Take the partner along",
}
"""What buttons say, by the name of an action, or else by its verb."""
NEEDS = {
    "aus": "aus is said on lead or after a marriage",
    "claim": "a claim is made on lead, or after a marriage",
    "close": "the stock is closed on lead, while cards can still be drawn",
    "exchange": "the exchange needs the lowest trump in hand, and the turned-up card still there",
    "meld": "a marriage needs king and queen of the suit in hand, and the own turn to declare it",
    "discard": "only the declarer discards, after the auction",
    "play": "no card is due now",
    "name": "forehand names a card before the first lead",
    "bid": "a bid must be higher than the last one, or hold it from an earlier seat",
    "declare": "the declarer names a game of at least the number bid",
    "kontra": "only a defender who came may double, or the side that was doubled",
}
"""What an action needs, by its verb."""


def label(action: Action) -> str:
    """What a button for this action says."""
    if str(action) in SAID:
        return SAID[str(action)]
    words = [SAID.get(action.verb, action.verb.capitalize())]
    if action.card is not None:
        words.append(pretty(action.card))
    if action.suit is not None:
        words.append(f"{SUIT_SYMBOLS[action.suit]} {FRENCH_SUITS[action.suit]}")
    if action.number is not None:
        words.append(str(action.number))
    return " ".join(words)


def short_label(action: Action) -> str:
    """What a button among others says: of cards to play or to discard the card alone."""
    words = label(action)
    return (
        words.rpartition(" ")[2] if action.card is not None and action.verb in ("play", "discard") else words
    )


def short_names(names: Sequence[str]) -> list[str]:
    """The names of seats, of agents without their settings where no two are called the same then."""
    short = [re.sub(r",\S*=\S*", "", name) for name in names]
    return [few if short.count(few) == 1 else name for few, name in zip(short, names, strict=True)]


def in_words(game: Game, film: Film) -> Film:
    """A film whose moves say what buttons say, in place of the names of actions."""

    def labelled(name: str) -> str:
        return label(game.actions[game.action_index[name]]) if name in game.action_index else name

    def words(text: str) -> str:
        seat, _, name = text.partition(" ")
        return f"{seat}: {labelled(name)}" if name else text

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
    """Why an action is not legal for a seat, in words.

    Args:
        game: with its rules
        view: the state redacted for the seat, an array of one record
        seat: the seat that wants to act
        legal: its legal actions; none where the seat is not to act
        name: what the seat wants to do

    Returns:
        A sentence without a full stop.
    """
    scene = game.scene(view, seat)
    if not legal:
        return (
            "the deal is over" if view[0].over or scene.turn < 0 else f"it is the turn of player_{scene.turn}"
        )
    number = game.action_number(name)
    if number is None:
        expected = ", ".join(legal)
        return f"got {quoted(name)}; {closest(name, game.actions)}expected one of {expected}"
    action = game.actions[number]
    same = [each for each in legal if each.verb == action.verb and each.card is not None]
    if action.card is None or not same:
        reason = NEEDS.get(action.verb, f"{action} is not possible now")
        return f"{reason}; possible now: {', '.join(legal)}"
    hand = next((hand.cards for hand in scene.hands if hand.seat == seat), ())
    if hand and action.card not in hand:
        return f"{pretty(action.card)} is not in your hand"
    led = _led(game, view, sum(hand.played is not None for hand in scene.hands))
    return _why_not_card(game, action.card, [str(each.card) for each in same], hand, led)


def _led(game: Game, view: np.ndarray, on_table: int) -> str | None:
    """The card that was led to the trick on the table, by name; None where there is none or it is hidden."""
    entries = log_entries(view[0])
    played = [action for _, action in entries if action < 0 or game.actions[action].verb == "play"]
    first = played[-on_table] if on_table and len(played) >= on_table else -1
    return game.actions[first].card if first >= 0 else None


def _why_not_card(game: Game, card: str, allowed: Sequence[str], hand: Sequence[str], led: str | None) -> str:
    possible = f"possible now: {' '.join(map(pretty, allowed))}"
    suits = {each[0] for each in allowed}
    if led is None or len(suits) > 1:
        return f"the rules do not allow {pretty(card)} here; {possible}"
    (suit,), led_suit = suits, led[0]
    if suit == led_suit and card[0] != suit:
        return f"you must follow {FRENCH_SUITS[suit]}; {possible}"
    beaten = all(game.pack.index[each] < game.pack.index[card] for each in allowed)
    if suit == card[0] and beaten:
        return f"you must beat the trick if you can; {possible}"
    if suit != led_suit and not any(each[0] == led_suit for each in hand if each != BACK):
        missing, due = FRENCH_SUITS[led_suit], FRENCH_SUITS[suit]
        return f"you have no {missing}, so you must play {due}, the trumps; {possible}"
    return f"the rules do not allow {pretty(card)} here; {possible}"


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


def told_rating(actions: Sequence[Action], rating: Rating) -> str:
    """An agent's choice, with the probabilities or values of the three best actions where it has any."""
    chosen = label(actions[rating.chosen])
    column, form = rating.probabilities, "{:.0%}"
    if column is None:
        column, form = rating.values, "{:+.2f}"
    if column is None:
        return chosen
    best = np.argsort(-column, kind="stable")[:3]
    rated = ", ".join(f"{short_label(actions[rating.actions[i]])} {form.format(column[i])}" for i in best)
    return f"{chosen} ({rated})"


def told_choice(game: Game, before: Move, chosen: Action) -> str:
    """What an action costs by the values beside an earlier move, and what that move cost.

    Args:
        game: with its rules
        before: the earlier move in the same position, with the values of all actions there
        chosen: the action chosen now
    """
    values = before.values or {}
    best = max(values, key=lambda name: values[name])
    costs = {name: f"{values[best] - value:.2f}" for name, value in values.items()}
    now, then, better = (
        label(game.actions[game.action_index[each]]) for each in (chosen, before.action, best)
    )
    if str(chosen) == before.action:
        return f"{now} again: it costs {costs[before.action]}; {better} is best."
    end = "" if str(chosen) == best else f"; {better} is best"
    return f"{now} costs {costs[str(chosen)]}; before, {then} cost {costs[before.action]}{end}."


def told_answer(game: Game, exercise: Exercise, chosen: Action) -> str:
    """Whether an action answers an exercise, and why the best one is the best."""
    best = label(game.actions[game.action_index[exercise.answer]])
    right = str(chosen) == exercise.answer
    return f"{'Right' if right else f'{label(chosen)} is not best, but {best}'}. {exercise.why}"
