// Playing cards as SVG with French, German and Hungarian faces. The server draws them, as in all pictures.

import { base, secret } from "./connection.js";
import { make } from "./dom.js";
import { tr } from "./language.js";
import { state } from "./state.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 100, HIGH = 150;
const { CARDS, SIGNS, INK, RANKS, SUIT_NAMES, CARD_NAMES } = await import(`${base}cards/${secret}`);

export const suitName = suit => SUIT_NAMES[state.look.face][suit];
export const rankSign = letter => RANKS[state.look.face][letter] || letter;
export const cardName = card => card ? CARD_NAMES[state.look.face][card] : tr("face-down card");

function drawn(viewBox, name, label, content) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox, class: name, role: "img", "aria-label": label })) svg.setAttribute(key, value);
  svg.innerHTML = content;
  return svg;
}

// A card by its name, or a back for an empty one.
export const drawCard = card => drawn(`0 0 ${WIDE} ${HIGH}`, "card", cardName(card), CARDS[state.look.face][card]);

// A suit among words.
export function suitIcon(suit) {
  const { face } = state.look;
  return drawn("-50 -50 100 100", `suit ${face === "french" ? INK[face][suit] : ""}`, suitName(suit), SIGNS[face][suit]);
}

// A button that shows a card.
export function cardButton(card, attributes) {
  const picture = drawCard(card);
  picture.setAttribute("aria-hidden", "true");
  return make("button", { type: "button", "data-card": card, "aria-label": cardName(card), ...attributes }, picture);
}
