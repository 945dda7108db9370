// Lines on which a function of the plane has one value, from its values on a grid ("marching squares", Lorensen and Cline 1987).

/** @typedef {[number, number, 0 | 1]} Edge  line and column of its first corner; 0: to the right, 1: down */
/** @typedef {(x: number, y: number) => number} Score */

const ROOM = 1.3; // half the side of the square that is looked at, as a multiple of the width of the rows
const HALVINGS = 9; // of an edge of the grid, to find where the score is zero

/** @param {number} from @param {number} to @param {number} count */
export const spread = (from, to, count) => Array.from({ length: count }, (_, k) => (k === count - 1 ? to : from + (k * (to - from)) / (count - 1)));

/** Values of a grid, and around them lowest ones, so that no line around positive values is left open. @param {number[][]} values */
function framed(values) {
  const edge = new Array(values[0].length + 2).fill(-Infinity);
  return [edge, ...values.map((line) => [-Infinity, ...line, -Infinity]), edge];
}

/** @param {Edge} edge @returns {[number, number]} */
const endOf = ([row, column, way]) => [row + way, column + 1 - way];

/** Edges of a framed grid, one after the other around its positive values; after the last comes the first. @param {number[][]} values @returns {Edge[][]} */
function chains(values) {
  /** @type {Map<string, {from: Edge, to: Edge}>} */
  const links = new Map();
  for (let i = 0; i + 1 < values.length; i++) {
    for (let j = 0; j + 1 < values[0].length; j++) {
      const corners = [values[i][j], values[i][j + 1], values[i + 1][j + 1], values[i + 1][j]];
      const inside = corners.map((value) => value > 0);
      if (inside.every((each) => each === inside[0])) continue;
      /** @type {Edge[]} */
      const edges = [[i, j, 0], [i, j + 1, 1], [i + 1, j, 0], [i, j, 1]];
      const enters = [0, 1, 2, 3].filter((k) => !inside[k] && inside[(k + 1) % 4]);
      const joined = enters.length === 2 && corners.reduce((sum, value) => sum + value, 0) > 0; // opposite corners, and what is between
      for (const k of enters) {
        const ends = [1, 2, 3].map((far) => (k + far) % 4).filter((place) => inside[place] && !inside[(place + 1) % 4]);
        links.set(String(edges[k]), { from: edges[k], to: edges[joined ? ends[ends.length - 1] : ends[0]] });
      }
    }
  }
  const found = [];
  while (links.size) {
    let link = links.values().next().value;
    const chain = [];
    while (link) {
      chain.push(link.from);
      links.delete(String(link.from));
      link = links.get(String(link.to));
    }
    found.push(chain);
  }
  return found;
}

/** @param {number} value @param {number} digits */
const rounded = (value, digits) => Number(value.toFixed(Math.max(0, Math.min(100, digits))));

/** Lines around all places with a positive score; inside and outside by the even-odd rule. The square that is looked at is larger than what
 * a page shows of these points, and its border ends the regions. @param {Score} score @param {number[][]} points @param {number} across */
export function positiveRegions(score, points, across) {
  const [[x0, x1], [y0, y1]] = [0, 1].map((j) => [Math.min(0, ...points.map((point) => point[j])), Math.max(0, ...points.map((point) => point[j]))]);
  const side = Math.max(x1 - x0, y1 - y0, 1e-6);
  const [xs, ys] = [[x0, x1], [y0, y1]].map(([low, high]) => spread((low + high) / 2 - ROOM * side, (low + high) / 2 + ROOM * side, across));
  const digits = 3 - Math.floor(Math.log10(2 * ROOM * side));
  const values = framed(ys.map((y) => xs.map((x) => score(x, y))));
  const at = (/** @type {number[]} */ all, /** @type {number} */ k) => all[Math.min(Math.max(k - 1, 0), all.length - 1)];
  return chains(values).map((chain) => chain.map((edge) => {
    const [row, column] = edge;
    const [toRow, toColumn] = endOf(edge);
    let inside = [at(xs, column), at(ys, row)];
    let outside = [at(xs, toColumn), at(ys, toRow)];
    if (!(values[row][column] > 0)) [inside, outside] = [outside, inside];
    for (let k = 0; k < HALVINGS; k++) {
      const middle = [(inside[0] + outside[0]) / 2, (inside[1] + outside[1]) / 2];
      if (score(middle[0], middle[1]) > 0) inside = middle;
      else outside = middle;
    }
    return [rounded((inside[0] + outside[0]) / 2, digits), rounded((inside[1] + outside[1]) / 2, digits)];
  }));
}

/** The lines on which `values[row][column]`, at `ys[row]` and `xs[column]`, is `level`. Between neighbours of the grid the function is taken to be
 * straight. @param {number[]} xs @param {number[]} ys @param {number[][]} values @param {number} level @returns {number[][][]} */
export function contourLines(xs, ys, values, level) {
  const heights = framed(values.map((line) => line.map((value) => value - level)));
  const known = (/** @type {(number)[]} */ [row, column]) => Number.isFinite(heights[row][column]);
  const place = (/** @type {Edge} */ edge) => {
    const [row, column] = edge;
    const [toRow, toColumn] = endOf(edge);
    const part = heights[row][column] / (heights[row][column] - heights[toRow][toColumn]);
    const [x, y] = [xs[column - 1], ys[row - 1]]; // the frame is one line wide
    return [rounded(x + part * (xs[toColumn - 1] - x), 3), rounded(y + part * (ys[toRow - 1] - y), 3)];
  };
  return chains(heights).flatMap((chain) => {
    const inner = chain.map((edge) => known(edge) && known(endOf(edge)));
    if (inner.every(Boolean)) return [[...chain, chain[0]].map(place)];
    const first = inner.indexOf(false);
    /** @type {Edge[][]} */
    const found = [[]];
    chain.forEach((_, k) => {
      const at = (first + k) % chain.length;
      if (inner[at]) found[found.length - 1].push(chain[at]);
      else if (found[found.length - 1].length) found.push([]);
    });
    return found.filter((part) => part.length).map((part) => part.map(place));
  });
}
