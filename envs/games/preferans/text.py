"""The game in words: the match state of a set deal, the roles of a finished one, and the text of a seat."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import NONE, count, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import (
    Line,
    cards_in_hand,
    cards_text,
    deal_in_episode,
    last_action,
    results,
    seat_name,
    to_act,
    tricks_won,
)
from stichwerk.envs.games.preferans.options import PACK
from stichwerk.envs.games.preferans.scoring import game_points, under_hat
from stichwerk.envs.games.preferans.state import (
    ACTIONS,
    ACTIVE,
    CARD_OF,
    DECLARE,
    GAMES,
    NUMBERS,
    OFFERS,
    PASS,
    PLAY,
    SPADES,
    Outcome,
    Phase,
    all_defend,
    cards_held,
    discards_of,
    hand_of,
    on_table,
    place_of,
    talon_of,
)
from stichwerk.support.errors import SetupError
from stichwerk.support.language import decimals, mark, tr

LARGEST = 100_000_000  # of every number on a sheet, so that sums stay exact; no match comes near it

DOING = {
    Phase.AUCTION: mark("to call"),
    Phase.DISCARD: mark("to discard"),
    Phase.DECLARE: mark("to declare"),
    Phase.COME: mark("to come or stay out"),
    Phase.JOIN: mark("to defend alone or together"),
    Phase.KONTRA: mark("to double or accept"),
    Phase.OFFER: mark("to offer a number of tricks"),
    Phase.REPLY: mark("to answer the offer"),
    Phase.PLAY: mark("to play a card"),
}
DOUBLINGS = ("", mark("kontra"), mark("rekontra"), mark("subkontra"), mark("mortkontra"))
GAME_ROLES = ("spades", "diamonds", "hearts", "clubs", mark("betl"), mark("sans"), mark("preferans"))
CALLS = {"pass": mark("pass"), "igra": mark("igra"), "declare": mark("declare")}
ACTION_WORDS = {
    **{f"bid {n}": f"bid {n}, {name}" for n, name in zip(NUMBERS, GAME_ROLES, strict=True)},
    **{f"declare {n}": f"declare {name}" for n, name in zip(NUMBERS, GAME_ROLES, strict=True)},
    **{f"offer {n}": f"offer {n} tricks" for n in range(OFFERS)},
}

PREFERANS = mark("""\
Balkan Preferans has 32 cards that rank A K Q J 10 9 8 7. Each player gets ten; two lie face down as the
talon. The declarer plays against the others. The games: 2 spades, 3 diamonds, 4 hearts, 5 clubs (trumps), 6
betl (no tricks), 7 sans (no trumps).

Auction: a call names the next number; an earlier seat may hold the same one. Igra, a hand game without the
talon, beats all numbers. A pass is final. The declarer takes the talon, discards two, and declares a game of
at least that number. If all pass, everybody's next own game is doubled (refa).

Defenders come or stay out. If all stay out, the declarer has won. A lone comer may take the other along, with
all tricks and risk. Who came may double (kontra), and be redoubled.

Forehand leads, in sans the player before the declarer. Players must follow suit, else trump. The declarer
needs six tricks, in betl none.

