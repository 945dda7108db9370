// Passes and over-fitting: the line after some passes, two curves against passes, and four orders.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num, short, vector } from "../numbers.js";
import { curves, line, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @type {[string, string, {look: string, dash?: number[]}][]} */
const ORDERS = [
  ["sorted", "sorted: all +1 first", { look: "--class-1" }],
  ["cyclic", "in their own order", { look: "--soft", dash: [4, 4] }],
  ["alternate", "+1 and −1 in turn", { look: "--class-2" }],
  ["shuffle", "shuffled (mean of 5)", { look: "--class-0", dash: [9, 5] }],
];

/** @param {Lab} lab */
export function view(lab) {
  const { curve, orders } = lab.answers;
  const passes = curve ? curve.lines.map((/** @type {any} */ each) => each.pass) : [];
  const asked = passes.indexOf(lab.scene.view.after);
  const k = asked >= 0 ? asked : passes.length - 1;
  const ofOrders = (lab.scene.view.lines ?? (lab.scene.parameters.order === "shuffle" ? "curve" : "orders")) === "orders";
  return html`<div class=${`columns ${lab.stale.curve ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, those held out with a ring, and the line after some passes",
      rings: curve ? curve.held : [],
      below: (map) => (ofOrders ? (orders ? ORDERS.map(([name, , look]) => line(map, orders.after[name], `line ${look.look.slice(2)} ${look.dash ? "dashed" : ""}`)) : nothing)
        : curve ? curves(map, curve.lines[k].lines, "line main") : nothing),
      legend: html`<span class="key"><span class="ringed-key"></span>held out</span>${ofOrders ? ORDERS.map(([, text, look]) => html`<span class="key"><span
        class=${`swatch ${look.look.slice(2)} ${look.dash ? "dashed" : ""}`}></span>${text}</span>`) : html`<span class="key"><span class="swatch ink"></span>line</span>`}`,
    })}
    <fieldset class="tools"><legend>The line after</legend>${passes.map((/** @type {number} */ each, /** @type {number} */ j) => html`<label><input type="radio" name="after"
        .checked=${!ofOrders && j === k} @change=${() => lab.setView({ after: each, lines: "curve" })}><span>${short(each)} ${each === 1 ? "pass" : "passes"}</span></label>`)}
      <label><input type="radio" name="after" .checked=${ofOrders} @change=${() => lab.setView({ lines: "orders" })}><span>each order</span></label></fieldset>
    ${rowsTable(lab)}</div>
    <div class="side">${curve ? numbers(lab, curve, k) : nothing}${orders ? ended(lab) : nothing}</div></div>
    <div class="charts">${chart(lab, "curve", "passes", [
      { path: "train", label: "rows learned from", look: "--class-0" },
      { path: "held_out", label: "rows held out", look: "--class-1", dash: [9, 5] },
    ], { title: "Share of rows predicted correctly", xLabel: "passes", name: "share" })}
    ${chart(lab, "orders", "passes", ORDERS.map(([path, label, look]) => ({ path, label, ...look })),
      { title: "Errors on all rows, by order; straight lines", xLabel: "passes", name: "orders" })}</div>`;
}

/** @param {Lab} lab @param {any} curve @param {number} k */
function numbers(lab, curve, k) {
  return html`<section class="card" aria-label="How many passes"><h2>How many passes?</h2>
      <p class="large">${num(lab, "curve", "best")} <span class="soft">${curve.best === 1 ? "pass" : "passes"}, judged by the rows held out</span></p>
      <p>${curve.said}</p>
      <p class="soft">The fewest whose share is within one standard error of the best.</p></section>
    <section class="card" aria-label="The line that is drawn"><h2>After ${num(lab, "curve", "lines", k, "pass")} ${curve.lines[k].pass === 1 ? "pass" : "passes"}, <span class="soft">the first run</span></h2>
      ${vector([["learned from", num(lab, "curve", "lines", k, "train")], ["held out", num(lab, "curve", "lines", k, "held_out")]])}</section>`;
}

/** @param {Lab} lab */
function ended(lab) {
  return html`<section class="card" aria-label="Orders"><h2>Errors by order, <span class="soft">mean over all passes</span></h2>
    ${vector(ORDERS.map(([name, text]) => [text, num(lab, "orders", "mean", name)]))}
    <p class="soft">Of ${num(lab, "orders", "rows")} rows, all of them learned from.</p></section>`;
}
