// Mistakes against the bound: a parabola and a line close in on the length of the weights; a distance falls.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num, vector } from "../numbers.js";
import { line, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.curves;
  return html`<div class=${`columns ${lab.stale.curves ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, with the line of the best weights",
      below: (map) => (found?.separable ? line(map, found.ideal, "line main") : nothing),
      legend: found?.separable ? html`<span class="key"><span class="swatch ink"></span>line of w*</span>` : nothing,
    })}${rowsTable(lab)}</div>
    <div class="side">${found ? (found.separable ? [mistakes(lab, found), lengths(lab), distance(lab, found)] : html`<section class="card banner bad" aria-label="Verdict">
      <h2>No bound</h2><p>${found.said}</p></section>`) : nothing}</div></div>
    ${found?.separable ? html`<div class="charts">${chart(lab, "curves", "gap_k", [
        { path: "gap_bound", label: "what the proof promises", look: "--class-0", dash: [8, 5] },
        { path: "gap", label: "‖w − ρw*‖² as it was", look: "--ink", points: true },
      ], { title: "The distance ‖w − ρw*‖²", xLabel: "mistakes k", name: "gap" })}</div>` : nothing}`;
}

/** @param {Lab} lab @param {any} found */
function mistakes(lab, found) {
  return html`<section class="card" aria-label="Mistakes"><h2>Mistakes</h2>
      <p class="large">${num(lab, "curves", "mistakes")} <span class="soft">of at most</span> ${found.bound}</p><p>${found.said}</p>
      ${vector([["R²", num(lab, "curves", "radius2")], ["γ²", num(lab, "curves", "gamma2")]])}</section>`;
}

/** The theorem as two curves that close in. @param {Lab} lab */
function lengths(lab) {
  return chart(lab, "curves", "k", [
    { path: "upper", label: "kη²R²: it cannot be longer", look: "--class-0" },
    { path: "squared", label: "‖w‖² as it was", look: "--ink", points: true },
    { path: "lower", label: "k²η²γ²: it cannot be shorter", look: "--class-1", dash: [8, 5] },
  ], { title: "‖w‖² after k mistakes", xLabel: "mistakes k", name: "length" });
}

/** @param {Lab} lab @param {any} found */
function distance(lab, found) {
  return html`<section class="card" aria-label="The distance"><h2>The distance to ρw*</h2>
      ${vector([["ρ", num(lab, "curves", "rho")], ["ηR²", num(lab, "curves", "usual_rho")], ["least fall", num(lab, "curves", "guaranteed")]])}<p>${found.gap_said}</p></section>`;
}
