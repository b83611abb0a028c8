"""Words that the glossary replaces stand nowhere else; sentences are short."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
# Where the old words may stand: what was, and what earlier versions wrote.
HISTORY = {
    "CHANGELOG.md",
    "docs/reference/glossary.md",
    *(f"docs/notes/{path.name}" for path in (ROOT / "docs" / "notes").glob("*.md")),
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


MOST_WORDS = 25  # of a sentence
# Pages with longer sentences; shorten them, then take the page off this list.
NOT_YET_SHORT = {
    "docs/reference/architecture.md",
    "docs/reference/games/gaigel.md",
    "docs/reference/games/preferans.md",
    "docs/reference/games/schnapsen.md",
    "docs/reference/games/sixty_six.md",
    "docs/reference/games/snapszer.md",
    "docs/rules/conventions.md",
    "docs/rules/gaigel.md",
    "docs/rules/preferans.md",
    "docs/rules/schnapsen.md",
    "docs/rules/snapszer.md",
}


def sentences(page: str) -> list[str]:
    """The sentences of a page's prose: no code, no tables, no comments; a link counts by its words."""
    prose = re.sub(r"```.*?```|<!-- generated.*?<!-- end -->|<!--.*?-->", "\n\n", page, flags=re.DOTALL)
    prose = re.sub(r"`[^`]*`", "x", prose)
    prose = re.sub(r"!?\[([^\[\]]*)\]\([^)]*\)", r"\1", prose)
    blocks = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) |^#+ .*$|^\|.*$", prose, flags=re.MULTILINE)
    return [
        " ".join(each.split())
        for block in blocks
        for each in re.split(r"(?<=[.!?])[)*]*\s", block)
        if each.strip()
    ]


def test_sentences_are_told_apart():
    page = "# No title\n\nOne `a. b` [two. Three](x.md#y). Four!\n- five\n- six\n\n| no |\n\n```\nno.\n```\n"
    assert sentences(page) == ["One x two.", "Three.", "Four!", "five", "six"]


def test_sentences_are_short():
    pages = [*sorted((ROOT / "docs").rglob("*.md")), *map(ROOT.joinpath, ("README.md",))]
    found = [
        f"{page.relative_to(ROOT)}: {len(sentence.split())} words: {sentence}"
        for page in pages
        if str(page.relative_to(ROOT)) not in NOT_YET_SHORT and "notes" not in page.parts
        for sentence in sentences(page.read_text(encoding="utf-8"))
        if len(sentence.split()) > MOST_WORDS
    ]
    assert not found, "\n".join(found)
    assert all((ROOT / page).is_file() for page in NOT_YET_SHORT)
