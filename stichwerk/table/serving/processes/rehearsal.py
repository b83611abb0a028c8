"""The process that compiles the needs of a table: it plays a deal as tables do.

Reads from its standard input a JSON object: `env` and `rules` of a game, the fields of `Needs`, and `idle`:
whether others are to go first.
"""

import json
import os
import random
import sys

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.envs.games import make_game
from stichwerk.envs.spec.game import Game
from stichwerk.table.cold import note_warm
from stichwerk.table.compiling import Needs
from stichwerk.table.ratings import AgentRatings
from stichwerk.table.table import Table

EVERY = 5  # decisions of a deal, of which agents are asked about one


def rehearse(game: Game, needs: Needs) -> None:
    """Call once all functions that tables of a game call.

    Args:
        game: with its rules
        needs: other functions that are called
    """
    table = Table(game, [None] * game.seats, "match", seed=1)  # the next deal of a match is a function apart
    agents, ratings = [make_agent_for(text, game) for text in needs.agents], AgentRatings(game)
    decision, chance = 0, random.Random(1)
    while not table.result:
        seat = table.turn
        assert seat is not None
        table.message(seat)
        if decision % EVERY == 0:
            for agent in agents:
                agent.act_in(table.env)
                agent.rate(Turns.at(table.env))
            for all_cards in (False, True) if needs.study else ():
                ratings.at(table.env.copy_state(), needs.agents, all_cards)
        table.act(seat, str(chance.choice(table.legal(seat))))
        decision += 1
    table.message(0)
    if needs.review:
        from stichwerk.agents.evaluation.playing import verdicts
        from stichwerk.table import study

        deal, decisions = study.review(game, table.deals()[-1], 0)
        study.decisions_data(game, deal, 0, decisions)
        verdicts.rehearse(game)


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    if asked.pop("idle") and hasattr(os, "nice"):  # not on Windows
        os.nice(15)
    game, needs = make_game(asked.pop("env"), asked.pop("rules")), Needs(**asked)
    rehearse(game, needs)
    if needs.agents and needs.review:
        note_warm(game.env_id)
