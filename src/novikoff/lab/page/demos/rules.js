// Rules side by side: one row, and all rows.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { scrolled } from "../folds.js";
import { mnum, num } from "../numbers.js";
import { line, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** How each rule is drawn: a colour, and whether dashed. @type {Record<string, {look: string, dash?: number[]}>} */
export const LOOKS = {
  perceptron: { look: "--ink" },
  delta: { look: "--class-0" },
  neuron: { look: "--class-2" },
  entropy: { look: "--class-2", dash: [9, 5] },
  hinge: { look: "--class-1" },
  pa: { look: "--class-4" },
  pa1: { look: "--class-4", dash: [9, 5] },
};

/** @param {string} name */
const lookOf = (name) => `${LOOKS[name].look.slice(2)} ${LOOKS[name].dash ? "dashed" : ""}`;

/** @param {Lab} lab */
export function view(lab) {
  const { row, set } = lab.answers;
  const after = lab.scene.view.lines === "set" ? "set" : "row";
  const weights = (/** @type {string} */ name) => (after === "set" ? set?.after[name] : row?.rules.find((/** @type {any} */ each) => each.name === name).after);
  /** @type {string[][]} */
  const names = row ? row.rules.map((/** @type {any} */ each) => [each.name, each.label]) : [];
  return html`<div class=${`columns ${lab.stale.row ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, with the line of every rule",
      current: row ? row.row : null,
      below: (map) => (row ? [line(map, row.start, "line before"), ...names.map(([name]) => {
        const found = weights(name);
        return found ? line(map, found, `line ${lookOf(name)}`) : nothing;
      })] : nothing),
      legend: html`<span class="key"><span class="swatch dashed soft"></span>start</span>${names.map(([name, label]) => html`<span class="key"><span
        class=${`swatch ${lookOf(name)}`}></span>${label}</span>`)}`,
    })}
    <fieldset class="tools"><legend>Lines</legend>${[["row", "after this row"], ["set", "after all passes"]].map(([name, text]) => html`<label><input
      type="radio" name="lines" .checked=${after === name} @change=${() => lab.setView({ lines: name })}><span>${text}</span></label>`)}</fieldset>
    ${rowsTable(lab)}</div>
    <div class="side">${row ? [thisRow(lab, row), outputs(lab, row)] : nothing}</div></div>
    ${row ? table(lab, row, set) : nothing}
    <div class="charts">${errorChart(lab, names)}</div>`;
}

/** @param {Lab} lab @param {any} row */
function thisRow(lab, row) {
  const of = (/** @type {boolean} */ brackets, /** @type {(string | number)[]} */ ...path) => mnum(lab, brackets, "row", ...path);
  return html`<section class="card" aria-label="This row"><h2>Row ${num(lab, "row", "row")}, <span class="soft">label ${lab.scene.data.classes[lab.scene.data.y[row.row]] ?? ""}</span></h2>
    <div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>a</mi><mo>=</mo>${of(true, "start", 0)}<mo>·</mo>${of(true, "x", 0)}<mo>+</mo>${of(true, "start", 1)}<mo>·</mo>${of(true, "x", 1)}<mo>+</mo>${of(true, "start", 2)}<mo>=</mo>${of(false, "score")}</mrow></math></p>
    <p><math><mrow><mi>y</mi><mo>·</mo><mi>a</mi><mo>=</mo>${of(false, "signed")}<mo>,</mo><mspace width="0.8em"></mspace><msup><mrow><mo stretchy="false">‖</mo><mover><mi>x</mi><mo>~</mo></mover><mo stretchy="false">‖</mo></mrow><mn>2</mn></msup><mo>=</mo>${of(false, "length2")}</mrow></math></p></div>
    <p class="soft">The table below has what each rule makes of it.</p></section>`;
}

/** The perceptron by targets and outputs. @param {Lab} lab @param {any} row */
function outputs(lab, row) {
  const of = (/** @type {boolean} */ brackets, /** @type {string} */ name) => mnum(lab, brackets, "row", name);
  return html`<section class="card" aria-label="Target and output"><h2>The same by target and output</h2>
    <div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>t</mi><mo>−</mo><mi>o</mi><mo>=</mo>${of(true, "y")}<mo>−</mo>${of(true, "output")}<mo>=</mo>${of(false, "difference")}</mrow></math></p>
    <p><math><mrow><mfrac><mi>η</mi><mn>2</mn></mfrac><mo>·</mo><mo>(</mo><mi>t</mi><mo>−</mo><mi>o</mi><mo>)</mo><mo>=</mo>${of(false, "half_step")}</mrow></math></p>
    <p><math><mrow><mi>g</mi><mtext> of the perceptron </mtext><mo>=</mo>${of(false, "whole_step")}</mrow></math></p></div>
    <p>On all rows: ${num(lab, "row", "updates")} updates by mistakes, ${num(lab, "row", "updates_by_outputs")} by targets and outputs${row.apart === null ? "; rounding made them differ."
      : html`. The weights of both ways differ by ${row.apart === 0 ? nothing : "rounding, "}${num(lab, "row", "apart")}.`}</p></section>`;
}

/** @param {Lab} lab @param {any} row @param {any} set */
function table(lab, row, set) {
  return html`${scrolled("What every rule does with this row", ["rule", "g", "w₁", "w₂", "b", "new a", "loss", "new loss", "errors"], row.rules.map((/** @type {any} */ each, /** @type {number} */ k) => {
      const cell = (/** @type {(string | number)[]} */ ...path) => html`<td>${num(lab, "row", "rules", k, ...path)}</td>`;
      return html`<tr><th scope="row"><span class=${`swatch ${lookOf(each.name)}`}></span>${each.label}</th><td>${each.formula}</td>${cell("after", 0)}${cell("after", 1)}${cell("after", 2)}${cell("score")}${cell("loss")}${cell("loss_after")}
        <td>${set ? (set.after[each.name] ? num(lab, "set", each.name, set.passes.length - 1) : "diverged") : nothing}</td></tr>`;
    }), "rules")}<p class="soft">Weights, score and loss after this row; errors after all passes, of ${set ? num(lab, "set", "rows") : nothing} rows.</p>`;
}

/** @param {Lab} lab @param {string[][]} names */
function errorChart(lab, names) {
  return chart(lab, "set", "passes", names.map(([name, label]) => ({ path: name, label, ...LOOKS[name] })),
    { title: "Errors on all rows", xLabel: "passes", name: "errors" });
}
