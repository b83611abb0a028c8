// The results of this browser's deals against agents of a level: kept here alone, to be exported and deleted.

import { at, make } from "./dom.js";
import { decimals, tr } from "./language.js";
import { LEVELS } from "./levels.js";
import { lasting } from "./storage.js";

const NAME = "stichwerk results", MOST = 5000; // deals

/** @typedef {{ key: string, title: string, level: string, points: number, day: string }} Kept */

/** @returns {Kept[]} */
function read() {
  try {
    const kept = JSON.parse(lasting.read(NAME));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

// Keeps the result of a deal; one that was taken back and played again counts once.
export function keepResult(key, title, level, points) {
  const others = read().filter(each => each.key !== key);
  lasting.write(NAME, JSON.stringify([...others, { key, title, level, points, day: new Date().toISOString().slice(0, 10) }].slice(-MOST)));
}

const rounded = number => `${number > 0 ? "+" : number < 0 ? "−" : ""}${decimals(Math.abs(number).toFixed(2))}`;

// A row for each game and level, in the order of their names.
function rows(results, titles) {
  const groups = new Map();
  for (const { title, level, points } of results) {
    const name = `${title}\n${level}`, found = groups.get(name) || { title, level, all: [] };
    found.all.push(points);
    groups.set(name, found);
  }
  return [...groups.values()].sort((one, other) => one.title.localeCompare(other.title) || one.level.localeCompare(other.level)).map(({ title, level, all }) => {
    const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
    const spread = Math.sqrt(all.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, all.length - 1));
    const margin = all.length > 9 ? ` ± ${decimals((1.96 * spread / Math.sqrt(all.length)).toFixed(2))}` : "";
    return make("tr", {}, make("th", { scope: "row" }, titles[title] || title), make("td", {}, tr(LEVELS[level] || level)), make("td", {}, String(all.length)),
      make("td", {}, `${Math.round(100 * all.filter(each => each > 0).length / all.length)} %`), make("td", {}, rounded(mean) + margin));
  });
}

// Shows them, with the titles of games, in the section of this id, which is hidden where there are none.
export function drawStatistics(id, titles) {
  const results = read();
  at(id).hidden = !results.length;
  const heads = [tr("game"), tr("level"), tr("deals"), tr("won"), tr("game points a deal")].map(head => make("th", { scope: "col" }, head));
  at(id).querySelector("table").replaceChildren(make("tr", {}, ...heads), ...rows(results, titles));
  at(id).querySelector("[name=export]").onclick = () => {
    const href = URL.createObjectURL(new Blob([JSON.stringify(read(), null, 1)], { type: "application/json" }));
    make("a", { href, download: "stichwerk-results.json" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  };
  at(id).querySelector("[name=delete]").onclick = () => {
    lasting.write(NAME, "[]");
    drawStatistics(id, titles);
  };
}
