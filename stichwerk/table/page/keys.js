// The letter on a key: the one that it types, or in a layout without Latin letters the one at its place.

export const letterOf = ({ key, code = "" }) => (/^[\x21-\x7e]$/.test(key) ? key : code.replace(/^Key/, "")).toLowerCase();
