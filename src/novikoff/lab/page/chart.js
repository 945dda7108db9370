// A chart with axes, drawn by uPlot, and the same numbers as a table.

import { html, nothing } from "./vendor/lit-html.js";
import { at, num } from "./numbers.js";

/** @typedef {import("./types.js").Lab} Lab */
/** Of one curve. ``only``: points and no line; ``joined``: the line goes on over places without a value.
 * @typedef {{path: string | (string | number)[], label: string, look: string, dash?: number[], points?: boolean, only?: boolean,
 *   joined?: boolean}} Series */

/** What is drawn in a holder, and of what. @type {WeakMap<Element, {plot: any, of: any, look: string, mark: number | undefined}>} */
const charts = new WeakMap();

/** @param {string} name */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Draw, or draw again, the chart of a canvas holder. @param {HTMLElement} holder @param {any} answer @param {string} x
 * @param {Series[]} series @param {string} xLabel @param {number} [mark] */
function draw(holder, answer, x, series, xLabel, mark) {
  const width = holder.clientWidth || 320;
  const drawn = charts.get(holder);
  const looks = `${width} ${document.documentElement.dataset.theme} ${series.map((each) => each.path)}`;
  const curves = () => [answer[x], ...series.map((each) => at(answer, [each.path].flat()))];
  if (drawn?.look === looks) {
    const [same, there] = [drawn.of === answer, drawn.mark === mark];
    Object.assign(drawn, { of: answer, mark });
    if (!same) drawn.plot.setData(curves()); // a new chart takes ten times as long, and charts follow the pointer
    else if (!there) drawn.plot.redraw(false);
    return;
  }
  const look = { stroke: colour("--soft"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { stroke: colour("--rule"), width: 1 } };
  const letter = parseFloat(getComputedStyle(document.documentElement).fontSize); // larger on a projector
  const font = `${0.75 * letter}px system-ui, sans-serif`;
  const values = (/** @type {any} */ _, /** @type {number[]} */ at) => at.map((each) => each.toLocaleString("en").replace("-", "−"));
  const options = {
    width,
    height: Math.max(200, Math.min(300, width * 0.6)),
    legend: { show: false },
    cursor: { show: false },
    hooks: { draw: [(/** @type {any} */ plot) => marked(plot, charts.get(holder)?.mark ?? mark)] },
    scales: { x: { time: false } },
    axes: [
      { ...look, font, values, label: xLabel, labelFont: font, labelSize: 1.4 * letter, size: 3.1 * letter },
      { ...look, font, values, size: 3.9 * letter },
    ],
    series: [{}, ...series.map((each) => ({ label: each.label, stroke: colour(each.look), width: 2, dash: each.dash,
      spanGaps: Boolean(each.joined), ...(each.only ? { paths: () => null } : {}),
      points: { show: Boolean(each.points || each.only), size: each.only ? 9 : 5, fill: colour(each.look) } }))],
  };
  drawn?.plot.destroy();
  charts.delete(holder);
  charts.set(holder, { plot: new /** @type {any} */ (globalThis).uPlot(options, curves(), holder), of: answer, look: looks, mark });
}

/** An upright line at the place where the view stands. @param {any} plot @param {number | undefined} at */
function marked(plot, at) {
  if (at === undefined) return;
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(at, "x", true));
  ctx.save();
  [ctx.strokeStyle, ctx.lineWidth] = [colour("--soft"), devicePixelRatio];
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** A chart of one answer. @param {Lab} lab @param {string} ask @param {string} x @param {Series[]} series
 * @param {{title: string, xLabel: string, name: string, at?: number}} words with the place on the x axis to mark */
export function chart(lab, ask, x, series, words) {
  const answer = lab.answers[ask];
  if (!answer) return nothing;
  const id = `chart-${words.name}`;
  queueMicrotask(() => requestAnimationFrame(() => {
    const holder = document.getElementById(id);
    if (holder) draw(holder, answer, x, series, words.xLabel, words.at);
  }));
  const rows = /** @type {number[]} */ (answer[x]);
  return html`<figure class="chart"><figcaption>${words.title}
    <ul class="legend">${series.map((each) => html`<li><span class=${`swatch ${each.only ? "dots" : each.dash ? "dashed" : ""} ${each.look.slice(2)}`}></span>${each.label}</li>`)}</ul>
    </figcaption><div id=${id} class="canvas" role="img" aria-label=${`${words.title}. The numbers are in the table below.`}></div>
    <details class="table"><summary>These curves as a table</summary><div class="scroll" tabindex="0" role="region" aria-label=${words.title}><table>
      <thead><tr><th scope="col">${words.xLabel}</th>${series.map((each) => html`<th scope="col">${each.label}</th>`)}</tr></thead>
      <tbody>${rows.map((_, k) => html`<tr><td>${num(lab, ask, x, k)}</td>${series.map((each) => html`<td>${num(lab, ask, ...[each.path].flat(), k)}</td>`)}</tr>`)}</tbody>
    </table></div></details></figure>`;
}
