// Logistic regression while rows are dragged: coefficients that run to infinity, or do not, and the proof beside them (L1, L2; A. Albert, J. A. Anderson 1984).

import { logistic } from "../engine/logistic.js";
import { errorsOf } from "../engine/learning.js";
import { CLOUDS, EIGHT, NEARLY, OVERLAP, TOUCHING } from "./points.js";
import { drawn } from "./verdict.js";
import { bothClasses, number } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const PENALTIES = [1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]; // λ
const LOGIT = Math.log(9); // a where φ(a) is 90 %

/** The fits for smaller and smaller penalties, that without any, and the verdict. @param {Data} data @param {Parameters} parameters */
function live(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const proof = drawn(data, {});
  const overlap = proof.kind === "overlap";
  let weights = [0, 0, 0];
  const fits = PENALTIES.map((l2) => {
    const found = logistic(X, y, l2, weights);
    weights = found.weights;
    return found;
  });
  const free = overlap ? logistic(X, y, 0, weights) : null;
  const chosen = free && parameters.l2 === 0 ? free : fits[parameters.l2 === 0 ? PENALTIES.length - 1 : PENALTIES.indexOf(parameters.l2)];
  const lengths = fits.map(({ weights: [a, b] }) => Math.hypot(a, b));
  const length = Math.hypot(chosen.weights[0], chosen.weights[1]);
  return { ...proof, log_penalty: PENALTIES.map((l2) => -Math.log10(l2)), w1: fits.map((fit) => fit.weights[0]), w2: fits.map((fit) => fit.weights[1]), b: fits.map((fit) => fit.weights[2]), lengths, losses: fits.map((fit) => fit.loss),
    chosen: chosen.weights, loss: chosen.loss, length, half_width: length ? LOGIT / length : null, wrong: errorsOf(X, y, [chosen.weights]),
    estimate: free && { weights: free.weights, errors: free.errors, loss: free.loss }, direction: overlap ? null : proof.weights, infinite: !overlap, told: said(proof.kind) };
}

/** @param {string} kind */
function said(kind) {
  if (kind === "complete") return "Add any positive multiple of d to the weights: every label becomes more likely. Software that prints numbers here has only stopped early.";
  if (kind === "quasi-complete") return "There is no finite estimate: along d no label becomes less likely, and some become more and more likely without end. The loss has a limit above 0, since rows on the line stay at 50 % or so.";
  return "The estimate is finite: along every direction some label becomes less likely, so a step that is too long costs more than it gains. The witness proves that there is no other direction.";
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const l2 = parameters.l2 === 0 ? "1e-6" : number(parameters.l2);
  return `from novikoff import LogisticNeuron, separability\n\nprint(separability(X, y))\nneuron = LogisticNeuron(l2=${l2}, solver="newton").fit(X, y)\nprint(neuron.coef_, neuron.intercept_)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "separation",
  title: "Separation: when logistic regression has no answer",
  lectures: "L1, L2",
  text: [
    "Logistic regression looks for the weights under which the labels are most likely: the least sum of log(1 + e^(−y·a)). If a line separates the classes, longer weights are always better, so there are no best weights. If one row is on the wrong side of every such line, the best weights are finite.",
    "With a penalty, λ/2·‖w‖², there is always an answer. Make λ smaller: if the classes are separated, ‖w‖ grows without end, and the band between 10 % and 90 % shrinks to a line, the one with the largest margin. If they overlap, the weights stop changing once λ is small enough.",
    "The numbers that a solver prints do not show whether the coefficients are finite. The verdict is exact, and here it follows the pointer.",
  ],
  task: "Drag one row across the line and back. When do the coefficients become finite? Then let the classes touch in one point: is the estimate finite?",
  presets: [
    { name: "nearly", title: "Separated by a hair", data: NEARLY, parameters: {} },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: {} },
    { name: "touching", title: "Quasi-complete: classes that touch", data: TOUCHING, parameters: {} },
    { name: "clouds", title: "Two clouds", data: CLOUDS, parameters: { l2: 0.01 } },
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { l2: 1 } },
  ],
  controls: [
    { name: "l2", label: "Penalty λ", default: 1e-4, options: [...PENALTIES.map((l2) => [l2, String(l2)]), [0, "none"]], help: "none: 0.000001 where there is no finite estimate", slider: true },
  ],
  asks: { live: { answer: live, follows: true } },
  python,
};
