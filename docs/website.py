"""Hooks of ProperDocs (`hooks` in properdocs.yml) that add pages made of other files to the folder `docs`.

README, changelog and examples are pages too. The Python reference is made of docstrings, and the page of
the command line of what `--help` prints. Each record in `docs/deals` becomes a page to step through. Links
that lead from one of them to another are turned to where the pages stand on the site; files that are no page
there stay as words.
"""

import contextlib
import io
import json
import os
import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from properdocs.config.defaults import ProperDocsConfig
from properdocs.exceptions import PluginError
from properdocs.structure.files import File, Files
from properdocs.structure.pages import Page

from stichwerk import commands
from stichwerk.envs.games import OWN_GAMES
from stichwerk.envs.records.file import read_deal
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.records.shown import ShownDeal
from stichwerk.envs.render.film import to_page

ROOT = Path(__file__).parent.parent
MARK = ROOT / "stichwerk/table/page/mark.svg"  # the project's mark, which the table has too
LINK = re.compile(r"\[([^\[\]]*(?:\[[^\]]*\])?[^\[\]]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)")
IN_TABLES = re.compile(r"^\|.* ± .*$", re.MULTILINE)  # an interval stays on a line with its mean
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "reference/contributing.md",
    "examples/README.md": "examples/index.md",
}
MOVED |= {
    str(path.relative_to(ROOT)): f"{path.relative_to(ROOT).with_suffix('')}.md"
    for path in sorted((ROOT / "examples").rglob("*.py"))
    if not path.name.startswith("test_")
}
DEALS = {  # the record of a deal, and the page that shows it
    path.stem: (f"docs/deals/{path.name}", f"deals/{path.stem}.html")
    for path in sorted((ROOT / "docs" / "deals").glob("*.jsonl"))
}
LEADS_TO = MOVED | dict(DEALS.values())
FIRST_OF_RULES = "conventions.md"
REFERENCE = {
    "Environments": [
        "stichwerk.envs.deal.Deal",
        "stichwerk.envs.aec.CardGameEnv",
        "stichwerk.envs.vector.CardVectorEnv",
        "stichwerk.envs.make_vec",
        "stichwerk.agents.envs.gym.SeatEnv",
        "stichwerk.agents.envs.gym.SeatVectorEnv",
        "stichwerk.agents.envs.selfplay.SelfPlayEnv",
    ],
    "Agents": [
        "stichwerk.agents.make_agent",
        "stichwerk.agents.make_agent_for",
        "stichwerk.agents.core.agent.Agent",
        "stichwerk.agents.core.agent.Turns",
        "stichwerk.agents.external.custom.as_agent",
        "stichwerk.agents.external.policies.from_sb3",
        "stichwerk.agents.external.policies.from_onnx",
        "stichwerk.agents.external.policies.from_torchscript",
        "stichwerk.agents.external.policies.from_rllib",
        "stichwerk.agents.evaluation.playing.matches.play_pair",
        "stichwerk.agents.solver.solve",
        "stichwerk.agents.language.TextGame",
        "stichwerk.agents.language.read_answer",
        "stichwerk.agents.language.puzzles.read_puzzles",
        "stichwerk.agents.language.puzzles.Puzzle",
    ],
    "Games": [
        "stichwerk.envs.make_game",
        "stichwerk.envs.register_game",
        "stichwerk.envs.spec.game.GameSpec",
        "stichwerk.envs.spec.hooks",
        "stichwerk.envs.spec.game.Game",
        "stichwerk.envs.core.actions.Action",
        "stichwerk.envs.spec.fields.Field",
        "stichwerk.envs.spec.declared.history_encoding",
        "stichwerk.envs.spec.declared.perfect_encoding",
        "stichwerk.envs.testing.check_game",
    ],
    "Pictures": [
        "stichwerk.envs.render.Picture",
        "stichwerk.envs.spec.scene.Scene",
        "stichwerk.envs.spec.scene.Hand",
        "stichwerk.envs.spec.scene.Pile",
    ],
    "Errors": [
        "stichwerk.support.errors.InputError",
        "stichwerk.support.errors.RulesError",
        "stichwerk.support.errors.SetupError",
        "stichwerk.support.errors.IllegalAction",
        "stichwerk.agents.core.agent.AgentError",
    ],
}


