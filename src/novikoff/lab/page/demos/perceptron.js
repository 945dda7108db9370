// The perceptron, step by step: plane, formula with its numbers, pseudo-code, and a guess before the next weights are shown.

import { html, mathml, nothing, svg } from "../vendor/lit-html.js";
import { signal } from "../vendor/signals.js";
import { folded, scrolled } from "../folds.js";
import { mnum, num, short, vector, weightsOf } from "../numbers.js";
import { arrowOf, curves, grid, line, mapOf, plane, rowsTable, shape } from "../plane.js";
import { perceptronLines, pseudo } from "../pseudo.js";
import { placeOf, stepper } from "../stepper.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @param {string} tie */
const wrongIf = (tie) => (tie === "strict" ? "y·a < 0" : tie === "least" ? "y ≠ sign(a)" : "y·a ≤ 0");

/** The algorithm for this order and this many rows an update. @param {Record<string, any>} parameters */
function code({ batch, order, tie, theta }) {
  const until = `until a pass has no update${theta ? ", or one changes w by less than θ" : ""}`;
  const shuffled = order === "shuffle" ? ", shuffled in every pass" : "";
  if (batch === "1") {
    return ["w, b ← start", `for the next row x, its label y${shuffled}:`, "    a ← w·x + b", `    if ${wrongIf(tie)}:`, "        w ← w + η·y·x",
      "        b ← b + η·y·x₀²", until];
  }
  return ["w, b ← start", batch === "all" ? "for all rows x, their labels y:" : `for the next ${batch} rows x, their labels y${shuffled}:`,
    "    a ← w·x + b of each", `    E ← the rows with ${wrongIf(tie)}`, "    w ← w + η·Σ y·x over E", "    b ← b + η·Σ y·x₀² over E", until];
}

const guessing = signal({ on: false, said: "", right: false, step: -1 });

