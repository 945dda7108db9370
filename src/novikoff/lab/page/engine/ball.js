// The smallest circle around points of the plane (E. Welzl 1991; here each point that lies outside begins again with it on the border).

/** @typedef {{centre: number[], radius2: number}} Ball */

/** @param {number[][]} border at most three points @returns {Ball} */
function through(border) {
  const [p = [0, 0], q, r] = border;
  const to = (/** @type {number[]} */ c) => ({ centre: c, radius2: Math.max(...border.map(([x, y]) => (x - c[0]) ** 2 + (y - c[1]) ** 2)) });
  if (!q) return { centre: p, radius2: 0 };
  if (!r) return to([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]);
  const [a, b, c, d] = [q[0] - p[0], q[1] - p[1], r[0] - p[0], r[1] - p[1]];
  const whole = 2 * (a * d - b * c);
  if (!whole) return [[p, q], [p, r], [q, r]].map(through).reduce((one, other) => (other.radius2 > one.radius2 ? other : one)); // on a line
  return to([p[0] + (d * (a * a + b * b) - b * (c * c + d * d)) / whole, p[1] + (a * (c * c + d * d) - c * (a * a + b * b)) / whole]);
}

/** The smallest circle around these points. @param {number[][]} points @param {number[][]} [border] points that must be on it @returns {Ball} */
export function smallestBall(points, border = []) {
  let found = border.length ? through(border) : through(points.slice(0, 1));
  if (border.length === 3) return found;
  points.forEach(([x, y], k) => {
    if ((x - found.centre[0]) ** 2 + (y - found.centre[1]) ** 2 > found.radius2 * (1 + 1e-12)) found = smallestBall(points.slice(0, k), [...border, [x, y]]);
  });
  return found;
}
