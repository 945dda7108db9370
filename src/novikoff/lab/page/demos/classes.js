// Several classes: regions, all scores of a row, and how four forms of the update end.

import { html, nothing, svg } from "../vendor/lit-html.js";
import { num, short } from "../numbers.js";
import { plane, rowsTable, shape, sign } from "../plane.js";
import { placeOf, stepper } from "../stepper.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @param {Lab} lab */
export function view(lab) {
  const { trace, forms } = lab.answers;
  if (!trace) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  const place = placeOf(lab, trace.steps);
  const step = place > 0 ? trace.steps[place - 1] : null;
  return html`<div class=${`columns ${lab.stale.trace ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, with the region of each class",
      current: step ? step.row : null,
      below: (map) => regionsOf(trace, place).map((/** @type {number[][]} */ corners, /** @type {number} */ k) => region(map, corners, trace.present[k], lab.scene.data.classes)),
    })}
    ${stepper(lab, trace.steps, (at) => tell(lab, trace, at))}${forms ? ended(lab, forms) : nothing}${rowsTable(lab)}</div>
    <div class="side">
      <section class="card scores" aria-label="Scores">${scores(lab, trace, place)}</section>
      ${forms ? html`<section class=${`card banner ${forms.separable === true ? "good" : forms.separable === false ? "bad" : ""}`} aria-label="Verdict">
        <h2>${forms.title}</h2><p>${forms.sentence}</p></section>` : nothing}
      ${trace.complete ? nothing : html`<p class="ending">The first ${trace.steps.length} rows are shown step by step.</p>`}
    </div></div>`;
}

/** How each form ends. @param {Lab} lab @param {any} forms */
function ended(lab, forms) {
  const { form } = lab.scene.parameters;
  return html`<section class="card" aria-label="The four forms"><h2>The four forms on these rows</h2><div class="forms" tabindex="0" role="region" aria-label="How each form ends"><table>
        <thead><tr>${["form", "mistakes", "passes", "errors", "end"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${forms.forms.map((/** @type {any} */ each, /** @type {number} */ k) => html`<tr class=${each.form === form ? "chosen" : ""}><th scope="row">${each.form}</th>
          ${["mistakes", "passes", "errors"].map((name) => html`<td>${num(lab, "forms", "forms", k, name)}</td>`)}<td>${each.said}</td></tr>`)}</tbody></table></div></section>`;
}

/** The regions at a place: those of the last update before it. @param {any} trace @param {number} place @returns {number[][][]} */
function regionsOf(trace, place) {
  for (let k = place - 1; k >= 0; k--) if (trace.steps[k].regions) return trace.steps[k].regions;
  return trace.start_regions;
}

/** @param {any} map @param {number[][]} corners @param {number} kind @param {string[]} classes */
function region(map, corners, kind, classes) {
  const seen = visible(map, corners);
  if (!seen.length) return nothing;
  const middle = [0, 1].map((j) => seen.reduce((sum, corner) => sum + corner[j], 0) / seen.length);
  const [one, other] = [...seen].sort((a, b) => b[1] - a[1]); // its name is in its upper part, away from rows
  const spot = [0, 1].map((j) => 0.35 * middle[j] + 0.325 * (one[j] + other[j]));
  return svg`${shape(map, corners, `region class-${kind}`)}<text class="region-name" aria-hidden="true" x=${map.px(spot[0])} y=${map.py(spot[1])}>${classes[kind].slice(0, 3)}</text>`;
}

/** The corners of what is seen of a shape. @param {any} map @param {number[][]} corners */
function visible(map, corners) {
  let left = corners;
  const [x0, x1, y0, y1] = map.frame;
  for (const [j, edge, way] of [[0, x0, 1], [0, x1, -1], [1, y0, 1], [1, y1, -1]]) {
    left = left.flatMap((to, k) => {
      const from = left.at(k - 1) ?? to;
      const [before, now] = [way * (from[j] - edge), way * (to[j] - edge)];
      const part = before / (before - now);
      const cut = before < 0 !== now < 0 ? [[from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]] : [];
      return now >= 0 ? [...cut, to] : cut;
    });
  }
  return left;
}

/** The weights of all classes, and what this row did to them. @param {Lab} lab @param {any} trace @param {number} place */
function scores(lab, trace, place) {
  const { data } = lab.scene;
  const step = place > 0 ? trace.steps[place - 1] : null;
  const path = step ? ["steps", place - 1, "after"] : ["start"];
  const name = (/** @type {number} */ k) => data.classes[trace.present[k]] ?? "";
  const head = ["class", "w₁", "w₂", "b", ...(step ? ["score before", "gains"] : [])];
  return html`<h2>${step ? html`Row ${num(lab, "trace", "steps", place - 1, "row")}, <span class="soft">class ${name(step.own)}</span>` : "Weights at the start"}</h2>
    <div class="forms" tabindex="0" role="region" aria-label="Weights and scores"><table><thead><tr>${head.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
    <tbody>${trace.present.map((/** @type {number} */ kind, /** @type {number} */ k) => html`<tr class=${step?.own === k ? "chosen" : ""}>
      <th scope="row"><svg viewBox="-10 -10 20 20" aria-hidden="true">${sign(kind)}</svg>${name(k)}</th>
      ${[0, 1, 2].map((j) => html`<td>${num(lab, "trace", ...path, k, j)}</td>`)}
      ${step ? html`<td>${num(lab, "trace", "steps", place - 1, "scores", k)}</td><td>${step.change[k] ? html`${num(lab, "trace", "steps", place - 1, "change", k)}·x` : "–"}</td>` : nothing}</tr>`)}</tbody></table></div>
    ${step ? html`<p class=${step.moved ? "verdict bad" : "verdict good"}>${judged(lab, trace, step)}</p>` : nothing}
    <p class="counts"><span>errors: ${step ? num(lab, "trace", "steps", place - 1, "errors") : num(lab, "trace", "start_errors")} of ${data.X.length} rows</span></p>`;
}

/** @param {Lab} lab @param {any} trace @param {any} step */
function judged(lab, trace, step) {
  if (!step.moved) return "Right: nothing changes.";
  const names = step.wrong.map((/** @type {number} */ k) => lab.scene.data.classes[trace.present[k]]).join(", ");
  return lab.scene.parameters.form === "ovr" ? `A mistake of: ${names}.` : `A mistake: ${names} ${step.wrong.length > 1 ? "score" : "scores"} at least as high.`;
}

/** @param {Lab} lab @param {any} trace @param {number} place */
function tell(lab, trace, place) {
  const step = place > 0 ? trace.steps[place - 1] : null;
  if (!step) return "Before the first row.";
  return `Row ${step.row}, scores ${step.scores.map(short).join(", ")}. ${judged(lab, trace, step)}`;
}