def on_config(config: ProperDocsConfig) -> ProperDocsConfig:
    """List the pages of the games and of the rule book in the navigation; their titles are their headings.

    The link to the source is the one that the package declares.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    config.repo_url = project.get("urls", {}).get("Source")
    rules = sorted(path.name for path in (ROOT / "docs" / "rules").glob("*.md"))
    pages = {
        "GAMES": [
            f"reference/games/{name}.md"
            for name in ("index", *(each.rsplit("_", 1)[0] for each in OWN_GAMES))
        ],
        "RULES": [f"rules/{name}" for name in sorted(rules, key=lambda name: name != FIRST_OF_RULES)],
    }

    def filled(part: dict) -> dict:
        return {
            title: list(map(filled, entry)) if isinstance(entry, list) else pages.get(entry, entry)
            for title, entry in part.items()
        }

    config.nav = list(map(filled, config.nav or []))
    return config


def on_files(files: Files, config: ProperDocsConfig) -> Files:
    for source, page in MOVED.items():
        files.append(File.generated(config, page, content=text_of(ROOT / source)))
    files.append(File.generated(config, "reference/python.md", content=reference()))
    files.append(File.generated(config, "reference/commands.md", content=command_line()))
    files.append(File.generated(config, MARK.name, abs_src_path=str(MARK)))
    for name, (record, page) in DEALS.items():
        files.append(File.generated(config, page, content=stepped(ROOT / record, title_of(name))))
    return files


def title_of(name: str) -> str:
    """The title of a game by the name of its environment."""
    env_id = next(each for each in OWN_GAMES if each.rsplit("_", 1)[0] == name)
    return (import_module(f"stichwerk.envs.{env_id}").__doc__ or "").partition("\n")[0]


def stepped(record: Path, title: str) -> str:
    """A page that steps through the first deal of a record."""
    game, deal = read_deal(record, 1)
    return to_page(title, [ShownDeal(1, game, deal, RecordReplay(game).seen(deal)).film()])


def text_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return text if path.suffix == ".md" else f"# {path.name}\n\n```python\n{text}```\n"


def reference() -> str:
    parts = ["# Python\n", "What the docstrings of the public names say.\n"]
    for title, names in REFERENCE.items():
        parts += [f"## {title}\n", *(f"::: {name}\n" for name in names)]
    return "\n".join(parts)


def command_line() -> str:
    """Return the output of `stichwerk COMMAND --help` for every command."""
    parts = ["# Command line\n", "What `stichwerk COMMAND --help` prints.\n"]
    for name in commands.COMMANDS:
        parts.append(f"## {name}\n\n```text\n{help_text(name)}\n```\n")
    return "\n".join(parts)


def help_text(name: str) -> str:
    """Return the output of `stichwerk NAME --help` in a terminal of 100 columns."""
    script, sys.argv[0] = sys.argv[0], f"stichwerk {name}"  # with which the usage begins
    os.environ["COLUMNS"] = "100"
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        import_module(f"{commands.__name__}.{name.replace(' ', '.')}").main(["--help"])
    sys.argv[0] = script
    return said.getvalue().strip()


def on_page_markdown(markdown: str, page: Page, config: ProperDocsConfig, files: Files) -> str:
    """Turn links that are right in the repository to where they lead on the site."""
    here = page.file.src_uri
    source = next((old for old, new in MOVED.items() if new == here), f"docs/{here}")

    def turned(link: re.Match) -> str:
        words, target, anchor = link[1], link[2], link[3] or ""
        wanted = normpath(join(dirname(source), target)) if target else source
        on_site = LEADS_TO.get(wanted, wanted.removeprefix("docs/"))
        if files.get_file_from_path(on_site) is None:
            return words
        return f"[{words}]({relpath(on_site, dirname(here) or '.')}{anchor})"

    whole = IN_TABLES.sub(lambda row: row[0].replace(" ± ", "\u00a0±\u00a0"), markdown)
    return LINK.sub(turned, front(whole, page) if here == "index.md" else whole)


def on_page_content(html: str, page: Page, config: ProperDocsConfig, files: Files) -> str:
    """Let keys scroll code that is wider than the screen, and leave empty headings out of tables."""
    return html.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")


def front(readme: str, page: Page) -> str:
    """The README without its beginning, which the front page shows around a deal in place of the picture:
    the title, what Stichwerk is, and the section of the first commands."""
    parts = re.match(r"# .+?\n\n(.+?)\n\n!\[.+?\n\n## .+?```\n(.+?)\n```.+?\n(?=## )", readme, re.DOTALL)
    if not parts:
        raise PluginError("README.md: expected a title, a paragraph, a picture and a section with commands")
    deals = {name: title_of(name) for name in DEALS}
    page.meta |= {"template": "home.html", "claim": parts[1], "commands": parts[2], "deals": deals}
    return readme[parts.end() :]


def on_post_build(config: ProperDocsConfig) -> None:
    """Write the index of the search as a script, as pages that are read from the disk may load no JSON, and
    `llms.txt`, a list of the pages for language models."""
    index = Path(config.site_dir, "search", "search_index.json")
    entries = json.loads(index.read_text(encoding="utf-8"))["docs"]
    titles = {each["location"]: each["title"] for each in entries if "#" not in each["location"]}
    sections = [
        (each["location"], each["title"], titles[each["location"].split("#")[0]], each["text"])
        for each in entries
        if "#" in each["location"]
    ]
    text = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    index.with_name("index.js").write_text(f"const SECTIONS = {text};\n", encoding="utf-8")
    index.unlink()
    pages = "".join(f"- [{title}]({location or 'index.html'})\n" for location, title in titles.items())
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["description"]
    text = f"# Stichwerk\n\n> {about}\n\n## Pages\n\n{pages}"
    Path(config.site_dir, "llms.txt").write_text(text, encoding="utf-8")
