// Draws a position as the server tells it.

import { cardName, drawCard } from "./cards.js";
import { isOwn, nameOf, nodes, spoken } from "./words.js";

const at = id => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Says something below the trick, where screen readers hear it.
export function announce(text, table, look, kind = "") {
  const says = at("says");
  says.className = kind;
  says.replaceChildren(...nodes(text, table, look.face));
  says.setAttribute("aria-label", spoken(text, table, look.face));
}

// What is being compiled at this table, which stays below the trick meanwhile.
let compiling = "";

export function tellCompiling(text, table, look) {
  compiling = text;
  if (text || (table && at("says").className === "compiling")) tell(table, table, look);
}

// An agent that does not answer, or fails, and those that may play on in its place.
export function tellStalled({ text, agents }) {
  at("stalled").hidden = !text;
  at("stalled-text").textContent = text;
  at("other-agent").replaceChildren(...agents.map(name => new Option(name)));
}

export function render(table, before, look, does) {
  document.body.dataset.cloth = look.cloth;
  document.body.dataset.version = table.version;
  document.title = `${table.title} · Stichwerk`;
  at("title").textContent = table.title;
  const focused = document.activeElement?.dataset?.action;
  drawStanding(table);
  drawSeats(table, look);
  drawPiles(table, look);
  drawTrick(table, before, look);
  drawHand(table, look, does);
  drawActions(table, look, does);
  drawFacts(table, look);
  drawChoice(table, look);
  drawResult(table, before, does);
  drawLog(table, look);
  tell(table, before, look);
  keepFocus(focused);
}

// Game points: of a hundred and more one decimal will do.
const points = number => {
  const digits = Math.abs(number) < 100 ? 1000 : 10;
  return (number > 0 ? "+" : number < 0 ? "−" : "") + Math.abs(Math.round(number * digits) / digits);
};

function drawStanding(table) {
  const own = table.watched ? "" : `${points(table.totals[table.seat])} game points in `;
  const deals = table.deals_played ? `${own}${table.deals_played} deal${table.deals_played > 1 ? "s" : ""}` : "";
  at("standing").textContent = [deals, table.learned && `network after ${table.learned}`].filter(Boolean).join(" · ");
}

function plate(table, hand, look) {
  const turn = hand.seat === table.scene.turn && !table.result;
  const name = make("span", { class: "name" }, nameOf(table, hand.seat));
  const signs = make("span", { class: "signs" });
  if (hand.seat === table.scene.dealer) signs.append(make("span", { class: "dealer" }, "dealer"));
  const notes = make("span", { class: "notes" }, ...nodes(hand.notes.join(", "), table, look.face));
  return make("div", { class: `plate${turn ? " turn" : ""}`, "aria-current": turn ? "true" : undefined }, name, signs, notes);
}

function drawSeats(table, look) {
  const seats = table.scene.hands.slice(1).map(hand => {
    const cards = make("div", { class: "small-cards", role: "img", "aria-label": `${hand.cards.length} cards` }, ...hand.cards.map(card => drawCard(card, look.face)));
    return make("div", { class: "seat", "data-seat": hand.seat }, plate(table, hand, look), cards);
  });
  at("seats").replaceChildren(...seats.reverse());
  at("plate").replaceChildren(...(table.scene.hands.length ? [plate(table, table.scene.hands[0], look)] : []));
}

function drawPiles(table, look) {
  at("piles").replaceChildren(...table.scene.piles.map(pile =>
    make("figure", {}, make("div", { class: "pile" }, ...pile.cards.map(card => drawCard(card, look.face))), make("figcaption", {}, ...nodes(pile.label, table, look.face)))));
}

