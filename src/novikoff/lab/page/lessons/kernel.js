// The kernel perceptron, row by row: how often each row was a mistake, and the curve that follows (L2, L3).

import { smallestBall } from "../engine/ball.js";
import { positiveRegions } from "../engine/contours.js";
import { EIGHT, OVERLAP, RING, XOR } from "./points.js";
import { bothClasses, count, number } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_STEPS = 200; // that the page can go through
const MOST_PASSES = 100;
const ACROSS = 60; // places of the grid that finds a boundary

/** @param {Parameters} parameters @returns {(x: number[], z: number[]) => number} */
function kernelOf({ kernel, degree, gamma }) {
  const product = (/** @type {number[]} */ x, /** @type {number[]} */ z) => x[0] * z[0] + x[1] * z[1];
  if (kernel === "linear") return product;
  if (kernel === "rbf") return (x, z) => Math.exp(-gamma * Math.max(0, product(x, x) + product(z, z) - 2 * product(x, z)));
  return (x, z) => {
    const base = gamma * product(x, z) + 1;
    let power = base;
    for (let k = 1; k < degree; k++) power *= base;
    return power;
  };
}

/** Every row that was read, and after every update the counts, the bias and the boundary. @param {Data} data @param {Parameters} parameters */
function steps(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const kernel = kernelOf(parameters);
  const signs = y.map((label) => (label === 1 ? 1 : -1));
  const gram = X.map((x) => X.map((z) => kernel(x, z)));
  const ball = parameters.kernel === "linear" && parameters.radius === "ball" ? smallestBall(X) : null;
  const radius2 = ball ? ball.radius2 : Math.max(...gram.map((line, row) => line[row]));
  const [alpha, scores] = [X.map(() => 0), X.map(() => 0)]; // scores without the bias
  let bias = 0;
  const state = () => {
    const held = X.map((_, row) => row).filter((row) => alpha[row]);
    const [counts, b] = [held.map((row) => alpha[row] * signs[row]), bias];
    const score = (/** @type {number} */ x1, /** @type {number} */ x2) => held.reduce((sum, row, k) => sum + counts[k] * kernel([x1, x2], X[row]), b);
    return { alpha: [...alpha], bias, errors: X.filter((_, row) => (scores[row] + bias > 0) !== (y[row] === 1)).length, regions: positiveRegions(score, X, ACROSS) };
  };
  const [states, shown] = [[state()], /** @type {any[]} */ ([])];
  let landmark = { scores: [...scores], bias, passes: 0, patience: 1 };
  let [passes, mistakes, reason, complete] = [0, 0, "", true];
  while (!reason && passes < MOST_PASSES && complete) {
    passes += 1;
    const before = mistakes;
    for (let row = 0; row < X.length && complete; row++) {
      const score = scores[row] + bias;
      const moved = !(signs[row] * score > 0);
      if (moved) {
        mistakes += 1;
        alpha[row] += 1;
        bias += signs[row] * radius2;
        gram[row].forEach((value, i) => { scores[i] += signs[row] * value; });
      }
      if (shown.length === MOST_STEPS) complete = false;
      else {
        if (moved) states.push(state());
        shown.push({ row, y: signs[row], pass: passes, score, signed: signs[row] * score + 0, moved, state: states.length - 1 });
      }
    }
    if (!complete) break;
    landmark.passes += 1;
    if (mistakes === before) reason = "separated";
    else if (bias === landmark.bias && scores.every((value, i) => value === landmark.scores[i])) reason = "cycle";
    else if (landmark.passes === landmark.patience) landmark = { scores: [...scores], bias, passes: 0, patience: 2 * landmark.patience };
  }
  return { steps: shown, states, signs, gram, radius2, ball: ball && { centre: ball.centre, radius: Math.sqrt(ball.radius2) }, complete, ending: ending(reason, complete, shown.length, mistakes, passes) };
}

/** @param {string} reason @param {boolean} complete @param {number} rows @param {number} mistakes @param {number} passes */
function ending(reason, complete, rows, mistakes, passes) {
  const many = `${count(mistakes, "mistake")} in ${count(passes, "pass")}`;
  if (!complete) return `The first ${rows} rows are shown: ${many}, and the perceptron is not done.`;
  if (reason === "separated") return `Separated after ${many}: a whole pass without a mistake.`;
  if (reason === "cycle") return `A cycle after ${many}: the same scores came back at the same row, so it would never end.`;
  return `Not separated after ${many}.`;
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, { kernel, gamma, degree, radius }) {
  const choice = kernel === "rbf" ? `, gamma=${number(gamma)}` : kernel === "poly" ? `, degree=${degree}, gamma=${number(gamma)}, coef0=1` : "";
  const note = kernel === "linear" && radius === "ball" ? "from novikoff import theory\n\nprint(theory.radius(X))  # the smallest ball; the library’s b takes the longest row\n" : "";
  return `${note}from novikoff import KernelPerceptron, trace\n\nlearner = KernelPerceptron("${kernel}"${choice}, order="cyclic", keep="last", max_iter=${MOST_PASSES}, min_progress=None)\n` +
    `steps = trace(learner, X, y, max_updates=${MOST_STEPS}, every_row=True)  # alpha_i y_i of every row, then b\nprint(steps)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "kernel",
  title: "The kernel perceptron, step by step",
  lectures: "L2, L3 (12)",
  text: [
    "The weights of a perceptron are a sum of rows: w = Σ αᵢ yᵢ φ(xᵢ), where αᵢ counts the mistakes at row i. So a score needs only products of features: a = Σ αᵢ yᵢ k(xᵢ, x) + b with k(x, z) = φ(x)·φ(z).",
    "On a mistake αᵢ grows by one and b ← b + yᵢR², R² = max k(x, x). (The lecture’s R is the radius of the smallest ball that holds the data; choose it for the linear kernel.) φ itself is never worked out, and may have any number of parts (Aizerman, Braverman and Rozonoer 1964).",
  ],
  task: "Step through XOR with the polynomial kernel. Then take degree 1, or the linear kernel: what happens, and why? Make γ large for the ring: which rows keep α = 0?",
  presets: [
    { name: "ring", title: "A ring", data: RING, parameters: { gamma: 0.5 } },
    { name: "ring-poly", title: "A ring, polynomial", data: RING, parameters: { kernel: "poly", degree: 2 } },
    { name: "xor", title: "XOR", data: XOR, parameters: { kernel: "poly", degree: 2 } },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: { gamma: 2 } },
    { name: "linear", title: "Eight points, linear kernel", data: EIGHT, parameters: { kernel: "linear" } },
    { name: "ball", title: "R of the smallest ball", data: EIGHT, parameters: { kernel: "linear", radius: "ball" } },
    { name: "xor-linear", title: "XOR, linear: it never ends", data: XOR, parameters: { kernel: "linear" } },
  ],
  controls: [
    { name: "kernel", label: "Kernel", default: "rbf", options: [["rbf", "exp(−γ‖x − z‖²)"], ["poly", "(γ x·z + 1)ᵈ"], ["linear", "x·z"]] },
    { name: "gamma", label: "γ", default: 1, low: 0.001, high: 1000 },
    { name: "degree", label: "Degree", default: 2, low: 1, high: 9, step: 1, whole: true, only: ["kernel", "poly"] },
    { name: "radius", label: "R", default: "longest", options: [["longest", "the longest row"], ["ball", "the smallest ball around the data (L3)"]], only: ["kernel", "linear"] },
  ],
  asks: { kernel: { answer: steps } },
  python,
};
