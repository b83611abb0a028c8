// Looking on at agents: each page asks for the next action, at its own speed.

import { ofTab } from "./storage.js";

const at = id => document.getElementById(id);
const FASTEST = 80; // milliseconds: a page may send 15 messages a second
const AFTER_TRICK = 1.7, AFTER_DEAL = 4;
const KEPT = `look ${location.pathname}`; // whose cards are shown, over a reload or a lost connection
let timer, playing = true, shown;

// The buttons of a table at which agents alone play.
export function lookOn(send) {
  at("pause").onclick = () => {
    playing = !playing;
    at("pause").firstChild.textContent = playing ? "Pause " : "Play ";
    if (playing) step(send);
    else stop();
  };
  at("step").onclick = () => {
    if (playing) at("pause").click();
    step(send);
  };
  at("look").onchange = () => {
    ofTab.write(KEPT, at("look").value);
    look(send, at("look").value);
  };
}

const look = (send, seat) => send({ type: "look", seat: seat === "all" ? null : +seat });

const step = send => send({ type: "step", version: shown.version });

function stop() {
  clearTimeout(timer);
  timer = undefined;
}

// A position has come: show whose cards they are, and ask for the next one after a while. The same one comes again
// after a lost connection, in which a request may have been lost too.
export function goOn(table, send, speed) {
  for (const id of ["looking", "pause", "step"]) at(id).hidden = !table.watched;
  if (!table.watched) return;
  if (!at("look").options.length) at("look").append(...table.names.map((name, seat) => new Option(`cards of ${name}`, seat)), new Option("all cards", "all"));
  at("look").value = table.seat < 0 ? "all" : table.seat;
  const kept = ofTab.read(KEPT);
  if (kept && kept !== at("look").value) look(send, kept);
  if (shown?.version === table.version && timer !== undefined) return;
  shown = table;
  stop();
  if (!playing) return;
  const times = table.result ? AFTER_DEAL : table.trick_complete ? AFTER_TRICK : 1;
  timer = setTimeout(() => { timer = undefined; step(send); }, Math.max(FASTEST, speed * times));
}
