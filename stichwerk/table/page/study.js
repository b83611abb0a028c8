// The panel with what agents would do: which are asked, at which decision, and their ratings.

import { nodes, spoken } from "./words.js";

const at = id => document.getElementById(id);
const MEANING = "* is the choice; percentages are probabilities, numbers the game points expected of the deal.";
const TOO_LARGE = " No exact values: the position is too large.";

let asksAtOnce = false; // with the next list of agents and decisions

// Opens or closes the panel.
export function askAgents(send) {
  at("study").hidden = !at("study").hidden;
  at("ask").setAttribute("aria-expanded", String(!at("study").hidden));
  asksAtOnce = !at("study").hidden;
  if (asksAtOnce) send({ type: "study" });
}

// Opens it at an earlier decision.
export function studyMove(send, move) {
  at("study").hidden = false;
  at("ask").setAttribute("aria-expanded", "true");
  asksAtOnce = true;
  send({ type: "study", move });
}

// The table has changed: what was told is of an earlier position.
export function clearStudy(table, send) {
  if (at("study").hidden) return;
  at("study-table").replaceChildren();
  at("study-note").textContent = "";
  for (const option of [...at("study-move").options].slice(1)) option.remove();
  if (!table.watched) send({ type: "study" });
}

const chosen = () => [...document.querySelectorAll("#study-agents input:checked")].map(each => each.value);

function ask(send) {
  const move = at("study-move").value, agents = chosen();
  if (!agents.length) {
    at("study-note").textContent = "Choose at least one agent.";
    return;
  }
  at("study-table").replaceChildren();
  at("study-note").textContent = "Asking …";
  send({ type: "study", agents, move: move ? +move : null, all: at("study-all").checked });
}

// What the server tells: the agents and decisions to choose from, and ratings where some were asked.
export function showStudy(message, table, look, send) {
  offerAgents(message);
  at("study-choices").onsubmit = event => { event.preventDefault(); ask(send); };
  if (message.version !== table.version) return; // of another position than the one that is shown
  at("study-move").replaceChildren(new Option("now", ""), ...message.moves.map(each =>
    new Option(`move ${each.move}: ${spoken(each.words, table, look.face)}`, each.move)));
  at("study-move").value = message.move ?? "";
  if (message.rows) drawRatings(message, table, look);
  else if (asksAtOnce && (message.move || table.legal.length || table.watched && table.scene.turn >= 0 && !table.result)) ask(send);
  asksAtOnce = false;
}

function offerAgents(message) {
  if (document.querySelector("#study-agents input")) return;
  at("study-agents").append(...message.offered.map(name => {
    const label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", value: name, checked: message.chosen.includes(name) });
    label.append(box, ` ${name}`);
    return label;
  }));
}

function cell(name, scope, ...content) {
  const element = document.createElement(name);
  if (scope) element.scope = scope;
  element.append(...content);
  return element;
}

function row(...cells) {
  const element = document.createElement("tr");
  element.append(...cells);
  return element;
}

function drawRatings(message, table, look) {
  const head = row(cell("td"), ...message.heads.map(name => cell("th", "col", name)));
  const rows = message.rows.map(each => row(cell("th", "row", ...nodes(each.words, table, look.face)), ...each.cells.map(words => {
    const value = cell("td", "", words);
    value.classList.toggle("chosen", words.endsWith("*"));
    return value;
  })));
  at("study-table").replaceChildren(head, ...rows);
  at("study-note").textContent = MEANING + (message.too_large ? TOO_LARGE : "");
  at("study").scrollIntoView({ block: "nearest" });
}
