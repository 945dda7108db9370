// Logistic regression of two classes in the plane, by Newton's method: the least Σ log(1 + exp(−y·a)) + λ/2·‖w‖², the bias without a penalty.

import { sigmoid } from "./rules.js";

/** @typedef {{weights: number[], loss: number, errors: number[] | null}} Fit  errors: standard errors, from the matrix of second derivatives */

const MOST_STEPS = 60;
const HALVINGS = 40;
const NOISE = 1e-13; // of the loss, near its minimum
const STILL = 1e-14; // a step that changes nothing any more, as a share of the weights
const ROUNDING = 1e-13; // of the largest weight: what is smaller is 0

/** @param {number[][]} A three rows of three @param {number[]} b @returns {number[] | null} null if no number is left to divide by */
function solve3(A, b) {
  const rows = A.map((row, k) => [...row, b[k]]);
  for (let k = 0; k < 3; k++) {
    const best = [k, k + 1, k + 2].filter((row) => row < 3).reduce((one, other) => (Math.abs(rows[other][k]) > Math.abs(rows[one][k]) ? other : one));
    [rows[k], rows[best]] = [rows[best], rows[k]];
    if (!(Math.abs(rows[k][k]) > 0)) return null;
    for (let row = k + 1; row < 3; row++) {
      const part = rows[row][k] / rows[k][k];
      for (let j = k; j < 4; j++) rows[row][j] -= part * rows[k][j];
    }
  }
  const found = [0, 0, 0];
  for (let k = 2; k >= 0; k--) found[k] = (rows[k][3] - [0, 1, 2].slice(k + 1).reduce((sum, j) => sum + rows[k][j] * found[j], 0)) / rows[k][k];
  return found.every(Number.isFinite) ? found : null;
}

/** Rows and weights as given; from `start`, until a step changes nothing. @param {number[][]} X @param {number[]} y @param {number} l2 @param {number[]} [start] @returns {Fit} */
export function logistic(X, y, l2, start = [0, 0, 0]) {
  const signs = y.map((label) => (label === 1 ? 1 : -1));
  const value = (/** @type {number[]} */ w) => {
    let sum = (l2 / 2) * (w[0] * w[0] + w[1] * w[1]);
    for (let i = 0; i < X.length; i++) {
      const m = signs[i] * (X[i][0] * w[0] + X[i][1] * w[1] + w[2]);
      sum += Math.max(0, -m) + Math.log1p(Math.exp(-Math.abs(m)));
    }
    return sum;
  };
  let [w, now] = [start, value(start)];
  /** @type {number[][]} */
  let H = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    H = [[l2, 0, 0], [0, l2, 0], [0, 0, 0]];
    const slope = [l2 * w[0], l2 * w[1], 0];
    for (let i = 0; i < X.length; i++) {
      const x = [X[i][0], X[i][1], 1];
      const miss = sigmoid(-signs[i] * (x[0] * w[0] + x[1] * w[1] + w[2]));
      for (let j = 0; j < 3; j++) {
        slope[j] -= signs[i] * miss * x[j];
        for (let k = 0; k < 3; k++) H[j][k] += miss * (1 - miss) * x[j] * x[k];
      }
    }
    const way = solve3(H, slope);
    if (!way) break;
    let [size, next, then] = [1, w, now];
    for (let half = 0; half < HALVINGS; half++, size /= 2) {
      next = w.map((each, j) => each - size * way[j]);
      then = value(next);
      if (then <= now + NOISE * Math.abs(now)) break;
    }
    if (!(then <= now + NOISE * Math.abs(now))) break;
    const moved = Math.max(...way.map(Math.abs)) * size;
    [w, now] = [next, then];
    if (moved <= STILL * Math.max(...w.map(Math.abs))) break;
  }
  const largest = Math.max(...w.map(Math.abs));
  w = w.map((each) => (Math.abs(each) > ROUNDING * largest ? each : 0));
  const inverse = [0, 1, 2].map((k) => solve3(H, [0, 1, 2].map((j) => Number(j === k))));
  return { weights: w, loss: now, errors: inverse.every((line, k) => line !== null && line[k] > 0) ? inverse.map((line, k) => Math.sqrt(/** @type {number[]} */ (line)[k])) : null };
}
