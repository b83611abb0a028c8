// What moves: cards on their way to the table and to the winner of a trick, and the sounds of that.

import { state } from "./state.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
export const moves = () => +state.look.speed && !calm.matches;
let sounds;

// A short noise, as of a card that is laid.
export function knock(pitch = 900) {
  if (state.look.sound !== "on") return;
  sounds ||= new AudioContext();
  const length = .06, noise = sounds.createBuffer(1, sounds.sampleRate * length, sounds.sampleRate), data = noise.getChannelData(0);
  for (let at = 0; at < data.length; at++) data[at] = (Math.random() * 2 - 1) * (1 - at / data.length) ** 3 * .35;
  const source = new AudioBufferSourceNode(sounds, { buffer: noise }), filter = new BiquadFilterNode(sounds, { type: "lowpass", frequency: pitch });
  source.connect(filter).connect(sounds.destination);
  source.start();
}

// A card comes from its seat; `turn` is the direction of that.
export function fly(slot, turn) {
  const from = `translate(${Math.round(190 * Math.cos(turn))}px, ${Math.round(160 * Math.sin(turn))}px) scale(.8)`;
  slot.animate([{ transform: from, opacity: .2 }, { transform: "none", opacity: 1 }], { duration: 260, easing: "ease-out" });
  knock();
}

// Copies of the cards of a trick go to the seat that has won it.
export function gather(cards, place) {
  const to = place?.getBoundingClientRect();
  if (!to || !cards.length) return;
  for (const card of cards) {
    const from = card.getBoundingClientRect(), copy = card.cloneNode(true);
    Object.assign(copy.style, { position: "fixed", left: `${from.left}px`, top: `${from.top}px`, width: `${from.width}px`, margin: 0, zIndex: 50, pointerEvents: "none" });
    copy.setAttribute("aria-hidden", "true");
    document.body.append(copy);
    const shift = `translate(${to.left + to.width / 2 - from.left - from.width / 2}px, ${to.top + to.height / 2 - from.top - from.height / 2}px) scale(.3)`;
    copy.animate([{ transform: "none" }, { transform: shift, opacity: .3 }], { duration: 380, easing: "ease-in" }).onfinish = () => copy.remove();
  }
  knock(400);
}

// Cards that were not there before are dealt or drawn: they come from the stock.
export function dealt(slots) {
  slots.forEach((slot, number) => slot.animate([{ transform: "translateY(-160px) scale(.7)", opacity: 0 }, {}],
    { duration: 240, delay: 45 * number, easing: "ease-out", fill: "backwards" }));
  if (slots.length) knock(600);
}
