// A player as a program of its own, which speaks the engine protocol (docs/howto/engines.md).
//
//     stichwerk eval "mine=engine:node examples/engines/engine.mjs" rules --deals 1000
//
// It leads its dearest card and otherwise plays its cheapest one. Replace `choose` by a player of yours.
// With an address it connects there by WebSocket.

import { playByPipes, playByWebSocket } from "./client.mjs";

/** @type {Record<string, number>} */
const POINTS = { A: 11, T: 10, K: 4, Q: 3, J: 2 };

/** @type {import("./client.mjs").Player} */
const player = {
  name: "dearest first",
  wants: ["table"],
  choose({ legal, table }) {
    const cards = legal.filter((action) => action.startsWith("play "));
    if (!cards.length) return legal[0];
    const leads = table?.hands.every((hand) => hand.played === null);
    const points = (/** @type {string} */ action) => POINTS[action.slice(-1)] ?? 0;
    const isBetter = (/** @type {string} */ one, /** @type {string} */ other) =>
      leads ? points(one) > points(other) : points(one) < points(other);
    return cards.reduce((best, card) => (isBetter(card, best) ? card : best));
  },
};

const [url] = process.argv.slice(2);
if (url) playByWebSocket(player, url);
else await playByPipes(player);
