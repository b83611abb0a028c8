// Little portraits of those who sit at the table, drawn from their names.

const SVG = "http://www.w3.org/2000/svg";
const SKIN = ["#f3d3b4", "#e6b98f", "#d9a57b", "#f7dcc4"], HAIR = ["#3b2a20", "#7a4a23", "#c79a4b", "#8e8e8e", "#232323"];
const SHAPES = [
  "M28 42Q26 18 50 18T72 42Q70 30 50 30T28 42Z",
  "M24 60Q20 14 50 14T76 60Q76 34 62 30Q44 40 32 32Q26 44 24 60Z",
  "M30 36Q32 20 50 20T70 36Q60 26 50 26T30 36Z",
  "M26 50Q20 12 52 14Q80 14 74 50Q70 34 50 32Q30 34 26 50Z",
];

function hash(text) {
  let value = 7;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) >>> 0;
  return value;
}

/** A portrait by the name of a seat. */
export function portrait(name) {
  const number = hash(name), pick = (list, at) => list[(number >>> at) % list.length], hue = number % 360;
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 100 100", class: "portrait", "aria-hidden": "true" })) svg.setAttribute(key, value);
  svg.innerHTML = `<circle cx="50" cy="50" r="50" fill="hsl(${hue} 35% 72%)"/><path d="M14 100Q18 72 50 72T86 100Z" fill="hsl(${(hue + 160) % 360} 40% 38%)"/>
    <path d="M41 60H59V76Q50 84 41 76Z" fill="${pick(SKIN, 3)}"/><ellipse cx="50" cy="46" rx="20" ry="24" fill="${pick(SKIN, 3)}"/>
    <path d="${pick(SHAPES, 7)}" fill="${pick(HAIR, 11)}"/><circle cx="42" cy="46" r="2.4" fill="#2a2220"/><circle cx="58" cy="46" r="2.4" fill="#2a2220"/>
    <path d="M43 58Q50 ${number & 64 ? 64 : 61} 57 58" fill="none" stroke="#8a4b3c" stroke-width="2.4" stroke-linecap="round"/>
    ${number & 256 ? '<path d="M41 54Q50 50 59 54Q50 57 41 54Z" fill="#4a3526"/>' : ""}`;
  return svg;
}
