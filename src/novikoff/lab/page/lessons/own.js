// The verdict on a small file, exact in any number of columns, and a first fit: all in the page.

import { decide } from "../engine/exact.js";
import { near, size, wholes } from "../engine/fractions.js";
import { errorsOf, learn } from "../engine/learning.js";
import { likelyTarget, readTable, rowsOf } from "../engine/table.js";
import { WORDS } from "../engine/verdict.js";

const MOST_CLASSES = 20;
const PASSES = 20;
const EVERY = 5; // each fifth row is held out

/** @param {{text: string, target?: string, positive?: string}} given */
export function ownTable(given) {
  const table = readTable(String(given.text));
  const target = given.target ?? likelyTarget(table);
  const rows = rowsOf(table, target);
  const { classes, X, labels } = rows;
  if (classes.length > MOST_CLASSES) throw new Error(`Column ${target} has ${classes.length} different values. The page takes up to ${MOST_CLASSES} classes: choose another target.`);
  const positive = classes.includes(String(given.positive)) ? String(given.positive) : classes[classes.length - 1];
  const y = labels.map((label) => Number(classes[label] === positive));
  const { rows: level, middles, factors } = levelled(X);
  const found = decide(level.map((row, i) => (y[i] ? row : row.map((value) => -value))));
  return { columns: table.names, target, classes, positive, rows: X.length, features: rows.names.length, dropped: rows.dropped, left: rows.left, kind: found.kind, ...WORDS[found.kind],
    weights: found.weights && scaled(ofRows(found.weights, middles, factors)).map((value, j) => ({ name: rows.names[j] ?? "bias", value })),
    witness: found.witness.map(({ row, weight }) => ({ line: rows.numbers[row], class: classes[labels[row]], weight: near(weight) })), fit: fitted(X, y) };
}

/** The same rows as whole numbers with a 1 at the end, each column around its middle and as wide as the widest: no verdict or witness depends on it,
 * and steps in floats find nearly all of the way. @param {number[][]} X */
function levelled(X) {
  const { rows, one } = wholes(X);
  const middles = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0n) / BigInt(rows.length));
  const apart = rows.map((row) => [...row.map((value, j) => value - middles[j]), one]);
  const lengths = [...middles, one].map((_, j) => apart.reduce((most, row) => (size(row[j]) > most ? size(row[j]) : most), 1n).toString(2).length);
  const longest = Math.max(...lengths);
  const factors = lengths.map((length) => 2n ** BigInt(longest - length));
  return { rows: apart.map((row) => row.map((value, j) => value * factors[j])), middles: [...middles, 0n].map((middle) => ({ n: middle, d: one })), factors };
}

/** Weights of levelled rows as those of the rows that were given; the last is the bias. @param {bigint[]} weights
 * @param {{n: bigint, d: bigint}[]} middles @param {bigint[]} factors */
function ofRows(weights, middles, factors) {
  const one = middles[0].d; // b + Σ w·(x − middle), in units
  const own = weights.map((value, j) => value * factors[j]);
  const bias = own[own.length - 1] * one - own.slice(0, -1).reduce((sum, value, j) => sum + value * middles[j].n, 0n);
  return [...own.slice(0, -1).map((value) => value * one), bias];
}

/** Weights of length about 1. @param {bigint[]} weights */
function scaled(weights) {
  const largest = weights.reduce((most, value) => (size(value) > most ? size(value) : most), 0n);
  return weights.map((value) => near({ n: value, d: largest }));
}

/** A perceptron on four fifths of the rows, in units of each column's spread; the best weights it came by, and how they do on the rest. @param {number[][]} X @param {number[]} y */
function fitted(X, y) {
  const rows = y.map((_, row) => row);
  const [inside, outside] = [rows.filter((row) => row % EVERY !== EVERY - 1), rows.filter((row) => row % EVERY === EVERY - 1)];
  if (!outside.length || new Set(inside.map((row) => y[row])).size < 2) return null;
  const means = X[0].map((_, j) => inside.reduce((sum, row) => sum + X[row][j], 0) / inside.length);
  const spreads = means.map((mean, j) => Math.sqrt(inside.reduce((sum, row) => sum + (X[row][j] - mean) ** 2, 0) / inside.length) || 1);
  const Z = X.map((x) => x.map((value, j) => (value - means[j]) / spreads[j]));
  const part = (/** @type {number[]} */ some) => ({ X: some.map((row) => Z[row]), y: some.map((row) => y[row]) });
  const [learned, held] = [part(inside), part(outside)];
  const { ends } = learn({ ...learned, order: "shuffle", seed: 0, passes: PASSES, quiet: true });
  const best = ends.reduce((one, other) => (errorsOf(learned.X, learned.y, other) < errorsOf(learned.X, learned.y, one) ? other : one));
  const share = (/** @type {number} */ wrong, /** @type {number} */ all) => (all - wrong) / all;
  const larger = 2 * inside.filter((row) => y[row] === 1).length > inside.length ? 1 : 0;
  return { learned: inside.length, held: outside.length, train: share(errorsOf(learned.X, learned.y, best), inside.length), held_out: share(errorsOf(held.X, held.y, best), outside.length),
    larger: share(held.y.filter((label) => label !== larger).length, outside.length) };
}