function drawTrick(table, before, look) {
  const seats = table.scene.hands.map(hand => hand.seat), had = before && !before.trick_complete ? before.trick.map(([seat]) => seat) : [];
  const cards = table.trick.map(([seat, card]) => {
    const place = seats.indexOf(seat), turn = Math.PI / 2 - 2 * Math.PI * place / Math.max(seats.length, 1);
    const slot = make("div", { class: "played" }, drawCard(card, look.face));
    slot.style.setProperty("--x", Math.cos(turn).toFixed(3));
    slot.style.setProperty("--y", Math.sin(turn).toFixed(3));
    if (!had.includes(seat) && +look.speed && !calm.matches) fly(slot, turn);
    return slot;
  });
  at("trick").replaceChildren(...cards);
  const words = table.trick.map(([seat, card]) => `${nameOf(table, seat)}: ${cardName(card, look.face)}`);
  at("trick").setAttribute("aria-label", words.length ? `Trick: ${words.join(", ")}` : "No card on the table");
}

// A card comes from its seat.
function fly(slot, turn) {
  const from = `translate(${Math.round(160 * Math.cos(turn))}px, ${Math.round(140 * Math.sin(turn))}px) scale(.7)`;
  slot.animate([{ transform: from, opacity: .2 }, { transform: "none", opacity: 1 }], { duration: 260, easing: "ease-out" });
}

function drawHand(table, look, does) {
  const hand = table.watched ? table.scene.hands[0] : table.scene.hands.find(each => each.seat === table.seat);
  const acts = new Map();
  for (const action of table.legal) if (action.card) acts.set(action.card, [...(acts.get(action.card) || []), action]);
  const verb = table.legal.find(action => action.card)?.verb || "play";
  at("hand").replaceChildren(...(hand ? hand.cards : []).map(card => {
    const legal = acts.get(card)?.[0];
    const button = make("button", { type: "button", class: `slot${legal ? " legal" : ""}`, "data-action": legal ? legal.name : `${verb} ${card}`, "data-card": card,
      "aria-label": cardName(card, look.face), "aria-disabled": String(!legal) }, drawCard(card, look.face));
    button.firstChild.setAttribute("aria-hidden", "true");
    button.onclick = () => does.act(button.dataset.action);
    button.disabled = table.watched;
    return button;
  }));
  at("hand").setAttribute("aria-label", table.watched ? "Cards" : "Your cards");
  at("hand").classList.toggle("choosing", acts.size > 0);
  at("hand").classList.toggle("many", !!hand && hand.cards.length > 6);
}

function drawActions(table, look, does) {
  const hand = table.scene.hands.find(each => each.seat === table.seat)?.cards || [];
  const buttons = table.legal.filter(action => !action.card || !hand.includes(action.card)).map(action => {
    const button = make("button", { type: "button", "data-action": action.name, "aria-label": spoken(action.label, table, look.face) }, ...nodes(action.label, table, look.face));
    button.onclick = () => does.act(action.name);
    return button;
  });
  if (table.result && !table.watched) {
    const waits = table.result.waits_for.includes(table.seat);
    const button = make("button", { type: "button", class: "next", "data-action": "next" }, waits ? nextWords(table) : "Waiting for the others …");
    button.disabled = !waits;
    button.onclick = () => { button.disabled = true; does.next(); };
    buttons.push(button);
  }
  at("actions").replaceChildren(...buttons);
}

const nextWords = table => table.from_position ? "Play it again" : table.result.match_over ? "Next match" : "Next deal";

// The question of an exercise, and what is said of the choice in the position.
function drawChoice(table, look) {
  at("choice").hidden = !table.verdict && !table.exercise;
  at("choice-title").textContent = table.exercise ? `Exercise: ${table.exercise.title}` : "Your choice";
  at("choice-question").replaceChildren(...nodes(table.exercise?.question || "", table, look.face));
  at("choice-text").replaceChildren(...nodes(table.verdict, table, look.face));
  at("next-exercise").hidden = !table.verdict || !table.exercise?.next;
}

function drawFacts(table, look) {
  const lines = table.scene.lines.filter(line => line.kind === "fact"); // the others are said elsewhere
  const rows = lines.flatMap(line => [make("dt", {}, line.label), make("dd", {}, ...nodes(line.words, table, look.face))]);
  at("facts").replaceChildren(...rows);
  at("sheet").replaceChildren(...table.scene.sheet.map((row, number) =>
    make("tr", {}, ...row.map((cell, place) => make(number && place ? "td" : "th", { scope: number ? (place ? undefined : "row") : "col" }, ...nodes(cell, table, look.face))))));
  const last = table.last_trick.map(([seat, card]) =>
    make("figure", {}, drawCard(card, look.face), make("figcaption", {}, nameOf(table, seat).replace(":", ":\u200b"))));
  at("last").replaceChildren(...(last.length ? last : [make("span", {}, "none yet")]));
}

