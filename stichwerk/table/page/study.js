// The panel with what agents would do: which are asked, at which decision, and their ratings.

import { ask } from "./connection.js";
import { at, fill, make } from "./dom.js";
import { tr } from "./language.js";
import { MEANING, TOO_LARGE } from "./protocol.js";
import { state } from "./state.js";
import { nodes, spoken } from "./words.js";

// Opens the panel, at an earlier decision if one is named; the answer lists agents and decisions.
export function studyMove(move = null) {
  at("study").hidden = false;
  at("ask").setAttribute("aria-expanded", "true");
  state.asksAtOnce = true;
  ask({ type: "study", move });
}

// Opens or closes the panel.
export function toggleStudy() {
  if (at("study").hidden) {
    studyMove();
    return;
  }
  at("study").hidden = true;
  at("ask").setAttribute("aria-expanded", "false");
  state.asksAtOnce = false;
}

// The table has changed: what was told is of an earlier position.
export function clearStudy() {
  if (at("study").hidden) return;
  fill("study-table", []);
  at("study-note").textContent = "";
  for (const option of [...at("study-move").options].slice(1)) option.remove();
  if (!state.table.watched) ask({ type: "study" });
}

export function askAgents() {
  const agents = [...at("study-agents").querySelectorAll("input:checked")].map(each => each.value), move = at("study-move").value;
  if (!agents.length) {
    at("study-note").textContent = tr("Choose at least one agent.");
    return;
  }
  fill("study-table", []);
  at("study-note").textContent = tr("Asking …");
  ask({ type: "study", agents, move: move ? +move : null, all: at("study-all").checked });
}

/** @param {import("./protocol.js").StudyMessage} message */
export function showStudy(message) {
  const { table } = state;
  if (!at("study-agents").querySelector("input")) at("study-agents").append(...message.offered.map(name => make("label", { lang: "en" },
    make("input", { type: "checkbox", value: name, checked: message.chosen.includes(name) ? "" : undefined }), ` ${name}`)));
  if (message.version !== table.version) return; // of another position than the one that is shown
  fill("study-move", [new Option(tr("now"), ""),
    ...message.moves.map(each => new Option(tr("move {number}: {action}", { number: each.move, action: spoken(each.words) }), String(each.move)))]);
  at("study-move").value = message.move ?? "";
  const decides = message.move || table.legal.length || table.watched && table.scene.turn >= 0 && !table.result;
  if (message.rows) drawRatings(message);
  else if (state.asksAtOnce && decides) askAgents();
  state.asksAtOnce = false;
}

/** @param {import("./protocol.js").StudyMessage} message */
function drawRatings({ heads, rows, too_large }) {
  const head = make("tr", {}, make("td"), ...heads.map(name => make("th", { scope: "col", lang: name === tr("exact") ? undefined : "en" }, name)));
  fill("study-table", [head, ...rows.map(row => make("tr", {}, make("th", { scope: "row" }, ...nodes(row.words)),
    ...row.cells.map(words => make("td", { class: words.endsWith("*") ? "chosen" : undefined }, words))))]);
  at("study-note").textContent = tr(MEANING) + (too_large ? ` ${tr(TOO_LARGE)}` : "");
  at("study").scrollIntoView({ block: "nearest" });
}
