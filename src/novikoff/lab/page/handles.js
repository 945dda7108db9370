// Places in a picture that are no rows but can be moved like rows: by pointer and by arrow keys.

import { svg } from "./vendor/lit-html.js";
import { place, stepped } from "./plane.js";
import { short } from "./numbers.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {import("./plane.js").Map} Map */

/** @type {string | null} */
let held = null;
let moving = false; // whether the one that is held was moved

/** @param {Lab} lab @param {Map} map @param {{name: string, at: number[], move: (to: number[], dragging?: boolean) => void}} given */
export function handle(lab, map, given) {
  const { name, at, move } = given;
  const pressed = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    [held, moving] = [name, false];
    /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
  };
  const moved = (/** @type {PointerEvent} */ event) => {
    const to = held === name ? place(event, map) : at;
    if (to[0] === at[0] && to[1] === at[1]) return;
    moving = true;
    move(to, true);
  };
  const released = () => {
    if (held === name && moving) move(at); // the drag is over
    held = null;
  };
  const typed = (/** @type {KeyboardEvent} */ event) => {
    const to = stepped(event, map, at);
    if (!to) return;
    event.preventDefault();
    move(to);
    lab.say(`${name} at ${short(to[0])}, ${short(to[1])}.`);
  };
  return svg`<g class="handle" data-handle=${name} transform=${`translate(${map.px(at[0])} ${map.py(at[1])})`} tabindex="0" role="button"
    aria-label=${`${name} at ${short(at[0])}, ${short(at[1])}. Arrow keys move it.`}
    @pointerdown=${pressed} @pointermove=${moved} @pointerup=${released} @pointercancel=${released} @keydown=${typed}>
    <circle class="touch" r="20"></circle><path class="diamond" d="M0 -10 L10 0 L0 10 L-10 0 Z"></path><text x="14" y="-8">${name}</text></g>`;
}
