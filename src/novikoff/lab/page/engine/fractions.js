// Exact numbers: floats as whole numbers of one unit, fractions of BigInt, and systems of linear equations in them.

/** @typedef {{n: bigint, d: bigint}} Fraction  d > 0, without common factors */

const bits = new DataView(new ArrayBuffer(8));

/** A float as m · 2^e, m odd or 0. @param {number} value @returns {[bigint, number]} */
function parts(value) {
  if (value === 0) return [0n, 0];
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  let whole = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  if (exponent) whole |= 1n << 52n;
  let shift = Math.max(exponent, 1) - 1075;
  for (const step of [32n, 16n, 8n, 4n, 2n, 1n]) {
    while ((whole & ((1n << step) - 1n)) === 0n) [whole, shift] = [whole >> step, shift + Number(step)];
  }
  return [value < 0 ? -whole : whole, shift];
}

/** All numbers in one unit, 1 / 2^e: whole numbers, and how many of them are 1. @param {number[][]} rows @returns {{rows: bigint[][], one: bigint}} */
export function wholes(rows) {
  const all = rows.map((row) => row.map(parts));
  const least = all.reduce((low, row) => row.reduce((lowest, [, shift]) => Math.min(lowest, shift), low), 0);
  return { rows: all.map((row) => row.map(([whole, shift]) => whole << BigInt(shift - least))), one: 1n << BigInt(-least) };
}

/** @param {bigint} value */
export const size = (value) => (value < 0n ? -value : value);

/** @param {bigint} a @param {bigint} b @returns {bigint} */
export function gcd(a, b) {
  [a, b] = [size(a), size(b)];
  while (b) [a, b] = [b, a % b];
  return a;
}

/** @param {bigint} n @param {bigint} [d] @returns {Fraction} */
export function fraction(n, d = 1n) {
  const common = gcd(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / common, d: d / common };
}

/** A float as it is. @param {number} value @returns {Fraction} */
export function exactly(value) {
  const { rows, one } = wholes([[value]]);
  return fraction(rows[0][0], one);
}

export const ZERO = fraction(0n);
export const add = (/** @type {Fraction} */ a, /** @type {Fraction} */ b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (/** @type {Fraction} */ a, /** @type {Fraction} */ b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (/** @type {Fraction} */ a, /** @type {Fraction} */ b) => fraction(a.n * b.n, a.d * b.d);
export const over = (/** @type {Fraction} */ a, /** @type {Fraction} */ b) => fraction(a.n * b.d, a.d * b.n);

/** The nearest float. @param {Fraction} value */
export function near({ n, d }) {
  if (n === 0n) return 0;
  const shift = 66 - size(n).toString(2).length + d.toString(2).length;
  const [up, down] = shift >= 0 ? [size(n) << BigInt(shift), d] : [size(n), d << BigInt(-shift)];
  const quotient = (up / down) | (up % down ? 1n : 0n); // the last bit says whether anything is left
  const half = Math.trunc(shift / 2); // in two steps, for the range of floats
  const found = Number(quotient) * 2 ** -half * 2 ** -(shift - half);
  return n < 0n ? -found : found;
}

/** A fraction as Python writes it. @param {Fraction} value */
export const written = ({ n, d }) => (d === 1n ? String(n) : `${n}/${d}`);

/** @param {bigint[]} a @param {bigint[]} b */
export function dot(a, b) {
  let sum = 0n;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

/** Solve a square system of whole numbers: the numerators and their common denominator; null if it is singular (E. H. Bareiss 1968).
 * @param {bigint[][]} left @param {bigint[]} right @returns {{over: bigint, values: bigint[]} | null} */
export function solved(left, right) {
  const [count, rows] = [left.length, left.map((row, i) => [...row, right[i]])];
  let last = 1n;
  for (let k = 0; k < count; k++) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    if (pivot < 0) return null;
    if (pivot !== k) [rows[k], rows[pivot]] = [rows[pivot], rows[k].map((value) => -value)]; // so that the determinant keeps its sign
    for (let i = 0; i < count; i++) {
      if (i === k) continue;
      const factor = rows[i][k];
      for (let j = 0; j <= count; j++) if (j !== k) rows[i][j] = (rows[k][k] * rows[i][j] - factor * rows[k][j]) / last;
      rows[i][k] = 0n;
    }
    last = rows[k][k];
    for (let i = 0; i < k; i++) rows[i][i] = last;
  }
  const sign = last < 0n ? -1n : 1n;
  return { over: last * sign, values: rows.map((row) => row[count] * sign) };
}

/** Vectors as echelons (Gauss and Jordan, with whole numbers only: E. H. Bareiss 1968): each row has `over` at its own pivot and 0 at those of
 * others. `places` are the vectors that none before them span. @param {bigint[][]} vectors
 * @returns {{rows: bigint[][], pivots: number[], places: number[], over: bigint}} */
export function echelons(vectors) {
  /** @type {bigint[][]} */
  let rows = [];
  /** @type {number[]} */
  const pivots = [];
  /** @type {number[]} */
  const places = [];
  let over = 1n;
  vectors.forEach((vector, place) => {
    const left = vector.map((value, j) => rows.reduce((sum, row, k) => sum - vector[pivots[k]] * row[j], over * value));
    const pivot = left.findIndex((value) => value !== 0n);
    if (pivot < 0) return;
    rows = [...rows.map((row) => row.map((value, j) => (left[pivot] * value - row[pivot] * left[j]) / over)), left];
    pivots.push(pivot);
    places.push(place);
    over = left[pivot];
  });
  return { rows, pivots, places, over };
}

/** The same direction in small numbers. @param {bigint[]} vector */
export function shortened(vector) {
  const common = vector.reduce((sum, value) => gcd(sum, value), 0n);
  return common > 1n ? vector.map((value) => value / common) : vector;
}

/** A basis of all vectors at right angles to these. @param {bigint[][]} vectors @param {number} width @returns {bigint[][]} */
export function orthogonal(vectors, width) {
  const { rows, pivots, over } = echelons(vectors);
  return Array.from({ length: width }, (_, j) => j).filter((j) => !pivots.includes(j)).map((free) => {
    const found = new Array(width).fill(0n);
    found[free] = over;
    rows.forEach((row, k) => { found[pivots[k]] = -row[free]; });
    return shortened(found);
  });
}
