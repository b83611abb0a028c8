"""The table in characters: `stichwerk play GAME --terminal`."""

import re
import sys
from collections.abc import Callable, Sequence

from stichwerk.envs.core.cards import pretty
from stichwerk.envs.core.text import LABEL
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.render.names import in_face
from stichwerk.envs.render.shapes import Face
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.language import decimals, mark, tr, trn
from stichwerk.support.terminal.streams import legible
from stichwerk.table.opponents import told_name
from stichwerk.table.positions.position import position_in
from stichwerk.table.protocol import MEANING, TOO_LARGE, Hint, Position, Request, Review, Rules, Study, Undo
from stichwerk.table.ratings import AgentRatings, Hints, ratings_data, state_at
from stichwerk.table.table import Table
from stichwerk.table.words import read_action, short_label, short_names, told_hint

COMMANDS: dict[str, type[Request] | str] = {
    "?": Rules,
    "hint": Hint,
    "study": Study,
    "study rules 7": mark("Show how these agents rate move 7; `study all` has exact values by all cards."),
    "undo": Undo,
    "review": Review,
    "again 7": mark("Play on from move 7 of the review, at another table."),
    "back": mark("Leave that table."),
    "line": Position,
    "log": mark("Show the deal so far."),
    "table": mark("Show the table again."),
    "quit": mark("Leave the table."),
}
"""Words to type, each with its help, or the request of the page that does the same."""
PLAYS = mark("A number, a name, or the beginning of one name alone plays an action: 2, play hA, hA.")
RED, PLAIN = "\x1b[31m", "\x1b[0m"
Ask = Callable[[], str | None]
"""Reads a line; None at the end of the input."""


