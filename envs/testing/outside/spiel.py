"""Checks of any sequential game of OpenSpiel."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from stichwerk.envs.testing.outside.report import Clock, Report, fault_of, same
from stichwerk.support.errors import InputError
from stichwerk.support.extras import from_extra

LONGEST = 3_000  # actions of a game, which is cut off then
SAMPLES = 12  # of worlds at a decision
TRIES = 12  # of other chance outcomes at a decision
RARE = 4  # decisions of a kind that are looked at, before only some are
TOLERANCE = 1e-6
WORD = re.compile(r"[A-Za-z]{4,}")
FORMS = (
    "observation_string",
    "observation_tensor",
    "information_state_string",
    "information_state_tensor",
    STRUCT := "to_observation_struct",
)
SIGHT = "information_state_string", "observation_string"  # of these the first that a game has


def check_spiel(text: str, episodes: int = 200, seed: int = 1, seconds: float = 60.0) -> Report:
    """Play a game at random and check it.

    Args:
        text: the name of the game, with parameters such as `gin_rummy(oklahoma=True)`
        episodes: how often it is played, if the time suffices
        seed: of the play
        seconds: the time for all checks

    Raises:
        InputError: there is no such game, or its players act at the same time.
    """
    pyspiel = from_extra("pyspiel", "openspiel")
    from_extra("stichwerk.envs.openspiel", "openspiel")  # registers the suite's own games
    try:
        game = pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        raise InputError(f"openspiel game: {fault_of(error)}") from None
    if game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise InputError(f"openspiel game {text}: its players act at the same time; expected one in turns")
    report, clock, rng = Report(), Clock(seconds), random.Random(seed)
    checks = _Checks(game, report, rng)
    for number in range(episodes):
        if clock.is_over:
            report.note(f"stopped after {number} of {episodes} games, when the time was over")
            break
        checks.play_one(number, clock)
    checks.conclude()
    return report


class _Checks:
    def __init__(self, game: Any, report: Report, rng: random.Random):
        self._game, self._report, self._rng = game, report, rng
        self._sight = next((name for name in SIGHT if getattr(game.get_type(), f"provides_{name}")), "")
        self._kinds = Counter[frozenset[str]]()
        self._fixed = Counter[str]()  # decisions by whether samples were of several worlds
        self._known_worlds = 0
        self._samples = True
        self._forms = [
            form for form in FORMS if form == STRUCT or getattr(game.get_type(), f"provides_{form}")
        ]

    def play_one(self, number: int, clock: Clock) -> None:
        """One game, looked at where its decisions are of rare kinds."""
        state, rewards = self._game.new_initial_state(), np.zeros(self._game.num_players())
        for _ in range(LONGEST):
            if state.is_terminal() or clock.is_over:
                break
            place = f"game {number}, history {state.history()}"
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                total = sum(share for _, share in outcomes)
                self._report.expect("chance", abs(total - 1) < 1e-9, f"shares add up to {total}", place)
                actions, shares = zip(*outcomes, strict=True)
                state.apply_action(self._rng.choices(actions, shares)[0])
                rewards += _rewards(state)
                continue
            legal = state.legal_actions()
            self._check_legal(state, legal, place)
            if self._is_rare(state, legal):
                self._look_at(state, place)
            action = self._rng.choice(legal)
            try:
                state.apply_action(action)
            except Exception as error:
                self._report.find("legal actions", f"a legal action raises {fault_of(error)}", place)
                return
            rewards += _rewards(state)
        if state.is_terminal():
            self._check_end(state, rewards, f"game {number}, history {state.history()}")

    def _is_rare(self, state: Any, legal: Sequence[int]) -> bool:
        player = state.current_player()
        words = frozenset(
            word for each in legal[:40] for word in WORD.findall(state.action_to_string(player, each))
        )
        self._kinds[words] += 1
        return self._rng.random() < RARE / self._kinds[words]

    def _check_legal(self, state: Any, legal: Sequence[int], place: str) -> None:
        expect, most = self._report.expect, self._game.num_distinct_actions()
        expect("legal actions", [*legal] == sorted({*legal}) and legal, "not sorted, double or none", place)
        expect("legal actions", all(0 <= each < most for each in legal), "one is out of range", place)
        mask = np.flatnonzero(state.legal_actions_mask()).tolist()
        expect("legal actions", mask == [*legal], "the mask has others than the list", place)
        for player in range(self._game.num_players()):
            if player != state.current_player():
                expect("legal actions", not state.legal_actions(player), "another player has some", place)

    def _check_end(self, state: Any, rewards: np.ndarray, place: str) -> None:
        expect, game = self._report.expect, self._game
        returns = np.asarray(state.returns())
        expect("returns", abs(returns - rewards).max() < TOLERANCE, "rewards are another sum", place)
        low, high = game.min_utility() - TOLERANCE, game.max_utility() + TOLERANCE
        expect("returns", (low <= returns).all() and (returns <= high).all(), "outside the utilities", place)
        utility = game.get_type().utility.name
        if utility in ("ZERO_SUM", "CONSTANT_SUM"):
            total = game.utility_sum() or 0.0
            says = f"the game is declared {utility.lower()}, and returns add up to {returns.sum():g}"
            expect("returns", abs(returns.sum() - total) < TOLERANCE, says, place)

    def _look_at(self, state: Any, place: str) -> None:
        """Copies, and what each player knows."""
        self._check_copies(state, place)
        acting, players = state.current_player(), self._game.num_players()
        if players == 1:
            return
        other = self._rng.choice([player for player in range(players) if player != acting])
        for player in (acting, other):
            others = [*self._same_worlds(state, player)]
            self._check_forms(state, player, others, place)
            self._check_samples(state, player, bool(others), place)

    def _check_copies(self, state: Any, place: str) -> None:
        expect, text = self._report.expect, str(state)
        ways = {
            "clone": state.clone,
            "serialize": lambda: self._game.deserialize_state(state.serialize()),
            "history": lambda: self._replayed(state.history()),
        }
        for name, way in ways.items():
            try:
                twin = way()
            except Exception as error:
                self._report.find("copies", f"{name} raises {fault_of(error)}", place)
                continue
            expect("copies", twin is not None and str(twin) == text, f"{name} leads to another state", place)

    def _replayed(self, history: Sequence[int]) -> Any:
        """The state after these actions and outcomes."""
        state = self._game.new_initial_state()
        for action in history:
            state.apply_action(action)
        return state

    def _sight_of(self, state: Any, player: int) -> str:
        """The sight of a player in words, the seat to act, and the legal actions if that is the player."""
        acting = state.current_player()
        legal = state.legal_actions() if acting == player else ""
        return f"{getattr(state, self._sight)(player)} {acting} {legal}"

    def _same_worlds(self, state: Any, player: int) -> Iterator[Any]:
        """Other states that a player has seen the same in at every step. A chance outcome is another one; if
        that comes again later, both change places."""
        if not self._sight:
            return
        history, sights, chances = state.history(), list[str](), dict[int, list[int]]()
        here = self._game.new_initial_state()
        try:
            for place, action in enumerate(history):
                if here.is_chance_node():
                    chances[place] = [each for each, _ in here.chance_outcomes() if each != action]
                sights.append(self._sight_of(here, player))
                here.apply_action(action)
            sights.append(self._sight_of(here, player))
        except Exception:
            return  # `copies` tells that a history cannot be played again
        places = [place for place, others in chances.items() if others]
        for _ in range(TRIES if places else 0):
            place = self._rng.choice(places)
            changed, new = [*history], self._rng.choice(chances[place])
            again = next((later for later in places if later > place and history[later] == new), None)
            if again is not None:
                changed[again] = history[place]
            changed[place] = new
            with suppress(Exception):
                other = self._seen_alike(changed, player, sights)
                if other is not None and str(other) != str(state):
                    yield other

    def _seen_alike(self, history: Sequence[int], player: int, sights: Sequence[str]) -> Any | None:
        """The state after a history, if it is legal and the player sees these in turn."""
        here = self._game.new_initial_state()
        for action, sight in zip(history, sights, strict=False):
            if here.is_terminal() or action not in here.legal_actions():
                return None
            if self._sight_of(here, player) != sight:
                return None
            here.apply_action(action)
        return here if self._sight_of(here, player) == sights[-1] else None

    def _check_forms(self, state: Any, player: int, others: Sequence[Any], place: str) -> None:
        """In worlds that differ in what a player cannot see, all forms of what it sees are the same."""
        self._known_worlds += len(others)
        acting = state.current_player()
        for other in others:
            for form, seen in self._seen(state, player).items():
                says = f"{form} tells hidden cards: it differs in a world of the same sight"
                equal = same(seen, _form(other, form, player))
                self._report.expect("hidden cards", equal, says, f"{place}, player {player}")
            if acting == player:
                equal = other.legal_actions() == state.legal_actions()
                says = "legal actions tell hidden cards"
                self._report.expect("hidden cards", equal, says, f"{place}, player {player}")

    def _seen(self, state: Any, player: int) -> dict[str, Any]:
        """The sight of a player in each form that the game has."""
        seen = {}
        for form in [*self._forms]:
            try:
                seen[form] = _form(state, form, player)
            except Exception:
                self._forms.remove(form)
        return seen

    def _check_samples(self, state: Any, player: int, several: bool, place: str) -> None:
        """Sampled worlds look the same to the player, and are not always the true one."""
        if not self._samples:
            return
        place = f"{place}, player {player}"
        try:
            worlds = [state.resample_from_infostate(player, self._rng.random) for _ in range(SAMPLES)]
        except Exception as error:
            if "not implemented" in str(error):
                self._samples = False
                self._report.note("there is no resample_from_infostate")
            else:
                self._report.find("samples", f"resample_from_infostate raises {fault_of(error)}", place)
            return
        seen = self._seen(state, player)
        for world in worlds:
            for form, here in seen.items():
                says = f"{form} differs in a sampled world"
                self._report.expect("samples", same(here, _form(world, form, player)), says, place)
        if several:
            true = sum(str(world) == str(state) for world in worlds)
            says = f"all {SAMPLES} samples are the true state, where there are others of the same sight"
            self._report.expect("samples", true < SAMPLES, says, place)

    def conclude(self) -> None:
        """Notes on all games together."""
        if not self._sight:
            self._report.note("there is no observation in words: worlds of the same sight cannot be told")
        elif not self._known_worlds:
            self._report.note("no exchange of chance outcomes led to a world of the same sight")


def _rewards(state: Any) -> np.ndarray:
    """Those of the last move. Games may give them before a chance node too, and once more behind it: those
    before it do not count."""
    return np.asarray(state.rewards()) if not state.is_chance_node() else np.zeros(state.num_players())


def _form(state: Any, form: str, player: int) -> Any:
    """The sight of a player in one form."""
    seen = getattr(state, form)(player)
    return seen.to_json() if form == STRUCT else seen
