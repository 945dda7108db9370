// Whether a line separates two classes in the plane: the line of the largest margin, or rows that prove that there is none; and certificates.

import { decide, nearest } from "./exact.js";
import { add, dot, fraction, near, over as divided, shortened, size, wholes, written, ZERO } from "./fractions.js";
import { hull } from "./hulls.js";

/** @typedef {import("./fractions.js").Fraction} Fraction */
/** @typedef {import("./exact.js").Witness} Witness */
/**
 * @typedef {{kind: "complete" | "quasi-complete" | "overlap", separable: boolean, weights: Fraction[] | null, bounds: [number, number] | null,
 *   mistakes: bigint | null, support: number[], holding: Witness, witness: Witness, spanning: Witness, boundary: number[], ideal: Fraction[] | null}} Verdict
 */

export const WORDS = {
  complete: { title: "Separable", sentence: "Some weights give every row its class." },
  "quasi-complete": {
    title: "Not separable (quasi-complete)",
    sentence: "No weights give every row its class, but some have no row on the wrong side and some rows strictly on the correct side.",
  },
  overlap: { title: "Not separable (overlap)", sentence: "Whatever the weights, some row is on the wrong side, or all are on the boundary." },
};

/** The verdict on two classes, 0 and 1. @param {number[][]} X @param {number[]} y @param {boolean} [bias] @returns {Verdict} */
export function verdict(X, y, bias = true) {
  const { rows, one } = wholes(X);
  const outer = bias ? [0, 1].flatMap((k) => corners(rows, y, k)) : y.map((_, row) => row); // the others are between them
  const signed = (/** @type {number} */ row) => {
    const z = bias ? [...rows[row], one] : rows[row];
    return y[row] === 1 ? z : z.map((value) => -value);
  };
  const found = decide(outer.map(signed));
  const named = (/** @type {Witness} */ some) => some.map((each) => ({ row: outer[each.row], weight: each.weight })).sort((a, b) => a.row - b.row);
  const nothing = { bounds: null, mistakes: null, support: [], holding: [], ideal: null };
  const [witness, spanning] = [named(found.witness), named(found.spanning)];
  if (found.kind !== "complete") {
    const weights = found.weights && withBias(found.weights.map((value) => fraction(value)), bias);
    const boundary = found.kind === "overlap" || !found.weights ? [] : y.map((_, row) => row).filter((row) => dot(signed(row), /** @type {bigint[]} */ (found.weights)) === 0n);
    return { kind: found.kind, separable: false, weights: weights && shortest(weights), witness, spanning, boundary, ...nothing };
  }
  const { point, over } = /** @type {import("./exact.js").Nearest} */ (found.nearest);
  const longest = rows.reduce((most, row) => (dot(row, row) > most ? dot(row, row) : most), 0n) + (bias ? one * one : 0n);
  const mistakes = (longest * over * over) / dot(point, point); // Novikoff 1962, rounded down: R² / γ²
  const ideal = withBias(point.map((value) => fraction(value, over)), bias);
  return { kind: "complete", separable: true, witness, spanning, boundary: [], mistakes, ideal, ...widest(rows, y, one, bias) };
}

/** Weights that end in a bias, 0 if there is none. @param {Fraction[]} weights @param {boolean} bias */
const withBias = (weights, bias) => (bias ? weights : [...weights, fraction(0n)]);

/** Rows of one class that are corners of its hull. @param {bigint[][]} rows @param {number[]} y @param {number} k */
function corners(rows, y, k) {
  const own = y.map((_, row) => row).filter((row) => y[row] === k);
  if (rows[0].length !== 2) return own;
  return hull(own.map((row) => rows[row])).map((place) => own[place]);
}

