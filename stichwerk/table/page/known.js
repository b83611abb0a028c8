// What the browser keeps of the front door: the last choices, and the tables that it has seen.

import { lasting } from "./storage.js";

const MOST = 30; // tables

function read(name, otherwise) {
  try {
    return JSON.parse(lasting.read(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export const known = {
  read: () => read("stichwerk door", {}),
  write: choices => lasting.write("stichwerk door", JSON.stringify(choices)),
};
export const secretsOf = () => {
  const kept = read("stichwerk tables", []);
  return Array.isArray(kept) ? kept.filter(each => typeof each === "string") : [];
};
export const keepSecret = secret => lasting.write("stichwerk tables",
  JSON.stringify([secret, ...secretsOf().filter(each => each !== secret)].slice(0, MOST)));
