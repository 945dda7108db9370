// Pictures of results: bars, histograms, confusions and regions. All numbers are Python's; here they only get their places.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { chart } from "./chart.js";
import { short } from "./numbers.js";
import { sign, ticks } from "./plane.js";

/** @typedef {{document: any, curve?: any}} Shown */

/** The width of pictures, in their own units: on a phone fewer, so that letters stay large. */
const wide = () => (innerWidth < 560 ? 340 : 470);
const MOST_BARS = 20;
const MOST_CLASSES = 12; // of a confusion that is shaded

/** A name that fits. @param {string} name @param {number} room */
const fitted = (name, room) => (name.length > room / 7.2 ? `${name.slice(0, Math.floor(room / 7.2) - 1)}…` : name);

/** Horizontal bars from zero, with names. @param {string} label @param {{name: string, value: number, text: string, path: string}[]} bars
 * @param {number} low @param {number} high */
function bars(label, bars, low, high) {
  const [width, left, right, step] = [wide(), wide() * 0.4, 66, 26];
  const px = (/** @type {number} */ value) => left + ((value - low) / (high - low || 1)) * (width - left - right);
  return html`<svg class="bars" viewBox=${`0 0 ${width} ${bars.length * step + 8}`} role="img" aria-label=${label}>
    ${bars.map((each, k) => svg`<g transform=${`translate(0 ${k * step + 4})`}><title>${each.name}: ${short(each.value)}</title>
      <text class="name" x=${left - 10} y="16">${fitted(each.name, left)}</text>
      <rect class=${`bar ${each.value < 0 ? "minus" : "plus"}`} data-value=${String(each.value)} data-path=${each.path}
        x=${Math.min(px(0), px(each.value))} width=${Math.abs(px(each.value) - px(0))} y="4" height="16"></rect>
      <text class="value" x=${width - 2} y="16">${each.text}</text></g>`)}
    <line class="axis" x1=${px(0)} x2=${px(0)} y1="0" y2=${bars.length * step + 8}></line></svg>`;
}

/** Scores as dots with their spreads, from the worst, or from chance, to the best. @param {Shown} shown */
function compared({ document: { learners, test, chance } }) {
  const found = learners.map((/** @type {any} */ each, /** @type {number} */ k) => ({ ...each, k })).filter((/** @type {any} */ each) => each.score !== null);
  if (!found.length) return nothing;
  const [width, left, right, step, foot] = [wide(), wide() * 0.4, 66, 28, 26];
  const ends = found.flatMap((/** @type {any} */ each) => [each.score - (each.spread ?? 0), each.score + (each.spread ?? 0)]);
  const [low, high] = [Math.min(chance ?? Infinity, ...ends), Math.max(...ends)];
  const px = (/** @type {number} */ value) => left + 10 + ((value - low) / (high - low || 1)) * (width - left - right - 10);
  const height = found.length * step;
  return html`<svg class="bars" viewBox=${`0 0 ${width} ${height + foot}`} role="img" aria-label=${`${test.metric} of each learner. The numbers are in the table below.`}>
    ${found.map((/** @type {any} */ each, /** @type {number} */ row) => svg`<g transform=${`translate(0 ${row * step + step / 2})`}><title>${each.name}: ${short(each.score)}</title>
      <text class="name" x=${left - 8} y="5">${fitted(each.name, left)}</text><line class="guide" x1=${left} x2=${width - right + 8}></line>
      ${each.spread ? svg`<line class="spread" x1=${px(each.score - each.spread)} x2=${px(each.score + each.spread)}></line>` : nothing}
      <circle class="dot" r="6" cx=${px(each.score)} data-value=${String(each.score)} data-path=${`compare.learners.${each.k}.score`}></circle>
      <text class="value" x=${width - 2} y="5">${short(each.score)}</text></g>`)}
    ${chance === null || chance === undefined ? nothing : svg`<line class="zero" x1=${px(chance)} x2=${px(chance)} y1="0" y2=${height}></line>
      <text class="tick" x=${px(chance)} y=${height + 18}>always the largest class</text>`}</svg>`;
}

