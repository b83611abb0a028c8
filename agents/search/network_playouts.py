"""Playouts by a network: many deals are played on side by side, one decision of each in one pass."""

from functools import cache
from typing import Protocol

import numpy as np

from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.networks.sampling import pick
from stichwerk.agents.search.endgame import Endings, endings_for
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.equity import NO_EQUITY, equity_in, match_equity, values_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import row
from stichwerk.envs.spec.game import Game, GameSpec
from stichwerk.envs.spec.hooks import Observe


class NetworkPlayouts:
    """Deals of a game played on by a network in all seats, until all cards are known (see `Advance`).

    Args:
        game: The game under its rules.
        agent: Plays by the network.
        endings: Another way to value endings than that of the game.
    """

    def __init__(self, game: Game, agent: NetworkAgent, endings: Endings | None = None):
        self._game, self._agent = game, agent
        self._encoding = game.encoding(agent.observation)
        self._rules, self._sees = game.rules_record, agent.sees.rules_record
        endings = endings or endings_for(game.env_id, game.spec)
        self._step_worlds = _stepper(game.spec, self._encoding.observe, endings)

    def play_each(
        self,
        worlds: np.ndarray,
        seat: int,
        actions: np.ndarray,
        workspace: np.ndarray,
        random: np.random.Generator | None,
    ) -> tuple[np.ndarray, int]:
        """Play each action in each sampled deal, and then on.

        Returns:
            What they bring the seat, as `play_on` has it, float64[worlds, actions], and how many positions
            came up.
        """
        states, moves = np.repeat(worlds, len(actions)), np.tile(actions, len(worlds))
        seats = np.full(len(states), seat)
        values, nodes = self.play_on(states, moves, seats, workspace, random, equity_in(self._game, worlds))
        return values.reshape(len(worlds), len(actions)), nodes

    def play_on(
        self,
        states: np.ndarray,
        moves: np.ndarray,
        seats: np.ndarray,
        workspace: np.ndarray,
        random: np.random.Generator | None,
        equity: np.ndarray = NO_EQUITY,
    ) -> tuple[np.ndarray, int]:
        """Play one action in each state, and then on.

        Args:
            states: records[n], played on in place.
            moves: int64[n], the first action in each.
            seats: int64[n], whose deal points count.
            equity: by which deals of matches are valued, as `equity_in` returns it.
            workspace: of `Advance`.
            random: draws actions by the network's probabilities; without it the likeliest are played.

        Returns:
            The deal points, float64[n], or by an equity what the seats gain of the probability to win. And
            how many positions came up.
        """
        values, before = np.zeros(len(states)), self._standings(states, seats, equity)
        observation = np.empty((len(states), self._encoding.size), np.float32)
        mask = np.empty((len(states), len(self._game.actions)), np.int8)
        which, moves = np.arange(len(states)), moves.copy()
        nodes = 0
        while True:
            rows, positions = self._step_worlds(
                self._rules,
                self._sees,
                states,
                which,
                moves,
                seats,
                equity,
                values=values,
                workspace=workspace,
                observation=observation,
                mask=mask,
            )
            nodes += positions
            if not rows:
                return values if before is None else values - before, nodes
            which, legal = which[:rows], mask[:rows]
            likely = self._agent.log_probabilities(observation[:rows], legal)
            moves = pick(likely, legal, random, self._agent.name)

    def _standings(self, states: np.ndarray, seats: np.ndarray, equity: np.ndarray) -> np.ndarray | None:
        """The seats' probabilities of winning before the deals, float64[n]; None where points count."""
        if not len(equity):
            return None
        probabilities = match_equity(self._game)
        assert probabilities
        return probabilities.of(states)[np.arange(len(states)), seats]


class StepWorlds(Protocol):
    """Play a move in each of some states, then forced moves up to the next decision.

    The playout ends where `Advance` ends it, if no decision comes before.

    Args:
        rules: one record.
        sees: the rules by which observations are written, one record.
        states: records, played on in place.
        which: int64[n], the indices of the states; on return the first ones are those that go on.
        moves: int64[n], the action in each of them.
        seats: int64[states], the seats whose values are written.
        equity: by which deals of matches are valued.
        values: written, float64[states]: where the playout has ended the seat's deal points, or by an equity
            its probability of winning.
        workspace: of `Advance`.
        observation: written, float32[rows, features]: of the states that go on.
        mask: written, int8[rows, actions]: of the states that go on.

    Returns:
        How many states go on, and how many positions came up.
    """

    def __call__(
        self,
        rules: np.ndarray,
        sees: np.ndarray,
        states: np.ndarray,
        which: np.ndarray,
        moves: np.ndarray,
        seats: np.ndarray,
        equity: np.ndarray,
        values: np.ndarray,
        workspace: np.ndarray,
        observation: np.ndarray,
        mask: np.ndarray,
    ) -> tuple[int, int]: ...


@cache
def _stepper(spec: GameSpec, observe: Observe, endings: Endings) -> StepWorlds:
    engine = engine_for(spec, False)
    redact, legal, advance = engine.redact, engine.legal, endings.advance
    worth = values_for(spec).worth
    blank = spec.state.fresh

    @compiled
    def step_worlds(rules, sees, states, which, moves, seats, equity, values, workspace, observation, mask):
        scratch = blank.copy()
        rows = nodes = 0
        for i in range(len(which)):
            number, action = which[i], moves[i]
            state, view = states[number], scratch[0]
            allowed = row(mask, rows)
            while True:
                ended, positions = advance(rules[0], state, action, workspace[0])
                nodes += positions
                if ended:
                    break
                redact(rules[0], state, state.seat, view)
                legal(rules[0], view, allowed)
                if allowed.sum() > 1:
                    break
                action = allowed.argmax()
            if ended:
                values[number] = worth(rules[0], state, seats[number], equity)
            else:
                seen = row(observation, rows)
                seen[:] = 0
                observe(sees[0], view, state.seat, seen)
                which[rows] = number
                rows += 1
        return rows, nodes

    return step_worlds
