// Texts of the server for people: names of seats, and signs of suits as the cards have them.

import { cardName, rankSign, suitIcon, suitName } from "./cards.js";
import { make } from "./dom.js";
import { apart, tr } from "./language.js";
import { LEVELS } from "./levels.js";
import { state } from "./state.js";

const SUITS = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };
const CARD = /([♠♥♦♣])([AKQJT987](?![a-zA-Z]))?/;

// True if a seat is that of the person at this page.
export const isOwn = seat => seat === state.table.seat && !state.table.watched;

// The name of a seat; the own one is called you.
export const nameOf = seat => isOwn(seat) ? tr("You") : apart(state.table.names[seat].replace(LEVEL, "").replace(/^player_(\d)/, (_, number) => tr("Player {number}", { number })));

// The level of the agent in a seat, which stands behind its name.
const LEVEL = new RegExp(` \\((${Object.keys(LEVELS).join("|")})\\)$`);
export const levelOf = seat => state.table.names[seat].match(LEVEL)?.[1];

function named(text) {
  const seats = text.replace(/\bplayer_(\d)\b/g, (_, seat, at) => isOwn(+seat) && at ? tr("you") : nameOf(+seat));
  return seats.replace(/\b(spades|hearts|diamonds|clubs)\b/g, name => suitName(name[0]));
}

// A text with drawn suits, as nodes.
export function nodes(text) {
  const found = [];
  let rest = named(text);
  for (let match; (match = rest.match(CARD)); rest = rest.slice(match.index + match[0].length)) {
    if (match.index) found.push(rest.slice(0, match.index));
    found.push(make("span", { class: "inline-card" }, suitIcon(SUITS[match[1]]), match[2] ? rankSign(match[2]) : ""));
  }
  return rest ? [...found, rest] : found;
}

// The same to be read aloud.
export const spoken = text => named(text).replace(new RegExp(CARD, "g"), (_, suit, rank) =>
  rank ? cardName(SUITS[suit] + rank) : suitName(SUITS[suit])).replace(/(?<!\p{L})(\p{L}+) \1(?!\p{L})/gu, "$1");
