// Seven rules on the same row and on the same rows, their losses as curves, and the error as a bowl (L0 11.62 to 11.64, L1, L4).

import { contourLines, spread } from "../engine/contours.js";
import { errorsOf, learn } from "../engine/learning.js";
import { crossEntropy, DELTA, HINGE, passiveAggressive, PERCEPTRON, sigmoid, squaredNeuron } from "../engine/rules.js";
import { EIGHT, FAR_OF_FEW, OVERLAP } from "./points.js";
import { bothClasses, count, number, numbers, short } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */
/** @typedef {import("../engine/rules.js").Rule} Rule */

const DECAY = 0.01; // lambda of the hinge rule
const DESCENT = 40; // steps in the bowl
const SPREAD = [1.34, 1.21]; // of the lines to either side, in heights of the picture: those of a phone are rather high
const LEVELS = 7; // lines of the bowl
const WORK = 60_000; // losses that a bowl is made of
const LOST = 12; // so many pictures away from the bottom, the steps are lost
const LEAP = 2 ** -10; // where a curve leaps it has two points so close together
const eighths = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from }, (_, k) => (from + k) / 8);
const MARGINS = [...eighths(-16, 25), LEAP, 1 - LEAP].sort((a, b) => a - b); // y·a of the curves
const SCORES = [...eighths(-32, 33), LEAP].sort((a, b) => a - b); // a of the neuron's curves

/** @type {Record<string, {label: string, formula: string, learner: string, rule: (p: Parameters) => Rule, python: (p: Parameters) => string}>} */
const RULES = {
  perceptron: { label: "perceptron", formula: "η·y if y·a ≤ 0", learner: "Perceptron", rule: () => PERCEPTRON, python: (p) => `eta=${number(p.eta)}` },
  delta: { label: "delta rule (Adaline)", formula: "η·(d − a)", learner: "Adaline", rule: () => DELTA, python: (p) => `eta=${number(p.eta)}, solver='steps', l2=0` },
  neuron: { label: "neuron, squared error", formula: "η·(d − φ)·φ′", learner: "LogisticNeuron", rule: (p) => squaredNeuron(p.slope), python: (p) => `eta=${number(p.eta)}, slope=${number(p.slope)}, loss='squared', solver='steps', l2=0` },
  entropy: { label: "neuron, cross-entropy", formula: "η·s·(d − φ)", learner: "LogisticNeuron", rule: (p) => crossEntropy(p.slope), python: (p) => `eta=${number(p.eta)}, slope=${number(p.slope)}, solver='steps', l2=0` },
  hinge: { label: "hinge", formula: "η·y if y·a < 1", learner: "HingeSGD", rule: () => HINGE, python: (p) => `eta=${number(p.eta)}, lam=${DECAY}` },
  pa: { label: "passive-aggressive", formula: "y·ℓ/‖x̃‖²", learner: "PassiveAggressiveClassifier", rule: () => passiveAggressive(Infinity), python: () => "variant='PA'" },
  pa1: { label: "PA-I", formula: "y·min(C, ℓ/‖x̃‖²)", learner: "PassiveAggressiveClassifier", rule: (p) => passiveAggressive(p.C), python: (p) => `C=${number(p.C)}, variant='PA-I'` },
};
const NAMES = Object.keys(RULES);
const DESCENDED = NAMES.filter((name) => !name.startsWith("pa")); // the rules that go down the slope of their loss

/** @param {string} name @param {number[][]} X @param {number[]} y @param {Parameters} parameters @param {number} passes */
function learned(name, X, y, parameters, passes) {
  return learn({ X, y, rule: RULES[name].rule(parameters), eta: name.startsWith("pa") ? 1 : parameters.eta, decay: name === "hinge" ? DECAY : 0, start: [parameters.start], passes, steps: passes * y.length });
}

/** @param {Data} data */
const signsOf = (data) => data.y.map((label) => (label === 1 ? 1 : -1));

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

/** Loss and step of every rule, and the neuron's answer, as curves. @param {Data} data @param {Parameters} parameters */
function curves(data, parameters) {
  const row = data.X[Math.min(parameters.row, data.X.length - 1)];
  const [length2, { slope }] = [row[0] * row[0] + row[1] * row[1] + 1, parameters];
  const answers = SCORES.map((a) => sigmoid(slope * a));
  const each = (/** @type {string} */ before, /** @type {string[]} */ names, /** @type {(rule: Rule, m: number) => number} */ value) =>
    Object.fromEntries(names.map((name) => [`${before}_${name}`, MARGINS.map((m) => value(RULES[name].rule(parameters), m))]));
  return { margin: MARGINS, unit: MARGINS.map((m) => Number(m <= 0)), all_rows: MARGINS.map((m) => -m), ...each("loss", DESCENDED, (rule, m) => rule.loss(1, m)), ...each("step", NAMES, (rule, m) => rule.step(1, m, length2)),
    a: SCORES, phi: answers, phi_slope: answers.map((phi) => slope * phi * (1 - phi)), tangent: SCORES.map((a) => (Math.abs(slope * a) <= 2 ? 0.5 + (slope * a) / 4 : null)), step: SCORES.map((a) => Number(a > 0)) };
}

