"""The rules are plain Python: interpreted and compiled they play the same game, and the compiled ones are
those of the sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import stichwerk
from stichwerk.envs.jit.compiled import NOTICE
from tests.envs.support import digest, python


def test_interpreted_and_compiled_rules_agree():
    interpreted = python("from tests.envs.support import digest; print(digest(1))", NUMBA_DISABLE_JIT="1")
    assert interpreted == digest(1)


VALUE = """
import numpy as np
from stichwerk.envs.games.snapszer.options import SnapszerRules
from stichwerk.envs.games.snapszer.scoring import value_against
from stichwerk.envs.games.snapszer.state import STATE
print(value_against(SnapszerRules().record()[0], np.zeros(1, STATE.dtype)[0], 0),
len(value_against.stats.cache_hits))
"""


def test_a_changed_file_is_noticed_by_those_who_call_it(tmp_path):
    """`value_against` calls `base_points` of another file; a copy of the suite in which that one changes must
    not use the old one."""
    shutil.copytree(
        Path(stichwerk.__file__).parent, tmp_path / "stichwerk", ignore=shutil.ignore_patterns("__pycache__")
    )
    family = tmp_path / "stichwerk" / "envs" / "games" / "family.py"

    def value() -> str:
        return python(VALUE, cwd=tmp_path, NUMBA_CACHE_DIR="")

    assert value() == "3 0"
    other = tmp_path / "stichwerk" / "envs" / "games" / "gaigel" / "flow.py"
    other.write_text(f"{other.read_text()}\nADDED = 1\n")
    assert value() == "3 1", "the counter-check: a change of what no call reaches leaves it in the cache"
    family.write_text(family.read_text().replace("return 3\n", "return 7\n"))
    assert value() == "7 0"


READ = """
from collections import namedtuple
from enum import IntEnum

import numpy as np
from numba.extending import intrinsic, overload, types
from stichwerk.envs.jit.compiled import compiled

NUMBER = 1
TABLE = np.array([1, 2])
AT = namedtuple("At", "first last")(1, 2)

class Phase(IntEnum):
    LEAD = 1

def plain(value):
    return value * 1

@overload(plain)
def _plain(value):
    return lambda value: value * 1

@intrinsic
def inline(context, value):
    return types.int64(value), lambda context, builder, signature, arguments: builder.mul(
        arguments[0], context.get_constant(types.int64, 1))

@compiled
def called(value):
    return _inner(value)

@compiled
def _inner(value):
    return value * 1

@compiled
def handed(value):
    return value * 1
"""
READERS = """
from stichwerk.envs.jit.compiled import compiled
from table import read
from table.read import AT, NUMBER, TABLE, Phase, called, handed, inline, plain

def closure(function):
    @compiled
    def over(value):
        return function(value)
    return over

number, attribute = compiled(lambda value: value * NUMBER), compiled(lambda value: value * read.NUMBER)
array, named = compiled(lambda value: value * TABLE[0]), compiled(lambda value: value * AT.first)
member, instruction = compiled(lambda value: value * Phase.LEAD), compiled(lambda value: inline(value))
overloaded, call = compiled(lambda value: plain(value)), compiled(lambda value: called(value))
inside = compiled(lambda value: sum([call(value) for _ in range(1)]))
over = closure(handed)
EACH = number, attribute, array, named, member, instruction, overloaded, call, inside, over
for each in EACH:
    print(each(10), len(each.stats.cache_hits))
