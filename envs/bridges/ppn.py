"""Portable Preferans Notation, github.com/prefko/portable-preferans-notation, for Preferans of three players.

A file has tags, such as `[Bula 60]`, then a line in brackets for each deal of the match: number, order of
dealing, cards, highest bids, declarer, discards, contract, who defends, doublings, refa, value, first leader,
tricks and summary. Players are 1, 2, 3 for seats 0, 1, 2. Where a deal ends before its cards are played, what
is not known then is left out.

The notation has no place for offers (`trick_offer`), nor for a plain igra that names betl among several
(`igra_may_declare_notrump`): such deals are refused. Three tags are ours: `Rules`, options that differ from
the default preset; `Match`, the score sheet before the first deal if it is not empty; and `Invited`, deals in
which a lone defender took the other along and then doubled, which changes no score. `Result` is the player's
standing.

Source: the page of the notation; docs/rules/preferans.md for the rules.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from stichwerk.envs.games import make_game
from stichwerk.envs.games.preferans.scoring import game_points, result
from stichwerk.envs.games.preferans.state import Phase
from stichwerk.envs.records.deal import DealRecord, Move, moves_of
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError, one_line, quoted
from stichwerk.support.parsing import parse_yaml, yaml_line

ENV = "preferans_v0"
SUITS, RANKS = "sdhc", "789TJQKA"
LETTERS = dict(zip("123456789ABCDEFGHIJKLMNOPQRSTUVW", (s + r for s in SUITS for r in RANKS), strict=True))
LETTER_OF = {card: letter for letter, card in LETTERS.items()}
PACKET, IN_HAND, TALON_AT, TALON = 5, 10, 15, 2
PACKETS = slice(PACKET), slice(PACKET, IN_HAND)  # of a hand, as they are dealt
DOUBLINGS = "KRSM"
BOTH, NOTHING, NO_DISCARDS = "8", "0", "XX"
TAG = re.compile(r"\[([A-Za-z]\w*) (.*)\]")
DEAL = re.compile(r"\[(\d+) ([123]{3}) ([0-9A-W]{32})(?: (.*))?\]")
NO_TRUMPS = {f"declare {number}" for number in (6, 7, 8)}
HAND_GAMES = {"igra betl": 6, "igra sans": 7, "igra preferans": 8}
MOST_LINES = 1_000_000


@dataclass
class PpnDeal:
    """A deal that was read.

    Attributes:
        game: Preferans under its rules
        record: the deal, played again
        differences: what the notation says and these rules do not, in words
    """

    game: Game
    record: DealRecord
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Line:
    """The parts of a deal's line."""

    number: str
    order: tuple[int, ...]  # seats, forehand first, the dealer last
    cards: str
    bids: tuple[str, ...] = ()
    declarer: int = -1
    discards: str = ""
    contract: str = ""
    came: str = ""
    kontra: str = ""
    refa: str = ""
    value: str = ""
    starts: str = ""
    tricks: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()


# Writing


def write_ppn(game: Game, deals: Iterable[DealRecord]) -> str:
    """The text of deals. Deals that follow one another in a match stand together under its tags.

    Raises:
        InputError: it is another game or four play, a deal goes on or is impossible, or has an offer.
    """
    check_game(game)
    replay, parts = RecordReplay(game), list[str]()
    section: _Section | None = None
    for deal in deals:
        states = [*replay.states(deal)]
        if deal.points is None:
            raise InputError("PPN: got a deal that goes on; expected deals that are over")
        if section is None or not section.goes_on_with(deal):
            parts += section.text() if section else []
            section = _Section(game, deal)
        section.add(deal, states)
    return "".join(f"{line}\n" for line in [*parts, *(section.text() if section else [])])


