"""A recorded deal as it is shown: as a text, as a picture, or step by step."""

from collections.abc import Sequence
from dataclasses import dataclass

from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.notation import UNKNOWN, ranked, values_in, write_seen
from stichwerk.envs.records.replay import Shown, hidden_moves
from stichwerk.envs.render import Picture
from stichwerk.envs.render.film import Film, Frame, to_moving_svg
from stichwerk.envs.render.shapes import Face
from stichwerk.envs.spec.game import Game
from stichwerk.support.language import mark, tr


@dataclass(frozen=True)
class ShownDeal:
    """A replayed deal, by its number in the file, and what is shown of it step by step."""

    number: int
    game: Game
    record: DealRecord
    seen: Sequence[Shown]

    def at(self, step: int) -> Shown:
        self.record.check_step(step)
        return self.seen[step]

    def text(self, step: int | None) -> str:
        if step is None:
            return write_seen(self.game, self.record, self.seen)
        coming = self.record.moves[step : step + 1]
        values = [f"next      {each}\n" for each in map(values_in, coming) if each]
        return f"{self.game.text(*self.at(step))}\n{''.join(values)}"

    def picture(self, step: int | None, face: Face = "french") -> str:
        """An SVG of one step, or one that moves."""
        title = self.game.title
        if step is None:
            return to_moving_svg(title, self.film(face))
        return Picture(title, self.game.scene(*self.at(step)), face).svg()

    def film(self, face: Face = "french") -> Film:
        hidden = hidden_moves(self.game, self.record, self.seen)
        scenes = [self.game.scene(*shown) for shown in self.seen]
        frames = [Frame(mark("dealt"), scenes[0])]
        for number, (move, scene) in enumerate(zip(self.record.moves, scenes[1:], strict=True)):
            if number in hidden:
                frames.append(Frame(f"player_{move.seat} {UNKNOWN}", scene))
            else:
                frames.append(Frame(move.in_words, scene, ranked(move)))
        players = f": {', '.join(self.record.players)}" if self.record.players else ""
        return Film(f"{self.number}. {tr(self.game.title)}{players}", frames, face)