"""


@pytest.fixture
def table(tmp_path):
    """A package of two modules: functions, and all kinds of things that they read in the other module."""
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "__init__.py").touch()
    (tmp_path / "table" / "read.py").write_text(READ)
    (tmp_path / "table" / "readers.py").write_text(READERS)
    return tmp_path / "table"


def values_read(table: Path, before: str = "") -> set[tuple[str, ...]]:
    """What each of the functions gives, and how many of its forms come from the cache."""
    program = f"{before}\nimport table.readers"
    printed = python(
        program, PYTHONPATH=str(table.parent), NUMBA_CACHE_DIR="", PYTHONDONTWRITEBYTECODE=""
    ).splitlines()
    assert len(printed) == 10
    return {tuple(line.split()) for line in printed}


# Python tells an edited source by its size and by the second in which it was written.
EDIT = """
import os
from pathlib import Path
import table.read as read
file = Path(read.__file__)
file.write_text(file.read_text().replace("1", "2"))
os.utime(file, (0, 0))
"""


@pytest.mark.slow
def test_an_edit_while_a_process_runs_is_noticed(table):
    """The process has loaded the old source, and reads the stamp from the new one."""
    assert values_read(table, EDIT) == {("10", "0")}
    assert values_read(table) == {("20", "0")}
    assert values_read(table) == {("20", "1")}, "the counter-check: from `.pyc` too, the code is the same"


@pytest.mark.parametrize("keeps_time", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_edit_is_noticed(keeps_time, table):
    """One that keeps time and size, when Python no longer runs the `.pyc`."""
    assert values_read(table) == {("10", "0")}
    file = table / "read.py"
    times = file.stat()
    file.write_text(file.read_text().replace("1", "2") + "#" * (not keeps_time))
    if keeps_time:
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert {value for value, _ in values_read(table)} == {"10"}
        for kept in table.rglob("read.*.pyc"):
            kept.unlink()
    assert values_read(table) == {("20", "0")}


CLOSURES = """
from stichwerk.envs.jit.compiled import compiled

def counter(step):
    @compiled
    def after(number):
        total = 0
        for value in range(number % 1000):  # too long to be written into its caller
            total += step * value % 7 + step
        return total

    return after

def doubled(count):
    @compiled
    def twice(number):
        return 2 * count(number)

    return twice
"""


NOT_KEPT = """
import closures
from numba import njit
for keep in (njit, closures.compiled):
    for answer in (1, 2):
        names = {"__name__": "closures", "answer": answer}
        exec("def count(number): return answer", names)
        function = closures.doubled(keep(names["count"]))
        print(function(0), len(function.stats.cache_hits))
"""


def afresh(program: str, folder: Path, seed: int) -> list[str]:
    """What an interpreter of its own prints, with hashes and addresses that others do not have."""
    return python(program, PYTHONPATH=folder, NUMBA_CACHE_DIR="", PYTHONHASHSEED=str(seed)).splitlines()


def test_closures_are_kept_and_told_apart_by_what_they_close_over(tmp_path):
    """Each is compiled in a process of its own, where Numba gives both the same names; then both are used
    beside each other. Those over functions that are not kept are not kept either."""
    (tmp_path / "closures.py").write_text(CLOSURES)

    def play(*steps: int, after: str = "") -> list[str]:
        program = f"""
from closures import counter, doubled
for step in {steps}:
    function = doubled(counter(step))
    print(function(10), len(function.stats.cache_hits))
{after}"""
        return afresh(program, tmp_path, len(steps))

    one, three = [2 * sum(step * value % 7 + step for value in range(10)) for step in (1, 3)]
    assert play(1) == [f"{one} 0"]
    assert play(3) == [f"{three} 0"]
    not_kept = ["2 0", "4 0"] * 2
    assert play(1, 3, after=NOT_KEPT) == [f"{one} 1", f"{three} 1", *not_kept]
    assert play(3, 1, after=NOT_KEPT) == [f"{three} 1", f"{one} 1", *not_kept]
    (tmp_path / "closures.py").write_text(CLOSURES.replace("2 * count", "3 * count"))
    assert play(1) == [f"{one // 2 * 3} 0"]


TWINS = """
from stichwerk.envs.jit.compiled import compiled
more, twice = compiled(lambda number: number + 1), compiled(lambda number: number * 2)

def power(by):
    @compiled
    def of(number, by=by):
        return number**by

    return of
"""


@pytest.mark.slow
def test_functions_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "closures.py").write_text(CLOSURES)
    (tmp_path / "twins.py").write_text(TWINS)

    def play(*names: str) -> list[str]:
        program = f"""
from closures import doubled
from twins import more, power, twice
for function in [{", ".join(names)}]:
    print(function(5), doubled(function)(5), len(function.stats.cache_hits))
