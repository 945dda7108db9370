// Learning, pass after pass, with every step written down: the loop of `novikoff.learn`, for small sets of rows.

import { zeroSum } from "./exact.js";
import { margin, predicted, push } from "./forms.js";
import { makeOrder, REPEATING } from "./orders.js";
import { PERCEPTRON } from "./rules.js";

/** @typedef {import("./forms.js").Form} Form */
/**
 * @typedef {object} Task
 * @property {number[][]} X
 * @property {number[]} y class numbers 0, 1, …
 * @property {number} [outputs] 1 for two classes, else one for each class
 * @property {Form} [form]
 * @property {import("./rules.js").Rule} [rule]
 * @property {number} [eta]
 * @property {number} [decay] λ: before each step the weights, not the bias, shrink by 1 − ηλ
 * @property {string} [order]
 * @property {number} [batch]
 * @property {number[][]} [start] the bias last
 * @property {number} [constant2] the square of the constant feature; 0: no bias
 * @property {number} [seed]
 * @property {number} passes at most
 * @property {number} [steps] that are written down at most
 * @property {boolean} [updates] whether only steps that move the weights are written down
 * @property {boolean} [quiet] whether nothing is written down except the weights after every pass
 */
/**
 * @typedef {{rows: number[], pass: number, moved: boolean, mistakes: number, scores: number[][], before: number[][], after: number[][],
 *   run: number}} Step
 */
/** @typedef {{start: number[][], steps: Step[], passes: number, reason: string, complete: boolean, ends: number[][][],
 *   mistakes: number, tally: number[][] | null}} Learned  ends: the weights after every pass; tally: each row's steps over a cycle */

/** Scores of one row. @param {number[][]} weights @param {number[]} x */
export function scoresOf(weights, x) {
  return weights.map((w) => {
    let a = 0;
    for (let j = 0; j < x.length; j++) a += x[j] * w[j];
    return a + w[x.length];
  });
}

/** Rows whose class is not predicted. @param {number[][]} X @param {number[]} y @param {number[][]} weights */
export function errorsOf(X, y, weights) {
  return X.reduce((count, x, row) => count + (predicted(scoresOf(weights, x)) === y[row] ? 0 : 1), 0);
}

/** @param {number[][]} one @param {number[][]} other */
const same = (one, other) => one.every((w, k) => w.every((value, j) => value === other[k][j]));

/** Weights less what is common to all classes. @param {number[][]} weights */
const apart = (weights) => weights.map((w) => w.map((value, j) => value - weights[0][j]));

/** Learn until nothing is left to do, weights come back, the passes are over or enough steps are written down.
 * @param {Task} task @returns {Learned} */
export function learn(task) {
  const { X, y, rule = PERCEPTRON, form = "binary", outputs = 1, eta = 1, decay = 0, order = "cyclic", batch = 1, constant2 = 1 } = task;
  const width = X[0].length;
  const weights = (task.start ?? Array.from({ length: outputs }, () => new Array(width + 1).fill(0))).map((w) => [...w]);
  const copy = () => weights.map((w) => [...w]);
  const lengths = X.map((x) => x.reduce((sum, value) => sum + value * value, 0) + constant2);
  const rows = makeOrder(order, y, task.seed ?? 0, () => worstRow(X, y, form, weights));
  const start = copy();
  const most = task.steps ?? Infinity;
  /** @type {Step[]} */
  const steps = [];
  /** @type {number[][][]} */
  const ends = [];
  const drifts = form === "all" && outputs > 1;
  const state = () => (drifts ? apart(weights) : copy());
  let landmark = { weights: state(), passes: 0, patience: 1 }; // Brent 1980: a cycle of any length is found
  let [run, total, passes, reason, complete] = [0, 0, 0, "", true];
  /** @type {number[][] | null} */
  let tally = null;

  /** One batch. @param {number[]} some */
  const take = (some) => {
    const scores = some.map((row) => scoresOf(weights, X[row]));
    const pushed = some.map((row, k) => push(form, rule, y[row], scores[k], lengths[row]));
    const scale = Math.max(0, 1 - eta * decay);
    let moved = false;
    some.forEach((row, k) => pushed[k].steps.forEach((g, output) => {
      if (g === 0) return;
      moved = true;
      const [w, along] = [weights[output], (eta / scale) * g];
      for (let j = 0; j < width; j++) w[j] += along * X[row][j];
      w[width] += constant2 * (eta * g);
    }));
    if (scale !== 1) for (const w of weights) for (let j = 0; j < width; j++) w[j] *= scale;
    const mistakes = pushed.reduce((sum, each) => sum + each.mistakes, 0);
    run = moved || mistakes ? 0 : run + some.length;
    return { scores, moved, mistakes };
  };

  /** What the steps of a round add up to, for each row and output. @param {number} count of passes */
  const around = (count) => {
    const kept = copy();
    const found = X.map(() => new Array(outputs).fill(0));
    for (let pass = 0; pass < count; pass++) {
      const all = rows();
      for (let place = 0; place < all.length; place += batch) {
        const some = all.slice(place, place + batch);
        const scores = some.map((row) => scoresOf(weights, X[row]));
        some.forEach((row, k) => push(form, rule, y[row], scores[k], lengths[row]).steps.forEach((g, output) => { found[row][output] += eta * g; }));
        take(some);
      }
    }
    kept.forEach((w, k) => { weights[k] = w; });
    return found;
  };

  while (!reason && passes < task.passes) {
    passes += 1;
    let [wrong, moves] = [0, false];
    const all = rows();
    for (let place = 0; place < all.length && complete; place += batch) {
      const some = all.slice(place, place + batch);
      const before = task.quiet || steps.length === most ? [] : copy();
      const { scores, moved, mistakes } = take(some);
      if (!weights.every((w) => w.every(Number.isFinite))) throw new RangeError("The weights are no longer finite: choose a smaller η.");
      [wrong, moves, total] = [wrong + mistakes, moves || moved, total + mistakes];
      if (task.quiet || (!moved && task.updates)) continue;
      if (steps.length === most) complete = false;
      else steps.push({ rows: some, pass: passes, moved, mistakes, scores, before, after: copy(), run });
    }
    ends.push(copy());
    const right = !wrong && !moves && !decay && complete;
    if (right && (order !== "random" || X.every((x, row) => !push(form, rule, y[row], scoresOf(weights, x), lengths[row]).mistakes))) reason = "separated";
    else if (!complete) reason = "callback";
    else if (REPEATING.includes(order)) {
      landmark.passes += 1;
      const now = state();
      if (same(now, landmark.weights)) {
        const found = around(landmark.passes);
        if (!drifts || zeroSum(found, X, constant2 > 0)) [reason, tally] = ["cycle", found];
      }
      if (!reason && landmark.passes === landmark.patience) landmark = { weights: now, passes: 0, patience: 2 * landmark.patience };
    }
  }
  return { start, steps, passes, reason: reason || "budget", complete, ends, mistakes: total, tally };
}

/** The row of the smallest margin, the first of equals. @param {number[][]} X @param {number[]} y @param {Form} form @param {number[][]} weights */
function worstRow(X, y, form, weights) {
  let [least, worst] = [Infinity, 0];
  X.forEach((x, row) => {
    const clear = margin(form, y[row], scoresOf(weights, x));
    if (!(clear >= least)) [least, worst] = [clear, row];
  });
  return worst;
}
