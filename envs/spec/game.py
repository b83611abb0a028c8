"""A game as the rest of the suite sees it: its tables, its compiled functions, and the text a seat reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stichwerk.envs.core.actions import Action, check_actions
from stichwerk.envs.core.cards import Pack, pretty
from stichwerk.envs.core.text import Line, as_lines
from stichwerk.envs.spec.declared import history_encoding, perfect_encoding, summary_encoding
from stichwerk.envs.spec.declared.text import fields_lines, fields_scene, hand_field
from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.fields import StateLayout
from stichwerk.envs.spec.hooks import (
    Account,
    Apply,
    BeginMatch,
    Deal,
    DrawScene,
    LeavesOut,
    Legal,
    MatchOf,
    PuzzleKind,
    Redact,
    Resample,
    Roles,
    SetMatch,
    Stakes,
    Text,
    WhyNot,
)
from stichwerk.envs.spec.match import MatchScoring, match_of, set_match
from stichwerk.envs.spec.options import Options, value_words
from stichwerk.envs.spec.rule_inputs import RULES, with_rules
from stichwerk.envs.spec.scene import SPECTATOR, Scene
from stichwerk.envs.spec.verbs import PLAY, Verb, with_object
from stichwerk.support.errors import InputError
from stichwerk.support.frozen import frozen, frozen_array
from stichwerk.support.language import tr

Encodings = Encoding | Mapping[int, Encoding]
"""An encoding, or one for each number of players."""


@dataclass(frozen=True, eq=False)
class GameSpec:
    """All that a game declares, under whatever rules. A game's package names its own `GAME`.

    `envs/spec/hooks.py` says what each function does and takes. The engine, `envs/engine/engine.py`, does
    what is the same in every game.

    Raises:
        ValueError: for actions that do not fit the pack, for one of `set_match` and `match_of` alone, and for
            no `resample` where none can be derived.
    """

    env_ids: Mapping[str, str]
    """Environment ids, each with its default preset. An id ends in its version, such as `_v0`."""
    title: str
    """The game's name, as people say it."""
    rules: type[Options]
    actions: tuple[Action, ...]
    """In id order."""
    state: StateLayout
    deal: Deal
    legal: Legal
    apply: Apply
    resample: Resample | None = None
    """Without it deals are drawn that lead to the same view when they are played as logged. That needs
    `deck_known="owner"` in `state_layout`, and one copy of each card: see `envs/engine/determinize.py`."""
    encodings: Mapping[str, Encodings] = field(default_factory=dict)
    """By name: `summary`, what a careful player has in the head, and `history`, with perfect recall. Without
    them they derive from the fields that a seat knows and from the log: see `declared.py`. And `rules`, for
    networks that play by any rules; without it the summary and the rule options: see `rule_inputs.py`."""
    perfect: Encodings | None = None
    """Perfect information, written from the true state: for `state()` and for critics in training. Without it
    the `summary` and the fields that are hidden from a seat."""
    text: Text | None = None
    """Without it the text lists the fields that a seat knows."""
    rules_text: Mapping[str, str] = field(default_factory=dict)
    """The rules in short by environment id, each under its default preset, in fewer than 250 words. Of an id
    without them the options are told."""
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    """Texts about actions for people, by verb or by an action's name. Without one a button says the verb."""
    why_not: WhyNot | None = None
    """Without it a refusal says what the verb needs, or only what is legal."""
    account: Account | None = None
    """Without it a result has its points alone."""
    scene: DrawScene | None = None
    """Without it the text is drawn, beside the hands and piles that the fields declare."""
    set_match: SetMatch | None = None
    """Without it a match is a value for each field of the game that lasts for a match, by name."""
    match_of: MatchOf | None = None
    """Declared together with `set_match`."""
    begin_match: BeginMatch | None = None
    redact: Redact | None = None
    leaves_out: LeavesOut | None = None
    draw_start: BeginMatch | None = None
    """For training: begin a match in a state that comes up in play, drawn from the lane's random numbers."""
    scoring: MatchScoring | None = None
    """Without it deals of a match are worth their game points to search and training."""
    stakes: Stakes | None = None
    """Without it the bounds of the field `deal_points`."""
    suits_ranked: bool = False
    """True if the rules rank the suits; if not, a position under other names of the suits is the same."""
    roles: Roles | None = None
    """For reports."""
    exercises: Path | None = None
    """A file of exercises for the table; `stichwerk/table/positions/exercises.py` says what it holds."""
    puzzle_kind: PuzzleKind | None = None
    """Without it every position may be a puzzle, of the kind `hand`."""
    card_points: str = ""
    """The field of the card points of each seat or side, which puzzles tell; empty: none."""
    action_words: Mapping[str, str] = field(default_factory=dict)
    """For reports: actions in words, by name or by verb, where the name holds a number or a code."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """By environment id, where ids are games of different names; other ids have the `title`."""
    other_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By environment id: what people call the game besides its id and its title, and may type."""

    def __post_init__(self):
        check_actions(self.actions, self.pack)
        if (self.set_match is None) != (self.match_of is None):
            raise ValueError("game: got one of set_match and match_of; expected both or neither")
        if self.resample is None and not (self.state.owners_know_deck and self.rules.COPIES == 1):
            raise ValueError('game: got no resample; expected one, or deck_known="owner" and no card twice')
        if unknown := [*self.verbs.keys() - {*self.actions} - {action.verb for action in self.actions}]:
            raise ValueError(f"game: got verb {min(unknown)!r}; expected verbs or names of its actions")
        words = "rules_text", "verbs", "action_words", "titles", "other_names"
        for name in ("env_ids", "encodings", "perfect", *words):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __deepcopy__(self, memo: dict) -> "GameSpec":
        """Itself: nothing in it changes."""
        return self

    @property
    def pack(self) -> Pack:
        return self.rules.PACK

    @property
    def most_seats(self) -> int:
        """The largest number of seats, under any rules."""
        return self.state.seats

    def title_of(self, env_id: str) -> str:
        """The name of the game with this id."""
        return self.titles.get(env_id, self.title)


