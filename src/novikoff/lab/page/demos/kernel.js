// The kernel perceptron, step by step: counts of mistakes beside the rows, the curve they make, and the sum of a score.

import { html, mathml, nothing, svg } from "../vendor/lit-html.js";
import { folded, scrolled } from "../folds.js";
import { mnum, num, short, snum, vector } from "../numbers.js";
import { plane, rowsTable } from "../plane.js";
import { perceptronLines, pseudo } from "../pseudo.js";
import { regions } from "../regions.js";
import { placeOf, stepper } from "../stepper.js";

/** @typedef {import("../types.js").Lab} Lab */

const CODE = [
  "α ← 0, b ← 0, R² ← max k(x, x)",
  "for the next row xᵢ, its label yᵢ:",
  "    a ← Σⱼ αⱼ·yⱼ·k(xⱼ, xᵢ) + b",
  "    if yᵢ·a ≤ 0:",
  "        αᵢ ← αᵢ + 1",
  "        b ← b + yᵢ·R²",
  "until a pass has no mistake",
];

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.kernel;
  if (!found) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  const place = placeOf(lab, found.steps);
  const step = place > 0 ? found.steps[place - 1] : null;
  const now = step ? step.state : 0;
  const { data } = lab.scene;
  return html`<div class=${`columns ${lab.stale.kernel ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, with the boundary and how often each row was a mistake",
      current: step ? step.row : null,
      rings: found.states[now].alpha.flatMap((/** @type {number} */ count, /** @type {number} */ row) => (count ? [row] : [])),
      below: (map) => [regions(map, found.states[now].regions), found.ball ? svg`<circle class="bound" cx=${map.px(found.ball.centre[0])} cy=${map.py(found.ball.centre[1])} r=${map.px(found.ball.radius) - map.px(0)}></circle>` : nothing],
      above: (map) => found.states[now].alpha.map((/** @type {number} */ count, /** @type {number} */ row) => (count && data.X[row]
        ? snum(lab, { x: map.px(data.X[row][0]) + 15, y: map.py(data.X[row][1]) - 10, look: "alpha" }, "kernel", "states", now, "alpha", row) : nothing)),
      legend: html`<span class="key"><span class="region-key"></span>a &gt; 0</span><span class="key"><span class="ringed-key"></span>α &gt; 0, with its number</span>${found.ball ? html`<span class="key"><span class="swatch dashed soft"></span>smallest ball</span>` : nothing}`,
    })}
    ${stepper(lab, found.steps, (at) => tell(found, at))} ${rowsTable(lab)}</div>
    <div class="side">
      <section class="card" aria-label="State"><h2>${place === 0 ? "At the start" : "After this row"}</h2>
        ${vector([["b", num(lab, "kernel", "states", now, "bias")], ["R²", num(lab, "kernel", "radius2")], ["errors", num(lab, "kernel", "states", now, "errors")]])}
        ${counts(lab, now)}</section>
      <section class="card" aria-label="This row">${step ? formula(lab, found, place - 1) : html`<h2>This row</h2>
        <p class="soft">None yet. Press <strong>row ›</strong> to read the first.</p>`}</section>
      ${pseudo(CODE, perceptronLines(found, step, place))}
      <p class="ending">${found.ending}</p>
    </div></div>
    ${stepsTable(lab, found, place)}`;
}

/** α of every row. @param {Lab} lab @param {number} now */
function counts(lab, now) {
  const { data } = lab.scene;
  const { alpha } = lab.answers.kernel.states[now];
  return html`<ul class="alphas" aria-label="α of every row">${alpha.map((/** @type {number} */ count, /** @type {number} */ row) => html`<li class=${count ? "" : "soft"}>
    <span class="soft">α<sub>${row}</sub> (${data.classes[data.y[row]]})</span> ${num(lab, "kernel", "states", now, "alpha", row)}</li>`)}</ul>`;
}

/** The sum of a score with its numbers, and the update. @param {Lab} lab @param {any} found @param {number} k */
function formula(lab, found, k) {
  const step = found.steps[k];
  const before = k > 0 ? found.steps[k - 1].state : 0;
  const of = (/** @type {boolean} */ brackets, /** @type {(string | number)[]} */ ...path) => mnum(lab, brackets, "kernel", ...path);
  const rows = found.states[before].alpha.flatMap((/** @type {number} */ count, /** @type {number} */ row) => (count ? [row] : []));
  return html`<h2>Row ${num(lab, "kernel", "steps", k, "row")}, <span class="soft">label ${lab.scene.data.classes[lab.scene.data.y[step.row]] ?? ""}</span></h2>
    ${rows.length ? scrolled("Terms of the score", ["row j", "αⱼ", "yⱼ", "k(xⱼ, x)"], rows.map((/** @type {number} */ row) => html`<tr><th scope="row">${row}</th><td>${num(lab, "kernel", "states", before, "alpha", row)}</td>
        <td>${num(lab, "kernel", "signs", row)}</td><td>${num(lab, "kernel", "gram", row, step.row)}</td></tr>`), "short") : html`<p class="soft">All α are 0.</p>`}
    <div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>a</mi><mo>=</mo><mo>∑</mo><msub><mi>α</mi><mi>j</mi></msub><msub><mi>y</mi><mi>j</mi></msub><mi>k</mi><mo>(</mo><msub><mi>x</mi><mi>j</mi></msub><mo>,</mo><mi>x</mi><mo>)</mo><mo>+</mo><mi>b</mi><mo>=</mo>${of(false, "steps", k, "score")}</mrow></math></p>
    <p><math><mrow><mi>y</mi><mo>·</mo><mi>a</mi><mo>=</mo>${of(true, "steps", k, "y")}<mo>·</mo>${of(true, "steps", k, "score")}<mo>=</mo>${of(false, "steps", k, "signed")}
      ${step.moved ? mathml`<mo>≤</mo><mn>0</mn>` : mathml`<mo>&gt;</mo><mn>0</mn>`}</mrow></math></p></div>
    <p class=${step.moved ? "verdict bad" : "verdict good"}>${step.moved ? "A mistake: its count and the bias change." : "Right: nothing changes."}</p>
    ${step.moved ? html`<div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>α</mi><mo>=</mo>${of(false, "states", before, "alpha", step.row)}<mo>→</mo>${of(false, "states", step.state, "alpha", step.row)}</mrow></math></p>
      <p><math><mrow><mi>b</mi><mo>←</mo><mi>b</mi><mo>+</mo><mi>y</mi><msup><mi>R</mi><mn>2</mn></msup><mo>=</mo>${of(true, "states", before, "bias")}<mo>+</mo>${of(true, "steps", k, "y")}<mo>·</mo>${of(false, "radius2")}<mo>=</mo>${of(false, "states", step.state, "bias")}</mrow></math></p></div>` : nothing}`;
}

/** @param {any} found @param {number} place */
function tell(found, place) {
  const step = place > 0 ? found.steps[place - 1] : null;
  if (!step) return "Before the first row.";
  return `Row ${step.row}: y·a = ${short(step.signed)}, ${step.moved ? `a mistake. Its α is now ${found.states[step.state].alpha[step.row]}, b is ${short(found.states[step.state].bias)}.` : "right."}`;
}

/** @param {Lab} lab @param {any} found @param {number} place */
function stepsTable(lab, found, place) {
  const from = Math.max(0, place - 50);
  return folded("The steps as a table", () => html`${scrolled("Steps", ["step", "pass", "row", "y", "a", "y·a", "b", html`<span class="hidden">what happened</span>`], found.steps.slice(from, place).map((/** @type {any} */ step, /** @type {number} */ j) => {
      const cell = (/** @type {string} */ name) => html`<td>${num(lab, "kernel", "steps", from + j, name)}</td>`;
      return html`<tr><th scope="row">${from + j + 1}</th>${cell("pass")}${cell("row")}${cell("y")}${cell("score")}${cell("signed")}
        <td>${num(lab, "kernel", "states", step.state, "bias")}</td><td>${step.moved ? "mistake" : "right"}</td></tr>`;
    }))}${from ? html`<p class="soft">The last 50 of ${place}.</p>` : nothing}`);
}
