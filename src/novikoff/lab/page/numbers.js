// Numbers as the page shows them. Each carries its exact value, and where in Python's answer it stands.

import { html, mathml, nothing, svg } from "./vendor/lit-html.js";

/** @typedef {import("./types.js").Lab} Lab */

/** A number for people. @param {number | null | undefined} value @returns {string} */
export function short(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value).replace("-", "−");
  const text = Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4 ? value.toExponential(3) : value.toPrecision(5);
  return text.replace(/(\.\d*?)0+($|e)/, "$1$2").replace(/\.($|e)/, "$1").replaceAll("-", "−");
}

/** What stands at a place of an answer. @param {any} answer @param {(string | number)[]} path @returns {any} */
export function at(answer, path) {
  return path.reduce((part, name) => (part === null || part === undefined ? undefined : part[name]), answer);
}

/** A number of an answer, in text. @param {Lab} lab @param {string} ask @param {...(string | number)} path */
export function num(lab, ask, ...path) {
  const value = at(lab.answers[ask], path);
  if (value === undefined || value === null) return nothing;
  return html`<span class="num" data-value=${String(value)} data-path=${[ask, ...path].join(".")}>${short(value)}</span>`;
}

/** Values with their names, one beside the other. @param {any[][]} entries */
export const vector = (entries) => html`<dl class="vector">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** The weights of a line in an answer. @param {Lab} lab @param {string} ask @param {...(string | number)} path @returns {any[][]} */
export const weightsOf = (lab, ask, ...path) => ["w₁", "w₂", "b"].map((name, k) => [name, num(lab, ask, ...path, k)]);

/** The same within a formula; negative numbers in brackets if asked for. @param {Lab} lab @param {boolean} brackets
 * @param {string} ask @param {...(string | number)} path */
export function mnum(lab, brackets, ask, ...path) {
  const value = at(lab.answers[ask], path);
  if (value === undefined || value === null) return nothing;
  const shown = mathml`<mn data-value=${String(value)} data-path=${[ask, ...path].join(".")}>${short(value)}</mn>`;
  return brackets && short(value).startsWith("−") ? mathml`<mrow><mo>(</mo>${shown}<mo>)</mo></mrow>` : shown;
}

/** The same within a picture. @param {Lab} lab @param {{x: number, y: number, look: string}} place @param {string} ask
 * @param {...(string | number)} path */
export function snum(lab, place, ask, ...path) {
  const value = at(lab.answers[ask], path);
  if (value === undefined || value === null) return nothing;
  return svg`<text x=${place.x} y=${place.y} class=${place.look} data-value=${String(value)} data-path=${[ask, ...path].join(".")}>${short(value)}</text>`;
}
