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

The policy of a rule-based player is known, and that of a network that plays its likeliest actions.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np

from stichwerk.agents.builtin.baselines import RulesAgent
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.builtin.rules import Choose
from stichwerk.agents.core.agent import FORFEIT, Agent
from stichwerk.agents.evaluation.playing.played import Played
from stichwerk.agents.evaluation.statistics.tallies import Seating
from stichwerk.agents.networks.sampling import pick
from stichwerk.agents.search.endgame import played_to_the_end
from stichwerk.agents.search.look_back import OthersDecisions
from stichwerk.agents.search.network_playouts import NetworkPlayouts
from stichwerk.agents.search.playout_policy import playout_policy
from stichwerk.agents.search.playouts import playouts_for
from stichwerk.envs.core.log import logged_action, logged_seat
from stichwerk.envs.core.random import Use, stream_seed
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.loops import loops_for
from stichwerk.envs.jit.compiled import compiled
from stichwerk.envs.jit.intrinsics import copy_bytes
from stichwerk.envs.spec.game import Game, GameSpec

TRIES = 16  # sampled deals for each world that is wanted; the opponent's policy rules most of them out
AT_ONCE = 64  # sampled deals that a network looks at side by side

STATES = 5  # the deal, a view of it, a world, and another state with its view


def judged_agent(game: Game, agents: Sequence[Agent]) -> int | None:
    """Whose decisions can be valued by those of the other of two agents.

    Args:
        game: The game under its rules.
        agents: Both of them; the first has one side, the second all others.

    Returns:
        The agent's number. None where the other agent's policy is not known, or where seats have fixed
            partners, whose policies are not known. A rule-based opponent goes before a network, which takes
            longer.
    """
    if game.side_count != game.seats or len(agents) != 2:
        return None
    for is_known in (_is_rule_based, _is_greedy_network):
        if is_known(agents[1]):
            return 0
        if game.seats == 2 and is_known(agents[0]):
            return 1
    return None


def _is_rule_based(agent: Agent) -> bool:
    return type(agent) is RulesAgent  # a subclass may act otherwise


def _is_greedy_network(agent: Agent) -> bool:
    return type(agent) is NetworkAgent and agent.greedy


class Advantages(ABC):
    """Values the decisions of one agent by those of an opponent whose policy is known, which has all other
    seats.

    Args:
        game: The game under its rules; each seat plays alone.
        judged: The number of the agent whose decisions are valued.
        worlds: How many there are at most for each decision, the true deal among them.
    """

    def __init__(self, game: Game, judged: int, worlds: int):
        self.game, self.judged, self.worlds = game, judged, worlds
        self.forfeits = np.array([game.forfeit(seat)[seat] for seat in range(game.seats)])

    @staticmethod
    def between(game: Game, agents: Sequence[Agent], worlds: int, start_states: bool) -> "Advantages | None":
        """The valuation of one agent's decisions out of two, if the other can be modelled. With
        `start_states` the deals begin in start states that the game draws."""
        judged = judged_agent(game, agents)
        if judged is None:
            return None
        opponent = agents[1 - judged]
        if isinstance(opponent, RulesAgent):
            return RuleAdvantages(game, opponent, judged, worlds, start_states)
        assert isinstance(opponent, NetworkAgent)
        return NetworkAdvantages(game, opponent, judged, worlds, start_states)

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
            seat = list(seating).index(self.judged)
            gains = np.array([self._gain(played[row], seat, row) for played in games])
            points[:, row, seat] = gains
            if self.game.seats == 2:
                points[:, row, 1 - seat] = -gains
        return points

    def _gain(self, played: Played, seat: int, row: int) -> float:
        states = self.game.spec.state.fresh.copy()
        states["seed"], states["deal_number"] = played.seed, played.number
        actions = np.append(played.actions.astype(np.int64), FORFEIT)  # a deal that has ended has no more
        seed = np.int64(stream_seed(played.seed, Use.WORLDS, played.number, row))
        return self.value(states, actions, seat, seed)

    @abstractmethod
    def value(self, states: np.ndarray, actions: np.ndarray, seat: int, seed: np.int64) -> float:
        """The sum of what a seat's decisions gain in one deal.

        Args:
            states: records[1], with the seed and deal number of the deal; written over.
            actions: int64[n], all of the deal, then FORFEIT, which counts if the seat gives up.
            seat: Whose decisions are valued.
            seed: Of the sampled deals.
        """


