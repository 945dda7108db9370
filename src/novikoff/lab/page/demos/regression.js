// Adaline as regression: targets upwards, the lines of three ways, and the squared error pass by pass.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { mnum, num, short, vector } from "../numbers.js";
import { curves, line, plane, rowsTable } from "../plane.js";
import { placeOf, stepper } from "../stepper.js";

/** @typedef {import("../types.js").Lab} Lab */

/** The line t = w·x + b. @param {number[]} weights */
const graph = ([w, b]) => [w, -1, b];

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.regression;
  if (!found) return html`<div class="columns">${plane(lab, { label: "Rows: x to the right, the target t upwards" })}</div>${rowsTable(lab)}`;
  const place = placeOf(lab, found.steps);
  const step = place > 0 ? found.steps[place - 1] : null;
  const now = step ? step.after : found.start;
  const pass = step ? step.pass : 0;
  return html`<div class=${`columns ${lab.stale.regression ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows: x to the right, the target t upwards, and the lines of three ways to learn",
      current: step?.row ?? null,
      below: (map) => [found.direct ? line(map, graph(found.direct), "line before") : nothing, line(map, graph(found.batch[pass]), "line class-2 dashed"), line(map, graph(now), "line main"),
        step ? curves(map, [[[step.x, step.t], [step.x, step.output]]], "descent") : nothing],
      legend: html`<span class="key"><span class="swatch ink"></span>row by row</span><span class="key"><span class="swatch class-2 dashed"></span>all rows at once</span>
        <span class="key"><span class="swatch dashed soft"></span>directly</span>${step ? html`<span class="key"><span class="swatch class-1"></span>t − o</span>` : nothing}`,
    })}
    ${stepper(lab, found.steps, (at) => (at ? `Row ${found.steps[at - 1].row}: t − o = ${short(found.steps[at - 1].miss)}.` : "Before the first row."))}
    ${rowsTable(lab)}</div>
    <div class="side"><section class="card" aria-label="Weights"><h2>Weights ${place ? "after this row" : "at the start"}</h2>
      ${vector([["w", num(lab, "regression", ...(step ? ["steps", place - 1, "after", 0] : ["start", 0]))], ["b", num(lab, "regression", ...(step ? ["steps", place - 1, "after", 1] : ["start", 1]))], ["Σ(t − o)²", num(lab, "regression", ...(step ? ["steps", place - 1, "error"] : ["error_start"]))]])}
      ${found.direct ? html`<p class="counts"><span>directly: w = ${num(lab, "regression", "direct", 0)}, b = ${num(lab, "regression", "direct", 1)}</span></p>` : nothing}
      ${found.held ? html`<p class="counts"><span>held-out rows, mean (t − o)² at the end: ${num(lab, "regression", "held_error")}</span></p>` : nothing}</section>
    ${step ? html`<section class="card" aria-label="This row"><h2>Row ${num(lab, "regression", "steps", place - 1, "row")}</h2><div class="formula" tabindex="0" role="group" aria-label="Formula">
      <p><math><mrow><mi>t</mi><mo>−</mo><mi>o</mi><mo>=</mo>${mnum(lab, true, "regression", "steps", place - 1, "t")}<mo>−</mo>${mnum(lab, true, "regression", "steps", place - 1, "output")}<mo>=</mo>${mnum(lab, false, "regression", "steps", place - 1, "miss")}</mrow></math></p>
      <p><math><mrow><mi>w</mi><mo>←</mo><mi>w</mi><mo>+</mo><mi>η</mi><mo>·</mo><mo>(</mo><mi>t</mi><mo>−</mo><mi>o</mi><mo>)</mo><mo>·</mo><mi>x</mi><mo>=</mo>${mnum(lab, false, "regression", "steps", place - 1, "after", 0)}</mrow></math></p></div></section>` : nothing}
    <p class="ending">${found.said}</p></div></div>
    <div class="charts">${chart(lab, "regression", "passes", [
      { path: "error_rows", label: "row by row", look: "--ink", points: true }, { path: "error_batch", label: "all rows at once", look: "--class-2", dash: [8, 5], points: true },
      ...(found.direct ? [{ path: "error_direct", label: "directly", look: "--soft", dash: [3, 4] }] : [])], { title: "Σ(t − o)² after each pass", xLabel: "passes", name: "squares" })}</div>`;
}
