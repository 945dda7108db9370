// What one row does to the weights of one output, w ← w + η·g·x, and what the rule goes down on: those of `novikoff.learn.rules`.

/** `mistaken`: whether this row is a mistake, where a tie is not always one.
 * @typedef {{step: (y: number, a: number, length2: number) => number, loss: (y: number, a: number) => number, mistaken?: (y: number, a: number) => boolean}} Rule */

/** 1 / (1 + exp(−z)), never by way of a huge number. @param {number} z */
export function sigmoid(z) {
  const e = Math.exp(-Math.abs(z));
  return (z > 0 ? 1 : e) / (1 + e);
}

/** @type {Rule} */
export const PERCEPTRON = {
  step: (y, a) => (y * a > 0 ? 0 : y), // a tie is a mistake, or zero weights would never move
  loss: (y, a) => Math.max(0, -y * a),
};

/** The perceptron where only some ties are mistakes. @param {(y: number, a: number) => boolean} mistaken @returns {Rule} */
const withTies = (mistaken) => ({ mistaken, step: (y, a) => (mistaken(y, a) ? y : 0), loss: PERCEPTRON.loss });

/** L2’s: a row on the line is no mistake. */
export const STRICT = withTies((y, a) => y * a < 0);

/** L1’s unit answers +1 if a ≥ 0: on the line only rows of −1 are mistakes. */
export const AT_LEAST = withTies((y, a) => (a >= 0 ? 1 : -1) !== y);

/** @type {Rule} */
export const DELTA = { step: (y, a) => y - a, loss: (y, a) => 0.5 * (y - a) ** 2 };

/** @type {Rule} */
export const HINGE = { step: (y, a) => (y * a >= 1 ? 0 : y), loss: (y, a) => Math.max(0, 1 - y * a) };

/** The neuron with cross-entropy. @param {number} slope @returns {Rule} */
export const crossEntropy = (slope) => ({
  step: (y, a) => y * slope * sigmoid(-(slope * y * a)),
  loss: (y, a) => {
    const z = slope * y * a;
    return Math.max(0, -z) + Math.log1p(Math.exp(-Math.abs(z)));
  },
});

/** The neuron with squared error. @param {number} slope @returns {Rule} */
export const squaredNeuron = (slope) => ({
  step: (y, a) => {
    const miss = sigmoid(-slope * y * a);
    return y * miss * slope * miss * (1 - miss);
  },
  loss: (y, a) => 0.5 * sigmoid(-slope * y * a) ** 2,
});

/** The smallest step that gives the row a margin of 1, no longer than the cap (Crammer et al. 2006). @param {number} cap @returns {Rule} */
export const passiveAggressive = (cap) => ({
  step: (y, a, length2) => {
    const lost = Math.max(0, 1 - y * a);
    return lost === 0 || length2 === 0 ? 0 : y * Math.min(cap, lost / length2);
  },
  loss: (y, a) => Math.max(0, 1 - y * a),
});

/** −y·a of every row, right or wrong: a sum without a least value (L0 11.63 asks why not). @type {Rule} */
export const ALL_ROWS = { step: (y) => y, loss: (y, a) => -y * a };

/** (t − o)² with o the sign of a, and −t at a tie: flat, so that its slope is 0 (L0 11.64.2). @type {Rule} */
export const SIGN_SQUARED = { step: () => 0, loss: (y, a) => (y * a > 0 ? 0 : 4) };

/** (t − o)²·(−t·a): the perceptron’s loss and step, four times (L0 11.64.2). @type {Rule} */
export const SIGN_WEIGHED = { step: (y, a) => 4 * PERCEPTRON.step(y, a, 0), loss: (y, a) => 4 * PERCEPTRON.loss(y, a) };