/** @param {Lab} lab */
export function view(lab) {
  const trace = lab.answers.trace;
  if (!trace) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  const place = placeOf(lab, trace.steps);
  const step = place > 0 ? trace.steps[place - 1] : null;
  const unit = lab.scene.parameters.batch === "1" || !lab.scene.parameters.batch ? "row" : "batch";
  return html`<div class=${`columns ${lab.stale.trace ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, with the line of the weights",
      current: step?.row ?? null,
      rings: wrong(step),
      below: (map) => pictureOf(map, trace, place),
      legend: html`<span class="key"><span class="swatch ink"></span>line w·x + b = 0</span><span class="key">→ w, to the side of +1</span>
        ${step?.moved ? html`<span class="key"><span class="swatch dashed soft"></span>line before</span>` : nothing}
        ${trace.turned.length ? html`<span class="key"><span class="ringed-key"></span>rows of −1, turned over</span>` : nothing}
        ${step?.rows ? html`<span class="key"><span class="ringed-key"></span>wrong rows of the batch</span>` : nothing}`,
    })}
    ${stepper(lab, trace.steps, (at) => tell(trace, at), unit)}
    ${rowsTable(lab)}</div>
    <div class="side">
      <section class="card weights" aria-label="Weights"><h2>Weights ${place === 0 ? "at the start" : `after this ${unit}`}</h2>
        ${weights(lab, place)}
        <p class="counts"><span>${unit === "row" ? "updates" : "mistakes"} so far: ${place ? num(lab, "trace", "steps", place - 1, "mistakes") : "0"}</span>
          <span>errors: ${place ? num(lab, "trace", "steps", place - 1, "errors") : num(lab, "trace", "start_errors")} of ${lab.scene.data.X.length} rows</span>
          ${ties(lab, trace, place)}
          ${place && trace.steps[place - 1].margin !== null ? html`<span>margin: ${num(lab, "trace", "steps", place - 1, "margin")}</span>` : nothing}</p>
      </section>
      ${trace.space ? space(lab, trace, place) : nothing}
      <section class="card" aria-label=${`This ${unit}`}>${step ? (step.rows ? sums : formula)(lab, place - 1, step) : html`<h2>This ${unit}</h2>
        <p class="soft">None yet. Press <strong>${unit} ›</strong> to read the first.</p>`}</section>
      ${guess(lab, trace, place)}
      <button class="wide" @click=${() => { const drawn = lab.ask("draw", { seed: Math.floor(Math.random() * 1e6) }); if (drawn) lab.setParameters(drawn); }}>Random start</button>
      ${pseudo(code(lab.scene.parameters), perceptronLines(trace, step, place))}
      <p class="ending">${trace.ending}</p>
    </div></div>
    ${aboutSpace(lab, trace, place)} ${stepsTable(lab, trace, place)}`;
}

/** Rows on the line are predicted as −1, but each is a mistake when it comes. @param {Lab} lab @param {any} trace @param {number} place */
function ties(lab, trace, place) {
  const many = place ? trace.steps[place - 1].ties : trace.start_ties;
  if (!many) return nothing;
  return html`<span>on the line: ${place ? num(lab, "trace", "steps", place - 1, "ties") : num(lab, "trace", "start_ties")} (a tie is a mistake)</span>`;
}

/** The rows of a batch that were on the wrong side. @param {any} step @returns {number[]} */
const wrong = (step) => (step?.rows ?? []).filter((/** @type {any} */ each) => each.wrong).map((/** @type {any} */ each) => each.row);

/** @param {any} map @param {any} trace @param {number} place */
function pictureOf(map, trace, place) {
  const step = place > 0 ? trace.steps[place - 1] : null;
  const now = step ? step.after : trace.start;
  const room = step?.margin > 0 ? [line(map, now, "line margin", step.margin), line(map, now, "line margin", -step.margin)] : [];
  return [step?.moved ? line(map, step.before, "line before") : nothing, ...room, line(map, now, "line main"), arrowOf(map, now),
    ...trace.turned.map((/** @type {number[]} */ [x, y]) => svg`<circle class="turned" r="8" cx=${map.px(x)} cy=${map.py(y)}></circle>`)];
}

/** @param {Lab} lab @param {number} place */
function weights(lab, place) {
  return vector(weightsOf(lab, "trace", ...(place > 0 ? ["steps", place - 1, "after"] : ["start"])));
}

/** The row's score and update, as formulas with their numbers. @param {Lab} lab @param {number} k @param {any} step */
function formula(lab, k, step) {
  const of = (/** @type {boolean} */ brackets, /** @type {(string | number)[]} */ ...path) => mnum(lab, brackets, "trace", "steps", k, ...path);
  const name = lab.scene.data.classes[lab.scene.data.y[step.row]];
  return html`<h2>Row ${num(lab, "trace", "steps", k, "row")}, <span class="soft">label ${name ?? ""}</span></h2>
    <div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>a</mi><mo>=</mo><mi>w</mi><mo>·</mo><mi>x</mi><mo>+</mo><mi>b</mi></mrow></math> <math><mrow><mo>=</mo>
      ${of(true, "before", 0)}<mo>·</mo>${of(true, "x", 0)}<mo>+</mo>${of(true, "before", 1)}<mo>·</mo>${of(true, "x", 1)}<mo>+</mo>${of(true, "before", 2)}</mrow></math>
      <math><mrow><mo>=</mo>${of(false, "score")}</mrow></math></p>
    <p><math><mrow><mi>y</mi><mo>·</mo><mi>a</mi><mo>=</mo>${of(true, "y")}<mo>·</mo>${of(true, "score")}<mo>=</mo>${of(false, "signed")}
      ${step.signed > 0 ? mathml`<mo>&gt;</mo><mn>0</mn>` : mathml`<mo>≤</mo><mn>0</mn>`}</mrow></math></p></div>
    <p class=${step.moved ? "verdict bad" : "verdict good"}>${step.moved ? "A mistake: the weights are updated." : "Right: nothing changes."}</p>
    ${step.moved ? html`<div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>w</mi><mo>←</mo><mi>w</mi><mo>+</mo><mi>η</mi><mo>·</mo><mi>y</mi><mo>·</mo><mi>x</mi></mrow></math> <math><mrow><mo>=</mo>
      <mrow><mo>(</mo>${of(false, "before", 0)}<mo>,</mo>${of(false, "before", 1)}<mo>)</mo></mrow><mo>→</mo>
      <mrow><mo>(</mo>${of(false, "after", 0)}<mo>,</mo>${of(false, "after", 1)}<mo>)</mo></mrow></mrow></math></p>
      <p><math><mrow><mi>b</mi><mo>=</mo>${of(false, "before", 2)}<mo>→</mo>${of(false, "after", 2)}</mrow></math></p></div>
    <p>y·a of this row is now ${num(lab, "trace", "steps", k, "signed_after")}${step.signed_after > 0 ? "" : ": still not right. One update is no guarantee"}.</p>` : nothing}`;
}

/** The scores of a batch, and the sum that its mistakes add. @param {Lab} lab @param {number} k @param {any} step */
function sums(lab, k, step) {
  const of = (/** @type {(string | number)[]} */ ...path) => mnum(lab, false, "trace", "steps", k, ...path);
  return html`<h2>This batch</h2>
    ${scrolled("The rows of this batch", ["row", "y", "a", "y·a", "in E"], step.rows.map((/** @type {any} */ each, /** @type {number} */ j) => html`<tr><th scope="row">${num(lab, "trace", "steps", k, "rows", j, "row")}</th>
        ${["y", "score", "signed"].map((name) => html`<td>${num(lab, "trace", "steps", k, "rows", j, name)}</td>`)}<td>${each.wrong ? "yes" : "no"}</td></tr>`), "short")}
    <p class=${step.moved ? "verdict bad" : "verdict good"}>${step.moved ? "Mistakes: the weights are updated once." : "All right: nothing changes."}</p>
    ${step.moved ? html`<div class="formula" tabindex="0" role="group" aria-label="Formula"><p><math><mrow><mi>w</mi><mo>←</mo><mi>w</mi><mo>+</mo><mi>η</mi><mo>·</mo><munder><mo>∑</mo><mi>E</mi></munder><mi>y</mi><mo>·</mo><mi>x</mi></mrow></math> <math><mrow><mo>=</mo>
      <mrow><mo>(</mo>${of("before", 0)}<mo>,</mo>${of("before", 1)}<mo>)</mo></mrow><mo>→</mo><mrow><mo>(</mo>${of("after", 0)}<mo>,</mo>${of("after", 1)}<mo>)</mo></mrow></mrow></math></p>
      <p><math><mrow><mi>b</mi><mo>=</mo>${of("before", 2)}<mo>→</mo>${of("after", 2)}</mrow></math></p></div>` : nothing}`;
}

/** @param {Lab} lab @param {any} trace @param {number} place */
function guess(lab, trace, place) {
  if (place >= trace.steps.length) return nothing;
  const coming = trace.steps[place];
  const state = guessing.value.step === place ? guessing.value : { on: false, said: "", right: false };
  if (!state.on) {
    return html`<button class="wide" @click=${() => { guessing.value = { on: true, said: "", right: false, step: place }; }}>What will the next weights be?</button>`;
  }
  const check = (/** @type {any} */ event) => {
    event.preventDefault();
    const given = [...new FormData(event.target).values()].map((text) => Number(String(text).replace("−", "-").replace(",", ".")));
    const found = lab.ask("guess", { step: place, weights: given });
    if (found) {
      guessing.value = { on: true, said: found.said, right: found.right, step: place };
      lab.say(found.said);
    }
  };
  return html`<section class="card guess" aria-label="Your guess"><h2>What will the next weights be?</h2>
    <p>${coming.rows ? html`The next rows are ${coming.rows.map((/** @type {any} */ each) => each.row).join(", ")}` : html`The next row is row ${coming.row},
      x = (${short(coming.x[0])}, ${short(coming.x[1])}), y = ${short(coming.y)}`}; η = ${short(lab.scene.parameters.eta)}.</p>
    <form @submit=${check}>${["w₁", "w₂", "b"].map((name) => html`<label><span>${name}</span><input name=${name} inputmode="decimal" size="4" required></label>`)}
      <button>Check</button></form>
    ${state.said ? html`<p class=${state.right ? "verdict good" : "verdict bad"}>${state.said}</p>` : nothing}
    <button class="link" @click=${() => lab.setView({ step: place + 1 })}>Show them</button></section>`;
}

/** @param {any} trace @param {number} place */
function tell(trace, place) {
  const step = place > 0 ? trace.steps[place - 1] : null;
  if (!step) return "Before the first row.";
  const weights = step.after.map(short).join(", ");
  if (step.rows) return `Rows ${step.rows.map((/** @type {any} */ each) => each.row).join(", ")}: ${step.moved ? `mistakes. Weights now ${weights}.` : "all right."}`;
  return `Row ${step.row}: y·a = ${short(step.signed)}, ${step.moved ? `a mistake. Weights now ${weights}.` : "right."}`;
}

/** The plane of the weights: a line for each row, the cone of all weights that separate, and the path into it. @param {Lab} lab @param {any} trace @param {number} place */
function space(lab, trace, place) {
  const { frame, walls, cone, bound } = trace.space;
  const map = mapOf(frame, { width: 380, height: 300 }); // beside the rows
  const path = [trace.start, ...trace.steps.slice(0, place).map((/** @type {any} */ step) => step.after)];
  const [now] = path.slice(-1);
  const read = place > 0 ? trace.steps[place - 1].row : null;
  const across = map.px(bound[place]) - map.px(0);
  return html`<figure class="plane space" aria-label="Weight space">
    <svg viewBox=${`0 0 ${map.width} ${map.height}`} role="img" aria-label="Weight space: a line for each row, the cone of weights that separate, and the path of the perceptron">
      ${grid(map, ["w₁", "w₂"])} ${cone.length ? shape(map, cone, "cone") : nothing}
      ${walls.map((/** @type {number[]} */ wall, /** @type {number} */ row) => line(map, wall, `wall class-${lab.scene.data.y[row]} ${row === read ? "read" : ""}`))}
      <circle class="bound" cx=${map.px(0)} cy=${map.py(0)} r=${across}></circle>
      ${curves(map, [path], "descent")} ${path.map(([x, y]) => svg`<circle class="descended" r="3" cx=${map.px(x)} cy=${map.py(y)}></circle>`)}
      <circle class="descended now" r="6.5" cx=${map.px(now[0])} cy=${map.py(now[1])}></circle></svg>
    <figcaption><span class="key"><span class="cone-key"></span>weights that separate</span><span class="key"><span class="swatch class-1"></span>path of w</span>
      <span class="key"><span class="swatch dashed soft"></span>w cannot be outside after so many mistakes</span></figcaption></figure>`;
}

/** @param {Lab} lab @param {any} trace @param {number} place */
function aboutSpace(lab, trace, place) {
  if (!trace.space) return html`<p class="soft">Choose the bias “none” to see the weights move in their own plane.</p>`;
  return html`<section class="part text" aria-label="About weight space"><h2>The plane of the weights</h2><p>Each row gives a line through the origin, at right angles to the row: weights on one side of it predict the row correctly. The weights that are right for all rows form a cone${trace.space.cone.length ? nothing : ": here it is empty"}.</p>
      <p>At a mistake, w is on the wrong side of the line of that row: the update moves w straight towards the line, by η·‖x‖. ‖w‖² grows by at most η²R² each time: the circle
      has the radius ${num(lab, "trace", "space", "bound", place)}.</p></section>`;
}

/** @param {Lab} lab @param {any} trace @param {number} place */
function stepsTable(lab, trace, place) {
  const some = trace.steps.slice(0, place);
  const from = Math.max(0, some.length - 50);
  return folded("The steps as a table", () => html`${scrolled("Steps", ["step", "pass", "row", "y", "a", "y·a", "w₁", "w₂", "b", html`<span class="hidden">what happened</span>`], some.slice(from).map((/** @type {any} */ step, /** @type {number} */ j) => {
      const k = from + j;
      const cell = (/** @type {(string | number)[]} */ ...path) => html`<td>${num(lab, "trace", "steps", k, ...path)}</td>`;
      return html`<tr><th scope="row">${k + 1}</th>${cell("pass")}${step.rows ? html`<td>${step.rows.length} rows</td>` : cell("row")}${cell("y")}${cell("score")}${cell("signed")}${cell("after", 0)}${cell("after", 1)}${cell("after", 2)}
        <td>${step.moved ? "update" : "right"}</td></tr>`;
    }))}${from ? html`<p class="soft">The last 50 of ${some.length}.</p>` : nothing}`);
}
