// Separation: the line of logistic regression with its band, coefficients against the penalty, and the verdict beside them.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num, vector, weightsOf } from "../numbers.js";
import { line, plane, rowsTable, shape, star } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

const NAMES = ["w₁", "w₂", "b"];

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.live;
  if (!found) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  return html`<div class="columns">
    <div>${plane(lab, {
      label: `Rows in the plane, with the line of logistic regression. ${found.title}.`,
      rings: found.separable ? found.support : found.witness.map((/** @type {any} */ each) => each.row),
      below: (map) => [...found.hulls.map((/** @type {any} */ hull) => shape(map, hull.witness, `hull strong class-${hull.class}`)), line(map, found.chosen, "line main"),
        ...(found.half_width ? [line(map, found.chosen, "line margin", found.half_width), line(map, found.chosen, "line margin", -found.half_width)] : [])],
      above: (map) => (found.common ? star(map, found.common) : nothing),
      legend: html`<span class="key"><span class="swatch ink"></span>50 %</span><span class="key"><span class="swatch dashed soft"></span>10 % and 90 %</span>
        <span class="key"><span class="ringed-key"></span>${found.separable ? "support" : "witness"}</span>${found.common ? html`<span class="key">★ point of both hulls</span>` : nothing}`,
    })}${rowsTable(lab)}</div>
    <div class="side">
      <section class=${`card banner ${found.infinite ? "bad" : "good"}`} aria-label="Verdict"><h2>${found.infinite ? "No finite estimate" : "A finite estimate"}</h2>
        <p><strong>${found.title}.</strong> ${found.told}</p></section>
      <section class="card" aria-label="The weights"><h2>The weights for this λ</h2>${vector(weightsOf(lab, "live", "chosen"))}
        <p class="counts"><span>‖w‖: ${num(lab, "live", "length")}</span><span>loss: ${num(lab, "live", "loss")}</span><span>errors: ${num(lab, "live", "wrong")} of ${lab.scene.data.X.length} rows</span></p></section>
      ${found.estimate ? estimate(lab, found) : html`<section class="card" aria-label="The direction"><h2>The direction d, <span class="soft">which proves it</span></h2>${vector(weightsOf(lab, "live", "direction"))}
        <p>y·(d·x + d₀) ≥ ${found.separable ? "1" : "0"} for every row: exact, by fractions.</p></section>`}
    </div></div>
    <div class="charts">${chart(lab, "live", "log_penalty", [
      { path: "w1", label: "w₁", look: "--class-0", points: true }, { path: "w2", label: "w₂", look: "--class-1", points: true, dash: [8, 5] },
      { path: "b", label: "b", look: "--class-2", points: true, dash: [3, 4] }], { title: "Weights as the penalty becomes smaller", xLabel: "−log₁₀ λ", name: "weights" })}
    ${chart(lab, "live", "log_penalty", [{ path: "losses", label: "loss, penalty counted", look: "--ink", points: true }], { title: "The loss as the penalty becomes smaller", xLabel: "−log₁₀ λ", name: "loss" })}</div>`;
}

/** @param {Lab} lab @param {any} found */
function estimate(lab, found) {
  return html`<section class="card" aria-label="The estimate"><h2>The estimate without a penalty</h2>
    <table><thead><tr><th scope="col"></th><th scope="col">estimate</th><th scope="col">standard error</th></tr></thead>
      <tbody>${NAMES.map((name, k) => html`<tr><th scope="row">${name}</th><td>${num(lab, "live", "estimate", "weights", k)}</td>
        <td>${found.estimate.errors ? num(lab, "live", "estimate", "errors", k) : "none: rows on one line"}</td></tr>`)}</tbody></table></section>`;
}
