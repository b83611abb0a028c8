"""Texts and files from outside are read within limits, and messages about them stay short."""

import json
import math
import time
import tracemalloc

import pytest
import torch
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from stichwerk.agents.networks.tensors import read_tensors
from stichwerk.support.errors import LONGEST, LONGEST_VALUE, InputError, quoted
from stichwerk.support.files import held_folder, path_from, write_whole
from stichwerk.support.parsing import (
    DEEPEST,
    MOST_JSON,
    MOST_YAML,
    read_json,
    read_text,
    read_yaml,
    write_yaml,
)


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


# YAML and JSON


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_what_is_read(read):
    text = '{"a": [1, 2.5, true, null], "b": {"c": "d"}}'
    assert read(text) == json.loads(text)
    assert read(nested(DEEPEST)) == json.loads(nested(DEEPEST))


# A word, and what it stands for in a file.
WORDS = {
    "off": "off", "On": "On", "yes": "yes", "no": "no", "none": "none", "n": "n", "true": True,
    "FALSE": False, "~": None, "null": None, "": None, "0": 0, "-5": -5, "+5": 5, "010": "010",
    "1:30": "1:30", "0x1F": "0x1F", "1_000_000": 1_000_000, "1__0": "1__0", "1e6": 1_000_000,
    "2.5E+6": 2_500_000, "1.50e1": 15, "1.5e0": 1.5,
    "16.0": 16.0, "1e-3": 1e-3, ".5": 0.5, "-1.": -1.0, "1e400": math.inf, ".inf": math.inf, "inf": "inf",
    "2020-01-31": "2020-01-31", "2020-13-01": "2020-13-01", "<<": "<<", "=": "=",
}  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_mean_themselves_and_numbers_what_people_mean(word):
    for text, nest in ((f"a: {word}", lambda value: {"a": value}), (f"- {word}", lambda value: [value])):
        assert repr(read_yaml(text)) == repr(nest(WORDS[word]))
    assert repr(read_yaml(f"{{{word or '~'}: [{word or '~'}]}}")) == repr({WORDS[word]: [WORDS[word]]})


@pytest.mark.parametrize("word", WORDS)
def test_what_is_written_is_read_as_the_same(word):
    """Also by other programs, which read YAML 1.1."""
    for value in ({word: word}, {"a": [WORDS[word], word]}, [1e16, 1e-7, 10**20, WORDS[word]]):
        for layout in ({}, {"default_flow_style": True}):
            text = write_yaml(value, **layout)
            assert read_yaml(text) == value
            assert yaml.safe_load(text) == value


def test_numbers_keep_their_kind():
    values = {
        "whole": 10**15,
        "part": 1.0,
        "small": 1e-300,
        "true": True,
        "one": "1",
        "list": [0.1, 0, False, None],
    }
    assert repr(read_yaml(write_yaml(values))) == repr(values)


# A text, and words of the complaint about it.
FAULTS = [
    (read_yaml, "a: &a [1]\nb: *a", "reference"),
    (read_yaml, "a: [", "not YAML"),
    (read_yaml, "a: {b: 1, b: 2}", "'b' 2 times"),
    (read_yaml, "{1: a, 1: b}", "1 2 times"),
    (read_yaml, "{1000: a, 1e3: b}", "1000 2 times"),
    (read_yaml, "!!int 010", "got '010'; expected a number"),
    (read_yaml, "!!bool yes", "got 'yes'; expected true or false"),
    (read_yaml, "!!timestamp 2020-01-31", "not YAML"),
    (read_yaml, nested(DEEPEST + 1), "too deep"),
    (read_yaml, nested(40_000), "too deep"),
    (read_yaml, "- " * 40_000, "too deep"),
    (read_yaml, "? " * 40_000, "too deep"),
    (read_yaml, "x" * (MOST_YAML + 1), "too large"),
    (read_json, '[{"a": {"b": 1, "c": 2, "b": 1}}]', "'b' 2 times"),
    (read_json, '{"a": 1, "\\u0061": 2, "a": 3}', "'a' 3 times"),
    (read_json, "{", "not JSON"),
    (read_json, nested(DEEPEST + 1), "too deep"),
    (read_json, nested(1_000_000), "too deep"),
    (read_json, '{"a":' * 500_000 + "1" + "}" * 500_000, "too deep"),
    (read_json, "9" * 5_000, "not JSON"),
    (read_json, "x" * (MOST_JSON + 1), "too large"),
]


