"""Positions and deals as diagrams."""

from collections.abc import Iterable

import numpy as np

from stichwerk.envs.bridges.diagrams.form import (
    CAPTIONS,
    CONCEALED,
    ENVS,
    NUMBERED,
    OPPONENT,
    YOU,
    cards_text,
    check_game,
    numbers_text,
)
from stichwerk.envs.core.cards import NONE, SUIT_SYMBOLS, SUITS
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import counted
from stichwerk.envs.games import make_game
from stichwerk.envs.games.schnapsen.state import MELD, Phase
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.parsing import yaml_line


def write_diagrams(game: Game, deals: Iterable[DealRecord]) -> str:
    """Whole deals, each in a line: the cards before the first trick, then every action."""
    return "".join(f"{write_diagram(game, deal, 0)}\n" for deal in deals)


def write_diagram(game: Game, deal: DealRecord, step: int | None = None) -> str:
    """The position of a deal in one line, then its actions from there on.

    Args:
        game: of the deal
        deal: of all cards, where "You" is seat 0; or the record of a seat, which then is "You"
        step: the position after so many moves, or the lead before it; None: after all

    Raises:
        InputError: it is another game, or the record cannot be played again.
    """
    check_game(game)
    deal.check_step(step or 0)
    shown = RecordReplay(game).seen(deal)
    last = len(deal.moves) if step is None else step
    base = max(number for number in range(last + 1) if shown[number][0][0].phase == Phase.LEAD)
    found = _captions(game, deal, shown[base][0][0])
    found["Play"] = ", ".join(move.action for move in deal.moves[base:])
    return " ".join(f"{caption}: {found[caption]}" for caption in CAPTIONS if found.get(caption))


def _captions(game: Game, deal: DealRecord, state: np.record) -> dict[str, str]:
    """The text of each caption, empty for those that are left out."""
    you, pack = deal.seat or 0, game.pack
    other = 1 - you
    opponent = deal.players[other] if deal.players else OPPONENT
    if not NUMBERED.fullmatch(f"{opponent} 1") or opponent == YOU or not opponent.isprintable():
        opponent = OPPONENT
    names = {you: YOU, other: opponent}
    hands = [pack.cards(int(hand)) for hand in state.hand]
    stock = [pack.names[card] for card in state.deck[state.top : len(game.deck)]]
    indicator = pack.names[state.indicator] if state.indicator != NONE else ""
    taken = {card for each in state.taken for card in pack.cards(int(each))}
    concealed = [card for card in game.deck if card not in {*hands[you], *taken, indicator}]
    default = make_game(game.env_id).rules.as_dict()
    rules = {name: value for name, value in game.rules.as_dict().items() if value != default[name]}
    closed = state.closed_by != NONE
    whole = deal.seat is None

    def numbers(of: np.ndarray) -> str:
        return numbers_text([int(of[you]), int(of[other])], opponent)

    return {
        "Game": game.env_id if game.env_id != ENVS[0] else "",
        "Rules": yaml_line(rules) if rules else "",
        CONCEALED: "" if whole else cards_text(concealed),
        "Your cards": cards_text(hands[you]),
        "Opponent's cards": cards_text(hands[other]) if whole else "",
        "Face-down cards": cards_text(stock, in_order=True) if whole and stock else "",
        "Trump": cards_text([indicator]) if indicator else SUIT_SYMBOLS[SUITS[state.trump]],
        "Stock": f"{'Closed' if closed else 'Open'}, {counted(len(stock), 'face-down card')}"
        if indicator
        else "Exhausted",
        "Game points": numbers(game.rules_record[0].target - state.score),
        "Trick points": numbers(state.points),
        "Tricks": numbers(state.tricks),
        "Waiting points": numbers(state.pending) if state.pending.any() else "",
        "Marriages": ", ".join(
            f"{names[seat]} {SUIT_SYMBOLS[SUITS[action - MELD]]}"
            for seat, action in sorted(log_entries(state), key=lambda entry: entry[1])
            if MELD <= action < MELD + len(SUITS)
        ),
        "Exchanged": f"{names[int(state.exchanged_by)]} {cards_text([pack.names[state.turned_up]])}"
        if state.exchanged_by != NONE
        else "",
        "Closed by": names[int(state.closed_by)] if closed else "",
        "Points then": numbers(state.closed_points) if closed else "",
        "Tricks then": numbers(state.closed_tricks) if closed else "",
        "Dealer": names[deal.dealer],
        "On lead": names[int(state.seat)],
    }
