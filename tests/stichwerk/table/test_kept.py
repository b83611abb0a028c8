"""Tables with many deals: what is over is made into a record once."""

import random
import time

import pytest

from stichwerk.envs.games import make_game
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.table.serving.rooms import Rooms
from stichwerk.table.table import Table

SMALL = {"pack": ["sA", "sK", "sQ", "sJ", "hT", "hQ"], "hand_size": 1, "goal": 30}


def play_deals(table: Table, rng: random.Random, number: int) -> None:
    """Play so many deals to their end, without what comes after the last one."""
    for left in reversed(range(number)):
        while not table.result:
            table.move_agents()
            if not table.result:
                table.act(table.turn, str(rng.choice(table.legal(table.turn))))
        for seat in table.people if left else ():
            table.next_deal(seat)


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("seats", [(None, "random"), (None, None)])
def test_kept_records_equal_fresh_ones(episode, seats, monkeypatch):
    """At random moments, for each seat, also after actions that were taken back."""
    game, rng = make_game("schnapsen_v0"), random.Random(4)
    table, replay = Table(game, seats, episode, seed=4), RecordReplay(game)
    for _ in range(6):
        play_deals(table, rng, rng.randrange(1, 3))
        if table.is_study and rng.random() < 0.3:
            table.undo(0)
        for seat in (None, 0, 1):
            deals = [deal if seat is None else replay.for_seat(deal, seat) for deal in table.deals()]
            assert table.deals(seat) == deals
            assert table.last_deal(seat) == deals[-1]
            assert table.record(seat) == write_records(game, deals)
        numbers = [deal.number for deal in table.deals()]
        assert numbers == list(range(len(numbers)))
        while not table.result:
            play_deals(table, rng, 1)
        for seat in table.people:
            table.next_deal(seat)


def test_only_the_last_deal_is_recorded_again(monkeypatch):
    game, asked = make_game("schnapsen_v0", SMALL), []
    table = Table(game, [None, "random"], seed=4)
    play_deals(table, random.Random(4), 100)
    (room,) = [Rooms().open(table)]
    first = table.position(0), table.record(0), room._film(0, "french")
    for_seat, seen = RecordReplay.for_seat, RecordReplay.seen
    monkeypatch.setattr(RecordReplay, "for_seat", lambda *about: asked.append(1) or for_seat(*about))
    monkeypatch.setattr(RecordReplay, "seen", lambda *about: asked.append(1) or seen(*about))
    begun = time.perf_counter()
    assert (table.position(0), table.record(0), room._film(0, "french")) == first
    assert len(asked) <= 4, "of the last deal alone"
    assert time.perf_counter() - begun < 1