A game is worth twice its number, 2 more as a hand game, doubled by each kontra and a refa. The declarer
subtracts it from the own column, or adds it after failing. Defenders owe four tricks together, a lone one
two; those short of them add the game. The declarer pays the game's worth for each trick of the defence; a
failed betl brings each defender five times that. A point in the column counts ten. A deal pays the change of
standing.
""")
RULES_TEXT = {"preferans_v0": PREFERANS}

# The match state of a set deal


def set_match(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    """Write a score sheet of `own`, `received`, `refas` and `refas_written`; what is not given is fresh.

    Source: docs/rules/preferans.md#set-sheets
    """
    players, limit = int(rules.players), int(rules.refa_limit)
    form = '{"own": [...], "received": [[...]], "refas": [...], "refas_written": 0}'
    if not isinstance(match, Mapping) or not set(match) <= {"own", "received", "refas", "refas_written"}:
        raise SetupError(f"match: got {match!r}; expected {form}")
    own = match.get("own", [int(rules.start)] * players)
    received = match.get("received", [[0] * players] * players)
    refas, written = match.get("refas", [0] * players), match.get("refas_written", 0)
    _check_numbers("own", own, players, -LARGEST)
    if sum(own) < 1:
        raise SetupError(f"match own: got {own!r}; expected numbers whose sum is at least 1")
    if not isinstance(received, (list, tuple)) or len(received) != players:
        raise SetupError(
            f"match received: got {received!r}; expected {players} lists, for each seat what it has received "
            "from each"
        )
    for seat, row in enumerate(received):
        _check_numbers(f"received of player_{seat}", row, players, 0)
        if row[seat]:
            raise SetupError(
                f"match received: got {received!r}; expected 0 from oneself, not {row[seat]} of player_{seat}"
            )
    _check_numbers("refas", refas, players, 0, limit)
    if not _is_number(written, max(refas), limit):
        raise SetupError(
            f"match refas_written: got {written!r}; expected a whole number from {max(refas)}, the refas "
            f"open, to {limit}, the table's limit"
        )
    state.sheet[:players, :players] = received
    for seat in range(players):
        state.sheet[seat, seat] = own[seat]
    state.refas[:players] = refas
    state.refas_written = written


def match_of(rules: np.record, state: np.record) -> dict[str, Any]:
    """The argument of `set_match` that writes this state's match; SetupError after a match's last hand."""
    if rules.max_hands and state.deals_done >= rules.max_hands:
        raise SetupError(f"match: got {state.deals_done} hands; expected at most {rules.max_hands}")
    players = range(int(rules.players))
    sheet = state.sheet.tolist()
    return {
        "own": [sheet[seat][seat] for seat in players],
        "received": [[sheet[seat][other] * (seat != other) for other in players] for seat in players],
        "refas": [int(state.refas[seat]) for seat in players],
        "refas_written": int(state.refas_written),
    }


def _check_numbers(name: str, numbers: Any, players: int, least: int, most: int = LARGEST) -> None:
    if (
        not isinstance(numbers, (list, tuple))
        or len(numbers) != players
        or not all(_is_number(n, least, most) for n in numbers)
    ):
        raise SetupError(
            f"match {name}: got {numbers!r}; expected {players} whole numbers from {least} to {most}"
        )


def _is_number(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


# The roles of a finished deal


def roles(rules: np.record, states: np.ndarray) -> dict[str, np.ndarray]:
    """The roles of seats in finished deals: bool[deals, seats] for each.

    Every seat is one of declarer, defender, stayed out, sitting out and all pass; the other roles divide
    these further.
    """
    seats = np.arange(rules.players)
    active = (seats - states["dealer"][:, None] - 1) % rules.players < ACTIVE
    declares = states["declarer"][:, None] == seats
    opposes = active & ~declares & (states["declarer"] != NONE)[:, None]
    came = ((states["came"][:, None] >> seats) & 1).astype(bool) | (
        opposes & (states["taker"] != NONE)[:, None]
    )
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
            parts[f"declared {kind}{name}, made"] = (
                declares & chosen & (states["outcome"] == Outcome.MADE)[:, None]
            )
            parts[f"defended {kind}{name}"] = opposes & came & chosen
    return parts


# The text that one seat reads


def text(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The table as one seat sees it, from its redacted view."""
    lines = [headline(view), *_sheet(rules, view), *contract_lines(view)]
    if view.declarer != NONE:
        lines.append(Line(cards_text(PACK, talon_of(view), tr("face down")), tr("talon")))
    for i in range(1, rules.players):
        other = (seat + i) % rules.players
        lines.append(Line(_part(rules, view, other), f"player_{other}"))
    trick = ", ".join(f"{pretty(card)} player_{owner}" for owner, card in trick_cards(view))
    lines.append(Line(trick or tr("empty"), tr("table")))
    own = _part(rules, view, seat)
    discards = cards_text(PACK, discards_of(view))
    discarded = tr(", discarded {cards}", cards=discards) if discards else ""
    hand = cards_text(PACK, hand_of(view, seat), tr("no cards"))
    return [
        *lines,
        Line(f"{hand}{discarded}, {own}", seat_name(seat)),
        *last_line(view),
        turn_line(rules, view),
    ]


