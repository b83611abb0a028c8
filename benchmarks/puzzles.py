"""The results of agents on the puzzles in the package: python benchmarks/puzzles.py [--agents rules …]

An agent sees what its seat sees, so not all cards. The first row of a game is the mean over all actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from common import print_table

from stichwerk.agents import make_agent_for
from stichwerk.agents.language.puzzles import Puzzle, Score, read_puzzles
from stichwerk.cli import parse, run
from stichwerk.envs import CardGameEnv


@dataclass(frozen=True, kw_only=True)
class Options:
    """Print how often agents find the best action of the puzzles in the package, and what they lose."""

    agents: tuple[str, ...] = ("rules",)
    """The agents, such as rules; each must play all games."""


def main(options: Options) -> None:
    puzzles, rows = read_puzzles(), []
    for env_id in dict.fromkeys(puzzle.env for puzzle in puzzles):
        some = [puzzle for puzzle in puzzles if puzzle.env == env_id]
        every = [score for puzzle in some for score in weighed(puzzle)]
        rows.append([env_id, "any action", *summary(every)])
        for agent in options.agents:
            rows.append([env_id, agent, *summary([(score, 1.0) for score in scores(agent, env_id, some)])])
    print_table(["puzzles of", "agent", "best", "lost", "reward"], rows)


def weighed(puzzle: Puzzle) -> list[tuple[Score, float]]:
    """The score of each action, with its share of the puzzle."""
    return [(puzzle.score(action), 1 / len(puzzle.actions)) for action in puzzle.actions]


def scores(text: str, env_id: str, puzzles: Sequence[Puzzle]) -> list[Score]:
    env = CardGameEnv(env_id)
    agent = make_agent_for(text, env.game)
    found = []
    for puzzle in puzzles:
        _, deal = puzzle.position()
        env.reset(options=deal.options())
        found.append(puzzle.score(env.game.actions[agent.act_in(env)]))
    return found


def summary(scores: Sequence[tuple[Score, float]]) -> list[str]:
    whole = sum(share for _, share in scores)
    best, lost, reward = (
        sum(value(score) * share for score, share in scores) / whole
        for value in (lambda score: score.lost == 0, lambda score: score.lost, lambda score: score.reward)
    )
    return [f"{best:.0%}", f"{lost:.2f}", f"{reward:.2f}"]


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
