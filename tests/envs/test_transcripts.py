"""Play under every variant goes as written down in `transcripts/`."""

from itertools import zip_longest

from tests.envs.support import VARIANTS, every_variant
from tests.envs.transcripts import COMMAND, FOLDER, path, transcript


@every_variant
def test_transcript(variant):
    assert path(variant).exists(), f"{path(variant).name} is missing; write it with: {COMMAND}"
    written = path(variant).read_text(encoding="utf-8").splitlines()
    for number, (now, before) in enumerate(
        zip_longest(transcript(variant), written, fillvalue="(the end)"), start=1
    ):
        assert now == before, (
            f"{path(variant).name} differs first in line {number}\n"
            f"  written: {before}\n"
            f"  now:     {now}\n"
            f"If the change is meant, write the transcripts anew with: {COMMAND}"
        )


def test_no_transcript_without_a_table():
    assert {file.name for file in FOLDER.iterdir()} == {path(variant).name for variant in VARIANTS}


def test_transcripts_stay_readable():
    for variant in VARIANTS:
        assert path(variant).stat().st_size < 60_000
