"""Fill the generated parts of the pages from the code: python docs/generate.py [--check]

Every environment id has a page of its name in `reference/games`. A generated part lies there between
`<!-- generated: NAME -->` and `<!-- end -->`. A page that is not there yet is begun with all these parts. The
picture shows the table of the page's first example. `cards.py` makes `results/players.md` of the players'
cards; `protocol.js` is made of the table's protocol, `protocol.d.ts` of the engines'. On all other pages, and
in the README, a generated part stands between the same marks. With --check nothing is
written; the exit status is 1 if a page or its picture is missing or out of date.
"""

import argparse
import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from importlib import import_module
from os.path import relpath
from pathlib import Path
from typing import Any, get_type_hints

from cards import players, rounded, use
from engine_types import engine_types

from stichwerk.agents.registry import SHIPPED_FOLDER
from stichwerk.agents.training.config import GROUPS, SETTINGS
from stichwerk.agents.training.config_files import load_config
from stichwerk.agents.training.settings import KINDS, Setting
from stichwerk.envs.games import GAMES, OWN_GAMES, make_game
from stichwerk.envs.spec.encoding import Encoding
from stichwerk.envs.spec.options import allowed
from stichwerk.support.terminal.arguments import docstrings, written
from stichwerk.table.serving.scripts import protocol_script

DOCS = Path(__file__).parent
GAME_PAGES = DOCS / "reference" / "games"
PLAYERS_PAGE = DOCS / "results" / "players.md"
SPEED_PAGE = DOCS / "results" / "speed.md"
ENGINE_TYPES = DOCS.parent / "examples" / "engines" / "protocol.d.ts"
PROTOCOL = DOCS.parent / "stichwerk" / "table" / "page" / "protocol.js"
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)

PUBLISHED = False  # on a package index: then True, and `make docs` writes the first commands of all pages
FIRST: dict[str, tuple[str, str]] = {  # by page: in a checkout, and from the index
    "begin": (
        """
```
make play                 # sets up .venv and opens a table of Schnapsen; GAME=gaigel for another game
make train                # sets up the rest and trains a network for Schnapsen, three to six minutes
make test                 # runs the checks
```

These commands work in a fresh checkout with Python 3.11 to 3.14; Stichwerk is not on a package index yet.
`make play` installs 330 MB. `make train` and `make test` install 2.7 GB, with CUDA 7 GB.
""",
        """
```
pip install "stichwerk[play]"
stichwerk play schnapsen
```

This installs 330 MB. In a checkout `make play` does the same.
""",
    ),
    "play": (
        """
```bash
make play
```

In a checkout this sets up `.venv` and opens a table; `make play GAME=gaigel` plays another game.
Afterwards `. .venv/bin/activate` makes the command ready that this page shows, `stichwerk play`.
""",
        """
```bash
pip install "stichwerk[play]"
stichwerk play schnapsen
```
""",
    ),
    "first_steps": (
        """
```
python3 -m venv .venv
. .venv/bin/activate
pip install --editable ".[train]"
```

These commands work in a fresh checkout.
""",
        """
```
pip install "stichwerk[train]"
```
""",
    ),
    "install": (
        """
Stichwerk is not on a package index yet. A checkout is installed in an environment of its own:

```
python3 -m venv .venv
. .venv/bin/activate                 # on Windows .venv\\Scripts\\activate
pip install --editable .             # environments and all agents to play against, networks too
pip install --editable ".[play]"     # with tables in the browser
pip install --editable ".[eval]"     # with evaluation: tables, pictures, records
pip install --editable ".[train]"    # with training: torch, stable-baselines3
```

`make play`, `make train` and `make test` do this [by themselves](#a-checkout).
Once Stichwerk is installed, `pip install "stichwerk[sweep]"` adds an extra: no index is asked for Stichwerk.
""",
        """
```
pip install stichwerk            # environments and all agents to play against, networks too
pip install "stichwerk[play]"    # with tables in the browser
pip install "stichwerk[eval]"    # with evaluation: tables, pictures, records
pip install "stichwerk[train]"   # with training: torch, stable-baselines3
```

In a checkout write `.` in place of `stichwerk`, such as `pip install ".[train]"`.
""",
    ),
}

PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def specs(env_id: str) -> str:
    game = make_game(env_id)
    name, version = env_id.rsplit("_", 1)
    rows = [
        (
            "Make (PettingZoo 1.27)",
            f'`pettingzoo.make("aec", "stichwerk/{name}-{version}")` after `import stichwerk.envs`',
        ),
        ("Import", f"`from stichwerk.envs import {env_id}`, then `{env_id}.env()` or `{env_id}.raw_env()`"),
        ("Vector environment", f'`stichwerk.envs.make_vec("{env_id}", num_envs)`'),
        ("Agents", ", ".join(f"`player_{seat}`" for seat in range(game.seats))),
        ("Actions", f"`Discrete({len(game.actions)})`"),
        *(
            (f"Observation `{e.name}`", f"`float32[{e.size}]`, schema `{e.schema}`")
            for e in game.encodings.values()
        ),
        ("Action mask", f"`int8[{len(game.actions)}]`"),
        ("`state()`", f"`float32[{game.perfect.size}]`"),
        ("Presets", ", ".join(f"`{preset}`" for preset in game.rules.PRESETS)),
        ("Default preset", f"`{game.rules.preset_name()}`"),
    ]
    return table(["", ""], rows)


def options(env_id: str) -> str:
    rules = make_game(env_id).rules
    hints = get_type_hints(type(rules))
    rows = [
        (f"`{f.name}`", f.metadata["meaning"], allowed(hints[f.name], f), linked(f.metadata["source"]))
        for f in fields(rules)
    ]
    return table(["Option", "Meaning", "Values", "Source"], rows)


def presets(env_id: str) -> str:
    rules = make_game(env_id).rules
    sets = [rules.make(name, name) for name in rules.PRESETS]
    rows = [(f"`{f.name}`", *(str(getattr(each, f.name)) for each in sets)) for f in fields(rules)]
    differing = [row for row in rows if len(set(row[1:])) > 1]
    cited = [
        (f"`{preset}`", f"`{name}` {getattr(made, name)}" if name else "", source)
        for preset, made in zip(rules.PRESETS, sets, strict=True)
        for name, source in rules.PRESET_SOURCES.get(preset, {}).items()
    ]
    values = table(["Option", *(f"`{name}`" for name in rules.PRESETS)], differing)
    return f"{values}\n{table(['Preset', 'Value', 'Where it is from'], cited)}"


def actions(env_id: str) -> str:
    names = make_game(env_id).actions
    groups: dict[str, list[int]] = {}
    for action, name in enumerate(names):
        groups.setdefault(name.split()[0], []).append(action)
    rows = [
        (f"{ids[0]} – {ids[-1]}" if len(ids) > 1 else f"{ids[0]}", ", ".join(f"`{names[i]}`" for i in ids))
        for ids in groups.values()
    ]
    return table(["Ids", "Names"], rows)


def picture(env_id: str) -> str:
    image = image_of(env_id)
    return f"![The table of this example]({relpath(image, GAME_PAGES)})\n"


def features(encoding: Encoding) -> str:
    rows = [
        (f"{where.start} – {where.stop - 1}", f"`{f.name}`", f.size, f.meaning)
        for f, where in zip(encoding.features, encoding.slices.values(), strict=True)
    ]
    return table(["Entries", "Feature", "Size", "Meaning"], rows)


def linked(source: str) -> str:
    """A source in words, with links to the sections of the rule book that it cites."""
    rules = relpath(DOCS / "rules", GAME_PAGES)
    return re.sub(r"docs/rules/(\w+\.md#([\w-]+))", lambda found: f"[{found[2]}]({rules}/{found[1]})", source)


