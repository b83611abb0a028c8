// Texts in the language of the page, which the server has chosen: English ones are the keys.

const { LANGUAGES, COOKIE, TEXTS } = await import(new URL("texts.js", import.meta.url).href);

const { lang } = document.documentElement;
const rules = new Intl.PluralRules(lang), { pluralCategories } = rules.resolvedOptions();
const FORMS = ["one", "few", "other"].filter(form => pluralCategories.includes(/** @type {any} */ (form)));
const DECIMAL = (1.5).toLocaleString(lang)[1];

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** A text, with values in place of the names in braces. */
export const tr = (text, values = {}) => filled(TEXTS[text] || text, values);

/** A text with the number `{n}`, in the form for that number. */
export const trn = (one, many, n, values = {}) => filled((TEXTS[one] || [one, many])[FORMS.indexOf(rules.select(n))], { n, ...values });

/** The same text, which `tr` gets later as a value: so it is found for the catalogues. */
export const mark = text => text;

/** A number as readers of the language write it. */
export const decimals = number => String(number).replace(".", DECIMAL);

/** A person's name, set apart from the words around it if it is written from right to left. */
export function apart(name) {
  const plain = name.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
  return /[\u0590-\u08ff\ufb1d-\ufefc]/.test(plain) ? `\u2068${plain}\u2069` : plain;
}

// The choice of the language, which the browser remembers: the page comes anew.
export function offerLanguages(select) {
  select.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => {
    const option = new Option(name, code);
    option.lang = code;
    return option;
  }));
  select.value = lang;
  select.onchange = () => {
    const { pathname } = new URL("..", import.meta.url);
    document.cookie = `${COOKIE}=${select.value}; path=${pathname}; max-age=31536000; SameSite=Strict`;
    location.reload();
  };
}
