// The dialog with the present position as text, and others to be opened.

import { arrange } from "./arrange.js";
import { ask, openTable } from "./connection.js";
import { at } from "./dom.js";
import { tr } from "./language.js";

const askForText = () => ask({ type: "position", all: at("position-all").checked });

// Opens the dialog; the server is asked for the present position.
export function openPositions() {
  at("position-text").value = "";
  at("position-all").checked = false;
  at("opened-fault").textContent = "";
  askForText();
  at("positions").showModal();
}

// The text of a file, which PowerShell writes as UTF-16.
async function textOf(file) {
  const bytes = new Uint8Array(await file?.arrayBuffer() ?? []), begin = [...bytes.slice(0, 400)];
  const zeros = rest => begin.filter((byte, place) => !byte && place % 2 === rest).length;
  const little = bytes[0] === 0xff && bytes[1] === 0xfe || zeros(1) > zeros(0);
  const big = bytes[0] === 0xfe && bytes[1] === 0xff || zeros(0) > zeros(1);
  return new TextDecoder(little ? "utf-16le" : big ? "utf-16be" : "utf-8").decode(bytes);
}

async function copy() {
  at("position-text").select();
  try {
    await navigator.clipboard.writeText(at("position-text").value);
  } catch { // where pages may not: on plain connections to other machines
    document.execCommand("copy");
  }
  at("copy").textContent = tr("Copied");
  setTimeout(() => { at("copy").textContent = tr("Copy"); }, 1500);
}

function given() {
  const step = at("opened-step").value;
  return { text: at("opened-text").value, deal: +(at("opened-deal").value || 1), step: step === "" ? null : +step };
}

export function wirePositions() {
  at("position").onclick = openPositions;
  at("position-all").onchange = askForText;
  at("copy").onclick = copy;
  at("opened-file").onchange = async () => { at("opened-text").value = await textOf(at("opened-file").files[0]); };
  at("open").onclick = () => openTable(given(), at("opened-fault"));
  at("arrange").onclick = () => { // what was pasted, or else the present position
    at("positions").close();
    arrange(at("opened-text").value.trim() ? given() : { text: at("position-text").value, deal: 1, step: null });
  };
}