def table(columns: list[str], rows: list[tuple]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


PARTS: dict[str, Callable[[str], str]] = {
    "specs": specs,
    "picture": picture,
    "options": options,
    "presets": presets,
    "actions": actions,
    "summary": lambda env_id: features(make_game(env_id).encodings["summary"]),
    "history": lambda env_id: features(make_game(env_id).encodings["history"]),
    "perfect": lambda env_id: features(make_game(env_id).perfect),
}


def page_of(env_id: str) -> Path:
    return GAME_PAGES / f"{env_id.rsplit('_', 1)[0]}.md"


def image_of(env_id: str) -> Path:
    return DOCS / "images" / f"{page_of(env_id).stem}.svg"


def drawn(text: str, env_id: str) -> str:
    """The table to which a page's first example leads."""
    example = EXAMPLE.search(text)
    assert example, f"{page_of(env_id).name} has no example to draw"
    names: dict = {}
    with contextlib.redirect_stdout(None):
        exec(compile(example[1], page_of(env_id).name, "exec"), names)
    return names["env"].picture().svg()


def present(page: Path) -> str:
    return page.read_text(encoding="utf-8") if page.exists() else ""


def filled(env_id: str) -> str:
    """The page with its generated parts as the code has them now."""
    text = present(page_of(env_id)) or begun(env_id)
    return PART.sub(lambda found: found[1] + PARTS[found[2]](env_id) + found[3], text)


def begun(env_id: str) -> str:
    """A page with an example and all generated parts, still empty, for somebody to write around them."""
    make = f'from stichwerk.envs import CardGameEnv\n\nenv = CardGameEnv("{env_id}")\nenv.reset(seed=1)'
    example = f"```python\n{make}\n```\n"
    parts = [f"## {name.capitalize()}\n\n<!-- generated: {name} -->\n<!-- end -->\n" for name in PARTS]
    return "\n".join([f"# {GAMES[env_id].title}\n", example, *parts])


def games(page: Path) -> str:
    """The environments, each with the title and the first paragraph of its module."""
    rows = []
    for env_id in OWN_GAMES:
        title, about = heading_of(env_id)
        numbers = GAMES[env_id].rules.values("players") or (make_game(env_id).seats,)
        link = relpath(page_of(env_id), page.parent)
        rows.append((f"[`{env_id}`]({link})", title, in_words(numbers), " ".join(about.split())))
    return table(["Environment", "Game", "Players", "About"], rows)


def heading_of(env_id: str) -> list[str]:
    """The title and the first paragraph of an environment's module."""
    return (import_module(f"stichwerk.envs.{env_id}").__doc__ or "").split("\n\n")[:2]


def in_words(numbers: Sequence[int]) -> str:
    """Such as 3, 4 or 6."""
    *others, last = map(str, numbers)
    return " or ".join([", ".join(others), last] if others else [last])


def configs(page: Path) -> str:
    """The configs of trainings that come with the package."""
    rows = []
    for file in sorted((DOCS.parent / "configs").glob("*.yaml")):
        config = load_config(file)
        rules = config.game.rules
        in_cell = f"`{rules}`" if isinstance(rules, str) else options_text(rules)
        decisions = f"{config.ppo.decisions / 1e6:g} million"
        rows.append((f"`{file.stem}`", f"`{config.game.env}`", in_cell, decisions))
    return table(["Config", "Environment", "Rules", "Decisions"], rows)


def settings(page: Path) -> str:
    """The settings of a training config, group by group."""
    parts = []
    for group, kind in GROUPS.items():
        meanings = docstrings(kind)
        rows = [
            (f"`{each.name}`", setting_in_words(each, getattr(kind(), each.name)), meanings[each.name])
            for each in SETTINGS.values()
            if each.group == group
        ]
        about = " ".join((kind.__doc__ or "").split())
        parts.append(f"## {group}\n\n{about}\n\n{table(['Setting', 'Default and values', 'Meaning'], rows)}")
    return "\n".join(parts)


def setting_in_words(setting: Setting, default: Any) -> str:
    """A setting's default, and what it may hold."""
    values = setting.allowed.words if setting.allowed else KINDS.get(setting.hint, "a mapping")
    return f"`{written(default)}`; {values}" if default or default == 0 else values


def options_text(rules: dict) -> str:
    return ", ".join(f"`{option}: {value}`" for option, value in rules.items())


def gains_of(card: Path) -> dict[str, str]:
    """The gain of a shipped player over each opponent of its card."""
    return dict(re.findall(r"\| `(\S+)` \| (\S+ ± \S+) \|", rounded(card.read_text(encoding="utf-8"))))


def strengths(page: Path) -> str:
    """A row of gains for each shipped player. NAME in the head of a column is the player's own name."""
    gains = {
        (name := card.parent.name): {
            opponent.replace(f":{name},", ":NAME,"): gain for opponent, gain in gains_of(card).items()
        }
        for card in sorted(SHIPPED_FOLDER.glob("*/README.md"))
    }
    opponents = list(dict.fromkeys(opponent for each in gains.values() for opponent in each))
    link = relpath(PLAYERS_PAGE, page.parent)
    rows = [
        (f"[`ppo:{name}`]({link}#ppo{name})", *(each.get(opponent, "") for opponent in opponents))
        for name, each in gains.items()
    ]
    return table(["", *(f"against `{opponent}`" for opponent in opponents)], rows)


def overview(page: Path) -> str:
    """A row for each shipped player: its game, the sizes of its spaces, its speed and its strength."""
    speeds = dict(re.findall(r"\| `(\w+)` \| (\d+) \|", present(SPEED_PAGE)))
    rows = []
    for card in SHIPPED_FOLDER.glob("*/README.md"):
        name = card.parent.name
        config = load_config(DOCS.parent / "configs" / "strong" / f"{name}.yaml").game
        if config.rule_shares:  # its rows are on the page of strength under other rules
            continue
        game = config.make()
        book = re.search(r"docs/rules/\w+\.md", fields(game.rules)[0].metadata["source"])
        assert book, f"{config.env}: its first option cites no page of the rule book"
        row = (
            f"[{heading_of(config.env)[0]}]({relpath(page_of(config.env), page.parent)})",
            game.seats,
            len(game.actions),
            f"float32[{game.encoding(config.observation).size}]",
            f"{speeds[name]} ns",
            gains_of(card)["rules"],
            f"[rules]({relpath(DOCS.parent / book[0], page.parent)})",
        )
        rows.append(((min(GAMES[config.env].rules.values("players") or (game.seats,)), name), row))
    results = relpath(DOCS / "results", page.parent)
    columns = [
        "Game",
        "Players",
        "Actions",
        "Observation",
        f"[Time a decision]({results}/speed.md)",
        f"[Network's gain over `rules`, points a deal ± 95 %]({results}/strength.md)",
        "Rule book",
    ]
    return table(columns, [row for _, row in sorted(rows)])


OF_ANY_PAGE: dict[str, Callable[[Path], str]] = {
    **{name: lambda page, texts=texts: texts[PUBLISHED].lstrip("\n") for name, texts in FIRST.items()},
    "games": games,
    "configs": configs,
    "settings": settings,
    "strengths": strengths,
    "overview": overview,
}


def pages() -> Iterator[tuple[Path, str]]:
    """Every file that is made from the code, and what it should hold."""
    for env_id in OWN_GAMES:
        text = filled(env_id)
        yield page_of(env_id), text
        yield image_of(env_id), drawn(text, env_id)
    for card in sorted(SHIPPED_FOLDER.glob("*/README.md")):
        yield card, PART.sub(lambda found: found[1] + use(card) + found[3], present(card))  # noqa: B023
    yield PLAYERS_PAGE, players()
    yield PROTOCOL, protocol_script()
    yield ENGINE_TYPES, engine_types()
    made = {PLAYERS_PAGE, *map(page_of, OWN_GAMES)}
    for page in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))):
        text = present(page)
        if page not in made and PART.search(text):
            yield page, PART.sub(lambda found: found[1] + OF_ANY_PAGE[found[2]](page) + found[3], text)  # noqa: B023


def main(check: bool) -> int:
    stale = []
    for file, wanted in pages():
        if wanted != present(file):
            stale.append(file.name)
            if not check:
                file.write_text(wanted, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fill the generated parts of the pages from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing, but say what is out of date")
    sys.exit(main(parser.parse_args().check))
