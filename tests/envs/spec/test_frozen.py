"""All that players of a game share stays as it is, whoever is handed it."""

import copy
import dataclasses
import json
import pickle
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from stichwerk.envs import Game, make_game
from stichwerk.envs.spec.options import Options
from stichwerk.support.frozen import FrozenDict
from tests.envs.support import each_game

CHANGES = [
    lambda d: d.__setitem__("new", 1),
    lambda d: d.__delitem__(next(iter(d))),
    lambda d: d.__ior__({"new": 1}),
    lambda d: d.update(new=1),
    lambda d: d.setdefault("new", 1),
    lambda d: d.pop(next(iter(d))),
    lambda d: d.popitem(),
    lambda d: d.clear(),
]


def reached(root: Any) -> Iterator[tuple[str, Any]]:
    """All objects of the suite, arrays and containers that can be reached, each with the way to it."""
    seen: dict[int, Any] = {}
    left = [("game", root)]
    while left:
        way, each = left.pop()
        suite = type(each).__module__.startswith("stichwerk.")
        own = suite and not callable(each) and not isinstance(each, (str, int))
        options = isinstance(each, type) and issubclass(each, Options)
        container = isinstance(each, (Mapping, list, tuple, set, frozenset, np.ndarray))
        if id(each) in seen or not (own or options or container):
            continue
        seen[id(each)] = each
        yield way, each
        if isinstance(each, Mapping):
            left += [(f"{way}[{key!r}]", value) for key, value in each.items()]
        elif isinstance(each, np.ndarray):
            continue
        elif container:
            left += [(f"{way}[{number}]", value) for number, value in enumerate(each)]
        else:
            kept = [name for name, made in vars(type(each)).items() if isinstance(made, cached_property)]
            values = {**vars(each), **{name: getattr(each, name) for name in kept if own}}
            left += [(f"{way}.{name}", value) for name, value in values.items() if not name.startswith("__")]


@each_game
def test_nothing_that_a_game_is_made_of_can_be_changed(env_id):
    ways = []
    for way, each in reached(make_game(env_id)):
        ways.append(way)
        if isinstance(each, np.ndarray):
            assert not each.flags.writeable, way
            with pytest.raises(ValueError, match="WRITEABLE"):
                each.flags.writeable = True
        elif isinstance(each, Mapping):
            assert type(each) is FrozenDict, way
        elif not isinstance(each, (tuple, frozenset, type)):
            assert dataclasses.is_dataclass(each), way
            assert type(each).__dataclass_params__.frozen, way
    with pytest.raises(TypeError):
        make_game(env_id).actions[0].verb = "win"
    state = {"known", "blanks", "fresh"}
    assert {f"game.spec.state.{name}" for name in state} | {"game.rules_record"} <= set(ways)


@each_game
def test_rules_and_hidden_fields_cannot_be_overwritten(env_id):
    game = make_game(env_id)
    with pytest.raises((ValueError, TypeError)):
        game.rules_record[game.rules_record.dtype.names[0]] = 20
    with pytest.raises((ValueError, TypeError)):
        game.rules_record[0][game.rules_record.dtype.names[0]] = 20
    for name in ("known", "blanks"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(game.spec.state, name, np.zeros(1))
        with pytest.raises(ValueError, match="read-only"):
            getattr(game.spec.state, name).view(np.uint8)[:] = 0xFF


@pytest.mark.parametrize("change", CHANGES)
def test_a_mapping_of_the_game_refuses_every_change(change):
    index = make_game("schnapsen_v0").action_index
    before = dict(index)
    with pytest.raises(TypeError, match="expected none"):
        change(index)
    assert index == before


def test_a_mapping_of_the_game_is_copied_and_written_as_any():
    index = make_game("schnapsen_v0").action_index
    assert copy.deepcopy(index) is copy.copy(index) is index
    assert pickle.loads(pickle.dumps(index)) == index
    assert json.loads(json.dumps(index)) == index
    assert {**index, "new": 1}["new"] == 1


def test_copies_of_players_share_the_game():
    game: Game = make_game("schnapsen_v0")
    assert copy.deepcopy({"game": game})["game"] is game
    assert copy.deepcopy(game.spec) is game.spec
