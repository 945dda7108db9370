// Several classes: a weight vector for each, regions that are convex, and four ways to share an update (L1).

import { decide, zeroSum } from "../engine/exact.js";
import { wholes } from "../engine/fractions.js";
import { cut } from "../engine/hulls.js";
import { errorsOf, learn } from "../engine/learning.js";
import { FIVE_ON_A_LINE, FOUR_CORNERS, INNER, THREE_CLOUDS, THREE_MIXED } from "./points.js";
import { bothClasses, count, number } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */
/** @typedef {import("../engine/forms.js").Form} Form */

const MOST_STEPS = 250; // that the page can go through
const MOST_PASSES = 2000;
/** @type {Form[]} */
const FORMS = ["worst", "all", "uniform", "ovr"];
const FAR = 4; // the regions are cut off at so many times the spread of the rows

/** @param {Data} data @param {Parameters} parameters @param {Form} form @param {{steps?: number, quiet?: boolean}} more */
function learned(data, parameters, form, more) {
  const present = [...new Set(data.y)].sort((a, b) => a - b);
  const y = data.y.map((label) => present.indexOf(label));
  const two = present.length === 2;
  const task = { X: data.X, y, form: /** @type {Form} */ (two ? "binary" : form), outputs: two ? 1 : present.length, eta: parameters.eta, order: parameters.order,
    seed: parameters.seed, passes: MOST_PASSES, ...more };
  return { present, y, found: learn(task) };
}

/** A weight vector for each class: of two classes the learner has one for their difference. @param {number[][]} weights */
const allOutputs = (weights) => (weights.length > 1 ? weights : [weights[0].map((value) => -value / 2 + 0), weights[0].map((value) => value / 2 + 0)]);

/** The trace: every row that was read, with all scores, and the regions of the weights after it. @param {Data} data @param {Parameters} parameters */
function steps(data, parameters) {
  bothClasses(data);
  const { present, y, found } = learned(data, parameters, parameters.form, { steps: MOST_STEPS });
  const box = boxOf(data.X);
  const start = allOutputs(found.start);
  const shown = found.steps.map((step) => {
    const row = step.rows[0];
    const own = y[row];
    const scores = step.scores[0].length > 1 ? step.scores[0] : [-step.scores[0][0] / 2 + 0, step.scores[0][0] / 2 + 0];
    const [before, after] = [allOutputs(step.before), allOutputs(step.after)];
    return { row, own, pass: step.pass, moved: step.moved, scores, wrong: wrongOutputs(parameters.form, scores, own),
      change: after.map((w, k) => Number((w[2] - before[k][2]).toFixed(12)) + 0), // in units of the row: its x₀ is 1
      after, errors: errorsOf(data.X, y, after), ...(step.moved ? { regions: regions(after, box) } : {}) };
  });
  return { present, start, start_errors: errorsOf(data.X, y, start), start_regions: regions(start, box), steps: shown, complete: found.complete };
}

/** The outputs that make the row a mistake. @param {string} form @param {number[]} scores @param {number} own */
function wrongOutputs(form, scores, own) {
  const all = scores.map((_, k) => k);
  if (form === "ovr" && scores.length > 2) return all.filter((k) => (k === own ? scores[k] <= 0 : scores[k] >= 0));
  return all.filter((k) => k !== own && scores[k] >= scores[own]);
}

/** How the four forms end on the same rows, and whether any weights are right for all of them. @param {Data} data @param {Parameters} parameters */
function compared(data, parameters) {
  bothClasses(data);
  const separable = allAtOnce(data) === "complete";
  const forms = FORMS.map((form) => {
    const { present, y, found } = learned(data, parameters, form, { quiet: true });
    return { form, mistakes: found.mistakes, passes: found.passes, errors: errorsOf(data.X, y, found.ends[found.ends.length - 1]), reason: found.reason, said: said(form, found, data, present) };
  });
  return { separable, title: separable ? "Separable" : "Not separable",
    sentence: separable ? "There are weights with which the true class of every row has the largest score. This is proved." : "With any weights, the true class of some row does not have the largest score. This is proved.", forms };
}

/** The verdict on all classes at once: each row must lead each rival (Kesler's construction, see Duda & Hart 1973). @param {Data} data */
export function allAtOnce(data) {
  const present = [...new Set(data.y)].sort((a, b) => a - b);
  const { rows, one } = wholes(data.X);
  const width = rows[0].length + 1;
  const place = (/** @type {number} */ label) => (present.indexOf(label) - 1) * width; // the first class has weights of zero
  return decide(rows.flatMap((row, i) => present.filter((rival) => rival !== data.y[i]).map((rival) => {
    const vector = new Array((present.length - 1) * width).fill(0n);
    [...row, one].forEach((value, j) => {
      if (data.y[i] !== present[0]) vector[place(data.y[i]) + j] += value;
      if (rival !== present[0]) vector[place(rival) + j] -= value;
    });
    return vector;
  }))).kind;
}

