// Convex shapes in the plane: hulls of whole numbers, and shapes cut by lines.

/** Which side c is of the line from a to b: positive if to the left. @param {bigint[]} a @param {bigint[]} b @param {bigint[]} c */
export const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** Places of the corners of the hull, counterclockwise (A. M. Andrew 1979). @param {bigint[][]} points @returns {number[]} */
export function hull(points) {
  const compare = (/** @type {number} */ i, /** @type {number} */ j) => {
    const [a, b] = [points[i], points[j]];
    return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : i - j;
  };
  const order = points.map((_, k) => k).sort(compare).filter((place, k, all) => !k || points[place].some((value, j) => value !== points[all[k - 1]][j]));
  if (order.length < 3) return order;
  const half = (/** @type {number[]} */ places) => {
    /** @type {number[]} */
    const chain = [];
    for (const place of places) {
      while (chain.length > 1 && turn(points[chain[chain.length - 2]], points[chain[chain.length - 1]], points[place]) <= 0n) chain.pop();
      chain.push(place);
    }
    return chain.slice(0, -1);
  };
  return [...half(order), ...half([...order].reverse())];
}

/** The part of a convex shape where `lead` is not negative (I. E. Sutherland, G. W. Hodgman 1974). @param {number[][]} corners @param {number[]} lead */
export function cut(corners, lead) {
  const values = corners.map(([x, y]) => lead[0] * x + lead[1] * y + lead[2]);
  return corners.flatMap((corner, k) => {
    const last = (k + corners.length - 1) % corners.length;
    const [before, other] = [values[last], corners[last]];
    const part = before / (before - values[k]);
    return [...((before < 0) !== (values[k] < 0) ? [[other[0] + part * (corner[0] - other[0]), other[1] + part * (corner[1] - other[1])]] : []), ...(values[k] >= 0 ? [corner] : [])];
  });
}
