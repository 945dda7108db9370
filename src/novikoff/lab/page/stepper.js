// Buttons and a slider that go through recorded steps, forwards and back: nothing is worked out again.

import { html, nothing } from "./vendor/lit-html.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {{moved: boolean, pass: number}} Step */

const PAUSE = 700; // milliseconds between two steps

/** What plays, and which steps. @type {{timer: ReturnType<typeof setInterval>, steps: Step[]} | null} */
let playing = null;

function stop() {
  if (playing) clearInterval(playing.timer);
  playing = null;
}

/** Whether these steps play; if others did, they do no more. @param {Lab} lab @param {Step[]} steps */
function plays(lab, steps) {
  if (playing && (playing.steps !== steps || !lab.scene.view.playing)) stop();
  return playing !== null;
}

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

/** @param {Lab} lab @param {Step[]} steps @param {(place: number) => string} tell what the status line says of a place
 * @param {string} [unit] what a step is called */
export function stepper(lab, steps, tell, unit = "row") {
  const place = placeOf(lab, steps);
  const on = plays(lab, steps);
  const go = (/** @type {number} */ to) => {
    stop();
    lab.setView({ step: to, playing: false });
    lab.say(tell(to));
  };
  const tick = () => {
    if (!plays(lab, steps)) return;
    const now = placeOf(lab, steps);
    if (now >= steps.length) go(now);
    else lab.setView({ step: now + 1 });
  };
  const play = () => {
    if (on) return go(place);
    playing = { timer: setInterval(tick, PAUSE), steps };
    lab.setView({ playing: true, step: place === steps.length ? 0 : place });
  };
  const button = (/** @type {string} */ name, /** @type {string} */ text, /** @type {number} */ to) => html`<button
    class="plain" aria-label=${name} title=${name} ?disabled=${to === place} @click=${() => go(to)}>${text}</button>`;
  return html`<div class="stepper" role="group" aria-label="Steps">
    <div class="buttons">
      ${button("To the start", "|‹", 0)}
      ${button("Back one pass", "‹ pass", next(steps, place, "pass", -1))}
      ${button("Back one update", "‹ update", next(steps, place, "update", -1))}
      ${button(`Back one ${unit}`, `‹ ${unit}`, next(steps, place, "row", -1))}
      <button class="plain play" aria-label=${on ? "Stop" : "Play"} @click=${play}>${on ? "❚❚" : "▶"}</button>
      ${button(`One ${unit}`, `${unit} ›`, next(steps, place, "row", 1))}
      ${button("One update", "update ›", next(steps, place, "update", 1))}
      ${button("One pass", "pass ›", next(steps, place, "pass", 1))}
      ${button("To the end", "›|", steps.length)}
    </div>
    <input type="range" min="0" max=${steps.length} .value=${String(place)} aria-label=${unit === "row" ? "Rows read so far" : "Steps so far"}
      aria-valuetext=${tell(place)} @input=${(/** @type {any} */ event) => go(Number(event.target.value))}>
    <p class="place">${place === 0 ? `before the first ${unit}` : html`${unit} ${place} of ${steps.length}${place > 0 ? `, pass ${steps[place - 1].pass}` : nothing}`}</p>
  </div>`;
}
