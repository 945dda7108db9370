// Which row comes next: the orders of `novikoff.learn.orders`.

import { Generator } from "./random.js";

/** Orders in which weights that come back will come back for ever. */
export const REPEATING = ["cyclic", "alternate", "worst"];

/** One row of each class in turn; what is left of larger classes comes last. @param {number[]} y */
function inTurn(y) {
  const count = /** @type {number[]} */ ([]);
  const ranked = y.map((label, row) => ({ row, label, rank: (count[label] = (count[label] ?? 0) + 1) }));
  return ranked.sort((one, other) => one.rank - other.rank || one.label - other.label || one.row - other.row).map((each) => each.row);
}

/** A function that makes the rows of one pass after the other.
 * @param {string} name @param {number[]} y class numbers @param {number} seed @param {() => number} worst the row of the smallest margin */
export function makeOrder(name, y, seed, worst) {
  if (name === "worst") return () => [worst()];
  if (name === "alternate") {
    const fixed = inTurn(y);
    return () => fixed;
  }
  const rows = y.map((_, row) => row);
  if (name === "cyclic") return () => rows;
  const chance = new Generator(seed);
  if (name === "random") return () => rows.map(() => chance.below(rows.length));
  return () => {
    chance.shuffle(rows);
    return [...rows];
  };
}

/** The rows, those of class 1 first. @param {number[]} rows @param {number[]} y */
export function sortedByClass(rows, y) {
  return [...rows.filter((row) => y[row] === 1), ...rows.filter((row) => y[row] !== 1)];
}
