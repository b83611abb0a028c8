// All that the page knows; `drawTable` draws it.

import { lasting } from "./storage.js";

/** @typedef {import("./protocol.js").TableMessage} Table */

const LOOK = { face: "french", cloth: "green", speed: "600", sound: "off", points: "shown" };

// The look that the browser has kept; nothing if it cannot be read.
function kept() {
  try {
    return JSON.parse(lasting.read("stichwerk"));
  } catch {
    return {};
  }
}

export const state = {
  /** @type {Table} the table that is shown */
  table: undefined,
  /** @type {Table} the one that was shown before */
  before: undefined,
  /** @type {Table[]} those that are not shown yet */
  queue: [],
  look: { ...LOOK, ...kept() },
  compiling: "", // what is being compiled, in words
  /** @type {import("./protocol.js").ReviewMessage | "asked"} */
  review: undefined,
  /** @type {import("./protocol.js").DecisionData} of the review, whose position is shown in place of the table */
  decision: undefined,
  /** @type {Table} the table meanwhile */
  live: undefined,
  asksAtOnce: false, // agents, with the next list of them
  playing: true, // agents that are watched
  /** @type {number[]} the seats whose people have a page open */
  here: [],
  warnedAt: "", // the version and the doubtful claim that was warned of
  closed: false, // by the server
};

// A choice of the look; the usual one if there is no such choice.
export function choose(select) {
  const name = select.id;
  select.value = state.look[name];
  select.value ||= state.look[name] = LOOK[name];
}

export const keepLook = () => lasting.write("stichwerk", JSON.stringify(state.look));
