// What a perceptron does where no line separates the classes, and which of its weights are worth keeping (L0 11.66, L1).

import { zeroSum } from "../engine/exact.js";
import { add, exactly, near, over, times, ZERO } from "../engine/fractions.js";
import { errorsOf, learn, scoresOf } from "../engine/learning.js";
import { EIGHT, NOISY, OVERLAP, TOUCHING, XOR } from "./points.js";
import { bothClasses, count, number, numbers } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_STEPS = 400; // rows read that the page can go through
const MOST_PASSES = 3000; // in which a cycle is looked for
const POCKETS = ["pocket", "run", "ratchet"];

/** The rows in their order, again and again, until the weights come back; and what that proves. @param {Data} data @param {Parameters} parameters */
function cycle(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const task = { X, y, eta: parameters.eta, start: [parameters.start], passes: MOST_PASSES };
  const shown = learn({ ...task, steps: MOST_STEPS });
  const whole = shown.complete ? shown : learn({ ...task, quiet: true });
  const begins = shown.complete && whole.reason === "cycle" ? beginning(shown, y.length) : null;
  const steps = shown.steps.map((step, k) => ({ row: step.rows[0], pass: step.pass, moved: step.moved, after: step.after[0], errors: errorsOf(X, y, step.after), inside: begins !== null && k >= begins }));
  const answer = { reason: whole.reason, passes: whole.passes, start: shown.start[0], start_errors: errorsOf(X, y, shown.start), steps, begins,
    length: begins === null ? null : steps.length - begins, proof: whole.reason === "cycle" && whole.tally && zeroSum(whole.tally, X, true) ? proofOf(whole.tally, X, y) : null };
  return { ...answer, ...told(answer, new Set(steps.map((step) => String(step.after))).size) };
}

/** The step with which the last cycle begins: the steps from there add up to those of a round. @param {import("../engine/learning.js").Learned} found @param {number} rows */
function beginning(found, rows) {
  const { steps, tally } = found;
  const last = String(steps[steps.length - 1].after);
  const firsts = [];
  for (let k = steps.length - 2; k >= 0; k--) if (steps[k].pass !== steps[k + 1].pass && String(steps[k].after) === last) firsts.push(k + 1);
  if (String(found.start) === last) firsts.push(0);
  const wanted = Array.from({ length: rows }, (_, row) => Math.abs(tally?.[row][0] ?? 0));
  const unit = Math.min(...wanted.filter(Boolean));
  return firsts.find((first) => {
    const counts = new Array(rows).fill(0);
    for (const step of steps.slice(first)) if (step.moved) counts[step.rows[0]] += 1;
    const each = Math.min(...counts.filter(Boolean));
    return counts.every((value, row) => Math.abs((value / each) * unit - wanted[row]) <= 1e-9 * unit);
  }) ?? null;
}

/** The steps of a cycle, row by row, and their sum; the mean that they are for either class. @param {number[][]} tally @param {number[][]} X @param {number[]} y */
function proofOf(tally, X, y) {
  const rows = tally.map((_, row) => row).filter((row) => tally[row][0] !== 0);
  const weights = rows.map((row) => exactly(Math.abs(tally[row][0])));
  const terms = rows.map((row, k) => [...X[row], 1].map((value) => times(weights[k], exactly((y[row] === 1 ? 1 : -1) * value))));
  const sum = [0, 1, 2].map((j) => terms.reduce((total, term) => add(total, term[j]), ZERO));
  const plus = [0, 1].map((j) => terms.reduce((total, term, k) => (y[rows[k]] === 1 ? add(total, term[j]) : total), ZERO));
  const total = weights.reduce((all, weight, k) => (y[rows[k]] === 1 ? add(all, weight) : all), ZERO);
  return { rows: rows.map((row, k) => ({ row, class: y[row], weight: near(weights[k]), term: terms[k].map(near) })), sum: sum.map(near), common: plus.map((value) => near(over(value, total))) };
}

/** @param {any} answer @param {number} different */
function told(answer, different) {
  const many = count(answer.passes, "pass");
  if (answer.reason === "separated") return { title: "Separable: it ends", sentence: `After ${many} a line separates these rows. Turn a label, or move a row among the others.` };
  if (answer.reason !== "cycle") {
    return { title: "No cycle so far", sentence: `No weights came back at the end of ${many}. That proves nothing: a cycle may be longer, and rounded numbers may hide it (an η such as 0.1 is rounded; 1 or 0.5 is not).` };
  }
  if (answer.length === null) return { title: "A cycle: it never ends", sentence: `After ${many} the weights are again what they were at the end of an earlier pass. The first ${answer.steps.length} rows are shown.` };
  return { title: "A cycle: it never ends", sentence: `After ${many} the weights are what they were ${answer.length} rows before, and the same rows come next. Only ${different} different weights ever occur.` };
}

