// Rules side by side: one row, all rows, losses and the neuron's answer as curves, and the error as a bowl.

import { html, nothing, svg } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { mnum, num, short } from "../numbers.js";
import { curves, grid, line, mapOf, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** How each rule is drawn: a colour, and whether dashed. @type {Record<string, {look: string, dash?: number[]}>} */
const LOOKS = {
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
  const { row, set, bowl } = lab.answers;
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
    <div class="charts">${lossChart(lab)}${stepChart(lab)}${neuronChart(lab)}${errorChart(lab, names)}</div>
    ${bowl ? descent(lab, bowl) : nothing}`;
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
      : html`. The weights on both ways differ by ${row.apart === 0 ? nothing : "rounding, "}${num(lab, "row", "apart")}.`}</p></section>`;
}

/** @param {Lab} lab @param {any} row @param {any} set */
function table(lab, row, set) {
  return html`<div class="scroll rules" tabindex="0" role="region" aria-label="What every rule does with this row"><table>
    <thead><tr>${["rule", "g", "w₁", "w₂", "b", "new a", "loss", "new loss", "errors"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${row.rules.map((/** @type {any} */ each, /** @type {number} */ k) => {
      const cell = (/** @type {(string | number)[]} */ ...path) => html`<td>${num(lab, "row", "rules", k, ...path)}</td>`;
      return html`<tr><th scope="row"><span class=${`swatch ${lookOf(each.name)}`}></span>${each.label}</th><td>${each.formula}</td>${cell("after", 0)}${cell("after", 1)}${cell("after", 2)}${cell("score")}${cell("loss")}${cell("loss_after")}
        <td>${set ? (set.after[each.name] ? num(lab, "set", each.name, set.passes.length - 1) : "diverged") : nothing}</td></tr>`;
    })}</tbody></table></div><p class="soft">Weights, score and loss after this row; errors after all passes, of ${set ? num(lab, "set", "rows") : nothing} rows.</p>`;
}

/** @param {Lab} lab */
function lossChart(lab) {
  return chart(lab, "curves", "margin", [
    { path: "unit", label: "unit loss: 1 if wrong", look: "--soft" },
    { path: "all_rows", label: "−y·a of all rows", look: "--soft", dash: [4, 4] },
    { path: "loss_perceptron", label: "perceptron", ...LOOKS.perceptron },
    { path: "loss_delta", label: "delta rule", ...LOOKS.delta },
    { path: "loss_neuron", label: "neuron, squared", ...LOOKS.neuron },
    { path: "loss_entropy", label: "neuron, cross-entropy", ...LOOKS.entropy },
    { path: "loss_hinge", label: "hinge, and ℓ of PA", ...LOOKS.hinge },
  ], { title: "The loss of a row", xLabel: "y·a", name: "loss" });
}

/** @param {Lab} lab */
function stepChart(lab) {
  return chart(lab, "curves", "margin", [["perceptron", "perceptron"], ["delta", "delta rule"], ["neuron", "neuron, squared"], ["entropy", "neuron, cross-entropy"],
    ["hinge", "hinge"], ["pa", "PA"], ["pa1", "PA-I"]].map(([name, label]) => ({ path: `step_${name}`, label, ...LOOKS[name] })),
  { title: "The step y·g of a row, for η = 1", xLabel: "y·a", name: "step" });
}

/** @param {Lab} lab */
function neuronChart(lab) {
  return chart(lab, "curves", "a", [
    { path: "step", label: "a step", look: "--soft" },
    { path: "tangent", label: "½ + s·a/4, as Adaline", look: "--class-0", dash: [4, 4] },
    { path: "phi", label: "φ(a)", look: "--class-2" },
    { path: "phi_slope", label: "φ′(a)", look: "--class-1", dash: [9, 5] },
  ], { title: "The neuron’s answer and its slope", xLabel: "a", name: "neuron" });
}

/** @param {Lab} lab @param {string[][]} names */
function errorChart(lab, names) {
  return chart(lab, "set", "passes", names.map(([name, label]) => ({ path: name, label, ...LOOKS[name] })),
    { title: "Errors on all rows", xLabel: "passes", name: "errors" });
}

/** The bowl: contours, and the way down. @param {Lab} lab @param {any} bowl */
function descent(lab, bowl) {
  const map = mapOf(bowl.frame);
  const last = bowl.path.length - 1;
  const asked = Number(lab.scene.view.descent ?? last);
  const at = Number.isInteger(asked) && asked >= 0 ? Math.min(asked, last) : last;
  const [x0, x1, y0, y1] = map.frame;
  const chosen = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const to = [x0 + ((event.clientX - box.left) / box.width) * (x1 - x0), y1 - ((event.clientY - box.top) / box.height) * (y1 - y0)];
    lab.setParameters({ start: [...to.map((each) => Math.round(each * 64) / 64), lab.scene.parameters.start[2]] });
  };
  return html`<section class="halves" aria-label="The error of all rows as a bowl"><figure class="plane">
      <svg viewBox=${`0 0 ${map.width} ${map.height}`} role="img" class="adding" @click=${chosen}
        aria-label=${`Lines of equal error over two weights, and the steps of descent. ${bowl.said}`}>
        ${grid(map, ["w₁", "w₂"])}
        ${bowl.lines.map((/** @type {any} */ each) => curves(map, each.lines, "contour"))}
        ${curves(map, [bowl.path.slice(0, at + 1)], "descent")}
        ${bowl.path.slice(0, at + 1).map((/** @type {number[]} */ [x, y]) => svg`<circle class="descended" r="3" cx=${map.px(x)} cy=${map.py(y)}></circle>`)}
        <circle class="descended now" r="6.5" cx=${map.px(bowl.path[at][0])} cy=${map.py(bowl.path[at][1])}></circle>
        ${bowl.bottom ? svg`<path class="mark bottom" d=${`M${map.px(bowl.bottom[0]) - 7} ${map.py(bowl.bottom[1])} h14 m-7 -7 v14`}></path>` : nothing}
      </svg>
      <figcaption><span class="key"><span class="swatch class-0"></span>equal error</span><span class="key"><span class="swatch class-1"></span>steps</span>
        ${bowl.bottom ? html`<span class="key">+ bottom</span>` : nothing}<span>A click in this picture sets the start.</span></figcaption>
      <label class="field"><span>Steps of descent</span><input type="range" min="0" max=${last} .value=${String(at)} aria-valuetext=${`${at} of ${last}, error ${short(bowl.errors[at])}`}
        @input=${(/** @type {any} */ event) => lab.setView({ descent: Number(event.target.value) })}></label></figure>
    <div><section class="card" aria-label="Descent"><h2>The error as a bowl</h2>
      <p>All rows at once, without a bias: w ← w + the sum of g·x. Lines of the bowl join weights of equal error.</p>
      <dl class="vector"><div><dt>step</dt><dd>${num(lab, "bowl", "k", at)}</dd></div><div><dt>w₁</dt><dd>${num(lab, "bowl", "path", at, 0)}</dd></div>
        <div><dt>w₂</dt><dd>${num(lab, "bowl", "path", at, 1)}</dd></div><div><dt>error</dt><dd>${num(lab, "bowl", "errors", at)}</dd></div>
        ${bowl.limit === null ? nothing : html`<div><dt>largest η</dt><dd>${num(lab, "bowl", "limit")}</dd></div>`}</dl>
      <p class="verdict">${bowl.said}</p></section>
    ${chart(lab, "bowl", "k", [{ path: "errors", label: "error of all rows", look: "--class-1", points: true }],
      { title: "The error after each step", xLabel: "steps", name: "descent" })}</div></section>`;
}
