// What is written down at the table: trump, strokes, the sheet of Preferans.

import { suitIcon, suitName } from "./cards.js";
import { make } from "./dom.js";
import { nameOf, nodes } from "./words.js";

const SIGNS = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };
const ORDER = "shcd"; // colours in turn

// The trump suit of a scene, or another contract that is played, such as betl; nothing before there is one.
export function trumpOf(scene) {
  for (const { label, words } of scene.lines) {
    if (label === "trump" && SIGNS[words[0]]) return { suit: SIGNS[words[0]] };
    const sign = words.match(/trump ([♠♥♦♣])/);
    if (sign) return { suit: SIGNS[sign[1]] };
    const contract = label === "contract" && words.match(/^(?:igra )?([♠♥♦♣]|betl|sans|preferans) by/);
    if (contract) return SIGNS[contract[1]] ? { suit: SIGNS[contract[1]] } : { words: contract[1] };
  }
  return undefined;
}

// The sign of the trump suit, which nobody can miss.
export const trumpSign = trump => trump.suit
  ? [suitIcon(trump.suit), make("span", {}, "trump")]
  : [make("strong", {}, trump.words), make("span", {}, "no trump")];
export const trumpWords = trump => trump.suit ? `Trump: ${suitName(trump.suit)}` : `${trump.words}, no trump`;

// A hand with its suits together, black and red in turn.
export function sorted(cards) {
  const found = [...ORDER].filter(suit => cards.some(card => card[0] === suit));
  const black = found.filter(suit => "sc".includes(suit)), red = found.filter(suit => "hd".includes(suit)), order = [];
  const [more, fewer] = black.length >= red.length ? [black, red] : [red, black];
  for (let place = 0; place < more.length; place++) order.push(more[place], ...fewer.slice(place, place + 1));
  return cards.map((card, place) => ({ card, place }))
    .sort((one, other) => order.indexOf(one.card[0]) - order.indexOf(other.card[0]) || one.place - other.place).map(each => each.card);
}

// The score of the match as strokes, in fives, for each side.
export function strokes(scene, names) {
  const fact = scene.lines.map(line => line.words.match(/score (\d+(?: : \d+)*) to (\d+)/)).find(Boolean);
  if (!fact) return bule(scene, names);
  const counts = fact[1].split(" : ").map(Number);
  return [make("table", { class: "strokes" }, make("caption", {}, `to ${fact[2]}`), ...counts.map((count, side) => make("tr", {},
    make("th", { scope: "row" }, counts.length === names.length ? nameOf(side) : `Side ${side + 1}`),
    make("td", { "aria-label": String(count) }, make("span", { "aria-hidden": "true" },
      ..."x".repeat(Math.floor(count / 5)).split("").filter(Boolean).map(() => make("s", {}, "IIII")), " ", "I".repeat(count % 5) || (count ? "" : "–")),
    make("b", {}, String(count))))))];
}

// The middle columns of the sheet, in short.
function bule({ sheet }, names) {
  const place = sheet[0]?.indexOf("own") ?? -1;
  return place < 0 ? [] : [make("table", { class: "strokes" }, make("caption", {}, "bule"), ...sheet.slice(1).map((row, seat) => make("tr", {},
    make("th", { scope: "row" }, names[seat] ? nameOf(seat) : ""), make("td", {}, row[place], row.at(-1) === "-" ? "" : ` ${row.at(-1)}`))))];
}

// The sheet of Preferans as on paper: for each player three columns, the bule between the supe, and refas as marks.
export function sheetOf(rows) {
  const [head, ...players] = rows;
  if (!head) return [];
  return players.map(([seat, ...cells]) => {
    const refas = cells.at(-1), columns = cells.slice(0, -1);
    return make("table", { class: "paper" }, make("caption", {}, ...nodes(seat), make("span", { class: "refas", title: "refas" }, refas === "-" ? "" : refas)),
      make("tr", {}, ...columns.map((_, place) => make("th", { scope: "col" }, head[place + 1] === "own" ? "bule" : `supe ${head[place + 1]}`))),
      make("tr", {}, ...columns.map(cell => make("td", {}, cell))));
  });
}
