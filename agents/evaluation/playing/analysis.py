"""Analyse a position: how agents rate each legal action, and what it is worth where all cards are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.rules import has_rule_player
from stichwerk.agents.core.agent import Agent, Rating, Turns
from stichwerk.agents.registry import shipped_network
from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.search.rollout import LEAST_DOUBT
from stichwerk.agents.solver import PositionTooLarge, solve
from stichwerk.envs.core.actions import Action
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.equity import as_of_match
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.spec.game import Game
from stichwerk.support.errors import InputError
from stichwerk.support.numbers import in_value


@dataclass(frozen=True)
class Analysis:
    """The legal actions of the seat to act, as agents rate them.

    Attributes:
        view: what this seat knows, an array of one record
        ratings: of each agent, by its name
        exact: the game points of each action by name with all cards known. None: cards are hidden, or the
            position is too large for the solver
        too_large: whether it is too large
    """

    seat: int
    view: np.ndarray
    ratings: Mapping[str, Rating]
    exact: Mapping[str, float] | None
    too_large: bool


def analyse(
    game: Game, states: np.ndarray, agents: Sequence[Agent], seed: int, nodes: int, all_known: bool
) -> Analysis:
    """Let agents rate the position of a true state; they are shown what the seat to act knows.

    Args:
        game: with its rules
        states: in the middle of a deal, an array of one record
        agents: that play this game
        seed: of the agents' random choices
        nodes: the most that the exact solver may look at
        all_known: whether exact values may use the cards that are hidden from the seat. Otherwise there are
            exact values only where the seat can tell all cards

    Raises:
        InputError: the deal is over, or an agent cannot be asked.
    """
    if states[0].over:
        raise InputError("the deal is over: there is nothing to analyse")
    seat, replay = int(states[0].seat), RecordReplay(game)
    view, mask = replay.seen_by(states, seat)
    view = as_of_match(game, view)
    turn = Turns.one(view, seat, mask)
    ratings = {}
    for place, agent in enumerate(agents):
        agent.seed_for(seed, Use.AGENTS, Use.TEST, place)
        ratings[agent.name] = agent.rate(turn)
    of_worlds = int(stream_seed(seed, Use.WORLDS))
    world = states if all_known else ExactPlayer(game).only_world(view, seat, of_worlds)
    exact, too_large = None, False
    if world is not None:
        try:
            exact = solve(game, world, nodes)
        except PositionTooLarge:
            too_large = True
    return Analysis(seat, view, ratings, exact, too_large)


def analysis_rows(game: Game, analysis: Analysis) -> tuple[list[str], list[tuple[Action, list[str]]]]:
    """An analysis in words: of each action probabilities, values with 95 % intervals, and `*` at choices.

    Args:
        game: of the analysis
        analysis: with at least one agent

    Returns:
        The heads of the columns, and for each action its cells. The best action comes first, by exact values,
        or by the first agent that has any.
    """
    ratings, exact = analysis.ratings, analysis.exact
    (actions, *_) = (rating.actions for rating in ratings.values())
    rows = []
    for place in _best_first(game, analysis, actions):
        action = game.actions[actions[place]]
        cells = [_cell(rating, place) for rating in ratings.values()]
        rows.append((action, cells if exact is None else [*cells, f"{exact[str(action)]:+g}"]))
    return [*ratings, *(() if exact is None else ("exact",))], rows


def _best_first(game: Game, analysis: Analysis, actions: np.ndarray) -> list[int]:
    """The places of the actions in the order of the rows."""
    ratings = analysis.ratings.values()
    columns = [each.values for each in ratings] + [each.probabilities for each in ratings]
    if analysis.exact is not None:
        columns.insert(0, np.array([analysis.exact[str(game.actions[action])] for action in actions]))
    known = [column for column in columns if column is not None]
    return np.argsort(-known[0], kind="stable").tolist() if known else [*range(len(actions))]


def _cell(rating: Rating, place: int) -> str:
    """An agent's rating of one action."""
    words = []
    if rating.probabilities is not None:
        words.append(f"{100 * rating.probabilities[place]:.0f} %")
    if rating.values is not None:
        value = rating.values[place]
        margin = None if rating.margins is None else rating.margins[place]
        if np.isnan(value):
            words.append("–")
        else:
            sure = margin is None or margin < LEAST_DOUBT
            words.append(in_value(value, None if sure else margin, rating.of_match))
    return "  ".join([*words, *(["*"] if rating.actions[place] == rating.chosen else [])])


def usual_agents(game: Game) -> list[Agent]:
    """The rule-based player of a game, the shipped network that plays it, and rollout."""
    texts = ["rules"] if has_rule_player(game.env_id) else []
    if network := shipped_network(game):
        texts.append(f"ppo:{network}")
    return [make_agent_for(text, game) for text in (*texts, "rollout")]
