// How many passes, and in which order: under- and over-fitting, and rows that are noise (L2, L4).

import { contourLines, spread } from "../engine/contours.js";
import { errorsOf, learn } from "../engine/learning.js";
import { sortedByClass } from "../engine/orders.js";
import { seeds } from "../engine/random.js";
import { BENT, NOISE, OVERLAP } from "./points.js";
import { bothClasses, count } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const RUNS = 5; // shuffles that a curve is the mean of
const SHOWN = [1, 2, 4, 8, 16, 32, 64, 100]; // passes whose line is drawn
const GRID = 44; // points on each side, of a line that is not straight
const ORDERS = ["sorted", "cyclic", "alternate", "shuffle"];

/** Products of powers of both columns up to a degree, in the order of scikit-learn; then less their mean, over their spread.
 * @param {number} degree @param {number[][]} rows that mean and spread are taken of @returns {(x: number[]) => number[]} */
function featuresOf(degree, rows) {
  const powers = Array.from({ length: degree }, (_, k) => k + 1).flatMap((whole) => Array.from({ length: whole + 1 }, (_, second) => [whole - second, second]));
  const raw = (/** @type {number[]} */ x) => powers.map(([a, b]) => x[0] ** a * x[1] ** b);
  const all = rows.map(raw);
  const means = powers.map((_, j) => all.reduce((sum, each) => sum + each[j], 0) / all.length);
  const spreads = powers.map((_, j) => Math.sqrt(all.reduce((sum, each) => sum + (each[j] - means[j]) ** 2, 0) / all.length) || 1);
  return (x) => raw(x).map((value, j) => (value - means[j]) / spreads[j]);
}

/** The weights that a fit would return after every pass. @param {Parameters} parameters @param {string} order @param {number} seed @param {number[][]} X @param {number[]} y */
function weightsOf(parameters, order, seed, X, y) {
  const { passes, keep } = parameters;
  const found = learn({ X, y, order: order === "sorted" ? "cyclic" : order, seed, passes });
  let weights = found.ends.map((end) => end[0]);
  if (keep === "average") {
    const sums = weights[0].map(() => 0);
    weights = [];
    found.steps.forEach((step, k) => {
      step.after[0].forEach((value, j) => { sums[j] += value; });
      if (step.pass !== found.steps[k + 1]?.pass) weights.push(sums.map((sum) => sum / (k + 1)));
    });
  }
  while (weights.length < passes) weights.push(weights[weights.length - 1]);
  return weights;
}

/** A seed for every run; orders without chance need one run. @param {Parameters} parameters @param {string} order */
const seedsOf = (parameters, order) => seeds(parameters.seed, order === "shuffle" ? RUNS : 1);

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Rows that are predicted rightly after every pass, of those learned from and of those held out. @param {Data} data @param {Parameters} parameters */
function curve(data, parameters) {
  const { X, y } = data;
  const rows = y.map((_, row) => row);
  const [even, held] = [rows.filter((row) => row % 2 === 0), rows.filter((row) => row % 2 === 1)];
  const learnt = parameters.order === "sorted" ? sortedByClass(even, y) : even;
  if (new Set(learnt.map((row) => y[row])).size < 2 || !held.length) throw new Error("The rows to learn from have one class only: turn the label of one, or add rows.");
  const features = featuresOf(parameters.degree, learnt.map((row) => X[row]));
  const part = (/** @type {number[]} */ some) => ({ X: some.map((row) => features(X[row])), y: some.map((row) => y[row]) });
  const [inside, outside] = [part(learnt), part(held)];
  const share = (/** @type {{X: number[][], y: number[]}} */ some, /** @type {number[]} */ w) => (some.y.length - errorsOf(some.X, some.y, [w])) / some.y.length;
  const runs = seedsOf(parameters, parameters.order).map((seed) => weightsOf(parameters, parameters.order, seed, inside.X, inside.y));
  const scores = runs.map((weights) => weights.map((w) => [share(inside, w), share(outside, w)]));
  const { passes } = parameters;
  const [train, out] = [0, 1].map((k) => Array.from({ length: passes }, (_, pass) => mean(scores.map((run) => run[pass][k]))));
  const best = bestPasses(scores.map((run) => run.map((each) => each[1])), out);
  const [xs, ys] = gridOf(X);
  const grid = ys.map((v) => xs.map((u) => features([u, v])));
  const lines = [...new Set([...SHOWN.filter((k) => k < passes), passes])].map((pass) => {
    const w = runs[0][pass - 1];
    const values = grid.map((line) => line.map((phi) => phi.reduce((sum, value, j) => sum + value * w[j], w[phi.length])));
    return { pass, lines: contourLines(xs, ys, values, 0), train: scores[0][pass - 1][0], held_out: scores[0][pass - 1][1] };
  });
  return { held, passes: Array.from({ length: passes }, (_, k) => k + 1), train, held_out: out, best, at_best: out[best - 1], at_end: out[passes - 1], train_at_end: train[passes - 1], lines, said: said(best, train, out) };
}

/** The fewest passes whose mean is within one standard error of the best. @param {number[][]} runs @param {number[]} means */
function bestPasses(runs, means) {
  const best = means.indexOf(Math.max(...means));
  const spread = runs.length > 1 ? Math.sqrt(runs.reduce((sum, run) => sum + (run[best] - means[best]) ** 2, 0) / (runs.length - 1) / runs.length) : 0;
  return means.findIndex((value) => value >= means[best] - spread) + 1;
}

