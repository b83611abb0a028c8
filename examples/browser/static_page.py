"""A static page on which a network plays in the browser: python examples/browser/static_page.py

needs: pip install ".[examples]"; npm install onnxruntime-web
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import tyro

from stichwerk.agents import make_agent_for
from stichwerk.agents.builtin.network import NetworkAgent
from stichwerk.agents.external.export import write_onnx
from stichwerk.agents.external.protocol import OBSERVATION, TABLE, Request, Requests, game_line, to_line
from stichwerk.envs import CardGameEnv

HERE = Path(__file__).parent
PAGE = HERE / "index.html", HERE / "page.mjs", HERE.parent / "engines" / "client.mjs"
RUNTIME = "ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"


def main(
    agent: str = "ppo:schnapsen",
    env: str = "schnapsen_v0",
    deals: int = 20,
    seed: int = 1,
    runtime: Path = Path("node_modules/onnxruntime-web/dist"),
    out: Path = Path("site"),
) -> None:
    """Write the page, the network in 8 bits, and deals that it plays here as messages of the engine protocol.

    The network must see the `summary` observation, which is in the messages.
    """
    table = CardGameEnv(env)
    player = make_agent_for(f"{agent},greedy=yes", table.game)
    assert isinstance(player, NetworkAgent)
    out.mkdir(parents=True)
    write_onnx(player, out / "network.onnx", int8=True)
    (out / "deals.jsonl").write_bytes(b"".join(messages(table, player, deals, seed)))
    for file in (*PAGE, *(runtime / name for name in RUNTIME)):
        shutil.copy(file, out)
    print(f"python -m http.server --bind 127.0.0.1 --directory {out}")


def messages(env: CardGameEnv, player: NetworkAgent, deals: int, seed: int) -> Iterator[bytes]:
    """The messages of a host and of the player in all seats. Turns without a choice are not asked for."""
    requests, number = Requests(env.game), 0
    yield game_line(env.game, seed)
    for deal in range(deals):
        env.reset(seed=seed + deal)
        while not any(env.terminations.values()):
            name, action = env.agent_selection, player.act_in(env)
            seen = env.observe(name)
            if seen["action_mask"].sum() > 1:
                asked = Request(number, env.possible_agents.index(name), env.view(name), seen["action_mask"])
                yield requests.line(asked, 1000.0, (TABLE, OBSERVATION), seen["observation"])
                yield to_line("move", id=number, action=env.game.actions[action])
                number += 1
            env.step(action)
    yield to_line("end")


if __name__ == "__main__":
    tyro.cli(main)