"""
        return afresh(program, tmp_path, len(names))

    values = {"more": 6, "twice": 10, "power(2)": 25, "power(3)": 125}
    for name, value in values.items():
        assert play(name) == [f"{value} {2 * value} 0"]
    assert play(*values) == [f"{value} {2 * value} 1" for value in values.values()]


@pytest.mark.slow
def test_functions_of_one_line_are_told_apart_without_columns(tmp_path):
    (tmp_path / "twins.py").write_text(TWINS)
    for name, value in {"more": 6, "twice": 10}.items():
        program = f"from twins import {name}; print({name}(5))"
        printed = python(program, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR="", PYTHONNODEBUGRANGES="1")
        assert printed.strip() == str(value)


LAYOUTS = """
import numpy as np
from stichwerk.envs.jit.compiled import compiled

@compiled
def total(records, number):
    total = 0
    for value in range(number):
        for record in records:
            total += record.last * value
BRANCHES
    return total

@compiled
def twice(records):
    return total(records, 10) + total(records, 20)

def records(names):
    these = np.zeros(3, [(name, np.int64) for name in names.split()])
    these["last"] = 5
    return these
"""
BRANCH = """
            if total % {0} == 3:
                total += record.last % (value + {0})
"""  # many of them are too long to be written into their caller


@pytest.mark.slow
def test_records_of_several_processes_are_told_apart(tmp_path):
    """Numba numbers functions and types of records in each process from 1 on, and links by these numbers."""
    branches = "".join(BRANCH.format(number) for number in range(5, 65))
    (tmp_path / "layouts.py").write_text(LAYOUTS.replace("BRANCHES", branches))

    def play(*fields: str) -> list[str]:
        program = f"""
from layouts import records, twice
for names in {fields}:
    print(twice(records(names)), sum(twice.stats.cache_hits.values()))
"""
        return afresh(program, tmp_path, len(fields))

    (alone,) = play("last")
    total = alone.split()[0]
    assert alone == f"{total} 0"
    assert play("first last") == [alone]
    assert play("last", "first last") == play("first last", "last") == [f"{total} 1", f"{total} 2"]


FORMS = """
import numpy as np
from stichwerk.envs.jit.compiled import compiled

@compiled
def called(value):
    return value + 1

@compiled
def printed(value):
    print("got", value)
    if value > 3:
        raise ValueError(f"{value} is too large")
    return called(value)

@compiled
def calling(value):
    return printed(value) * 2

print(calling(3), len(called.signatures), called(3), len(called.signatures))
try:
    calling(5)
except ValueError as error:
    print(error)

@compiled
def doubled(value):
    return value * 2

@compiled
def widened(small, large):
    return doubled(small) + doubled(large) + doubled(3)

print(widened(np.int8(100), 100), len(doubled._linked.signatures))

@compiled
def is_even(number):
    return True if number == 0 else is_odd(number - 1)

@compiled
def is_odd(number):
    return False if number == 0 else is_even(number - 1)

try:
    is_even(3)
except Exception as error:
    print("is called by what it calls; expected a loop" in str(error))
"""
KINDS = """
import forms
for function in forms.called, forms.printed:
    print([type(each.library).__name__ for each in function._linked.overloads.values()])
