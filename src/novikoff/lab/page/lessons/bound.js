// Why mistakes end: two curves that close in on the weights, and a distance that falls (L0 11.67 to 11.68, L2, L3).

import { spread } from "../engine/contours.js";
import { learn } from "../engine/learning.js";
import { near } from "../engine/fractions.js";
import { verdict } from "../engine/verdict.js";
import { AND, CLOUDS, EIGHT, NARROW, OR } from "./points.js";
import { bothClasses, count, number, short } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_MISTAKES = 3000; // that are traced
const POINTS = 240; // of a curve

/** Both inequalities of the proof, mistake by mistake. @param {Data} data @param {Parameters} parameters */
function curves(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const { eta } = parameters;
  const proof = verdict(X, y);
  if (!proof.separable || !proof.ideal || proof.mistakes === null) return { separable: false, said: "These classes are not separable: the theorem says nothing of them." };
  const found = learn({ X, y, eta, order: parameters.order, seed: parameters.seed, passes: 100_000, steps: MOST_MISTAKES, updates: true });
  const ideal = proof.ideal.map(near);
  const lead = Math.min(...X.map(([a, b], row) => (y[row] === 1 ? 1 : -1) * (a * ideal[0] + b * ideal[1] + ideal[2])));
  const square = (/** @type {number[]} */ w) => w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  const radius2 = Math.max(...X.map(([a, b]) => a * a + b * b)) + 1;
  const gamma2 = (lead * lead) / square(ideal);
  const bound = Number(proof.mistakes);
  const path = [found.start[0], ...found.steps.map((step) => step.after[0])];
  const mistakes = found.steps.length;
  const last = bound > 400 ? Math.min(bound, Math.max(4 * mistakes, 40)) : bound;
  const marks = [...new Set([...spread(0, Math.max(last, mistakes), POINTS).map(Math.trunc), ...path.slice(0, Math.min(mistakes, POINTS) + 1).map((_, k) => k)])].sort((a, b) => a - b);
  const usual = eta * radius2;
  const rho = parameters.share * usual;
  const aim = ideal.map((value) => (rho * value) / lead);
  const away = path.map((w) => square(w.map((value, j) => value - aim[j])));
  const guaranteed = 2 * eta * rho - eta * eta * radius2;
  const shown = [...new Set(spread(0, mistakes, Math.min(mistakes + 1, POINTS)).map((each) => Math.trunc(each || 0)))];
  const grew = away.slice(1).filter((value, k) => value > away[k] * (1 + 1e-12)).length;
  const some = count(mistakes, "mistake");
  return { separable: true, mistakes, complete: found.complete, bound: String(proof.mistakes), radius2, gamma2, k: marks,
    lower: marks.map((k) => k * k * eta * eta * gamma2), upper: marks.map((k) => k * eta * eta * radius2), squared: marks.map((k) => (k <= mistakes ? square(path[k]) : null)),
    rho, usual_rho: usual, guaranteed, gap_k: shown, gap: shown.map((k) => away[k]), gap_bound: shown.map((k) => away[0] - k * guaranteed), grew,
    path: path.slice(0, POINTS), ideal,
    said: found.complete ? `${some} made; R²/γ² allows at most ${bound.toLocaleString("en")}.` : `The first ${some} are shown. There are at most ${bound.toLocaleString("en")} of them.`,
    gap_said: fallSaid(guaranteed, grew) };
}

/** @param {number} guaranteed @param {number} grew */
function fallSaid(guaranteed, grew) {
  if (guaranteed > 0) return `Every mistake lowers the distance by at least ${short(guaranteed, 4)}, so mistakes must end.`;
  if (grew) return `With so small a ρ nothing is guaranteed: ${grew} of the mistakes made the distance larger.`;
  return "With so small a ρ nothing is guaranteed, though here no mistake made the distance larger.";
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const seed = parameters.order === "shuffle" ? `, random_state=${parameters.seed}` : "";
  return `from novikoff import Perceptron, theory, trace\n\nsteps = trace(Perceptron(eta=${number(parameters.eta)}, order="${parameters.order}", keep="last", max_iter=100_000, min_progress=None${seed}), X, y, max_updates=${MOST_MISTAKES})\n` +
    `print(len(steps), theory.novikoff_bound(X, y))\nusual = theory.gap(steps, X, y).rho\nfall = theory.gap(steps, X, y, rho=${number(parameters.share)} * usual)\nprint(fall.gap, fall.guaranteed)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "bound",
  title: "Mistakes against the bound",
  lectures: "L0 11.67–11.68, L2, L3",
  text: [
    "Rows are augmented here: x̃ = (x, 1). R is the length of the longest, and γ the smallest y·w*·x̃ of the best weights w* of length 1.",
    "Each mistake adds at least ηγ to w·w*, so ‖w‖² is at least k²η²γ² after k mistakes. Each adds at most η²R² to ‖w‖². The parabola overtakes the line at k = R²/γ²: no more mistakes fit in between (Novikoff 1962).",
    "The second proof looks at ‖w − ρw*‖², where w* is scaled so that its smallest y·w*·x̃ is 1. With ρ = ηR² every mistake lowers it by at least η²R².",
  ],
  task: "Drag two rows of different classes closer together. How does the bound grow, and how do the mistakes? Then make ρ smaller than half: does the distance still fall at every mistake?",
  presets: [
    { name: "and", title: "AND", data: AND, parameters: {} },
    { name: "or", title: "OR", data: OR, parameters: {} },
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: {} },
    { name: "clouds", title: "Two clouds", data: CLOUDS, parameters: {} },
    { name: "narrow", title: "A narrow gap", data: NARROW, parameters: { share: 0.25 } },
  ],
  controls: [
    { name: "eta", label: "Learning rate η", default: 1, low: 0.001, high: 1000 },
    { name: "order", label: "Order of rows", default: "cyclic", options: [["cyclic", "in their own order"], ["shuffle", "shuffled in every pass"], ["alternate", "+1 and −1 in turn"]] },
    { name: "seed", label: "Shuffle number", default: 0, low: 0, high: 1000000, step: 1, whole: true, only: ["order", "shuffle"] },
    { name: "share", label: "ρ as a share of ηR²", default: 1, low: 0.01, high: 4, help: "1 in the proof; try less than 0.5" },
  ],
  asks: { curves: { answer: curves } },
  python,
};
