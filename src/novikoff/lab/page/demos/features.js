// Two radial features: the rows with the centres that can be moved, and beside them the plane of their features.

import { html, nothing } from "../vendor/lit-html.js";
import { scrolled } from "../folds.js";
import { handle } from "../handles.js";
import { num, vector, weightsOf } from "../numbers.js";
import { line, plane, rowsTable } from "../plane.js";
import { regions } from "../regions.js";
import { still } from "../still.js";

/** @typedef {import("../types.js").Lab} Lab */

const NAMES = ["φ₁", "φ₂"];

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.features;
  const { data, parameters } = lab.scene;
  const centres = [parameters.centres.slice(0, 2), parameters.centres.slice(2)];
  const move = (/** @type {number} */ k, /** @type {number[]} */ to, /** @type {boolean} */ dragging = false) => lab.setParameters({ centres: centres.map((each, j) => (j === k ? to : each)).flat() }, dragging);
  return html`<div class="pair">
    <div>${plane(lab, {
      label: "Rows in the plane, with two centres",
      below: (map) => (found ? regions(map, found.regions) : nothing),
      above: (map) => centres.map((at, k) => handle(lab, map, { name: ["c₁", "c₂"][k], at, move: (to, dragging) => move(k, to, dragging) })),
      legend: html`<span class="key"><span class="region-key"></span>score positive</span><span class="key">◆ centre</span>`,
    })}</div>
    <div>${found ? still({
      label: `The features of the rows. ${found.title}.`,
      frame: [-0.06, 1.06, -0.08, 1.1],
      names: NAMES,
      rows: found.features,
      kinds: data.y,
      below: (map) => [line(map, found.weights, found.separable ? "line main" : "line before"),
        ...(found.margin ? [line(map, found.weights, "line margin", found.margin), line(map, found.weights, "line margin", -found.margin)] : [])],
      legend: html`<span class="key"><span class=${`swatch ${found.separable ? "ink" : "dashed soft"}`}></span>line w·φ + b = 0</span>
        ${found.margin ? html`<span class="key"><span class="swatch dashed soft"></span>margin</span>` : nothing}`,
    }) : nothing}</div></div>
    ${found ? html`<div class="pair cards">
      <section class=${`card banner ${found.separable ? "good" : "bad"}`} aria-label="Verdict"><h2>${found.title}</h2><p>${found.said}</p></section>
      <section class="card" aria-label="The line"><h2>The line ${found.separable ? "with the largest margin" : "of the pocket"}</h2>
        ${vector(weightsOf(lab, "features", "weights"))}
        <p class="counts">${found.margin ? html`<span>margin: ${num(lab, "features", "margin")}</span>` : nothing}
          <span>errors: ${num(lab, "features", "errors")} of ${data.X.length} rows</span></p></section></div>
    ${rowsTable(lab)}
    <details class="table"><summary>The features as a table</summary>${scrolled("Features", ["row", ...NAMES, "class"], found.features.map((/** @type {any} */ _, /** @type {number} */ row) => html`<tr><th scope="row">${row}</th>
        <td>${num(lab, "features", "features", row, 0)}</td><td>${num(lab, "features", "features", row, 1)}</td><td>${data.classes[data.y[row]]}</td></tr>`))}</details>` : rowsTable(lab)}`;
}
