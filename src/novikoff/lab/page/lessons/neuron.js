// One neuron with live numbers: weigh, add, compare with a threshold; distances; and all rows by one product (L0 11.69, L1, L2, L3, L4).

import { sigmoid } from "../engine/rules.js";
import { AND, CLOUDS, EIGHT, OVERLAP } from "./points.js";
import { number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

/** What the neuron answers to a score. @type {Record<string, (a: number) => number>} */
const OUTPUTS = { above: (a) => (a > 0 ? 1 : -1), least: (a) => (a >= 0 ? 1 : -1), linear: (a) => a, smooth: sigmoid };

/** The point and all rows, as the neuron sees them. @param {Data} data @param {Parameters} parameters */
function unit(data, parameters) {
  const { weights: [w1, w2], theta, point } = parameters;
  const output = OUTPUTS[parameters.output];
  const length = Math.hypot(w1, w2);
  const seen = (/** @type {number[]} */ [x1, x2]) => {
    const sum = w1 * x1 + w2 * x2;
    const a = sum - theta + 0;
    return { products: [w1 * x1 + 0, w2 * x2 + 0], sum, score: a, output: output(a), distance: length ? a / length : null };
  };
  const here = seen(point);
  const rows = data.X.map((x, row) => {
    const { score, distance } = seen(x);
    const sign = data.y[row] === 1 ? 1 : -1;
    return { score, signed: sign * score + 0, distance, wrong: parameters.output === "least" ? (score >= 0 ? 1 : -1) !== sign : (score > 0 ? 1 : -1) !== sign };
  });
  const foot = length ? [point[0] - (here.score * w1) / length ** 2, point[1] - (here.score * w2) / length ** 2] : null;
  return { ...here, weights: [w1, w2, -theta + 0], bias: -theta + 0, length, foot, from_origin: length ? -theta / length + 0 : null, rows,
    wrong: rows.map((_, row) => row).filter((row) => rows[row].wrong), errors: rows.filter((row) => row.wrong).length, ties: rows.filter((row) => row.score === 0).length,
    products: here.products, multiplications: 3 * rows.length, additions: 2 * rows.length, said: said(here.score, parameters.output) };
}

/** @param {number} a @param {string} output */
function said(a, output) {
  if (output === "linear") return "Adaline: the output is the score itself.";
  if (output === "smooth") return "A smooth neuron: the output is between 0 and 1.";
  if (a === 0) return output === "least" ? "A tie: the score is 0, and this unit answers +1." : "A tie: the score is 0, and this unit answers −1.";
  return a > 0 ? "The sum is above the threshold: the neuron fires, +1." : "The sum is below the threshold: the neuron is silent, −1.";
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  return `import numpy as np\n\nw, b = np.array(${numbers(parameters.weights)}), ${number(-parameters.theta + 0)}  # b is minus the threshold\na = w @ ${numbers(parameters.point)} + b\n` +
    "print(a, a / np.linalg.norm(w))  # the score, and the signed distance\nsigns = np.where(np.array(y) == 1, 1, -1)\nsigned = (signs[:, None] * np.column_stack([X, np.ones(len(y))])) @ [*w, b]\nprint((signed <= 0).sum())  # rows that are wrong or on the line, by one product\n";
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "neuron",
  title: "One neuron, with its numbers",
  lectures: "L0 11.69, L1, L2, L3, L4",
  text: [
    "A neuron weighs each input, adds, and compares with a threshold θ. The bias is b = −θ: then the threshold is 0. It is the weight of an input x₀ that is always 1.",
    "The score over ‖w‖ is the signed distance of a point from the line: positive on the side of +1. The line itself is b/‖w‖ away from the origin, counted in the direction of −w.",
    "What a score of 0 means is a convention. L1’s unit answers +1 if a ≥ 0; L3 and L4 answer −1 if a ≤ 0. All scores of m rows are one product of a matrix with w; the entries of y·a that are not positive are the rows that are wrong or on the line.",
  ],
  task: "Drag the point x onto the line: what does the neuron answer there, and what with the other convention? Then double w and θ: what changes, and what does not?",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { weights: [1, 2], theta: 1, point: [3, 1] } },
    { name: "and", title: "AND by a threshold", data: AND, parameters: { weights: [1, 1], theta: 1.5, point: [1, 0] } },
    { name: "tie", title: "A tie", data: EIGHT, parameters: { weights: [1, -1], theta: 0, point: [2, 2], output: "least" } },
    { name: "new", title: "A new point", data: CLOUDS, parameters: { weights: [1, 1], theta: 3, point: [2, 0.5] } },
    { name: "linear", title: "Adaline’s output", data: OVERLAP, parameters: { weights: [0.5, 0.25], theta: 0.5, point: [2, 2], output: "linear" } },
    { name: "smooth", title: "A smooth neuron", data: OVERLAP, parameters: { weights: [0.5, 0.25], theta: 0.5, point: [2, 2], output: "smooth" } },
  ],
  controls: [
    { name: "weights", label: "Weights", default: [1, 1], low: -1000, high: 1000, parts: ["w₁", "w₂"] },
    { name: "theta", label: "Threshold θ", default: 0, low: -1000, high: 1000 },
    { name: "point", label: "Point", default: [1, 1], low: -1000000, high: 1000000, parts: ["x₁", "x₂"] },
    { name: "output", label: "Output", default: "above", options: [["above", "+1 if a > 0, else −1 (L3, L4)"], ["least", "+1 if a ≥ 0, else −1 (L1)"], ["linear", "a itself (Adaline)"], ["smooth", "1/(1 + e⁻ᵃ)"]] },
  ],
  asks: { unit: { answer: unit, follows: true } },
  python,
};
