"""The progress bar of all long work."""

from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class NoteColumn(TextColumn):
    """What a task has to say besides its progress: its field `note`, if it has one."""

    def __init__(self):
        super().__init__("")

    def render(self, task: Task) -> Text:
        return Text(task.fields.get("note", ""))


def make_bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        NoteColumn(),
    )
