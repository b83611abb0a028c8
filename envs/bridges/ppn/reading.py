"""The deals of a text, each played as its line says."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stichwerk.envs.bridges.ppn.auction import auction_of
from stichwerk.envs.bridges.ppn.form import (
    DEAL,
    DOUBLINGS,
    ENV,
    IN_HAND,
    LETTERS,
    MOST_LINES,
    NO_DISCARDS,
    PACKETS,
    TAG,
    DealLine,
    check_game,
    parsed_line,
    unquoted_tag,
)
from stichwerk.envs.bridges.ppn.writing import written_line
from stichwerk.envs.games import make_game
from stichwerk.envs.games.preferans.state import Phase
from stichwerk.envs.records.deal import DealRecord, moves_of
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.parsing import parse_yaml


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
                yield table.read(parsed_line(deal))
            elif tag := TAG.fullmatch(line):
                if table:  # the tags of the next match
                    tags, table = {}, None
                tags[tag[1]] = unquoted_tag(tag[2])
            else:
                raise InputError(f"got {quoted(line)}; expected a tag or a deal in brackets")
        except InputError as error:
            raise InputError(f"PPN, line {number}: {error}") from None


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

    def read(self, line: DealLine) -> PpnDeal:
        """Play a deal as its line says; the next one continues from it."""
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

    def _compared(self, line: DealLine, record: DealRecord) -> list[str]:
        """Facts in a line that differ from the deal as these rules have it, in words."""
        states = [*self._replay.states(record)]
        written = DEAL.fullmatch(written_line(self._game, record, states, int(line.number)))
        assert written
        ours = parsed_line(written)
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
        line: DealLine,
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
        """The action that the line gives the seat to act."""
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
