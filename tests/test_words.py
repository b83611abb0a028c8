"""The glossary: words in italics in its third column stand nowhere else."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
# Where the old words may stand: what was, and what earlier versions wrote.
HISTORY = {
    "CHANGELOG.md",
    "docs/reference/glossary.md",
    "docs/notes/tried.md",  # dated notes
    "stichwerk/commands/__init__.py",  # names of commands
}
OLD_NAMES = re.compile(r"formerly=\(")  # a setting with the name that it had


def banned() -> list[str]:
    return re.findall(
        r"\*([^*]+)\*", "".join(re.findall(r"\|([^|]*)\|$", GLOSSARY.read_text(), re.MULTILINE))
    )


def pages_and_code() -> list[Path]:
    folders = ("support", "envs", "agents", "stichwerk", "docs", "configs", "examples", "benchmarks")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return [
        path
        for path in [*files, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        if path.suffix in (".py", ".md", ".yaml")
        and str(path.relative_to(ROOT)) not in HISTORY
        and "rules" not in path.relative_to(ROOT).parts[1:2]
    ]


def test_words_that_the_glossary_replaces():
    words = banned()
    assert len(words) > 8
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})s?\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in pages_and_code()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if not OLD_NAMES.search(line)
        for match in pattern.finditer(re.sub(r"\([^)]*#[^)]*\)", "", line))
    ]
    assert not found, "\n".join(found)
