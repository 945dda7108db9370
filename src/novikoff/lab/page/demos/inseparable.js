// Not separable: a cycle with its proof, and what is kept of one random stream.

import { html, nothing } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num, short, vector, weightsOf } from "../numbers.js";
import { line, plane, rowsTable, star } from "../plane.js";
import { placeOf, stepper } from "../stepper.js";

/** @typedef {import("../types.js").Lab} Lab */

const CODE = [
  "pocket ← w ← start, both runs ← 0",
  "draw a row x at random, its label y",
  "if y·(w·x + b) ≤ 0:",
  "  w ← w + η·y·x,  b ← b + η·y",
  "  current_run ← 0",
  "else: current_run ← current_run + 1",
  "if current_run > best_run",
  "   and w errs less than the pocket:",
  "  pocket ← w",
  "  best_run ← current_run",
];
const KEEPS = [
  { name: "now", title: "last", look: "--ink" },
  { name: "pocket", title: "pocket", look: "--class-2" },
  { name: "run", title: "run", look: "--class-3", dash: [12, 5] },
  { name: "ratchet", title: "ratchet", look: "--class-4", dash: [3, 4] },
  { name: "average", title: "average", look: "--accent", dash: [12, 4, 3, 4] },
  { name: "vote", title: "vote", look: "--class-3" },
];

/** @param {Lab} lab */
export function view(lab) {
  const round = lab.scene.view.part === "cycle";
  const found = round ? lab.answers.cycle : lab.answers.keeps;
  const parts = [["stream", "what is kept of a random stream"], ["cycle", "the cycle of a fixed order"]];
  return html`<fieldset class="tools parts-of-page"><legend>Show</legend>${parts.map(([name, text]) => html`<label><input type="radio"
      name="part" value=${name} .checked=${(name === "cycle") === round} @change=${() => lab.setView({ part: name, step: 0, playing: false })}><span>${text}</span></label>`)}</fieldset>
    ${!found ? html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}` : round ? cycle(lab, found) : stream(lab, found)}`;
}

/** @param {Lab} lab @param {any} found */
function stream(lab, found) {
  const place = placeOf(lab, found.steps);
  const step = place > 0 ? found.steps[place - 1] : null;
  const chosen = linesOf(lab);
  const named = (/** @type {string[]} */ names) => KEEPS.filter((each) => names.includes(each.name)).map(({ name, title, look, dash }) => ({ path: name, label: title, look, dash }));
  return html`<div class=${`columns ${lab.stale.keeps ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: "Rows in the plane, with the lines of the weights that are kept",
      current: step ? step.row : null,
      below: (map) => chosen.map((name) => line(map, weightsAt(found, step, name), `line ${name === "now" ? "main" : name}`)),
      legend: KEEPS.filter((each) => chosen.includes(each.name)).map((each) => html`<span class="key">${swatch(each)}${each.title}</span>`),
    })}
    ${stepper(lab, found.steps, (at) => tell(found, at))}
    ${rowsTable(lab)}</div>
    <div class="side">
      ${errorsCard(lab, found, place, step, chosen)}
      ${runCard(lab, place, step)}
      <section class="card" aria-label="Pseudo-code"><h2>Gallant’s pocket with ratchet</h2><ol class="pseudo">${CODE.map((text, number) => html`<li
        class=${running(step).includes(number) ? "running" : ""} aria-current=${running(step).includes(number) ? "step" : nothing}><code>${text}</code></li>`)}</ol></section>
      <p class="ending">${found.ending}</p>
    </div></div>
    <div class="charts">
      ${chart(lab, "keeps", "k", named(["now", "pocket", "run", "ratchet"]), { title: "Errors of the last weights and of three pockets", xLabel: "rows read", name: "pockets", at: place })}
      ${chart(lab, "keeps", "k", named(["now", "average", "vote"]), { title: "Errors of the last weights, their average and their vote", xLabel: "rows read", name: "votes", at: place })}</div>`;
}

/** @param {{look: string, dash?: number[]}} each */
const swatch = (each) => html`<span class=${`swatch ${each.dash ? "dashed" : ""} ${each.look.slice(2)}`}></span>`;

