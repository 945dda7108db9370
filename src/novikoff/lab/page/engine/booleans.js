// A Boolean function as a network of units with at most one hidden layer: that of `novikoff.theory.boolean_network`.

import { fraction, near, size } from "./fractions.js";
import { verdict } from "./verdict.js";

/** @typedef {{weights: number[], bias: number}} Unit */
/** @typedef {{hidden: Unit[], last: Unit, output: string}} Network */

const PLANE_WEIGHTS = [0, 1, -1, 2, -2]; // of parallel planes; with them no function of three inputs has a unit too many
const LARGEST_WEIGHT = 1000;

/** All lists of these values, so many long, the last place fastest. @template T @param {T[]} values @param {number} length @returns {T[][]} */
export function product(values, length) {
  return length === 0 ? [[]] : product(values, length - 1).flatMap((list) => values.map((value) => [...list, value]));
}

/** The network of a table of values in counting order. @param {number[]} table @returns {Network} */
export function booleanNetwork(table) {
  const inputs = product([0, 1], Math.log2(table.length));
  return oneUnit(inputs, table) ?? twoLayers(inputs, table);
}

/** @param {number[][]} inputs @param {number[]} table @returns {Network | null} */
function oneUnit(inputs, table) {
  if (table.every((value) => value === table[0])) return { hidden: [], last: { weights: inputs[0].map(() => 0), bias: table[0] ? 1 : -1 }, output: "" };
  const found = widestWeights(inputs, table);
  return found && { hidden: [], last: found, output: "" };
}

/** Small whole numbers along the weights of the largest margin. @param {number[][]} inputs @param {number[]} table @returns {Unit | null} */
function widestWeights(inputs, table) {
  const found = verdict(inputs, table);
  if (!found.separable || !found.weights) return null;
  const largest = found.weights.reduce((most, value) => (size(value.n) * most.d > most.n * value.d ? fraction(size(value.n), value.d) : most), fraction(0n));
  const shares = found.weights.map((value) => near(fraction(value.n * largest.d, value.d * largest.n)));
  for (let scale = 1; scale <= LARGEST_WEIGHT; scale++) {
    const rounded = shares.map((share) => evenly(scale * share));
    const fits = inputs.every((x, k) => (table[k] ? 1 : -1) * x.reduce((sum, bit, j) => sum + bit * rounded[j], rounded[x.length]) > 0);
    if (fits) return { weights: rounded.slice(0, -1), bias: rounded[rounded.length - 1] + 0 };
  }
  return null;
}

/** The nearest whole number; of two the even one, as Python rounds. @param {number} value */
function evenly(value) {
  const low = Math.floor(value);
  return (value - low === 0.5 ? low + Math.abs(low % 2) : Math.round(value)) + 0;
}

/** The OR of faces with ones only, the AND of what is off faces with zeros only, or parallel planes: the fewest units.
 * @param {number[][]} inputs @param {number[]} table @returns {Network} */
function twoLayers(inputs, table) {
  const ones = faces(table.map((value) => value === 1), table.map((value) => value === 1));
  const zeros = faces(table.map((value) => value === 0), table.map((value) => value === 0));
  const positive = (/** @type {number[]} */ face) => face.filter((side) => side === 1).length;
  /** @type {{units: Unit[], least: number}[]} */
  const candidates = [
    { units: ones.map((face) => ({ weights: face.map((side) => 2 * side), bias: 1 - 2 * positive(face) })), least: 1 },
    { units: zeros.map((face) => ({ weights: face.map((side) => -2 * side + 0), bias: 2 * positive(face) - 1 })), least: zeros.length },
    ...parallel(inputs, table),
  ];
  const cost = (/** @type {Unit[]} */ units) => units.reduce((sum, unit) => sum + unit.weights.reduce((all, weight) => all + Math.abs(weight), 0), 0);
  const best = candidates.reduce((one, other) => (other.units.length - one.units.length || cost(other.units) - cost(one.units)) < 0 ? other : one);
  const count = best.units.length;
  const output = best.least === 1 ? "OR" : best.least === count ? "AND" : `at least ${best.least}`;
  return { hidden: best.units, last: { weights: best.units.map(() => 2), bias: 1 - 2 * best.least }, output };
}

/** Parallel planes between which the function keeps its value. So those fire at the rises that are passed and at the falls that are not.
 * @param {number[][]} inputs @param {number[]} table */
function parallel(inputs, table) {
  return product(PLANE_WEIGHTS, inputs[0].length).flatMap((weights) => {
    /** @type {Map<number, number>} */
    const values = new Map();
    for (let k = 0; k < inputs.length; k++) {
      const sum = inputs[k].reduce((total, bit, j) => total + bit * weights[j], 0);
      if ((values.get(sum) ?? table[k]) !== table[k]) return [];
      values.set(sum, table[k]);
    }
    const sums = [...values.keys()].sort((a, b) => a - b);
    const steps = sums.slice(1).map((sum, k) => ({ sign: Number(values.get(sum)) - Number(values.get(sums[k])), middle: sums[k] + sum })).filter((each) => each.sign);
    const units = steps.map(({ sign, middle }) => ({ weights: weights.map((weight) => 2 * sign * weight + 0), bias: -sign * middle + 0 }));
    return [{ units, least: steps.filter((each) => each.sign < 0).length + 1 - Number(values.get(sums[0])) }];
  });
}

/** Faces of the cube that cover the wanted inputs and only allowed ones: for each input 1, -1 for 0, or 0 for either (E. Morreale 1970).
 * @param {boolean[]} wanted @param {boolean[]} allowed @returns {number[][]} */
function faces(wanted, allowed) {
  if (!wanted.some(Boolean)) return [];
  if (allowed.every(Boolean)) return [new Array(Math.log2(allowed.length)).fill(0)];
  const half = wanted.length / 2;
  const [wanted0, wanted1, allowed0, allowed1] = [wanted.slice(0, half), wanted.slice(half), allowed.slice(0, half), allowed.slice(half)];
  const faces0 = faces(wanted0.map((each, k) => each && !allowed1[k]), allowed0);
  const faces1 = faces(wanted1.map((each, k) => each && !allowed0[k]), allowed1);
  const [covered0, covered1] = [covered(faces0, half), covered(faces1, half)];
  const left = wanted0.map((each, k) => (each && !covered0[k]) || (wanted1[k] && !covered1[k]));
  const either = faces(left, allowed0.map((each, k) => each && allowed1[k]));
  return [...faces0.map((face) => [-1, ...face]), ...faces1.map((face) => [1, ...face]), ...either.map((face) => [0, ...face])];
}

/** The inputs on any of these faces. @param {number[][]} some @param {number} count */
function covered(some, count) {
  return product([0, 1], Math.log2(count)).map((bits) => some.some((face) => face.every((side, j) => side === 0 || (side === 1) === (bits[j] === 1))));
}
