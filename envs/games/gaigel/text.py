"""The game in words: the match state of a set deal, the roles in finished ones, the text for one seat."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stichwerk.envs.core.cards import NONE, pretty
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.core.text import (
    Line,
    card_points,
    cards_in_hand,
    headline,
    last_action,
    listed,
    no_trick,
    paid,
    results,
    seat_name,
    suit_symbol,
    to_act,
    tricks_won,
)
from stichwerk.envs.games.claims import AUTO
from stichwerk.envs.games.gaigel.cards.double import KINDS, copies
from stichwerk.envs.games.gaigel.cards.trick import lies_face_down
from stichwerk.envs.games.gaigel.options import PACK, SHOW_ALL, SHOW_OWN, TOKENLESS_WINS, TOKENS
from stichwerk.envs.games.gaigel.state import ACTIONS, AUS, CARDS, GOAL, Opening, Phase, forehand, side_of
from stichwerk.envs.spec.match import check_score
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import SetupError
from stichwerk.support.language import mark, tr

SPOKEN = {
    Opening.GEELFEN: mark("Ge-elfen"),
    Opening.ANDERE_ALTE: mark("Andere Alte"),
    Opening.HOEHER_HAT: mark("Höher hat"),
    Opening.DISSLE: mark("Auf Dissle"),
    Opening.TRUMP: mark("all trumps"),
}
mark("All trumps")  # of a button
ACTION_WORDS = {f"open {opening.name.lower()}": f"open {name}" for opening, name in SPOKEN.items()}

GAIGEL = mark("""\
Gaigel is a trick-taking game with a double pack of 48 cards, from the highest down: ace 11 card points, ten
10, king 4, queen 3, jack 2, seven 0. The earlier of two equal cards ranks higher. Alternate seats are
partners. The own side needs 101 points, and must say so.

Each player gets five cards. The indicator is turned up under the stock: its suit is trumps.

Forehand, the seat after the dealer, opens. Geelfen: a plain ace face up, which wins. Andere Alte: a plain ace
face down; the other ace of that suit wins, else forehand. Höher hat: another plain card face down; the
highest of its suit wins. The others play plain cards. Dissle: forehand wins the deal with five sevens in
hand, and loses it with a trick.

Later the trick's winner draws first, and leads. The highest trump wins, else the highest card of the suit
led. Any card may be played until the indicator is drawn. Then players must follow suit, else trump, and beat
the trick if possible.

A side with a trick may exchange the seven of trumps for the indicator, and declare king and queen of a suit
at any own turn: 20 points, in trumps 40.

