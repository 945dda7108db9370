// Support vector machines of small sets, to a gap: the hard margin by exact nearest points, the soft one by pairs of alphas.

import { fraction, near, times } from "./fractions.js";
import { verdict } from "./verdict.js";

/** @typedef {{w: number[], b: number, alpha: number[], slack: number[], primal: number, dual: number, gap: number, margin: number | null}} Machine */
/** @typedef {{primal: number[], dual: number[]}} Way */

const MOST_STEPS = 200_000;
const TINY = 1e-12; // of the curvature along a pair of equal rows

/** @param {number[]} y */
const signsOf = (y) => y.map((label) => (label === 1 ? 1 : -1));

/** Both objectives at these weights and alphas. @param {number[][]} X @param {number[]} signs @param {number[]} w @param {number} b @param {number[]} alpha @param {number} C @returns {Machine} */
function judged(X, signs, w, b, alpha, C) {
  const slack = X.map((x, i) => Math.max(0, 1 - signs[i] * (x[0] * w[0] + x[1] * w[1] + b)));
  const square = w[0] * w[0] + w[1] * w[1];
  const sums = [0, 1].map((j) => alpha.reduce((sum, each, i) => sum + each * signs[i] * X[i][j], 0));
  const primal = square / 2 + (C < Infinity ? C * slack.reduce((sum, each) => sum + each, 0) : 0);
  const dual = alpha.reduce((sum, each) => sum + each, 0) - (sums[0] ** 2 + sums[1] ** 2) / 2;
  return { w, b, alpha, slack, primal, dual, gap: primal > 0 ? (primal - dual) / primal : 0, margin: square > 0 ? 1 / Math.sqrt(square) : null };
}

/** No slack; null if no line separates the rows. @param {number[][]} X @param {number[]} y @returns {Machine | null} */
export function hardMachine(X, y) {
  const found = verdict(X, y);
  if (!found.separable || !found.weights) return null;
  const [w1, w2, b] = found.weights;
  const square = times(w1, w1);
  const whole = near(fraction(square.n * w2.d * w2.d + w2.n * w2.n * square.d, square.d * w2.d * w2.d));
  const alpha = X.map(() => 0);
  for (const { row, weight } of found.holding) alpha[row] = near(weight) * whole; // Σ α = ‖w‖², and the shares sum to 1
  const machine = judged(X, signsOf(y), [near(w1), near(w2)], near(b), alpha, Infinity);
  return { ...machine, slack: X.map(() => 0), gap: Math.abs(machine.gap) };
}

/** Slack at the price C, until the gap is below tol (C.-C. Chang, C.-J. Lin 2011; R.-E. Fan, P.-H. Chen, C.-J. Lin 2005).
 * @param {number[][]} X @param {number[]} y @param {number} C @param {number} tol @param {{alpha?: number[], way?: Way}} [more] alphas to begin with; where to write objectives down
 * @returns {Machine} */
export function softMachine(X, y, C, tol, more = {}) {
  const signs = signsOf(y);
  const alpha = more.alpha ? [...more.alpha] : X.map(() => 0);
  const w = [0, 1].map((j) => alpha.reduce((sum, each, i) => sum + each * signs[i] * X[i][j], 0));
  let best = judged(X, signs, [...w], bestBias(X, signs, w), alpha, C);
  const every = more.way ? 1 : Math.max(1, Math.floor(X.length / 4));
  for (let step = 1; step <= MOST_STEPS; step++) {
    const pair = chosen(X, signs, alpha, w, C);
    if (pair) moved(X, signs, alpha, w, C, pair);
    if (!pair || step % every === 0) {
      for (const j of [0, 1]) w[j] = alpha.reduce((sum, each, i) => sum + each * signs[i] * X[i][j], 0); // rounding does not add up
      best = judged(X, signs, [...w], bestBias(X, signs, w), [...alpha], C);
      more.way?.primal.push(best.primal);
      more.way?.dual.push(best.dual);
      if (!pair || best.gap <= tol) break;
    }
  }
  return best;
}

/** The pair of rows to change: the one that breaks its condition most, and the one that then gains most; null if none does.
 * @param {number[][]} X @param {number[]} signs @param {number[]} alpha @param {number[]} w @param {number} C @returns {[number, number] | null} */
function chosen(X, signs, alpha, w, C) {
  const up = (/** @type {number} */ i) => (signs[i] > 0 ? alpha[i] < C : alpha[i] > 0);
  const down = (/** @type {number} */ i) => (signs[i] > 0 ? alpha[i] > 0 : alpha[i] < C);
  const want = X.map((x, i) => signs[i] - (w[0] * x[0] + w[1] * x[1])); // −y times the slope
  let first = -1;
  want.forEach((value, i) => { if (up(i) && (first < 0 || value > want[first])) first = i; });
  let [second, gain] = [-1, 0];
  want.forEach((value, j) => {
    const apart = first < 0 ? 0 : want[first] - value;
    if (!down(j) || apart <= 0) return;
    const curvature = Math.max((X[first][0] - X[j][0]) ** 2 + (X[first][1] - X[j][1]) ** 2, TINY);
    if ((apart * apart) / curvature > gain) [second, gain] = [j, (apart * apart) / curvature];
  });
  return second < 0 ? null : [first, second];
}

/** The best step along a pair. @param {number[][]} X @param {number[]} signs @param {number[]} alpha @param {number[]} w @param {number} C @param {[number, number]} pair */
function moved(X, signs, alpha, w, C, [i, j]) {
  const difference = [X[i][0] - X[j][0], X[i][1] - X[j][1]];
  const curvature = Math.max(difference[0] ** 2 + difference[1] ** 2, TINY);
  const room = (/** @type {number} */ row, /** @type {number} */ way) => (way > 0 ? C - alpha[row] : alpha[row]);
  const wanted = (signs[i] - signs[j] - (w[0] * difference[0] + w[1] * difference[1])) / curvature;
  const step = Math.min(wanted, room(i, signs[i]), room(j, -signs[j]));
  const set = (/** @type {number} */ row, /** @type {number} */ way) => {
    const full = step === room(row, way);
    alpha[row] = full ? (way > 0 ? C : 0) : alpha[row] + way * step;
  };
  const [atI, atJ] = [signs[i], -signs[j]];
  set(i, atI);
  set(j, atJ);
  for (const k of [0, 1]) w[k] += step * difference[k];
}

/** The bias of the least slack: one at which a row is on its margin. @param {number[][]} X @param {number[]} signs @param {number[]} w */
function bestBias(X, signs, w) {
  const ends = X.map((x, i) => ({ at: signs[i] - (w[0] * x[0] + w[1] * x[1]), sign: signs[i] })).sort((one, other) => one.at - other.at);
  let slope = -ends.filter((each) => each.sign > 0).length; // of the slack as b grows: −1 for rows of +1 below their end, +1 for rows of −1 above
  let [from, to] = [ends[0].at, ends[0].at];
  for (let k = 0; k < ends.length; k++) {
    slope += 1;
    if (slope === 0) {
      [from, to] = [ends[k].at, (ends[k + 1] ?? ends[k]).at];
      break;
    }
    if (slope > 0) {
      from = to = ends[k].at;
      break;
    }
  }
  return (from + to) / 2;
}
