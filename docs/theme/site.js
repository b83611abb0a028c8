"use strict";
const root = document.documentElement;
const make = (name, text, how = {}) => Object.assign(document.createElement(name), {textContent: text, ...how});

document.getElementById("site-scheme").onclick = () => {
  const dark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.style.colorScheme = dark ? "light" : "dark";
  try { localStorage.setItem("scheme", root.style.colorScheme); } catch { /* no storage */ }
};

for (const block of document.querySelectorAll("main .highlight pre")) {
  const copy = make("button", "Copy", {className: "copy"});
  copy.onclick = async () => {
    await navigator.clipboard.writeText(block.textContent);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  };
  block.parentElement.append(copy);
}

const field = document.getElementById("site-search"), found = document.getElementById("site-found");
const base = root.dataset.base.replace(/\/?$/, "/"), MOST = 12, AROUND = 70;
let loaded;

function sections() { // a script and no request, which a page read from the disk may not make
  return loaded ??= new Promise((resolve, reject) => document.head.append(make("script", "", {
    src: base + "search/index.js",
    onload: () => resolve(SECTIONS.map(([place, title, page, text]) =>
      ({place, title, page, text, low: [title, page, text].map(each => each.toLowerCase())}))),
    onerror: reject,
  })));
}
function worth(section, words) {
  let sum = 0;
  for (const word of words) {
    const [title, page, text] = section.low;
    const here = (title === word) * 40 + title.includes(word) * 20 + page.includes(word) * 8 + Math.min(text.split(word).length - 1, 5);
    if (!here) return 0;
    sum += here;
  }
  return sum;
}
function excerpt(section, word) {
  const at = section.low[2].indexOf(word), from = Math.max(0, at - AROUND), line = make("span", "");
  const part = (start, end) => section.text.slice(Math.max(0, start), end);
  if (at < 0) line.append(part(0, 2 * AROUND));
  else line.append(from ? "…" : "", part(from, at), make("mark", part(at, at + word.length)), part(at + word.length, at + AROUND), "…");
  return line;
}
field.oninput = async () => {
  const asked = field.value, words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length ? await sections() : [];
  if (field.value !== asked) return;
  const best = all.map(section => [worth(section, words), section]).filter(([sum]) => sum).sort((a, b) => b[0] - a[0]).slice(0, MOST);
  found.replaceChildren(...best.map(([, section]) => {
    const item = make("li", ""), link = make("a", "", {href: base + section.place});
    link.append(make("b", section.title), section.page === section.title ? "" : make("i", section.page), excerpt(section, words[0]));
    item.append(link);
    return item;
  }));
  if (words.length && !best.length) found.replaceChildren(make("li", "Nothing found"));
  found.hidden = !words.length;
};
field.onfocus = field.oninput;
field.onkeydown = event => { if (event.key === "Enter") found.querySelector("a")?.click(); };
document.addEventListener("keydown", event => {
  if (event.key === "Escape") { found.hidden = true; field.blur(); }
  if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener("click", event => { if (!event.target.closest("search")) found.hidden = true; });