class Terminal:
    """One person at a table of agents, in lines of text.

    Args:
        table: with one person
        ask: reads a line
        in_colour: True: hearts and diamonds are red
        studied: the texts of agents to be asked for ratings; none: the strongest quick one of the game
        face: whose names cards have
    """

    def __init__(
        self,
        table: Table,
        ask: Ask,
        in_colour: bool = False,
        studied: Sequence[str] = (),
        face: Face = "french",
    ):
        (self.seat,) = table.people
        self.table = table
        self._ask, self._in_colour, self._face = ask, in_colour, face
        self._told = 0  # actions of the deal
        self._learned = ""  # as it was told last
        self._hints = Hints(table.game)
        self._studied = tuple(studied)
        self._ratings: AgentRatings | None = None
        self._reviewed: tuple[DealRecord, list[int]] | None = None  # the deal, and its costly moves from 1
        self._left: list[Table] = []  # tables to go back to

    def run(self, after_deal: Callable[[], None] = lambda: None) -> None:
        """Play until the person leaves.

        Args:
            after_deal: is called at the end of each deal
        """
        print(legible(f"{tr(self.table.game.title)}: {self._who()}"))
        self._say(tr("`?` shows the rules, `help` the commands."))
        shown: tuple[Table, int] | None = None
        while True:
            self.table.move_agents()
            if shown != (self.table, self.table.version):
                self._show()
                if self.table.result:
                    after_deal()
                shown = self.table, self.table.version
            line = self._ask()
            if line is None or line.strip().lower() in ("quit", "exit", "q"):
                return
            try:
                self._do(line.strip())
            except InputError as error:
                self._say(f"{error}.")

    def _do(self, line: str) -> None:
        match line.lower():
            case "?":
                self._say(self.table.game.rules_text())
            case "help" | "h":
                told = {
                    word: tr(each if isinstance(each, str) else each.help())
                    for word, each in COMMANDS.items()
                }
                self._say("\n".join([tr(PLAYS), *(f"{word:<15}{words}" for word, words in told.items())]))
            case "table":
                self._show()
            case "log":
                self._tell(0)
            case "hint":
                self._hint()
            case word if word.partition(" ")[0] == "study":
                self._study(line.split()[1:])
            case "review":
                self._review()
            case word if word.partition(" ")[0] == "again":
                self._again(word.partition(" ")[2].strip())
            case "back" if self._left:
                self.table, self._told = self._left.pop(), 0
            case "line":
                print(self.table.position(self.seat))
            case "undo":
                self.table.undo(self.seat)
                self._told = 0
            case "" | "next" if self.table.result:
                self.table.next_deal(self.seat)
                self._told = 0
            case "":
                self._choices()
            case _ if self.table.result:
                over = tr("the deal is over: {what}, `undo` takes back, `quit` leaves")
                raise InputError(over.format(what=self._next[:-1]))
            case _:
                legal = self.table.legal(self.seat)
                self.table.act(self.seat, read_action(self.table.game, self._with_letters(line), legal))

    @property
    def _next(self) -> str:
        if self.table.start:
            return tr("Enter plays the position again.")
        return tr("Enter deals the next one.")

    def _with_letters(self, line: str) -> str:
        """A typed line, with the face's names of cards as letters."""
        if self._face == "french":
            return line
        letters = {in_face(pretty(card), self._face).lower(): card for card in self.table.game.pack.names}
        called = "|".join(map(re.escape, sorted(letters, key=len, reverse=True)))
        return re.sub(
            rf"\b(?:{called})\b", lambda match: letters[match[0].lower()], line, flags=re.IGNORECASE
        )

    # Telling

    def _say(self, text: str) -> None:
        print(self._told_to(text))

    def _told_to(self, text: str) -> str:
        """A text as the person reads it. Names of agents come last, as they are: no cards are in them."""
        text = legible(in_face(text, self._face))
        if self._in_colour:
            text = re.sub(r"[♥♦]\w?", rf"{RED}\g<0>{PLAIN}", text)
        called = self._called
        return re.sub(r"\bplayer_\d+\b", lambda found: legible(called.get(found[0], found[0])), text)

    @property
    def _called(self) -> dict[str, str]:
        """The names of the seats, by the names that games give them."""
        names = enumerate(map(told_name, short_names(self.table.names)))
        return {f"player_{seat}": tr("you") if seat == self.seat else name for seat, name in names}

    def _text(self) -> str:
        """The lines of the game's scene without its last action, and with room for the names of seats."""
        lines = self.table.game.lines(self.table.view(self.seat), self.seat)
        told = [(self._called.get(each.label, each.label), each) for each in lines if each.kind != "last"]
        room = max(LABEL, *(len(label) + 2 for label, _ in told))
        return "\n".join(f"{label:<{room}}{line.words}" if label else line for label, line in told)

    def _who(self) -> str:
        seats = range(self.table.game.seats)
        return ", ".join(
            tr("you are seat {number}", number=seat)
            if seat == self.seat
            else tr("seat {number} is {name}", number=seat, name=told_name(self.table.names[seat]))
            for seat in seats
        )

    def _tell(self, since: int) -> None:
        """Print the actions of the deal from this one on, a line for each."""
        log = self.table.message(self.seat)["log"]
        for entry in log[since:]:
            self._say(f"  player_{entry['seat']}: {entry['words'] or tr('something hidden')}")
        self._told = len(log)

    def _show(self) -> None:
        print()
        if self.table.learned != self._learned:
            self._say(tr("The network plays as it did after {time}.", time=self.table.learned))
            self._learned = self.table.learned
        self._tell(min(self._told, len(self.table.message(self.seat)["log"])))
        self._say(self._text())
        self._tell_exercise()
        if not self.table.result:
            self._choices()
            return
        account = map(self._told_to, self.table.account(self.seat))
        print("\n".join(each[0].upper() + each[1:] for each in account))
        for points in (self.table.result.points, *self.table.result.further):
            points_told = decimals(f"{points[self.seat]:+z.4g}")
            self._say(tr("The deal is over. You get {points} game points.", points=points_told))
        total = decimals(f"{self.table.totals[self.seat]:+z.4g}")
        together = trn(
            "Together {points} game points in {n} deal.",
            "Together {points} game points in {n} deals.",
            self.table.deals_played,
            points=total,
        )
        self._say(f"{together} {self._next}")

    def _tell_exercise(self) -> None:
        """Print the question of the position in which the table begins, or the verdict on the choice."""
        message = self.table.message(self.seat)
        if message["verdict"]:
            self._say(message["verdict"])
        elif message["exercise"]:
            self._say("{title}: {question}".format(**message["exercise"]))

    def _choices(self) -> None:
        legal = self.table.legal(self.seat)
        numbered = (
            f"{number}:{short_label(self.table.game, action)}" for number, action in enumerate(legal, start=1)
        )
        self._say("  ".join(numbered))

    def _review(self) -> None:
        """Print the cost of each decision of the deal that is over."""
        if not self.table.result:
            raise InputError(
                tr("{request}: got it during a deal; expected it when the deal is over", request="review")
            )
        from stichwerk.table import study

        deal = [deal for deal in self.table.deals() if deal.points is not None][-1]
        judged, costly = study.review(self.table.game, deal, self.seat, self.table.begun_at)
        self._reviewed = judged, [each.move for each in costly]
        self._say(
            "\n".join(study.told_costs(self.table.game, costly) or [tr("No decision clearly cost anything.")])
        )

    def _again(self, word: str) -> None:
        """Play again from a decision that the review lists."""
        deal, moves = self._reviewed or (None, [])
        if deal is None or word not in map(str, moves):
            expected = ", ".join(map(str, moves)) or tr("a move that `review` lists")
            told = tr("again: got {given}; expected {expected}")
            raise InputError(told.format(given=quoted(word), expected=expected))
        start = position_in(self.table.game, deal, int(word) - 1)
        self._left.append(self.table)
        self.table, self._told = Table(start.game, self.table.seats, start=start), 0
        if recorder := self._left[-1].recorder:
            recorder.watch(self.table)

    def _hint(self) -> None:
        rating, odds = self._hints.of(self.table.turn_to_rate(self.seat))
        self._say(tr("Hint: {action}", action=told_hint(self.table.game, rating, odds)))

    def _study(self, words: Sequence[str]) -> None:
        """Print agents' ratings at the present decision, or before a move of the person's."""
        if self._ratings is None or self._ratings.game is not self.table.game:
            self._ratings = AgentRatings(self.table.game, self._studied)
        numbers = [int(word) for word in words if word.isdecimal()]
        agents = [word for word in words if not word.isdecimal() and word != "all"]
        states = state_at(self.table, self.seat, *numbers[:1])
        analysis = self._ratings.at(states, agents, "all" in words)
        data = ratings_data(self.table.game, analysis)
        lines = [["", *data["heads"]], *([row["words"], *row["cells"]] for row in data["rows"])]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for first, *cells in lines:
            rest = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
            self._say("  ".join([f"{first:<{widths[0]}}", *rest]))
        self._say(" ".join([tr(MEANING), *([tr(TOO_LARGE)] if analysis.too_large else [])]))


def ask_on_terminal() -> str | None:
    """A line of the standard input, after a prompt where a person types."""
    if sys.stdin.isatty():
        print("> ", end="", flush=True)
    return sys.stdin.readline() or None