class _Section:
    """The deals of one match, or of a part of it."""

    def __init__(self, game: Game, first: DealRecord):
        self._game, self._first = game, first
        self._lines: list[str] = []
        self._invited: list[str] = []
        self._after: Mapping[str, Any] | None = None

    def goes_on_with(self, deal: DealRecord) -> bool:
        """True if a deal follows the last one by its score sheet, with the same players."""
        return dict(deal.match) == self._after and deal.players == self._first.players

    def add(self, deal: DealRecord, states: Sequence[np.ndarray]) -> None:
        number = len(self._lines) + 1
        self._lines.append(_written(self._game, deal, states, number))
        if {"together", "kontra"} <= {move.action for move in deal.moves}:
            self._invited.append(str(number))
        self._last = states[-1][0]
        try:
            self._after = dict(self._game.match_of(self._last))
        except InputError:  # the match is over
            self._after = None

    def text(self) -> list[str]:
        """Its lines: tags, then deals."""
        game, first = self._game, self._first
        rules, default = game.rules.as_dict(), _default()
        other = {
            name: value
            for name, value in rules.items()
            if value != default[name] and name not in ("start", "refa_limit")
        }
        names = first.players or tuple(f"player_{seat}" for seat in range(3))
        fresh = game.match_of(RecordReplay(game).begun({})[0])
        tags = {
            "Bula": str(rules["start"]),
            "Refe": str(int(game.rules_record[0].refa_limit)),
            **{f"Player{seat + 1}": name for seat, name in enumerate(names)},
            **{f"Result{seat + 1}": str(result(self._last, seat)) for seat in range(3)},
            "Rules": yaml_line(other) if other else "",
            "Match": "" if dict(first.match) == dict(fresh) else yaml_line(dict(first.match)),
            "Invited": " ".join(self._invited),
        }
        return [*(f"[{name} {_quoted(value)}]" for name, value in tags.items() if value), *self._lines]


def check_game(game: Game) -> None:
    """InputError for a game that the notation cannot write."""
    if game.env_id != ENV or game.seats != 3:
        raise InputError(f"PPN: got {game.env_id} of {game.seats} players; expected {ENV} of 3")


def _quoted(text: str) -> str:
    """A tag's value: in quotation marks if it has blanks, as in PGN with a bar before marks within."""
    plain = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"' if re.search(r"[\s\"\\\]\[]", text) or not text else plain


def _written(game: Game, deal: DealRecord, states: Sequence[np.ndarray], number: int) -> str:
    """The line of a deal."""
    _check_calls(deal.moves)
    order = _order(deal.dealer)
    hands = "".join(_letters(_hand(deal.deck, place)) for place in range(3))
    cards = hands + _letters(deal.deck[TALON_AT : TALON_AT + TALON])
    ids = "".join(str(seat + 1) for seat in order)
    words = [str(number), ids, cards, ",".join(_bids(deal.moves, order))]
    state = states[-1][0]
    if state.declarer >= 0:
        words += _contract(deal.moves, states)
        words += _play(deal.moves, states)
        words.append(",".join(_summary(states, order)))
    return f"[{' '.join(words)}]"


def _check_calls(moves: Sequence[Move]) -> None:
    """InputError for a plain igra that named a game without trumps, which is written as that call itself."""
    callers = {move.seat for move in moves if move.action.startswith("igra")}
    plain = {move.seat for move in moves if move.action == "igra"}
    for move in moves:
        if len(callers) > 1 and move.seat in plain and move.action in NO_TRUMPS:
            raise InputError(
                f"PPN: got igra that became {move.action.removeprefix('declare ')}; expected it named at once, "
                "as the notation has one bid for both"
            )


def _order(dealer: int) -> tuple[int, ...]:
    return tuple((dealer + 1 + place) % 3 for place in range(3))


def _hand(deck: Sequence[str], place: int) -> list[str]:
    """The cards of the player at a place after the dealer: a packet before the talon, and one after it."""
    first, second = PACKET * place, TALON_AT + TALON + PACKET * place
    return [*deck[first : first + PACKET], *deck[second : second + PACKET]]


