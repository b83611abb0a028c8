// What each message of the server does, what buttons and keys do, and the pace at which tables are shown.

import { wireArranging } from "./arrange.js";
import { ask, connect, goTo, secret } from "./connection.js";
import { at, exerciseButtons, fill, make, optionsOf } from "./dom.js";
import { wirePositions } from "./positions.js";
import { HELP, SAME } from "./protocol.js";
import { keepSecret } from "./known.js";
import { offerLanguages, tr } from "./language.js";
import { choose, keepLook, state } from "./state.js";
import { askAgents, clearStudy, showStudy, toggleStudy } from "./study.js";
import { keepResult, keepReview } from "./statistics.js";
import { showDecision } from "./review.js";
import { lasting } from "./storage.js";
import { announce, drawTable, redraw, tell } from "./table.js";
import { chooseSeat, pause, scheduleNext, step } from "./watch.js";
import { isOwn, levelOf, nameOf, spoken } from "./words.js";

/** @typedef {import("./protocol.js").Message} Message */

// Showing

let timer;

// Milliseconds for which the table stays before that of a message.
function wait(message) {
  const speed = +state.look.speed, shown = state.table;
  if (!shown || !speed || message.version < shown.version || message.watched) return 0;
  return shown.trick_complete && !message.trick_complete ? 1.7 * speed : speed;
}

// The own action shows at once, those of others after a pause.
const pauseBefore = message => message.log.length && message.log.at(-1).seat === message.seat ? 0 : wait(message);

function showNext() {
  timer = undefined;
  if (!state.queue.length) return;
  show(state.queue.shift());
  if (state.queue.length) timer = setTimeout(showNext, wait(state.queue[0]));
}

// Draws a table in place of the one that is shown.
function show(table) {
  const before = state.live || state.table;
  Object.assign(state, { before, table, live: undefined, decision: undefined });
  if (before && before.version !== table.version) state.review = undefined;
  drawTable();
  keep(table, before);
  at("naming").hidden = !table.may.includes("name");
  if (!before && /^player_\d$/.test(table.names[table.seat] || "") && at("name").value) ask({ type: "name", name: at("name").value });
  if (before?.version !== table.version || before?.seat !== table.seat) clearStudy();
  scheduleNext();
}

// The end of a deal against agents of one level counts in the statistics, but not that of a position.
function keep(table, before) {
  const levels = new Set(table.names.map((_, seat) => levelOf(seat)).filter(Boolean));
  if (!table.result || before?.result || levels.size !== 1 || table.people.length !== 1 || table.from_position) return;
  keepResult(`${secret} ${table.deals_played}`, table.env, [...levels][0], table.result.points[table.seat]);
}

