// The connection to the table, what keys and buttons do, and the pace at which positions are shown.

import { arrange } from "./arrange.js";
import { letterOf } from "./keys.js";
import { askToOpen, showPosition } from "./positions.js";
import { lasting, ofTab } from "./storage.js";
import { askAgents, clearStudy, showStudy, studyMove } from "./study.js";
import { announce, drawReview, render, tellCompiling, tellStalled } from "./table.js";
import { goOn, lookOn } from "./watch.js";
import { spoken } from "./words.js";

const at = id => document.getElementById(id);
const secret = location.pathname.split("/").pop();
const NO_SEAT = 4004, TOO_MANY_PAGES = 4029; // codes with which the server closes a connection
const REFUSALS = {
  [NO_SEAT]: "This link opens no seat any more; use the new one.",
  [TOO_MANY_PAGES]: "This seat is open in too many tabs; close one of them …",
};
const LOOK = { face: "french", cloth: "green", speed: "600" };
const look = { ...LOOK, ...kept() };
const queue = [];
let socket, shown, timer, tries = 0, isOver = false;

// What the browser has kept of the look; nothing where that cannot be read.
function kept() {
  try {
    return JSON.parse(lasting.read("stichwerk"));
  } catch {
    return {};
  }
}

// Showing

function wait(message) {
  const speed = +look.speed;
  if (!shown || !speed || message.version < shown.version || message.watched) return 0;
  return shown.trick_complete && !message.trick_complete ? 1.7 * speed : speed;
}

function showNext() {
  timer = undefined;
  if (!queue.length) return;
  const message = queue.shift();
  draw(message);
  if (queue.length) timer = setTimeout(showNext, wait(queue[0]));
}

function draw(message) {
  const before = shown;
  shown = message;
  render(shown, before, look, { act, next: () => send({ type: "next" }), review: () => send({ type: "review" }) });
  if (before?.version !== shown.version || before?.seat !== shown.seat) clearStudy(shown, send);
  at("hint").hidden = at("undo").hidden = !shown.study;
  at("ask").hidden = at("position").hidden = !shown.study && !shown.watched;
  at("undo").disabled = !shown.can_undo;
  at("hint").disabled = !shown.legal.length;
  goOn(shown, send, +look.speed);
  const review = at("review");
  review.hidden = !shown.deals_played;
  review.href = recordLink();
}

// The record to step through, with the same faces.
const recordLink = () => `/record/${secret}?face=${look.face}`;

// Talking

const send = request => socket && socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(request));
// What is clicked belongs to the position that is shown: nothing is played while a newer one waits.
const act = action => !queue.length && shown.legal.length && send({ type: "act", action, version: shown.version });

function take(message) {
  if (message.type === "table") {
    queue.push(message);
    if (timer === undefined) timer = setTimeout(showNext, shown && queue.length === 1 ? pause(message) : 0);
  } else if (message.type === "compiling") {
    tellCompiling(message.text, shown, look);
  } else if (message.type === "stalled") {
    tellStalled(message);
  } else if (message.type === "refusal") {
    announce(message.text, shown, look, "refusal");
  } else if (message.type === "hint") {
    announce(message.text, shown, look, "hint");
    document.querySelectorAll("[data-action]").forEach(each => each.classList.toggle("hinted", each.dataset.action === message.action));
  } else if (message.type === "rules") {
    at("book-text").textContent = spoken(message.text, shown, look.face).replace(/([^\n])\n(?=\w)/g, "$1 "); // as wide as the page allows
    offer(message.exercises);
    at("book").showModal();
  } else if (message.type === "record") {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([message.text], { type: "application/x-ndjson" }));
    link.download = "stichwerk.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } else if (message.type === "review") {
    drawReview(message, shown, look, recordLink(), { again: move => send({ type: "again", move }), study: move => studyMove(send, move) });
  } else if (message.type === "study") {
    showStudy(message, shown, look, send);
  } else if (message.type === "position") {
    showPosition(message.text);
  } else if (message.type === "offer") {
    at("another").hidden = false;
    at("agent").replaceChildren(new Option("the same", "same"), ...message.agents.map(name => new Option(name)));
  } else if (message.type === "open") {
    goTo(message.link);
  } else if (message.type === "closed") {
    isOver = true;
    announce("This table is closed: too many others were opened.", shown, look, "refusal");
  } else if (message.type === "here") {
    document.body.dataset.here = message.seats.join(" ");
  }
}

