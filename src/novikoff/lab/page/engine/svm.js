// Support vector machines of small sets, to a gap: the hard margin by exact nearest points, the soft one by pairs of alphas.

import { fraction, near, times } from "./fractions.js";
import { verdict } from "./verdict.js";

/** @typedef {{w: number[], b: number, alpha: number[], slack: number[], primal: number, dual: number, gap: number, margin: number | null}} Machine */
/** @typedef {{primal: number[], dual: number[]}} Way */

const MOST_STEPS = 2_000; // of pairs; where these are not enough, multipliers take over
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
  return best.gap > tol && !more.way ? byMultipliers(X, signs, C, best, tol) : best;
}

/** The method of multipliers (M. J. D. Powell 1969, R. T. Rockafellar 1976): slopes p = min(max(q + s t, 0), 1) of the slack t, for which Newton's method finds w and b;
 * then q ← p, and s grows.  C p are alphas. @param {number[][]} X @param {number[]} signs @param {number} C @param {Machine} best @param {number} tol @returns {Machine} */
function byMultipliers(X, signs, C, best, tol) {
  const rows = X.map((x) => [...x, 1]);
  const product = (/** @type {number[]} */ one, /** @type {number[]} */ other) => one.reduce((sum, each, j) => sum + each * other[j], 0);
  let z = [...best.w, best.b];
  let q = best.alpha.map((each) => each / C);
  for (let [update, s] = [0, 1]; update < 60 && best.gap > tol; update++, s *= 2) {
    const wanted = (/** @type {number[]} */ at) => rows.map((x, i) => q[i] + s * (1 - signs[i] * product(x, at)));
    const slopes = (/** @type {number[]} */ at) => wanted(at).map((each) => Math.min(Math.max(each, 0), 1));
    const downhill = (/** @type {number[]} */ at) => {
      const p = slopes(at);
      return at.map((each, j) => rows.reduce((sum, x, i) => sum + C * p[i] * signs[i] * x[j], j < 2 ? -each : 0));
    };
    for (let step = 0; step < 50; step++) {
      const r = downhill(z);
      const active = rows.filter((_, i) => { const each = wanted(z)[i]; return each > 0 && each < 1; });
      const lines = z.map((_, j) => [...z.map((_, k) => (j === k && j < 2 ? 1 : 0) + s * C * active.reduce((sum, x) => sum + x[j] * x[k], 0)), r[j]]);
      if (!active.length) lines[2][2] = 1;
      const direction = solved(lines);
      if (!direction || Math.max(...direction.map(Math.abs)) <= 1e-15 * Math.max(...z.map(Math.abs), 1)) break;
      const along = (/** @type {number} */ length) => z.map((each, j) => each + length * direction[j]);
      let [low, high] = [0, 1];
      if (product(downhill(along(1)), direction) < 0) {
        for (let k = 0; k < 60; k++) {
          const middle = (low + high) / 2;
          if (product(downhill(along(middle)), direction) < 0) high = middle;
          else low = middle;
        }
      }
      z = along(high);
    }
    q = slopes(z);
    const alpha = q.map((each) => C * each);
    const w = [0, 1].map((j) => alpha.reduce((sum, each, i) => sum + each * signs[i] * X[i][j], 0));
    const found = judged(X, signs, w, bestBias(X, signs, w), alpha, C);
    if (Math.abs(product(alpha, signs)) <= 1e-9 * C && found.gap < best.gap) best = found;
  }
  return best;
}

/** The solution of linear equations, by elimination with pivots; null if they have none, or many. @param {number[][]} lines @returns {number[] | null} */
function solved(lines) {
  const size = lines.length;
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let i = k + 1; i < size; i++) if (Math.abs(lines[i][k]) > Math.abs(lines[pivot][k])) pivot = i;
    if (!lines[pivot][k]) return null;
    [lines[k], lines[pivot]] = [lines[pivot], lines[k]];
    for (let i = 0; i < size; i++) {
      if (i === k) continue;
      const factor = lines[i][k] / lines[k][k];
      for (let j = k; j <= size; j++) lines[i][j] -= factor * lines[k][j];
    }
  }
  return lines.map((line, k) => line[size] / line[k]);
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
