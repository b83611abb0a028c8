"""Write the example programs, to run and to change.

stichwerk export examples --out examples
stichwerk export examples single_file_ppo sb3_maskable_ppo
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import stichwerk
from stichwerk.cli import Positional, parse
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.files import new_files, write_together

PACKAGE = Path(stichwerk.__file__).parent
PLACES = PACKAGE / "examples", PACKAGE.parent / "examples"  # in a wheel, in a checkout


@dataclass(frozen=True, kw_only=True)
class ExamplesOptions:
    """Write the example programs that come with the package into a folder."""

    names: Positional[tuple[str, ...]] = ()
    """The examples, such as single_file_ppo or hearts. The default is all."""
    out: str = "examples"
    """The folder."""
    force: bool = False
    """Replace existing files."""


def main(arguments: Sequence[str]) -> None:
    options = parse(ExamplesOptions, arguments)
    source = next(place for place in PLACES if place.is_dir())
    files = [each.relative_to(source) for each in sorted(source.rglob("*")) if _is_example(each)]
    known = dict.fromkeys(Path(each.parts[0]).stem for each in files)
    if wrong := [name for name in options.names if Path(name).stem not in known]:
        raise InputError(f"names: got {quoted(wrong[0])}; expected some of {', '.join(known)}")
    chosen = {Path(name).stem for name in options.names or known}
    files = [each for each in files if Path(each.parts[0]).stem in chosen]
    paths = new_files(options.out, "examples", [str(each) for each in files], options.force)
    write_together({path: (source / each).read_bytes() for path, each in zip(paths, files, strict=True)})
    print("\n".join(map(str, paths)))


def _is_example(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("test_")
