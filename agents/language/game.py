"""One seat of a game as a dialogue in text, with other agents in the other seats.

    game = TextGame("schnapsen_v0", seat=0, opponents="rules", seed=1)
    question = game.reset()
    reply = game.answer("ACTION: play hA")

A deal is one episode. The text depends on nothing but what the seat knows.
"""

from typing import NamedTuple

import numpy as np

from stichwerk.agents import make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.envs.gym import Opponents, SeatEnv
from stichwerk.agents.external.custom import Player
from stichwerk.agents.language.answers import AnswerError, read_answer
from stichwerk.agents.language.words import CARDS, choices, question, seat_line, seen
from stichwerk.envs.core.random import check_seed
from stichwerk.envs.core.text import counted
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.check import check_whole, is_number
from stichwerk.support.errors import InputError, quoted


class Reply(NamedTuple):
    """The outcome of an answer.

    Attributes:
        text: the next question, what is wrong with the answer, or how the deal has ended
        reward: game points of the seat when the deal is over, otherwise 0
        done: whether the deal is over
    """

    text: str
    reward: float
    done: bool


class TextGame:
    """A game for one seat, which reads and answers in text.

    A wrong answer names no legal action, or leaves open which. The question is then asked again. After
    `wrong_answers` of them in one deal the seat forfeits: the deal ends with `forfeit` game points for the
    seat.

    Args:
        env: the environment id, such as "schnapsen_v0"
        seat: the seat that reads and answers, such as 0 or "player_0"; None: the next one with every deal
        opponents: who plays the other seats: an agent's text, a custom agent, or a pool of texts with shares
        seed: of the deals and of the opponents' chance; None: another one each time
        rules: a preset, or a dict of options
        partner: who plays the other seats of the own side; None: the opponents do
        wrong_answers: how many lose a deal
        forfeit: the game points of a deal that is forfeited; None: the least that a deal may bring
    """

    def __init__(
        self,
        env: str,
        seat: int | str | None = None,
        opponents: Opponents = "rules",
        seed: int | None = None,
        *,
        rules: RuleSpec = None,
        partner: str | Player | None = None,
        wrong_answers: int = 3,
        forfeit: float | None = None,
    ):
        if forfeit is not None and not is_number(forfeit):
            raise InputError(f"forfeit: got {quoted(forfeit)}; expected a number of game points")
        self._env = SeatEnv(env, opponents, partner, seat, rules)
        self.table = self._env.table  # which knows all cards
        self.game = self.table.game
        self.wrong_answers = check_whole("wrong_answers", wrong_answers, 1)
        self.forfeit = float(self.game.stakes[0] if forfeit is None else forfeit)
        self._seed = check_seed(seed)
        self._mistakes = self._seen = 0
        self._under_way = False
        self._ends_with: Reply | None = None

    @property
    def seat(self) -> int:
        """The seat that answers in this deal."""
        return self._env.seat

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal actions by name, in the order of their numbers; none when the deal is over."""
        if not self._under_way:
            return ()
        return tuple(str(self.game.actions[action]) for action in np.flatnonzero(self._env.action_masks()))

    def reset(self, seed: int | None = None) -> str:
        """Deal: with a seed its first deal, otherwise the first one of the game's seed and then the next.

        Returns:
            The rules in short, and the first question.
        """
        seed, self._seed = (self._seed if seed is None else check_seed(seed)), None
        self._env.reset(seed=seed)
        self._mistakes = self._seen = 0
        self._under_way, self._ends_with = True, None
        return f"{self.introduction()}\n\n{self._question()}"

    def introduction(self) -> str:
        """The rules in short, with which seat plays and how wrong answers count."""
        return "\n".join(
            [
                self.game.rules_text(),
                "",
                CARDS,
                f"{seat_line(self.game, self.seat)} Win as many game points as you can in this deal.",
                f"{counted(self.wrong_answers, 'wrong answer')} forfeit the deal: "
                f"{self.forfeit:+g} game points.",
            ]
        )

    def look(self) -> str:
        """The present question once more, or the end of the deal; InputError before the first deal."""
        if self._ends_with:
            return self._ends_with.text
        self._check_under_way()
        return self._question(self._seen)

    def answer(self, text: str | int) -> Reply:
        """Play the action that a text names (`answers.py` says how it is read), then let the others play.

        Raises:
            InputError: no deal is under way.
        """
        self._check_under_way()
        try:
            action = read_answer(text, self.legal)
        except AnswerError as error:
            return self._ask_again(error)
        own_move = int(self._view()[0].log_size)
        _, points, done, _, _ = self._env.step(action)
        if done:
            return self._end(
                f"{seen(self.game, self._view(), self.seat, own_move)}\n\nThe deal is over.", points
            )
        return Reply(self._question(own_move), 0.0, False)

    def hint(self, agent: str = "rules") -> str:
        """The name of the action that an agent would play.

        Raises:
            InputError: no deal is under way, or the agent is unknown or does not fit.
        """
        self._check_under_way()
        player = make_agent_for(agent, self.game)
        return str(self.game.actions[int(player.act(Turns.at(self.table))[0])])

    def record(self) -> str:
        """The deal so far as a record (docs/reference/records.md), with all cards: never for a seat."""
        return self.table.record()

    def _check_under_way(self) -> None:
        if not self._under_way:
            raise InputError("no deal is under way: call reset")

    def _ask_again(self, error: AnswerError) -> Reply:
        self._mistakes += 1
        left = self.wrong_answers - self._mistakes
        if not left:
            mistakes = counted(self.wrong_answers, "wrong answer")
            return self._end(f"{error}.\n{mistakes}: the deal is forfeited.", self.forfeit)
        return Reply(
            f"{error}. {counted(left, 'further wrong answer')} will forfeit the deal.\n{choices(self.legal)}",
            0.0,
            False,
        )

    def _end(self, text: str, points: float) -> Reply:
        self._under_way = False
        self._ends_with = Reply(f"{text} You get {points:+z.4g} game points.", float(points), True)
        return self._ends_with

    # What the seat sees

    def _view(self) -> np.ndarray:
        return self.table.view(f"player_{self.seat}")

    def _question(self, since: int = 0) -> str:
        self._seen = since
        return question(self.game, self._view(), self.seat, self.legal, since)
