// Draws the table that is shown.

import { cardButton, cardName, drawCard } from "./cards.js";
import { ask, backLink, recordLink } from "./connection.js";
import { at, fill, make } from "./dom.js";
import { state } from "./state.js";
import { decimals, tr, trn } from "./language.js";
import { LEVELS } from "./levels.js";
import { dealt, fly, gather, moves } from "./motion.js";
import { portrait } from "./persons.js";
import { askButton, buttons as boardButtons, drawDecision, listed, told } from "./review.js";
import { sheetOf, sorted, strokes, trumpSign, trumpWords } from "./score.js";
import { isOwn, levelOf, nameOf, nodes, spoken } from "./words.js";

// Says something below the trick, where screen readers hear it.
export function announce(text, kind = "") {
  at("says").className = kind;
  fill("says", nodes(text));
  at("says").setAttribute("aria-label", spoken(text));
}

// What is clicked belongs to the table that is shown: nothing is played while a newer one waits.
function act(action) {
  const { table, queue, decision, warnedAt } = state;
  if (queue.length || decision || !table.legal.length) return;
  const claim = `${table.version} ${action}`;
  if (table.doubtful.includes(action) && !table.exercise && warnedAt !== claim) {
    state.warnedAt = claim;
    announce(tr("You cannot be sure that this claim is right. Choose it again to make it anyway."), "warning");
  } else ask({ type: "act", action, version: table.version });
}

export function drawTable() {
  const { table, look } = state, focused = /** @type {any} */ (document.activeElement)?.dataset?.action;
  document.body.dataset.cloth = look.cloth;
  document.body.dataset.version = String(table.version);
  document.title = `${table.title} · Stichwerk`;
  at("title").textContent = table.title;
  drawControls();
  drawStanding();
  gatherTrick();
  drawSeats();
  drawSigns();
  fill("piles", table.scene.piles.map(pile =>
    make("figure", {}, make("div", { class: `pile${pile.cards.length > 1 && pile.cards[0] && !pile.cards[1] ? " crossed" : ""}` },
      ...pile.cards.map(drawCard)), make("figcaption", {}, ...nodes(pile.label)))));
  drawTrick();
  drawHand();
  drawActions();
  drawFacts();
  drawChoice();
  drawResult();
  drawDecision();
  fill("log", table.log.map(entry => make("li", {}, ...nodes(said(entry)))));
  at("log").scrollTop = at("log").scrollHeight;
  tell(state.before);
  keepFocus(focused);
}

// Draws the same table again, with nothing on its way.
export function redraw() {
  state.before = state.table;
  drawTable();
}

// The buttons of the requests that this page may send, and the links.
function drawControls() {
  const { table } = state;
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("nav :is([data-asks], [data-for])")))
    each.hidden = !table.may.includes(each.dataset.asks || each.dataset.for);
  at("undo").disabled = !table.can_undo;
  at("hint").disabled = !table.legal.length || !!state.decision;
  at("review").hidden = !table.deals_played;
  at("review").href = recordLink();
  at("back").hidden = !backLink();
  at("back").href = backLink();
}

// Game points: of a hundred and more one decimal will do.
const points = number => {
  const digits = Math.abs(number) < 100 ? 1000 : 10;
  return (number > 0 ? "+" : number < 0 ? "−" : "") + decimals(Math.abs(Math.round(number * digits) / digits));
};

function drawStanding() {
  const { table } = state, own = !table.watched && tr("{points} game points", { points: points(table.totals[table.seat]) });
  const deals = table.deals_played ? [own, trn("{n} deal", "{n} deals", table.deals_played)] : [];
  at("standing").textContent = [...deals, table.learned && tr("network after {time}", { time: table.learned }), table.note].filter(Boolean).join(" · ");
}

// True for another person who has no page open.
const isAway = seat => state.table.people.includes(seat) && !isOwn(seat) && !state.here.includes(seat);
const isCovered = seat => state.table.covered.includes(seat);

// The notes on a hand; its card points only if they are not counted by the person.
function notesOf(hand) {
  const notes = hand.notes.join(", "), hidden = state.look.points === "hidden" && !state.table.result;
  return nodes(hidden ? notes.split(", ").filter(each => each !== hand.points).join(", ") : notes);
}

function plate(hand) {
  const { scene, result } = state.table, turn = hand.seat === scene.turn && !result, name = nameOf(hand.seat), level = levelOf(hand.seat);
  return make("div", { class: `plate${turn ? " turn" : ""}`, "aria-current": turn ? "true" : undefined },
    portrait(name), make("span", { class: "who" }, make("span", { class: "name" }, name),
      make("span", { class: "signs" }, ...(level ? [make("span", { class: "level" }, tr(LEVELS[level]))] : []),
        ...(isAway(hand.seat) ? [make("span", { class: "level away" }, isCovered(hand.seat) ? tr("an agent plays") : tr("away"))] : []),
        ...(hand.seat === scene.dealer ? [make("span", { class: "dealer" }, tr("dealer"))] : [])),
      make("span", { class: "notes" }, ...notesOf(hand))),
    ...(hand.won ? [make("span", { class: "won", "aria-hidden": "true" }, ...Array.from({ length: Math.min(hand.won, 5) }, () => make("i")))] : []));
}

