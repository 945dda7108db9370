// The exact verdict: weights that separate, or rows and positive numbers that prove that there are none (P. Gordan 1873).

import { add, dot, echelons, fraction, orthogonal, over, size, solved, times, wholes, ZERO } from "./fractions.js";

/** @typedef {import("./fractions.js").Fraction} Fraction */
/** @typedef {{places: number[], shares: bigint[], over: bigint, point: bigint[]}} Nearest  shares / over are weights that sum to 1; point / over */

const MOST_GUESSES = 1000; // steps in floats before exact ones; the guess only saves time

/** The point of the hull of some points that is nearest to the origin, exactly (P. Wolfe 1976). @param {bigint[][]} points @returns {Nearest} */
export function nearest(points) {
  const squares = points.map((point) => dot(point, point));
  let first = 0;
  squares.forEach((square, k) => { if (square < squares[first]) first = k; });
  let found = combined(points, guessed(points)) ?? combined(points, [first]);
  for (;;) {
    if (!found) throw new Error("A single point always is the nearest of itself.");
    const { point, over: whole } = found;
    const square = dot(point, point);
    if (square === 0n) return found;
    let [least, coming] = [square, -1];
    points.forEach((each, k) => {
      const along = dot(point, each) * whole;
      if (along < least) [least, coming] = [along, k];
    });
    if (coming < 0) return found;
    found = improved(points, found, coming);
  }
}

/** The nearest point of the plane through these points, if it is inside of them all. @param {bigint[][]} points @param {number[]} places @returns {Nearest | null} */
function combined(points, places) {
  const found = affine(points, places);
  return found && found.values.every((value) => value > 0n) ? located(points, places, found.values, found.over) : null;
}

/** Weights, which sum to 1, of the nearest point of the plane through these points. @param {bigint[][]} points @param {number[]} places */
function affine(points, places) {
  if (!places.length) return null;
  const left = places.map((i) => [...places.map((j) => dot(points[i], points[j])), 1n]);
  const found = solved([...left, [...places.map(() => 1n), 0n]], [...places.map(() => 0n), 1n]);
  return found && { values: found.values.slice(0, -1), over: found.over };
}

/** @param {bigint[][]} points @param {number[]} places @param {bigint[]} shares @param {bigint} whole @returns {Nearest} */
function located(points, places, shares, whole) {
  const point = points[0].map((_, j) => places.reduce((sum, place, k) => sum + shares[k] * points[place][j], 0n));
  return { places, shares, over: whole, point };
}

/** Take one more point in, and drop those that are then in the way. @param {bigint[][]} points @param {Nearest} found @param {number} coming */
function improved(points, found, coming) {
  let places = [...found.places, coming];
  let shares = [...found.shares, 0n].map((share) => fraction(share, found.over));
  for (;;) {
    const aim = affine(points, places);
    if (!aim) throw new Error("Points that were taken in one by one are independent.");
    const wanted = aim.values.map((value) => fraction(value, aim.over));
    const down = wanted.map((_, k) => k).filter((k) => wanted[k].n <= 0n);
    if (!down.length) return located(points, places, aim.values, aim.over);
    let part = fraction(1n);
    for (const k of down) {
      const reach = over(shares[k], add(shares[k], fraction(-wanted[k].n, wanted[k].d)));
      if (reach.n * part.d < part.n * reach.d) part = reach;
    }
    const rest = add(fraction(1n), fraction(-part.n, part.d));
    shares = shares.map((share, k) => add(times(rest, share), times(part, wanted[k])));
    const kept = places.map((_, k) => k).filter((k) => shares[k].n > 0n);
    [places, shares] = [kept.map((k) => places[k]), kept.map((k) => shares[k])];
  }
}

/** The points around the nearest one, as floats find them. @param {bigint[][]} points @returns {number[]} */
function guessed(points) {
  let largest = 1n;
  for (const point of points) for (const value of point) if (size(value) > largest) largest = size(value);
  const shift = BigInt(Math.max(0, largest.toString(2).length - 60));
  const scale = Number(largest >> shift);
  const near = points.map((point) => point.map((value) => Number(value >> shift) / scale));
  const product = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.reduce((sum, value, j) => sum + value * b[j], 0);
  const squares = near.map((point) => product(point, point));
  let places = [squares.indexOf(Math.min(...squares))];
  let shares = [1];
  for (let round = 0; round < MOST_GUESSES; round++) {
    const x = near[0].map((_, j) => places.reduce((sum, place, k) => sum + shares[k] * near[place][j], 0));
    const along = near.map((point) => product(x, point));
    const coming = along.indexOf(Math.min(...along));
    if (along[coming] >= product(x, x) - 1e-13 || places.includes(coming)) break;
    places.push(coming);
    shares.push(0);
    for (;;) {
      const wanted = solvedNear(places.map((i) => places.map((j) => 1 + product(near[i], near[j]))));
      if (!wanted) return places.slice(0, -1);
      const total = wanted.reduce((sum, value) => sum + value, 0);
      const aim = wanted.map((value) => value / total);
      if (aim.every((value) => value > 1e-14)) {
        shares = aim;
        break;
      }
      const part = Math.min(1, ...aim.map((value, k) => (value <= 1e-14 ? shares[k] / Math.max(shares[k] - value, 1e-300) : 1)));
      const moved = shares.map((share, k) => share + part * (aim[k] - share));
      const kept = moved.map((_, k) => k).filter((k) => moved[k] > 1e-14);
      if (kept.length === places.length) kept.splice(moved.indexOf(Math.min(...moved)), 1);
      [places, shares] = [kept.map((k) => places[k]), kept.map((k) => moved[k])];
      if (!places.length) return [];
    }
  }
  return places;
}

