// What a rule goes down on: the loss of one row as a curve, and the step that its slope gives (L0 11.62 to 11.64, L1).

import { ALL_ROWS, SIGN_SQUARED, sigmoid, SIGN_WEIGHED } from "../engine/rules.js";
import { EIGHT, FAR_OF_FEW, OVERLAP } from "./points.js";
import { RULES } from "./rules.js";
import { number } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */
/** @typedef {import("../engine/rules.js").Rule} Rule */

const LEAP = 2 ** -10; // where a curve leaps it has two points so close together
const eighths = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from }, (_, k) => (from + k) / 8);
const MARGINS = [...eighths(-16, 25), LEAP, 1 - LEAP].sort((a, b) => a - b); // y·a of the curves
const SCORES = [...eighths(-32, 33), LEAP].sort((a, b) => a - b); // a of the neuron's curves
const NAMES = Object.keys(RULES);

/** Loss and step of every rule, and the neuron's answer, as curves. @param {Data} data @param {Parameters} parameters */
function curves(data, parameters) {
  const row = data.X[Math.min(parameters.row, data.X.length - 1)];
  const [length2, { slope }] = [row[0] * row[0] + row[1] * row[1] + 1, parameters];
  const answers = SCORES.map((a) => sigmoid(slope * a));
  const along = (/** @type {Rule} */ rule) => MARGINS.map((m) => rule.loss(1, m));
  const each = (/** @type {string} */ before, /** @type {string[]} */ names, /** @type {(rule: Rule, m: number) => number} */ value) =>
    Object.fromEntries(names.map((name) => [`${before}_${name}`, MARGINS.map((m) => value(RULES[name].rule(parameters), m))]));
  return { margin: MARGINS, unit: along(SIGN_SQUARED).map((loss) => loss / 4), sign_squared: along(SIGN_SQUARED), weighed: along(SIGN_WEIGHED), all_rows: along(ALL_ROWS),
    ...each("loss", NAMES.filter((name) => !name.startsWith("pa")), (rule, m) => rule.loss(1, m)), ...each("step", NAMES, (rule, m) => rule.step(1, m, length2)),
    a: SCORES, phi: answers, phi_slope: answers.map((phi) => slope * phi * (1 - phi)), tangent: SCORES.map((a) => (Math.abs(slope * a) <= 2 ? 0.5 + (slope * a) / 4 : null)), step: SCORES.map((a) => Number(a > 0)) };
}

/** The losses of all rows at the given weights: their sums, and which rows they come from. @param {Data} data @param {Parameters} parameters */
function sums(data, parameters) {
  const [w1, w2, b] = parameters.start;
  const y = data.y.map((label) => (label === 1 ? 1 : -1));
  const signed = data.X.map(([x1, x2], row) => y[row] * (x1 * w1 + x2 * w2 + b) + 0);
  const wrong = signed.map((value, row) => row).filter((row) => signed[row] <= 0);
  const total = (/** @type {Rule} */ rule) => signed.reduce((sum, value) => sum + rule.loss(1, value), 0);
  const rules = NAMES.filter((name) => !name.startsWith("pa"));
  return { start: parameters.start, signed, wrong, errors: wrong.length, rows: y.length, unit: wrong.length / y.length, mean_all: total(ALL_ROWS) / y.length, weighed: total(SIGN_WEIGHED),
    sums: rules.map((name) => ({ name, label: RULES[name].label, sum: total(RULES[name].rule(parameters)) })) };
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  return `import numpy as np\n\nsigns = np.where(np.array(y) == 1, 1, -1)\nm = signs * (np.column_stack([X, np.ones(len(y))]) @ ${JSON.stringify(parameters.start)})\nprint("wrong:", (m <= 0).sum())\n` +
    `for name, loss in {"perceptron": np.maximum(0, -m), "all rows": -m, "delta rule": (1 - m) ** 2 / 2, "hinge": np.maximum(0, 1 - m), "cross-entropy": np.logaddexp(0, -${number(parameters.slope)} * m)}.items():\n    print(name, loss.sum())\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "losses",
  title: "Losses: what a rule goes down on",
  lectures: "L0 11.62–11.64, L1, L3",
  text: [
    "To count errors is the aim: 1 for a wrong row, 0 for a right one. L0 writes 1 − y·sign(a), which is 2 or 0, so half of it counts. But this curve is flat and leaps: its slope is 0 or does not exist, so it shows no way down.",
    "The perceptron takes −y·a of the wrong rows only. The same sum over all rows falls without end: rows that are right already pull the line, those far away most. (t − o)²·(−t·a) is 0 for a right row and 4 times −y·a for a wrong one: the perceptron again. The lecture leaves the factor t out; without it, wrong rows of −1 would be rewarded.",
    "The neuron answers φ(a) = 1/(1 + e⁻ˢᵃ), between 0 and 1. With a small slope s it is nearly a line, as in Adaline; with a large one nearly a step, as in the perceptron, and then φ′ is 0 nearly everywhere and nothing is learned.",
  ],
  task: "Drag a row that is right farther away from the line. Which sums grow, which fall, and which stay? Then move it to the wrong side.",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { start: [-0.5, 0.25, 0.125] } },
    { name: "far", title: "One row far away", data: FAR_OF_FEW, parameters: { start: [1, 0, -0.75], row: 3 } },
    { name: "gentle", title: "A neuron like Adaline", data: OVERLAP, parameters: { slope: 0.3 } },
    { name: "steep", title: "A neuron like a step", data: OVERLAP, parameters: { slope: 12 } },
  ],
  controls: [
    { name: "start", label: "Weights", default: [1, -1, 0], low: -1000, high: 1000, parts: ["w₁", "w₂", "b"] },
    { name: "row", label: "Row, for the steps of PA", default: 0, low: 0, high: 499, step: 1, whole: true },
    { name: "slope", label: "Slope s of the neuron", default: 1, low: 0.01, high: 100 },
    { name: "C", label: "C of PA-I", default: 0.1, low: 0.0001, high: 1000 },
  ],
  asks: { sums: { answer: sums, follows: true }, curves: { answer: curves } },
  python,
};
