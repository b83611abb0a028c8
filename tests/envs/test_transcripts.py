"""Play at every table goes as written down in `transcripts/`."""

from itertools import zip_longest

from tests.envs.support import TABLES, each_table
from tests.envs.transcripts import COMMAND, FOLDER, path, transcript


@each_table
def test_transcript(table):
    assert path(table).exists(), f"{path(table).name} is missing; write it with: {COMMAND}"
    written = path(table).read_text(encoding="utf-8").splitlines()
    for number, (now, before) in enumerate(
        zip_longest(transcript(table), written, fillvalue="(the end)"), start=1
    ):
        assert now == before, (
            f"{path(table).name} differs first in line {number}\n"
            f"  written: {before}\n"
            f"  now:     {now}\n"
            f"If the change is meant, write the transcripts anew with: {COMMAND}"
        )


def test_no_transcript_without_a_table():
    assert {file.name for file in FOLDER.iterdir()} == {path(table).name for table in TABLES}


def test_transcripts_stay_readable():
    for table in TABLES:
        assert path(table).stat().st_size < 60_000