/** Solve a system whose right side is ones, in floats. @param {number[][]} left @returns {number[] | null} */
function solvedNear(left) {
  const rows = left.map((row) => [...row, 1]);
  for (let k = 0; k < rows.length; k++) {
    let pivot = k;
    for (let i = k + 1; i < rows.length; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    if (Math.abs(rows[pivot][k]) < 1e-14) return null;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < rows.length; i++) {
      if (i === k || rows[i][k] === 0) continue;
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= rows.length; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, k) => row[rows.length] / row[k]);
}

/** @typedef {{row: number, weight: Fraction}[]} Witness */
/**
 * What is true of vectors a: `complete`, some w has w·a > 0 for all; `quasi-complete`, some has w·a ≥ 0 for all and > 0 for some;
 * `overlap`. The witness sums to 0 with positive weights; the spanning one holds all vectors on which w·a is 0 for every such w.
 * @typedef {{kind: "complete" | "quasi-complete" | "overlap", weights: bigint[] | null, nearest: Nearest | null, witness: Witness, spanning: Witness,
 *   boundary: number[]}} Decision
 */

/** Decide, exactly. @param {bigint[][]} vectors @returns {Decision} */
export function decide(vectors) {
  const width = vectors[0].length;
  const first = nearest(vectors);
  if (first.point.some((value) => value !== 0n)) {
    return { kind: "complete", weights: first.point, nearest: first, witness: [], spanning: [], boundary: [] };
  }
  const witness = witnessOf(first, first.places);
  let spanning = witness;
  for (;;) {
    const held = spanning.map((each) => vectors[each.row]);
    const free = orthogonal(held, width);
    const coordinates = vectors.map((vector) => free.map((each) => dot(each, vector)));
    const outside = vectors.map((_, row) => row).filter((row) => coordinates[row].some((value) => value !== 0n));
    const boundary = vectors.map((_, row) => row).filter((row) => !outside.includes(row));
    if (!outside.length) return { kind: "overlap", weights: null, nearest: null, witness, spanning, boundary };
    const next = nearest(outside.map((row) => coordinates[row]));
    if (next.point.some((value) => value !== 0n)) {
      const weights = Array.from({ length: width }, (_, j) => free.reduce((sum, each, k) => sum + next.point[k] * each[j], 0n));
      return { kind: "quasi-complete", weights, nearest: null, witness, spanning, boundary };
    }
    spanning = joined(vectors, spanning, witnessOf(next, next.places.map((place) => outside[place])));
  }
}

/** @param {Nearest} found @param {number[]} rows @returns {Witness} */
const witnessOf = (found, rows) => rows.map((row, k) => ({ row, weight: fraction(found.shares[k], found.over) })).sort((a, b) => a.row - b.row);

/** A witness of the rows of both, where the second sums to something that the first spans. @param {bigint[][]} vectors @param {Witness} first @param {Witness} second @returns {Witness} */
function joined(vectors, first, second) {
  const width = vectors[0].length;
  const sum = Array.from({ length: width }, (_, j) => second.reduce((total, each) => add(total, times(each.weight, fraction(vectors[each.row][j]))), ZERO));
  const unit = sum.reduce((product, value) => product * value.d, 1n);
  const right = sum.map((value) => -value.n * (unit / value.d));
  const basis = echelons(first.map((each) => vectors[each.row])).places;
  const chosen = basis.map((place) => vectors[first[place].row]);
  const found = solved(chosen.map((a) => chosen.map((b) => dot(a, b))), chosen.map((a) => dot(a, right))); // right is in their span
  if (!found) throw new Error("A basis is independent.");
  const changes = new Map(basis.map((place, k) => [place, fraction(found.values[k], found.over * unit)]));
  let most = fraction(1n);
  first.forEach((each, place) => {
    const need = over(fraction(-(changes.get(place) ?? ZERO).n, (changes.get(place) ?? ZERO).d), each.weight);
    if (need.n * most.d > most.n * need.d) most = need;
  });
  const multiple = add(most, fraction(1n));
  return [...first.map((each, place) => ({ row: each.row, weight: add(times(multiple, each.weight), changes.get(place) ?? ZERO) })), ...second]
    .sort((a, b) => a.row - b.row);
}

/** Whether these steps of rows, those of the first output taken off, add up to exactly zero for every output.
 * @param {number[][]} steps of each row, for each output @param {number[][]} X @param {boolean} bias */
export function zeroSum(steps, X, bias) {
  const exact = wholes(steps).rows;
  const rows = wholes(X.map((x) => (bias ? [...x, 1] : x))).rows;
  return steps[0].every((_, k) => rows[0].every((__, j) => {
    const first = (/** @type {bigint[]} */ each) => (steps[0].length > 1 ? each[k] - each[0] : each[k]);
    return exact.reduce((sum, each, row) => sum + first(each) * rows[row][j], 0n) === 0n;
  }));
}