/** @param {Shown} shown */
function weights({ document: { weights: all } }) {
  return all.slice(0, 5).map((/** @type {any} */ own, /** @type {number} */ at) => {
    const found = own.features.slice(0, MOST_BARS);
    const high = Math.max(0, ...found.map((/** @type {any} */ each) => each.weight));
    const low = Math.min(0, ...found.map((/** @type {any} */ each) => each.weight));
    const title = own.class === null || own.class === undefined ? "Weights" : `Weights for ${own.class}`;
    return html`<figure class="small"><figcaption>${title}</figcaption>${bars(`${title}. The numbers are in the table below.`, found.map((/** @type {any} */ each, /** @type {number} */ k) => ({
      name: each.name, value: each.weight, text: short(each.weight), path: `fit.weights.${at}.features.${k}.weight`,
    })), low, high)}</figure>`;
  });
}

/** @param {string} part @param {{edges: number[], counts: number[]}} found @param {string} label */
function histogram(part, { edges, counts }, label) {
  const [width, height, foot] = [wide(), 200, 26];
  const [low, high, most] = [edges[0], edges[edges.length - 1], Math.max(1, ...counts)];
  const px = (/** @type {number} */ value) => 10 + ((value - low) / (high - low || 1)) * (width - 20);
  const tall = (/** @type {number} */ count) => (count / most) * (height - foot - 18);
  return html`<svg class="histogram" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
    ${counts.map((count, k) => svg`<rect class=${`bar ${edges[k + 1] <= 0 ? "minus" : "plus"}`} data-value=${String(count)} data-path=${`fit.${part}.counts.${k}`}
      x=${px(edges[k])} width=${Math.max(0, px(edges[k + 1]) - px(edges[k]) - 1)} y=${height - foot - tall(count)} height=${tall(count)}><title>${short(edges[k])} to ${short(edges[k + 1])}: ${count}</title></rect>`)}
    <line class="axis" x1="0" x2=${width} y1=${height - foot} y2=${height - foot}></line>
    ${ticks(low, high).map((each) => svg`<text class="tick" x=${px(each)} y=${height - 8}>${short(each)}</text>`)}
    ${low < 0 && high > 0 ? svg`<line class="zero" x1=${px(0)} x2=${px(0)} y1="0" y2=${height - foot}></line>` : nothing}</svg>`;
}