// The own action shows at once, those of others after a pause.
const pause = message => message.log.length && message.log.at(-1).seat === message.seat ? 0 : wait(message);

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket/${secret}`);
  socket.onmessage = event => {
    tries = 0;
    document.body.classList.remove("lost");
    take(JSON.parse(event.data));
  };
  socket.onclose = event => {
    document.body.classList.add("lost");
    if (isOver) return;
    announce(REFUSALS[event.code] || "The connection is lost; trying again …", shown, look, "refusal");
    if (event.code === NO_SEAT) return;
    setTimeout(connect, Math.min(5000, 250 * 2 ** tries++));
  };
}

// The exercises of the game, below its rules.
function offer(titles) {
  at("exercises").hidden = !titles.length;
  at("exercises").lastElementChild.replaceChildren(...titles.map((title, place) => {
    const button = document.createElement("button");
    button.textContent = title;
    button.onclick = () => send({ type: "exercise", number: place + 1 });
    return button;
  }));
}

// To another table, from which a link leads back.
function goTo(link) {
  const from = shown?.exercise && at("back").getAttribute("href") || location.pathname; // over one exercise after another
  ofTab.write(`back ${link}`, from);
  location.assign(link);
}

// Buttons and keys

at("back").href = ofTab.read(`back ${location.pathname}`);
at("back").hidden = !at("back").getAttribute("href");

at("hint").onclick = () => send({ type: "hint" });
at("ask").onclick = () => askAgents(send);
at("undo").onclick = () => send({ type: "undo" });
at("rules").onclick = () => send({ type: "rules" });
at("position").onclick = () => askToOpen(all => send({ type: "position", all }), secret, goTo, asked => arrange(asked, secret, goTo, look.face));
at("next-exercise").onclick = () => send({ type: "exercise", number: shown.exercise.next });
at("new").onclick = () => send({ type: "new", agent: at("agent").value, match: at("whole-matches").checked });
at("replace").onclick = () => send({ type: "replace", agent: at("other-agent").value });
at("record").onclick = () => send({ type: "record" });
at("settings").onclick = () => {
  at("choices").hidden = !at("choices").hidden;
  at("settings").setAttribute("aria-expanded", String(!at("choices").hidden));
};
for (const name of Object.keys(LOOK)) {
  at(name).value = look[name];
  at(name).value ||= look[name] = LOOK[name]; // there is no such choice
  at(name).onchange = () => {
    look[name] = at(name).value;
    lasting.write("stichwerk", JSON.stringify(look));
    if (shown) draw(shown);
  };
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") || ["SELECT", "INPUT"].includes(event.target.tagName)) return;
  const buttons = { h: "hint", u: "undo", a: "ask", r: "rules", "?": "rules", p: "pause", s: "step" };
  const steps = { ArrowRight: 1, ArrowLeft: -1 };
  const button = at(buttons[letterOf(event)]);
  if (button && !button.hidden) button.click();
  else if (steps[event.key]) {
    const all = [...document.querySelectorAll("#actions button, #hand button")];
    const legal = all.filter(each => each.getAttribute("aria-disabled") !== "true");
    const place = legal.indexOf(document.activeElement);
    if (legal.length) legal[(place + steps[event.key] + legal.length) % legal.length].focus();
    event.preventDefault();
  }
});

lookOn(send);
connect();
