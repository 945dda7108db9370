// Descent: lines of equal error over two weights, the way down, and the rows beside it.

import { html, nothing, svg } from "../vendor/lit-html.js";
import { chart } from "../chart.js";
import { num, short, vector, weightsOf } from "../numbers.js";
import { arrowOf, curves, grid, line, mapOf, plane, rowsTable } from "../plane.js";

/** @typedef {import("../types.js").Lab} Lab */

/** @param {Lab} lab */
export function view(lab) {
  const { bowl } = lab.answers;
  if (!bowl) return html`<div class="columns">${plane(lab, { label: "Rows in the plane" })}</div>${rowsTable(lab)}`;
  const last = bowl.path.length - 1;
  const asked = Number(lab.scene.view.descent ?? last);
  const at = Number.isInteger(asked) && asked >= 0 ? Math.min(asked, last) : last;
  return html`<div class=${`columns ${lab.stale.bowl ? "stale" : ""}`}><div>${picture(lab, bowl, at, last)}</div>
    <div class="side"><section class="card" aria-label="Descent"><h2>After this step</h2>
      ${vector([["step", num(lab, "bowl", "k", at)], ...weightsOf(lab, "bowl", "path", at).slice(0, 2), ["error", num(lab, "bowl", "errors", at)],
        ...(bowl.limit === null ? [] : [["largest η", num(lab, "bowl", "limit")]])])}
      <p class="verdict">${bowl.said}</p></section></div></div>
    <div class="pair"><div>${plane(lab, { label: "Rows in the plane, with the line of the weights",
      below: (map) => [line(map, [...bowl.path[at], 0], "line main"), arrowOf(map, [...bowl.path[at], 0])],
      legend: html`<span class="key"><span class="swatch ink"></span>line w·x = 0</span><span class="key">→ w, to the side of +1</span>` })}${rowsTable(lab)}</div>
    ${chart(lab, "bowl", "k", [{ path: "errors", label: "all rows at once", look: "--class-1", points: true }, { path: "errors_row_by_row", label: "row by row, after each pass", look: "--class-2", dash: [8, 5], points: true }],
      { title: "The error after each step", xLabel: "steps, or passes", name: "descent" })}</div>`;
}

/** @param {Lab} lab @param {any} bowl @param {number} at @param {number} last */
function picture(lab, bowl, at, last) {
  const map = mapOf(bowl.frame);
  const [x0, x1, y0, y1] = map.frame;
  const chosen = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const to = [x0 + ((event.clientX - box.left) / box.width) * (x1 - x0), y1 - ((event.clientY - box.top) / box.height) * (y1 - y0)];
    lab.setParameters({ start: to.map((each) => Math.round(each * 64) / 64) });
  };
  const dots = (/** @type {number[][]} */ path, /** @type {string} */ look) => path.map(([x, y]) => svg`<circle class=${look} r="3" cx=${map.px(x)} cy=${map.py(y)}></circle>`);
  const alone = bowl.row_by_row.slice(0, at * bowl.rows + 1);
  return html`<figure class="plane"><svg viewBox=${`0 0 ${map.width} ${map.height}`} role="img" class="adding" @click=${chosen}
      aria-label=${`Lines of equal error over two weights, and the steps of descent. ${bowl.said}`}>
      ${grid(map, ["w₁", "w₂"])}
      ${bowl.lines.map((/** @type {any} */ each) => curves(map, each.lines, "contour"))}
      ${curves(map, [alone], "descent alone")}
      ${curves(map, [bowl.path.slice(0, at + 1)], "descent")} ${dots(bowl.path.slice(0, at + 1), "descended")}
      <circle class="descended now" r="6.5" cx=${map.px(bowl.path[at][0])} cy=${map.py(bowl.path[at][1])}></circle>
      ${bowl.bottom ? svg`<path class="mark bottom" d=${`M${map.px(bowl.bottom[0]) - 7} ${map.py(bowl.bottom[1])} h14 m-7 -7 v14`}></path>` : nothing}
    </svg>
    <figcaption><span class="key"><span class="swatch class-0"></span>equal error</span><span class="key"><span class="swatch class-1"></span>all rows at once</span>
      <span class="key"><span class="swatch class-2 dashed"></span>row by row</span>${bowl.bottom ? html`<span class="key">+ bottom</span>` : nothing}<span>A click in this picture sets the start.</span></figcaption></figure>
    <div class="stepper" role="group" aria-label="Steps"><input type="range" min="0" max=${last} .value=${String(at)} aria-label="Steps of descent" aria-valuetext=${`${at} of ${last}, error ${short(bowl.errors[at])}`}
      @input=${(/** @type {any} */ event) => lab.setView({ descent: Number(event.target.value) })}><p class="place">step ${at} of ${last}</p></div>`;
}
