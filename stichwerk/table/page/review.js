// The decisions of a deal that mattered: in a list, and on the board as it stood.

import { ask } from "./connection.js";
import { at, fill, make } from "./dom.js";
import { tr } from "./language.js";
import { state } from "./state.js";
import { studyMove } from "./study.js";
import { redraw, said } from "./table.js";
import { nodes } from "./words.js";

const decisions = () => state.review && state.review !== "asked" ? state.review.decisions : [];

// Shows one of them by its place; without one the table as it is.
export function showDecision(place) {
  const live = state.live || state.table, decision = decisions()[place];
  const table = decision ? { ...live, ...decision.position, result: null, verdict: "", exercise: null } : live;
  Object.assign(state, { decision, live: decision && live, table });
  redraw();
  at("felt").scrollIntoView({ block: "nearest" });
}

const action = (words, name, onclick) => make("button", { type: "button", "data-action": name, onclick }, words);

// After a deal the button that asks for them.
export function askButton() {
  const { may } = state.table, asked = state.review === "asked";
  if (!may.includes("review") || decisions().length || state.review && !asked) return [];
  return [make("button", { type: "button", id: "costs", disabled: asked ? "" : undefined, onclick: () => {
    state.review = "asked";
    ask({ type: "review" });
    redraw();
  } }, asked ? tr("Judging …") : tr("What did my decisions cost?"))];
}

export function buttons() {
  const all = decisions(), place = all.indexOf(state.decision), { move } = state.decision;
  const back = action("‹", "before", () => showDecision(place - 1)), on = action("›", "after", () => showDecision(place + 1));
  back.setAttribute("aria-label", tr("Back"));
  on.setAttribute("aria-label", tr("Next decision"));
  back.disabled = !place;
  on.disabled = place === all.length - 1;
  const again = action(tr("Play on from here"), "again", () => ask({ type: "again", move }));
  again.className = "next";
  again.dataset.move = String(move);
  const agents = action(tr("Agents"), "study", () => studyMove(move));
  agents.dataset.asked = String(move);
  return [back, make("span", {}, `${place + 1} / ${all.length}`), on, again, agents, action(tr("Close"), "close", () => showDecision())];
}

// The verdict on the decision that is shown.
export const told = () => state.decision.told;

const name = ({ move, label }) => tr("move {number}: {action}", { number: move, action: label });

// What was played there and what was better, also in the hand, and how the better line goes on.
export function drawDecision() {
  const { decision } = state;
  at("decision").hidden = !decision;
  if (!decision) return;
  const { verdict, label, line } = decision, [better, ...rest] = line, wrong = verdict === "mistake" || verdict === "lucky";
  const own = make("p", { "data-verdict": verdict }, ...nodes(tr("You: {action}", { action: label })));
  const other = make("p", { class: "better" }, ...nodes(wrong ? tr("Better: {action}", { action: better.words }) : tr("With these cards: {action}", { action: better.words })));
  const on = make("p", { class: "line" }, ...nodes(rest.map(said).join(" · ")));
  fill("decision", [own, ...(decision.instead === decision.action ? [] : [other, on])]);
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#hand .slot"))) {
    each.classList.toggle("mistaken", each.dataset.action === decision.action && decision.instead !== decision.action);
    each.classList.toggle("hinted", each.dataset.action === decision.instead);
  }
}

// The list below the result.
export function listed() {
  if (!state.review || state.review === "asked") return [];
  if (!decisions().length) return [make("p", { id: "costly" }, tr("No decision clearly cost anything."))];
  return [make("ol", { id: "costly" }, ...decisions().map((each, place) => make("li", { "data-verdict": each.verdict, "aria-current": each === state.decision ? "true" : undefined },
    make("button", { type: "button", "data-shown": each.move, onclick: () => showDecision(place) }, ...nodes(name(each))),
    make("span", {}, " ", ...nodes(each.told)))))];
}
