// Seven rules on the same row and on the same rows (L0 11.63 to 11.64, L1, L4).

import { errorsOf, learn } from "../engine/learning.js";
import { crossEntropy, DELTA, HINGE, passiveAggressive, PERCEPTRON, squaredNeuron } from "../engine/rules.js";
import { EIGHT, FAR_OF_FEW, OVERLAP } from "./points.js";
import { bothClasses, number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */
/** @typedef {import("../engine/rules.js").Rule} Rule */

export const DECAY = 0.01; // lambda of the hinge rule

/** @type {Record<string, {label: string, formula: string, learner: string, rule: (p: Parameters) => Rule, python: (p: Parameters) => string}>} */
export const RULES = {
  perceptron: { label: "perceptron", formula: "η·y if y·a ≤ 0", learner: "Perceptron", rule: () => PERCEPTRON, python: (p) => `eta=${number(p.eta)}` },
  delta: { label: "delta rule (Adaline)", formula: "η·(d − a)", learner: "Adaline", rule: () => DELTA, python: (p) => `eta=${number(p.eta)}, solver='steps', l2=0` },
  neuron: { label: "neuron, squared error", formula: "η·(d − φ)·φ′", learner: "LogisticNeuron", rule: (p) => squaredNeuron(p.slope), python: (p) => `eta=${number(p.eta)}, slope=${number(p.slope)}, loss='squared', solver='steps', l2=0` },
  entropy: { label: "neuron, cross-entropy", formula: "η·s·(d − φ)", learner: "LogisticNeuron", rule: (p) => crossEntropy(p.slope), python: (p) => `eta=${number(p.eta)}, slope=${number(p.slope)}, solver='steps', l2=0` },
  hinge: { label: "hinge", formula: "η·y if y·a < 1", learner: "HingeSGD", rule: () => HINGE, python: (p) => `eta=${number(p.eta)}, lam=${DECAY}` },
  pa: { label: "passive-aggressive", formula: "y·ℓ/‖x̃‖²", learner: "PassiveAggressiveClassifier", rule: () => passiveAggressive(Infinity), python: () => "variant='PA'" },
  pa1: { label: "PA-I", formula: "y·min(C, ℓ/‖x̃‖²)", learner: "PassiveAggressiveClassifier", rule: (p) => passiveAggressive(p.C), python: (p) => `C=${number(p.C)}, variant='PA-I'` },
};
const NAMES = Object.keys(RULES);

/** @param {string} name @param {number[][]} X @param {number[]} y @param {Parameters} parameters @param {number} passes */
function learned(name, X, y, parameters, passes) {
  return learn({ X, y, rule: RULES[name].rule(parameters), eta: name.startsWith("pa") ? 1 : parameters.eta, decay: name === "hinge" ? DECAY : 0, start: [parameters.start], passes, steps: passes * y.length });
}

/** @param {Data} data */
export const signsOf = (data) => data.y.map((label) => (label === 1 ? 1 : -1));

/** @param {number[]} w @param {number[]} x */
const scored = (w, x) => x[0] * w[0] + x[1] * w[1] + w[2];

/** What every rule does with one row, from the same weights. @param {Data} data @param {Parameters} parameters */
function oneRow(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const row = Math.min(parameters.row, y.length - 1);
  const [x, sign, before] = [X[row], signsOf(data)[row], parameters.start];
  const shown = NAMES.map((name) => {
    const after = learned(name, [x], [y[row]], parameters, 1).steps[0].after[0];
    const rule = RULES[name].rule(parameters);
    return { name, label: RULES[name].label, formula: RULES[name].formula, after, moved: after.some((value, j) => value !== before[j]), score: scored(after, x),
      loss: rule.loss(sign, scored(before, x)), loss_after: rule.loss(sign, scored(after, x)) };
  });
  const score = scored(before, x);
  const output = score === 0 ? -sign : Math.sign(score);
  const driven = [before, ...learned("perceptron", X, y, parameters, parameters.passes).steps.filter((step) => step.moved).map((step) => step.after[0])];
  const outputs = byOutputs(data, parameters);
  return { row, x, y: sign, length2: x[0] * x[0] + x[1] * x[1] + 1, start: before, score, signed: sign * score + 0, rules: shown, output, difference: sign - output,
    half_step: (parameters.eta / 2) * (sign - output) + 0, whole_step: parameters.eta * PERCEPTRON.step(sign, score, 0) + 0, updates: driven.length - 1, updates_by_outputs: outputs.length - 1,
    apart: driven.length === outputs.length ? Math.max(...driven.flatMap((w, k) => w.map((/** @type {number} */ value, /** @type {number} */ j) => Math.abs(value - outputs[k][j])))) : null };
}

/** The perceptron by targets and outputs: w ← w + η/2·(t − o)·x, where o is the sign of a, and −t at a tie. @param {Data} data @param {Parameters} parameters */
function byOutputs(data, parameters) {
  const signs = signsOf(data);
  const weights = [parameters.start];
  for (let pass = 0; pass < parameters.passes; pass++) {
    const before = weights.length;
    data.X.forEach((x, row) => {
      const w = weights[weights.length - 1];
      const a = scored(w, x);
      const output = a === 0 ? -signs[row] : Math.sign(a);
      const half = (parameters.eta / 2) * (signs[row] - output);
      if (half !== 0) weights.push([w[0] + half * x[0], w[1] + half * x[1], w[2] + half]);
    });
    if (weights.length === before) break;
  }
  return weights;
}

/** What every rule makes of all rows, pass by pass. @param {Data} data @param {Parameters} parameters */
function onAll(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const { passes } = parameters;
  /** @type {Record<string, any>} */
  const found = { passes: Array.from({ length: passes + 1 }, (_, k) => k), after: {}, rows: y.length };
  for (const name of NAMES) {
    try {
      const { start, ends } = learned(name, X, y, parameters, passes);
      const weights = [start, ...ends];
      while (weights.length <= passes) weights.push(weights[weights.length - 1]);
      found[name] = weights.map((w) => errorsOf(X, y, w));
      found.after[name] = weights[passes][0];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      found[name] = found.passes.map(() => null); // so large a rate that the weights left the range of numbers
      found.after[name] = null;
    }
  }
  return found;
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const learners = [...new Set(NAMES.map((name) => RULES[name].learner))].sort().join(", ");
  const made = NAMES.map((name) => `    ${RULES[name].learner}(${RULES[name].python(parameters)}, order='cyclic', keep='last', init=[${numbers(parameters.start)}], min_progress=None, max_iter=${parameters.passes}),  # ${RULES[name].label}\n`).join("");
  return `from novikoff import ${learners}, trace\n\nlearners = [\n${made}]\nfor learner in learners:\n    learner.fit(X, y)\n    print(type(learner).__name__, learner.coef_, learner.intercept_, learner.score(X, y))\n` +
    `row = ${Math.min(parameters.row, data.y.length - 1)}\nfor learner in learners:  # what they do with one row\n    first = [row, *(k for k in range(len(y)) if k != row)]\n` +
    "    step = trace(learner, [X[k] for k in first], [y[k] for k in first], max_updates=1, every_row=True)[0]\n    print(type(learner).__name__, step.after)\n";
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "rules",
  title: "Rules side by side",
  lectures: "L0 11.63–11.64, L1, L4",
  text: [
    "All these rules change the weights along the row: w ← w + g·x̃, with x̃ = (x, 1). They differ in g. The perceptron waits for a mistake, y·a ≤ 0. The hinge waits until y·a < 1, and lets old weights fade a little (λ = 0.01). The delta rule learns from every row, since its target d = ±1 is a number that a should be. Passive-aggressive rules take the smallest step that makes the loss ℓ = 1 − y·a zero; PA-I takes no step longer than C.",
    "Most of these steps go down the slope of a loss: see the two demonstrations that follow. After an update a row need not be right: the new a only goes in the right direction. Passive-aggressive rules do guarantee it.",
  ],
  task: "Take the row that is far away on the right side: which rules are pulled by it, and which line errs because of it? Then find a row that is still wrong after the perceptron’s update.",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { start: [-0.5, 0.25, 0.125], eta: 0.04 } },
    { name: "far", title: "One row far away", data: FAR_OF_FEW, parameters: { eta: 0.01, row: 3, start: [0.5, 0, 0], passes: 40 } },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: { eta: 0.05, passes: 20 } },
    { name: "short", title: "An update that is not enough", data: EIGHT, parameters: { start: [-2, -3, 2], eta: 0.5, row: 2 } },
  ],
  controls: [
    { name: "row", label: "Row", default: 0, low: 0, high: 499, step: 1, whole: true },
    { name: "start", label: "Start", default: [1, -1, 0], low: -1000, high: 1000, parts: ["w₁", "w₂", "b"] },
    { name: "eta", label: "Learning rate η", default: 0.1, low: 0.0001, high: 10 },
    { name: "slope", label: "Slope s of the neuron", default: 1, low: 0.01, high: 100 },
    { name: "C", label: "C of PA-I", default: 0.1, low: 0.0001, high: 1000 },
    { name: "passes", label: "Passes over all rows", default: 10, low: 1, high: 50, step: 1, whole: true },
  ],
  asks: { row: { answer: oneRow }, set: { answer: onAll } },
  python,
};
