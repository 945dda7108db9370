// The plane: rows as crosses and rings that can be dragged, and whatever a demonstration draws between them.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { folded, scrolled } from "./folds.js";
import { short } from "./numbers.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {{px: (x: number) => number, py: (y: number) => number, frame: Frame, width: number, height: number}} Map */
/** @typedef {{label: string, below?: (map: Map) => any, above?: (map: Map) => any, rings?: number[], current?: number | null,
 *   legend?: any}} Picture */

const EDGE = 28;
const LARGEST = 1e9; // of a number in a scene

/** The size of the picture, in its own units: on a phone fewer, so that letters and marks stay large. */
const size = () => (innerWidth < 560 ? { width: 400, height: 360 } : { width: 640, height: 480 });

/** The part of the plane that shows all rows, as wide as it is high in units. @param {number[][]} X @returns {Frame} */
export function frameOf(X) {
  const xs = X.map((row) => row[0]);
  const ys = X.map((row) => row[1]);
  const [x0, x1] = [Math.min(0, ...xs), Math.max(0, ...xs)];
  const [y0, y1] = [Math.min(0, ...ys), Math.max(0, ...ys)];
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const wide = 0.62 * Math.max(x1 - x0, 1e-6);
  const high = 0.62 * Math.max(y1 - y0, 1e-6);
  return [cx - wide, cx + wide, cy - high, cy + high];
}

/** A frame that holds this one, in the shape of the picture: one unit is as long across as up.
 * @param {Frame} frame @param {number} width @param {number} height @returns {Frame} */
function shaped([x0, x1, y0, y1], width, height) {
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const half = Math.max((y1 - y0) / 2, ((x1 - x0) / 2) * (height / width));
  const wide = (half * width) / height;
  return [cx - wide, cx + wide, cy - half, cy + half];
}

/** @param {Frame} frame @param {{width: number, height: number}} [room] of the picture @returns {Map} */
export function mapOf(frame, room = size()) {
  const { width, height } = room;
  const whole = shaped(frame, width, height);
  const [x0, x1, y0, y1] = whole;
  return {
    px: (x) => ((x - x0) / (x1 - x0)) * width,
    py: (y) => height - ((y - y0) / (y1 - y0)) * height,
    frame: whole,
    width,
    height,
  };
}

/** Round numbers from one to another. @param {number} from @param {number} to @returns {number[]} */
export function ticks(from, to) {
  const rough = (to - from) / 7;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) || power;
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** A step of the grid that rows snap to while dragged: a power of two, so that fractions stay short. @param {Frame} frame */
export function gridOf(frame) {
  return 2 ** Math.round(Math.log2((frame[1] - frame[0]) / 160));
}

/** The line w1 x + w2 y + b = 0 within the picture; nothing if there is none in it.
 * @param {Map} map @param {number[]} weights @param {string} look @param {number} [shift] how far to move it along w, in units */
export function line(map, weights, look, shift = 0) {
  const [w1, w2, b] = weights;
  const length = Math.hypot(w1, w2);
  if (length === 0) return nothing;
  const [x0, x1, y0, y1] = map.frame;
  const foot = [(-b * w1) / length ** 2 + (shift * w1) / length, (-b * w2) / length ** 2 + (shift * w2) / length];
  const way = [-w2 / length, w1 / length];
  let [from, to] = [-Infinity, Infinity];
  for (const [start, along, low, high] of [[foot[0], way[0], x0, x1], [foot[1], way[1], y0, y1]]) {
    if (along === 0) {
      if (start < low || start > high) return nothing;
    } else {
      const [one, other] = [(low - start) / along, (high - start) / along];
      from = Math.max(from, Math.min(one, other));
      to = Math.min(to, Math.max(one, other));
    }
  }
  if (from >= to) return nothing;
  const [ax, ay] = [foot[0] + from * way[0], foot[1] + from * way[1]];
  const [bx, by] = [foot[0] + to * way[0], foot[1] + to * way[1]];
  return svg`<line class=${look} x1=${map.px(ax)} y1=${map.py(ay)} x2=${map.px(bx)} y2=${map.py(by)}></line>`;
}

