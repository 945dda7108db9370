// The error of all rows over two weights, as a bowl, and the way down: all rows at once, and row by row (L0 11.62 to 11.64, L1).

import { contourLines, spread } from "../engine/contours.js";
import { errorsOf, learn } from "../engine/learning.js";
import { ALL_ROWS, SIGN_SQUARED, SIGN_WEIGHED } from "../engine/rules.js";
import { EIGHT, ONE_FAR, OVERLAP } from "./points.js";
import { DECAY, RULES, signsOf } from "./rules.js";
import { bothClasses, count, number, numbers, short } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */
/** @typedef {import("../engine/rules.js").Rule} Rule */

const STEPS = 40; // down the bowl
const SPREAD = [1.34, 1.21]; // of the lines to either side, in heights of the picture: those of a phone are rather high
const LEVELS = 7; // lines of the bowl
const WORK = 60_000; // losses that a bowl is made of
const LOST = 12; // so many pictures away from the bottom, the steps are lost

/** @type {Record<string, Rule>} */
const OTHERS = { all: ALL_ROWS, flat: SIGN_SQUARED, weighed: SIGN_WEIGHED };

/** The bowl, and two ways down; no bias. @param {Data} data @param {Parameters} parameters */
function bowl(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const signs = signsOf(data);
  const name = parameters.bowl;
  const rule = OTHERS[name] ?? RULES[name].rule(parameters);
  const error = (/** @type {number} */ u, /** @type {number} */ v) => X.reduce((sum, x, i) => sum + rule.loss(signs[i], x[0] * u + x[1] * v), 0);
  const start = parameters.start;
  const [bottom, largest] = leastSquares(X, signs);
  const reach = 1.15 * Math.max(1, Math.abs(start[0] - bottom[0]), Math.abs(start[1] - bottom[1]));
  const away = (/** @type {number[]} */ w) => !w.every((value, j) => Math.abs(value - bottom[j]) < LOST * reach);
  /** The weights after each step, until they are far out of the picture. @param {number} batch @returns {{path: number[][], lost: boolean}} */
  const walked = (batch) => {
    let steps = [[Infinity, Infinity]];
    try {
      steps = learn({ X, y, rule, eta: parameters.eta, decay: name === "hinge" ? DECAY : 0, batch, constant2: 0, start: [[...start, 0]], passes: STEPS, steps: STEPS * y.length }).steps.map((step) => step.after[0].slice(0, 2));
    } catch (wrong) {
      if (!(wrong instanceof RangeError)) throw wrong; // the weights left the range of numbers
    }
    const lost = steps.findIndex(away);
    return { path: [start, ...(lost < 0 ? steps : steps.slice(0, lost))], lost: lost >= 0 };
  };
  const [{ path, lost }, single] = [walked(y.length), walked(1)];
  const errors = path.map(([u, v]) => error(u, v));
  const size = Math.max(12, Math.min(40, Math.floor(Math.sqrt(WORK / y.length))));
  const [xs, ys] = SPREAD.map((part, j) => spread(bottom[j] - part * reach, bottom[j] + part * reach, size));
  const values = ys.map((v) => xs.map((u) => error(u, v)));
  const [low, high] = [Math.min(...values.flat()), Math.max(...values.flat())];
  const levels = Array.from({ length: LEVELS }, (_, k) => low + (high - low) * ((k + 1) / (LEVELS + 1)) ** 2);
  const limit = name === "delta" && largest ? 2 / largest : null;
  const wrong = errorsOf(X, y, [[...path[path.length - 1], 0]]);
  const alone = path.map((_, k) => { const w = single.path[Math.min(k * y.length, single.path.length - 1)]; return error(w[0], w[1]); });
  return { frame: [bottom[0] - (4 / 3) * reach, bottom[0] + (4 / 3) * reach, bottom[1] - reach, bottom[1] + reach], lines: levels.map((level) => ({ level, lines: contourLines(xs, ys, values, level) })),
    bottom: name === "delta" ? bottom : null, path, rows: y.length, row_by_row: single.path, k: path.map((_, k) => k), errors, errors_row_by_row: alone, wrong, limit,
    said: OTHERS[name] ? saidOf(name, wrong, y.length) : said(errors, parameters.eta, limit, lost) };
}

/** The weights of the least squared error, the shortest of them, and the largest eigenvalue of Σx·xᵀ. @param {number[][]} X @param {number[]} d @returns {[number[], number]} */
function leastSquares(X, d) {
  const sum = (/** @type {(x: number[], i: number) => number} */ of) => X.reduce((total, x, i) => total + of(x, i), 0);
  const [p, q, r] = [sum((x) => x[0] * x[0]), sum((x) => x[0] * x[1]), sum((x) => x[1] * x[1])];
  const right = [sum((x, i) => x[0] * d[i]), sum((x, i) => x[1] * d[i])];
  const [middle, half] = [(p + r) / 2, Math.hypot((p - r) / 2, q)];
  const [large, small] = [middle + half, Math.max(0, (p * r - q * q) / (middle + half || 1))];
  if (!large) return [[0, 0], 0];
  if (small > 1e-14 * large) return [[(r * right[0] - q * right[1]) / (large * small), (p * right[1] - q * right[0]) / (large * small)], large];
  return [right.map((value) => value / large), large]; // rows on a line through the origin
}

