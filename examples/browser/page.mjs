// The page of `static_page.py`: runs the network on recorded decisions, and on those of a host by WebSocket.

import { playByWebSocket } from "./client.mjs";
import * as ort from "./ort.wasm.min.mjs";

const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const $ = (id) => document.getElementById(id);
const pretty = (text) => text.replace(/\b([shdc])([2-9TJQKA]?)\b/g, (_, suit, rank) => SUITS[suit] + rank);

ort.env.wasm.numThreads = 1; // more need a page that is isolated from other origins
const network = await ort.InferenceSession.create("network.onnx", { executionProviders: ["wasm"] });
const lines = (await (await fetch("deals.jsonl")).text()).trim().split("\n");
const [game, ...messages] = lines.map((line) => JSON.parse(line));
const moves = new Map(messages.filter(({ event }) => event === "move").map(({ id, action }) => [id, action]));
const requests = messages.filter(({ event }) => event === "act");

let running = Promise.resolve(); // a session runs one input at a time

/** The chance of each legal action, the best one first. */
function chances({ legal, observation }, { actions }) {
  const numbers = legal.map((action) => actions.indexOf(action));
  const mask = new Float32Array(actions.length);
  for (const number of numbers) mask[number] = 1;
  running = running.catch(() => {}).then(() =>
    network.run({
      observation: new ort.Tensor("float32", Float32Array.from(observation), [1, observation.length]),
      action_mask: new ort.Tensor("float32", mask, [1, mask.length]),
    }),
  );
  return running.then(({ scores }) => {
    const most = Math.max(...numbers.map((number) => scores.data[number]));
    const weights = numbers.map((number) => Math.exp(scores.data[number] - most));
    const sum = weights.reduce((one, other) => one + other);
    const rows = legal.map((action, i) => ({ action, chance: weights[i] / sum }));
    return rows.sort((one, other) => other.chance - one.chance);
  });
}

async function choose(request, asked) {
  if (asked.env !== game.env || JSON.stringify(asked.rules) !== JSON.stringify(game.rules))
    throw new Error(`got ${asked.env} with its rules; expected ${game.env} with those of deals.jsonl`);
  return (await chances(request, asked))[0].action;
}

let at = 0;
let agreed = 0;

function show() {
  const { hand, legal, table } = requests[at];
  const played = table.hands.filter((each) => each.played).map((each) => `player_${each.seat} has played ${each.played}`);
  $("lines").replaceChildren(...[...table.lines, ...played].map((line) => element("li", pretty(line))));
  $("hand").textContent = hand.map(pretty).join(" ");
  $("choices").replaceChildren(...legal.map((action) => button(action)));
  $("answer").hidden = true;
}

function button(action) {
  const made = element("button", pretty(action));
  made.addEventListener("click", () => compare(action));
  return made;
}

async function compare(mine) {
  for (const each of $("choices").children) each.disabled = true;
  const rows = await chances(requests[at], game);
  agreed += Number(rows[0].action === mine);
  at += 1;
  $("scores").replaceChildren(
    ...rows.map(({ action, chance }) => {
      const row = document.createElement("tr");
      row.append(element("td", pretty(action)), element("td", `${(100 * chance).toFixed(1)} %`));
      return row;
    }),
  );
  $("verdict").textContent = `You chose as the network in ${agreed} of ${at} decisions.`;
  $("next").hidden = at === requests.length;
  $("answer").hidden = false;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

$("next").addEventListener("click", show);
$("host").addEventListener("submit", (event) => {
  event.preventDefault();
  event.target.querySelector("button").disabled = true;
  let played = 0;
  $("played").textContent = "The network waits for a game.";
  playByWebSocket({ name: "browser", wants: ["observation"], choose }, $("url").value, (kind) => {
    played += Number(kind === "act");
    $("played").textContent = `The network has chosen ${played} times.`;
  });
});

let same = 0;
for (const request of requests) same += Number((await choose(request, game)) === moves.get(request.id));
$("status").textContent = `In ${same} of ${requests.length} decisions the network chooses here as it did in float32.`;
document.querySelector("main").hidden = false;
show();
