"""Portable Preferans Notation: deals go out and come in equal, and differences are named."""

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from stichwerk.envs import make_game
from stichwerk.envs.bridges.ppn import read_ppn, write_ppn
from stichwerk.envs.bridges.ppn.auction import auction_of
from stichwerk.envs.bridges.ppn.form import LETTERS
from stichwerk.envs.deal import Deal
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError

CARDS = "1BDHM27WQK4CEIN3FVRJS5LP8GU6AOT9"
PUBLISHED = f"""\
[Bula 60]
[Refe 2]
[Player1 cope]
[Player2 silvio_pu]
[Player3 elmacedon]
[Result1 458]
[Result2 88]
[Result3 -546]

[1 312 {CARDS} P,P,P]
"""
CALLS = "igra", "bid", "come", "kontra", "together", "declare", "discard"


def played(game: Game, seed: int, match: dict | None = None, dealer: int | None = None) -> DealRecord:
    """A deal by random actions; calls are more likely than passing, so that many hands are played."""
    rng = random.Random(seed)
    options = {name: value for name, value in (("match", match), ("dealer", dealer)) if value is not None}
    deal = Deal(game.env_id, game.rules.as_dict(), seed=seed, options=options)
    while not deal.is_over:
        liked = [action for action in deal.legal_actions if action.startswith(CALLS)]
        deal.push(rng.choice(liked if liked and rng.random() < 0.5 else deal.legal_actions))
    return deal.record()


def ambiguous(deal: DealRecord) -> bool:
    """True if plain igra became a game without trumps among several who said it."""
    words = [move.action for move in deal.moves]
    several = sum(word.startswith("igra") for word in words) > 1
    return several and "igra" in words and bool({"declare 6", "declare 7", "declare 8"} & {*words})


def in_a_match(game: Game, deals: int) -> Iterator[DealRecord]:
    replay, match = RecordReplay(game), None
    for seed in range(deals):
        record = replace(played(game, seed, match, seed % 3), players=("a", 'b "x"', "c d"))
        yield record
        match = dict(game.match_of(replay.check(record)[0]))


def assert_equal(game: Game, deals: list[DealRecord], text: str) -> None:
    for one, two in zip(deals, read_ppn(text), strict=True):
        assert not two.differences
        assert two.game.rules == game.rules
        names = one.players or ("player_0", "player_1", "player_2")
        assert replace(two.record, match=dict(two.record.match)) == replace(
            one, match=dict(one.match), players=names
        )


def test_the_cards_have_the_letters_of_the_published_table():
    assert (LETTERS["1"], LETTERS["8"], LETTERS["G"], LETTERS["H"], LETTERS["W"]) == (
        "s7",
        "sA",
        "dA",
        "h7",
        "cA",
    )
    assert {*LETTERS.values()} == {*make_game("preferans_v0").deck}


@pytest.mark.parametrize(
    "rules",
    [None, "serbian_club", "iklub", "croatian", {"enable_preferans": True, "igra_tie": "last", "start": 60}],
    ids=str,
)
def test_deals_of_any_rules_come_back_equal(rules):
    game = make_game("preferans_v0", rules)
    deals = [deal for seed in range(8) if not ambiguous(deal := played(game, seed))]
    assert len(deals) > 4
    assert_equal(game, deals, write_ppn(game, deals))


def test_a_match_stands_under_its_tags_once():
    game = make_game("preferans_v0", {"start": 1000})
    deals = [*in_a_match(game, 15)]
    text = write_ppn(game, deals)
    assert text.count("[Bula 1000]") == 1
    assert '[Player2 "b \\"x\\""]' in text
    assert_equal(game, deals, text)
    assert_equal(game, deals[5:], write_ppn(game, deals[5:]))  # from the middle: with the score sheet


@pytest.mark.slow
def test_a_thousand_deals_come_back_equal():
    game = make_game("preferans_v0")
    deals = [played(game, seed) for seed in range(1_000)]
    kinds = {word for deal in deals for word in [move.action.split()[0] for move in deal.moves]}
    assert kinds >= {"igra", "bid", "kontra", "together", "stay", "discard"}
    assert_equal(game, deals, write_ppn(game, deals))


