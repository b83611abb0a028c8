"""The account of a deal that is over: its figures are those of the result, and a seat's view tells it."""

import random
import re

import pytest

from stichwerk.table.table import Table
from tests.envs.support import each_variant

DEALS = 4


def ended(game, seed):
    """A table of agents after some deals of a match, at the end of each."""
    table, chance = Table(game, [None] * game.seats, "match", seed=seed), random.Random(seed)
    for _ in range(DEALS):
        while not table.result:
            table.act(table.turn, str(chance.choice(table.legal(table.turn))))
        yield table
        for seat in range(game.seats):
            table.next_deal(seat)


@each_variant
def test_an_account_ends_with_the_points_that_the_deal_paid(variant):
    game = variant.game
    if game.spec.account is None:
        pytest.skip("the game gives no account")
    for table in ended(game, seed=3):
        points, account = table.result.points, table.account(0)
        assert account
        assert all(table.account(seat) == account for seat in range(game.seats))
        shares = [
            re.findall(r"^player_(\d): .*?([+-]\d+),.*?([+-]\d+),.*?([+-][\d.]+)\.$", line)
            for line in account
        ]
        if told := [share for (share,) in filter(None, shares)]:
            assert {int(seat): sum(map(float, parts)) for seat, *parts in told} == pytest.approx(
                dict(enumerate(points)), abs=0.01
            )
        elif any(points):
            (value,) = re.findall(r": (\d) game points?\b", account[0])
            assert float(value) in {abs(each) for each in points} | {abs(each) / 2 for each in points}
            named = {int(seat) for seat in re.findall(r"player_(\d)", account[0])}
            assert named
