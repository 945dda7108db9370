// One neuron: the line, a point to drag and its distance, the neuron as L0 draws it, and the scores of all rows.

import { html, nothing, svg } from "../vendor/lit-html.js";
import { scrolled } from "../folds.js";
import { handle } from "../handles.js";
import { num, short, snum, vector } from "../numbers.js";
import { arrowOf, curves, line, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

const STEP = "M262 106 h14 v-24 h14";
/** How the output follows from the sum. @type {Record<string, string>} */
const SHAPES = { above: STEP, least: STEP, linear: "M264 106 l24 -24", smooth: "M262 106 c16 0 12 -24 28 -24" };

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.unit;
  const { parameters } = lab.scene;
  return html`<div class="columns">
    <div>${plane(lab, {
      label: "Rows in the plane, the line of the weights, and a point with its distance",
      rings: found ? found.wrong : [],
      below: (map) => (found ? [line(map, found.weights, "line main"), arrowOf(map, found.weights), found.foot ? curves(map, [[parameters.point, found.foot]], "descent") : nothing] : nothing),
      above: (map) => handle(lab, map, { name: "x", at: parameters.point, move: (to, dragging) => lab.setParameters({ point: to }, dragging) }),
      legend: html`<span class="key"><span class="swatch ink"></span>line w·x = θ</span><span class="key">→ w</span><span class="key">◆ point x</span>
        <span class="key"><span class="swatch class-1"></span>its distance</span><span class="key"><span class="ringed-key"></span>wrong rows</span>`,
    })}${rowsTable(lab)}</div>
    <div class="side">${found ? [diagram(lab, found), numbers(lab, found)] : nothing}</div></div>
    ${found ? table(lab, found) : nothing}`;
}

/** The neuron with its numbers. @param {Lab} lab @param {any} found */
function diagram(lab, found) {
  const { point } = lab.scene.parameters;
  const inputs = [["x₁", short(point[0])], ["x₂", short(point[1])], ["x₀", "1"]];
  return html`<section class="card net" aria-label="The neuron"><h2>The neuron</h2>
    <svg viewBox="0 0 396 190" role="img" aria-label=${`Inputs ${short(point[0])} and ${short(point[1])} are weighed and added. ${found.said}`}>
      ${inputs.map(([name, value], k) => { const y = 32 + 62 * k; return svg`<line class="edge" x1="58" y1=${y} x2="196" y2="94"></line><circle class="node" cx="40" cy=${y} r="22"></circle>
        <text class="middle" x="40" y=${y + 4}>${value}</text><text class="soft" x="66" y=${k < 2 ? y - 8 : y + 20}>${name}</text>`; })}
      ${snum(lab, { x: 108, y: 50, look: "middle" }, "unit", "weights", 0)} ${snum(lab, { x: 116, y: 86, look: "middle" }, "unit", "weights", 1)} ${snum(lab, { x: 108, y: 148, look: "middle" }, "unit", "weights", 2)}
      <circle class="node" cx="216" cy="94" r="27"></circle><text class="middle" x="216" y="90">Σ</text>${snum(lab, { x: 216, y: 108, look: "middle" }, "unit", "score")}
      <line class="edge" x1="243" y1="94" x2="306" y2="94"></line><path class="edge" d=${SHAPES[lab.scene.parameters.output] ?? SHAPES.above}></path>${snum(lab, { x: 312, y: 100, look: "strong" }, "unit", "output")}
    </svg><p>${found.said}</p></section>`;
}

/** @param {Lab} lab @param {any} found */
function numbers(lab, found) {
  return html`<section class="card" aria-label="Numbers"><h2>The point x</h2>
    ${vector([["w₁·x₁", num(lab, "unit", "products", 0)], ["w₂·x₂", num(lab, "unit", "products", 1)], ["b = −θ", num(lab, "unit", "bias")], ["a", num(lab, "unit", "score")]])}
    ${found.length ? html`<p class="counts"><span>‖w‖: ${num(lab, "unit", "length")}</span><span>distance a/‖w‖: ${num(lab, "unit", "distance")}</span><span>b/‖w‖: ${num(lab, "unit", "from_origin")}</span></p>`
      : html`<p>w is 0: there is no line.</p>`}
    <p class="counts"><span>errors: ${num(lab, "unit", "errors")} of ${lab.scene.data.X.length} rows</span>${found.ties ? html`<span>on the line: ${num(lab, "unit", "ties")}</span>` : nothing}</p></section>`;
}

/** @param {Lab} lab @param {any} found */
function table(lab, found) {
  return html`<section class="part" aria-label="All rows by one product"><h2>All rows by one product</h2>
    <p class="soft">The matrix with the rows y·(x, 1), times (w, b): ${num(lab, "unit", "multiplications")} multiplications and ${num(lab, "unit", "additions")} additions.</p>
    ${scrolled("Scores of all rows", ["row", "class", "a", "y·a", "distance", "answer"], found.rows.map((/** @type {any} */ each, /** @type {number} */ row) => html`<tr><th scope="row">${row}</th><td>${lab.scene.data.classes[lab.scene.data.y[row]]}</td>
      ${["score", "signed", "distance"].map((name) => html`<td>${num(lab, "unit", "rows", row, name)}</td>`)}<td>${each.wrong ? "wrong" : "right"}</td></tr>`), "short")}</section>`;
}
