"""Results with less luck: what an agent's decisions gain over those of an opponent whose policy is known.

Over duplicate deals an opponent wins nothing from itself. So an agent's expected gain is a sum over its
decisions: the value of its action less the value of what the opponent would have done there. Both are played
on by the opponent in all seats. This is the performance difference lemma, and an advantage-sum estimator, as
AIVAT is. Taken in the true deal these differences add up to the points won, luck included. Here each is the
mean over worlds.

Given what a seat knows, every deal that agrees is equally likely. The opponent's policy rules out those in
which it would have acted otherwise. Sampled deals that are left are as likely as the true one. So the mean
over them and the true deal has no bias, however few there are. The agent's own policy need not be known: what
it has done, it knew when it decided.
"""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np

from stichwerk.agents.base import FORFEIT, Agent
from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.builtin.rules import Choose
from stichwerk.agents.evaluation.played import Played
from stichwerk.agents.evaluation.tallies import Seating
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import Game, GameSpec

TRIES = 16  # sampled deals for each world that is wanted; the opponent's policy rules most of them out

STATES = 5  # the deal, a view of it, a world, and another state with its view


def judged_agent(game: Game, agents: Sequence[Agent]) -> int | None:
    """Whose decisions can be valued by those of the other of two agents.

    Args:
        game: The game under its rules.
        agents: Both of them; the first has one side, the second all others.

    Returns:
        The agent's number. None where the other agent's policy is not that of a rule-based player, or where
            seats have partners, whose policies are not known.
    """
    if game.side_count != game.seats or len(agents) != 2:
        return None
    if type(agents[1]) is RulesAgent:  # a subclass may act otherwise
        return 0
    return 1 if game.seats == 2 and type(agents[0]) is RulesAgent else None


class Advantages:
    """Values the decisions of one agent by those of a rule-based opponent, which has all other seats.

    Args:
        game: The game under its rules; each seat plays alone.
        opponent: Its rule-based player.
        judged: The number of the agent whose decisions are valued.
        worlds: How many there are at most for each decision, the true deal among them.
        start_states: Whether the deals begin in start states that the game draws.
    """

    def __init__(
        self, game: Game, opponent: RulesAgent, judged: int, worlds: int, start_states: bool = False
    ):
        self._game, self._judged, self._worlds = game, judged, worlds
        self._value_deal = _deal_valuer(game.spec, opponent.choose, start_states)
        self._forfeits = np.array([game.forfeit(seat)[seat] for seat in range(game.seats)])

    @classmethod
    def between(
        cls, game: Game, agents: Sequence[Agent], worlds: int, start_states: bool
    ) -> "Advantages | None":
        """What values the decisions of one of two agents, if one can be valued."""
        judged = judged_agent(game, agents)
        if judged is None:
            return None
        opponent = agents[1 - judged]
        assert isinstance(opponent, RulesAgent)
        return cls(game, opponent, judged, worlds, start_states)

    def points(
        self, rewards: np.ndarray, games: Sequence[Sequence[Played]], seatings: Sequence[Seating]
    ) -> np.ndarray:
        """The game points of some deals with less luck.

        Args:
            rewards: What each deal has brought, float64[deals, seatings, seats].
            games: The same deals, in each seating.
            seatings: For each seat the number of its agent.

        Returns:
            An array as `rewards` is. The seat of the judged agent has the sum of what its decisions gain. In
                games of two seats its opponent loses that. Other points stay.
        """
        points = rewards.copy()
        for row, seating in enumerate(seatings):
            if len(set(seating)) == 1:  # an agent among itself
                continue
            seat = list(seating).index(self._judged)
            gains = np.array([self._gain(played[row], seat, row) for played in games])
            points[:, row, seat] = gains
            if self._game.seats == 2:
                points[:, row, 1 - seat] = -gains
        return points

    def _gain(self, played: Played, seat: int, row: int) -> float:
        states = np.repeat(self._game.spec.state.fresh, STATES)
        states["seed"], states["deal_number"] = played.seed, played.number
        actions = np.append(played.actions.astype(np.int64), FORFEIT)  # a deal that has ended has no more
        seed = stream_seed(played.seed, Use.WORLDS, played.number, row)
        rules, forfeit = self._game.rules_record, self._forfeits[seat]
        return self._value_deal(rules, states, actions, seat, self._worlds, seed, forfeit)


