"""Exchange of cards that a seat cannot see, in any environment whose cards are Python objects.

The cards are found by walking through the environment's attributes. What is named a hand and lies at a place
with a player's number or name is that player's; what is named a deck or a stock is nobody's. All that is not
the seat's own hand is then shuffled. Where this changes what the seat observes, the seat is shown what lies
in another hand, or in the deck. Cards that a seat was shown before, such as one taken from the discards, are
not known to this module: findings after the first decision are for the reader to judge.
"""

import random
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

Exchange = Callable[[Any, str, random.Random], bool]
"""Changes, in place, cards of an environment that the agent of this name cannot see, by random numbers;
returns whether there were any."""

HAND = re.compile(r"hand|hole")
STOCK = re.compile(r"deck|stock|talon|draw_?pile")
OPEN = re.compile(r"discard|played|public|communit|table|trash|histor|meld|known|trick|init")
DEEPEST = 9
MOST_OBJECTS = 20_000
CARD = {"rank", "suit"}, {"color", "trait"}, {"type", "trait"}, {"color", "rank"}  # attributes of cards


class Slot(NamedTuple):
    """A place that holds one card.

    Attributes:
        path: the names and indices that lead to it
        within: a list, or the attributes of an object
        key: the card's index or name in it
        card: what it holds
    """

    path: tuple[Any, ...]
    within: Any
    key: Any
    card: Any

    def name(self, agents: Sequence[str]) -> str:
        """The last name on the way that is no agent's."""
        names = [part for part in self.path if isinstance(part, str) and part not in agents]
        return names[-1].lower() if names else ""


def slots_of(env: Any) -> list[Slot]:
    """The cards of an environment in hands and stocks."""
    agents, slots = [*env.possible_agents], []
    for slot in _walk(env):
        name = slot.name(agents)
        if (HAND.search(name) or STOCK.search(name)) and not OPEN.search(name):
            slots.append(slot)
    return slots


def _walk(root: Any) -> Iterator[Slot]:
    waiting: deque[tuple[tuple[Any, ...], Any]] = deque(
        [((), root)]
    )  # the shortest path to each object comes first
    seen: set[int] = set()
    while waiting and len(seen) < MOST_OBJECTS:
        path, here = waiting.popleft()
        if id(here) in seen or len(path) > DEEPEST:
            continue
        seen.add(id(here))
        in_list = isinstance(here, list)
        for key, value in _parts(here):
            if is_card(value, in_list):
                holder = here if in_list or isinstance(here, dict) else _attributes(here)
                yield Slot((*path, key), holder, key, value)
            elif not isinstance(value, (str, bytes, int, float, complex, type(None))):
                waiting.append(((*path, key), value))


def _parts(here: Any) -> Iterator[tuple[Any, Any]]:
    plain = (ModuleType, FunctionType, MethodType, BuiltinFunctionType, type, np.ndarray, random.Random)
    if isinstance(here, (*plain, np.random.Generator, np.random.RandomState)):
        return
    if isinstance(here, dict):
        yield from here.items()
    elif isinstance(here, (list, tuple)):
        yield from enumerate(here)
    else:
        yield from _attributes(here).items()


def _attributes(value: Any) -> dict[Any, Any]:
    """The attributes of an object; none for what answers everything, as some modules' wrappers do."""
    attributes = getattr(value, "__dict__", None)
    return attributes if isinstance(attributes, dict) else {}


def is_card(value: Any, in_list: bool) -> bool:
    """True for an object that has a card's attributes, and in lists for short texts and numbers."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return in_list and (not isinstance(value, str) or 0 < len(value) < 16)
    names = {name.lstrip("_") for name in _attributes(value) if isinstance(name, str)}
    return any(kind <= names for kind in CARD)


def owner_of(slot: Slot, agents: Sequence[str]) -> str | None:
    """The agent whose hand holds a card; None if no hand does."""
    if not HAND.search(slot.name(agents)):
        return None
    for part in slot.path[:-1]:
        if isinstance(part, int) and part < len(agents):
            return agents[part]
        if part in agents:
            return str(part)
    return None


def hidden_from(env: Any, agent: str) -> list[Slot]:
    """The cards that lie in the hands of others, or in a stock that holds none of any hand."""
    agents, slots = [*env.possible_agents], slots_of(env)
    owners = [owner_of(slot, agents) for slot in slots]
    in_hands = {_identity(slot) for slot, owner in zip(slots, owners, strict=True) if owner}
    decks = {
        id(slot.within)
        for slot, owner in zip(slots, owners, strict=True)
        if not owner and _identity(slot) in in_hands
    }
    hidden = []
    for slot, owner in zip(slots, owners, strict=True):
        stock = STOCK.search(slot.name(agents)) and id(slot.within) not in decks
        if stock if owner is None else owner != agent:
            hidden.append(slot)
    return hidden


def exchange_cards(env: Any, agent: str, rng: random.Random) -> bool:
    """Shuffle the cards that an agent does not hold, as `Exchange` has it."""
    hidden, changed = hidden_from(env.unwrapped, agent), False
    for kind in sorted({type(slot.card) for slot in hidden}, key=str):
        own = [slot for slot in hidden if type(slot.card) is kind]
        cards = [slot.card for slot in own]
        rng.shuffle(cards)
        for slot, card in zip(own, cards, strict=True):
            changed |= slot.card is not card
            slot.within[slot.key] = card
    return changed


def _identity(slot: Slot) -> Any:
    """The identity of a card: that of an object, or the value of a text or number."""
    value = slot.card
    return (type(value), value) if isinstance(value, (str, int)) else id(value)
