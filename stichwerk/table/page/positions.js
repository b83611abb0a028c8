// The dialog with the present position as text, and others to be opened.

const at = id => document.getElementById(id);

// Asks the server for the present position, and opens another one where a person wants that.
export function askToOpen(ask, secret, goTo, arrange) {
  at("position-text").value = "";
  at("position-all").checked = false;
  at("opened-fault").textContent = "";
  ask(false);
  at("position-all").onchange = () => ask(at("position-all").checked);
  at("copy").onclick = copy;
  at("opened-file").onchange = async () => { at("opened-text").value = await textOf(at("opened-file").files[0]); };
  at("open").onclick = () => open(secret, goTo);
  at("arrange").onclick = () => { // what was pasted, or else the present position
    const asked = at("opened-text").value.trim() ? given() : { text: at("position-text").value, deal: 1, step: null };
    at("positions").close();
    arrange(asked);
  };
  at("positions").showModal();
}

// The text of a file, which PowerShell writes as UTF-16.
async function textOf(file) {
  const bytes = new Uint8Array(await file?.arrayBuffer() ?? []), begin = [...bytes.slice(0, 400)];
  const zeros = rest => begin.filter((byte, place) => !byte && place % 2 === rest).length;
  const little = bytes[0] === 0xff && bytes[1] === 0xfe || zeros(1) > zeros(0), big = bytes[0] === 0xfe && bytes[1] === 0xff || zeros(0) > zeros(1);
  const form = little ? "utf-16le" : big ? "utf-16be" : "utf-8";
  return new TextDecoder(form).decode(bytes);
}

export function showPosition(text) {
  at("position-text").value = text;
}

async function copy() {
  at("position-text").select();
  try {
    await navigator.clipboard.writeText(at("position-text").value);
  } catch { // where pages may not: on plain connections to other machines
    document.execCommand("copy");
  }
  at("copy").textContent = "Copied";
  setTimeout(() => { at("copy").textContent = "Copy"; }, 1500);
}

function given() {
  const step = at("opened-step").value;
  return { text: at("opened-text").value, deal: +(at("opened-deal").value || 1), step: step === "" ? null : +step };
}

async function open(secret, goTo) {
  const answer = await post("open", secret, given());
  if (answer.link) goTo(answer.link);
  else at("opened-fault").textContent = answer.refusal;
}

export const post = async (what, secret, body) => (await fetch(`/${what}/${secret}`, { method: "POST", body: JSON.stringify(body) })).json();
