// The dialog in which a position is set up: two cards change places, anybody deals, and all seats are played.

import { cardButton } from "./cards.js";
import { openTable, post } from "./connection.js";
import { at, fill, make } from "./dom.js";
import { tr } from "./language.js";
import { nodes, spoken } from "./words.js";

const said = text => text.replace(/\bplayer_(\d)\b/g, (_, number) => tr("Player {number}", { number }));
// The position as it is asked for, the first card of a swap, and the last request.
let asked, picked, done = Promise.resolve();

// Changes one after another: each begins with what the one before has led to.
const inTurn = step => { done = done.then(step, step); return done; };

const change = step => inTurn(async () => {
  const answer = await post({ type: "arrange", ...asked, change: step });
  picked = undefined;
  at("arranged-fault").textContent = answer.type === "refusal" ? answer.text : "";
  if (answer.type === "arrange") {
    asked = { text: answer.text, deal: 1, step: null };
    draw(answer);
  } else for (const each of at("arranged-places").querySelectorAll("[aria-pressed=true]")) each.setAttribute("aria-pressed", "false");
});

// Opens the dialog at a position: its text, the number of its deal and the moves before it.
export async function arrange(position) {
  asked = position;
  for (const id of ["arranged-places", "arranged-moves", "arranged-legal", "arranged-dealer"]) fill(id, []);
  at("arranging").showModal();
  await change({});
}

export function wireArranging() {
  at("arranged-dealer").onchange = () => change({ dealer: +at("arranged-dealer").value });
  at("arranged-match").onchange = () => change({ match: at("arranged-match").value });
  at("arranged-act").onclick = () => change({ act: at("arranged-legal").value });
  at("arranged-back").onclick = () => change({ back: true });
  at("arranged-open").onclick = () => inTurn(() => openTable(asked, at("arranged-fault")));
}

/** @param {import("./protocol.js").ArrangeMessage} position */
function draw(position) {
  fill("arranged-dealer", Array.from({ length: position.seats }, (_, seat) => new Option(said(`player_${seat}`), String(seat))));
  at("arranged-dealer").value = position.dealer;
  at("arranged-match").value = position.match;
  fill("arranged-places", position.places.map((place, number) => make("section", {}, make("h3", {}, ...nodes(said(place.label))),
    make("div", {}, ...place.cards.map((card, inside) =>
      cardButton(card, { "aria-pressed": "false", onclick: event => pick(event.currentTarget, [number, inside]) }))))));
  fill("arranged-moves", position.moves.map(move => make("li", {}, ...nodes(said(move)))));
  at("arranged-moves").scrollTop = at("arranged-moves").scrollHeight;
  at("arranged-turn").textContent = said(`player_${position.turn}`);
  fill("arranged-legal", position.legal.map(each => new Option(spoken(each.label), each.name)));
  at("arranged-back").disabled = !position.moves.length;
}

// The first card is marked, the second one changes places with it.
function pick(button, where) {
  if (picked && String(picked) !== String(where)) {
    change({ swap: [picked, where] });
    return;
  }
  picked = picked ? undefined : where;
  button.setAttribute("aria-pressed", String(!!picked));
}
