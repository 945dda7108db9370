// The perceptron, row by row: every number of every step (L0 11.63 to 11.65, L1, L4).

import { cut } from "../engine/hulls.js";
import { errorsOf, learn, scoresOf } from "../engine/learning.js";
import { sortedByClass } from "../engine/orders.js";
import { Generator } from "../engine/random.js";
import { AT_LEAST, PERCEPTRON, STRICT } from "../engine/rules.js";
import { AND, CLOUDS, EIGHT, FOUR_CASES, NARROW, OR, OVERLAP, XOR } from "./points.js";
import { count, number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_STEPS = 1000; // that the page can go through
const MOST_PASSES = 200;
const TIES = /** @type {Record<string, import("../engine/rules.js").Rule>} */ ({ mistake: PERCEPTRON, strict: STRICT, least: AT_LEAST });

/** Rows of −1 turned over, x → −x and y → +1, so that all of them want a score above 0 (L3); only without a bias. @param {Data} data @param {Parameters} parameters @returns {Data} */
const turned = (data, { bias, flip }) => (bias === "none" && flip === "yes" ? { ...data, X: data.X.map((x, row) => (data.y[row] === 1 ? x : x.map((value) => -value + 0))), y: data.y.map(() => 1) } : data);

/** The trace: every row that was read, or every batch of rows. @param {Data} given @param {Parameters} parameters */
function steps(given, parameters) {
  const { bias } = parameters;
  const data = turned(given, parameters);
  const order = orderOf(parameters);
  const rows = data.y.map((_, row) => row);
  const place = order === "sorted" ? sortedByClass(rows, data.y) : rows;
  const [X, y] = [place.map((row) => data.X[row]), place.map((row) => data.y[row])];
  const constant = bias === "none" ? 0 : bias === "radius" ? Math.max(...X.map(([a, b]) => a * a + b * b)) : 1;
  const found = stoppedBelow(parameters.theta, learn({ X, y, rule: TIES[parameters.tie], eta: parameters.eta, order: order === "sorted" ? "cyclic" : order, batch: parameters.batch === "all" ? X.length : Number(parameters.batch),
    start: [parameters.start.map((/** @type {number} */ value, /** @type {number} */ j) => (j === 2 && !constant ? 0 : value))], constant2: constant,
    seed: parameters.seed, passes: MOST_PASSES, steps: MOST_STEPS }));
  let total = 0;
  const shown = found.steps.map((step) => {
    total += step.mistakes;
    const read = step.rows.map((row, k) => readRow(data, place[row], step.scores[k][0], step.moved ? step.after : null, TIES[parameters.tie]));
    return { ...(parameters.batch === "1" ? read[0] : { rows: read }), pass: step.pass, moved: step.moved, before: step.before[0], after: step.after[0],
      mistakes: total, errors: errorsOf(X, y, step.after), ties: tiesOf(X, step.after[0]), margin: marginOf(X, y, step.after[0]) };
  });
  const updates = found.steps.filter((step) => step.moved).length;
  return { start: found.start[0], start_errors: errorsOf(X, y, found.start), start_ties: tiesOf(X, found.start[0]), steps: shown, passes: found.passes, updates,
    complete: found.complete, constant, turned: data === given ? [] : data.X.filter((_, row) => given.y[row] === 0), ending: ending(found, updates, X, y, parameters), space: constant ? null : weightSpace(X, y, found, parameters.eta) };
}

/** Learning that ends once an update changes the weights by less than θ. @param {number} theta @param {import("../engine/learning.js").Learned} found */
function stoppedBelow(theta, found) {
  const change = (/** @type {import("../engine/learning.js").Step} */ { before: [u], after: [v] }) => Math.hypot(...v.map((value, j) => value - u[j]));
  const last = theta > 0 ? found.steps.findIndex((step) => step.moved && change(step) < theta) : -1;
  return last < 0 ? found : { ...found, steps: found.steps.slice(0, last + 1), passes: found.steps[last].pass, reason: "small", complete: true };
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

/** A row as the weights found it, and after its update. @param {Data} data @param {number} row @param {number} score @param {number[][] | null} after @param {import("../engine/rules.js").Rule} rule */
function readRow(data, row, score, after, rule) {
  const sign = data.y[row] === 1 ? 1 : -1;
  const signed = sign * score + 0;
  return { row, x: data.X[row], y: sign, score, signed, wrong: rule.step(sign, score, 0) !== 0, signed_after: after && sign * scoresOf(after, data.X[row])[0] + 0 };
}

/** Rows on the line itself: no error of a prediction, but a mistake. @param {number[][]} X @param {number[]} w */
const tiesOf = (X, w) => X.filter(([a, b]) => a * w[0] + b * w[1] + w[2] === 0).length;

/** The distance of the closest row, negative if a row is on the wrong side; null if there is no line. @param {number[][]} X @param {number[]} y @param {number[]} w */
function marginOf(X, y, w) {
  const length = Math.sqrt(w[0] * w[0] + w[1] * w[1]);
  return length ? Math.min(...X.map(([a, b], row) => (y[row] === 1 ? 1 : -1) * (a * w[0] + b * w[1] + w[2]))) / length : null;
}

/** @param {import("../engine/learning.js").Learned} found @param {number} updates @param {number[][]} X @param {number[]} y @param {Parameters} parameters */
function ending(found, updates, X, y, parameters) {
  const many = `${count(updates, "update")} in ${count(found.passes, "pass")}`;
  if (!found.complete) return `The first ${found.steps.length} steps are shown: ${many}, and the perceptron is not done.`;
  const last = found.steps.length ? found.steps[found.steps.length - 1].after : found.start;
  const wrong = errorsOf(X, y, last);
  if (found.reason === "small") return `Stopped after ${many}: the last update changed the weights by less than θ. ${count(wrong, "row")} of ${y.length} ${wrong === 1 ? "is" : "are"} wrong: a small change is no proof.`;
  const ties = tiesOf(X, last[0]);
  if (found.reason === "separated" && ties) return `A pass without an update, after ${many}. But ${count(ties, "row")} of ${y.length} ${ties === 1 ? "lies" : "lie"} on the line: this unit takes such a tie for right.`;
  if (found.reason === "separated") return `Separated after ${many}: a whole pass without a mistake.`;
  if (found.reason === "cycle") return `A cycle after ${many}: the same weights came back at the same row, so it would never end. That proves that no line separates these rows.`;
  return `Not separated after ${many}.`;
}

/** Weights to begin with, drawn at random: eighths from −4 to 4. @param {Data} data @param {Parameters} parameters @param {any} more */
function draw(data, parameters, more) {
  const chance = new Generator(Number.isInteger(more?.seed) ? more.seed : 0);
  return { start: [0, 1, 2].map((j) => (j === 2 && parameters.bias === "none" ? 0 : chance.below(65) / 8 - 4)) };
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
  if (right) return { right, said: step.moved ? "Right." : "Right: no mistake, so nothing changes." };
  if (!step.moved) return { right, said: "Not quite: this is no mistake, so is there a reason to change anything?" };
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
  const notes = `${parameters.tie === "mistake" ? "" : "# The library takes every tie for a mistake.\n"}${parameters.theta > 0 ? "# The library stops when a pass has no mistake, not when the weights change little.\n" : ""}`;
  return `from novikoff import Perceptron, trace\n\n${notes}${byClass}steps = trace(Perceptron(${choices.join(", ")}), X, y, max_updates=${MOST_STEPS}, every_row=True)\nprint(steps)\n`;
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
    { name: "flipped", title: "Rows of −1 turned over", data: EIGHT, parameters: { start: [-3, 2, 0], eta: 0.25, bias: "none", flip: "yes" } },
    { name: "ones", title: "From ones, with y·a < 0", data: CLOUDS, parameters: { start: [1, 1, 1], tie: "strict" } },
    { name: "zero", title: "From zero, with y·a < 0: nothing moves", data: EIGHT, parameters: { tie: "strict" } },
    { name: "theta", title: "Stop when the change is small", data: OVERLAP, parameters: { start: [2, -2, 0], eta: 0.0625, batch: "all", theta: 0.1 } },
    { name: "drawn", title: "Rows drawn at random", data: CLOUDS, parameters: { order: "random", start: [-1, 0.5, 2] } },
    { name: "batch", title: "All rows for one update", data: EIGHT, parameters: { start: [-2, -3, 2], eta: 0.125, batch: "all" } },
  ],
  controls: [
    { name: "start", label: "Start", default: [0, 0, 0], low: -1000, high: 1000, parts: ["w₁", "w₂", "b"] },
    { name: "eta", label: "Learning rate η", default: 1, low: 0.001, high: 1000 },
    { name: "order", label: "Order of rows", default: "cyclic", options: [["cyclic", "in their own order"], ["sorted", "sorted: all +1 first"], ["shuffle", "shuffled in every pass"], ["random", "drawn at random"], ["alternate", "+1 and −1 in turn"], ["worst", "the worst row next"]] },
    { name: "batch", label: "Rows for each update", default: "1", options: [["1", "1: online"], ["2", "2: a mini-batch"], ["4", "4: a mini-batch"], ["all", "all: batch"]] },
    { name: "tie", label: "A mistake is", default: "mistake", options: [["mistake", "y·a ≤ 0 (L4)"], ["strict", "y·a < 0 (L2)"], ["least", "sign(a) ≠ y, +1 if a ≥ 0 (L1)"]] },
    { name: "theta", label: "Stop at changes below θ", default: 0, low: 0, high: 1000, help: "0: only when no row is wrong" },
    { name: "seed", label: "Random number", default: 0, low: 0, high: 1000000, step: 1, whole: true, only: ["order", ["shuffle", "random"]] },
    { name: "bias", label: "Bias", default: "one", options: [["one", "x₀ = 1"], ["radius", "x₀ = R, the longest row"], ["none", "none: through the origin"]] },
    { name: "flip", label: "Rows of −1", default: "no", options: [["no", "as they are"], ["yes", "turned over: x → −x, y → +1"]], only: ["bias", "none"] },
  ],
  asks: { trace: { answer: steps }, guess: { answer: guess, by_itself: false }, draw: { answer: draw, by_itself: false } },
  python,
};
