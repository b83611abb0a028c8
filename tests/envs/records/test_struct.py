"""Deals as JSON: they have the published schema, read back, and show a seat no more than it knows."""

import json

import pytest

from stichwerk.commands.export import records as convert
from stichwerk.envs.deal import Deal
from stichwerk.envs.records.jsonl import write_records
from stichwerk.envs.records.struct import from_struct, schema
from stichwerk.support.errors import InputError
from tests.agents.support import here
from tests.envs.support import each_variant

jsonschema = pytest.importorskip("jsonschema")


def some_way(env_id: str, rules=None, moves: int = 4, seed: int = 2) -> Deal:
    deal = Deal(env_id, rules, seed=seed)
    while not deal.is_over and len(deal.moves) < moves:
        deal.push(deal.legal_actions[0])
    return deal


@each_variant
def test_every_game_has_the_schema_and_reads_back(variant):
    for moves in (0, 5, 100):
        deal = some_way(variant.env_id, variant.rules, moves)
        struct = json.loads(json.dumps(deal.to_struct()))
        jsonschema.validate(struct, schema())
        again = Deal.from_struct(struct)
        assert (again.game.rules, again.moves, again.record().deck) == (
            deal.game.rules,
            deal.moves,
            deal.record().deck,
        )
        for seat in range(deal.game.seats):
            jsonschema.validate(deal.to_struct(seat), schema())


@each_variant
def test_a_seat_is_shown_what_its_view_has(variant):
    """A deal that agrees with the seat's knowledge gives the same struct."""
    deal = some_way(variant.env_id, variant.rules)
    for seat in range(deal.game.seats):
        struct = deal.to_struct(seat)
        assert "deck" not in struct
        other = Deal.of(deal.game, deal.record(seat))
        assert other.to_struct(seat) == struct
        assert (struct["legal_actions"] == []) == (seat != deal.seat)


def test_what_is_no_struct_is_refused():
    deal = some_way("schnapsen")
    struct = deal.to_struct()
    for change, says in (
        ({"moves": [{"seat": 1, "action": "play sA"}]}, "expected"),
        ({"deck": struct["deck"][1:]}, "deck"),
        ({"moves": "none"}, "expected a list"),
        ({"env": "os:x"}, "environment id"),
    ):
        with pytest.raises(InputError, match=says):
            from_struct({**struct, **change})
    with pytest.raises(InputError, match="got no deck"):
        from_struct(deal.to_struct(0))
    with pytest.raises(InputError, match="expected a deal"):
        from_struct([])


@pytest.mark.parametrize(("game", "ending"), [("preferans", "ppn"), ("schnapsen", "diagram")])
def test_the_command_converts_there_and_back(game, ending, tmp_path, capsys):
    deal = some_way(game, moves=100)
    first = tmp_path / "played.jsonl"
    first.write_text(write_records(deal.game, [deal.record()]))
    before = first
    for name in ("a.txt", "b.json", f"c.{ending}", "d.jsonl"):
        assert here(convert.main, before, tmp_path / name) == 0
        before = tmp_path / name
    assert "wrote" in capsys.readouterr().out
    moves = [line for line in first.read_text().splitlines() if '"move"' in line]
    assert moves == [line for line in before.read_text().splitlines() if '"move"' in line]
    assert here(convert.main, first, before) == 2
    assert "got an existing file" in capsys.readouterr().err
    assert here(convert.main, first, tmp_path / "x.pgn") == 2
    assert "expected a file that ends in" in capsys.readouterr().err
    assert here(convert.main, first, tmp_path / "x.ppn", "--rules", "iklub") == 2
    assert "rules: got some for a record" in capsys.readouterr().err
