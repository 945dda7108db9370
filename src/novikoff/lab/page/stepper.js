// Buttons and a slider that go through recorded steps, forwards and back: nothing is worked out again.

import { html, nothing } from "./vendor/lit-html.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {{moved: boolean, pass: number}} Step */

/** @type {ReturnType<typeof setInterval> | null} */
let playing = null;

/** The place of the stepper: how many steps were made. @param {Lab} lab @param {Step[]} steps */
export function placeOf(lab, steps) {
  const asked = Number(lab.scene.view.step);
  return Number.isInteger(asked) && asked >= 0 ? Math.min(asked, steps.length) : 0;
}

/** @param {Step[]} steps @param {number} place @param {"row" | "update" | "pass"} unit @param {1 | -1} way */
export function next(steps, place, unit, way) {
  let to = place;
  const done = () => {
    if (to <= 0 || to >= steps.length || unit === "row") return true;
    if (unit === "update") return steps[to - 1].moved;
    return steps[to - 1].pass !== steps[to].pass;
  };
  do to += way;
  while (!done());
  return Math.max(0, Math.min(steps.length, to));
}

/** @param {Lab} lab @param {Step[]} steps @param {(place: number) => string} tell what the status line says of a place */
export function stepper(lab, steps, tell) {
  const place = placeOf(lab, steps);
  const go = (/** @type {number} */ to) => {
    lab.setView({ step: to });
    if (!playing) lab.say(tell(to));
  };
  const stop = () => {
    if (playing) clearInterval(playing);
    playing = null;
  };
  const play = () => {
    if (playing) {
      stop();
      return lab.setView({ playing: false });
    }
    lab.setView({ playing: true, step: place === steps.length ? 0 : place });
    playing = setInterval(() => {
      const now = placeOf(lab, steps);
      if (now >= steps.length) {
        stop();
        lab.setView({ playing: false });
        lab.say(tell(now));
      } else lab.setView({ step: now + 1 });
    }, 700);
  };
  const button = (/** @type {string} */ name, /** @type {string} */ text, /** @type {number} */ to) => html`<button
    class="plain" aria-label=${name} title=${name} ?disabled=${to === place} @click=${() => { stop(); go(to); }}>${text}</button>`;
  return html`<div class="stepper" role="group" aria-label="Steps">
    <div class="buttons">
      ${button("To the start", "|‹", 0)}
      ${button("Back one pass", "‹ pass", next(steps, place, "pass", -1))}
      ${button("Back one update", "‹ update", next(steps, place, "update", -1))}
      ${button("Back one row", "‹ row", next(steps, place, "row", -1))}
      <button class="plain play" aria-label=${playing ? "Stop" : "Play"} @click=${play}>${playing ? "❚❚" : "▶"}</button>
      ${button("One row", "row ›", next(steps, place, "row", 1))}
      ${button("One update", "update ›", next(steps, place, "update", 1))}
      ${button("One pass", "pass ›", next(steps, place, "pass", 1))}
      ${button("To the end", "›|", steps.length)}
    </div>
    <input type="range" min="0" max=${steps.length} .value=${String(place)} aria-label="Rows read so far"
      aria-valuetext=${tell(place)} @input=${(/** @type {any} */ event) => { stop(); go(Number(event.target.value)); }}>
    <p class="place">${place === 0 ? "before the first row" : html`row ${place} of ${steps.length}${place > 0 ? `, pass ${steps[place - 1].pass}` : nothing}`}</p>
  </div>`;
}