class ValueDeal(Protocol):
    """Play a deal again and return the sum of what a seat's decisions gain.

    Args:
        rules: one record.
        states: records[STATES], the first with its seed and deal number; the others are written over.
        actions: int64[n], all of the deal, then FORFEIT, which counts if the seat gives up.
        seat: whose decisions are valued.
        worlds: how many there are at most for each.
        seed: of the sampled deals.
        forfeit: the game points of a deal that the seat gives up.
    """

    def __call__(
        self,
        rules: np.ndarray,
        states: np.ndarray,
        actions: np.ndarray,
        seat: int,
        worlds: int,
        seed: np.int64,
        forfeit: float,
    ) -> float: ...


@cache
def _deal_valuer(spec: GameSpec, choose: Choose, start_states: bool) -> ValueDeal:
    engine = engine_for(spec, start_states)
    begin, deal, deal_again = engine.begin, engine.deal, engine.deal_again
    apply, redact, resample, leaves_out = engine.apply, engine.redact, engine.resample, engine.leaves_out
    size = spec.state.dtype.itemsize

    @compiled
    def choose_for(rules, state, view):
        """What the opponent does in place of the seat to act."""
        redact(rules, state, state.seat, view)
        return choose(rules, view, state.seat)

    @compiled
    def agrees(rules, world, seat, state, view):
        """Whether the opponent, in all other seats, acts in this world as it is logged."""
        copy_bytes(state, world, 0, size)
        deal_again(rules, state)
        for entry in range(world.log_size):
            actor, action = logged_seat(world, entry), logged_action(world, entry)
            while actor != seat:
                own = choose_for(rules, state, view)
                if own == action and state.seat == actor:
                    break
                if not leaves_out(rules, seat, state.seat, own):
                    return False
                apply(rules, state, own)  # such as a signal, which the seat's log does not have
            apply(rules, state, action)
        return True

    @compiled
    def points_after(rules, world, action, seat, state, view):
        """The seat's points if the opponent plays on in all seats."""
        copy_bytes(state, world, 0, size)
        ended = apply(rules, state, action)
        while not ended:
            ended = apply(rules, state, choose_for(rules, state, view))
        return state.deal_points[seat]

    @compiled
    def gain(rules, world, action, better, seat, forfeit, state, view):
        own = forfeit if action == FORFEIT else points_after(rules, world, action, seat, state, view)
        return own - points_after(rules, world, better, seat, state, view)

    @compiled
    def value_deal(rules, states, actions, seat, worlds, seed, forfeit):
        state, view, world, other, seen = states[0], states[1], states[2], states[3], states[4]
        total = 0.0
        begin(rules[0], state, False)
        ended = deal(rules[0], state)
        for i in range(len(actions)):
            if ended:
                break
            action = actions[i]
            if state.seat == seat:
                redact(rules[0], state, seat, view)
                better = choose(rules[0], view, seat)
                if better != action:
                    gains, count = gain(rules[0], state, action, better, seat, forfeit, other, seen), 1
                    for number in range(TRIES * worlds):
                        if count == worlds:
                            break
                        copy_bytes(world, view, 0, size)
                        resample(rules[0], world, seat, seed, i * TRIES * worlds + number)
                        if agrees(rules[0], world, seat, other, seen):
                            gains += gain(rules[0], world, action, better, seat, forfeit, other, seen)
                            count += 1
                    total += gains / count
            if action != FORFEIT:
                ended = apply(rules[0], state, action)
        return total

    return value_deal
