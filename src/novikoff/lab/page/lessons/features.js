// Two radial basis functions: the plane of the rows beside the plane of their features (L2).

import { positiveRegions } from "../engine/contours.js";
import { near } from "../engine/fractions.js";
import { errorsOf, learn } from "../engine/learning.js";
import { verdict } from "../engine/verdict.js";
import { CLOUDS, EIGHT, OVERLAP, RING, XOR } from "./points.js";
import { bothClasses, number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const ACROSS = 72; // places of the grid that finds the boundary
const PASSES = 20; // of the pocket, where no line separates

/** @param {Parameters} parameters */
const centresOf = ({ centres: [x1, y1, x2, y2] }) => [[x1, y1], [x2, y2]];

/** The features of every row, a line between them, and what that line is in the plane of the rows. @param {Data} data @param {Parameters} parameters */
function features(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const centres = centresOf(parameters);
  const scale = 2 * parameters.width ** 2;
  const phi = (/** @type {number[]} */ x) => centres.map(([a, b]) => Math.exp(-((x[0] - a) ** 2 + (x[1] - b) ** 2) / scale));
  const rows = X.map(phi);
  const [before, proof] = [verdict(X, y).separable, verdict(rows, y)];
  const weights = proof.separable && proof.weights ? proof.weights.map(near) : pocket(rows, y);
  return { centres, features: rows, weights, margin: proof.bounds ? proof.bounds[0] : null, separable_before: before, separable: proof.separable, errors: errorsOf(rows, y, [weights]),
    regions: positiveRegions((x1, x2) => {
      const [a, b] = phi([x1, x2]);
      return a * weights[0] + b * weights[1] + weights[2];
    }, [...X, ...centres], ACROSS),
    title: proof.separable ? "Separable by two features" : "Not separable by these features", said: said(before, proof.separable) };
}

/** The weights with the fewest errors that a perceptron came by. @param {number[][]} X @param {number[]} y */
function pocket(X, y) {
  const found = learn({ X, y, passes: PASSES, updates: true });
  return [found.start, ...found.steps.map((step) => step.after)].reduce((best, each) => (errorsOf(X, y, each) < errorsOf(X, y, best) ? each : best))[0];
}

/** @param {boolean} before @param {boolean} after */
function said(before, after) {
  if (after) return `${before ? "A line separates the rows themselves, too" : "No line separates the rows themselves"}; a line separates their features, and in the plane of the rows it is a curve.`;
  if (before) return "A line separates the rows themselves, but their features overlap: features can lose what matters.";
  return "No line separates the features. The best line that the pocket found is drawn: move a centre, or change the width.";
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  return `from novikoff import RadialBasis, separability\n\nradial = RadialBasis(centers=[${centresOf(parameters).map(numbers).join(", ")}], width=${number(parameters.width)})\n` +
    "phi = radial.fit_transform(X)\nprint(phi)\nprint(separability(phi, y, max_margin=True))\n";
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "features",
  title: "Features: a curve that is a line elsewhere",
  lectures: "L1, L2 (φ)",
  text: [
    "L2 writes w·φ(x) instead of w·x: a perceptron can read features φ(x) of a row instead of the row itself. Here φ has two parts, φⱼ(x) = exp(−‖x − cⱼ‖² / 2σ²): how close x is to the centre cⱼ.",
    "Left are the rows, right their features. A line on the right is a curve on the left. Such features and a linear unit are a radial basis function network (Broomhead and Lowe 1988).",
  ],
  task: "Drag the centres of the ring away from its middle: when does the verdict turn? Then put both centres of XOR on corners of one side. Is there a width σ that makes it separable?",
  presets: [
    { name: "xor", title: "XOR", data: XOR, parameters: { centres: [0, 0, 1, 1], width: 0.5 } },
    { name: "ring", title: "A ring", data: RING, parameters: { centres: [0, 0, 1.5, 1.25], width: 0.875 } },
    { name: "ring-lost", title: "A ring, centres beside it", data: RING, parameters: { centres: [-2, 1.5, 2, 1.5], width: 0.75 } },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: { centres: [2.25, 2, -0.75, 0.25], width: 1.25 } },
    { name: "clouds", title: "Two clouds", data: CLOUDS, parameters: { centres: [3, 2.5, 0, 0], width: 1.5 } },
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { centres: [1.5, 1.5, -1.5, -1.5], width: 1.5 } },
  ],
  controls: [
    { name: "centres", label: "Centres", default: [0, 0, 1, 1], low: -1000000, high: 1000000, parts: ["c₁: x₁", "x₂", "c₂: x₁", "x₂"] },
    { name: "width", label: "Width σ", default: 1, low: 0.01, high: 1000 },
  ],
  asks: { features: { answer: features, follows: true } },
  python,
};
