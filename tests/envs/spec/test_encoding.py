"""Encodings: features fill the vector, and each has the size that it declares."""

import numpy as np

from tests.envs.support import OBSERVATIONS, each_variant


@each_variant
def test_features_tile_the_vector(variant):
    game = variant.game
    for encoding in (*game.encodings.values(), game.perfect):
        ends = [0, *(where.stop for where in encoding.slices.values())]
        assert [where.start for where in encoding.slices.values()] == ends[:-1]
        assert ends[-1] == encoding.size
        named = encoding.named(np.arange(encoding.size))
        assert np.concatenate(list(named.values())).tolist() == list(range(encoding.size))
        assert all(feature.meaning for feature in encoding.features)


@each_variant
def test_features_of_cards_suits_and_actions_have_the_size_they_claim(variant):
    game = variant.game
    unit = {"card": len(game.pack.names), "suit": 4, "action": len(game.actions), "value": 1}
    for encoding in (*game.encodings.values(), game.perfect):
        for feature in encoding.features:
            assert feature.size % unit[feature.per] == 0, feature.name


@each_variant
def test_schemas_tell_encodings_apart(variant):
    game = variant.game
    encodings = [*game.encodings.values(), game.perfect]
    assert set(game.encodings) == set(OBSERVATIONS)
    assert len({encoding.schema for encoding in encodings}) == len(encodings)