@pytest.mark.parametrize(("read", "text", "words"), FAULTS, ids=range(len(FAULTS)))
def test_what_is_refused(read, text, words):
    started = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=words):
            read(text)
        assert tracemalloc.get_traced_memory()[1] < 200e6, "bytes at most"
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < 10


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(), parts, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), PLAIN, min_size=1), min_size=1, max_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_a_key_given_twice_anywhere_is_refused(objects, data):
    """Whether the key is spelled the same or with escapes, and whether its two values differ."""
    spoiled = data.draw(st.integers(0, len(objects) - 1))
    pairs = list(objects[spoiled].items())
    key, value = data.draw(st.sampled_from(pairs))
    pairs.insert(data.draw(st.integers(0, len(pairs))), (key, data.draw(PLAIN | st.just(value))))
    spelled = [f"{json.dumps(k, ensure_ascii=data.draw(st.booleans()))}: {json.dumps(v)}" for k, v in pairs]
    texts = [json.dumps(each) for each in objects]
    assert read_json(f"[{', '.join(texts)}]") == objects
    texts[spoiled] = f"{{{', '.join(spelled)}}}"
    with pytest.raises(InputError, match="2 times; expected once"):
        read_json(f"[{', '.join(texts)}]")


def test_files_that_are_too_large_are_not_even_read(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="too large"):
        read_text(tmp_path / "large")


# Messages


def test_values_in_messages_are_short():
    deep = []
    deep.append(deep)
    for value in (
        "x" * 10**6,
        list(range(10**6)),
        {n: n for n in range(10**6)},
        deep,
        16**10_000,
        b"x" * 10**6,
    ):
        assert len(quoted(value)) <= LONGEST_VALUE + 3
    for value in ("abc", 7, 0.5, None, [1, "two"], {"three": (4,)}, {"a": {"b": [1, 2]}}):
        assert quoted(value) == repr(value)


def test_messages_are_one_line_whatever_they_hold():
    message = str(InputError("one\ntwo\r\x1b[31m\udcff – ♠ " + "x" * 10**6 + " the end"))
    assert message.isprintable()
    assert message.startswith(r"one\ntwo\r\x1b[31m\udcff – ♠ xxx")
    assert message.endswith("the end")
    assert len(message) < LONGEST + 100


# Paths and folders


@pytest.mark.parametrize("text", ["a\0b", "x" * 5_000, "a\udcffb", "file/below"])
def test_paths_where_nothing_can_be(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^path '"):
        path_from(text)
    assert path_from("new/folder").name == "folder"
    assert path_from("file").is_file()


def test_a_full_disk_names_the_file(tmp_path):
    (tmp_path / ".results.json.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "results.json", "{}")
    assert caught.value.filename == str(tmp_path / "results.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fault", [InputError, OSError, KeyboardInterrupt])
def test_folders_made_for_nothing_go_away_again(fault, tmp_path):
    (tmp_path / "old").mkdir()
    with pytest.raises(fault), held_folder(tmp_path / "old" / "new" / "newer", "run"):  # noqa: PT012
        (tmp_path / "old" / "new" / "newer" / ".metrics.jsonl.part").touch()
        raise fault
    assert [path.name for path in tmp_path.rglob("*")] == ["old"]


def test_folders_with_something_in_them_stay(tmp_path):
    with pytest.raises(OSError, match="later"), held_folder(tmp_path / "new" / "newer", "run"):  # noqa: PT012
        (tmp_path / "new" / "newer" / "config.yaml").touch()
        raise OSError("later")
    assert (tmp_path / "new" / "newer" / "config.yaml").exists()
    with held_folder(tmp_path / "empty", "run"):
        pass
    assert (tmp_path / "empty").exists()


# Tensors


LIKE = {
    "a": torch.zeros(2, 3),
    "b": torch.zeros((), dtype=torch.int64),
    "c": torch.zeros(4, dtype=torch.uint8),
}
TENSORS = {
    "one missing": {"a": torch.zeros(2, 3), "b": LIKE["b"]},
    "one more": {**LIKE, "d": torch.zeros(1)},
    "another shape": {**LIKE, "a": torch.zeros(3, 2)},
    "another type": {**LIKE, "a": torch.zeros(2, 3, dtype=torch.int64)},
    "too large": {**LIKE, "a": torch.zeros(1_000, 1_000)},
    "no number": {**LIKE, "a": torch.full((2, 3), torch.nan)},
    "no end": {**LIKE, "a": torch.full((2, 3), torch.inf)},
}


@pytest.mark.parametrize("fault", TENSORS)
def test_other_tensors_are_refused(fault, tmp_path):
    save_file(TENSORS[fault], tmp_path / "file")
    with pytest.raises(InputError):
        read_tensors(tmp_path / "file", LIKE)


def test_tensors_and_what_is_said_about_them(tmp_path):
    save_file(LIKE, tmp_path / "file", {"format": "2", "facts": "{}"})
    tensors, about = read_tensors(tmp_path / "file", LIKE, {"format": "2"})
    assert about == {"format": "2", "facts": "{}"}
    assert all(torch.equal(tensors[name], LIKE[name]) for name in LIKE)
    with pytest.raises(InputError, match="another format"):
        read_tensors(tmp_path / "file", LIKE, {"format": "3"})