Aus is said on lead or after declaring. With 101 points the side wins 1 game point, or 2 if the opponents have
no trick; with fewer the opponents win 2. If the cards run out, the higher total wins 1.
""")
RULES_TEXT = {"gaigel_v0": GAIGEL}


def set_match(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    """Write the match state: `{"tokens": [per side], "pool": p, "stage": 1 or 2}`, else `{"score": […]}`."""
    if rules.score == TOKENS:
        set_tokens(rules, state, match)
        return
    if not isinstance(match, Mapping) or set(match) != {"score"}:
        raise SetupError(f'match: got {match!r}; expected {{"score": [{rules.side_count} numbers]}}')
    state.score[: rules.side_count] = check_score(match["score"], rules.side_count, rules.target)


def match_of(rules: np.record, state: np.record) -> dict[str, Any]:
    """The argument of `set_match` that writes the match of this state."""
    score = state.score[: rules.side_count].tolist()
    if rules.score == TOKENS:
        return {"tokens": score, "pool": int(state.pool), "stage": 1 + int(state.returning)}
    return {"score": score}


def set_tokens(rules: np.record, state: np.record, match: Mapping[str, Any]) -> None:
    if not isinstance(match, Mapping) or set(match) != {"tokens", "pool", "stage"}:
        allowed = f'{{"tokens": [{rules.side_count} numbers], "pool": p, "stage": 1 or 2}}'
        raise SetupError(f"match: got {match!r}; expected {allowed}")
    tokens, pool, stage = match["tokens"], match["pool"], match["stage"]
    if type(stage) is not int or stage not in (1, 2):
        raise SetupError(f"match stage: got {stage!r}; expected 1, or 2 after the pool has been emptied")
    if not are_counts([pool], 1) or (stage == 1 and pool == 0):
        raise SetupError(
            f"match pool: got {pool!r}; expected a whole number of at least {2 - stage} in stage {stage}"
        )
    if not are_counts(tokens, rules.side_count) or sum(tokens) + pool != rules.pool:
        raise SetupError(
            f"match tokens: got {tokens!r}; expected {rules.side_count} whole numbers "
            f"that make {rules.pool} with the pool's {pool}"
        )
    if stage == 2 and (sum(tokens) == 0 or (rules.tokenless == TOKENLESS_WINS and min(tokens) == 0)):
        raise SetupError(
            f"match tokens: got {tokens!r}; expected in stage 2 no side without tokens, which would have won"
        )
    state.score[: rules.side_count] = tokens
    state.pool = pool
    state.returning = stage - 1


def are_counts(numbers: Any, size: int) -> bool:
    return (
        isinstance(numbers, (list, tuple))
        and len(numbers) == size
        and all(type(n) is int and n >= 0 for n in numbers)
    )


def roles(rules: np.record, states: np.ndarray) -> dict[str, np.ndarray]:
    """The roles in finished deals, bool[deals, seats]: forehand with each opening, or another seat."""
    calls = (states["dealer"][:, None] + 1) % rules.players == np.arange(rules.players)
    openings = {
        f"forehand, {SPOKEN[opening]}": calls & (states["opening"] == opening)[:, None] for opening in Opening
    }
    return {**openings, "forehand, unopened": calls & (states["opening"] == NONE)[:, None], "others": ~calls}


def text(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The table as one seat sees it, from its redacted view."""
    lines = [headline(view, match_line(rules, view)), talon_line(view)]
    for i in range(1, rules.players):
        other = (seat + i) % rules.players
        known = _shown(view, other) + signal(view, other) + _partner(rules, seat, other)
        lines.append(Line(f"{cards_in_hand(view.held[other])}{known}", f"player_{other}"))
    own = f"{_cards(view.hand[seat]) or tr('no cards')}{signal(view, seat)}"
    return [
        *lines,
        Line("  ".join(side_counts(rules, view, seat)), tr("sides")),
        Line(_table(rules, view), tr("table")),
        Line(own, f"player_{seat}"),
        *last_line(view),
        turn_line(rules, view),
    ]


def last_line(view: np.record) -> list[Line]:
    return last_action(view, ACTIONS, hidden="a face-down card")


def talon_line(view: np.record) -> Line:
    return Line(_talon(view), tr("talon"))


def match_line(rules: np.record, view: np.record) -> str:
    """The score of the match."""
    score = " : ".join(str(n) for n in view.score[: rules.side_count])
    if rules.score == TOKENS:
        moved = tr("given back by winners") if view.returning else tr("taken by losers")
        return tr("tokens {score}, {pool} in the pool, {moved}", score=score, pool=view.pool, moved=moved)
    return tr("score {score} to {target}", score=score, target=rules.target)


def _talon(view: np.record) -> str:
    trump = suit_symbol(view.trump)
    if view.indicator == NONE:
        return tr("drawn, trump {trump}", trump=trump)
    card = pretty(PACK.names[view.indicator])
    if view.laid_by != NONE:
        card = tr("{card} laid by {seat}", card=card, seat=seat_name(view.laid_by))
    down = CARDS - view.top
    return tr("{card} and {number} face down, trump {trump}", card=card, number=down, trump=trump)


def _cards(cards: int) -> str:
    return " ".join(map(pretty, names_of(cards)))


def names_of(cards: int) -> list[str]:
    """The cards of a double set by name, copies side by side."""
    return [PACK.names[card] for card in range(KINDS) for _ in range(copies(cards, card))]


def _shown(view: np.record, owner: int) -> str:
    return tr(", shown {cards}", cards=_cards(view.shown[owner])) if view.shown[owner] else ""


def signal(view: np.record, owner: int) -> str:
    if view.signal[owner] == NONE:
        return ""
    return tr(", signalled {suit}", suit=suit_symbol(view.signal[owner]))


def _partner(rules: np.record, seat: int, other: int) -> str:
    return tr(", partner") if side_of(rules, seat) == side_of(rules, other) else ""


