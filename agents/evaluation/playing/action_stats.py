"""Count actions: how often each kind is chosen where it can be, and the points of the deals that have it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from stichwerk.agents.core.agent import Agent, Turns
from stichwerk.agents.evaluation.playing.matches import Series, play_here, seatings
from stichwerk.agents.evaluation.statistics.tallies import Ratio
from stichwerk.agents.external.custom import fresh
from stichwerk.envs.core.actions import Action
from stichwerk.envs.spec.game import Game


@dataclass(frozen=True)
class ActionStatistic:
    """One kind of action of one player, in the seats that had a role at the end of the deal.

    Attributes:
        role: "" for all seats
        offered: decisions in which the kind was one of several, per deal and seat
        chosen: the share of them in which it was chosen
        seats: how many seats, over all deals, chose it at least once
        mean, low, high: their game points per deal, with a 95 % interval over deals where there are enough
    """

    role: str
    kind: str
    offered: float
    chosen: float
    seats: int
    mean: float | None
    low: float | None
    high: float | None


def action_kind(action: Action) -> str:
    """The kind of an action, without its card or suit: `play`, `meld`, `bid 3`, `kontra`."""
    return action.verb if action.card or action.suit else str(action)


def kind_in_words(game: Game, kind: str) -> str:
    """A kind of action as people say it, where the game has words for it: `declare spades`."""
    return game.spec.action_words.get(kind, kind)


def measure_actions(
    game: Game,
    player: Agent,
    others: Agent,
    deals: int,
    seed: int,
    start_states: bool = False,
    on_progress: Callable[[int], None] = lambda games: None,
) -> list[ActionStatistic]:
    """The statistics of a player that takes each side in deals 0 … deals - 1 of a seed, against others. They
    stand in the order of the game's roles and actions."""
    watched = _Watched(player, game)
    counted: list[tuple[np.ndarray, np.ndarray]] = []  # of each seating

    def seating_has_ended(games: int) -> None:
        counted.append(watched.counts(games, game.seats))
        on_progress(games)

    series = Series(deals, seed, start_states=start_states, seatings=seatings(game))
    own = np.array(series.seatings) == 0
    tallies: dict[str, _Tally] = {}
    for rewards, roles, *_ in play_here(game, (watched, others), series, seating_has_ended):
        offered, chosen = (np.stack(each, axis=1) for each in zip(*counted, strict=True))
        counted.clear()
        for role, has_role in {"": np.full(rewards.shape, True), **roles}.items():
            tallies.setdefault(role, _Tally()).add(has_role & own, offered, chosen, rewards)
    return [
        statistic
        for role, tally in tallies.items()
        for number, kind in enumerate(watched.kinds)
        if (statistic := tally.statistic(role, kind, number))
    ]


class _Watched(Agent):
    """A player whose choices between kinds are counted."""

    def __init__(self, player: Agent, game: Game):
        self.player = player
        self.kinds = list(dict.fromkeys(map(action_kind, game.actions)))
        self._kind_of = np.array([self.kinds.index(action_kind(action)) for action in game.actions])
        self._of_kind = np.eye(len(self.kinds), dtype=np.int8)[self._kind_of]  # [actions, kinds]
        self._turns: list[tuple[np.ndarray, ...]] = []
        super().__init__(player.name, player.game)
        self.draws, self.outside, self._game = player.draws, player.outside, game
        self.origin = player.origin

    def seed(self, seed: int) -> None:
        self.player.seed(seed)

    def fresh(self) -> "_Watched":
        self.player = fresh(self.player, self._game)
        return self

    def act(self, turns: Turns) -> np.ndarray:
        actions = self.player.act(turns)
        kinds = (turns.mask @ self._of_kind) > 0
        kinds[kinds.sum(axis=1) == 1] = False  # no choice between kinds
        self._turns.append((turns.which, turns.all_seats[turns.which], kinds, self._kind_of[actions]))
        return actions

    def counts(self, deals: int, seats: int) -> tuple[np.ndarray, np.ndarray]:
        """The counts of each kind offered, and chosen, since the last call: int64[deals, seats,
        kinds] twice."""
        shape = deals, seats, len(self.kinds)
        offered, chosen = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for lanes, actors, kinds, kind in self._turns:
            np.add.at(offered, (lanes, actors), kinds)
            np.add.at(chosen, (lanes, actors, kind), kinds[np.arange(len(kind)), kind])
        self._turns.clear()
        return offered, chosen


@dataclass
class _Tally:
    """The sums of one role over deals."""

    seats: int = 0
    offered: np.ndarray | int = 0
    chosen: np.ndarray | int = 0
    points: dict[int, Ratio] = field(default_factory=dict)

    def add(self, counted: np.ndarray, offered: np.ndarray, chosen: np.ndarray, rewards: np.ndarray) -> None:
        """Add deals: the seats that count, bool[deals, seatings, seats], and what they did and got."""
        self.seats += int(counted.sum())
        self.offered = self.offered + offered[counted].sum(axis=0)
        self.chosen = self.chosen + chosen[counted].sum(axis=0)
        for kind in range(offered.shape[-1]):
            chose = counted & (chosen[..., kind] > 0)
            if chose.any():
                points = np.where(chose, rewards, 0).sum(axis=(1, 2))
                self.points.setdefault(kind, Ratio()).add(points, chose.sum(axis=(1, 2)))

    def statistic(self, role: str, kind: str, number: int) -> ActionStatistic | None:
        """None for what was never offered."""
        offered, chosen = np.atleast_1d(self.offered)[number], np.atleast_1d(self.chosen)[number]
        if not offered:
            return None
        ratio = self.points.get(number, Ratio())
        mean, low, high = ratio.interval_if_known() if ratio.deals else (None, None, None)
        share = float(offered / self.seats)
        return ActionStatistic(role, kind, share, float(chosen / offered), int(ratio.seats), mean, low, high)


def by_place(
    statistics: Sequence[Sequence[ActionStatistic]],
) -> dict[tuple[str, str], list[ActionStatistic | None]]:
    """The statistics of several players side by side, by role and kind."""
    places = dict.fromkeys((statistic.role, statistic.kind) for each in statistics for statistic in each)
    found = [{(statistic.role, statistic.kind): statistic for statistic in each} for each in statistics]
    return {place: [each.get(place) for each in found] for place in places}
