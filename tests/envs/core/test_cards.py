"""Packs and sets of cards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stichwerk.envs.core.cards import Pack, bit, count, first, pretty

CARD_SETS = st.integers(0, 2**24 - 1)


@pytest.mark.parametrize("ranks", ["ATKQJ9", "ATKQJ7", "AKQJT987"])
def test_a_pack_runs_suit_by_suit_from_the_strongest_card(ranks):
    pack = Pack(ranks)
    assert pack.names[:2] == ("sA", "s" + ranks[1])
    assert len(pack.names) == len(set(pack.names)) == 4 * len(ranks)
    assert [name[0] for name in pack.names] == sorted((name[0] for name in pack.names), key="shdc".index)
    assert [pack.parse(name) for name in pack.names] == list(range(4 * len(ranks)))
    assert pack.cards(pack.mask(["hA", "sA"])) == ["sA", "hA"]
    assert pack.mask([]) == 0
    for wrong in ("s1", "", "As", None, 3, ["sA"]):
        with pytest.raises(ValueError, match="unknown card") as refusal:
            pack.parse(wrong)
        assert repr(wrong) in str(refusal.value)
        assert "sA" in str(refusal.value)


def test_pretty_cards():
    assert [pretty(name) for name in ("sA", "hT", "dQ", "c9")] == ["♠A", "♥T", "♦Q", "♣9"]


@settings(deadline=None)  # the first call compiles
@given(CARD_SETS)
def test_sets_of_cards(cards):
    members = [card for card in range(24) if cards >> card & 1]
    assert count(np.int64(cards)) == len(members)
    assert sum(int(bit(card)) for card in members) == cards
    if members:
        assert first(np.int64(cards)) == members[0]