/** The arrow of the weights: from their line to the side of +1. @param {Map} map @param {number[]} weights */
export function arrowOf(map, [w1, w2, b]) {
  const length = w1 * w1 + w2 * w2;
  if (!length) return nothing;
  const foot = [(-b * w1) / length, (-b * w2) / length];
  const reach = (0.14 * (map.frame[1] - map.frame[0])) / Math.sqrt(length);
  return arrow(map, foot, [foot[0] + reach * w1, foot[1] + reach * w2], "arrow");
}

/** An arrow from one point to another. @param {Map} map @param {number[]} from @param {number[]} to @param {string} look */
function arrow(map, from, to, look) {
  const [ax, ay, bx, by] = [map.px(from[0]), map.py(from[1]), map.px(to[0]), map.py(to[1])];
  const length = Math.hypot(bx - ax, by - ay);
  if (length < 2) return nothing;
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  const head = Math.min(11, length);
  const base = [bx - head * ux, by - head * uy];
  const side = [-uy * head * 0.45, ux * head * 0.45];
  const corners = [[bx, by], [base[0] + side[0], base[1] + side[1]], [base[0] - side[0], base[1] - side[1]]];
  return svg`<g class=${look}><line x1=${ax} y1=${ay} x2=${base[0]} y2=${base[1]}></line>
    <polygon points=${corners.map((each) => each.join(",")).join(" ")}></polygon></g>`;
}

/** A shape with these corners. @param {Map} map @param {number[][]} corners @param {string} look */
export function shape(map, corners, look) {
  return svg`<polygon class=${look} points=${corners.map(([x, y]) => `${map.px(x)},${map.py(y)}`).join(" ")}></polygon>`;
}

/** A star, for a point of both hulls. @param {Map} map @param {number[]} at */
export function star(map, at) {
  const corners = Array.from({ length: 10 }, (_, k) => {
    const [reach, turn] = [k % 2 ? 4.5 : 11, (Math.PI * k) / 5 - Math.PI / 2];
    return `${map.px(at[0]) + reach * Math.cos(turn)},${map.py(at[1]) + reach * Math.sin(turn)}`;
  });
  return svg`<polygon class="star" points=${corners.join(" ")}><title>A point of both hulls</title></polygon>`;
}

/** Lines through these points, one after the other. @param {Map} map @param {number[][][]} lines @param {string} look */
export function curves(map, lines, look) {
  return lines.map((points) => svg`<polyline class=${look} points=${points.map(([x, y]) => `${map.px(x)},${map.py(y)}`).join(" ")}></polyline>`);
}

/** The sign of a class: a cross for +1, a ring for -1, then others. @param {number} kind */
export function sign(kind) {
  if (kind === 1) return svg`<path class="mark class-1" d="M-6 -6 L6 6 M-6 6 L6 -6"></path>`;
  if (kind === 0) return svg`<circle class="mark class-0" r="6.5"></circle>`;
  const corners = Array.from({ length: kind + 1 }, (_, k) => {
    const turn = (2 * Math.PI * k) / (kind + 1) - Math.PI / 2;
    return `${8 * Math.cos(turn)},${8 * Math.sin(turn)}`;
  });
  return svg`<polygon class=${`mark class-${kind}`} points=${corners.join(" ")}></polygon>`;
}

/** The classes in order; of two, +1 before -1. @param {import("./types.js").Data} data */
const kinds = (data) => (data.classes.length > 2 ? data.classes.map((_, kind) => kind) : [1, 0]);

/** @type {{row: number, moved: boolean} | null} */
let dragged = null;

/** The plane with the rows of a scene. @param {Lab} lab @param {Picture} picture */
export function plane(lab, picture) {
  const { data, view } = lab.scene;
  const map = mapOf(view.frame || frameOf(data.X));
  const tool = view.tool || "move";
  return html`<figure class="plane">
    <svg viewBox=${`0 0 ${map.width} ${map.height}`} role="group" aria-label=${picture.label}
      class=${tool !== "move" ? "adding" : nothing}
      @pointerdown=${(/** @type {PointerEvent} */ event) => pressed(event, lab, map, tool)}
      @pointermove=${(/** @type {PointerEvent} */ event) => moved(event, lab, map)}
      @pointerup=${() => released(lab)} @pointercancel=${() => released(lab)}>
      ${grid(map, data.names)} ${picture.below?.(map) ?? nothing}
      ${data.X.map((_, row) => point(lab, map, row, picture))} ${picture.above?.(map) ?? nothing}
    </svg>
    <figcaption>${kinds(data).map((kind) => html`<span class="key"><svg viewBox="-9 -9 18 18" aria-hidden="true">${sign(kind)}</svg> ${data.classes[kind]}</span>`)}
      ${picture.legend ?? nothing}</figcaption>
    ${tools(lab, tool)}
  </figure>`;
}