def _letters(cards: Iterable[str]) -> str:
    return "".join(LETTER_OF[card] for card in cards)


def _bids(moves: Iterable[Move], order: Sequence[int]) -> list[str]:
    """The highest bid of each player: P, a number, M and a number that was held, G for igra with its game."""
    bids, level = dict.fromkeys(order, "P"), 0
    several = sum(move.action.startswith("igra") for move in moves) > 1  # who name their games in the auction
    for move in moves:
        verb, _, argument = move.action.partition(" ")
        if verb == "bid":
            held = int(argument) == level
            bids[move.seat], level = ("M" if held else "") + argument, int(argument)
        elif move.action in HAND_GAMES:
            bids[move.seat] = f"G{HAND_GAMES[move.action]}"
        elif verb == "igra":
            bids[move.seat] = "G"
        elif verb == "declare" and bids[move.seat] == "G" and several:
            bids[move.seat] += argument
    return [bids[seat] for seat in order]


def _contract(moves: Sequence[Move], states: Sequence[np.ndarray]) -> list[str]:
    """Declarer, discards, contract, who defends, doublings, refa and value."""
    state = states[-1][0]
    before = states[0][0]
    discards = [move.action.split()[1] for move in moves if move.action.startswith("discard ")]
    came = {move.seat for move in moves if move.action == "come"}
    kontras = [move.seat for move in moves if move.action == "kontra"]
    invited = [move.seat for move in moves if move.action == "together"]
    if any(move.action.startswith(("offer ", "agree", "refuse")) for move in moves):
        raise InputError("PPN: got an offer of tricks; expected a deal without one, as the notation has none")
    if kontras:
        kontra = f"{DOUBLINGS[len(kontras) - 1]}{kontras[0] + 1}"
    else:
        kontra = f"I{invited[0] + 1}" if invited else NOTHING
    no_trump = not came and not any(move.action == "stay out" for move in moves)
    defends = BOTH if no_trump or len(came) == 2 else str(min(came) + 1) if came else NOTHING
    played = states[-1].copy()
    played["refas"] = states[0]["refas"]  # one of which may have been used up
    return [
        str(state.declarer + 1),
        _letters(discards) or NO_DISCARDS,
        f"{'G' if state.igra else ''}{state.game}",
        defends,
        kontra,
        str(int(before.refas[state.declarer] > 0)),
        str(int(game_points(played[0]))),
    ]


def _play(moves: Sequence[Move], states: Sequence[np.ndarray]) -> list[str]:
    """The first leader, and the tricks: cards in order, then who took them."""
    tricks, cards = list[str](), ""
    starts = ""
    for number, move in enumerate(moves):
        if move.action.startswith("play "):
            starts = starts or str(move.seat + 1)
            cards += LETTER_OF[move.action.split()[1]]
            now, then = states[number][0].tricks[:3], states[number + 1][0].tricks[:3]
            if (won := np.flatnonzero(then > now)).size:
                tricks.append(f"{cards}{won[0] + 1}")
                cards = ""
    return [starts, ",".join(tricks)] if starts else []


def _summary(states: Sequence[np.ndarray], order: Sequence[int]) -> list[str]:
    """Of each player tricks, points in the left column and in the middle one, as far as they change."""
    before, state = states[0][0], states[-1][0]
    change = state.sheet[:3, :3].astype(int) - before.sheet[:3, :3].astype(int)
    parts = []
    for seat in order:
        left, middle = int(sum(change[seat]) - change[seat, seat]), int(change[seat, seat])
        if seat == state.declarer:
            parts.append(f"M{state.tricks[seat]}:{middle}")
        elif left or middle or state.tricks[seat]:
            parts.append(f"F{state.tricks[seat]}:L{left}" + (f":{middle}" if middle else ""))
        else:
            parts.append("0")
    return parts


# Reading