// The last call of a seat, while no card was played after it.
function bubble(seat) {
  const { log, result } = state.table;
  const back = [...log].reverse(), since = back.findIndex(entry => entry.plays);
  const call = !result && back.slice(0, since < 0 ? back.length : since).find(entry => entry.seat === seat);
  return call && call.words ? [make("div", { class: "bubble" }, ...nodes(call.words))] : [];
}

function drawSeats() {
  const { scene, result } = state.table, [own, ...others] = scene.hands;
  fill("seats", others.map((hand, place) => make("div", { class: "seat", "data-seat": hand.seat, "data-place": place + 1 }, plate(hand),
    make("div", { class: `small-cards${result ? " open" : ""}`, role: "img", "aria-label": trn("{n} card", "{n} cards", hand.cards.length) },
      ...(hand.cards[0] ? sorted(hand.cards.filter(Boolean)).concat(hand.cards.filter(card => !card)) : hand.cards).map(drawCard)),
    ...bubble(hand.seat))).reverse());
  at("seats").dataset.count = others.length;
  fill("plate", own ? [plate(own)] : []);
}

// Trump and score, as they lie on the table.
function drawSigns() {
  const { scene, names } = state.table, { trump } = scene;
  at("trump").hidden = !trump;
  fill("trump", trump ? trumpSign(trump) : []);
  if (trump) at("trump").setAttribute("aria-label", trumpWords(trump));
  fill("score", strokes(scene, names));
}

// The trick goes to its winner: whoever leads the next one, or has one trick more.
function gatherTrick() {
  const { table, before } = state;
  if (!moves() || !before?.trick_complete || table.trick_complete || before.deals_played !== table.deals_played) return;
  const leader = table.trick[0]?.[0] ?? table.scene.turn;
  gather(at("trick").querySelectorAll(".card"), isOwn(leader) ? at("plate") : document.querySelector(`.seat[data-seat="${leader}"] .plate`));
}

function drawTrick() {
  const { table, before } = state, seats = table.scene.hands.map(hand => hand.seat);
  const had = before && !before.trick_complete ? before.trick.map(([seat]) => seat) : [];
  fill("trick", table.trick.map(([seat, card]) => {
    const turn = Math.PI / 2 - 2 * Math.PI * seats.indexOf(seat) / Math.max(seats.length, 1);
    const slot = make("div", { class: `played${Math.sin(turn) < -.5 ? " upper" : ""}` }, drawCard(card),
      ...(seats.length < 5 ? [make("span", { class: "by", "aria-hidden": "true" }, nameOf(seat))] : []));
    slot.style.setProperty("--x", Math.cos(turn).toFixed(3));
    slot.style.setProperty("--y", Math.sin(turn).toFixed(3));
    if (!had.includes(seat) && moves()) fly(slot, turn);
    return slot;
  }));
  const words = table.trick.map(([seat, card]) => `${nameOf(seat)}: ${cardName(card)}`);
  at("trick").setAttribute("aria-label", words.length ? tr("Trick: {cards}", { cards: words.join(", ") }) : tr("No card on the table"));
}

function drawHand() {
  const { watched, legal, scene, seat } = state.table, hand = watched ? scene.hands[0] : scene.hands.find(each => each.seat === seat);
  const acts = legal.filter(action => action.card), cards = sorted(hand ? hand.cards : []);
  const had = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#hand .slot"))].map(each => each.dataset.card);
  fill("hand", cards.map((card, place) => {
    const action = acts.find(each => each.card === card);
    const name = action ? action.name : `${acts[0]?.verb || "play"} ${card}`;
    const slot = cardButton(card, { class: `slot${action ? " legal" : ""}`, "data-action": name, "aria-disabled": String(!action),
      disabled: watched ? "" : undefined, onclick: () => act(name) });
    slot.style.setProperty("--fan", (place - (cards.length - 1) / 2).toFixed(1));
    return slot;
  }));
  at("hand").style.setProperty("--cards", String(cards.length));
  if (moves()) dealt([...at("hand").children].filter(slot => !had.includes(slot.dataset.card)));
  at("hand").setAttribute("aria-label", watched ? tr("Cards") : tr("Your cards"));
  at("hand").classList.toggle("choosing", acts.length > 0);
  at("hand").classList.toggle("many", cards.length > 6);
}

