"""One installable name: the wheel holds `stichwerk` alone, and projects with folders of the same names as
ours go undisturbed."""

import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.environments import EXTRAS, PROJECT, ROOT
from tests.envs.support import slowly

FOLDERS = ("envs", "agents", "support")  # of the repository, and links in `stichwerk`
IN_A_CHECKOUT = """
import envs, agents, support
from stichwerk.envs import make_vec, schnapsen_v0
from stichwerk.agents import make_agent
env = schnapsen_v0.env()
env.reset(seed=1)
action = make_agent("random", "schnapsen_v0").act_in(env)
mask = env.unwrapped.observe(env.agent_selection)["action_mask"]
print(envs.WHOSE, agents.WHOSE, support.WHOSE, mask[action])
"""


def run(program: str, folder: Path, path: Path) -> str:
    """What a Python process prints that runs in a folder, with another folder first on its path."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The package as it is installed, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture
def project(tmp_path) -> Path:
    """Somebody's project with folders of the same names as ours."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("WHOSE = 'mine'\n")
    return tmp_path


def test_the_wheel_holds_one_name(wheel):
    assert {path.name for path in wheel.iterdir() if path.suffix != ".dist-info"} == {"stichwerk"}
    assert not any(path.is_symlink() for path in wheel.rglob("*"))
    files = (
        "envs/schnapsen_v0.py",
        "envs/py.typed",
        "envs/render/letters.ttf",
        "agents/__init__.py",
        "agents/py.typed",
        "support/py.typed",
    )
    for name in (
        *files,
        "commands/train.py",
        *(f"table/page/{name}" for name in ("index.html", "style.css", "main.js", "mark.svg")),
        "examples/single_file_ppo.py",
        *(f"configs/{path.relative_to(ROOT / 'configs')}" for path in (ROOT / "configs").rglob("*.yaml")),
    ):
        assert (wheel / "stichwerk" / name).is_file()


@pytest.mark.parametrize("where", ["checkout", "wheel"])
@pytest.mark.slow
def test_a_project_with_folders_of_the_same_names(project, where, request):
    path = ROOT if where == "checkout" else request.getfixturevalue("wheel")
    assert run(IN_A_CHECKOUT, project, path) == "mine mine mine 1"


@pytest.mark.parametrize("name", FOLDERS)
def test_the_old_names_say_what_to_import(name):
    program = f"try:\n    import {name}\nexcept ImportError as error:\n    print(error)"
    assert f"stichwerk.{name}" in run(program, ROOT, ROOT)


def test_a_checkout_without_links(tmp_path):
    """As Windows makes it: a text file stands in the place of each link."""
    shutil.copytree(ROOT / "stichwerk", tmp_path / "stichwerk", symlinks=True)
    for name in FOLDERS:
        (tmp_path / "stichwerk" / name).unlink()
        (tmp_path / "stichwerk" / name).write_text(f"../{name}")
    program = "try:\n    import stichwerk\nexcept ImportError as error:\n    print(error)"
    message = run(program, tmp_path, tmp_path)
    assert "is no link to a folder" in message
    assert "core.symlinks=true" in message
    assert "\n" not in message