/** @param {Form} form @param {import("../engine/learning.js").Learned} found @param {Data} data @param {number[]} present */
function said(form, found, data, present) {
  if (found.reason === "separated") return "every row right";
  if (found.reason !== "cycle") return `not done after ${count(found.passes, "pass")}`;
  if (form === "all") return "loops: all weights came back, except for what is common to all classes";
  if (form === "ovr") {
    const tally = found.tally ?? [];
    const apart = present.filter((_, k) => tally[0]?.length > 2 && tally.some((each) => each[k] !== 0) && zeroSum(tally.map((each) => [each[k]]), data.X, true)).map((label) => data.classes[label]);
    return apart.length ? `loops: no line parts ${apart.join(" or ")} from the rest` : "loops";
  }
  return "loops: the same weights came back";
}

/** For each class the corners of the part of the box where its score is the largest; empty if there is none. Each is what half-planes have in
 * common, so it is convex. Where two classes have the same weights, the first one counts. @param {number[][]} weights @param {number[][]} box */
function regions(weights, box) {
  return weights.map((own, k) => {
    let corners = box;
    weights.forEach((other, j) => {
      if (j === k) return;
      const lead = own.map((value, at) => value - other[at]);
      if (lead.every((value) => value === 0)) corners = k < j ? corners : [];
      else corners = cut(corners, lead);
    });
    return corners.length > 2 ? corners.map((corner) => corner.map((value) => Number(value.toFixed(3)) + 0)) : [];
  });
}

/** A rectangle far around the rows and the origin. @param {number[][]} X */
function boxOf(X) {
  const ends = [0, 1].map((j) => [Math.min(0, ...X.map((x) => x[j])), Math.max(0, ...X.map((x) => x[j]))]);
  const reach = FAR * Math.max(...ends.map(([low, high]) => high - low));
  const [[x0, x1], [y0, y1]] = ends.map(([low, high]) => [(low + high) / 2 - reach, (low + high) / 2 + reach]);
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const seed = parameters.order === "shuffle" ? `, random_state=${parameters.seed}` : "";
  const choices = `${number(parameters.eta)}, multiclass=form, order="${parameters.order}", keep="last", max_iter=${MOST_PASSES}, min_progress=None${seed}`;
  const forms = [parameters.form, ...FORMS.filter((each) => each !== parameters.form)].map((each) => `"${each}"`).join(", ");
  return `from novikoff import Perceptron, separability, trace\n\nfor form in (${forms}):\n    learner = Perceptron(${choices}).fit(X, y)\n    print(form, learner.stop_reason_, learner.n_mistakes_, learner.n_errors_)\n` +
    `print(separability(X, y))\nform = "${parameters.form}"\nprint(trace(Perceptron(${choices}), X, y, max_updates=${MOST_STEPS}, every_row=True))\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "classes",
  title: "Several classes",
  lectures: "L1",
  text: [
    "Each class Cₖ has its own weights and its own score yₖ(x) = wₖ·x + bₖ. The prediction is the class with the largest score. If a class has the largest score at two points, it has it at all points between them: every region is convex.",
    "If another class scores at least as high as the true one, the true class gains η·x. Which class loses it? “Worst”: only the rival with the highest score. “All”: every such rival loses the whole of it, as in the lecture. “Uniform”: these rivals share it. “Ovr” (one against the rest): each class has a perceptron of its own.",
    "The lecture’s theorem says that learning ends if the classes are separable. For “worst” and “uniform” that is true. For “all” it is false: see five classes on a line.",
  ],
  task: "Take five classes on a line and step through a few passes of “all”, “worst” and “uniform”. Which of the three ends? Then move one of the five rows off the line, a little at a time: when does “all” end, too?",
  presets: [
    { name: "three", title: "Three clouds", data: THREE_CLOUDS, parameters: {} },
    { name: "line", title: "Five on a line: “all” never ends", data: FIVE_ON_A_LINE, parameters: { form: "all" } },
    { name: "line-worst", title: "Five on a line: “worst” ends", data: FIVE_ON_A_LINE, parameters: {} },
    { name: "corners", title: "Four corners", data: FOUR_CORNERS, parameters: { form: "uniform" } },
    { name: "inner", title: "A class between others: “ovr” fails", data: INNER, parameters: { form: "ovr" } },
    { name: "mixed", title: "Not separable", data: THREE_MIXED, parameters: { order: "shuffle" } },
  ],
  controls: [
    { name: "form", label: "Who loses", default: "worst", options: [["worst", "worst: the highest rival"], ["all", "all: every rival as high"], ["uniform", "uniform: they share it"], ["ovr", "ovr: one against the rest"]] },
    { name: "eta", label: "Learning rate η", default: 1, low: 0.001, high: 1000 },
    { name: "order", label: "Order of rows", default: "cyclic", options: [["cyclic", "in their own order"], ["shuffle", "shuffled in every pass"], ["alternate", "the classes in turn"]] },
    { name: "seed", label: "Shuffle number", default: 0, low: 0, high: 1000000, step: 1, whole: true, only: ["order", "shuffle"] },
  ],
  asks: { trace: { answer: steps }, forms: { answer: compared } },
  python,
};