function drawResult(table, before, does) {
  at("result").hidden = !table.result;
  if (!table.result || before?.version === table.version) return;
  const rows = table.names.map((_, seat) => make("tr", {}, make("th", { scope: "row" }, nameOf(table, seat)),
    ...[table.result.points[seat], table.totals[seat]].map(number => make("td", {}, points(number)))));
  const head = make("tr", {}, make("td"), make("th", { scope: "col" }, "deal"), make("th", { scope: "col" }, "together"));
  at("result").replaceChildren(make("h2", {}, table.result.match_over ? "The match is over" : "The deal is over"), make("table", {}, head, ...rows));
  if (!table.study) return;
  const button = make("button", { type: "button", id: "costs" }, "What did my decisions cost?");
  button.onclick = () => { button.disabled = true; button.textContent = "Judging …"; does.review(); };
  at("result").append(button);
}

// The costliest decisions, each with a link to its step in the record, and buttons to play it again and to ask
// agents.
export function drawReview(message, table, look, record, does) {
  const items = message.lines.map((line, number) => {
    const move = message.moves[number];
    const link = make("a", { href: `${record}#last.${move - 1}`, target: "_blank", rel: "noopener" }, ...nodes(line, table, look.face));
    const button = make("button", { type: "button", "data-move": move, "aria-label": `Play again from move ${move}` }, "Play again");
    button.onclick = () => does.again(move);
    const agents = make("button", { type: "button", "data-asked": move, "aria-label": `Agents at move ${move}` }, "Agents");
    agents.onclick = () => does.study(move);
    return make("li", {}, link, " ", button, " ", agents);
  });
  document.getElementById("costs")?.replaceWith(items.length ? make("ol", { id: "costly" }, ...items) : make("p", { id: "costly" }, "No decision clearly cost anything."));
}

const said = (entry, table) => `${nameOf(table, entry.seat)}: ${entry.words || "something hidden"}`;

function drawLog(table, look) {
  at("log").replaceChildren(...table.log.map(entry => make("li", {}, ...nodes(said(entry, table), table, look.face))));
  at("log").scrollTop = at("log").scrollHeight;
}

// What has just happened, and whose turn it is.
function tell(table, before, look) {
  if (compiling) {
    announce(compiling, table, look, "compiling");
    return;
  }
  const fresh = before && before.log.length < table.log.length ? table.log.slice(before.log.length) : [];
  const happened = fresh.filter(entry => !isOwn(table, entry.seat)).map(entry => said(entry, table));
  if (table.verdict && !before?.verdict) happened.unshift(table.verdict);
  else if (table.exercise && !table.verdict) happened.unshift(table.exercise.question);
  if (table.result && table.watched) happened.push(`The deal is over: ${table.names.map((name, seat) => `${nameOf(table, seat)} ${points(table.result.points[seat])}`).join(", ")}.`);
  else if (table.result) happened.push(`The deal is over: you get ${points(table.result.points[table.seat])}.`);
  else if (table.legal.length) happened.push("Your turn.");
  else if (table.scene.turn >= 0) happened.push(`${nameOf(table, table.scene.turn)} is to act.`);
  announce(happened.join(" · "), table, look, table.legal.length || table.result ? "own" : "");
}

// Keys go on where they were: at the same action, or else at the first one, once there is something to do again.
let place = "first";

function keepFocus(focused) {
  if (focused) place = focused;
  else if (document.activeElement !== document.body) place = undefined; // somebody is busy elsewhere
  const all = [...document.querySelectorAll("#actions button:not(:disabled), #hand button.legal")];
  if (!place || !all.length) return;
  const first = all.find(each => each.className === "next") || all.find(each => each.dataset.card) || all[0];
  (all.find(each => each.dataset.action === place) || first).focus({ preventScroll: true });
}