def stichwerk(*words: str, folder: Path, path: Path, before: str = "") -> tuple[int, str, str]:
    """The command `stichwerk` as an installed package has it: exit status, stdout and stderr."""
    program = f"import sys\n{before}\nfrom stichwerk.commands import main\nmain()"
    command = [sys.executable, "-c", program, *words]
    env = {"PYTHONPATH": str(path)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def test_the_wheel_holds_configs_and_commands(wheel, tmp_path):
    status, out, err = stichwerk("train", "gaigel_three", "--lanes", "0", folder=tmp_path, path=wheel)
    assert (status, out) == (2, "")
    assert "lanes" in err, "the config was found, and then refused"


def test_the_wheel_holds_the_examples(wheel, tmp_path):
    status, out, err = stichwerk("export", "examples", folder=tmp_path, path=wheel)
    assert (status, err) == (0, "")
    of_checkout = {each for each in (ROOT / "examples").rglob("*.py") if not each.name.startswith("test_")}
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.py")}
    assert written == {each.relative_to(ROOT): each.read_bytes() for each in of_checkout}
    status, out, err = stichwerk("export", "examples", "hearts", folder=tmp_path, path=wheel)
    assert (status, out) == (2, "")
    assert "got existing results; expected another folder, or --force" in err
    status, _, err = stichwerk("export", "examples", "whist", folder=tmp_path, path=wheel)
    assert (status, err.startswith("error: names: got 'whist'; expected some of ")) == (2, True)


@pytest.mark.slow
def test_the_wheel_trains_and_measures(wheel, tmp_path):
    brief = "--decisions=512 --lanes=16 --steps=16 --widths=8 --evaluate-deals=10 --final-deals=10"
    status, _, err = stichwerk("train", "gaigel_three", *brief.split(), folder=tmp_path, path=wheel)
    assert status == 0, err
    assert "players: 3" in (tmp_path / "runs" / "gaigel_three-1" / "config.yaml").read_text()
    words = "eval --env sixty-six --agents rules random --deals 10 --out out"
    status, _, err = stichwerk(*words.split(), folder=tmp_path, path=wheel)
    assert status == 0, err
    assert '"env": "sixty_six_v0"' in (tmp_path / "out" / "results.json").read_text()


# None in its place in sys.modules would not do: SciPy would take that for the package.
WITHOUT = """
import sys

class Without:
    def find_spec(name, path=None, target=None):
        if name in {0}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without)
"""


@pytest.mark.parametrize(
    ("words", "before", "expected"),
    [
        (["eval"], WITHOUT.format(["rich"]), 'rich is not installed: pip install "stichwerk[eval]"'),
        (["train"], WITHOUT.format(["torch"]), 'torch is not installed: pip install "stichwerk[train]"'),
        (
            ["play"],
            WITHOUT.format(["starlette"]),
            'starlette is not installed: pip install "stichwerk[play]"',
        ),
        (["serve", "mcp"], WITHOUT.format(["mcp"]), 'mcp is not installed: pip install "stichwerk[mcp]"'),
    ],
)
def test_a_line_says_what_is_missing(words, before, expected, tmp_path):
    status, out, err = stichwerk(*words, folder=tmp_path, path=ROOT, before=before)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert expected in err
    assert not list(tmp_path.iterdir())


def only_with(*requirements: str) -> str:
    """The beginning of a program that finds no other packages than these need."""
    needed, waiting = set(), [*requirements]
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name in needed or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        needed.add(name)
        waiting += requires(name) or ()
    packages = packages_distributions().items()
    hidden = {package for package, by in packages if not needed & {canonicalize_name(each) for each in by}}
    return WITHOUT.format(sorted(hidden - {"stichwerk"}))


def test_environments_with_opponents_need_no_extra(tmp_path):
    program = """
import gymnasium
import stichwerk.envs
from stichwerk.agents import make_agent
env = gymnasium.make("stichwerk/Schnapsen-v0", opponents={"rules": 0.5, "random": 0.5})
env.reset(seed=1)
for text in ("ppo:schnapsen", "search:schnapsen", "rollout", "pimc", "ismcts"):
    assert make_agent(text, "schnapsen_v0").act_in(env.unwrapped.table) >= 0
print("torch" in sys.modules, "rich" in sys.modules)
"""
    assert run(only_with(*PROJECT["dependencies"]) + program, tmp_path, ROOT) == "False False"


def test_lists_need_rich_alone(tmp_path):
    before = only_with(*PROJECT["dependencies"], *EXTRAS["play"])
    status, out, err = stichwerk("list", "configs", folder=tmp_path, path=ROOT, before=before)
    assert (status, err) == (0, "")
    assert "strong/schnapsen" in out


@pytest.mark.parametrize("game", ["schnapsen", *slowly("preferans")])
def test_a_table_in_the_terminal_needs_its_extra_alone(game, tmp_path):
    before = only_with(*PROJECT["dependencies"], *EXTRAS["play"])
    status, out, err = stichwerk("play", game, "--terminal", folder=tmp_path, path=ROOT, before=before)
    assert (status, err) == (0, "")
    assert "you are seat 0" in out
