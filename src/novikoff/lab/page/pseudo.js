// An algorithm as text, with the lines marked that ran last.

import { html, nothing } from "./vendor/lit-html.js";

/** @param {string[]} code @param {number[]} running */
export function pseudo(code, running) {
  return html`<section class="card" aria-label="Pseudo-code"><h2>The algorithm</h2><ol class="pseudo">${code.map((text, number) => html`<li
    class=${running.includes(number) ? "running" : ""} aria-current=${running.includes(number) ? "step" : nothing}><code>${text}</code></li>`)}</ol></section>`;
}

/** The lines that ran last of a perceptron in seven lines. @param {any} trace @param {any} step the last one @param {number} place */
export function perceptronLines(trace, step, place) {
  if (!step) return [0];
  if (place === trace.steps.length && trace.complete) return [6];
  return step.moved ? [4, 5] : [2, 3];
}
