// Playing cards as SVG: drawings of our own, with French, German and Hungarian faces.

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 100, HIGH = 150;

// The signs of the suits, around the middle of a square from -50 to 50: [colour, path] painted one after another.
const FRENCH = {
  s: [["black", "M0-48C14-22 44-8 44 18A22 22 0 0 1 8 30L14 48H-14L-8 30A22 22 0 0 1-44 18C-44-8-14-22 0-48Z"]],
  h: [["red", "M0 46C-14 22-46 4-46-20A23 23 0 0 1 0-28A23 23 0 0 1 46-20C46 4 14 22 0 46Z"]],
  d: [["red", "M0-48Q16-20 36 0Q16 20 0 48Q-16 20-36 0Q-16-20 0-48Z"]],
  c: [["black", "M-9 18A21 21 0 1 1-18-20A21 21 0 1 1 18-20A21 21 0 1 1 9 18L15 47H-15Z"]],
};
const GERMAN = {
  s: [ // leaves
    ["green", "M0-46C30-30 44-8 30 12C24 24 10 26 0 22C-10 26-24 24-30 12C-44-8-30-30 0-46Z"],
    ["line", "M0-38V22M0-6L20-16M0-6L-20-16M0 10L18 2M0 10L-18 2"],
    ["brown", "M-3 20H3L8 48H-1Z"],
  ],
  h: [["red", "M0 46C-14 22-46 4-46-20A23 23 0 0 1 0-28A23 23 0 0 1 46-20C46 4 14 22 0 46Z"]],
  d: [ // bells
    ["gold", "M0-40A40 40 0 0 1 40 0A40 40 0 0 1 0 40A40 40 0 0 1-40 0A40 40 0 0 1 0-40Z"],
    ["red", "M-40-7H40V7H-40Z"],
    ["brown", "M-5-48H5V-39H-5ZM-24 16L24 16L24 21L4 21L4 40H-4L-4 21L-24 21Z"],
  ],
  c: [ // acorns
    ["gold", "M-26-4H26C28 22 12 36 0 48C-12 36-28 22-26-4Z"],
    ["green", "M-32-4C-34-26-16-34 0-34C16-34 34-26 32-4Q0 6-32-4Z"],
    ["brown", "M-4-33L-7-48H3L5-33Z"],
  ],
};
const COLOURS = { black: "#1c2226", red: "#c22f35", green: "#2f7d43", gold: "#e3a72b", brown: "#6b4423" };
const INK = { french: { s: "black", c: "black", h: "red", d: "red" }, german: { s: "green", h: "red", d: "brown", c: "brown" } };

const NAMES = {
  french: { suits: { s: "spades", h: "hearts", d: "diamonds", c: "clubs" }, ranks: { A: ["A", "ace"], K: ["K", "king"], Q: ["Q", "queen"], J: ["J", "jack"] } },
  german: { suits: { s: "leaves", h: "hearts", d: "bells", c: "acorns" }, ranks: { A: ["D", "Daus"], K: ["K", "King"], Q: ["O", "Ober"], J: ["U", "Unter"] } },
  hungarian: { suits: { s: "leaves", h: "hearts", d: "bells", c: "acorns" }, ranks: { A: ["Á", "Ász"], K: ["K", "Király"], Q: ["F", "Felső"], J: ["A", "Alsó"], T: ["X", "ten"], 9: ["IX", "nine"], 8: ["VIII", "eight"], 7: ["VII", "seven"] } },
};
const NUMBERS = { T: ["10", "ten"], 9: ["9", "nine"], 8: ["8", "eight"], 7: ["7", "seven"] };
const rank = (letter, face) => NAMES[face].ranks[letter] || NUMBERS[letter] || [letter, letter];
export const suitName = (suit, face) => NAMES[face].suits[suit];
export const rankSign = (letter, face) => rank(letter, face)[0];
export const cardName = (card, face) => card ? `${rank(card[1], face)[1]} of ${suitName(card[0], face)}` : "face-down card";

