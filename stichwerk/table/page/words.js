// Texts of the server for people: names of seats, and signs of suits as the cards have them.

import { cardName, rankSign, suitIcon, suitName } from "./cards.js";

const SUITS = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };
const CARD = /([♠♥♦♣])([AKQJT987](?![a-zA-Z]))?/;
const PLAIN_NAMES = { spades: "s", diamonds: "d", clubs: "c" };

// Whether a seat is that of the person at this page.
export const isOwn = (table, seat) => seat === table.seat && !table.watched;

// The name of a seat; the own one is called you.
export const nameOf = (table, seat) => isOwn(table, seat) ? "You" : table.names[seat].replace(/^player_/, "Player ");

function named(text, table, face) {
  const seats = text.replace(/\bplayer_(\d)\b/g, (_, seat) => isOwn(table, +seat) ? "you" : nameOf(table, +seat));
  return face === "french" ? seats : seats.replace(/\b(spades|diamonds|clubs)\b/g, name => suitName(PLAIN_NAMES[name], face));
}

// A text with drawn suits, as nodes.
export function nodes(text, table, face) {
  const found = [];
  let rest = named(text, table, face);
  for (let match; (match = rest.match(CARD)); rest = rest.slice(match.index + match[0].length)) {
    if (match.index) found.push(rest.slice(0, match.index));
    const span = document.createElement("span");
    span.className = "inline-card";
    span.append(suitIcon(SUITS[match[1]], face), match[2] ? rankSign(match[2], face) : "");
    found.push(span);
  }
  return rest ? [...found, rest] : found;
}

// The same to be read aloud.
export function spoken(text, table, face) {
  return named(text, table, face).replace(new RegExp(CARD, "g"), (_, suit, rank) =>
    rank ? cardName(SUITS[suit] + rank, face) : suitName(SUITS[suit], face)).replace(/\b(\w+) \1\b/g, "$1");
}