def headline(view: np.record) -> Line:
    dealt = tr("hand {number}, dealt by {seat}")
    return Line(dealt.format(number=deal_in_episode(view), seat=seat_name(view.dealer)))


def last_line(view: np.record) -> list[Line]:
    return last_action(view, ACTIONS, hidden="discard")


def contract_lines(view: np.record) -> list[Line]:
    """The auction and what has become of it."""
    calls = Line(_calls(view), tr("calls"))
    return [calls] if view.declarer == NONE else [calls, Line(_contract(view), tr("contract"))]


def _sheet(rules: np.record, view: np.record) -> Iterator[Line]:
    for name, *numbers, refas in sheet_rows(rules, view):
        yield Line("".join(f"{number:>8}" for number in numbers) + f"  {refas}", name)


def sheet_rows(rules: np.record, view: np.record) -> Iterator[tuple[str, ...]]:
    """The sheets as players draw them: the own column with its hat, beside it the supe, and open refas."""
    across = (tr("across"),) if rules.players == 4 else ()
    yield tr("sheet"), tr("left"), tr("own"), *across, tr("right"), tr("refas")
    for seat in range(rules.players):
        left, *others = (str(view.sheet[seat, (seat - i) % rules.players]) for i in range(1, rules.players))
        own = f"{'∩' if under_hat(rules, view, seat) else ''}{abs(int(view.sheet[seat, seat]))}"
        yield f"player_{seat}", left, own, *others, "△" * int(view.refas[seat]) or "-"


def _calls(view: np.record) -> str:
    calls = [
        f"player_{seat} {_call(action)}"
        for seat, action in log_entries(view)
        if PASS <= action < DECLARE + len(GAMES)
    ]
    return ", ".join(calls) or tr("none yet")


def _call(action: int) -> str:
    first, *rest = ACTIONS[action].removeprefix("bid ").split()
    return " ".join([first if first.isdigit() else tr(CALLS[first]), *map(tr, rest)])


def _contract(view: np.record) -> str:
    """The contract, who defends it, and what it is worth."""
    declarer = seat_name(view.declarer)
    if not view.game:
        if view.igra:
            return tr("{seat} with igra", seat=declarer)
        return tr("{seat} at {number}", seat=declarer, number=view.level)
    game = f"{tr('igra')} " * bool(view.igra) + tr(GAMES[view.game - SPADES])
    parts = [tr("{game} by {seat}, worth {points}", game=game, seat=declarer, points=game_points(view))]
    if view.doublings:
        doubled = tr("{doubling}, doubled by {seat}")
        parts.append(doubled.format(doubling=tr(DOUBLINGS[view.doublings]), seat=seat_name(view.doubler)))
    elif view.taker != NONE:
        parts.append(tr("{seat} takes the other defender along", seat=seat_name(view.taker)))
    if view.offered != NONE:
        parts.append(tr("offered {number} tricks to the defence", number=view.offered))
    return "; ".join(parts)


def _part(rules: np.record, view: np.record, owner: int) -> str:
    if place_of(rules, view, owner) >= ACTIVE:
        return tr("sits out")
    held, won = cards_in_hand(cards_held(view, owner)), tricks_won(view.tricks[owner])
    return " ".join([f"{held}  [{won}]", *role(view, owner)])


def role(view: np.record, owner: int) -> list[str]:
    """The part that a seat has in the contract, if that has a name."""
    if owner == view.declarer:
        return [tr("declarer")]
    if view.came >> owner & 1 and not all_defend(view):
        return [tr("came")]
    return [tr("taken along")] if view.taker not in (NONE, owner) else []


