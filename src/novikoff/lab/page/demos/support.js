// Support vectors: the line with its margin, alpha as halos, slacks, both objectives, and the line of a Gaussian classifier beside it.

import { html, mathml, nothing, svg } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { scrolled } from "../folds.js";
import { mnum, num, short, vector, weightsOf } from "../numbers.js";
import { line, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @type {Record<string, string>} */
const ROLES = { none: "supports nothing", margin: "on the margin", bound: "α = C: within the margin or beyond the line" };

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.machine;
  if (!found) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  const { marked } = lab.scene.view;
  return html`<div class="columns">
    <div><div @pointerdown=${(/** @type {Event} */ event) => mark(lab, found, event)} @focusin=${(/** @type {Event} */ event) => mark(lab, found, event)}>${plane(lab, {
      label: "Rows in the plane, with the line of the machine, its margin, and the line of the Gaussian classifier",
      below: (map) => pictureOf(map, found, marked),
      legend: html`<span class="key"><span class="swatch ink"></span>machine</span><span class="key"><span class="swatch dashed soft"></span>its margin</span>
        ${found.gaussian ? html`<span class="key"><span class="swatch dashed class-2"></span>Gaussian</span>` : nothing}
        <span class="key"><svg viewBox="-9 -9 18 18" aria-hidden="true"><circle class="halo" r="8" fill-opacity=".3"></circle></svg> 0 &lt; α &lt; C</span>
        <span class="key"><svg viewBox="-9 -9 18 18" aria-hidden="true"><rect class="halo" x="-8" y="-8" width="16" height="16" fill-opacity=".3"></rect></svg> α = C</span>
        <span class="key"><span class="swatch dashed class-1"></span>slack ξ</span>`,
    })}</div>
    ${alphas(lab, found)}${rowsTable(lab)}</div>
    <div class="side">
      ${moved(lab, found, marked)}
      <section class="card" aria-label="The machine"><h2>The machine</h2>
        ${vector([...weightsOf(lab, "machine", "weights"), ...(found.margin === null ? [] : [["margin 1/‖w‖", num(lab, "machine", "margin")]])])}
        <p class="counts"><span>${num(lab, "machine", "supporting")} of ${found.rows.length} rows support it</span>
          <span>${num(lab, "machine", "bound")} of them with α = C</span><span>errors: ${num(lab, "machine", "errors")}</span></p></section>
      ${lab.answers.hand?.shown ? html`<section class="card" aria-label="The dual by hand"><h2>The dual by hand</h2>
        ${vector([...[0, 1, 2].map((row) => [`α of row ${row}`, num(lab, "hand", "alpha", row)]), ...weightsOf(lab, "hand", "weights").slice(0, 2)])}
        <p>D = Σα − ½‖Σ α·y·x‖² = ${num(lab, "hand", "dual")}. ${lab.answers.hand.said} The best is ${num(lab, "machine", "dual")}.</p></section>` : nothing}
      ${objectives(lab)}
      <section class="card" aria-label="The Gaussian classifier"><h2>The Gaussian classifier</h2>
        ${found.gaussian ? html`${vector(weightsOf(lab, "machine", "gaussian"))}
          <p class="counts"><span>w = S⁻¹(m₊ − m₋), of all rows</span><span>errors: ${num(lab, "machine", "gaussian_errors")}</span></p>`
          : html`<p>It has none here: the rows have no spread in some direction.</p>`}</section>
    </div></div>
    <div class=${`charts ${lab.stale.path ? "stale" : ""}`}>
      ${chart(lab, "path", "log_C", [
        { path: "margin", label: "margin 1/‖w‖", look: "--ink", points: true },
        { path: "slack", label: "sum of slacks Σξ", look: "--class-1", dash: [8, 5], points: true },
      ], { title: "Margin and slacks against C", xLabel: "log₁₀ C", name: "path" })}
      ${chart(lab, "path", "log_C", [
        { path: "supporting", label: "rows that support", look: "--accent", points: true },
        { path: "errors", label: "errors", look: "--class-1", dash: [8, 5], points: true },
      ], { title: "Support vectors and errors against C", xLabel: "log₁₀ C", name: "counts" })}
      ${lab.answers.solving?.iteration.length ? chart(lab, "solving", "iteration", [
        { path: "primal", label: "primal P, from above", look: "--ink", points: true },
        { path: "dual", label: "dual D, from below", look: "--class-2", dash: [8, 5], points: true },
      ], { title: "Solving: the best value is always between D and P", xLabel: "iterations", name: "solving" }) : nothing}</div>`;
}

/** Remember both lines as they are when a row is taken. @param {Lab} lab @param {any} found @param {Event} event */
function mark(lab, found, event) {
  const target = /** @type {Element} */ (event.target).closest("[data-row]");
  if (!target || lab.stale.machine) return;
  const row = Number(target.getAttribute("data-row"));
  lab.setView({ marked: { row, alpha: found.rows[row]?.alpha, machine: found.weights, gaussian: found.gaussian } });
}