/** @type {{ [Kind in Message["type"]]: (message: Extract<Message, { type: Kind }>) => void }} */
const handlers = {
  table(message) {
    state.queue.push(message);
    if (timer === undefined) timer = setTimeout(showNext, state.table && state.queue.length === 1 ? pauseBefore(message) : 0);
  },
  compiling({ text }) { // it stays below the trick meanwhile
    state.compiling = text;
    if (text || (state.table && at("says").className === "compiling")) tell(state.table);
  },
  stalled({ text, agents }) {
    at("stalled").hidden = !text;
    at("stalled-text").textContent = text;
    fill("other-agent", optionsOf(agents));
  },
  refusal: ({ text }) => announce(text, "refusal"),
  hint({ text, action }) {
    announce(text, "hint");
    for (const each of document.querySelectorAll("[data-action]"))
      each.classList.toggle("hinted", each.getAttribute("data-action") === action);
  },
  rules({ text, exercises }) {
    at("book-text").textContent = spoken(text).replace(/([^\n])\n(?=[\p{L}\d])/gu, "$1 "); // as wide as the page allows
    at("exercises").hidden = !exercises.length;
    at("exercises").lastElementChild.replaceChildren(...exerciseButtons(exercises, number => ask({ type: "exercise", number })));
    at("book").showModal();
  },
  record({ text }) {
    const href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
    make("a", { href, download: "stichwerk.jsonl" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  },
  review(message) {
    const asked = state.review === "asked";
    state.review = message;
    if (!state.table?.result) return; // drawn with the table
    keepReview(`${secret} ${state.table.deals_played}`, message);
    redraw();
    if (asked) showDecision(0);
  },
  study: showStudy,
  position: ({ text }) => { at("position-text").value = text; },
  offer({ agents }) {
    at("another").hidden = false;
    fill("agent", [new Option(tr("the same"), SAME), ...optionsOf(agents)]);
  },
  open: ({ link }) => goTo(link),
  arrange: () => {}, // comes by POST alone
  closed() {
    state.closed = true;
    announce(tr("This table is closed: too many others were opened."), "refusal");
  },
  here({ seats }) {
    const { table, here } = state;
    document.body.dataset.here = seats.join(" ");
    state.here = seats;
    if (!table) return;
    const changed = table.people.find(seat => !isOwn(seat) && here.includes(seat) !== seats.includes(seat));
    redraw();
    if (changed !== undefined) announce(seats.includes(changed) ? tr("{name} is back.", { name: nameOf(changed) }) : tr("{name} has left.", { name: nameOf(changed) }));
  },
};

// Buttons and keys

// The fields of the requests that buttons send.
const FIELDS = {
  exercise: () => ({ number: state.table.exercise.next }),
  new: () => ({ agent: at("agent").value, match: at("whole-matches").checked }),
  replace: () => ({ agent: at("other-agent").value }),
};

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-asks]"))) {
  const type = /** @type {any} */ (button.dataset.asks);
  button.title = tr(HELP[type]);
  button.onclick = () => ask({ type, ...FIELDS[type]?.() });
}
at("ask").onclick = toggleStudy;
at("study-choices").onsubmit = event => { event.preventDefault(); askAgents(); };
at("pause").onclick = pause;
at("step").onclick = () => {
  if (state.playing) pause();
  step();
};
at("look").onchange = chooseSeat;
at("settings").onclick = () => {
  at("choices").hidden = !at("choices").hidden;
  at("settings").setAttribute("aria-expanded", String(!at("choices").hidden));
};
for (const select of [at("face"), at("cloth"), at("speed"), at("sound"), at("points")]) {
  choose(select);
  select.onchange = () => {
    state.look[select.id] = select.value;
    keepLook();
    if (state.table) redraw();
  };
}

// The name that others see, which the browser keeps.
at("name").value = lasting.read("stichwerk name");
at("name").onchange = () => {
  const name = at("name").value.trim();
  lasting.write("stichwerk name", name);
  if (name) ask({ type: "name", name });
};

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

// The letter on a key: the one that it types, or in a layout without Latin letters the one at its place.
const letterOf = ({ key, code = "" }) => (/^[\x21-\x7e]$/.test(key) ? key : code.replace(/^Key/, "")).toLowerCase();

// The ring around a card or button is for those who go by keys: to others it would look like advice.
document.addEventListener("pointerdown", () => delete document.body.dataset.keys, true);
document.addEventListener("keydown", event => {
  document.body.dataset.keys = "";
  const busy = document.querySelector("dialog[open]") || ["SELECT", "INPUT"].includes(/** @type {Element} */ (event.target).tagName);
  if (event.ctrlKey || event.altKey || event.metaKey || busy) return;
  const letter = letterOf(event).replace("?", "r");
  const button = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("nav button")])
    .find(each => each.querySelector("kbd")?.textContent === letter);
  if (button && !button.hidden) button.click();
  else if (STEPS[event.key]) {
    const legal = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#actions button, #hand button")])
      .filter(each => each.getAttribute("aria-disabled") !== "true");
    const place = legal.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (legal.length) legal[(place + STEPS[event.key] + legal.length) % legal.length].focus();
    event.preventDefault();
  }
});

offerLanguages(at("language"));
keepSecret(secret);
wirePositions();
wireArranging();
/** @param {Message} message */
const take = message => /** @type {any} */ (handlers[message.type])(message);
connect(take, words => announce(words, "refusal"));
