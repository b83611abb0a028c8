"""A player as a separate program that speaks the engine protocol (docs/howto/engines.md).

    stichwerk eval "mine=engine:python examples/engines/engine.py" rules --deals 1000

It leads its dearest card and otherwise plays its cheapest one. Replace `choose` by a player of yours.
"""

import json
import sys

POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}


def choose(request):
    """One of the actions in `request["legal"]`."""
    cards = [action for action in request["legal"] if action.startswith("play ")]
    if not cards:
        return request["legal"][0]
    leads = all(hand["played"] is None for hand in request["table"]["hands"])
    return (max if leads else min)(cards, key=lambda action: POINTS.get(action[-1], 0))


def send(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["event"] == "game":
        send(event="ready", protocol=1, name="dearest first", wants=["table"])
    elif message["event"] == "act":
        send(event="move", id=message["id"], action=choose(message))
    elif message["event"] == "end":
        break
