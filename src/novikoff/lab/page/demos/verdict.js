// Separable or not: the line with its margin, or two hulls and the point that both hold.

import { html, nothing } from "../vendor/lit-html.js";
import { signal } from "../vendor/signals.js";
import { download } from "../files.js";
import { num, vector, weightsOf } from "../numbers.js";
import { line, plane, rowsTable, shape, star } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** Exact fractions of one verdict. @type {{value: {of: any, found: any}}} */
const exact = signal({ of: null, found: null });

/** @param {Lab} lab */
export function view(lab) {
  const verdict = lab.answers.verdict;
  if (!verdict) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  const witness = verdict.witness ?? [];
  const legend = verdict.separable
    ? html`<span class="key"><span class="swatch ink"></span>line</span><span class="key"><span class="swatch dashed soft"></span>margin</span>
        <span class="key"><span class="ringed-key"></span>support</span>`
    : html`<span class="key">★ point of both hulls</span><span class="key"><span class="ringed-key"></span>witness</span>`;
  return html`<div class="columns">
    <div>${plane(lab, {
      label: `Rows in the plane. ${verdict.title}.`,
      rings: verdict.separable ? verdict.support : witness.map((/** @type {any} */ each) => each.row),
      below: (map) => pictureOf(map, verdict),
      above: (map) => (verdict.common ? star(map, verdict.common) : nothing),
      legend: verdict.separable === null ? nothing : legend,
    })}${rowsTable(lab)}</div>
    <div class="side">
      <section class=${`card banner ${verdict.separable === true ? "good" : verdict.separable === false ? "bad" : ""}`} aria-label="Verdict">
        <h2>${verdict.title}</h2><p>${verdict.sentence}</p></section>
      ${verdict.separable ? separated(lab, verdict) : nothing} ${witness.length ? meeting(lab, verdict) : nothing}
      ${verdict.separable || !lab.answers.fewest || lab.stale.fewest ? nothing : inTheWay(lab)}
      ${fractions(lab, verdict)}
      <section class="card" aria-label="Check it yourself"><h2>Check it yourself</h2>
        <p>A certificate, the rows, and 99 lines of plain Python that need nothing of this package:</p>
        <p class="files">${[["certificate", "certificate.json"], ["rows", "rows.csv"], ["checker", "plain.py"]].map(([part, name]) => html`<button
          @click=${() => saved(lab, part, name)}>${name}</button>`)}</p>
        <p><code>python plain.py certificate.json rows.csv</code></p></section>
    </div></div>`;
}

/** The line, or the hulls. @param {any} map @param {any} verdict */
export function pictureOf(map, verdict) {
  const hulls = verdict.hulls.flatMap((/** @type {any} */ hull) => [
    shape(map, hull.all, `hull class-${hull.class}`),
    shape(map, hull.witness, `hull strong class-${hull.class}`),
  ]);
  if (!verdict.weights) return hulls;
  const lines = [line(map, verdict.weights, verdict.separable ? "line main" : "line before")];
  if (verdict.margin) lines.push(line(map, verdict.weights, "line margin", verdict.margin), line(map, verdict.weights, "line margin", -verdict.margin));
  return [...hulls, ...lines];
}

/** @param {Lab} lab @param {any} verdict */
function separated(lab, verdict) {
  return html`<section class="card" aria-label="The line"><h2>The line with the largest margin</h2>
    ${vector(weightsOf(lab, "verdict", "weights"))}
    <p>Margin ${num(lab, "verdict", "margin")}: no row is closer to the line, and no line has more room.</p>
    <p>A perceptron from zero weights makes at most ${verdict.mistake_bound} mistakes here.</p></section>`;
}

/** @param {Lab} lab @param {any} verdict */
function meeting(lab, verdict) {
  const { data, parameters } = lab.scene;
  const through = parameters.bias === "none";
  const found = exact.value.of === verdict ? exact.value.found : null;
  return html`<section class="card" aria-label="The witness"><h2>${through ? "Rows that cancel" : "A point of both hulls"}</h2>
    ${through ? html`<p>With these weights, and the signs of ${data.classes[0]} changed, the rows add up to zero.</p>`
      : html`<p>(${num(lab, "verdict", "common", 0)}, ${num(lab, "verdict", "common", 1)}) is a mean of rows of either class, with these weights:</p>`}
    <table><thead><tr><th scope="col">row</th><th scope="col">class</th><th scope="col">weight</th></tr></thead>
      <tbody>${verdict.witness.map((/** @type {any} */ each, /** @type {number} */ k) => html`<tr><th scope="row">${each.row}</th>
        <td>${data.classes[each.class]}</td><td>${found ? html`<code>${found.shares[k]}</code>` : num(lab, "verdict", "witness", k, "share")}</td></tr>`)}</tbody></table>
    ${found?.common ? html`<p>The point is exactly (<code>${found.common[0]}</code>, <code>${found.common[1]}</code>).</p>` : nothing}</section>`;
}

/** @param {Lab} lab @param {any} verdict */
function fractions(lab, verdict) {
  if (!verdict) return nothing;
  if (exact.value.of === verdict) {
    const { weights } = exact.value.found;
    return weights ? html`<section class="card" aria-label="Exact weights"><h2>Exact weights</h2><p>w = (<code>${weights[0]}</code>, <code>${weights[1]}</code>), b = <code>${weights[2]}</code></p></section>` : nothing;
  }
  const ask = () => {
    const found = lab.ask("fractions");
    if (found && lab.answers.verdict === verdict) exact.value = { of: verdict, found };
  };
  return html`<button class="wide" @click=${ask}>Show exact fractions</button>`;
}

/** @param {Lab} lab @param {string} part @param {string} name */
function saved(lab, part, name) {
  if (part === "checker") return download(name, document.getElementById("checker")?.textContent ?? "");
  const found = lab.ask("certificate");
  if (found) download(name, found[part]);
}

/** @param {Lab} lab */
function inTheWay(lab) {
  const { rows } = lab.answers.fewest;
  const without = () => {
    const { data } = lab.scene;
    const stays = (/** @type {any} */ _, /** @type {number} */ row) => !rows.includes(row);
    lab.setData({ ...data, X: data.X.filter(stays), y: data.y.filter(stays) });
  };
  return html`<section class="card" aria-label="Rows in the way"><h2>The fewest rows that must go</h2>
    <p>Without ${rows.length === 1 ? "row" : "rows"} ${rows.join(", ")} a line separates the rest. No fewer than ${num(lab, "fewest", "count")} will do: every line was looked at.</p>
    ${lab.scene.data.X.length - rows.length >= 2 ? html`<p class="files"><button @click=${without}>Take ${rows.length === 1 ? "it" : "them"} out</button></p>` : nothing}</section>`;
}