/** @param {number[]} errors @param {number} eta @param {number | null} limit @param {boolean} lost */
function said(errors, eta, limit, lost) {
  if (limit !== null) {
    const where = `2/λ = ${short(limit, 4)}, where λ is the largest eigenvalue of the sum of x·xᵀ`;
    return eta < limit ? `η = ${short(eta, 6)} is below ${where}: the steps end at the bottom.` : `η = ${short(eta, 6)} is not below ${where}: nothing keeps the steps from leading farther away each time.`;
  }
  const [first, last] = [errors[0], errors[errors.length - 1]];
  const many = count(errors.length - 1, "step");
  if (lost) return `After ${many} the next one leads far out of the picture: η is too large.`;
  if (last > first) return `After ${many} the error is ${short(last, 4)}, larger than at the start (${short(first, 4)}): η is too large.`;
  return `${many} bring the error from ${short(first, 4)} to ${short(last, 4)}.`;
}

/** Of the sums of L0 that are no good. @param {string} name @param {number} wrong @param {number} rows */
function saidOf(name, wrong, rows) {
  const last = `${wrong} of ${rows} rows are wrong at the last step.`;
  if (name === "all") return `This sum has no least value. Every step adds the same η·Σ y·x, also for rows that are right: w only grows longer. ${last}`;
  if (name === "flat") return `Flat places with leaps between them: the slope is 0, so no step moves. ${last}`;
  return `The perceptron’s steps, four times as long. ${last}`;
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const { bowl: name, start, eta } = parameters;
  const head = `import numpy as np\n\nX, t = np.array(X), np.where(np.array(y) == 1, 1, -1)\nw = np.array(${numbers(start)})\n`;
  const slopes = /** @type {Record<string, string>} */ ({ perceptron: "t * (t * a <= 0)", delta: "t - a", hinge: "t * (t * a < 1)", all: "t", flat: "0 * t", weighed: "4 * t * (t * a <= 0)",
    entropy: `t * ${number(parameters.slope)} / (1 + np.exp(${number(parameters.slope)} * t * a))`, neuron: `t * ${number(parameters.slope)} * miss**2 * (1 - miss)` });
  const miss = name === "neuron" ? `    miss = 1 / (1 + np.exp(${number(parameters.slope)} * t * a))\n` : "";
  const fade = name === "hinge" ? `${1 - eta * DECAY} * w` : "w";
  return `${head}for step in range(${STEPS}):\n    a = X @ w\n${miss}    w = ${fade} + ${number(eta)} * X.T @ (${slopes[name]})\n    print(step + 1, w)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "descent",
  title: "Descent: the error as a bowl",
  lectures: "L0 11.62–11.64, 11.70; L1",
  text: [
    "The error of all rows depends on the weights. Over two weights it is a surface; the picture has its lines of equal error. A step goes against the slope, w ← w − η·∇J. If η is too large, steps leap across the bowl and climb.",
    "Batch: the slope of all rows, then one step. Incremental: one step for each row. For a small η both ways are nearly the same; row by row, the weights never stop: they circle around the bottom.",
    "Three sums of L0 are here, too. −y·a over all rows has no bottom. (t − o)² with o = sign(a) is flat. (t − o)²·(−t·a) gives the perceptron’s steps.",
  ],
  task: "Find the largest η for which the steps of the delta rule still end at the bottom. Then look at −y·a of all rows with one row far away: which row is wrong at the end, although a line separates the rows?",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { start: [-0.5, 0.25], eta: 0.04 } },
    { name: "diverges", title: "η too large", data: EIGHT, parameters: { start: [-0.5, 0.25], eta: 0.05 } },
    { name: "single", title: "Row by row beside all at once", data: OVERLAP, parameters: { start: [-1, 1], eta: 0.03 } },
    { name: "perceptron", title: "The perceptron’s loss", data: EIGHT, parameters: { start: [-2, -1], eta: 0.04, bowl: "perceptron" } },
    { name: "all", title: "−y·a over all rows", data: ONE_FAR, parameters: { start: [0, 0.25], eta: 0.01, bowl: "all" } },
    { name: "flat", title: "(t − o)²: flat", data: OVERLAP, parameters: { start: [-1, 1], eta: 0.05, bowl: "flat" } },
    { name: "weighed", title: "(t − o)²·(−t·a)", data: EIGHT, parameters: { start: [-2, -1], eta: 0.01, bowl: "weighed" } },
    { name: "gentle", title: "A neuron like Adaline", data: OVERLAP, parameters: { eta: 0.5, slope: 0.3, bowl: "neuron" } },
    { name: "steep", title: "A neuron like a step", data: OVERLAP, parameters: { eta: 0.5, slope: 12, bowl: "neuron" } },
  ],
  controls: [
    { name: "bowl", label: "Error", default: "delta", options: [["delta", "delta rule (Adaline)"], ["perceptron", "perceptron"], ["neuron", "neuron, squared error"], ["entropy", "neuron, cross-entropy"], ["hinge", "hinge"], ["all", "−y·a of all rows"], ["flat", "(t − o)²"], ["weighed", "(t − o)²·(−t·a)"]] },
    { name: "start", label: "Start", default: [1, -1], low: -1000, high: 1000, parts: ["w₁", "w₂"] },
    { name: "eta", label: "Learning rate η", default: 0.1, low: 0.0001, high: 10 },
    { name: "slope", label: "Slope s of the neuron", default: 1, low: 0.01, high: 100, only: ["bowl", ["neuron", "entropy"]] },
  ],
  asks: { bowl: { answer: bowl } },
  python,
};
