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

// Adds the cost of the decisions that a review lists to the deal's result, by kind: by luck nothing is lost there.
export function keepReview(key, { decisions, of_match }) {
  const lost = { lead: 0, follow: 0, call: 0 };
  for (const { action, cost, position } of decisions)
    lost[!action.startsWith("play ") ? "call" : position.trick.length && !position.trick_complete ? "follow" : "lead"] += cost;
  lasting.write(NAME, JSON.stringify(read().map(each => each.key === key ? { ...each, lost, of_match } : each)));
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

const KINDS = ["lead", "follow", "call"];

// A row for each game and unit in which its decisions were judged.
function losses(results, titles) {
  const groups = new Map();
  for (const each of results.filter(result => result.lost)) {
    const name = `${each.title}\n${each.of_match}`;
    groups.set(name, [...groups.get(name) || [], each]);
  }
  return [...groups.values()].map(all => {
    const mean = kind => all.reduce((sum, each) => sum + each.lost[kind], 0) / all.length, percent = all[0].of_match;
    const cell = number => make("td", {}, percent ? `${decimals((100 * number).toFixed(1))} %` : decimals(number.toFixed(2)));
    return make("tr", {}, make("th", { scope: "row" }, titles[all[0].title] || all[0].title), make("td", {}, percent ? tr("% of matches") : tr("game points")),
      make("td", {}, String(all.length)), ...KINDS.map(kind => cell(mean(kind))));
  });
}

// Shows them, with the titles of games, in the section of this id, which is hidden where there are none.
export function drawStatistics(id, titles) {
  const results = read();
  at(id).hidden = !results.length;
  const heads = [tr("game"), tr("level"), tr("deals"), tr("won"), tr("game points a deal")].map(head => make("th", { scope: "col" }, head));
  const [played, judged] = at(id).querySelectorAll("table"), lost = losses(results, titles);
  played.replaceChildren(make("tr", {}, ...heads), ...rows(results, titles));
  judged.hidden = !lost.length;
  const columns = [tr("game"), tr("lost a deal"), tr("reviewed deals"), tr("on lead"), tr("following"), tr("calls")];
  judged.replaceChildren(make("caption", {}, tr("Lost by mistakes, without luck")), make("tr", {}, ...columns.map(head => make("th", { scope: "col" }, head))), ...lost);
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