/** The weights of the largest margin, 1 at the rows that hold it. @param {bigint[][]} rows @param {number[]} y @param {bigint} one @param {boolean} bias */
function widest(rows, y, one, bias) {
  const [minus, plus] = [0, 1].map((k) => corners(rows, y, k));
  const pairs = bias ? plus.flatMap((i) => minus.map((j) => [i, j])) : [...plus, ...minus].map((row) => [row]);
  const apart = pairs.map(([i, j]) => rows[i].map((value, k) => (bias ? value - rows[j][k] : y[i] === 1 ? value : -value)));
  const found = nearest(apart);
  const { point, over } = found;
  const square = dot(point, point); // of over times the distance, in units
  /** @type {Map<number, bigint>} */
  const shares = new Map();
  found.places.forEach((place, k) => pairs[place].forEach((row) => shares.set(row, (shares.get(row) ?? 0n) + found.shares[k])));
  // with a bias: w = 2 (p − q) / |p − q|², b = −w·(p + q) / 2; without: w = p / |p|²
  const w = point.map((value) => fraction((bias ? 2n : 1n) * value * over * one, square));
  const middle = point.map((_, j) => [...shares].reduce((sum, [row, share]) => sum + share * rows[row][j], 0n));
  const b = bias ? fraction(-dot(point, middle), square) : fraction(0n);
  const scores = rows.map((row) => dot(point, row));
  const [high, low] = [1, 0].map((k) => scores.filter((_, i) => y[i] === k).reduce((best, value) => (k === 1 ? (value < best ? value : best) : value > best ? value : best)));
  const support = y.map((_, row) => row).filter((row) => (bias ? scores[row] === (y[row] === 1 ? high : low) : size(scores[row]) * over === square));
  const holding = [...shares].map(([row, share]) => ({ row, weight: fraction(share, bias ? 2n * over : over) })).sort((a, c) => a.row - c.row);
  const margin2 = fraction(square, (bias ? 4n : 1n) * over * over * one * one);
  return { weights: [...w, b], bounds: rootBounds(margin2), support, holding };
}

/** Floats below and above the root of a fraction, next to each other unless it is one of them. @param {Fraction} square @returns {[number, number]} */
function rootBounds(square) {
  const atMost = (/** @type {number} */ value) => {
    const { rows: [[n]], one } = wholes([[value]]);
    return n * n * square.d <= square.n * one * one;
  };
  let low = Math.sqrt(near(square));
  while (!atMost(low)) low = beside(low, -1);
  while (atMost(beside(low, 1))) low = beside(low, 1);
  const { rows: [[n]], one } = wholes([[low]]);
  return [low, n * n * square.d === square.n * one * one ? low : beside(low, 1)];
}

const float = new Float64Array(1);
const whole = new BigInt64Array(float.buffer);

/** The next float of a positive one. @param {number} value @param {1 | -1} way */
function beside(value, way) {
  float[0] = value;
  whole[0] += BigInt(way);
  return float[0];
}

/** Whole numbers in the same direction. @param {Fraction[]} values @returns {Fraction[]} */
function shortest(values) {
  const unit = values.reduce((product, value) => product * value.d, 1n);
  const numbers = values.map((value) => value.n * (unit / value.d));
  return shortened(numbers).map((value) => fraction(value));
}

/** A certificate that `plain.py` checks. @param {Verdict} found @param {number[]} y @param {string[]} names of the classes @param {boolean} bias */
export function certificate(found, y, names, bias) {
  const present = [...new Set(y)].sort((a, b) => a - b);
  const entry = (/** @type {Witness} */ some) => some.map(({ row, weight }) => [row, names[present.find((k) => k !== y[row]) ?? 0], number(weight)]);
  const lines = (/** @type {Fraction[]} */ weights) => {
    const own = (bias ? weights : weights.slice(0, -1)).map(number);
    return [own.map(() => 0), own];
  };
  /** @type {any[]} */
  const claims = [];
  if (found.kind === "complete" && found.weights && found.bounds && found.ideal) {
    claims.push({ claim: "complete", margin: found.bounds[0], weights: lines(found.weights) });
    claims.push({ claim: "margin at most", margin: found.bounds[1], witness: entry(found.holding) });
    claims.push({ claim: "mistakes at most", mistakes: Number(found.mistakes), constant_squared: 1, weights: lines(found.ideal) });
  } else {
    claims.push({ claim: "not complete", witness: entry(found.witness) });
    if (found.kind === "overlap") claims.push({ claim: "overlap", witness: entry(found.spanning) });
    else if (found.weights) claims.push({ claim: "quasi-complete", boundary: found.boundary, weights: lines(found.weights), witness: entry(found.spanning) });
  }
  return { format: "novikoff certificate 1", classes: present.map((k) => names[k]), intercept: bias, rows: y.length, claims };
}

/** A number that every reader of JSON holds exactly, or a text. @param {Fraction} value */
const number = (value) => (value.d === 1n && size(value.n) <= 2n ** 53n ? Number(value.n) : written(value));

/** Shares of a witness: the weights of two means, of either class; without a bias, of all rows. @param {Verdict} found @param {number[]} y @param {boolean} bias @returns {Fraction[]} */
export function sharesOf(found, y, bias) {
  const totals = [0, 1].map((k) => found.witness.filter((each) => !bias || y[each.row] === k).reduce((sum, { weight }) => add(sum, weight), ZERO));
  return found.witness.map(({ row, weight }) => divided(weight, totals[y[row]]));
}