@dataclass(frozen=True, eq=False)
class Game:
    """One game under one set of rules."""

    env_id: str
    spec: GameSpec
    rules: Options
    address: str = ""
    """The id by which another process finds the game, perhaps with a module before it."""

    def __deepcopy__(self, memo: dict) -> "Game":
        """Itself, so that the copy of an agent finds what has been compiled for the game."""
        return self

    @property
    def title(self) -> str:
        return self.spec.title_of(self.env_id)

    @property
    def actions(self) -> tuple[Action, ...]:
        return self.spec.actions

    @property
    def pack(self) -> Pack:
        return self.spec.pack

    @property
    def state(self) -> np.dtype:
        return self.spec.state.dtype

    @cached_property
    def deck(self) -> tuple[str, ...]:
        """The cards of a deck by name, each as often as the deck holds it."""
        return self.rules.deck

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """For each seat the side it always plays on, by number."""
        return self.rules.sides

    @property
    def seats(self) -> int:
        return len(self.sides)

    @property
    def side_count(self) -> int:
        return len(set(self.sides))

    @cached_property
    def stakes(self) -> tuple[float, float]:
        """The least and the most points that a seat can get for a deal with a fresh score."""
        if self.spec.stakes:
            return self.spec.stakes(self.rules)
        return self.spec.state.field("deal_points").kind.range(self.seats)

    def forfeit(self, seat: int) -> np.ndarray:
        """The points of a deal that a seat gives up. Each seat of its side loses the most that a deal can
        cost, and the others share that out.

        Returns:
            float64[seats]
        """
        own = np.array(self.sides) == self.sides[seat]
        least, _ = self.stakes
        return np.where(own, least, -least * own.sum() / (~own).sum())

    @cached_property
    def action_index(self) -> dict[str, int]:
        return frozen({name: action for action, name in enumerate(self.actions)})

    @cached_property
    def rules_record(self) -> np.ndarray:
        return frozen_array(self.rules.record())

    @cached_property
    def encodings(self) -> dict[str, Encoding]:
        declared = {name: self._for_these_seats(each) for name, each in self.spec.encodings.items()}
        layout = self.spec.state
        if "summary" not in declared:
            declared["summary"] = summary_encoding(layout)
        if "history" not in declared:
            declared["history"] = history_encoding(layout, self.actions)
        if RULES not in declared:
            options: Any = self.spec.rules
            declared[RULES] = with_rules(declared["summary"], options)
        return frozen(declared)

    @cached_property
    def perfect(self) -> Encoding:
        if self.spec.perfect is None:
            return perfect_encoding(self.encoding("summary"), self.spec.state)
        return self._for_these_seats(self.spec.perfect)

    def _for_these_seats(self, encodings: Encodings) -> Encoding:
        return encodings if isinstance(encodings, Encoding) else encodings[self.seats]

    def encoding(self, name: str) -> Encoding:
        """The observation of this name for these seats; InputError if there is none."""
        if not isinstance(name, str) or name not in self.encodings:
            raise InputError(f"unknown observation {name!r}; there are {', '.join(self.encodings)}")
        return self.encodings[name]

    def action_number(self, action: Any) -> int | None:
        """The id of an action given by id or name; None if there is no such action."""
        if isinstance(action, str):
            return self.action_index.get(action)
        if isinstance(action, np.ndarray) and action.ndim == 0:  # as stable-baselines3's predict answers
            action = action[()]
        number = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        if number and 0 <= action < len(self.actions):
            return int(action)
        return None

    def verb(self, action: Action) -> Verb:
        """The texts about an action for people: its own, or else its verb's."""
        declared = self.spec.verbs
        return declared.get(action) or declared.get(action.verb) or Verb(action.verb.capitalize())

    def label(self, name: str) -> str:
        """The text of a button for an action."""
        action = self.actions[self.action_index[name]]
        words = self.verb(action).words
        return words if action in self.spec.verbs else with_object(words, action)

    def lays_card(self, action: Action) -> bool:
        """True if an action takes a card out of the hand for good."""
        return action.card is not None and (action.verb == PLAY or self.verb(action).lays_card)

    def why_not(self, view: np.ndarray, seat: int, legal: Sequence[Action], action: Action) -> str:
        """Why an action is not legal for the seat to act, in a sentence without a full stop.

        A card that is due must be in hand. Beyond that the game says why, or its verb what it needs; nothing
        is guessed.

        Args:
            view: the state redacted for the seat, an array of one record
            seat: that is to act
            legal: its legal actions
            action: another one
        """
        if self.lays_card(action) and any(each.verb == action.verb for each in legal):
            hand = next((hand.cards for hand in self.scene(view, seat).hands if hand.seat == seat), ())
            if hand and action.card not in hand:
                return tr("{card} is not in your hand", card=pretty(str(action.card)))
        reason = self.spec.why_not(self.rules_record[0], view[0], seat, action) if self.spec.why_not else ""
        declared = (self.spec.verbs.get(name) for name in (action, action.verb))
        needs = next((verb.needs for verb in declared if verb and verb.needs), "")
        return reason or tr(needs) or tr("the rules do not allow `{action}` now", action=action)

    def account(self, before: np.ndarray, after: np.ndarray) -> list[str]:
        """The reason for the result of a deal, in sentences, from views of a seat before its last action and
        after it, arrays of one record; none where the game gives none."""
        declared = self.spec.account
        return [*declared(self.rules_record[0], before[0], after[0])] if declared else []

    def check_start_states(self, wanted: bool) -> None:
        """InputError if start states are wanted of a game that draws none."""
        if wanted and self.spec.draw_start is None:
            raise InputError(
                f"start_states: {self.env_id} draws none, its deals begin with a fresh score only"
            )

    def set_match(self, state: np.record, match: Any) -> None:
        """Write the match state of a set deal; SetupError if it is impossible."""
        if self.spec.set_match is None:
            set_match(self.spec.state, self.rules_record[0], state, match)
        else:
            self.spec.set_match(self.rules_record[0], state, match)

    def match_of(self, state: np.record) -> Mapping[str, Any]:
        """The match state between two deals, as `set_match` takes it."""
        if self.spec.match_of is None:
            return match_of(self.spec.state, state)
        return self.spec.match_of(self.rules_record[0], state)

    def rules_text(self) -> str:
        """The rules in short: what the game declares for its default preset, then every option that differs
        from that preset, with its meaning."""
        declared = tr(self.spec.rules_text.get(self.env_id, "")).strip()
        usual = self.spec.rules.make(None, self.spec.env_ids[self.env_id]).as_dict() if declared else {}
        meanings = {each.name: each.metadata["meaning"] for each in fields(self.rules)}
        told = [
            "- "
            + tr(
                "{name} = {value}: {meaning}",
                name=name,
                value=value_words(name, value),
                meaning=tr(meanings[name]),
            )
            for name, value in self.rules.as_dict().items()
            if name not in usual or usual[name] != value
        ]
        if not declared:
            return "\n".join([tr("The game is {title}.", title=tr(self.title)), *told])
        return "\n".join([declared, *(["", tr("These options differ:")] if told else []), *told])

    def text(self, view: np.ndarray, seat: int) -> str:
        """A seat's view in words, from its redacted view, an array of one record. For SPECTATOR the text
        comes from the true state: that of every seat, one below the other."""
        return "\n".join(self.lines(view, seat))

    def lines(self, view: np.ndarray, seat: int) -> tuple[Line, ...]:
        """The lines of that text."""
        if seat == SPECTATOR:
            lines = [line for each in range(self.seats) for line in (Line(""), *self.lines(view, each))]
            return tuple(lines[1:])
        if self.spec.text is not None:
            return as_lines(self.spec.text(self.rules_record[0], view[0], seat))
        return as_lines(fields_lines(self.spec.state, self.pack, self.actions, self.seats, view[0], seat))

    def scene(self, view: np.ndarray, seat: int) -> Scene:
        """The scene of a seat's redacted view, or for SPECTATOR of the true state: an array of one
        record."""
        if self.spec.scene is not None:
            return self.spec.scene(self.rules_record[0], view[0], seat)
        if self.rules.COPIES > 1 or not hand_field(self.spec.state):  # a set holds one copy of each card
            return Scene(self.lines(view, seat))
        lines = self.lines(view, max(seat, 0))  # the hands tell a spectator the rest
        return fields_scene(self.spec.state, self.pack, self.actions, self.seats, lines, view[0], seat)

    def puzzle_kind(self, state: np.record) -> str:
        """The kind of puzzle that a position may be, such as `endgame`; empty: none."""
        return self.spec.puzzle_kind(self.rules_record[0], state) if self.spec.puzzle_kind else "hand"

    def roles(self, states: np.ndarray) -> Mapping[str, np.ndarray]:
        """The roles of the seats in finished deals, bool[deals, seats] by name; none if the game has no
        roles."""
        return self.spec.roles(self.rules_record[0], states) if self.spec.roles else {}
