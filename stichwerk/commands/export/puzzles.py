"""Write puzzles with exact answers, or score answers to them.

stichwerk export puzzles --env schnapsen_v0 --number 100 --seed 1 --out puzzles.jsonl
stichwerk export puzzles --score answers.jsonl puzzles.jsonl
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from stichwerk.agents.language.generator import Generator
from stichwerk.agents.language.puzzles import SHIPPED, Puzzle, parse_puzzles, read_answers, read_puzzles
from stichwerk.cli import GameOptions, Positional, check_bounds, check_source, parse
from stichwerk.support.errors import InputError
from stichwerk.support.files import naming, write_whole
from stichwerk.support.terminal.progress import make_bar, print_table

BOUNDS = {"number": (1, 1_000_000), "cards": (2, 100), "seed": (0, 2**64 - 1)}
OF_WRITING = ("env", "rules", "resume", "number", "seed", "cards")


@dataclass(frozen=True, kw_only=True)
class PuzzleOptions(GameOptions):
    """Write puzzles with the exact value of every action as JSON Lines, or score answers by value lost."""

    file: Positional[Path | None] = None
    """With --score: the file of puzzles, JSON Lines or packed by gzip. The default is the package's
    puzzles."""
    score: Path | None = None
    """Score the answers of this file: lines such as {"id": "schnapsen_v0:1:0", "answer": "play hA"}."""
    out: Path | None = None
    """Write puzzles to this file, each as soon as it is made."""
    resume: bool = False
    """Continue a file that the same options have begun."""
    number: int = 100
    """The number of puzzles in the file."""
    seed: int = 1
    """The seed of the puzzles. A puzzle depends on the game, the seed and its own number."""
    cards: int | None = None
    """The most cards in all hands together. The default is no limit."""

    def __post_init__(self):
        check_bounds(self, BOUNDS)
        if (self.score is None) == (self.out is None):
            raise InputError(
                "puzzles: got neither or both of --out and --score; expected one, "
                "as in: stichwerk export puzzles --out new.jsonl"
            )
        if self.out and self.out.suffix == ".gz":
            raise InputError(f"out: got {self.out}; expected a file that is not packed")
        check_source(self, "score", ("file",), OF_WRITING)


def main(arguments: Sequence[str]) -> None:
    options = parse(PuzzleOptions, arguments)
    if options.score:
        puzzles = read_puzzles(options.file or SHIPPED)
        print_scores(puzzles, read_answers(options.score, puzzles))
    elif options.out:
        write_puzzles(Generator(options.game(), options.seed, options.cards), options.out, options)


def write_puzzles(generator: Generator, path: Path, options: PuzzleOptions) -> None:
    """Write the puzzles that the file does not have yet, each in one line as soon as it is made."""
    begun = _begun(generator, path, options.resume)
    with make_bar() as bar:
        task = bar.add_task("puzzles", total=options.number, completed=begun)
        for number in range(begun, options.number):
            line = generator.puzzle(number).line()
            path.parent.mkdir(parents=True, exist_ok=True)
            with naming(path), open(path, "a", encoding="utf-8") as file:
                file.write(line)
            bar.advance(task)
    print(f"{path}: {max(begun, options.number)} puzzles of {generator.game.env_id}, seed {options.seed}")


def _begun(generator: Generator, path: Path, resume: bool) -> int:
    """The number of puzzles in a file; an incomplete line at its end, left by a crash, is removed.

    Raises:
        InputError: the file is there without --resume, or other options have begun it.
    """
    if not path.exists():
        return 0
    if not resume:
        raise InputError(f"out: got {path}, which exists; expected a new file, or --resume")
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    puzzles = parse_puzzles(whole.decode(errors="replace"), path)
    ours = [generator.id(number) for number in range(len(puzzles))]
    if [puzzle.id for puzzle in puzzles] != ours or (
        puzzles and puzzles[-1] != generator.puzzle(len(puzzles) - 1)
    ):
        raise InputError(f"out: got {path}, which other options have begun; expected a new file")
    if len(whole) < len(content):
        write_whole(path, whole)
    return len(puzzles)


def print_scores(puzzles: Sequence[Puzzle], answers: Mapping[str, str | int]) -> None:
    """A row for each game and kind: the number of answers, and the game points that they lose."""
    table = Table("game", "kind", caption="lost: game points a puzzle; reward: 1 best, 0 worst action")
    for column in ("answered", "wrong", "best", "lost", "reward"):
        table.add_column(column, justify="right")
    for env, kind in sorted({(each.env, each.kind) for each in puzzles}):
        table.add_row(env, kind, *_row([p for p in puzzles if (p.env, p.kind) == (env, kind)], answers))
    table.add_section()
    table.add_row("all", "", *_row(puzzles, answers))
    print_table(table)


def _row(puzzles: Sequence[Puzzle], answers: Mapping[str, str | int]) -> Iterator[str]:
    scores = [puzzle.score(answers[puzzle.id]) for puzzle in puzzles if puzzle.id in answers]
    yield f"{len(scores):,} of {len(puzzles):,}"
    yield f"{sum(score.action is None for score in scores):,}"
    if not scores:
        yield from ("-", "-", "-")
        return
    yield f"{sum(score.lost == 0 for score in scores) / len(scores):.1%}"
    yield f"{sum(score.lost for score in scores) / len(scores):.3f}"
    yield f"{sum(score.reward for score in scores) / len(scores):.3f}"