/** The error of all rows over two weights, and the way down in steps of all rows at once; no bias. @param {Data} data @param {Parameters} parameters */
function bowl(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const signs = signsOf(data);
  const name = parameters.bowl;
  const rule = RULES[name].rule(parameters);
  const error = (/** @type {number} */ u, /** @type {number} */ v) => X.reduce((sum, x, i) => sum + rule.loss(signs[i], x[0] * u + x[1] * v), 0);
  const start = parameters.start.slice(0, 2);
  let path = [[Infinity, Infinity]];
  try {
    path = learn({ X, y, rule, eta: parameters.eta, decay: name === "hinge" ? DECAY : 0, batch: y.length, constant2: 0, start: [[...start, 0]], passes: DESCENT, steps: DESCENT }).steps.map((step) => step.after[0].slice(0, 2));
  } catch (wrong) {
    if (!(wrong instanceof RangeError)) throw wrong;
  }
  const [bottom, largest] = leastSquares(X, signs);
  const reach = 1.15 * Math.max(1, Math.abs(start[0] - bottom[0]), Math.abs(start[1] - bottom[1]));
  const lost = path.findIndex((w) => !w.every((value, j) => Math.abs(value - bottom[j]) < LOST * reach));
  path = [start, ...(lost < 0 ? path : path.slice(0, lost))];
  const errors = path.map(([u, v]) => error(u, v));
  const size = Math.max(12, Math.min(40, Math.floor(Math.sqrt(WORK / y.length))));
  const [xs, ys] = SPREAD.map((part, j) => spread(bottom[j] - part * reach, bottom[j] + part * reach, size));
  const values = ys.map((v) => xs.map((u) => error(u, v)));
  const [low, high] = [Math.min(...values.flat()), Math.max(...values.flat())];
  const levels = Array.from({ length: LEVELS }, (_, k) => low + (high - low) * ((k + 1) / (LEVELS + 1)) ** 2);
  const limit = name === "delta" && largest ? 2 / largest : null;
  return { frame: [bottom[0] - (4 / 3) * reach, bottom[0] + (4 / 3) * reach, bottom[1] - reach, bottom[1] + reach], lines: levels.map((level) => ({ level, lines: contourLines(xs, ys, values, level) })),
    bottom: name === "delta" ? bottom : null, path, k: path.map((_, k) => k), errors, limit, said: said(errors, parameters.eta, limit, lost >= 0) };
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
  lectures: "L0 11.62–11.64, L1, L4",
  text: [
    "All these rules change the weights along the row: w ← w + g·x̃, with x̃ = (x, 1). They differ in g. The perceptron waits for a mistake, y·a ≤ 0. The hinge waits until y·a < 1, and lets old weights fade a little (λ = 0.01). The delta rule learns from every row, since its target d = ±1 is a number that a should be. Passive-aggressive rules take the smallest step that makes the loss ℓ = 1 − y·a zero; PA-I takes no step longer than C.",
    "The neuron answers φ(a) = 1/(1 + e⁻ˢᵃ), between 0 and 1, and d is 0 or 1. With a small slope s it is nearly a line, as in Adaline; with a large one nearly a step, as in the perceptron, and then φ′ is 0 nearly everywhere and nothing is learned.",
    "Most of these steps go down the slope of a loss. The error of all rows over two weights is a bowl; if η is too large, steps leap across it and climb.",
  ],
  task: "Find the largest η for which the steps in the bowl of the delta rule still end at the bottom. Then take the row that is far away on the right side: which rules are pulled by it, and which line errs because of it?",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { start: [-0.5, 0.25, 0.125], eta: 0.04 } },
    { name: "diverges", title: "η too large", data: EIGHT, parameters: { start: [-0.5, 0.25, 0.125], eta: 0.05 } },
    { name: "far", title: "One row far away", data: FAR_OF_FEW, parameters: { eta: 0.01, row: 3, start: [0.5, 0, 0], passes: 40 } },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: { eta: 0.05, passes: 20 } },
    { name: "gentle", title: "A neuron like Adaline", data: OVERLAP, parameters: { eta: 0.5, slope: 0.3, bowl: "neuron" } },
    { name: "steep", title: "A neuron like a step", data: OVERLAP, parameters: { eta: 0.5, slope: 12, bowl: "neuron" } },
  ],
  controls: [
    { name: "row", label: "Row", default: 0, low: 0, high: 499, step: 1, whole: true },
    { name: "start", label: "Start", default: [1, -1, 0], low: -1000, high: 1000, parts: ["w₁", "w₂", "b"] },
    { name: "eta", label: "Learning rate η", default: 0.1, low: 0.0001, high: 10 },
    { name: "slope", label: "Slope s of the neuron", default: 1, low: 0.01, high: 100 },
    { name: "C", label: "C of PA-I", default: 0.1, low: 0.0001, high: 1000 },
    { name: "passes", label: "Passes over all rows", default: 10, low: 1, high: 50, step: 1, whole: true },
    { name: "bowl", label: "Bowl of", default: "delta", options: [["perceptron", "perceptron"], ["delta", "delta rule (Adaline)"], ["neuron", "neuron, squared error"], ["entropy", "neuron, cross-entropy"], ["hinge", "hinge"]] },
  ],
  asks: { row: { answer: oneRow }, set: { answer: onAll }, curves: { answer: curves }, bowl: { answer: bowl } },
  python,
};