def test_different_auctions_have_different_bids():
    """So the one that is found from the highest bids is the one that was."""
    game = make_game("preferans_v0")
    replay, options = RecordReplay(game), {"dealer": 2, "deck": list(game.deck)}
    checked = 0
    for seed in range(40):
        record = played(game, seed, dealer=2)
        state = replay.check(record)[0]
        text = write_ppn(game, [record])
        bids = text.splitlines()[-1].split()[3].rstrip("]").split(",")
        found = auction_of(replay, bids, (0, 1, 2), options, int(state.declarer))
        assert found == [move.action for move in record.moves][: len(found)]
        checked += len(found) > 3
    assert checked > 5


def test_the_published_deals_that_have_their_cards_are_read():
    """Those of 2012 write D for a pass."""
    (deal,) = read_ppn(PUBLISHED)
    assert [move.in_words for move in deal.record.moves] == [
        "player_2 pass",
        "player_0 pass",
        "player_1 pass",
    ]
    assert deal.record.players == ("cope", "silvio_pu", "elmacedon")
    assert (deal.game.rules.start, deal.game.rules_record[0].refa_limit) == (60, 2)
    assert deal.record.deck[:5] == ("s7", "dJ", "hQ", "h7", "d9") or deal.record.deck[0] == "s7"
    (again,) = read_ppn(PUBLISHED.replace("P,P,P", "D,D,D"))
    assert again.record == deal.record


def test_differences_are_named():
    game = make_game("preferans_v0")
    deal = next(
        record
        for record in (played(game, seed) for seed in range(50))
        if sum(move.action.startswith("play") for move in record.moves) > 12
    )
    lines = write_ppn(game, [deal]).splitlines()
    words = lines[-1].split()
    value = 10 if words[-4] != "10" else 12
    words[-4], words[-1] = str(value), "M9:-99,0,0]"
    (read,) = read_ppn("\n".join([*lines[:-1], " ".join(words)]))
    assert read.record.moves == deal.moves
    assert [each.partition(":")[0] for each in read.differences] == ["value", "summary"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"[1 321 {CARDS} P,P,P]", "order of dealing: got 321; expected 123, 231 or 312"),
        (f"[1 123 {CARDS} P,P]", "bids: got 'P,P'; expected three"),
        (f"[1 123 {CARDS}]", "got no bids"),
        (f"[1 123 {CARDS} P,2,P 2 AR]", "expected 1, or 6 and more"),
        (f"[1 123 {CARDS} P,2,P 2 AR 4 3 X3 0 8]", "kontra: got 'X3'"),
        (f"[1 123 {CARDS} P,2,P 3 AR 4 3 0 0 8]", "bids: got P,2,P; expected those of an auction"),
        (f"[1 123 {CARDS} P,5,P 2 AR 5 3 0 0 8]", "expected those of an auction"),
        (f"[1 123 {CARDS} P,2,P 2 11 4 8 0 0 8 1 123 0,0,0]", "got 'discard s7' of player 2"),
        (f"[1 123 1{CARDS[:-1]} P,P,P]", "card"),
        ("1. e4 e5", "expected a tag or a deal in brackets"),
        ("[Bula x]\n" + f"[1 123 {CARDS} P,P,P]", "Bula: got 'x'"),
    ],
)
def test_what_is_no_deal_is_refused_with_its_line(line, says):
    with pytest.raises(InputError, match="PPN, line") as error:
        list(read_ppn(line))
    assert says in str(error.value)


def test_what_the_notation_cannot_tell_is_refused():
    game = make_game("preferans_v0", "croatian")
    deal = next(deal for seed in range(200) if ambiguous(deal := played(game, seed)))
    with pytest.raises(InputError, match="expected it named at once"):
        write_ppn(game, [deal])


def test_other_games_are_refused():
    for game in (make_game("schnapsen_v0"), make_game("preferans_v0", {"players": 4})):
        with pytest.raises(InputError, match="expected preferans_v0 of 3"):
            write_ppn(game, [])
    unfinished = Deal("preferans", seed=1)
    with pytest.raises(InputError, match="unfinished"):
        write_ppn(unfinished.game, [unfinished.record()])


def test_results_are_the_standing_after_the_last_deal():
    game = make_game("preferans_v0", {"start": 1000})
    deals = [*in_a_match(game, 4)]
    sheet = RecordReplay(game).check(deals[-1])[0].sheet[:3, :3].astype(int)
    standing = sheet.sum(axis=1) - sheet.sum(axis=0) - 10 * np.diag(sheet)
    text = write_ppn(game, deals)
    for seat in range(3):
        assert f"[Result{seat + 1} {standing[seat]}]" in text