/** The lines of the axes, with numbers. @param {Map} map @param {string[]} names */
export function grid(map, names) {
  const [x0, x1, y0, y1] = map.frame;
  const { width, height } = map;
  const clampX = Math.min(Math.max(map.px(0), EDGE), width - EDGE);
  const clampY = Math.min(Math.max(map.py(0), EDGE), height - EDGE);
  return svg`<g class="grid" aria-hidden="true">
    ${ticks(x0, x1).map((x) => svg`<line class=${x === 0 ? "axis" : "tick"} x1=${map.px(x)} x2=${map.px(x)} y1="0" y2=${height}></line>
      <text x=${map.px(x)} y=${clampY + 16} class="below">${x === 0 ? "" : short(x)}</text>`)}
    ${ticks(y0, y1).map((y) => svg`<line class=${y === 0 ? "axis" : "tick"} y1=${map.py(y)} y2=${map.py(y)} x1="0" x2=${width}></line>
      <text x=${clampX - 7} y=${map.py(y) + 4} class="left">${y === 0 ? "" : short(y)}</text>`)}
    <text x=${width - 8} y=${clampY - 8} class="left name">${names[0]}</text>
    <text x=${clampX + 10} y="16" class="name">${names[1]}</text></g>`;
}

/** @param {Lab} lab @param {Map} map @param {number} row @param {Picture} picture */
function point(lab, map, row, picture) {
  const { data } = lab.scene;
  const [x, y] = data.X[row];
  const kind = data.y[row];
  const label = `Row ${row}: ${data.names[0]} = ${short(x)}, ${data.names[1]} = ${short(y)}, class ${data.classes[kind]}. Arrow keys move it, Space turns its label, Delete removes it.`;
  const look = ["row", picture.current === row ? "current" : "", picture.rings?.includes(row) ? "ringed" : ""].join(" ");
  return svg`<g class=${look} data-row=${row} transform=${`translate(${map.px(x)} ${map.py(y)})`}
    tabindex="0" role="button" aria-label=${label}
    @keydown=${(/** @type {KeyboardEvent} */ event) => typed(event, lab, map, row)}>
    <circle class="touch" r="20"></circle><circle class="ring" r="13"></circle>${sign(kind)}</g>`;
}

/** @param {Lab} lab @param {string} tool */
function tools(lab, tool) {
  const { data } = lab.scene;
  const choices = [["move", "moves a row"], ...kinds(data).map((kind) => [`add-${kind}`, `adds ${data.classes[kind]}`]), ["remove", "removes a row"]];
  return html`<fieldset class="tools"><legend>A click</legend>
    ${choices.map(([name, text]) => html`<label><input type="radio" name="tool" value=${name} .checked=${tool === name}
      @change=${() => lab.setView({ tool: name })}><span>${text}</span></label>`)}</fieldset>`;
}

/** @param {number} value @param {number} grid */
const snapped = (value, grid) => Math.round(value / grid) * grid;

/** Where the pointer is, in units, on the grid and within the picture. @param {PointerEvent} event @param {Map} map */
export function place(event, map) {
  const target = /** @type {SVGElement} */ (event.currentTarget);
  const box = (target.ownerSVGElement || target).getBoundingClientRect();
  const [x0, x1, y0, y1] = map.frame;
  const grid = gridOf(map.frame);
  const x = x0 + (Math.min(Math.max(event.clientX - box.left, 4), box.width - 4) / box.width) * (x1 - x0);
  const y = y1 - (Math.min(Math.max(event.clientY - box.top, 4), box.height - 4) / box.height) * (y1 - y0);
  return [snapped(x, grid), snapped(y, grid)];
}

/** The row that is nearest to the pointer: rows that lie close together cover each other. @param {PointerEvent} event
 * @param {number[][]} X @param {Map} map */
function nearest(event, X, map) {
  const box = /** @type {SVGElement} */ (event.currentTarget).getBoundingClientRect();
  const [x, y] = [((event.clientX - box.left) / box.width) * map.width, ((event.clientY - box.top) / box.height) * map.height];
  const far = X.map((row) => Math.hypot(map.px(row[0]) - x, map.py(row[1]) - y));
  return far.indexOf(Math.min(...far));
}

