// The connection to the server: requests by a WebSocket, long texts by POST.

import { tr } from "./language.js";
import { NO_SEAT, TOO_MANY_PAGES } from "./protocol.js";
import { state } from "./state.js";
import { ofTab } from "./storage.js";

const REFUSALS = {
  [NO_SEAT]: tr("This link opens no seat any more; use the new one."),
  [TOO_MANY_PAGES]: tr("This seat is open in too many tabs; close one of them …"),
};
export const secret = location.pathname.split("/").pop();
// All that is before `table/SECRET`: behind a proxy it may have a path.
export const base = new URL("../", document.baseURI).href;
const GOING_ON = 1012;
let socket, tries = 0;

/** @param {import("./protocol.js").Request} request */
export const ask = request => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(request));

/**
 * @param {import("./protocol.js").Open | import("./protocol.js").Arrange} request
 * @returns {Promise<import("./protocol.js").Message>}
 */
export const post = async ({ type, ...fields }) =>
  (await fetch(`${base}${type}/${secret}`, { method: "POST", body: JSON.stringify(fields) })).json();

// Hands each message to `take`, and words to `lost` when the connection is lost.
export function connect(take, lost) {
  socket = new WebSocket(`${base.replace(/^http/, "ws")}socket/${secret}`);
  socket.onmessage = event => {
    tries = 0;
    document.body.classList.remove("lost");
    take(JSON.parse(event.data));
  };
  socket.onclose = event => {
    if (state.closed) return;
    if (event.code === GOING_ON && !tries++) { // another process goes on with the table
      setTimeout(() => connect(take, lost), 50);
      return;
    }
    document.body.classList.add("lost");
    lost(REFUSALS[event.code] || tr("The connection is lost; trying again …"));
    if (event.code !== NO_SEAT) setTimeout(() => connect(take, lost), Math.min(5000, 250 * 2 ** tries++));
  };
}

// The record to step through, with the same faces.
export const recordLink = () => `${base}record/${secret}?face=${state.look.face}`;

const from = ofTab.read(`back ${location.pathname}`);

// The table from which this one was opened, if any.
export const backLink = () => from;

// To another table, from which a link leads back over one exercise after another.
export function goTo(path) {
  const link = new URL(path.slice(1), base).pathname;
  ofTab.write(`back ${link}`, state.table?.exercise && from || location.pathname);
  location.assign(link);
}

// Opens a table at a position; what is wrong with it is said in the dialog.
export async function openTable(position, fault) {
  const answer = await post({ type: "open", ...position });
  if (answer.type === "open") goTo(answer.link);
  else if (answer.type === "refusal") fault.textContent = answer.text;
}