def side_counts(rules: np.record, view: np.record, seat: int) -> list[str]:
    """The tricks of each side, and its points as far as a seat is shown them, or SPECTATOR."""
    texts = []
    for side in range(rules.side_count):
        members = "+".join(str(member) for member in range(side, rules.players, rules.side_count))
        own = seat != SPECTATOR and side == side_of(rules, seat)
        seen = seat == SPECTATOR or rules.show_points == SHOW_ALL or (rules.show_points == SHOW_OWN and own)
        parts = [tricks_won(view.tricks[side]), *([card_points(view.points[side])] if seen else [])]
        texts.append(f"{members} [{', '.join(parts)}]")
    return texts


def _table(rules: np.record, view: np.record) -> str:
    texts = []
    for place in range(rules.players):
        owner = (view.leader + place) % rules.players
        if view.table[owner] != NONE:
            hidden = tr(", face down") if lies_face_down(rules, view, owner) else ""
            texts.append(f"{pretty(PACK.names[view.table[owner]])} player_{owner}{hidden}")
        elif lies_face_down(rules, view, owner):
            texts.append(f"{tr('face down')} player_{owner}")
    opening = opened(view)
    if opening:
        opening = tr(", opened {opening}", opening=opening)
    return (", ".join(texts) or tr("empty")) + opening


def opened(view: np.record) -> str:
    """The opening of forehand, during the first trick."""
    return tr(SPOKEN[Opening(int(view.opening))]) if view.opening != NONE and view.trick == 1 else ""


def account(rules: np.record, before: np.record, after: np.record) -> list[str]:
    """Why the deal paid what it did. Source: docs/rules/gaigel.md#scoring"""
    members = [range(side, rules.players, rules.side_count) for side in range(rules.side_count)]
    won = [side for side, seats in enumerate(members) if after.deal_points[seats[0]] > 0]
    lost = [side for side in range(rules.side_count) if side not in won]
    if not won:
        most = after.points[: rules.side_count].max()
        return [tr("Nobody won: more than one side had {points} points.", points=most)]
    value = abs(int(after.deal_points[members[lost[0]][0]])) // len(won)
    reason = _reason(rules, after, listed(seat for side in won for seat in members[side]), won[0])
    trickless = [listed(members[side]) for side in lost if not after.tricks[side]]
    gigackel = value == 2 and trickless and _said_aus(after, won, rules)
    return [paid(value, reason, no_trick(trickless[0]) if gigackel else "")]


def _said_aus(after: np.record, won: list[int], rules: np.record) -> bool:
    """True if the winners have said Aus, or the engine for them."""
    entries = log_entries(after)
    said = bool(entries) and entries[-1][1] == AUS and side_of(rules, entries[-1][0]) in won
    return said or (rules.claims == AUTO and after.points[won[0]] >= GOAL)


def _reason(rules: np.record, after: np.record, winners: str, won: int) -> str:
    entries, first = log_entries(after), forehand(rules, after)
    last, action = entries[-1] if entries else (NONE, NONE)
    if _said_aus(after, [won], rules):
        return tr("{seats} had {points} points and said Aus", seats=winners, points=after.points[won])
    if action == AUS:
        points = after.points[side_of(rules, last)]
        return tr("{seat} said Aus with only {points} points", seat=seat_name(last), points=points)
    if not entries:
        return tr("{seats} had five sevens from the deal", seats=winners)
    if after.opening == Opening.DISSLE and side_of(rules, first) == won and after.held[first]:
        return tr("{seat} held five sevens after Auf Dissle", seat=seat_name(first))
    if after.opening == Opening.DISSLE and after.leader == first:
        return tr("{seat} won a trick after Auf Dissle", seat=seat_name(first))
    points = ", ".join(str(each) for each in after.points[: rules.side_count])
    return tr("The cards ran out, and {seats} had most points of {points}", seats=winners, points=points)


def turn_line(rules: np.record, view: np.record) -> Line:
    if view.phase == Phase.DONE:
        return results(view.deal_points[: rules.players], "+z.0f")
    if view.phase == Phase.OPEN:
        doing = mark("to open")
    elif view.phase == Phase.AFTER:
        doing = mark("won the last trick")
    else:
        doing = mark("to lead") if view.seat == view.leader else mark("to answer")
    return to_act(view.seat, doing)


def puzzle_kind(rules: np.record, state: np.record) -> str:
    """The kind of puzzle that a position may be; empty while cards may be drawn."""
    return "endgame" if state.indicator == NONE else ""
