// A client of the engine protocol (docs/howto/engines.md) for JavaScript and TypeScript, in Node.js and in pages.

/** @import { Act, FromEngine, FromHost, Game, Want } from "./protocol.d.ts" */

/**
 * @typedef {object} Player
 * @property {string} name
 * @property {Want[]} wants the parts of a request that it reads
 * @property {(request: Act, game: Game) => string | Promise<string>} choose one of `request.legal`
 */

/**
 * Let a player answer lines of a host, one after another.
 *
 * @param {Player} player
 * @param {(message: FromEngine) => void} send
 * @returns {(line: string) => Promise<FromHost["event"]>}
 */
function answers(player, send) {
  /** @type {Game} */
  let game;
  return async (line) => {
    /** @type {FromHost} */
    const message = JSON.parse(line);
    if (message.event === "game") {
      game = message;
      send({ event: "ready", protocol: 1, name: player.name, wants: player.wants });
    } else if (message.event === "act") {
      send({ event: "move", id: message.id, action: await player.choose(message, game) });
    }
    return message.event;
  };
}

/**
 * Play as a program that the host has started, until its input ends.
 *
 * @param {Player} player
 */
export async function playByPipes(player) {
  const { createInterface } = await import("node:readline");
  const answer = answers(player, (message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    if ((await answer(line)) === "end") lines.close();
  }
}

/**
 * Play for the host at an address such as ws://127.0.0.1:8765. One connection always waits for a game; it is
 * opened again each second until the host listens.
 *
 * @param {Player} player
 * @param {string} url
 * @param {(event: FromHost["event"]) => void} [tell] hears of each message when it is answered
 */
export function playByWebSocket(player, url, tell = () => {}) {
  const socket = new WebSocket(url);
  let hasNext = false;
  let last = Promise.resolve();
  const next = (/** @type {number} */ ms) => {
    if (!hasNext) setTimeout(playByWebSocket, ms, player, url, tell);
    hasNext = true;
  };
  const answer = answers(player, (message) => socket.send(JSON.stringify(message)));
  socket.onmessage = ({ data }) => {
    last = last
      .then(async () => {
        const event = await answer(data);
        if (event === "game") next(0);
        tell(event);
      })
      .catch((error) => {
        socket.send(JSON.stringify({ event: "error", text: String(error) }));
        socket.close();
      });
  };
  socket.onclose = () => next(1000);
  socket.onerror = () => next(1000); // Node.js 20 tells no more of an address at which nobody listens
}
