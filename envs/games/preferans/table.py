"""The table of Preferans in words: the match state of a set deal, the roles of a finished one, and the text that one seat reads."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import pretty
from stichwerk.envs.core.errors import SetupError
from stichwerk.envs.games.preferans.rules import PACK
from stichwerk.envs.games.preferans.scoring import game_points, under_hat
from stichwerk.envs.games.preferans.state import (
    ACTIONS,
    ACTIVE,
    CARD_OF,
    DECLARE,
    GAMES,
    NONE,
    PASS,
    SPADES,
    Outcome,
    Phase,
    all_defend,
    cards_held,
    place_of,
)

LARGEST = 1_000_000  # of every number on a sheet, so that sums stay small

DOING = {
    Phase.AUCTION: "to call",
    Phase.DISCARD: "to discard",
    Phase.DECLARE: "to declare",
    Phase.COME: "to come or stay out",
    Phase.JOIN: "to defend alone or together",
    Phase.KONTRA: "to double or accept",
    Phase.OFFER: "to offer a number of tricks",
    Phase.REPLY: "to answer the offer",
    Phase.PLAY: "to play a card",
}
DOUBLINGS = ("", "kontra", "rekontra", "subkontra", "mortkontra")
GAME_ROLES = ("spades", "diamonds", "hearts", "clubs", "betl", "sans", "preferans")


# The match state of a set deal


def set_match(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    """Write a score sheet `{"own": [...], "received": [[...]], "refas": [...], "refas_written": n}`; what is not given is fresh."""
    players = int(rules.players)
    form = '{"own": [...], "received": [[...]], "refas": [...], "refas_written": 0}'
    if not isinstance(match, Mapping) or not set(match) <= {"own", "received", "refas", "refas_written"}:
        raise SetupError(f"match={match!r}: allowed is {form}")
    own = match.get("own", [int(rules.start)] * players)
    received = match.get("received", [[0] * players] * players)
    refas, written = match.get("refas", [0] * players), match.get("refas_written", 0)
    _check_numbers("own", own, players, -LARGEST)
    if sum(own) < 1:
        raise SetupError(f"match own {own!r}: allowed are numbers whose sum is at least 1")
    if not isinstance(received, (list, tuple)) or len(received) != players:
        raise SetupError(f"match received {received!r}: allowed are {players} lists, for each seat what it has received from each")
    for seat, row in enumerate(received):
        _check_numbers(f"received of player_{seat}", row, players, 0)
        if row[seat]:
            raise SetupError(f"match received {received!r}: allowed is only 0 from oneself, not {row[seat]} of player_{seat}")
    _check_numbers("refas", refas, players, 0)
    if not _is_number(written, max(refas)):
        raise SetupError(f"match refas_written {written!r}: allowed is a whole number from {max(refas)}, the refas open, to {LARGEST}")
    state.own[:players] = own
    state.received[:players, :players] = received
    state.refas[:players] = refas
    state.refas_written = written


def _check_numbers(name: str, numbers: Any, players: int, least: int) -> None:
    if not isinstance(numbers, (list, tuple)) or len(numbers) != players or not all(_is_number(n, least) for n in numbers):
        raise SetupError(f"match {name} {numbers!r}: allowed are {players} whole numbers from {least} to {LARGEST}")


def _is_number(value: Any, least: int) -> bool:
    return type(value) is int and least <= value <= LARGEST


# The roles of a finished deal


def roles(players: int, states: np.ndarray) -> dict[str, np.ndarray]:
    """Who was what in finished deals: bool[deals, seats] for each role.

    Every seat is one of declarer, defender, stayed out, sitting out and all pass; the other roles divide these further.
    """
    seats = np.arange(players)
    active = (seats - states["dealer"][:, None] - 1) % players < ACTIVE
    declares = states["declarer"][:, None] == seats
    opposes = active & ~declares & (states["declarer"] != NONE)[:, None]
    came = ((states["came"][:, None] >> seats) & 1).astype(bool) | (opposes & (states["taker"] != NONE)[:, None])
    doubles = states["doubler"][:, None] == seats
    parts = {
        "declarer": declares,
        "defender": opposes & came,
        "stayed out": opposes & ~came,
        "sitting out": ~active,
        "all pass": active & (states["outcome"] == Outcome.ALL_PASS)[:, None],
        "doubled": doubles,
        "doubled against": declares & (states["doubler"] != NONE)[:, None],
    }
    for outcome in (Outcome.MADE, Outcome.FAILED, Outcome.UNPLAYED):
        ended = (states["outcome"] == outcome)[:, None]
        parts[f"declarer, {outcome.name.lower()}"] = declares & ended
        parts[f"defender, {outcome.name.lower()}"] = opposes & came & ended
    for game, name in enumerate(GAME_ROLES, SPADES):
        for igra, kind in ((0, ""), (1, "igra ")):
            chosen = ((states["game"] == game) & (states["igra"] == igra))[:, None]
            parts[f"declared {kind}{name}"] = declares & chosen
            parts[f"declared {kind}{name}, made"] = declares & chosen & (states["outcome"] == Outcome.MADE)[:, None]
            parts[f"defended {kind}{name}"] = opposes & came & chosen
    return parts


# The text that one seat reads


def table_text(rules: np.record, view: np.record, seat: int) -> str:
    """The table as one seat sees it, from that seat's redacted view."""
    lines = [f"hand {view.deal_number + 1}, dealt by player_{view.dealer}", *_sheet(rules, view), f"calls     {_calls(view)}"]
    if view.declarer != NONE:
        lines.append(f"contract  {_contract(rules, view)}")
        lines.append(f"talon     {_cards(view.talon) if view.talon else 'face down'}")
    for i in range(1, rules.players):
        other = (seat + i) % rules.players
        lines.append(f"player_{other}  {_part(rules, view, other)}")
    lines.append(f"table     {_trick(view)}")
    own = f"  {_part(rules, view, seat)}" if place_of(rules, view, seat) < ACTIVE else "  sits out"
    discards = f", discarded {_cards(view.discards)}" if view.discards else ""
    lines.append(f"player_{seat}  {_cards(view.hand[seat]) or 'no cards'}{discards},{own.removeprefix(' ')}")
    if view.log_size:
        last = view.log_size - 1
        lines.append(f"last      player_{view.log_seat[last]}: {_action(view.log_action[last])}")
    lines.append(_turn(view))
    return "\n".join(lines)


