// Elements of the page: found by their id, or made.

/** @returns {any} */
export const at = id => document.getElementById(id);

/**
 * Makes an element with attributes, or handlers where these are functions, and its content.
 * @returns {any}
 */
export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element[key] = value;
    else if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

export const fill = (id, content) => at(id).replaceChildren(...content);

// Buttons for exercises; of those with the same title the later ones have their number.
export const exerciseButtons = (titles, open) => titles.map((title, place) => {
  const first = titles.indexOf(title), label = place > first ? String(place - first + 1) : title;
  return make("button", { type: "button", "aria-label": place > first ? `${title} ${label}` : title, onclick: () => open(place + 1) }, label);
});

// Options named as commands name agents: in English, for all readers.
export const optionsOf = names => names.map(name => make("option", { lang: "en" }, name));