/** @param {any} map @param {any} found @param {any} marked */
function pictureOf(map, found, marked) {
  const halos = found.rows.filter((/** @type {any} */ each) => each.alpha > 0).map((/** @type {any} */ each) => {
    const [x, y] = spotOf(map, each);
    const reach = 13 + 9 * each.share;
    const look = 0.1 + 0.28 * each.share;
    return each.role === "bound" ? svg`<rect class="halo" x=${x - reach} y=${y - reach} width=${2 * reach} height=${2 * reach} fill-opacity=${look}></rect>`
      : svg`<circle class="halo" cx=${x} cy=${y} r=${reach} fill-opacity=${look}></circle>`;
  });
  const slacks = found.rows.filter((/** @type {any} */ each) => each.slack > 0).map((/** @type {any} */ each) => {
    const [x, y] = spotOf(map, each);
    return svg`<line class="slack" x1=${x} y1=${y} x2=${map.px(each.foot[0])} y2=${map.py(each.foot[1])}></line>`;
  });
  const margins = found.margin === null ? [] : [line(map, found.weights, "line margin", found.margin), line(map, found.weights, "line margin", -found.margin)];
  const before = marked ? [line(map, marked.machine, "line ghost"), marked.gaussian ? line(map, marked.gaussian, "line ghost gaussian") : nothing] : [];
  return [...halos, ...slacks, ...before, ...margins, found.gaussian ? line(map, found.gaussian, "line gaussian") : nothing, line(map, found.weights, "line main")];
}

/** @param {any} map @param {any} each @returns {[number, number]} */
const spotOf = (map, each) => [map.px(each.x[0]), map.py(each.x[1])];

/** @param {Lab} lab @param {any} found @param {any} marked */
function moved(lab, found, marked) {
  if (!marked) return html`<p class="soft ending">Drag a row: the old lines stay visible.</p>`;
  const cells = (/** @type {number[] | null} */ weights) => [0, 1, 2].map((j) => html`<td>${weights ? short(weights[j]) : "–"}</td>`);
  const now = (/** @type {string} */ name) => [0, 1, 2].map((j) => html`<td>${num(lab, "machine", name, j)}</td>`);
  return html`<section class="card" aria-label="What moved"><h2>What moved with row ${marked.row}?</h2>
    <table class="keeps"><thead><tr><th scope="col"></th>${["w₁", "w₂", "b"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
      <tr><th scope="row">machine before</th>${cells(marked.machine)}</tr><tr class="changed"><th scope="row">now</th>${now("weights")}</tr>
      <tr><th scope="row">Gaussian before</th>${cells(marked.gaussian)}</tr><tr class="changed"><th scope="row">now</th>${found.gaussian ? now("gaussian") : cells(null)}</tr></tbody></table>
    <p>Row ${marked.row} had α = ${short(marked.alpha)}.</p></section>`;
}

/** @param {Lab} lab */
function objectives(lab) {
  const of = (/** @type {string} */ name) => mnum(lab, false, "machine", name);
  const soft = lab.scene.parameters.C !== "hard";
  return html`<section class="card" aria-label="Primal and dual"><h2>Primal, dual and gap</h2><div class="formula" tabindex="0" role="group" aria-label="Formula">
    <p><math><mrow><mi>P</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mrow><mo stretchy="false">‖</mo><mi>w</mi><mo stretchy="false">‖</mo></mrow><mn>2</mn></msup>
      ${soft ? mathml`<mo>+</mo><mi>C</mi><mo>Σ</mo><mi>ξ</mi>` : nothing}</mrow></math></p>
    <p><math><mrow><mspace width="1em"></mspace><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>·</mo>${of("square")}
      ${soft ? mathml`<mo>+</mo><mn>${lab.scene.parameters.C}</mn><mo>·</mo>${of("slack")}` : nothing}<mo>=</mo>${of("primal")}</mrow></math></p>
    <p><math><mrow><mi>D</mi><mo>=</mo><mo>Σ</mo><mi>α</mi><mo>−</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mrow><mo stretchy="false">‖</mo><mo>Σ</mo><mi>α</mi><mi>y</mi><mi>x</mi><mo stretchy="false">‖</mo></mrow><mn>2</mn></msup>
      <mo>=</mo>${of("dual")}</mrow></math></p>
    <p><math><mrow><mo>(</mo><mi>P</mi><mo>−</mo><mi>D</mi><mo>)</mo><mo>/</mo><mi>P</mi><mo>≤</mo>${of("gap")}</mrow></math></p></div>
    <p class="soft">Σα = ${num(lab, "machine", "alphas")}. The gap is proved, with all rounding counted against it.</p></section>`;
}

/** @param {Lab} lab @param {any} found */
function alphas(lab, found) {
  const cell = (/** @type {number} */ k, /** @type {string} */ name) => html`<td>${num(lab, "machine", "rows", k, name)}</td>`;
  return html`<details class="table"><summary>α and slack of every row</summary>${scrolled("Alpha and slack", ["row", "class", "y·(w·x + b)", "α", "ξ", "its part"], found.rows.map((/** @type {any} */ each, /** @type {number} */ k) => html`<tr><th scope="row">${num(lab, "machine", "rows", k, "row")}</th>
      <td>${lab.scene.data.classes[each.class]}</td>${cell(k, "signed")}${cell(k, "alpha")}${cell(k, "slack")}<td>${ROLES[each.role]}</td></tr>`))}</details>`;
}
