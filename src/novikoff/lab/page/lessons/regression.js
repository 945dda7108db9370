// Adaline as regression: row by row, all rows at once, and directly (L0 11.64.1, L1).

import { MEASURED, NO_LINE } from "./points.js";
import { number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_STEPS = 1000; // that the page can go through

/** Rows of class 0 are learned from; the line is t = w·x + b. @param {Data} data @param {Parameters} parameters */
function regression(data, parameters) {
  const rows = data.y.map((_, row) => row).filter((row) => data.y[row] === 0);
  if (rows.length < 2) throw new Error("Fewer than two rows are learned from: turn the class of another.");
  const { eta, passes } = parameters;
  const output = (/** @type {number[]} */ w, /** @type {number} */ row) => w[0] * data.X[row][0] + w[1];
  const squares = (/** @type {number[]} */ w, /** @type {number[]} */ some) => some.reduce((sum, row) => sum + (data.X[row][1] - output(w, row)) ** 2, 0);
  const held = data.y.map((_, row) => row).filter((row) => data.y[row] === 1);
  let w = parameters.start;
  const steps = [];
  const [ends, batch] = [[w], [w]];
  for (let pass = 1; pass <= passes; pass++) {
    for (const row of rows) {
      const [x, t] = data.X[row];
      const [before, o] = [w, output(w, row)];
      w = [w[0] + eta * (t - o) * x, w[1] + eta * (t - o)];
      steps.push({ row, pass, moved: true, x, t, output: o, miss: t - o, before, after: w, error: squares(w, rows) });
    }
    const old = batch[pass - 1];
    const misses = rows.map((row) => data.X[row][1] - output(old, row));
    ends.push(w);
    batch.push([old[0] + eta * rows.reduce((sum, row, k) => sum + misses[k] * data.X[row][0], 0), old[1] + eta * misses.reduce((sum, miss) => sum + miss, 0)]);
    if (steps.length + rows.length > MOST_STEPS || ![...w, ...batch[pass]].every((value) => Math.abs(value) < 1e9)) break;
  }
  const direct = leastSquares(rows.map((row) => data.X[row]));
  const each = (/** @type {number[][]} */ path) => path.map((one) => squares(one, rows));
  return { start: parameters.start, steps, passes: ends.map((_, k) => k), batch, direct, error_rows: each(ends), error_batch: each(batch), error_direct: direct && ends.map(() => squares(direct, rows)), error_start: squares(parameters.start, rows),
    held: held.length, held_error: held.length ? squares(w, held) / held.length : null, rows: rows.length, said: said(each(ends), each(batch), direct && squares(direct, rows)) };
}

/** The line of the least squared error; null if all x are equal. @param {number[][]} points @returns {number[] | null} */
function leastSquares(points) {
  const [mx, mt] = [0, 1].map((j) => points.reduce((sum, point) => sum + point[j], 0) / points.length);
  const spread = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  if (!(spread > 0)) return null;
  const slope = points.reduce((sum, [x, t]) => sum + (x - mx) * (t - mt), 0) / spread;
  return [slope, mt - slope * mx];
}

/** @param {number[]} single @param {number[]} batch @param {number | null} least */
function said(single, batch, least) {
  const [one, all] = [single[single.length - 1], batch[batch.length - 1]];
  if (!(one < 1e3 * single[0] + 1)) return "The steps lead away: η is too large, even row by row.";
  if (!(all < 1e3 * batch[0] + 1)) return "All rows at once make too long a step for this η; row by row it still works. A batch needs a smaller η.";
  if (least === null) return "All x are equal: no single line is the best.";
  return "Both ways come close to the best line. Row by row, the weights do not reach it: each row that is read pulls them towards itself.";
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const { eta, passes, start } = parameters;
  return `import numpy as np\n\nfrom novikoff import AdalineRegressor\n\nlearned = [row for row, held_out in zip(X, y) if not held_out]\nx, t = np.array(learned).T\n` +
    `single = AdalineRegressor(solver="steps", eta=${number(eta)}, l2=0, order="cyclic", keep="last", init=[${numbers(start)}], min_progress=None, max_iter=${passes}).fit(x[:, None], t)\n` +
    "print(single.coef_, single.intercept_)\nprint(np.polyfit(x, t, 1))  # directly\n";
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "regression",
  title: "Adaline as regression",
  lectures: "L0 11.64.1, L1",
  text: [
    "Adaline’s output is a number, o = w·x + b, and its targets t may be any numbers. So it does linear regression: here x goes to the right, and t up. Its update, w ← w + η·(t − o)·x, makes the squared error of this row smaller.",
    "Row by row (incremental) nothing has to be kept in memory. All rows at once (batch) sums the same updates, then makes one step. The direct way solves two equations and is done.",
  ],
  task: "Find the largest η for which all rows at once still come to the best line, and the largest for row by row. Then drag one row far up: how much does the line follow?",
  presets: [
    { name: "measured", title: "Eight measurements", data: MEASURED, parameters: {} },
    { name: "large", title: "η too large for a batch", data: MEASURED, parameters: { eta: 0.11 } },
    { name: "small", title: "η small: both go the same way", data: MEASURED, parameters: { eta: 0.002, passes: 60 } },
    { name: "bent", title: "No line fits", data: NO_LINE, parameters: { eta: 0.02 } },
  ],
  controls: [
    { name: "start", label: "Start", default: [0, 0], low: -1000, high: 1000, parts: ["w", "b"] },
    { name: "eta", label: "Learning rate η", default: 0.02, low: 0.0001, high: 10 },
    { name: "passes", label: "Passes", default: 30, low: 1, high: 100, step: 1, whole: true },
  ],
  asks: { regression: { answer: regression } },
  python,
};
