"""The whole deal of a small pack as a tree, action by action to the end.

Nothing is settled early, as in `tree.py`: the tree tells what best responses win from any play, also from bad
play.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from stichwerk.agents.equilibrium.cfr import response_value
from stichwerk.agents.equilibrium.schnapsen import Worlds, check_rules, worlds_of
from stichwerk.agents.equilibrium.solve import arranged
from stichwerk.agents.equilibrium.tree import ACTIONS, NO_HISTORY, ROOT, Level, Tree
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.replay import Replay
from stichwerk.envs.games.schnapsen.options import SchnapsenRules
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.spec.game import Game, GameSpec

MOST_WORLDS = 20_000


class WholeDeal(NamedTuple):
    """All deals with one turned-up card.

    Attributes:
        tree: of them, in which seat 0 has dealt
        states: for each information set of it a true state, [infos]
    """

    tree: Tree
    states: np.ndarray


def nash_conv(tree: Tree, strategy: np.ndarray) -> float:
    """The gain of best responses of both seats together from a strategy, float64[slots], in game points
    a deal."""
    return sum(response_value(tree, strategy, seat) for seat in (0, 1))


def whole_deals(game: Game, suits: str = "") -> Iterator[WholeDeal]:
    """The trees of all cards that may be turned up; all are equally likely.

    Args:
        game: Schnapsen or Sixty-six with a small pack
        suits: of the cards that are turned up; empty: all. Where the suits of a pack have the same ranks, one
            stands for all.

    Raises:
        InputError: for another game, and for a pack that can be dealt in more than MOST_WORLDS ways.
    """
    check_rules(game)
    rules = game.rules
    assert isinstance(rules, SchnapsenRules)  # as those of all of them are
    cards = [game.pack.parse(name) for name in game.deck]
    down = 2 * rules.in_hand
    for name, card in zip(game.deck, cards, strict=True):
        if not suits or name[0] in suits:
            others = [each for each in cards if each != card]
            start = Replay(game).deal([*others[:down], card, *others[down:]], 0)
            yield _grow(game, start, worlds_of(game, start[0], MOST_WORLDS))


def _grow(game: Game, start: np.ndarray, worlds: Worlds) -> WholeDeal:
    states = arranged(game, start, worlds.hands, worlds.stock)
    everyone, last = np.arange(len(states)), np.full((len(states), 2), ROOT)
    zeros = np.zeros(len(states), np.int64)
    level = Level(states, everyone, zeros, _after_draws(np.stack((zeros, zeros), 1), states), last, zeros)
    parts, asked, steps = list[dict[str, np.ndarray]](), list[np.ndarray](), [np.zeros((1, 2), np.int64)]
    ends, first_worlds = np.zeros(0, np.int32), everyone
    histories = infosets = slots = publics = 0
    while len(level.nodes):
        seats = level.nodes["seat"].astype(np.int64)
        key = level.common * (level.private.max() + 1) + level.private[np.arange(len(seats)), seats]
        order = np.argsort(key, kind="stable")
        level, key = level.of(order), key[order]
        if parts:
            ends[level.origins] = histories + np.arange(len(key))
        else:
            first_worlds = level.worlds
        _, begins, infos = np.unique(key, return_index=True, return_inverse=True)
        part, level_after, found = _played(game, level, begins, infos, (len(ends), slots))
        part["infos"] = (infosets + infos).astype(np.int32)
        part["publics"] = publics + level.common[begins]
        parts.append(part)
        asked.append(level.nodes[begins])
        ends = np.concatenate((ends, np.full(len(part["values"]), NO_HISTORY, np.int32)))
        histories, infosets, slots = (
            histories + len(key),
            infosets + len(begins),
            slots + len(part["actions"]),
        )
        steps.append(np.stack((publics + found // ACTIONS, found % ACTIONS), axis=1))
        publics, level = sum(map(len, steps[:-1])), level_after
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    joined["edges"] = np.append(joined["edges"], len(ends))
    joined["slots"] = np.append(joined["slots"], slots)
    tree = Tree(
        levels=np.concatenate(([0], np.cumsum([len(part["infos"]) for part in parts]))),
        ends=ends,
        steps=np.concatenate(steps),
        worlds=first_worlds,
        weights=worlds.weights[first_worlds],
        **joined,
    )
    return WholeDeal(tree, np.concatenate(asked))


def _played(
    game: Game, level: Level, begins: np.ndarray, infos: np.ndarray, before: tuple[int, int]
) -> tuple[dict[str, np.ndarray], Level, np.ndarray]:
    """Play all actions of a level.

    Args:
        game: under its rules
        level: in order of its information sets
        begins: int64[infos], the first history of each
        infos: int64[histories], the information set of each
        before: the edges and the slots of the levels before

    Returns:
        The level as a part of the tree, the histories that follow, and what everybody has seen of them, as
        the number before times ACTIONS and the action.
    """
    count, expand = _compile(game.spec)
    states, (first_edge, first_slot) = level.nodes, before
    seats = states["seat"].astype(np.int64)
    numbers = count(game.rules_record, states)
    slots = np.concatenate(([0], numbers[begins].cumsum()))
    edges = np.concatenate(([0], numbers.cumsum()))
    after, actions = np.empty(edges[-1], states.dtype), np.empty(edges[-1], np.int64)
    expand(game.rules_record, states, after, actions)
    taken = first_slot + np.repeat(slots[infos] - edges[:-1], numbers) + np.arange(edges[-1])
    goes_on = after["over"] == 0
    part = {
        "edges": first_edge + edges[:-1],
        "values": np.where(goes_on, 0, after["deal_points"][:, 0]).astype(np.int8),
        "slots": first_slot + slots[:-1],
        "owners": seats[begins].astype(np.int8),
        "before": level.last[begins, seats[begins]].astype(np.int32),
        "hands": states["hand"][begins, seats[begins]].astype(np.int64),
        "samples": level.worlds[begins].astype(np.int32),
        "actions": actions[np.repeat(edges[begins] - slots[:-1], numbers[begins]) + np.arange(slots[-1])],
    }
    parents, actions = np.repeat(np.arange(len(states)), numbers)[goes_on], actions[goes_on]
    found, common = np.unique(level.common[parents] * ACTIONS + actions, return_inverse=True)
    last, after = level.last[parents], after[goes_on]
    last[np.arange(len(parents)), seats[parents]] = taken[goes_on]
    private, origins = _after_draws(level.private[parents], after), first_edge + np.flatnonzero(goes_on)
    return part, Level(after, level.worlds[parents], common, private, last, origins), found


def _after_draws(private: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Number again what each seat alone has seen, int64[n, 2]: its hand has changed."""
    joined = private << 32 | states["hand"].astype(np.int64)
    return np.stack([np.unique(joined[:, seat], return_inverse=True)[1] for seat in (0, 1)], axis=1)


@cache
def _compile(spec: GameSpec):
    """`count(rules, states)` of the legal actions, and `expand`, which plays them all."""
    engine = engine_for(spec, False)
    apply, legal, width = engine.apply, engine.legal, len(spec.actions)

    @compiled
    def count(rules, states):
        numbers, mask = np.empty(len(states), np.int64), np.zeros(width, np.int8)
        for i in range(len(states)):
            legal(rules[0], states[i], mask)
            numbers[i] = mask.sum()
        return numbers

    @compiled
    def expand(rules, states, after, actions):
        made, mask = 0, np.zeros(width, np.int8)
        for i in range(len(states)):
            legal(rules[0], states[i], mask)
            for action in range(width):
                if mask[action]:
                    after[made] = states[i]
                    apply(rules[0], after[made], action)
                    actions[made] = action
                    made += 1

    return count, expand
