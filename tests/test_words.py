"""Pages, docstrings, comments and names of tests use the glossary's words, and no idiom of a list."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
CODE = ("support", "envs", "agents", "stichwerk", "examples", "benchmarks")
DOCUMENTED = (*CODE, "docs")
"""The folders whose docstrings, help texts among them, hold no idiom and open with a verb or a noun."""

OLD_WORDS = re.compile(r"\b(he|his|him|himself|whom|anew|midst|one's own|looking on)\b", re.IGNORECASE)
IDIOMS = re.compile(
    r"\b(so many (of|as|worlds|deals)|stands? (there|beside)|as many .{1,30} as|whoever|is to hear"
    r"|of its own accord|brings? (a|the) (deal|hand)|what .{1,40} is that)\b",
    re.IGNORECASE,
)
OPENING = re.compile(r"(What|Whether|How|Who|Whom|Where|Which|When)\b")  # of a docstring
FREE_RELATIVE = re.compile(
    r"(What|Whatever|Who|Whoever|Whom|Whether|How)\b.*[^?]$"
)  # a sentence that is no question
# Old words may stand where it is said what was, and what earlier versions wrote.
HISTORY = {
    "CHANGELOG.md",
    "docs/reference/glossary.md",
    *(f"docs/notes/{path.name}" for path in (ROOT / "docs" / "notes").glob("*.md")),
    "stichwerk/commands/__init__.py",  # names of commands
}
# A setting with the name that it had, and a name of TextArena's.
OTHER_NAMES = re.compile(r"formerly=\(|\bGAME_BOARD\b")


def replaced() -> re.Pattern[str]:
    """The words in italics in the glossary's last column. An underscore ends a word too."""
    columns = "".join(re.findall(r"\|([^|]*)\|$", GLOSSARY.read_text(), re.MULTILINE))
    words = re.findall(r"\*([^*]+)\*", columns)
    assert len(words) > 8
    return re.compile(rf"(?<![a-z])({'|'.join(map(re.escape, words))})s?(?![a-z])", re.IGNORECASE)


def in_folders(folders: tuple[str, ...], *suffixes: str) -> list[Path]:
    return [
        path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.suffix in suffixes
    ]


def pages() -> list[Path]:
    others = ("README.md", "CONTRIBUTING.md", "examples/README.md")
    return [*map(ROOT.joinpath, others), *in_folders(("docs",), ".md")]


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


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """The docstrings of a module, its classes, functions and fields, each with its line."""
    for node in ast.walk(ast.parse(source)):
        for statement in node.body if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, cleandoc(value.value)


def comments_and_names(source: str) -> Iterator[tuple[int, str]]:
    """The comments of a module and the names of its tests, each with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or token.string.startswith("test_"):
            yield token.start[0], token.string.replace("_", " ")


def place(file: Path, line: int, text: str) -> str:
    return f"{file.relative_to(ROOT)}:{line}: {text}"


def sources(folders: tuple[str, ...], *patterns: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    """The modules with one of these patterns anywhere: to take all apart takes seconds."""
    for file in in_folders(folders, ".py"):
        source = file.read_text(encoding="utf-8")
        words = " ".join(source.replace("_", " ").split())
        if any(pattern.search(words) for pattern in patterns):
            yield file, source


def test_texts_are_told_apart():
    page = "# No title\n\nOne `a. b` [two. Three](x.md#y). Four!\n- five\n- six\n\n| no |\n\n```\nno.\n```\n"
    assert sentences(page) == ["One x two.", "Three.", "Four!", "five", "six"]
    source = '"""One."""\n\nclass Test:\n    """Two."""\n    a: int = 1\n    """Three."""  # 4\n'
    assert list(docstrings(source)) == [(1, "One."), (4, "Two."), (6, "Three.")]
    source = "def test_of_it():\n    name = 1  # five\n"
    assert list(comments_and_names(source)) == [(1, "test of it"), (2, "# five")]


def test_words_that_the_glossary_replaces():
    pattern = replaced()
    found = [
        place(path, number, match[0])
        for path in [*in_folders((*CODE, "configs"), ".py", ".md", ".yaml"), *pages()]
        if str(path.relative_to(ROOT)) not in HISTORY and "rules" not in path.relative_to(ROOT).parts[1:2]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if not OTHER_NAMES.search(line)
        for match in pattern.finditer(re.sub(r"\([^)]*#[^)]*\)", "", line))
    ]
    assert not found, "\n".join(found)


def test_pages_name_the_thing():
    """The rule book is free in its idioms, because it quotes."""
    found = [
        f"{page.relative_to(ROOT)}: {sentence}"
        for page in pages()
        for sentence in sentences(page.read_text(encoding="utf-8"))
        if OLD_WORDS.search(sentence)
        or (page.parent.name != "rules" and (IDIOMS.search(sentence) or FREE_RELATIVE.match(sentence)))
    ]
    assert not found, "\n".join(found)


def test_docstrings_name_the_thing():
    found = [
        place(file, line, text)
        for file, source in sources(DOCUMENTED, IDIOMS, re.compile(rf'""" ?{OPENING.pattern}'))
        for line, text in docstrings(source)
        if IDIOMS.search(" ".join(text.split())) or OPENING.match(text)
    ]
    assert not found, "\n".join(found)


def test_code_and_tests_use_current_words():
    pattern = replaced()
    in_a_name = re.compile(rf"\btest [a-z0-9 ]*{pattern.pattern}", re.IGNORECASE)
    found = [
        place(file, line, text)
        for file, source in sources((*CODE, "tests"), OLD_WORDS, in_a_name)
        for line, text in (*comments_and_names(source), *docstrings(source))
        if OLD_WORDS.search(text) or (text.startswith("test ") and pattern.search(text))
    ]
    assert not found, "\n".join(found)


def test_changes_of_a_version_fit_a_page():
    """They stand under Added, Changed and Fixed, in at most 35 lines. The first version has a list alone."""
    _, *versions, _first = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert versions[0].startswith("Unreleased")
    for changes in versions:
        assert set(re.findall(r"^### (.*)$", changes, re.MULTILINE)) <= {"Added", "Changed", "Fixed"}
        assert len([line for line in changes.splitlines() if line.startswith(("-", " "))]) <= 35