class NetworkAdvantages(Advantages):
    """The opponent is a network that plays its likeliest actions."""

    def __init__(self, game: Game, opponent: NetworkAgent, judged: int, worlds: int, start_states: bool):
        super().__init__(game, judged, worlds)
        self._opponent, self._encoding = opponent, game.encoding(opponent.observation)
        self._loops = loops_for(game, opponent.observation, start_states)
        self._sample = playouts_for(game.env_id, game.spec, playout_policy(game)).sample
        self._others = OthersDecisions(game, opponent)
        endings = played_to_the_end(game.spec)  # as the network plays them, not as they are best played
        self._playouts, self._workspace = NetworkPlayouts(game, opponent, endings), endings.make_workspace()

    def value(self, states: np.ndarray, actions: np.ndarray, seat: int, seed: np.int64) -> float:
        rules, loops = self.game.rules_record, self._loops
        loops.begin(rules, states, 0, False)
        ended = loops.deal(rules, states, 0)
        total = 0.0
        for number, action in enumerate(actions.tolist()):
            if ended:
                break
            if states[0].seat == seat:
                view, better = self._better(states, seat)
                if better != action:
                    worlds = self._worlds(states, view, seat, seed, number * TRIES * self.worlds)
                    total += self._gain_in(worlds, seat, action, better)
            if action != FORFEIT:
                _, ended = loops.apply(rules, states, 0, action)
        return total

    def _better(self, states: np.ndarray, seat: int) -> tuple[np.ndarray, int]:
        """The view of a seat, an array of one record, and the network's action there."""
        rules, view = self.game.rules_record, np.zeros(1, self.game.state)
        observation = np.zeros((1, self._encoding.size), np.float32)
        mask = np.zeros((1, len(self.game.actions)), np.int8)
        self._loops.observe_seat(rules, states, 0, seat, view, observation[0], mask[0])
        observation[:] = 0  # the network may see the game otherwise
        self._encoding.observe(self._opponent.sees.rules_record[0], view[0], seat, observation[0])
        return view, int(self._likeliest(observation, mask)[0])

    def _worlds(
        self, states: np.ndarray, view: np.ndarray, seat: int, seed: np.int64, first: int
    ) -> np.ndarray:
        """The true deal, and sampled ones in which the network would have acted as the other seats did:
        at most `worlds` records. `first` is the number of the first sampled deal in the seed."""
        found, end = states.copy(), first + TRIES * self.worlds
        for start in range(first, end, AT_ONCE):
            if len(found) >= self.worlds:
                break
            sampled = np.empty(min(AT_ONCE, end - start), self.game.state)
            self._sample(self.game.rules_record, view, seat, seed, start, sampled)
            found = np.concatenate([found, sampled[self._agrees(sampled, seat)]])
        return found[: self.worlds]

    def _agrees(self, worlds: np.ndarray, seat: int) -> np.ndarray:
        """True if the network, in all other seats, acts as logged in these worlds, bool[worlds]."""
        # What a view hides, such as discards, a world has: so a world stands in the place of the view.
        observation, mask, world, action = self._others.of(worlds, worlds, seat)
        agrees = np.ones(len(worlds), bool)
        if len(world):
            agrees[world[self._likeliest(observation, mask) != action]] = False
        return agrees

    def _gain_in(self, worlds: np.ndarray, seat: int, action: int, better: int) -> float:
        """The gain of an action over a better one, averaged over worlds, if the network plays on in all
        seats."""
        own = self.forfeits[seat] if action == FORFEIT else self._points_after(worlds, seat, action).mean()
        return float(own - self._points_after(worlds, seat, better).mean())

    def _points_after(self, worlds: np.ndarray, seat: int, action: int) -> np.ndarray:
        moves, seats = np.full(len(worlds), action), np.full(len(worlds), seat)
        return self._playouts.play_on(worlds.copy(), moves, seats, self._workspace, None)[0]

    def _likeliest(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        scores = self._opponent.log_probabilities(observation, mask)
        return pick(scores, mask, None, self._opponent.name)


class RuleAdvantages(Advantages):
    """The opponent is rule-based."""

    def __init__(self, game: Game, opponent: RulesAgent, judged: int, worlds: int, start_states: bool):
        super().__init__(game, judged, worlds)
        self._value_deal = _deal_valuer(game.spec, opponent.choose, start_states)

    def value(self, states: np.ndarray, actions: np.ndarray, seat: int, seed: np.int64) -> float:
        rules, forfeit = self.game.rules_record, self.forfeits[seat]
        states = np.repeat(states, STATES)
        return self._value_deal(rules, states, actions, seat, self.worlds, seed, forfeit)


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
        """The opponent's action in place of the seat to act."""
        redact(rules, state, state.seat, view)
        return choose(rules, view, state.seat)

    @compiled
    def agrees(rules, world, seat, state, view):
        """True if the opponent, in all other seats, acts as logged in this world."""
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