def trick_cards(view: np.record) -> list[tuple[int, str]]:
    """The cards on the table in order, each with its seat."""
    played = log_entries(view)[view.log_size - count(on_table(view)) :]
    return [(seat, PACK.names[CARD_OF[action - PLAY]]) for seat, action in played]


def account(rules: np.record, before: np.record, after: np.record) -> Iterator[str]:
    """The entries on the sheet, each with its reason. Source: docs/rules/preferans.md#scoring-a-hand"""
    if after.outcome in (Outcome.ALL_PASS, Outcome.UNPLAYED):
        written = after.refas_written > before.refas_written
        passed = after.outcome == Outcome.ALL_PASS
        how = tr("Everybody passed") if passed else tr("The 2 was not played")
        yield f"{how}: " + (tr("everybody wrote a refa.") if written else tr("nothing was written."))
        return
    declarer, worth = int(after.declarer), game_points(before)
    yield f"{_worth(before)}."
    made = after.outcome == Outcome.MADE
    left = int(before.sheet[declarer, declarer] - after.sheet[declarer, declarer])
    price = left if made else worth  # a game that ends the match counts no more than is left
    against = tricks_won(after.tricks[: rules.players].sum() - after.tricks[declarer])
    nobody = not after.came and not all_defend(after) and after.taker == NONE
    how = tr("as nobody defended") if nobody else tr("with {tricks} against it", tricks=against)
    told = tr("{seat} made it {how}: {bule}.") if made else tr("{seat} failed it {how}: {bule}.")
    yield told.format(seat=seat_name(declarer), how=how, bule=_bule(before, after, declarer))
    for seat in range(rules.players):
        supe = int(after.sheet[seat, declarer] - before.sheet[seat, declarer]) if seat != declarer else 0
        if supe:
            told = tr("{seat} wrote {supe} supe, {price} for each of {number}.")
            yield told.format(seat=seat_name(seat), supe=supe, price=price, number=supe // price)
        if seat != declarer and after.sheet[seat, seat] != before.sheet[seat, seat]:
            few = tr("{seat} had too few tricks: {bule}.")
            yield few.format(seat=seat_name(seat), bule=_bule(before, after, seat))
    if after.refas[declarer] < before.refas[declarer]:
        yield tr("{seat} crossed a refa out.", seat=seat_name(declarer))
    change = np.asarray(after.sheet, int) - before.sheet
    share = 10 * int(np.trace(change)) / rules.players
    for seat in range(rules.players):
        supe, own = int(change[seat].sum() - change[:, seat].sum()), -10 * int(change[seat, seat])
        told = tr("{seat}: supe {supe}, ten times bule {own}, equal shares {share}.")
        shared = decimals(f"{share:+.5g}")
        yield told.format(seat=seat_name(seat), supe=f"{supe:+d}", own=f"{own:+d}", share=shared)


def _worth(before: np.record) -> str:
    """The contract and what it is worth, factor by factor."""
    parts = [f"2 × {before.game}"]
    if before.igra:
        parts.append(tr("2 for igra"))
    refa = [mark("refa")] if before.refas[before.declarer] else []
    doubled = [*DOUBLINGS[1 : before.doublings + 1], *refa]
    factors = "".join(tr(", doubled by {name}", name=tr(name)) for name in doubled)
    name = f"{tr('igra')} " * bool(before.igra) + tr(GAME_ROLES[before.game - SPADES])
    told = tr("{game} was worth {points}: {sum}{factors}")
    return told.format(game=name, points=game_points(before), sum=" + ".join(parts), factors=factors)


def _bule(before: np.record, after: np.record, seat: int) -> str:
    return tr("bule {old} to {new}", old=before.sheet[seat, seat], new=after.sheet[seat, seat])


def turn_line(rules: np.record, view: np.record) -> Line:
    if view.phase == Phase.DONE:
        return results(view.deal_points[: rules.players], "+z.3f")
    return to_act(view.seat, DOING[Phase(int(view.phase))])