function make(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function sign(suit, face, x, y, size, turned = false) {
  const group = make("g", { transform: `translate(${x} ${y}) scale(${size / 100})${turned ? " rotate(180)" : ""}` });
  for (const [colour, path] of (face === "french" ? FRENCH : GERMAN)[suit]) {
    group.append(make("path", colour === "line"
      ? { d: path, fill: "none", stroke: "#1d5530", "stroke-width": 4, "stroke-linecap": "round" }
      : { d: path, fill: COLOURS[colour] }));
  }
  return group;
}

// A suit among words.
export function suitIcon(suit, face) {
  const icon = make("svg", { viewBox: "-50 -50 100 100", class: `suit ${face === "french" ? INK.french[suit] : ""}`, role: "img", "aria-label": suitName(suit, face) });
  icon.append(sign(suit, face, 0, 0, 100));
  return icon;
}

const PIPS = { // columns at 30, 50 and 70, rows in shares of the height between the outer ones
  T: [[30, 0], [70, 0], [50, 1 / 6], [30, 1 / 3], [70, 1 / 3], [30, 2 / 3], [70, 2 / 3], [50, 5 / 6], [30, 1], [70, 1]],
  9: [[30, 0], [70, 0], [30, 1 / 3], [70, 1 / 3], [50, 1 / 2], [30, 2 / 3], [70, 2 / 3], [30, 1], [70, 1]],
  8: [[30, 0], [70, 0], [50, 1 / 4], [30, 1 / 2], [70, 1 / 2], [50, 3 / 4], [30, 1], [70, 1]],
  7: [[30, 0], [70, 0], [50, 1 / 4], [30, 1 / 2], [70, 1 / 2], [30, 1], [70, 1]],
};

// Half of a court figure, above the middle of the card: robe, head, and what it wears.
function figure(letter, suit, face) {
  const robe = face === "french" ? (INK.french[suit] === "red" ? "#c22f35" : "#2b4a7f") : { s: "#2f7d43", h: "#c22f35", d: "#d08a1d", c: "#6b4423" }[suit];
  const trim = face === "french" ? "#e9b949" : "#f0d9a0";
  const half = make("g", {},
    make("path", { d: "M24 75C24 58 36 52 50 52C64 52 76 58 76 75Z", fill: robe }),
    make("path", { d: "M43 53L50 75L57 53Z", fill: trim }),
    make("path", { d: "M30 66Q50 60 70 66", fill: "none", stroke: trim, "stroke-width": 2.4 }),
    make("circle", { cx: 50, cy: 43, r: 10.5, fill: "#f3d3b0", stroke: "#7a5536", "stroke-width": .8 }),
    make("path", { d: "M46 42.500H47.500M52.500 42.500H54M47.500 48Q50 49.500 52.500 48", fill: "none", stroke: "#4a3220", "stroke-width": 1.1, "stroke-linecap": "round" }));
  const hair = "#7a5536";
  if (letter === "K") {
    half.append(
      make("path", { d: "M40 45Q41 58 50 59Q59 58 60 45Q56 52 50 51Q44 52 40 45Z", fill: hair }),
      make("path", { d: "M38 36L36 24L43 30L50 21L57 30L64 24L62 36Z", fill: "#e9b949", stroke: "#8a6516", "stroke-width": .8 }));
  } else if (letter === "Q") {
    half.append(face === "french"
      ? make("path", { d: "M38 54Q34 34 50 31Q66 34 62 54Q60 42 57 38Q50 42 43 38Q40 42 38 54Z", fill: hair })
      : make("path", { d: "M39 37Q50 30 61 37L66 33Q58 22 46 24Q38 28 39 37Z", fill: robe, stroke: "#3a2a18", "stroke-width": .8 }),
      face === "french" ? make("path", { d: "M41 34L42 27L47 31L50 25L53 31L58 27L59 34Z", fill: "#e9b949", stroke: "#8a6516", "stroke-width": .7 })
        : make("path", { d: "M60 34Q70 24 66 17Q72 28 64 36Z", fill: trim }));
  } else {
    half.append(
      make("path", { d: "M39 46Q37 34 50 32Q63 34 61 46Q58 39 50 39Q42 39 39 46Z", fill: hair }),
      make("path", { d: "M38 36Q50 27 62 36L60 30Q50 21 40 30Z", fill: robe, stroke: "#3a2a18", "stroke-width": .8 }));
  }
  half.append(sign(suit, face, 68, 26, 15));
  return half;
}

// A card by its name, or a back for an empty one.
export function drawCard(card, face) {
  const svg = make("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "card", role: "img", "aria-label": cardName(card, face) });
  svg.append(make("rect", { x: .75, y: .75, width: WIDE - 1.5, height: HIGH - 1.5, rx: 9, fill: card ? "#fdfcf7" : "#dfe6ee", stroke: "#8b8f86", "stroke-width": 1.5 }));
  if (!card) {
    svg.append(make("rect", { x: 8, y: 8, width: WIDE - 16, height: HIGH - 16, rx: 5, fill: "#3b5b8c" }));
    const lines = [];
    for (let i = -150; i < 100; i += 14) lines.push(`M${i} 8L${i + 134} 142M${i + 134} 8L${i} 142`);
    const clip = make("svg", { x: 8, y: 8, width: WIDE - 16, height: HIGH - 16, viewBox: `8 8 ${WIDE - 16} ${HIGH - 16}` },
      make("path", { d: lines.join(""), stroke: "#6f8dbb", "stroke-width": 1.6, fill: "none" }));
    svg.append(clip);
    return svg;
  }
  const [suit, letter] = card, signs = face === "french" ? "french" : "german", ink = COLOURS[INK[signs][suit]];
  const text = rankSign(letter, face);
  const corner = () => make("g", {},
    make("text", { x: text.length > 2 ? 4 : 13, y: 25, "text-anchor": text.length > 2 ? "start" : "middle", "font-size": text.length > 2 ? 11 : text.length > 1 ? 18 : 24, "font-weight": 700, fill: ink }, text),
    sign(suit, face, 13, 37, 15));
  const other = corner();
  other.setAttribute("transform", `rotate(180 ${WIDE / 2} ${HIGH / 2})`);
  svg.append(corner(), other);
  if (PIPS[letter]) {
    for (const [x, y] of PIPS[letter]) svg.append(sign(suit, face, x, 26 + 98 * y, 21, signs === "french" && y > .5));
  } else if (letter === "A") {
    svg.append(sign(suit, face, 50, signs === "french" ? 75 : 58, signs === "french" ? 52 : 42));
    if (signs === "german") svg.append(sign(suit, face, 50, 98, 42, suit !== "h"));
  } else {
    svg.append(make("rect", { x: 22, y: 15, width: 56, height: 120, rx: 3, fill: "#fbf3dc", stroke: ink, "stroke-width": 1 }));
    const lower = figure(letter, suit, face);
    lower.setAttribute("transform", `rotate(180 ${WIDE / 2} ${HIGH / 2})`);
    svg.append(figure(letter, suit, face), lower, make("path", { d: "M22 75H78", stroke: ink, "stroke-width": 1 }));
  }
  return svg;
}
