"""Positions: written as a line, read from records, snapshots and lines, and played again."""

import json
import random

import pytest

from stichwerk.envs.games import make_game
from stichwerk.envs.records.deal import Move
from stichwerk.support.errors import InputError
from stichwerk.table.positions.position import Position, open_position, position_in, read_position
from stichwerk.table.table import Table
from tests.envs.support import each_variant
from tests.stichwerk.table.test_table import play as played
from tests.stichwerk.table.test_table import seated


def in_a_deal(variant, seat: int, decisions: int, seed: int = 5) -> Table:
    """A table at which one person has made some decisions of a deal."""
    table, rng = seated(variant, [seat], seed=seed), random.Random(1)
    for number, _ in enumerate(played(table, rng)):
        if number == decisions:
            break
    return table


@each_variant
def test_a_line_reveals_nothing_hidden_from_its_seat(variant):
    """The true state is exchanged for another that the seat cannot tell apart."""
    changed = 0
    for seat in range(variant.game.seats):
        table = in_a_deal(variant, seat, 2)
        if table.result:
            continue
        line, true = table.position(seat), table.env.copy_state()
        for seed in range(3):
            table.env._course.states = table.env.resample(f"player_{seat}", seed)
            changed += table.env._course.states.tobytes() != true.tobytes()
            assert table.position(seat) == line
            table.env._course.states = true
    assert changed


@each_variant
def test_a_line_restores_the_view_of_its_seat(variant):
    for seat in range(variant.game.seats):
        table = in_a_deal(variant, seat, 1)
        if table.result:
            continue
        for all_cards in (False, True):
            line = table.position(seat, all_cards)
            assert "\n" not in line
            start = read_position(line)
            assert start.person == seat
            again = Table(start.game, table.seats, start=start)
            seen, told = again.message(seat), table.message(seat)
            for name in ("scene", "legal", "log", "trick", "trick_complete", "last_trick"):
                assert seen[name] == told[name], name
            assert again.deals()[-1].deck == start.deal.deck
            if all_cards:
                assert start.deal.deck == table.deals()[-1].deck


def test_positions_are_read_from_every_format(tmp_path):
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    list(played(table, random.Random(1)))
    table.next_deal(0)
    table.move_agents()
    table.act(0, str(table.legal(0)[0]))
    deals = table.deals()
    over, present = deals
    for name, text, deal, step, expected, moves in (
        ("deals.jsonl", table.record(), 2, None, present, present.moves),
        ("deals.jsonl", table.record(), 1, None, over, ()),
        ("deals.jsonl", table.record(), 1, 3, over, over.moves[:3]),
        ("line.txt", table.position(0, all_cards=True), 1, None, present, present.moves),
        ("snapshot.json", json.dumps(table.env.snapshot()), 1, None, present, present.moves),
        ("snapshot.json", json.dumps(table.env.snapshot(), indent=2), 1, None, present, present.moves),
    ):
        path = tmp_path / name
        path.write_text(text)
        for found in (read_position(text, deal, step), open_position(str(path), deal, step)):
            assert found.deal.deck == expected.deck
            assert found.deal.moves == moves
    assert open_position(table.position(0)).deal.seat == 0


@pytest.mark.parametrize(
    ("text", "deal", "step", "fault"),
    [
        ("", 1, None, "deal: got 1; expected the number of a deal in the record"),
        ("nonsense", 1, None, "line 1: got 'nonsense'; expected `1. player_0 ACTION` or one of"),
        ('{"a": 1}', 1, None, "snapshot: got env_id None; expected what"),
        ('{"env_id": "os:path"}', 1, None, "snapshot: got env_id 'os:path'; expected what"),
        ('{"event": "game"}', 1, None, "line 1: game: got nothing; expected env, format, rules"),
        ("LINE", 2, None, "deal: got 2; expected the number of a deal in the record"),
        ("LINE", 1, 99, "step: got 99; expected at most 0, the moves of the deal"),
        ("OVER", 1, 99, "step: got 99; expected at most "),
    ],
)
def test_invalid_positions_are_refused(text, deal, step, fault):
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=1)
    line = table.position(0)
    list(played(table, random.Random(1)))
    over = table.record()
    with pytest.raises(InputError) as refused:
        read_position({"LINE": line, "OVER": over}.get(text, text), deal, step)
    assert str(refused.value).startswith(fault)
    end = len(table.deals()[-1].moves)
    with pytest.raises(InputError, match=f"step: got {end}, the end of the deal; expected an earlier one"):
        read_position(over, 1, end)


def judged_start(table: Table, action: str, values: dict[str, float]) -> Position:
    found = position_in(table.game, table.deals()[-1])
    return Position(found.game, found.deal, found.seat, Move(found.seat, action, values=values))


def test_a_choice_is_compared_with_the_earlier_one():
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    table.move_agents()
    names = [str(action) for action in table.legal(0) if action.verb == "play"]
    values = {name: -float(place) for place, name in enumerate(names)}
    again = Table(table.game, table.seats, start=judged_start(table, names[2], values))
    assert again.message(0)["verdict"] == ""
    for name, told in (
        (names[0], "costs 0.00; before, "),
        (names[1], "is best"),
        (names[2], "again: it costs 2.00; "),
    ):
        again.act(0, name)
        assert told in again.message(0)["verdict"]
        again.move_agents()
        assert told in again.message(0)["verdict"]
        again.undo(0)
        assert again.message(0)["verdict"] == ""


def test_a_choice_is_judged_only_in_the_first_deal_of_a_match():
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    table.move_agents()
    first = str(table.legal(0)[0])
    match = Table(table.game, table.seats, "match", 3, start=judged_start(table, first, {first: 1.0}))
    rng = random.Random(1)
    match.act(0, first)
    assert match.message(0)["verdict"]
    for _ in range(2):
        list(played(match, rng))
        match.next_deal(0)
    for _ in played(match, rng):
        assert match.message(0)["verdict"] == ""
    assert match.message(0)["verdict"] == ""


def test_a_position_can_be_played_repeatedly():
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    table.move_agents()
    table.act(0, str(table.legal(0)[0]))
    start = read_position(table.position(0, all_cards=True))
    again, rng = Table(start.game, table.seats, start=start), random.Random(1)
    for number in (1, 2):
        list(played(again, rng))
        deal = again.deals()[-1]
        assert deal.number == number - 1
        assert deal.moves[: len(start.deal.moves)] == start.deal.moves
        again.next_deal(0)
    assert again.message(0)["from_position"]