def read_ppn(text: str, rules: RuleSpec = None) -> Iterator[PpnDeal]:
    """The deals of a text.

    Args:
        text: tags, and deals in brackets; several matches may follow one another
        rules: the preset or options that a text without the tag `Rules` is read by

    Raises:
        InputError: a line is no tag and no deal, or a deal cannot be played by the rules; with its number.
    """
    tags: dict[str, str] = {}
    table: _Reader | None = None
    known: dict[str, Game] = {}
    for number, line in enumerate(text.splitlines()[:MOST_LINES], start=1):
        line = line.strip()
        if not line or line == "...":
            continue
        try:
            if deal := DEAL.fullmatch(line):
                table = table or _Reader(tags, _game_of(tags, rules, known))
                yield table.read(_parsed(deal))
            elif tag := TAG.fullmatch(line):
                if table:  # the tags of the next match
                    tags, table = {}, None
                tags[tag[1]] = _unquoted(tag[2])
            else:
                raise InputError(f"got {quoted(line)}; expected a tag or a deal in brackets")
        except InputError as error:
            raise InputError(f"PPN, line {number}: {error}") from None


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value


def _parsed(deal: re.Match[str]) -> _Line:
    """The parts of a deal's line; InputError if they are not those of one."""
    number, ids, cards, rest = deal.groups()
    order = tuple(int(each) - 1 for each in ids)
    if len({*order}) < 3 or order != _order(order[2]):
        raise InputError(f"order of dealing: got {ids}; expected 123, 231 or 312")
    words = (rest or "").split()
    if not words:
        raise InputError(f"deal {number}: got no bids; expected three")
    bids = tuple("P" if bid == "D" else bid for bid in words[0].split(","))
    if len(bids) != 3 or not all(re.fullmatch(r"P|M?[2-8]|G[2-8]?", bid) for bid in bids):
        raise InputError(f"bids: got {quoted(words[0])}; expected three such as M3,P,3")
    line = _Line(number, order, cards, bids)
    if len(words) == 1:
        return line
    forms = (
        ("declarer", "[123]"),
        ("discards", "[0-9A-W]{2}|XX"),
        ("contract", "G?[2-8]"),
        ("came", "[0-9]"),
        ("kontra", "0|[IKRSM][123]"),
    )
    if len(words) < 1 + len(forms):
        raise InputError(f"deal {number}: got {len(words)} parts after the cards; expected 1, or 6 and more")
    found: dict[str, Any] = {}
    for (name, form), word in zip(forms, words[1:], strict=False):
        if not re.fullmatch(form, word):
            raise InputError(f"{name}: got {quoted(word)}; expected {form}")
        found[name] = int(word) - 1 if name == "declarer" else word
    return replace(line, **found, **_end_of_line(words[1 + len(forms) :]))


def _end_of_line(words: Sequence[str]) -> dict[str, Any]:
    """Refa, value, first leader, tricks and summary, some of which may be left out."""
    found: dict[str, Any] = {}
    rest = [*words]
    if rest and re.match(r"[MF0]\d*[:,]|0,", rest[-1]) and not re.fullmatch(r"\d+", rest[-1]):
        found["summary"] = tuple(rest.pop().split(","))
    if rest and re.fullmatch(r"([0-9A-W]{2,3}[123])(,[0-9A-W]{2,3}[123])*", rest[-1]) and len(rest) > 2:
        found["tricks"] = tuple(rest.pop().split(","))
        found["starts"] = rest.pop()
    if len(rest) > 2 or not all(re.fullmatch(r"\d+", word) for word in rest):
        raise InputError(f"got {quoted(' '.join(words))}; expected refa, value, leader, tricks and summary")
    if len(rest) == 2:
        found["refa"] = rest.pop(0)
    if rest:
        found["value"] = rest[0]
    return found


@cache
def _default() -> Mapping[str, Any]:
    """The options of the default preset."""
    return make_game(ENV).rules.as_dict()


