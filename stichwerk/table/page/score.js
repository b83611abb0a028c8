// What is written down at the table: trump, strokes, the sheet of Preferans.

import { suitIcon, suitName } from "./cards.js";
import { make } from "./dom.js";
import { tr } from "./language.js";
import { nameOf, nodes } from "./words.js";

const ORDER = "shcd"; // colours in turn

// The sign of the trump suit, which nobody can miss, or of a contract without one, such as betl.
export const trumpSign = trump => ORDER.includes(trump)
  ? [suitIcon(trump), make("span", {}, tr("trump"))]
  : [make("strong", {}, trump), make("span", {}, tr("no trump"))];
export const trumpWords = trump => ORDER.includes(trump) ? tr("Trump: {suit}", { suit: suitName(trump) }) : `${trump}, ${tr("no trump")}`;

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
  if (!scene.score) return bule(scene, names);
  const [counts, target] = scene.score;
  return [make("table", { class: "strokes" }, make("caption", {}, tr("to {target}", { target })), ...counts.map((count, side) => make("tr", {},
    make("th", { scope: "row" }, counts.length === names.length ? nameOf(side) : tr("Side {number}", { number: side + 1 })),
    make("td", { "aria-label": String(count) }, make("span", { "aria-hidden": "true" },
      ..."x".repeat(Math.floor(count / 5)).split("").filter(Boolean).map(() => make("s", {}, "IIII")), " ", "I".repeat(count % 5) || (count ? "" : "–")),
    make("b", {}, String(count))))))];
}

const OWN = 2; // the column of the bule in the sheet: after the seat and the supe at the left

// The middle columns of the sheet, in short.
function bule({ sheet }, names) {
  return sheet.length ? [make("table", { class: "strokes" }, make("caption", {}, tr("bule")), ...sheet.slice(1).map((row, seat) => make("tr", {},
    make("th", { scope: "row" }, names[seat] ? nameOf(seat) : ""), make("td", {}, row[OWN], row.at(-1) === "-" ? "" : ` ${row.at(-1)}`))))] : [];
}

// The sheet of Preferans as on paper: for each player three columns, the bule between the supe, and refas as marks.
export function sheetOf(rows) {
  const [head, ...players] = rows;
  if (!head) return [];
  return players.map(([seat, ...cells]) => {
    const refas = cells.at(-1), columns = cells.slice(0, -1);
    return make("table", { class: "paper" }, make("caption", {}, ...nodes(seat), make("span", { class: "refas", title: tr("refas") }, refas === "-" ? "" : refas)),
      make("tr", {}, ...columns.map((_, place) => make("th", { scope: "col" }, place + 1 === OWN ? tr("bule") : tr("supe {side}", { side: head[place + 1] })))),
      make("tr", {}, ...columns.map(cell => make("td", {}, cell))));
  });
}