def _sheet(rules: np.record, view: np.record) -> Iterator[str]:
    """The sheets as players draw them: the own column with its hat, beside it what was received from each neighbour, and open refas."""
    across = ("across",) if rules.players == 4 else ()
    yield "sheet     " + "".join(f"{name:>8}" for name in ("left", "own", *across, "right")) + "  refas"
    for seat in range(rules.players):
        left, *others = (view.received[seat, (seat - i) % rules.players] for i in range(1, rules.players))
        own = f"{'∩' if under_hat(rules, view, seat) else ''}{abs(int(view.own[seat]))}"
        yield f"player_{seat}  " + "".join(f"{entry:>8}" for entry in (left, own, *others)) + f"  {'△' * int(view.refas[seat]) or '-'}"


def _calls(view: np.record) -> str:
    log = zip(view.log_seat[: view.log_size], view.log_action[: view.log_size], strict=True)
    calls = [f"player_{seat} {_call(action)}" for seat, action in log if PASS <= action < DECLARE + len(GAMES)]
    return ", ".join(calls) or "none yet"


def _call(action: int) -> str:
    return ACTIONS[action].removeprefix("bid ")


def _contract(rules: np.record, view: np.record) -> str:
    """The contract, who defends it, and what it is worth."""
    declarer = f"player_{view.declarer}"
    if not view.game:
        return f"{declarer} with igra" if view.igra else f"{declarer} at {view.level}"
    parts = [f"{'igra ' if view.igra else ''}{GAMES[view.game - SPADES]} by {declarer}, worth {game_points(view)}"]
    if view.doublings:
        parts.append(f"{DOUBLINGS[view.doublings]}, doubled by player_{view.doubler}")
    elif view.taker != NONE:
        parts.append(f"player_{view.taker} takes the other defender along")
    if view.offered != NONE:
        parts.append(f"offered {view.offered} tricks to the defence")
    return "; ".join(parts)


def _part(rules: np.record, view: np.record, owner: int) -> str:
    if place_of(rules, view, owner) >= ACTIVE:
        return "sits out"
    held = cards_held(view, owner)
    tricks = f"{held} card{'' if held == 1 else 's'}  [{view.tricks[owner]} trick{'' if view.tricks[owner] == 1 else 's'}]"
    if owner == view.declarer:
        return f"{tricks} declarer"
    if view.came >> owner & 1 and not all_defend(view):
        return f"{tricks} came"
    if view.taker not in (NONE, owner):
        return f"{tricks} taken along"
    return tricks


def _trick(view: np.record) -> str:
    """The cards on the table are the last so many of the log."""
    size = bin(view.table).count("1")
    entries = range(view.log_size - size, view.log_size)
    return ", ".join(f"{pretty(PACK.names[CARD_OF[view.log_action[i]]])} player_{view.log_seat[i]}" for i in entries) or "empty"


def _cards(cards: int) -> str:
    return " ".join(map(pretty, PACK.cards(int(cards))))


def _action(action: int) -> str:
    return "discard" if action == NONE else ACTIONS[action]


def _turn(view: np.record) -> str:
    if view.phase == Phase.DONE:
        return "over      " + ", ".join(f"player_{seat} {points:+.3f}" for seat, points in enumerate(view.deal_points))
    return f"turn      player_{view.seat}, {DOING[Phase(int(view.phase))]}"
