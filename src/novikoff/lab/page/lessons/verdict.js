// Whether a line separates two classes, and the proof as a picture (L0 11.66).

import { fewest } from "../engine/fewest.js";
import { add, exactly, near, times, wholes, written, ZERO } from "../engine/fractions.js";
import { hull } from "../engine/hulls.js";
import { certificate, sharesOf, verdict, WORDS } from "../engine/verdict.js";
import { AND, CLOUDS, EIGHT, OVERLAP, TOUCHING, XOR } from "./points.js";
import { bothClasses, csv, json } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */
/** @typedef {import("../engine/verdict.js").Verdict} Verdict */

const LONG = 120; // letters of a fraction that the page shows whole

/** The verdict and everything that is drawn of it: no more, since it follows the pointer. @param {Data} data @param {Parameters} parameters */
export function drawn(data, parameters) {
  bothClasses(data);
  const bias = parameters.bias !== "none";
  const found = verdict(data.X, data.y, bias);
  return { kind: found.kind, separable: found.separable, ...WORDS[found.kind], weights: found.weights && found.weights.map(near), margin: found.bounds ? found.bounds[0] : null,
    margin_bounds: found.bounds, mistake_bound: found.mistakes === null ? null : String(found.mistakes), support: found.support,
    witness: null, hulls: [], common: null, ...(found.separable ? {} : meeting(data.X, data.y, found, bias)) };
}

/** The rows of a witness with their weights, the hulls of both classes, and a point of both. @param {number[][]} X @param {number[]} y @param {Verdict} found @param {boolean} bias */
export function meeting(X, y, found, bias) {
  const shares = sharesOf(found, y, bias);
  const exact = wholes(X).rows;
  const around = (/** @type {number[]} */ rows) => hull(rows.map((row) => exact[row])).map((place) => X[rows[place]]);
  const hulls = [0, 1].map((k) => ({ class: k, all: around(y.map((_, row) => row).filter((row) => y[row] === k)),
    witness: around(found.witness.map((each) => each.row).filter((row) => y[row] === k)) }));
  return { witness: found.witness.map(({ row }, k) => ({ row, class: y[row], share: near(shares[k]) })), hulls,
    common: bias ? commonPoint(X, y, found, shares).map(near) : [0, 0] };
}

/** The point of both hulls: the mean of the witness rows of one class. @param {number[][]} X @param {number[]} y @param {Verdict} found
 * @param {import("../engine/fractions.js").Fraction[]} shares */
function commonPoint(X, y, found, shares) {
  return [0, 1].map((j) => found.witness.reduce((sum, { row }, k) => (y[row] === 0 ? add(sum, times(shares[k], exactly(X[row][j]))) : sum), ZERO));
}

/** The rows that must go before a line separates the rest: as few as possible. @param {Data} data @param {Parameters} parameters */
function inTheWay(data, parameters) {
  bothClasses(data);
  const rows = fewest(data.X, data.y, parameters.bias !== "none");
  return { rows, count: rows.length };
}

/** The same numbers as exact fractions. @param {Data} data @param {Parameters} parameters */
function fractions(data, parameters) {
  const bias = parameters.bias !== "none";
  const found = verdict(data.X, data.y, bias);
  const weights = found.weights && found.weights.map(text);
  if (found.separable) return { weights };
  const shares = sharesOf(found, data.y, bias);
  return { weights, shares: shares.map(text), common: bias ? commonPoint(data.X, data.y, found, shares).map(text) : null };
}

/** Two files that `plain.py` checks: certificate and rows. @param {Data} data @param {Parameters} parameters */
function files(data, parameters) {
  bothClasses(data);
  const bias = parameters.bias !== "none";
  return { certificate: json(certificate(verdict(data.X, data.y, bias), data.y, data.classes, bias)), rows: csv(data) };
}

/** A fraction; a long one by its first digits. @param {import("../engine/fractions.js").Fraction} value */
function text(value) {
  const whole = written(value);
  return whole.length <= LONG ? whole : `${whole.slice(0, LONG)}… (${whole.length} letters)`;
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const through = parameters.bias === "none" ? ", fit_intercept=False" : "";
  return `from novikoff import separability\n\nproof = separability(X, y, max_margin=True${through})\nprint(proof)\nprint(proof.exact_weights, proof.witness)\n` +
    'proof.save("certificate.json", rows="rows.csv")  # python plain.py certificate.json rows.csv\n';
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "verdict",
  title: "Separable or not, with proof",
  lectures: "L0 11.63, 11.66; L2",
  text: [
    "Two classes are linearly separable if some line has all rows of one strictly on one side and all of the other strictly on the other side. Such a line is a proof that everybody can check.",
    "There is a proof of the opposite, too: a point that lies in the convex hulls of both classes. Its weights show it as a mean of rows of either class, so no line can have the classes on two sides.",
  ],
  task: "Drag one row across the line and watch the verdict turn. Then make the classes touch in one point: is that separable?",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: {} },
    { name: "clouds", title: "Two clouds", data: CLOUDS, parameters: {} },
    { name: "xor", title: "XOR", data: XOR, parameters: {} },
    { name: "and", title: "AND", data: AND, parameters: {} },
    { name: "touching", title: "Hulls that touch", data: TOUCHING, parameters: {} },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: {} },
    { name: "origin", title: "Only lines through the origin", data: EIGHT, parameters: { bias: "none" } },
  ],
  controls: [
    { name: "bias", label: "Line", default: "one", options: [["one", "anywhere"], ["none", "only through the origin"]] },
  ],
  asks: { verdict: { answer: drawn, follows: true }, fewest: { answer: inTheWay }, fractions: { answer: fractions, by_itself: false }, certificate: { answer: files, by_itself: false } },
  python,
};