function drawActions() {
  if (state.decision) {
    fill("actions", boardButtons());
    return;
  }
  const { legal, scene, seat, result, may } = state.table, hand = scene.hands.find(each => each.seat === seat)?.cards || [];
  const buttons = legal.filter(action => !action.card || !hand.includes(action.card)).map(({ name, label }) =>
    make("button", { type: "button", "data-action": name, "aria-label": spoken(label), onclick: () => act(name) }, ...nodes(label)));
  if (result && may.includes("next")) {
    const waits = result.waits_for.includes(seat), words = waits ? nextWords() : tr("Waiting for the others …");
    const button = make("button", { type: "button", class: "next", "data-action": "next", onclick: () => {
      button.disabled = true;
      ask({ type: "next" });
    } }, words);
    button.disabled = !waits;
    buttons.push(button, ...askButton());
  }
  const waited = result ? result.waits_for : [scene.turn];
  if (may.includes("cover")) buttons.push(...waited.filter(each => isAway(each) && !isCovered(each)).map(each =>
    make("button", { type: "button", "data-action": `cover ${each}`, onclick: () => ask({ type: "cover", seat: each }) }, tr("Let an agent play for {name}", { name: nameOf(each) }))));
  fill("actions", buttons);
}

const nextWords = () => state.table.from_position ? tr("Play it again") : state.table.result.match_over ? tr("Next match") : tr("Next deal");

// The question of an exercise, and what is said of the choice in the position.
function drawChoice() {
  const { verdict, exercise } = state.table;
  at("choice").hidden = !verdict && !exercise;
  at("choice-title").textContent = exercise ? tr("Exercise: {title}", { title: exercise.title }) : tr("Your choice");
  fill("choice-question", nodes(exercise?.question || ""));
  fill("choice-text", nodes(verdict));
  at("next-exercise").hidden = !verdict || !exercise?.next;
}

function drawFacts() {
  const { scene, last_trick } = state.table, lines = scene.lines.filter(line => line.kind === "fact"); // the others are said elsewhere
  fill("facts", lines.flatMap(line => [make("dt", {}, line.label), make("dd", {}, ...nodes(line.words))]));
  fill("sheet", sheetOf(scene.sheet));
  const last = last_trick.map(([seat, card]) =>
    make("figure", {}, drawCard(card), make("figcaption", {}, nameOf(seat).replace(":", ":\u200b"))));
  fill("last", last.length ? last : [make("span", {}, tr("none yet"))]);
}

function drawResult() {
  const { result, names, totals } = state.live || state.table; // also beside a decision
  at("result").hidden = !result;
  if (!result) return;
  const rows = names.map((_, seat) => make("tr", {}, make("th", { scope: "row" }, nameOf(seat)),
    ...[result.points[seat], totals[seat]].map(number => make("td", {}, points(number)))));
  const head = make("tr", {}, make("td"), ...[tr("deal"), tr("together")].map(name => make("th", { scope: "col" }, name)));
  fill("result", [make("h2", {}, result.match_over ? tr("The match is over") : tr("The deal is over")),
    ...result.account.map(line => make("p", { class: "account" }, ...nodes(line))), make("table", {}, head, ...rows), ...listed()]);
}

export const said = entry => `${nameOf(entry.seat)}: ${entry.words || tr("something hidden")}`;

// What has happened since the table was another one, and whose turn it is; or what is being compiled.
export function tell(before) {
  const { table, compiling } = state;
  if (state.decision) {
    announce(told(), "review");
    return;
  }
  if (compiling) { // also before the first table is shown
    announce(compiling, "compiling");
    return;
  }
  const { result, legal, verdict, exercise } = table;
  const fresh = before && before.log.length < table.log.length ? table.log.slice(before.log.length) : [];
  const happened = fresh.filter(entry => !isOwn(entry.seat)).map(said);
  if (verdict && !before?.verdict) happened.unshift(verdict);
  else if (exercise && !verdict) happened.unshift(exercise.question);
  if (result?.account.length === 1) happened.push(result.account[0]);
  if (result && table.watched)
    happened.push(tr("The deal is over: {results}.", { results: table.names.map((_, seat) => `${nameOf(seat)} ${points(result.points[seat])}`).join(", ") }));
  else if (result) {
    const own = { points: points(result.points[table.seat]) };
    happened.push(result.account.length === 1 ? tr("You get {points}.", own) : tr("The deal is over: you get {points}.", own));
  } else if (legal.length) happened.push(tr("Your turn."));
  else if (table.scene.turn >= 0) happened.push(tr("{name} is to act.", { name: nameOf(table.scene.turn) }));
  announce(happened.join(" · "), legal.length || result ? "own" : "");
}

// Keys go on where they were: at the same action, or else at the first one, once there is something to do again.
let place = "first";

function keepFocus(focused) {
  if (focused) place = focused;
  else if (document.activeElement !== document.body) place = undefined; // somebody is busy elsewhere
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#actions button:not(:disabled), #hand button.legal")]);
  if (!place || !all.length) return;
  const first = all.find(each => each.className === "next") || all.find(each => each.dataset.card) || all[0];
  (all.find(each => each.dataset.action === place) || first).focus({ preventScroll: true });
}
