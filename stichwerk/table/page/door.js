// The front door: the games with their rules and levels, and the tables that this browser knows.

import { at, exerciseButtons, fill, make } from "./dom.js";
import { known, secretsOf } from "./known.js";
import { apart, decimals, offerLanguages, tr, trn } from "./language.js";
import { LEVELS } from "./levels.js";
import { drawStatistics } from "./statistics.js";

const base = document.baseURI.replace(/[^/]*$/, "");
let games = [], cards;

/** @param {import("./protocol.js").Lobby | import("./protocol.js").Begin} request */
async function post({ type, ...fields }) {
  return (await fetch(`${base}${type}`, { method: "POST", body: JSON.stringify(fields) })).json();
}

const chosen = () => games.find(game => game.env === /** @type {HTMLInputElement} */ (document.querySelector("#games :checked"))?.value);
const options = list => list.map(([value, words]) => new Option(words, value));
const plain = words => words.replaceAll("_", " "); // English has the names that commands take
const numbers = count => Array.from({ length: count }, (_, place) => [place + 1, String(place + 1)]);

function picture(game) {
  return make("span", { class: "picture", "aria-hidden": "true" }, ...game.cards.map((card, place) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 100 150");
    svg.setAttribute("class", "card");
    svg.style.setProperty("--fan", String(place - (game.cards.length - 1) / 2));
    svg.innerHTML = cards[card];
    return svg;
  }));
}

function drawGames() {
  const before = known.read().game;
  fill("games", games.map(game => make("label", {}, make("input", { type: "radio", name: "game", value: game.env, onchange: drawWishes,
    checked: game.env === before ? "" : undefined }), picture(game), make("strong", {}, game.title), make("small", {}, game.about))));
  if (chosen()) drawWishes();
}

// The wishes for the game that is chosen; its rules are those of the preset until somebody changes them.
function drawWishes() {
  const game = chosen();
  at("wishes").hidden = false;
  at("wishes-title").textContent = game.title;
  at("about").textContent = game.about;
  fill("preset", options(game.presets.map(each => [each.name, plain(each.words)])));
  at("preset").title = game.presets.map(each => `${plain(each.words)}: ${each.source}`).join("\n");
  at("seating").hidden = game.seats.length < 2;
  fill("players", options(game.seats.map(count => [count, String(count)])));
  at("players").value = String(game.options.find(each => each.name === "players")?.default ?? game.seats[0]);
  drawPeople();
  fill("options", game.options.filter(each => each.name !== "players").map(each => make("label", {}, each.meaning || each.name,
    each.values ? make("select", { name: each.name }, new Option(tr("as the rules have it"), ""), ...each.values.map((value, place) => new Option(plain(each.words[place]), JSON.stringify(value))))
      : make("input", { type: "number", name: each.name, min: each.bounds[0], max: each.bounds[1], placeholder: tr("as the rules have it") }))));
  at("practice").hidden = !game.exercises.length;
  at("practice").lastElementChild.replaceChildren(...exerciseButtons(game.exercises, begin));
  at("links").hidden = true;
  at("fault").textContent = "";
}

const drawPeople = () => fill("people", options(numbers(+at("players").value || chosen().seats[0])));

async function begin(exercise = 0) {
  const game = chosen(), rules = {};
  for (const field of at("options").querySelectorAll("select, input")) if (field.value) rules[field.name] = JSON.parse(field.value);
  if (game.seats.length > 1) rules.players = +at("players").value;
  at("fault").textContent = "";
  at("begin").disabled = true;
  const patience = setTimeout(() => { at("fault").textContent = tr("The first table of a game takes up to half a minute …"); }, 1500);
  const whole = /** @type {HTMLInputElement} */ (document.querySelector("[name=length]:checked")).value === "match";
  const answer = await post({ type: "begin", env: game.env, preset: at("preset").value, rules, people: exercise ? 1 : +at("people").value,
    level: at("level").value, match: whole, exercise });
  clearTimeout(patience);
  at("fault").textContent = "";
  at("begin").disabled = false;
  if (answer.type === "refusal") at("fault").textContent = answer.text;
  else {
    known.write({ game: game.env, level: at("level").value });
    const links = answer.links.map(link => new URL(link.slice(1), base).href);
    if (links.length === 1) location.assign(links[0]);
    else {
      at("links").hidden = false;
      at("links").lastElementChild.replaceChildren(...links.map((href, seat) => make("li", {}, make("a", { href }, seat ? href : tr("your seat")))));
    }
  }
}

const shownName = name => apart(name.replace(/^player_(\d)/, (_, number) => tr("Player {number}", { number })).replace(/\((\w+)\)$/, (whole, level) =>
  LEVELS[level] ? `(${tr(LEVELS[level])})` : whole));

// Tables of this browser that are still open.
function drawGoing(tables) {
  at("going").hidden = !tables.length;
  at("going").lastElementChild.replaceChildren(...tables.map(({ secret, title, names, seat, deals, total }) => {
    const others = names.filter((_, place) => place !== seat).map(shownName).join(", ");
    const points = `${total > 0 ? "+" : ""}${decimals(Math.round(total * 10) / 10)}`;
    const score = deals ? `${trn("{n} deal", "{n} deals", deals)}, ${tr("{points} game points", { points })}` : tr("no deal yet");
    return make("li", {}, make("a", { class: "button", href: `${base}table/${secret}` }, title), make("span", {}, tr("with {others}", { others })), make("span", {}, score),
      make("a", { href: `${base}record/${secret}` }, tr("record")));
  }));
}

offerLanguages(at("language"));
at("players").onchange = drawPeople;
at("wishes").onsubmit = event => { event.preventDefault(); begin(); };
// The browser says what is wrong with a number, but not in options that are folded up.
at("options").addEventListener("invalid", () => { at("options").closest("details").open = true; }, true);
const answer = await post({ type: "lobby", tables: secretsOf() });
({ CARDS: { french: cards } } = await import(`${base}cards`));
games = answer.games;
fill("level", answer.levels.map(name => new Option(tr(name), name)));
at("level").value = known.read().level || "club";
drawGames();
drawGoing(answer.tables);
drawStatistics("statistics", Object.fromEntries(games.map(game => [game.env, game.title])));
