// The fewest rows that must go before a line separates the rest, exactly: every line through two rows is looked at, and its turns around them.

import { wholes } from "./fractions.js";

/** From how many rows on it takes too long. */
export const MOST_ROWS = 150;

/** Row numbers, as few as possible. @param {number[][]} X @param {number[]} y @param {boolean} bias @returns {number[]} */
export function fewest(X, y, bias) {
  if (X.length > MOST_ROWS) throw new Error(`The fewest rows that must go are looked for among up to ${MOST_ROWS} rows.`);
  const exact = wholes(X).rows;
  const small = exact.flat().every((value) => value > -(2n ** 24n) && value < 2n ** 24n); // then floats hold all products
  return small ? searched(exact.map((row) => row.map(Number)), y, bias) : searched(exact, y, bias);
}

/** @param {any[][]} rows of whole numbers, as floats or BigInt @param {number[]} y @param {boolean} bias @returns {number[]} */
function searched(rows, y, bias) {
  const all = rows.map((_, row) => row);
  let best = [0, 1].map((k) => all.filter((row) => y[row] === k)).reduce((one, other) => (other.length < one.length ? other : one));
  const zero = rows[0][0] - rows[0][0];
  const origin = [zero, zero];
  const starts = bias ? all.map((row) => rows[row]) : [origin];
  starts.forEach((from, place) => {
    for (const to of bias ? all.slice(place + 1) : all) {
      const along = [rows[to][0] - from[0], rows[to][1] - from[1]];
      if (along[0] === zero && along[1] === zero) continue;
      const found = around(rows, y, from, along, best.length, bias);
      if (found) best = found;
    }
  });
  if (!bias) best = [...new Set([...best, ...all.filter((row) => rows[row][0] === zero && rows[row][1] === zero)])];
  return best.sort((one, other) => one - other);
}

/** The rows that a line, turned or moved a little, has on its wrong side, if they are fewer than these. @param {any[][]} rows @param {number[]} y
 * @param {any[]} from @param {any[]} along @param {number} most @param {boolean} bias @returns {number[] | null} */
function around(rows, y, from, along, most, bias) {
  const zero = along[0] - along[0];
  /** @type {number[][]} */
  const wrong = [[], []]; // if the left is +1, and if it is −1
  /** @type {{row: number, at: any}[]} */
  const on = [];
  for (let row = 0; row < rows.length; row++) {
    const away = [rows[row][0] - from[0], rows[row][1] - from[1]];
    const side = along[0] * away[1] - along[1] * away[0];
    if (side === zero) on.push({ row, at: along[0] * away[0] + along[1] * away[1] });
    else wrong[(side > zero) === (y[row] === 1) ? 1 : 0].push(row);
    if (wrong[0].length >= most && wrong[1].length >= most) return null;
  }
  on.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  /** @type {number[] | null} */
  let best = null;
  // rows on the line up to a place go to one side, the others to the other; through the origin only a turn around it does that
  const places = bias ? [...on.map((_, k) => k), on.length].filter((k) => !k || k === on.length || on[k].at !== on[k - 1].at) : [on.filter((each) => each.at < zero).length];
  for (const place of places) {
    for (const first of [0, 1]) {
      const left = on.filter((each, k) => y[each.row] !== (k < place ? first : 1 - first) && !(!bias && each.at === zero)).map((each) => each.row);
      for (const some of wrong) {
        if (some.length + left.length < (best ? best.length : most)) best = [...some, ...left];
      }
    }
  }
  return best;
}