/** The lines that are drawn. @param {Lab} lab @returns {string[]} */
function linesOf(lab) {
  const asked = lab.scene.view.lines;
  return KEEPS.map((each) => each.name).filter((name) => name !== "vote" && (Array.isArray(asked) ? asked : ["now", "run", "ratchet"]).includes(name));
}

/** @param {any} found @param {any} step @param {string} name */
const weightsAt = (found, step, name) => (!step ? found.start : name === "now" ? step.after : step.kept[name]);

/** @param {Lab} lab @param {any} found @param {number} place @param {any} step @param {string[]} chosen */
function errorsCard(lab, found, place, step, chosen) {
  const turn = (/** @type {string} */ name) => lab.setView({ lines: chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name] });
  const path = (/** @type {string} */ name) => (!step ? ["start"] : name === "now" ? ["steps", place - 1, "after"] : ["steps", place - 1, "kept", name]);
  return html`<section class="card" aria-label="Errors"><h2>Errors on the ${num(lab, "keeps", "rows")} rows <span class="soft">(ticked: drawn)</span></h2>
    <table class="keeps"><thead><tr><th scope="col">kept</th><th scope="col">errors</th>${["w₁", "w₂", "b"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${KEEPS.map((each) => html`<tr class=${step?.swapped.includes(each.name) ? "changed" : ""}><th scope="row">${each.name === "vote" ? html`<span class="key">${each.title}</span>`
      : html`<label><input type="checkbox" .checked=${chosen.includes(each.name)} @change=${() => turn(each.name)}>${swatch(each)}<span>${each.title}</span></label>`}</th>
      <td class="errors">${num(lab, "keeps", each.name, place)}</td>
      ${each.name === "vote" ? html`<td colspan="3" class="soft">no line</td>` : [0, 1, 2].map((j) => html`<td>${num(lab, "keeps", ...path(each.name), j)}</td>`)}</tr>`)}</tbody></table>
    ${step?.swapped.length ? html`<p>New in: ${KEEPS.filter((each) => step.swapped.includes(each.name)).map((each) => each.title).join(", ")}.</p>` : nothing}</section>`;
}

/** @param {Lab} lab @param {number} place @param {any} step */
function runCard(lab, place, step) {
  const of = (/** @type {string} */ name) => (step ? num(lab, "keeps", "steps", place - 1, name) : "0");
  return html`<section class="card" aria-label="Run counters"><h2>Run counters</h2>
    ${vector([["current_run", of("run_now")], ["best_run", of("best_run")], ["best_run with ratchet", of("best_ratchet")]])}
    ${step ? html`<p>Row ${num(lab, "keeps", "steps", place - 1, "row")}: y·a = ${num(lab, "keeps", "steps", place - 1, "signed")}.
        <span class=${step.moved ? "verdict bad" : "verdict good"}>${step.moved ? "A mistake: the run is over." : "Right: the run is longer by one."}</span></p>`
      : html`<p class="soft">Press <strong>row ›</strong> to draw the first row.</p>`}</section>`;
}

/** The lines of the pseudo-code that ran last. @param {any} step */
function running(step) {
  if (!step) return [0];
  const looked = step.longer ? (step.swapped.includes("ratchet") ? [6, 7, 8, 9] : [6, 7]) : [6];
  return [...(step.moved ? [3, 4] : [5]), ...looked];
}

/** @param {any} found @param {number} place */
function tell(found, place) {
  const step = place > 0 ? found.steps[place - 1] : null;
  if (!step) return "Before the first row.";
  const swapped = KEEPS.filter((each) => step.swapped.includes(each.name)).map((each) => each.title);
  return `Row ${step.row}: ${step.moved ? "a mistake" : "right"}, run ${short(step.run_now)}. ${swapped.length ? `New in ${swapped.join(", ")}.` : ""}`;
}

