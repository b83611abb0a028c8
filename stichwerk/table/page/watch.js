// Watching agents: each page asks for the next action, at its own speed.

import { ask } from "./connection.js";
import { at } from "./dom.js";
import { tr } from "./language.js";
import { state } from "./state.js";
import { ofTab } from "./storage.js";

const FASTEST = 80; // milliseconds: a page may send 15 messages a second
const AFTER_TRICK = 1.7, AFTER_DEAL = 4;
const KEPT = `look ${location.pathname}`; // whose cards are shown, over a reload or a lost connection
let timer, waitsAt; // for the next action, and the version of the table

const look = seat => ask({ type: "look", seat: seat === "all" ? null : +seat });

export const step = () => ask({ type: "step", version: state.table.version });

function stop() {
  clearTimeout(timer);
  timer = undefined;
}

export function pause() {
  state.playing = !state.playing;
  at("pause").firstChild.textContent = `${state.playing ? tr("Pause") : tr("Play")} `;
  if (state.playing) step();
  else stop();
}

// Shows the cards of the seat that was chosen.
export function chooseSeat() {
  ofTab.write(KEPT, at("look").value);
  look(at("look").value);
}

// A table has come: show whose cards they are, and ask for the next one after a while. The same one comes again
// after a lost connection, in which a request may have been lost too.
export function scheduleNext() {
  const { table } = state;
  if (!table.watched) return;
  if (!at("look").options.length)
    at("look").append(...table.names.map((name, seat) => new Option(tr("cards of {name}", { name }), String(seat))), new Option(tr("all cards"), "all"));
  at("look").value = table.seat < 0 ? "all" : table.seat;
  const kept = ofTab.read(KEPT);
  if (kept && kept !== at("look").value) look(kept);
  if (waitsAt === table.version && timer !== undefined) return;
  waitsAt = table.version;
  stop();
  if (!state.playing) return;
  const times = table.result ? AFTER_DEAL : table.trick_complete ? AFTER_TRICK : 1;
  timer = setTimeout(() => { timer = undefined; step(); }, Math.max(FASTEST, +state.look.speed * times));
}
