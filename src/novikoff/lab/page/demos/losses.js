// Losses: the rows that are wrong, what each loss sums up to, and losses, steps and the neuron's answer as curves.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num } from "../numbers.js";
import { arrowOf, line, plane, rowsTable } from "../plane.js";
import { LOOKS } from "./rules.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.sums;
  return html`<div class="columns">
    <div>${plane(lab, {
      label: "Rows in the plane, with the line of the weights; wrong rows have a ring",
      rings: found ? found.wrong : [],
      below: (map) => (found ? [line(map, found.start, "line main"), arrowOf(map, found.start)] : nothing),
      legend: html`<span class="key"><span class="swatch ink"></span>line w·x + b = 0</span><span class="key">→ w, to the side of +1</span><span class="key"><span class="ringed-key"></span>wrong</span>`,
    })}${rowsTable(lab)}</div>
    <div class="side">${found ? [wrong(lab), lossChart(lab), sums(lab, found)] : nothing}</div></div>
    <div class="charts">${lectureChart(lab)}${stepChart(lab)}${neuronChart(lab)}</div>`;
}

/** @param {Lab} lab */
function wrong(lab) {
  return html`<section class="card" aria-label="Errors"><p class="large">${num(lab, "sums", "errors")} <span class="soft">of</span> ${num(lab, "sums", "rows")} <span class="soft">rows are wrong</span></p></section>`;
}

/** @param {Lab} lab @param {any} found */
function sums(lab, found) {
  return html`<section class="card" aria-label="Sums over all rows"><h2>Sums over all rows</h2>
    <table class="named"><thead><tr><th scope="col">loss</th><th scope="col">sum</th></tr></thead><tbody>
      <tr><th scope="row">unit loss, mean</th><td>${num(lab, "sums", "unit")}</td></tr>
      <tr><th scope="row">−y·a of all rows, mean</th><td>${num(lab, "sums", "mean_all")}</td></tr>
      <tr><th scope="row">(t − o)²·(−t·a)</th><td>${num(lab, "sums", "weighed")}</td></tr>
      ${found.sums.map((/** @type {any} */ each, /** @type {number} */ k) => html`<tr><th scope="row">${each.label}</th><td>${num(lab, "sums", "sums", k, "sum")}</td></tr>`)}</tbody></table></section>`;
}

/** Losses that L0 tries out. @param {Lab} lab */
function lectureChart(lab) {
  return chart(lab, "curves", "margin", [
    { path: "unit", label: "unit loss: 1 if wrong", look: "--soft", dash: [2, 3] },
    { path: "sign_squared", label: "(t − o)², o = sign(a)", look: "--class-3" },
    { path: "all_rows", label: "−y·a of all rows", look: "--class-4", dash: [4, 4] },
    { path: "loss_perceptron", label: "perceptron: −y·a if wrong", ...LOOKS.perceptron },
    { path: "weighed", label: "(t − o)²·(−t·a)", look: "--class-1", dash: [9, 5] },
  ], { title: "Losses that L0 tries", xLabel: "y·a", name: "lecture" });
}

/** @param {Lab} lab */
function lossChart(lab) {
  return chart(lab, "curves", "margin", [
    { path: "unit", label: "unit loss: 1 if wrong", look: "--soft", dash: [2, 3] },
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
