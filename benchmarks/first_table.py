"""The waits of a table on a first start: python benchmarks/first_table.py [GAME …]

Starts `stichwerk play` with an empty folder of compiled code, and again after `stichwerk warm`. A page by
WebSocket plays the first deal. Numbers are seconds of the clock, so nothing else should run; the second is
the processor time of the server until its first card.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from common import print_table
from websockets.sync.client import connect

from stichwerk.cli import Positional, parse, run

PORT = 8790
WAIT = 300


@dataclass(frozen=True)
class Options:
    games: Positional[tuple[str, ...]] = ("schnapsen", "preferans")
    """The games."""


def main(options: Options) -> None:
    rows = []
    for game in options.games:
        with TemporaryDirectory() as compiled:
            own = {**os.environ, "NUMBA_CACHE_DIR": compiled}
            rows.append([game, "nothing compiled", *(f"{each:.1f}" for each in waits(game, own))])
            subprocess.run([sys.executable, "-m", "stichwerk", "warm", game], env=own, check=True)
            rows.append([game, "compiled", *(f"{each:.1f}" for each in waits(game, own))])
    heads = ["first card", "processor", "longest wait in the first deal", "first hint"]
    print_table(["game", "", *heads], rows)


def waits(game: str, environment: Mapping[str, str]) -> tuple[float, float, float, float]:
    """The seconds until the first card, and the processor's; the longest wait of the first deal, and that for
    the first hint."""
    command = [
        sys.executable,
        "-m",
        "stichwerk",
        "play",
        game,
        "--no-browser",
        "--port",
        str(PORT),
        "--seed",
        "1",
    ]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            link = next(match[0] for line in server.stdout if (match := re.search(r"http\S+table/\S+", line)))
            address = link.replace("http", "ws", 1).replace("/table/", "/socket/")
            with connect(address, origin=link.partition("/table")[0], proxy=None) as page:
                return play(page, begin, server.pid)
        finally:
            server.terminate()


def play(page, begin: float, server: int) -> tuple[float, float, float, float]:
    def ask(**request) -> None:
        page.send(json.dumps(request))

    def answer(*kinds: str) -> dict:
        while True:
            message = json.loads(page.recv(timeout=WAIT))
            if message["type"] in kinds and not (message["type"] == "table" and stays(message)):
                return message

    table = answer("table")
    first, longest, hint = time.monotonic() - begin, 0.0, 0.0
    used = Path(f"/proc/{server}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    processor = sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
    chance = random.Random(1)
    while not table["result"]:
        if not hint:
            since = time.monotonic()
            ask(type="hint")
            answer("hint")
            hint = time.monotonic() - since
        since = time.monotonic()
        ask(type="act", version=table["version"], action=chance.choice(table["legal"])["name"])
        table = answer("table")
        longest = max(longest, time.monotonic() - since)
    return first, processor, longest, hint


def stays(table: dict) -> bool:
    """True if others are to act."""
    return not (table["legal"] or table["result"])


if __name__ == "__main__":
    run(lambda arguments: main(parse(Options, arguments)))