/** One stream of rows drawn at random, and what each way to keep weights has kept after every row. @param {Data} data @param {Parameters} parameters */
function keeps(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const passes = Math.min(parameters.passes, Math.max(1, Math.floor(MOST_STEPS / y.length)));
  const found = learn({ X, y, eta: parameters.eta, order: "random", start: [parameters.start], seed: parameters.seed, passes, steps: MOST_STEPS });
  const first = found.start[0];
  const errors = (/** @type {number[]} */ w) => errorsOf(X, y, [w]);
  const sums = [0, 0, 0];
  const votes = y.map(() => 0);
  const best = { pocket: { w: first, errors: errors(first) }, run: { w: first, run: 0 }, ratchet: { w: first, run: 0, errors: errors(first) } };
  /** @type {Record<string, number[]>} */
  const curves = Object.fromEntries(["now", "vote", "average", ...POCKETS].map((name) => [name, [errors(first)]]));
  const steps = found.steps.map((step, k) => {
    const [row, now, before] = [step.rows[0], step.after[0], { ...best }];
    const longest = best.ratchet.run;
    const wrong = errors(now);
    if (wrong < best.pocket.errors) best.pocket = { w: now, errors: wrong };
    if (step.run > best.run.run) best.run = { w: now, run: step.run };
    if (step.run > best.ratchet.run && wrong < best.ratchet.errors) best.ratchet = { w: now, run: best.ratchet.run + 1, errors: wrong };
    now.forEach((value, j) => { sums[j] += value; });
    X.forEach((x, i) => { votes[i] += scoresOf(step.after, x)[0] > 0 ? 1 : -1; });
    /** @type {Record<string, number[]>} */
    const kept = { pocket: best.pocket.w, run: best.run.w, ratchet: best.ratchet.w, average: sums.map((sum) => sum / (k + 1)) };
    for (const name of POCKETS) curves[name].push(errors(kept[name]));
    curves.average.push(errors(sums)); // the same line, not rounded
    curves.now.push(wrong);
    curves.vote.push(votes.filter((vote, i) => (vote > 0) !== (y[i] === 1)).length);
    const sign = y[row] === 1 ? 1 : -1;
    return { row, pass: step.pass, y: sign, score: step.scores[0][0], signed: sign * step.scores[0][0] + 0, moved: step.moved, after: now, run_now: step.run, best_run: best.run.run,
      best_ratchet: best.ratchet.run, longer: step.run > longest, swapped: POCKETS.filter((name) => String(/** @type {any} */ (before)[name].w) !== String(kept[name])), kept };
  });
  const fewest = Math.min(...Object.values(curves).flat());
  return { start: first, steps, k: [0, ...steps.map((_, k) => k + 1)], ...curves, rows: y.length,
    ending: found.reason === "separated" ? `Separated after ${steps.length} rows: where a line separates the classes, nothing needs a pocket.`
      : `${steps.length} rows were drawn. The fewest errors that any of them had at any time: ${fewest}.` };
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const first = `eta=${number(parameters.eta)}, init=[${numbers(parameters.start)}], min_progress=None`;
  const passes = Math.min(parameters.passes, Math.max(1, Math.floor(MOST_STEPS / data.y.length)));
  return `from novikoff import Perceptron\n\nround_ = Perceptron(${first}, order="cyclic", keep="last", max_iter=${MOST_PASSES}).fit(X, y)\nprint(round_.stop_reason_)\n` +
    'if round_.stop_reason_ == "cycle":\n    print(round_.cycle_.proves_inseparable, round_.cycle_.witness)\n' +
    'for keep in ("last", "pocket", "run", "ratchet", "average", "vote"):  # the same rows in the same order\n' +
    `    model = Perceptron(${first}, order="random", keep=keep, max_votes=None, max_iter=${passes}, random_state=${parameters.seed})\n    print(keep, model.fit(X, y).n_errors_)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "inseparable",
  title: "Not separable: what to keep",
  lectures: "L0 11.66, L1",
  text: [
    "If no line separates the classes, the perceptron never ends: read in a fixed order, its weights come back to earlier ones. That is a proof, for the steps in between add up to zero.",
    "Its last weights may be bad ones. So keep better ones in a pocket: those with the fewest errors on all rows (naive pocket), or those that predicted the most rows correctly, one after another (Gallant 1990), or, with ratchet, only those that have both a longer run and fewer errors. Or take the average of all weights, or let all of them vote (Freund and Schapire 1999).",
  ],
  task: "Go on to row 210 of the clouds with two wrong labels: Gallant’s pocket gets worse there. How can that be, and why does the ratchet not do so? On XOR the vote errs nowhere after 62 rows, although no line does that: how?",
  presets: [
    { name: "noisy", title: "Clouds with two wrong labels", data: NOISY, parameters: { seed: 2 } },
    { name: "xor", title: "XOR", data: XOR, parameters: {} },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: {} },
    { name: "touching", title: "Hulls that touch", data: TOUCHING, parameters: {} },
    { name: "eight", title: "Separable: the eight points", data: EIGHT, parameters: { start: [-2, -3, 2], eta: 0.5 } },
  ],
  controls: [
    { name: "start", label: "Start", default: [0, 0, 0], low: -1000, high: 1000, parts: ["w₁", "w₂", "b"] },
    { name: "eta", label: "Learning rate η", default: 1, low: 0.001, high: 1000 },
    { name: "passes", label: "Rows drawn, in passes", default: 16, low: 1, high: 100, step: 1, whole: true, help: "up to 400 rows" },
    { name: "seed", label: "Number of the draw", default: 0, low: 0, high: 1000000, step: 1, whole: true },
  ],
  asks: { keeps: { answer: keeps }, cycle: { answer: cycle } },
  python,
};
