"""The words of a command line become a dataclass, and what is wrong with them is told in a line."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from stichwerk.support.terminal.arguments import Positional, parse
from tests.envs.support import refused


@dataclass(frozen=True)
class Inner:
    rate: float = field(default=0.5, metadata={"meaning": "The rate of 100 %.", "aliases": ("speed",)})
    shares: dict[str, float] = field(default_factory=dict)
    """The shares by name."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Do something.

    With more to say.
    """

    names: Positional[tuple[str, ...]] = ("a",)
    """The names."""
    deals: int
    """The number of deals."""
    lanes: tuple[int, ...] = ()
    """The lanes."""
    kind: Literal["deal", "match"] = "deal"
    """The kind."""
    rules: str | dict[str, Any] = ""
    """The rules."""
    keep_all: bool = False
    """Keep all."""
    step: int | None = None
    """The step."""
    out: Path = Path("out")
    """The folder."""
    inner: Inner = Inner()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--deals 1e3", {}),
        ("--deals=1_000", {}),
        ("x y --deals 1e3", {"names": ("x", "y")}),
        ("--deals 1e3 x y", {"names": ("x", "y")}),
        ("--names x y --deals 1e3", {"names": ("x", "y")}),
        ("--deals 1e3 --lanes 1,2 3", {"lanes": (1, 2, 3)}),
        ("--deals 1e3 --keep_all", {"keep_all": True}),
        ("--deals 1e3 --keep-all --no_keep_all", {"keep_all": False}),
        ("--deals 1e3 --kind match --out a/b", {"kind": "match", "out": Path("a/b")}),
        ('--deals 1e3 --rules={"claims":auto}', {"rules": {"claims": "auto"}}),
        ("--deals 1e3 --step 2", {"step": 2}),
        ("--deals 1e3 --rules name", {"rules": "name"}),
        ("--deals 1e3 --rate -1", {"inner": Inner(rate=-1)}),
        ("--deals 1e3 --rate -1e-3", {"inner": Inner(rate=-0.001)}),
        ("--deals 1e3 --names -0.02,0.02 -.5 x", {"names": ("-0.02,0.02", "-.5", "x")}),
        ("--deals 1e3 --lanes -1,2 3 -4", {"lanes": (-1, 2, 3, -4)}),
        ("--deals 1e3 --speed 1", {"inner": Inner(rate=1)}),
        ("--deals 1e3 --inner.rate 1", {"inner": Inner(rate=1)}),
        ('--deals 1e3 --shares {"a":0.5}', {"inner": Inner(shares={"a": 0.5})}),
    ],
)
def test_words_become_options(words, expected):
    assert parse(Options, words.split()) == Options(**{"deals": 1_000, **expected})


def test_given_defaults_stand_where_no_word_does():
    default = Options(deals=7, inner=Inner(rate=0.1))
    assert parse(Options, ["--shares", "{a: 1}"], default) == Options(
        deals=7, inner=Inner(rate=0.1, shares={"a": 1})
    )


def test_wrong_words(refusals):
    refusals("command_lines", refused(lambda words: parse(Options, words.split())))


def test_help(capsys):
    with pytest.raises(SystemExit) as end:
        parse(Options, ["--deals", "--help"], before="CONFIG")
    assert not end.value.code
    out = " ".join(capsys.readouterr().out.split())
    for part in (
        "CONFIG NAMES [--OPTION VALUE ...] Do something. With more to say.",
        "--deals INT The number of deals. [required]",
        "--rate FLOAT The rate of 100 %. [default: 0.5; also --speed]",
        "--keep-all, --no-keep-all Keep all.",
        "inner:",
    ):
        assert part in out
