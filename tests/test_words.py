"""Words that the glossary replaces stand nowhere else; sentences are short."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from inspect import cleandoc
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
# A setting with the name that it had, and a name of TextArena's.
OTHER_NAMES = re.compile(r"formerly=\(|\bGAME_BOARD\b")


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
    # An underscore ends a word too, as in a private name.
    pattern = re.compile(rf"(?<![a-z])({'|'.join(map(re.escape, words))})s?(?![a-z])", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in pages_and_code()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if not OTHER_NAMES.search(line)
        for match in pattern.finditer(re.sub(r"\([^)]*#[^)]*\)", "", line))
    ]
    assert not found, "\n".join(found)


MOST_WORDS = 25  # of a sentence
OLD_FASHIONED = re.compile(r"\b(he|his|him|himself|whom|anew|midst|one's own|looking on)\b", re.IGNORECASE)


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


def edited() -> list[tuple[str, str]]:
    """The sentences of all pages, each with its page."""
    others = ("README.md", "CONTRIBUTING.md", "examples/README.md")
    pages = [*map(ROOT.joinpath, others), *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        (str(page.relative_to(ROOT)), sentence)
        for page in pages
        for sentence in sentences(page.read_text(encoding="utf-8"))
    ]


def test_sentences_are_short():
    found = [
        f"{page}: {len(sentence.split())} words: {sentence}"
        for page, sentence in edited()
        if len(sentence.split()) > MOST_WORDS
    ]
    assert not found, "\n".join(found)


def test_prose_names_the_thing():
    """Pages speak of seats, players and agents by name, in current words."""
    found = [f"{page}: {sentence}" for page, sentence in edited() if OLD_FASHIONED.search(sentence)]
    assert not found, "\n".join(found)


# Folders whose docstrings, help texts among them, obey the same two checks.
DOCUMENTED = ("stichwerk", "support", "agents", "envs", "benchmarks", "examples")
INDENTED = re.compile(r"\n\n(?: {4}.*\n?)+|^ *>>> (?:.+\n?)+", re.MULTILINE)  # code in a docstring
# Where an entry of a docstring, a row of a table or a command begins a sentence of its own.
ENTRY = re.compile(
    r"^ *(?:\S.* {2,}|(?:Args|Attributes|Returns|Raises|Yields):$"
    r"|[\w*`.]+(?:, [\w*`.]+)*: |(?:python|pip|stichwerk) )",
    re.MULTILINE,
)


def docstrings(file: Path) -> Iterator[tuple[int, str]]:
    """The docstrings of a module, its classes, functions and fields, each with its line."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        for statement in node.body if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, cleandoc(value.value)


def documented() -> list[tuple[str, str]]:
    """The sentences of docstrings, each with its place; links to other folders are not followed."""
    return [
        (f"{file.relative_to(ROOT)}:{line}", sentence)
        for folder in DOCUMENTED
        for file in sorted((ROOT / folder).rglob("*.py"))
        for line, text in docstrings(file)
        for sentence in sentences(ENTRY.sub(r"\n\n\g<0>", INDENTED.sub("\n\n", text)))
    ]


def test_docstrings_are_told_apart(tmp_path):
    (tmp_path / "module.py").write_text(
        '"""One."""\n\nclass Options:\n    """Two."""\n    deals: int = 1\n    """Three."""\n'
    )
    assert list(docstrings(tmp_path / "module.py")) == [(1, "One."), (4, "Two."), (6, "Three.")]


def test_docstrings_and_help_texts_are_short_and_name_the_thing():
    found = documented()
    assert len(found) > 500
    wrong = [
        f"{place}: {len(sentence.split())} words: {sentence}"
        for place, sentence in found
        if len(sentence.split()) > MOST_WORDS or OLD_FASHIONED.search(sentence)
    ]
    assert not wrong, "\n".join(wrong)


def comments(file: Path) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_comments_name_the_thing():
    """So do the docstrings of tests, which may be longer."""
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for folder in (*DOCUMENTED, "tests")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for line, text in (*comments(file), *docstrings(file))
        if OLD_FASHIONED.search(text)
    ]
    assert not found, "\n".join(found)


def test_changes_of_a_version_fit_a_page():
    """They stand under Added, Changed and Fixed, in at most 35 lines. The first version has a list alone."""
    _, *versions, _first = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert versions[0].startswith("Unreleased")
    for changes in versions:
        assert set(re.findall(r"^### (.*)$", changes, re.MULTILINE)) <= {"Added", "Changed", "Fixed"}
        assert len([line for line in changes.splitlines() if line.startswith(("-", " "))]) <= 35
