// A player as a program of its own, which speaks the engine protocol (docs/howto/engines.md).
//
//     stichwerk eval "mine=engine:node examples/engines/engine.js" rules --deals 1000
//
// It leads its dearest card and otherwise plays its cheapest one. Replace `choose` by a player of yours.

const POINTS = { A: 11, T: 10, K: 4, Q: 3, J: 2 };

/** One of the actions in `request.legal`. */
function choose(request) {
  const cards = request.legal.filter((action) => action.startsWith("play "));
  if (!cards.length) return request.legal[0];
  const leads = request.table.hands.every((hand) => hand.played === null);
  const points = (action) => POINTS[action.at(-1)] ?? 0;
  const isBetter = (one, other) => (leads ? points(one) > points(other) : points(one) < points(other));
  return cards.reduce((best, card) => (isBetter(card, best) ? card : best));
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.event === "game") {
    send({ event: "ready", protocol: 1, name: "dearest first", wants: ["table"] });
  } else if (message.event === "act") {
    send({ event: "move", id: message.id, action: choose(message) });
  } else if (message.event === "end") {
    lines.close();
  }
});