/** Places all over the picture. @param {number[][]} X */
function gridOf(X) {
  const ends = [0, 1].map((j) => [Math.min(0, ...X.map((x) => x[j])), Math.max(0, ...X.map((x) => x[j]))]);
  const reach = 0.85 * Math.max(...ends.map(([low, high]) => high - low), 1e-6);
  return ends.map(([low, high]) => spread((low + high) / 2 - reach, (low + high) / 2 + reach, GRID));
}

/** Errors after every pass over all rows, for four orders; straight lines. @param {Data} data @param {Parameters} parameters */
function orders(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const rows = y.map((_, row) => row);
  /** @type {Record<string, any>} */
  const found = { passes: Array.from({ length: parameters.passes }, (_, k) => k + 1), rows: y.length, mean: {}, after: {} };
  for (const order of ORDERS) {
    const place = order === "sorted" ? sortedByClass(rows, y) : rows;
    const runs = seedsOf(parameters, order).map((seed) => weightsOf(parameters, order, seed, place.map((row) => X[row]), place.map((row) => y[row])));
    const errors = runs.map((weights) => weights.map((w) => errorsOf(X, y, [w])));
    found[order] = errors[0].map((_, pass) => mean(errors.map((run) => run[pass])));
    found.after[order] = runs[0][runs[0].length - 1];
    found.mean[order] = mean(found[order]);
  }
  return found;
}

/** @param {number} best @param {number[]} train @param {number[]} out */
function said(best, train, out) {
  const whole = (/** @type {number} */ share) => `${Math.round(100 * share)}%`;
  const [peak, last] = [out[best - 1], out[out.length - 1]];
  const text = `After ${count(best, "pass")}, ${whole(peak)} of the held-out rows are predicted correctly; after ${train.length} passes ${whole(last)}, and ${whole(train[train.length - 1])} of the rows learned from.`;
  if (last < peak && train[train.length - 1] > train[best - 1]) return `${text} More passes over-fit: they fit the noise.`;
  return text + (last < peak ? " The weights do not settle: it is chance which pass is the best one." : " More passes do no harm here.");
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const { order } = parameters;
  const byClass = order === "sorted" ? "learn = sorted(learn, key=lambda row: -y[row])  # +1 first\n" : "";
  return "import numpy as np\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import PolynomialFeatures, StandardScaler\n\nfrom novikoff import Perceptron, passes_curve\n\n" +
    `X, y = np.array(X), np.array(y)\nlearn, held_out = np.arange(len(y))[::2], np.arange(len(y))[1::2]\n${byClass}learner = Perceptron(order="${order === "sorted" ? "cyclic" : order}", keep="${parameters.keep}")\n` +
    `model = make_pipeline(PolynomialFeatures(${parameters.degree}, include_bias=False), StandardScaler(), learner)\n` +
    `curve = passes_curve(model, X, y, passes=${parameters.passes}, cv=[(learn, held_out)] * ${order === "shuffle" ? RUNS : 1}, random_state=${parameters.seed})\nprint(curve)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "passes",
  title: "Passes, order and over-fitting",
  lectures: "L2, L4",
  text: [
    "The number of passes, MaxIter, is a hyperparameter. Every other row is held out here: the perceptron never sees it. Few passes under-fit: both curves are low. Many passes over-fit: the rows learned from are predicted better and better, those held out worse, since the line bends around noise. A line can bend if it has features such as x₁², x₁x₂, … up to some degree.",
    "The order matters, too. All +1 first and then all −1 is often a bad idea: the class that is read last has the last word (see “Noise, one class after the other”). To shuffle in every pass is the usual choice. Where rows are noisy, +1 and −1 in turn keep either class from pulling the line away.",
  ],
  task: "Find the number of passes after which held-out rows are predicted best, then degree 1 and 8 with the same rows: which over-fits? Then compare the last weights with the average of all weights.",
  presets: [
    { name: "noise", title: "Noise, one class after the other", data: NOISE, parameters: { order: "sorted" } },
    { name: "over", title: "Few passes are best", data: BENT, parameters: { degree: 5, keep: "average", passes: 60 } },
    { name: "straight", title: "Too simple to over-fit", data: BENT, parameters: { degree: 1, keep: "average", passes: 60 } },
    { name: "wild", title: "Degree 8, the last weights", data: BENT, parameters: { degree: 8, passes: 60 } },
    { name: "turn", title: "Noise, the classes in turn", data: NOISE, parameters: { order: "alternate" } },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: {} },
  ],
  controls: [
    { name: "degree", label: "Features", default: 1, options: [[1, "x₁ and x₂"], [2, "up to degree 2"], [3, "up to degree 3"], [5, "up to degree 5"], [8, "up to degree 8"]] },
    { name: "keep", label: "Weights to keep", default: "last", options: [["last", "the last"], ["average", "the average of all"]] },
    { name: "order", label: "Order of rows", default: "shuffle", options: [["shuffle", "shuffled in every pass"], ["sorted", "sorted: all +1 first"], ["alternate", "+1 and −1 in turn"], ["cyclic", "in their own order"]] },
    { name: "passes", label: "Passes", default: 30, low: 2, high: 100, step: 1, whole: true },
    { name: "seed", label: "Shuffle number", default: 0, low: 0, high: 1000000, step: 1, whole: true },
  ],
  asks: { curve: { answer: curve }, orders: { answer: orders } },
  python,
};