"""


def test_functions_in_their_two_forms(tmp_path):
    """Compiled, then from the disk: functions that Python calls, that may print, that are called with
    integers of several sizes, and that call each other, which is refused."""
    (tmp_path / "forms.py").write_text(FORMS)
    says = ["got 3", "8 0 4 1", "got 5", "5 is too large"]
    for program, more in (
        (KINDS, ["406 1", "True", "['_Library']", "['JITCodeLibrary']"]),
        ("import forms", ["406 0", "True"]),
    ):
        printed = python(program, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR="")
        assert printed.splitlines() == [*says, *more]


CLOSURES_PLAYED = """
import sys
from closures import counter, doubled
print([doubled(counter(step))(10) for step in range(3)], "numba.core.caching" in sys.modules)
"""
GAME_PLAYED = """
import sys
from stichwerk.envs import make_vec
print(make_vec("schnapsen_v0", 3).reset(seed=1)[0]["action_mask"].sum(), "numba.core.caching" in sys.modules)
"""
each_program = pytest.mark.parametrize(
    "program",
    [
        pytest.param(CLOSURES_PLAYED, id="closures"),
        pytest.param(GAME_PLAYED, id="game", marks=pytest.mark.slow),  # compiled again, which takes long
    ],
)


@pytest.mark.slow
@each_program
def test_damaged_files_of_compiled_functions_are_written_again(program, tmp_path):
    (tmp_path / "closures.py").write_text(CLOSURES)

    def play() -> str:
        return python(program, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR=str(tmp_path / "kept"))

    whole = play()
    files = sorted(tmp_path.rglob("*.nbc"))
    assert len(files) > 5
    for number, file in enumerate(files):
        content = file.read_bytes()
        file.write_bytes([b"", b"?" * 50, content[: len(content) // 2]][number % 3])
    damaged = {file: file.read_bytes() for file in files}
    assert play() == whole
    assert any(file.exists() and file.read_bytes() != damaged[file] for file in files), "mended"
    assert play() == whole


@each_program
def test_no_folder_to_keep_compiled_functions_in(program, tmp_path):
    """A tree that cannot be written to, and nobody's home: it says so once, and goes on."""
    shutil.copytree(
        Path(stichwerk.__file__).parent, tmp_path / "stichwerk", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "closures.py").write_text(CLOSURES)
    unwritable = f"""
import tempfile, warnings
def refuse(*arguments, **named):
    raise PermissionError("read-only")
tempfile.TemporaryFile = refuse  # by which Numba finds out whether a folder can be written to
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    {program.strip().replace(chr(10), chr(10) + "    ")}
print([str(warning.message)[:41] for warning in said if "compiled" in str(warning.message)])
"""
    printed = python(unwritable, cwd=tmp_path, NUMBA_CACHE_DIR="").splitlines()
    assert printed[-1] == "['no folder to keep compiled functions in: ']"


def test_a_full_disk_for_compiled_functions(tmp_path):
    """It says so once, with the folder, and goes on."""
    (tmp_path / "closures.py").write_text(CLOSURES)
    program = f"""
import resource, warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    {CLOSURES_PLAYED.strip().replace(chr(10), chr(10) + "    ")}
print([str(warning.message) for warning in said if "compiled" in str(warning.message)])
"""
    kept = tmp_path / "kept"
    *_, played, told = python(program, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR=str(kept)).splitlines()
    assert played.startswith("[")
    assert told.count(str(kept)) == 1
    assert "compiled functions cannot be kept (File too large): every process" in told


NOTICED = """
import multiprocessing, sys, time
from stichwerk.envs.jit import compiled as module
from closures import counter, doubled

def compile_two():
    for step in map(int, sys.argv[1:]):
        print(doubled(counter(step))(10))

if __name__ == "__main__":
    module.NOTICEABLE = SECONDS
    AFTER
"""


@pytest.mark.slow
def test_that_rules_are_compiled_is_said_once(tmp_path):
    """Where it really takes a while, and not in the processes of a pool."""
    (tmp_path / "closures.py").write_text(CLOSURES)

    def said(*steps: int, seconds: float = 0.0, after: str = "compile_two()", before: str = "") -> str:
        program = NOTICED.replace("SECONDS", str(seconds)).replace("AFTER", f"{before}\n    {after}")
        (tmp_path / "noticed.py").write_text(program)
        path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[3])])
        env = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": ""}
        command = [sys.executable, "noticed.py", *map(str, steps)]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.split()) == len(steps)
        return done.stderr

    assert "takes up to half a minute" in NOTICE, "as the pages say"
    assert said(1, seconds=60) == "", "it is soon over"
    assert said(2, 3) == f"{NOTICE}\n"
    assert said(2, 3) == "", "they come from the disk"
    silence = "import logging; logging.getLogger('stichwerk').setLevel(logging.ERROR)"
    assert said(4, before=silence) == ""
    in_a_pool = (
        "child = multiprocessing.get_context('fork').Process(target=compile_two); child.start(); child.join()"
    )
    assert said(5, after=in_a_pool) == ""
    assert said(5) == "", "the counter-check: the child has compiled it"


@pytest.mark.slow
def test_a_first_start_says_that_it_compiles(tmp_path):
    program = "from stichwerk.envs import make_vec; make_vec('schnapsen_v0', 4).reset()"
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for said in (f"{NOTICE}\n", ""):
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", said)
