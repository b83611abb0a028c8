"""VU Schnapsen: a game of its engine between two random bots; it has views and legal moves, no arrays"""

import random

from schnapsen.bots import RandBot
from schnapsen.game import SchnapsenGamePlayEngine

PACKAGE = "schnapsen"
engine, rng, counted = SchnapsenGamePlayEngine(), random.Random(1), [0]


class Counting(RandBot):
    def get_move(self, perspective, leader_move):
        counted[0] += 1
        return super().get_move(perspective, leader_move)


bots = Counting(random.Random(1)), Counting(random.Random(2))


def play() -> int:
    counted[0] = 0
    engine.play_game(*bots, rng)
    return counted[0]
