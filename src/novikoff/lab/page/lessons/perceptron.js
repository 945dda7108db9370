// The perceptron, row by row: every number of every step (L0 11.63 to 11.65, L1, L4).

import { cut } from "../engine/hulls.js";
import { errorsOf, learn } from "../engine/learning.js";
import { sortedByClass } from "../engine/orders.js";
import { AND, CLOUDS, EIGHT, FOUR_CASES, NARROW, OR, XOR } from "./points.js";
import { count, number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_STEPS = 1000; // that the page can go through
const MOST_PASSES = 200;

/** The trace: every row that was read, or every batch of rows. @param {Data} data @param {Parameters} parameters */
function steps(data, parameters) {
  const { bias } = parameters;
  const order = orderOf(parameters);
  const rows = data.y.map((_, row) => row);
  const place = order === "sorted" ? sortedByClass(rows, data.y) : rows;
  const [X, y] = [place.map((row) => data.X[row]), place.map((row) => data.y[row])];
  const constant = bias === "none" ? 0 : bias === "radius" ? Math.max(...X.map(([a, b]) => a * a + b * b)) : 1;
  const found = learn({ X, y, eta: parameters.eta, order: order === "sorted" ? "cyclic" : order, batch: parameters.batch === "all" ? X.length : Number(parameters.batch),
    start: [parameters.start.map((/** @type {number} */ value, /** @type {number} */ j) => (j === 2 && !constant ? 0 : value))], constant2: constant,
    seed: parameters.seed, passes: MOST_PASSES, steps: MOST_STEPS });
  let total = 0;
  const shown = found.steps.map((step) => {
    total += step.mistakes;
    const read = step.rows.map((row, k) => readRow(data, place[row], step.scores[k][0]));
    return { ...(parameters.batch === "1" ? read[0] : { rows: read }), pass: step.pass, moved: step.moved, before: step.before[0], after: step.after[0],
      mistakes: total, errors: errorsOf(X, y, step.after), ties: tiesOf(X, step.after[0]), margin: marginOf(X, y, step.after[0]) };
  });
  const updates = found.steps.filter((step) => step.moved).length;
  return { start: found.start[0], start_errors: errorsOf(X, y, found.start), start_ties: tiesOf(X, found.start[0]), steps: shown, passes: found.passes, updates,
    complete: found.complete, constant, ending: ending(found, updates), space: constant ? null : weightSpace(X, y, found, parameters.eta) };
}

/** The plane of the weights, where there is no bias: each row keeps one side of a line through the origin, and the weights that separate are a cone.
 * @param {number[][]} X @param {number[]} y @param {import("../engine/learning.js").Learned} found @param {number} eta */
function weightSpace(X, y, found, eta) {
  const path = [found.start[0], ...found.steps.map((step) => step.after[0])];
  const reach = 1.25 * Math.max(1e-6, ...path.flatMap(([a, b]) => [Math.abs(a), Math.abs(b)]));
  const far = 3 * reach;
  let cone = [[-far, -far], [far, -far], [far, far], [-far, far]];
  const walls = X.map(([a, b], row) => (y[row] === 1 ? [a, b, 0] : [-a, -b, 0]));
  for (const wall of walls) cone = cut(cone, wall);
  const longest2 = Math.max(...X.map(([a, b]) => a * a + b * b));
  let mistakes = 0;
  const bound = [path[0], ...found.steps].map((step, k) => { // |w|² grows by η²R² at most at each mistake
    if (k) mistakes += found.steps[k - 1].mistakes;
    return Math.sqrt(path[0][0] ** 2 + path[0][1] ** 2 + mistakes * eta * eta * longest2);
  });
  return { frame: [-reach, reach, -reach, reach], walls, cone: cone.length > 2 && area(cone) > 1e-9 * far * far ? cone : [], bound };
}

/** @param {number[][]} corners */
const area = (corners) => Math.abs(corners.reduce((sum, [a, b], k) => { const [c, d] = corners[(k + 1) % corners.length]; return sum + a * d - b * c; }, 0)) / 2;

/** All rows at once have no order. @param {Parameters} parameters @returns {string} */
const orderOf = ({ order, batch }) => (batch === "all" && order !== "sorted" ? "cyclic" : order);

/** A row as the weights found it. @param {Data} data @param {number} row @param {number} score */
function readRow(data, row, score) {
  const sign = data.y[row] === 1 ? 1 : -1;
  const signed = sign * score + 0;
  return { row, x: data.X[row], y: sign, score, signed, wrong: signed <= 0 };
}

/** Rows on the line itself: no error of a prediction, but a mistake. @param {number[][]} X @param {number[]} w */
const tiesOf = (X, w) => X.filter(([a, b]) => a * w[0] + b * w[1] + w[2] === 0).length;

/** The distance of the closest row, negative if a row is on the wrong side; null if there is no line. @param {number[][]} X @param {number[]} y @param {number[]} w */
function marginOf(X, y, w) {
  const length = Math.sqrt(w[0] * w[0] + w[1] * w[1]);
  return length ? Math.min(...X.map(([a, b], row) => (y[row] === 1 ? 1 : -1) * (a * w[0] + b * w[1] + w[2]))) / length : null;
}

/** @param {import("../engine/learning.js").Learned} found @param {number} updates */
function ending(found, updates) {
  const many = `${count(updates, "update")} in ${count(found.passes, "pass")}`;
  if (!found.complete) return `The first ${found.steps.length} steps are shown: ${many}, and the perceptron is not done.`;
  if (found.reason === "separated") return `Separated after ${many}: a whole pass without a mistake.`;
  if (found.reason === "cycle") return `A cycle after ${many}: the same weights came back at the same row, so it would never end. That proves that no line separates these rows.`;
  return `Not separated after ${many}.`;
}

/** Whether the weights that somebody expects after a step are right. @param {Data} data @param {Parameters} parameters @param {any} more */
function guess(data, parameters, more) {
  const found = steps(data, parameters).steps;
  if (!Number.isInteger(more?.step) || !found[more.step]) throw new Error("There is no such step.");
  const given = more.weights;
  if (!Array.isArray(given) || given.length !== 3 || !given.every(Number.isFinite)) throw new Error("Give three numbers: w₁, w₂ and b.");
  const step = found[more.step];
  const parts = step.after.map((value, k) => Math.abs(given[k] - value) <= 5e-4 * Math.max(1, Math.abs(value)));
  const right = parts.every(Boolean);
  if (right) return { right, said: step.moved ? "Right." : "Right: y·a > 0, so nothing changes." };
  if (!step.moved) return { right, said: "Not quite: y·a is positive, so is there a reason to change anything?" };
  const wrong = ["w₁", "w₂", "b"].filter((_, k) => !parts[k]).join(" and ");
  return { right, said: `Not quite: look at ${wrong} again. The update adds η·y times each row that is wrong.` };
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const { bias, batch } = parameters;
  const order = orderOf(parameters);
  const choices = [`eta=${number(parameters.eta)}`, `order="${order === "sorted" ? "cyclic" : order}"`,
    ...(batch === "1" ? [] : [`batch_size=${batch === "all" ? "'all'" : batch}`]), 'keep="last"', `init=[${numbers(parameters.start)}]`,
    `max_iter=${MOST_PASSES}`, "min_progress=None", ...(bias === "none" ? ["fit_intercept=False"] : bias === "radius" ? ['intercept_scaling="radius"'] : []),
    ...(order === "shuffle" || order === "random" ? [`random_state=${parameters.seed}`] : [])];
  const byClass = order === "sorted" ? "X, y = zip(*sorted(zip(X, y), key=lambda row: -row[1]))  # +1 first\n" : "";
  return `from novikoff import Perceptron, trace\n\n${byClass}steps = trace(Perceptron(${choices.join(", ")}), X, y, max_updates=${MOST_STEPS}, every_row=True)\nprint(steps)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "perceptron",
  title: "The perceptron, step by step",
  lectures: "L0 11.63–11.65, L1, L4",
  text: [
    "The perceptron reads one row after another. The score a = w·x + b says on which side of the line a row is; y·a is positive if that is the right side.",
    "Where y·a ≤ 0, it makes an update: w ← w + η·y·x. The bias b is the weight of a constant x₀, so it moves along. When a whole pass needs no update, the line separates the classes.",
  ],
  task: "Start with weights that err. Find a start and a learning rate η for which the perceptron needs more than ten updates on the eight points. Does η matter if you start from zero?",
  presets: [
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: { start: [-2, -3, 2], eta: 0.5 } },
    { name: "narrow", title: "A narrow gap", data: NARROW, parameters: {} },
    { name: "clouds", title: "Two clouds", data: CLOUDS, parameters: { order: "shuffle" } },
    { name: "sorted", title: "Two clouds, one class after the other", data: CLOUDS, parameters: { order: "sorted" } },
    { name: "and", title: "AND", data: AND, parameters: {} },
    { name: "or", title: "OR", data: OR, parameters: {} },
    { name: "xor", title: "XOR: it never ends", data: XOR, parameters: {} },
    { name: "cases", title: "The four cases of a mistake", data: FOUR_CASES, parameters: { start: [-1, 0, 0], bias: "none" } },
    { name: "space", title: "Weight space: a cone, and the path into it", data: EIGHT, parameters: { start: [-3, 2, 0], eta: 0.25, bias: "none" } },
    { name: "batch", title: "All rows for one update", data: EIGHT, parameters: { start: [-2, -3, 2], eta: 0.125, batch: "all" } },
  ],
  controls: [
    { name: "start", label: "Start", default: [0, 0, 0], low: -1000, high: 1000, parts: ["w₁", "w₂", "b"] },
    { name: "eta", label: "Learning rate η", default: 1, low: 0.001, high: 1000 },
    { name: "order", label: "Order of rows", default: "cyclic", options: [["cyclic", "as they lie"], ["sorted", "sorted: all +1 first"], ["shuffle", "shuffled in every pass"], ["random", "drawn at random"], ["alternate", "+1 and −1 in turn"], ["worst", "the worst row next"]] },
    { name: "batch", label: "Rows for each update", default: "1", options: [["1", "1: online"], ["2", "2: a mini-batch"], ["4", "4: a mini-batch"], ["all", "all: batch"]] },
    { name: "seed", label: "Random number", default: 0, low: 0, high: 1000000, step: 1, whole: true, only: ["order", ["shuffle", "random"]] },
    { name: "bias", label: "Bias", default: "one", options: [["one", "x₀ = 1"], ["radius", "x₀ = R, the longest row"], ["none", "none: through the origin"]] },
  ],
  asks: { trace: { answer: steps }, guess: { answer: guess, by_itself: false } },
  python,
};