/** @param {Shown} shown */
function confusion({ document: { confusion: found } }) {
  const { labels, counts } = found;
  if (!counts || labels.length > MOST_CLASSES) return nothing;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Confusion"><table class="confusion">
    <thead><tr><th scope="col">true class</th>${labels.map((/** @type {string} */ label) => html`<th scope="col">${label}</th>`)}</tr></thead>
    <tbody>${counts.map((/** @type {number[]} */ row, /** @type {number} */ i) => {
      const most = Math.max(1, ...row);
      return html`<tr><th scope="row">${labels[i]}</th>${row.map((count, j) => {
        return html`<td class=${`shade-${Math.ceil((count / most) * 4)} ${i === j ? "right" : "wrong"}`} data-value=${String(count)} data-path=${`fit.confusion.counts.${i}.${j}`}>${count}</td>`;
      })}</tr>`;
    })}</tbody></table></div>`;
}

/** Regions of answers in the plane of two columns, and rows. @param {any} found @param {string[]} classes @param {string} part */
export function regions(found, classes, part) {
  const [width, height, left, foot] = [wide(), wide() * 0.8, 54, 36];
  const { grid_x: xs, grid_y: ys, grid_labels: answers } = found;
  const [dx, dy] = [xs[1] - xs[0], ys[1] - ys[0]];
  const px = (/** @type {number} */ x) => left + ((x - xs[0] + dx / 2) / (xs[xs.length - 1] - xs[0] + dx)) * (width - left);
  const py = (/** @type {number} */ y) => height - foot - ((y - ys[0] + dy / 2) / (ys[ys.length - 1] - ys[0] + dy)) * (height - foot);
  const paths = classes.map(() => "");
  answers.forEach((/** @type {number[]} */ row, /** @type {number} */ i) => {
    const [top, bottom] = [py(ys[i] + dy / 2).toFixed(2), py(ys[i] - dy / 2).toFixed(2)];
    for (let j = 0; j < row.length; ) {
      const from = j;
      while (j < row.length && row[j] === row[from]) j++;
      paths[row[from]] += `M${px(xs[from] - dx / 2).toFixed(2)} ${top}H${px(xs[j - 1] + dx / 2).toFixed(2)}V${bottom}H${px(xs[from] - dx / 2).toFixed(2)}Z`;
    }
  });
  const label = `What the model answers in the plane of ${found.names[0]} and ${found.names[1]}, and ${found.points.length} rows.`;
  return html`<figure class="slice" data-slice=${part}>
    <svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
      ${paths.map((path, kind) => svg`<path class=${`region class-${kind % 5}`} data-class=${kind} d=${path}></path>`)}
      <g class="grid" aria-hidden="true">
        ${ticks(xs[0], xs[xs.length - 1]).map((x) => svg`<text class="below" x=${px(x)} y=${height - 20}>${short(x)}</text>`)}
        ${ticks(ys[0], ys[ys.length - 1]).map((y) => svg`<text class="left" x=${left - 6} y=${py(y) + 4}>${short(y)}</text>`)}
        <text class="left name" x=${width - 4} y=${height - 4}>${found.names[0]}</text>
        <text class="name" x=${left + 6} y="16">${found.names[1]}</text></g>
      ${found.points.map((/** @type {number[]} */ [x, y], /** @type {number} */ k) => point(px(x), py(y), classes.indexOf(found.labels[k])))}
    </svg>
    <figcaption>${classes.map((each, kind) => html`<span class="key"><svg viewBox="-9 -9 18 18" aria-hidden="true">${sign(kind)}</svg> ${each}</span>`)}</figcaption></figure>`;
}

/** @param {number} x @param {number} y @param {number} kind */
const point = (x, y, kind) => svg`<g transform=${`translate(${x} ${y}) scale(.62)`}>${sign(kind)}</g>`;

/** @param {Shown} shown */
function answers({ document: { residuals } }) {
  const { points } = residuals;
  const all = points.flat();
  const [low, high, width, height] = [Math.min(...all), Math.max(...all), wide(), wide() * 0.8];
  const at = (/** @type {number} */ value, /** @type {number} */ room) => 8 + ((value - low) / (high - low || 1)) * (room - 16);
  return html`<svg class="answers" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label="Answers (up) beside true values (across); on the line they are the same.">
    <line class="zero" x1=${at(low, width)} y1=${height - at(low, height)} x2=${at(high, width)} y2=${height - at(high, height)}></line>
    ${points.map((/** @type {number[]} */ [truth, answer]) => svg`<circle r="3.5" cx=${at(truth, width)} cy=${height - at(answer, height)}></circle>`)}</svg>`;
}

/** @param {Shown} shown */
function curve({ curve: found }) {
  if (!found) return nothing;
  return chart(/** @type {any} */ ({ answers: { curve: found } }), "curve", "passes", [{ path: "mistakes", label: "mistakes", look: "--ink", points: true }],
    { title: "Mistakes pass by pass", xLabel: "pass", name: "history" });
}

/** Scores after every pass. @param {any} found */
export function heldOutCurve(found) {
  return chart(/** @type {any} */ ({ answers: { "held-out": found } }), "held-out", "passes", [
    { path: "training", label: "rows learned from", look: "--class-0", points: true },
    { path: "held_out", label: "held-out rows", look: "--class-1", dash: [8, 5], points: true },
  ], { title: `Pass by pass: ${found.metric}`, xLabel: "pass", name: "held-out" });
}

/** What draws the picture of a section, and whether that has the section's numbers as a table itself.
 * @type {Record<string, {draw: (shown: Shown) => any, table?: boolean}>} */
export const PICTURES = {
  compare: { draw: compared },
  weights: { draw: weights },
  margins: { draw: ({ document: found }) => histogram("margins", found.margins, "How many rows have which margin. The numbers are in the table below.") },
  residuals: { draw: ({ document: found }) => histogram("residuals", found.residuals, "How many rows have which residual. The numbers are in the table below.") },
  confusion: { draw: confusion, table: true },
  answers: { draw: answers },
  history: { draw: curve, table: true },
};