/** @param {PointerEvent} event @param {Lab} lab @param {Map} map @param {string} tool */
function pressed(event, lab, map, tool) {
  if (event.button !== 0) return;
  const target = /** @type {Element} */ (event.target).closest("[data-row]");
  const { data } = lab.scene;
  if (tool.startsWith("add") && !target) {
    lab.setData({ ...data, X: [...data.X, place(event, map)], y: [...data.y, Number(tool.at(-1))] });
    lab.say(`Row ${data.X.length} added.`);
  } else if (target) {
    const row = nearest(event, data.X, map);
    if (tool === "remove") return removed(lab, row);
    dragged = { row, moved: false };
    /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
  }
}

/** @param {PointerEvent} event @param {Lab} lab @param {Map} map */
function moved(event, lab, map) {
  if (!dragged) return;
  const { data } = lab.scene;
  const to = place(event, map);
  const now = data.X[dragged.row];
  if (!now || (now[0] === to[0] && now[1] === to[1])) return;
  dragged.moved = true;
  lab.setData({ ...data, X: data.X.map((each, row) => (row === dragged?.row ? to : each)) }, true);
}

/** @param {Lab} lab */
function released(lab) {
  if (dragged?.moved) lab.setData(lab.scene.data);
  dragged = null;
}

/** @param {Lab} lab @param {number} row */
export function removed(lab, row) {
  const { data } = lab.scene;
  if (data.X.length <= 2) return lab.say("Two rows must stay.");
  lab.setData({ ...data, X: data.X.filter((_, each) => each !== row), y: data.y.filter((_, each) => each !== row) });
  lab.say(`Row ${row} removed.`);
}

/** Another label for a row. @param {Lab} lab @param {number} row */
export function turned(lab, row) {
  const { data } = lab.scene;
  const y = data.y.map((kind, each) => (each === row ? (kind + 1) % data.classes.length : kind));
  lab.setData({ ...data, y });
  lab.say(`Row ${row} is now of class ${data.classes[y[row]]}.`);
}

/** Where an arrow key moves a place to; null for other keys. @param {KeyboardEvent} event @param {Map} map @param {number[]} from */
export function stepped(event, map, from) {
  const step = gridOf(map.frame) * (event.shiftKey ? 16 : 4);
  const move = MOVES[event.key];
  return move ? from.map((value, k) => snapped(value + move[k] * step, step / 4)) : null;
}

const MOVES = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] });

/** @param {KeyboardEvent} event @param {Lab} lab @param {Map} map @param {number} row */
function typed(event, lab, map, row) {
  const { data } = lab.scene;
  const to = stepped(event, map, data.X[row]);
  if (to) {
    lab.setData({ ...data, X: data.X.map((each, other) => (other === row ? to : each)) });
    lab.say(`Row ${row} at ${short(to[0])}, ${short(to[1])}.`);
  } else if (event.key === " " || event.key === "Enter") turned(lab, row);
  else if (event.key === "Delete" || event.key === "Backspace") removed(lab, row);
  else return;
  event.preventDefault();
}

/** The rows as a table: the picture for those who do not see it, and exact places for those who do. @param {Lab} lab */
export function rowsTable(lab) {
  const { data } = lab.scene;
  const change = (/** @type {number} */ row, /** @type {number} */ column, /** @type {string} */ text) => {
    const value = Number(text);
    if (text.trim() === "" || !(Math.abs(value) <= LARGEST)) return lab.say("Give a number between −1e9 and 1e9.");
    lab.setData({ ...data, X: data.X.map((each, k) => (k === row ? each.map((old, j) => (j === column ? value : old)) : each)) });
  };
  return folded("The rows as a table", () => scrolled("Rows", ["row", ...data.names, "class"], data.X.map((each, row) => html`<tr><th scope="row">${row}</th>
      ${each.map((value, column) => html`<td><input inputmode="decimal" size="6" .value=${String(value)}
        aria-label=${`Row ${row}, ${data.names[column]}`}
        @change=${(/** @type {any} */ event) => change(row, column, event.target.value)}></td>`)}
      <td><button class="plain" @click=${() => turned(lab, row)}
        aria-label=${`Row ${row} is ${data.classes[data.y[row]]}: turn its label`}>${data.classes[data.y[row]]}</button></td></tr>`)));
}
