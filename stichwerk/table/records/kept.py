"""The deals of a table that are over, each made into a record once for each seat."""

from collections.abc import Iterable, Sequence

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.jsonl import deal_lines, game_line
from stichwerk.envs.records.replay import RecordReplay


class KeptDeals:
    """Deals that are over, in order, as each seat knows them.

    Args:
        replay: of their game
    """

    def __init__(self, replay: RecordReplay):
        self._replay = replay
        self._all: list[DealRecord] = []
        self._known: dict[int, list[DealRecord]] = {}
        self._texts: dict[int | None, list[str]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def add(self, deals: Iterable[DealRecord]) -> None:
        self._all += deals

    def seen_by(self, seat: int | None) -> Sequence[DealRecord]:
        """Their records with the cards that a seat knows; None: with all cards."""
        if seat is None:
            return self._all
        known = self._known.setdefault(seat, [])
        known += self.as_known(self._all[len(known) :], seat)
        return known

    def as_known(self, deals: Iterable[DealRecord], seat: int | None) -> list[DealRecord]:
        """Other deals in the same way."""
        return [deal if seat is None else self._replay.for_seat(deal, seat) for deal in deals]

    def text(self, present: Iterable[DealRecord], seat: int | None) -> str:
        """These deals and the present ones, as the seat knows them, as JSON Lines."""
        texts = self._texts.setdefault(seat, [])
        texts += map(_text, self.seen_by(seat)[len(texts) :])
        return "".join([f"{game_line(self._replay.game)}\n", *texts, *map(_text, present)])


def _text(deal: DealRecord) -> str:
    return "".join(f"{line}\n" for line in deal_lines(deal))