def _game_of(tags: Mapping[str, str], rules: RuleSpec, known: dict[str, Game]) -> Game:
    """The game of some tags; `known` keeps those that were made already."""
    key = str([tags.get(name) for name in ("Rules", "Bula", "Refe")])
    if key not in known:
        options = make_game(ENV, parse_yaml(tags["Rules"]) if "Rules" in tags else rules).rules.as_dict()
        if "Bula" in tags:
            options["start"] = _whole("Bula", tags["Bula"])
        game = make_game(ENV, {**options, "refa_limit": None})
        if "Refe" in tags and (limit := _whole("Refe", tags["Refe"])) != game.rules_record[0].refa_limit:
            game = make_game(ENV, {**options, "refa_limit": limit})
        check_game(game)
        known[key] = game
    return known[key]


class _Reader:
    """Reads the deals of one match, one after another."""

    def __init__(self, tags: Mapping[str, str], game: Game):
        self._game = game
        self._replay = RecordReplay(self._game)
        self._names = tuple(tags.get(f"Player{seat}", "") for seat in (1, 2, 3))
        self._invited = {*tags.get("Invited", "").split()}
        match = parse_yaml(tags["Match"]) if "Match" in tags else {}
        self._match: Mapping[str, Any] = self._game.match_of(self._replay.begun({"match": match})[0])

    def read(self, line: _Line) -> PpnDeal:
        """Play a deal as its line says; the next one goes on from it."""
        cards = [LETTERS[letter] for letter in line.cards]
        hands = [cards[IN_HAND * place : IN_HAND * (place + 1)] for place in range(3)]
        first, second = ([card for hand in hands for card in hand[part]] for part in PACKETS)
        deck = (*first, *cards[3 * IN_HAND :], *second)
        dealer = line.order[2]
        options = {"deck": deck, "dealer": dealer, "match": self._match}
        states = self._replay.dealt(options)
        differences = _Play(self._replay, line, options, states, line.number in self._invited).go()
        state = states[0]
        record = DealRecord(
            dealer,
            tuple(deck),
            self._match,
            moves_of(self._game, state),
            tuple(map(float, state.deal_points[:3])),
            self._names if all(self._names) else (),
        )
        differences += self._compared(line, record)
        deal = PpnDeal(self._game, record, differences)
        try:
            self._match = self._game.match_of(state)
        except InputError:
            differences.append("the match is over after this deal by these rules")
            self._match = self._game.match_of(self._replay.begun({})[0])
        return deal

    def _compared(self, line: _Line, record: DealRecord) -> list[str]:
        """What a line says of a deal that these rules do not, in words."""
        states = [*self._replay.states(record)]
        written = DEAL.fullmatch(_written(self._game, record, states, int(line.number)))
        assert written
        ours = _parsed(written)
        found = []
        for name in ("refa", "value", "starts", "summary"):
            theirs, own = (getattr(each, name) for each in (line, ours))
            if theirs and theirs != own:
                says, here = (each if isinstance(each, str) else ",".join(each) for each in (theirs, own))
                found.append(f"{name}: it says {says}; by these rules it is {here or 'none'}")
        for number, (theirs, own) in enumerate(zip(line.tricks, ours.tricks, strict=False), start=1):
            if theirs != own:
                found.append(f"trick {number}: it says {theirs}; by these rules it is {own}")
        return found


def _whole(name: str, value: str) -> int:
    if not value.isdecimal() or len(value) > 6:
        raise InputError(f"{name}: got {quoted(value)}; expected a whole number")
    return int(value)