/** @param {Lab} lab @param {any} found */
function cycle(lab, found) {
  const place = placeOf(lab, found.steps);
  const step = place > 0 ? found.steps[place - 1] : null;
  const path = step ? ["steps", place - 1, "after"] : ["start"];
  const { proof } = found;
  return html`<div class=${`columns ${lab.stale.cycle ? "stale" : ""}`}>
    <div>${plane(lab, {
      label: `Rows in the plane, with the line of the weights. ${found.title}.`,
      current: step ? step.row : null,
      rings: proof ? proof.rows.map((/** @type {any} */ each) => each.row) : [],
      below: (map) => line(map, step ? step.after : found.start, "line main"),
      above: (map) => (proof ? star(map, proof.common) : nothing),
      legend: html`<span class="key"><span class="swatch ink"></span>line w·x + b = 0</span>
        ${proof ? html`<span class="key"><span class="ringed-key"></span>rows with steps in the cycle</span><span class="key">★ a mean of either class</span>` : nothing}`,
    })}
    ${stepper(lab, found.steps, (at) => tellRound(found, at))}
    ${rowsTable(lab)}</div>
    <div class="side">
      <section class=${`card banner ${found.reason === "separated" ? "good" : found.reason === "cycle" ? "bad" : ""}`} aria-label="Verdict"><h2>${found.title}</h2><p>${found.sentence}</p></section>
      <section class="card weights" aria-label="Weights"><h2>Weights ${step ? "after this row" : "at the start"}</h2>
        ${vector(weightsOf(lab, "cycle", ...path))}
        <p class="counts"><span>errors: ${step ? num(lab, "cycle", "steps", place - 1, "errors") : num(lab, "cycle", "start_errors")} of ${lab.scene.data.X.length} rows</span></p>
        ${step?.inside ? html`<p class="verdict bad">${place === found.steps.length ? "The same weights as before the cycle: from here on everything repeats." : "Inside the cycle."}</p>` : nothing}
        ${found.begins === null ? nothing : html`<p class="files"><button @click=${() => lab.setView({ step: found.begins })}>To the beginning of the cycle</button>
          <button @click=${() => lab.setView({ step: found.steps.length })}>To its end</button></p>`}</section>
      ${proof ? proofCard(lab, proof) : nothing}
    </div></div>`;
}

/** @param {Lab} lab @param {any} proof */
function proofCard(lab, proof) {
  const cell = (/** @type {(string | number)[]} */ ...path) => html`<td>${num(lab, "cycle", "proof", ...path)}</td>`;
  return html`<section class="card" aria-label="The proof"><h2>The proof: the steps add up to zero</h2>
    <table class="keeps"><thead><tr><th scope="col">row</th><th scope="col">y</th><th scope="col">λ</th><th scope="col">λ·y·x₁</th><th scope="col">λ·y·x₂</th><th scope="col">λ·y</th></tr></thead>
    <tbody>${proof.rows.map((/** @type {any} */ each, /** @type {number} */ k) => html`<tr><th scope="row">${num(lab, "cycle", "proof", "rows", k, "row")}</th>
      <td>${lab.scene.data.classes[each.class]}</td>${cell("rows", k, "weight")}${[0, 1, 2].map((j) => cell("rows", k, "term", j))}</tr>`)}
      <tr class="changed"><th scope="row">sum</th><td></td><td></td>${[0, 1, 2].map((j) => cell("sum", j))}</tr></tbody></table>
    <p>λ is what the cycle added of a row: η at each of its mistakes. If some w, b separated the rows, every y·(w·x + b) would be positive, and so would Σ λ·y·(w·x + b). But that is 0, since the sums are 0.
      So no line separates them.</p>
    <p class="soft">With the λ as weights, (${num(lab, "cycle", "proof", "common", 0)}, ${num(lab, "cycle", "proof", "common", 1)}) is the mean of the rows of either class: a point of both hulls.</p></section>`;
}

/** @param {any} found @param {number} place */
function tellRound(found, place) {
  const step = place > 0 ? found.steps[place - 1] : null;
  if (!step) return "Before the first row.";
  return `Row ${step.row}: ${step.moved ? `a mistake. Weights now ${step.after.map(short).join(", ")}.` : "right."}`;
}
