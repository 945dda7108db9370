// Every labeling of a few points as a tile, the three questions about them, and random labels under Cover's curves.

import { html, nothing, svg } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num } from "../numbers.js";
import { frameOf, mapOf, plane, rowsTable, sign, star } from "../plane.js";
import { showPreset } from "../state.js";
import { pictureOf } from "./verdict.js";

/** @typedef {import("../types.js").Lab} Lab */

const SMALL = { width: 132, height: 104 };
const CURVES = [
  { path: "d1", label: "d = 1", look: "--class-3", dash: [2, 4], joined: true },
  { path: "d2", label: "d = 2", look: "--class-0", joined: true },
  { path: "d5", label: "d = 5", look: "--class-2", dash: [8, 5], joined: true },
  { path: "d20", label: "d = 20", look: "--class-4", dash: [12, 4, 2, 4], joined: true },
];

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.tiles;
  if (!found) return html`<div class="columns">${plane(lab, { label: "Points in the plane" })}</div>${rowsTable(lab)}`;
  const { verdict } = found;
  return html`<div class="columns">
    <div>${plane(lab, {
      label: `Points in the plane. ${verdict ? verdict.title : "One class only"}.`,
      rings: verdict?.separable ? verdict.support : [],
      below: (map) => (verdict ? pictureOf(map, verdict) : nothing),
      above: (map) => (verdict?.common ? star(map, verdict.common) : nothing),
    })}${rowsTable(lab)}</div>
    <div class="side">
      <section class=${`card banner ${found.shattered ? "good" : "bad"}`} aria-label="All labelings"><h2>${found.shattered ? "Shattered" : "Not shattered"}</h2>
        <p>${found.said}</p></section>
      <section class="card" aria-label="Counts"><h2>Separable labelings</h2>
        <p class="large">${num(lab, "tiles", "count")} <span class="soft">of</span> ${num(lab, "tiles", "all")}</p>
        <p>Cover’s count for ${num(lab, "tiles", "points")} points in general position: ${num(lab, "tiles", "cover")}.</p></section>
      <section class=${`card ${verdict?.separable === false ? "bad" : "good"}`} aria-label="This labeling"><h2>This labeling</h2>
        <p>${verdict ? verdict.sentence : "All points have one label: a line beside them is enough."}</p></section>
    </div></div>
    <section class="part" aria-label="Every labeling"><h2>Every labeling</h2>
      <div class="tiles">${found.tiles.map((/** @type {any} */ _, /** @type {number} */ k) => tile(lab, found, k))}</div></section>
    ${questions(lab, found)} ${cover(lab)}`;
}

/** @param {Lab} lab @param {any} found @param {number} k */
function tile(lab, found, k) {
  const { data, view: shown } = lab.scene;
  const each = found.tiles[k];
  const map = mapOf(shown.frame || frameOf(data.X), SMALL);
  const signs = each.labels.map((/** @type {number} */ kind) => (kind ? "+" : "−")).join("");
  const inside = html`<svg viewBox=${`0 0 ${SMALL.width} ${SMALL.height}`} aria-hidden="true">${pictureOf(map, each)}
      ${data.X.map(([x, y], row) => svg`<g transform=${`translate(${map.px(x)} ${map.py(y)})`}>${sign(each.labels[row])}</g>`)}
      ${each.common ? star(map, each.common) : nothing}</svg>
    <span class="signs">${signs}</span> <span class=${`verdict ${each.separable ? "good" : "bad"}`}>${each.separable ? "✓ line" : "✗ no line"}</span>`;
  return html`<button class=${`tile ${each.separable ? "" : "bad"}`} aria-pressed=${String(k === found.current)} @click=${() => {
    lab.setData({ ...data, y: each.labels });
    lab.say(`Labels ${signs}: ${each.separable ? "a line separates them" : "no line separates them"}.`);
  }}>${inside}</button>`;
}

/** @param {Lab} lab @param {any} found */
function questions(lab, found) {
  const asked = lab.answers.questions;
  if (!asked) return nothing;
  return html`<section class="part" aria-label="Three questions"><h2>Three questions of the lecture</h2>
    <div class="scroll wide" tabindex="0" role="region" aria-label="Three questions as a table"><table class="asked"><thead><tr><th scope="col">Can a line separate</th>
      ${["two", "three", "four"].map((name) => html`<th scope="col">${name} points</th>`)}</tr></thead>
    <tbody>${asked.rows.map((/** @type {any} */ row) => html`<tr><th scope="row"><strong>${row.title}</strong><br><span class="soft">${row.question}</span></th>
      ${row.cells.map((/** @type {any} */ cell) => html`<td class=${cell.points === found.points ? "here" : ""}><span class="small-only">${cell.points} points: </span><span class=${`verdict ${cell.yes ? "good" : "bad"}`}>${cell.yes ? "✓ Yes" : "✗ No"}</span>
        <p>${cell.why}</p><button class="link" aria-label=${`Show it: ${row.title}, ${cell.points} points`} @click=${() => { showPreset("shattering", cell.preset); scrollTo(0, 0); }}>Show it</button></td>`)}</tr>`)}</tbody></table></div>
    <p>Your ${num(lab, "tiles", "points")} points: ${found.tiles[found.current].separable ? "a line separates the labels they have" : "no line separates the labels they have"};
      ${found.shattered ? "every other labeling is separable, too." : "not every labeling of them is separable."}</p></section>`;
}

/** @param {Lab} lab */
function cover(lab) {
  const found = lab.answers.cover;
  if (!found) return nothing;
  const all = found.limits.length;
  const asked = Number(lab.scene.view.round ?? 0);
  const made = Number.isInteger(asked) ? Math.min(Math.max(asked, 0), all) : 0;
  const go = (/** @type {number} */ to) => lab.setView({ round: Math.min(Math.max(to, 0), all) });
  const d = lab.scene.parameters.dimension;
  const dots = made ? [{ path: ["shares", made - 1], label: `share of ${made} rounds, d = ${d}`, look: "--ink", only: true }] : [];
  return html`<section class=${`part ${lab.stale.cover ? "stale" : ""}`} aria-label="Cover’s curves"><h2>Cover’s curves, and random labels</h2>
    <div class="columns"><div>${chart(lab, "cover", "place", [...CURVES, ...dots], { title: "Share of labelings that a hyperplane can make", xLabel: "N / (d + 1)", name: "cover" })}</div>
    <div class="side"><section class="card rounds" aria-label="Rounds"><h2>Random labels, d = ${d}</h2>
      <p>A round puts down random points with random labels, one after the other, until no hyperplane separates them.</p>
      <p class="files"><button ?disabled=${made === all} @click=${() => go(made + 1)}>One round</button><button ?disabled=${made === all} @click=${() => go(made + 10)}>Ten</button>
        <button ?disabled=${made === all} @click=${() => go(all)}>All ${all}</button><button class="plain" ?disabled=${made === 0} @click=${() => go(0)}>None</button></p>
      <input type="range" min="0" max=${all} .value=${String(made)} aria-label="Rounds made" @input=${(/** @type {any} */ event) => go(Number(event.target.value))}>
      ${made ? html`<p>Round ${made}: ${num(lab, "cover", "limits", made - 1)} points were separable, one more was not.</p>
        <p class="large">${num(lab, "cover", "means", made - 1)} <span class="soft">points on average</span></p>` : html`<p class="soft">No round yet.</p>`}
      <p>By Cover’s theorem the average is 2(d + 1) = ${num(lab, "cover", "capacity")}, where the curves pass through one half.</p></section></div></div></section>`;
}
