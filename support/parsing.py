"""Texts that come from outside, YAML and JSON, read so that none can exhaust memory or stack.

Length and depth have limits, and no part of a text stands for another one. PyYAML would follow a few hundred
bytes of references to references into gigabytes.

YAML is read as version 1.2 has it, whose words mean themselves: `off` and `no` are texts, as are dates, `010`
and `1:30`. `write_yaml` writes what both versions read as it was.
"""

import codecs
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import yaml

from stichwerk.support.errors import InputError, quoted
from stichwerk.support.numbers import DIGITS, whole_number

MOST_YAML, MOST_JSON = 100_000, 16_000_000  # characters; PyYAML is slow
DEEPEST = 20
BEGIN = 400  # bytes of a text that tell its encoding
STDIN = "-"  # in the place of a file

NUMBER = re.compile(rf"[-+]?(?:{DIGITS}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
BEYOND = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
YAML_TAG = "tag:yaml.org,2002:"
PLAIN = {  # what a word without quotes may be besides a text, and the characters that it may begin with
    "bool": (re.compile("true|True|TRUE|false|False|FALSE"), "tTfF"),
    "null": (re.compile("~|null|Null|NULL|"), ["~", "n", "N", ""]),
    "float": (re.compile(f"{NUMBER.pattern}|{BEYOND.pattern}"), "-+.0123456789"),
}


class _Loader(yaml.SafeLoader):
    """PyYAML takes YAML 1.1's words for truths, and the last of several values for one key."""

    yaml_implicit_resolvers: dict = {}
    yaml_constructors: ClassVar[dict] = {
        None: yaml.SafeLoader.yaml_constructors[None],
        **{
            f"{YAML_TAG}{name}": yaml.SafeLoader.yaml_constructors[f"{YAML_TAG}{name}"]
            for name in ("str", "seq", "map", "null")
        },
    }

    def construct_truth(self, node: yaml.ScalarNode) -> bool:
        return self._word(node, "bool", "true or false").lower() == "true"

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        text = self._word(node, "float", "a number")
        if BEYOND.fullmatch(text):
            return float(text.replace(".", ""))
        whole = whole_number(text)
        return float(text) if whole is None else whole

    def _word(self, node: yaml.ScalarNode, name: str, expected: str) -> str:
        """The text of a node that may have been given its tag by hand."""
        text = self.construct_scalar(node)
        if not PLAIN[name][0].fullmatch(text):
            raise InputError(
                f"not YAML: {node.tag.replace(YAML_TAG, '!!')}: got {quoted(text)}; expected {expected}"
            )
        return text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        _check_once("YAML", (self.construct_object(key, deep=True) for key, _ in node.value))
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """PyYAML leaves the quotes out where YAML 1.1 reads a text, such as 1e6, that 1.2 takes for a number."""


_Loader.add_constructor(f"{YAML_TAG}bool", _Loader.construct_truth)
for _name in ("int", "float"):
    _Loader.add_constructor(f"{YAML_TAG}{_name}", _Loader.construct_number)
for _name, (_pattern, _begins) in PLAIN.items():
    for _kind in (_Loader, _Dumper):
        _kind.add_implicit_resolver(
            f"{YAML_TAG}{_name}", re.compile(rf"(?:{_pattern.pattern})\Z"), list(_begins)
        )


def write_yaml(value: Any, **layout: Any) -> str:
    """Plain values as a YAML text that `read_yaml` reads as the same; `layout` is PyYAML's."""
    return yaml.dump(value, Dumper=_Dumper, **{"sort_keys": False, **layout})


def yaml_line(value: Any, **layout: Any) -> str:
    """Plain values as YAML in one line; `layout` is PyYAML's."""
    return write_yaml(value, default_flow_style=True, width=float("inf"), **layout).strip()


def shown(value: Any) -> str:
    """A value for a message; a mapping as a file would have it."""
    return quoted(in_one_line(value) if isinstance(value, dict) else value)


def in_one_line(mapping: dict) -> str:
    """A mapping as YAML in one line, its keys in order."""
    return yaml_line(mapping, sort_keys=True)


def read_yaml(text: str) -> Any:
    """The value of a YAML text; InputError with what is wrong with it, such as `not YAML`."""
    _check_size(len(text), MOST_YAML)
    try:
        depth = 0
        for event in yaml.parse(text, yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise InputError(f"YAML with a reference, *{event.anchor}, which may not be used here")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            _check_depth(depth)
        return yaml.load(text, _Loader)
    except InputError:
        raise
    except Exception as error:  # besides its own errors PyYAML lets out whatever its constructors run into
        raise InputError(f"not YAML: {' '.join(str(error).split())}") from None


def parse_yaml(text: str) -> Any:
    """The value of a text written as YAML: a preset, or a mapping such as {claims: auto}; empty: None."""
    try:
        return read_yaml(text) if text else None
    except InputError as error:
        raise InputError(
            f"got {quoted(text)}, {error}; expected a name, or a mapping such as {{claims: auto}}"
        ) from None


def read_json(text: str) -> Any:
    """The value of a JSON text, whose objects have each key once; InputError with what is wrong with it, such
    as `not JSON`."""
    _check_size(len(text), MOST_JSON)
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except InputError:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}") from None
    layer, depth = [value], 0
    while layer := [each for each in layer if isinstance(each, (dict, list))]:
        depth += 1
        _check_depth(depth)
        layer = [part for each in layer for part in (each.values() if isinstance(each, dict) else each)]
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Python would take the last of several values for one key, other readers the first."""
    value = dict(pairs)
    if len(value) < len(pairs):
        _check_once("JSON", (key for key, _ in pairs))
    return value


def read_text(path: Path) -> str:
    """The text of a file, without its byte-order mark; `-`: of the standard input. It is UTF-8, or UTF-16 as
    PowerShell writes it.

    Raises:
        InputError: it is too large for one of the above, or no text.
    """
    if str(path) == STDIN:
        content = sys.stdin.buffer.read(MOST_JSON + 1)
    else:
        _check_size(path.stat().st_size, MOST_JSON)
        with open(path, "rb") as file:
            content = file.read(MOST_JSON + 1)  # what is no file has no size
    _check_size(len(content), MOST_JSON)
    try:
        return content.decode(encoding_of(content[:BEGIN]))
    except UnicodeDecodeError as error:
        raise InputError(f"not a text: {error}") from None


def _check_once(language: str, keys: Iterable[Any]) -> None:
    for key, number in Counter(keys).items():
        if number > 1:
            raise InputError(f"{language}: got {quoted(key)} {number} times; expected once")


def encoding_of(begin: bytes) -> str:
    """The encoding of a text by its first bytes. In UTF-16 one of two is mostly 0, in UTF-8 none is."""
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = (begin[place::2].count(0) for place in (0, 1))
    return "utf-8-sig" if even == odd else "utf-16-be" if even > odd else "utf-16-le"


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise InputError(f"too large: {size:,} characters of at most {most:,}")


def _check_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise _too_deep()


def _too_deep() -> InputError:
    return InputError(f"too deep: more than {DEEPEST} levels of lists and mappings")
