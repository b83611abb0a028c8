// Texts of the server for people: names of seats, and signs of suits as the cards have them.

import { cardName, rankSign, suitIcon, suitName } from "./cards.js";
import { make } from "./dom.js";
import { state } from "./state.js";

const SUITS = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };
const CARD = /([♠♥♦♣])([AKQJT987](?![a-zA-Z]))?/;
const PLAIN_NAMES = { spades: "s", diamonds: "d", clubs: "c" };

// True if a seat is that of the person at this page.
export const isOwn = seat => seat === state.table.seat && !state.table.watched;

// The name of a seat; the own one is called you.
export const nameOf = seat => isOwn(seat) ? "You" : state.table.names[seat].replace(LEVEL, "").replace(/^player_/, "Player ");

// The level of the agent in a seat, which stands behind its name.
const LEVEL = / \((beginner|casual|club|strong|strongest)\)$/;
export const levelOf = seat => state.table.names[seat].match(LEVEL)?.[1];

function named(text) {
  const seats = text.replace(/\bplayer_(\d)\b/g, (_, seat, at) => isOwn(+seat) && at ? "you" : nameOf(+seat));
  return state.look.face === "french" ? seats : seats.replace(/\b(spades|diamonds|clubs)\b/g, name => suitName(PLAIN_NAMES[name]));
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
  rank ? cardName(SUITS[suit] + rank) : suitName(SUITS[suit])).replace(/\b(\w+) \1\b/g, "$1");