class _Play:
    """Plays one deal as its line says."""

    def __init__(
        self,
        replay: RecordReplay,
        line: _Line,
        options: Mapping[str, Any],
        states: np.ndarray,
        invited: bool,
    ):
        self._replay, self._line, self._states, self._invited = replay, line, states, invited
        self._auction = iter(auction_of(replay, line.bids, line.order, options, line.declarer))
        self._discards = iter([] if line.discards == NO_DISCARDS else line.discards)
        self._cards = iter([letter for trick in line.tricks for letter in trick[:-1]])

    def go(self) -> list[str]:
        """Play to the end of the deal, and return what was left over, in words."""
        while not self._states[0].over:
            legal = self._replay.legal(self._states)
            action = self._wanted(legal)
            if action not in legal:
                seat = int(self._states[0].seat) + 1
                raise InputError(
                    f"deal {self._line.number}: got {quoted(action)} of player {seat}; "
                    f"expected one of {', '.join(legal)}"
                )
            self._replay.apply(self._states, action)
        left = [*self._cards]
        return [f"{len(left)} cards more were played; by these rules the hand was decided"] if left else []

    def _wanted(self, legal: Sequence[str]) -> str:
        """What the line has the seat to act do."""
        state, line = self._states[0], self._line
        player = str(int(state.seat) + 1)
        contract = line.contract.removeprefix("G")
        answers: dict[Phase, Callable[[], str]] = {
            Phase.AUCTION: lambda: next(self._auction, "more bids"),
            Phase.DISCARD: lambda: f"discard {self._card(self._discards)}",
            Phase.DECLARE: lambda: f"declare {contract}",
            Phase.COME: lambda: "come" if line.came in (player, *"456789") else "stay out",
            Phase.JOIN: lambda: "together" if self._invited or line.kontra[0] == "I" else "alone",
            Phase.KONTRA: lambda: self._doubling(player),
            Phase.OFFER: lambda: "no offer",
            Phase.PLAY: lambda: f"play {self._card(self._cards)}",
        }
        return answers[Phase(int(state.phase))]()

    def _doubling(self, player: str) -> str:
        state, letter = self._states[0], self._line.kontra[0]
        wanted = DOUBLINGS.find(letter) + 1
        own = self._line.kontra[1:] == player or state.doublings > 0
        return "kontra" if own and state.doublings < wanted else "accept"

    def _card(self, letters: Iterator[str]) -> str:
        letter = next(letters, "")
        return LETTERS.get(letter, "another card")


def auction_of(
    replay: RecordReplay, bids: Sequence[str], order: Sequence[int], options: Mapping[str, Any], declarer: int
) -> list[str]:
    """The calls that lead to these highest bids, found among all auctions that the rules allow.

    Args:
        bids: of the players in order of dealing
        declarer: the seat that won; -1: nobody

    Raises:
        InputError: no auction does.
    """
    alone = sum(bid.startswith("G") for bid in bids) == 1
    named = [bid[:1] if alone and bid.startswith("G") else bid for bid in bids]  # igra, and no more was said
    for wanted in dict.fromkeys([tuple(bids), tuple(named)]):
        waiting: list[tuple[list[Move], np.ndarray]] = [([], replay.dealt(options))]
        while waiting:
            moves, states = waiting.pop()
            state = states[0]
            if state.over or state.phase != Phase.AUCTION:
                if int(state.declarer) == declarer and _bids(moves, order) == [*wanted]:
                    return [move.action for move in moves]
                continue
            for action in reversed(replay.legal(states)):
                there = [*moves, Move(int(state.seat), action)]
                if all(map(_may_become, _bids(there, order), wanted)):
                    further = states.copy()
                    replay.apply(further, action)
                    waiting.append((there, further))
    raise InputError(f"bids: got {','.join(bids)}; expected those of an auction that these rules allow")


def _may_become(bid: str, wanted: str) -> bool:
    """True if a player whose highest bid is the first may still end with the second."""
    if bid in ("P", wanted):
        return True
    if bid.startswith("G") or wanted.startswith("G"):
        return bid == "G" and wanted.startswith("G")
    return wanted != "P" and int(bid.removeprefix("M")) <= int(wanted.removeprefix("M"))
