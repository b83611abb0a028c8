// The dialog in which a position is set up: two cards change places, anybody deals, and all seats are played.

import { cardName, drawCard } from "./cards.js";
import { post } from "./positions.js";
import { nodes, spoken } from "./words.js";

const at = id => document.getElementById(id);
const NO_TABLE = { watched: true, names: [] };
const said = text => text.replace(/\bplayer_(\d)\b/g, "Player $1");
let asked, change, face, picked, done = Promise.resolve();

// Changes one after another: each begins with what the one before has led to.
const inTurn = step => { done = done.then(step, step); return done; };

// Opens the dialog at a position: its text, the number of its deal and the moves before it.
export async function arrange(position, secret, goTo, faces) {
  asked = position;
  face = faces;
  change = step => inTurn(async () => {
    const answer = await post("arrange", secret, { ...asked, change: step });
    picked = undefined;
    at("arranged-fault").textContent = answer.refusal || "";
    if (!answer.refusal) {
      asked = { text: answer.text, deal: 1, step: null };
      draw(answer);
    } else {
      for (const each of document.querySelectorAll("#arranged-places [aria-pressed=true]")) each.setAttribute("aria-pressed", "false");
    }
  });
  at("arranged-dealer").onchange = () => change({ dealer: +at("arranged-dealer").value });
  at("arranged-match").onchange = () => change({ match: at("arranged-match").value });
  at("arranged-act").onclick = () => change({ act: at("arranged-legal").value });
  at("arranged-back").onclick = () => change({ back: true });
  at("arranged-open").onclick = () => inTurn(async () => {
    const answer = await post("open", secret, asked);
    if (answer.link) goTo(answer.link);
    else at("arranged-fault").textContent = answer.refusal;
  });
  for (const id of ["arranged-places", "arranged-moves", "arranged-legal", "arranged-dealer"]) at(id).replaceChildren();
  at("arranging").showModal();
  await change({});
}

function draw(position) {
  at("arranged-dealer").replaceChildren(...Array.from({ length: position.seats }, (_, seat) => new Option(`Player ${seat}`, seat)));
  at("arranged-dealer").value = position.dealer;
  at("arranged-match").value = position.match;
  at("arranged-places").replaceChildren(...position.places.map(drawPlace));
  at("arranged-moves").replaceChildren(...position.moves.map(move => {
    const item = document.createElement("li");
    item.append(...nodes(said(move), NO_TABLE, face));
    return item;
  }));
  at("arranged-moves").scrollTop = at("arranged-moves").scrollHeight;
  at("arranged-turn").textContent = `Player ${position.turn}`;
  at("arranged-legal").replaceChildren(...position.legal.map(each => new Option(spoken(each.label, NO_TABLE, face), each.name)));
  at("arranged-back").disabled = !position.moves.length;
}

function drawPlace(place, number) {
  const section = document.createElement("section"), head = document.createElement("h3"), cards = document.createElement("div");
  head.append(...nodes(said(place.label), NO_TABLE, face));
  cards.append(...place.cards.map((card, inside) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.card = card;
    button.setAttribute("aria-label", cardName(card, face));
    button.setAttribute("aria-pressed", "false");
    button.append(drawCard(card, face));
    button.firstChild.setAttribute("aria-hidden", "true");
    button.onclick = () => pick(button, [number, inside]);
    return button;
  }));
  section.append(head, cards);
  return section;
}

// The first card is marked, the second one changes places with it.
function pick(button, where) {
  if (!picked) {
    picked = where;
    button.setAttribute("aria-pressed", "true");
  } else if (String(picked) === String(where)) {
    picked = undefined;
    button.setAttribute("aria-pressed", "false");
  } else change({ swap: [picked, where] });
}
