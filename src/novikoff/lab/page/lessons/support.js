// The support vector machine from a hard to a soft margin, beside a Gaussian classifier (L3).

import { errorsOf } from "../engine/learning.js";
import { hardMachine, softMachine } from "../engine/svm.js";
import { CLOUDS, EIGHT, FAR, NOISY, OVERLAP, TRIANGLE } from "./points.js";
import { bothClasses } from "./words.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const HARD = "hard";
const SOFT = ["100", "30", "10", "3", "1", "0.3", "0.1", "0.03", "0.01"]; // values of C, from nearly hard to soft
const TOL = 1e-10; // of the gap: so small that numbers which must not move do not
const ON_THE_MARGIN = 1e-7; // a row whose score differs from 1 by no more

/** The line, its margin, alpha and slack of every row, both objectives, and the line of the Gaussian classifier. @param {Data} data @param {Parameters} parameters */
function machine(data, parameters) {
  bothClasses(data);
  const { X, y } = data;
  const C = parameters.C === HARD ? Infinity : Number(parameters.C);
  const fitted = C === Infinity ? hardMachine(X, y) : softMachine(X, y, C, TOL);
  if (!fitted) throw new Error("C = ∞ allows no slack, but no line separates these rows: choose a smaller C.");
  const { w, b, alpha, slack } = fitted;
  const signs = y.map((label) => (label === 1 ? 1 : -1));
  const [most, square] = [Math.max(...alpha), w[0] * w[0] + w[1] * w[1]];
  const scores = X.map((x, i) => signs[i] * (x[0] * w[0] + x[1] * w[1] + b));
  const size = Math.max(...X.flat().map(Math.abs));
  const foot = (/** @type {number[]} */ x, /** @type {number} */ i) => (square ? x.map((value, j) => value + ((signs[i] * slack[i]) / square) * w[j]) : x);
  const columns = { signed: steady(scores, 1), alpha: steady(alpha, most), share: steady(alpha.map((value) => (most ? value / most : value)), 1), slack: steady(slack, 1) };
  const roles = alpha.map((value, i) => (value >= C * (1 - 1e-9) ? "bound" : columns.alpha[i] > 0 || Math.abs(scores[i] - 1) <= ON_THE_MARGIN ? "margin" : "none"));
  const normal = gaussian(X, y);
  const values = { square, slack: slack.reduce((sum, each) => sum + each, 0), primal: fitted.primal, alphas: alpha.reduce((sum, each) => sum + each, 0), dual: fitted.dual };
  return { weights: steady([...w, b]), margin: square ? steady([Number(fitted.margin)])[0] : null,
    rows: X.map((x, i) => ({ row: i, x, class: y[i], role: roles[i], foot: steady(foot(x, i), size), signed: columns.signed[i], alpha: columns.alpha[i], share: columns.share[i], slack: columns.slack[i] })),
    supporting: columns.alpha.filter((value) => value > 0).length, bound: roles.filter((role) => role === "bound").length,
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, steady([value])[0]])), gap: Math.max(fitted.gap, TOL), gaussian: normal,
    errors: errorsOf(X, y, [[...w, b]]), gaussian_errors: normal && errorsOf(X, y, [normal]) };
}

/** Numbers with the first eight digits of one of this size, or of the largest: the last bits of a solver are chance. @param {number[]} values @param {number} [size] */
function steady(values, size = Math.max(...values.map(Math.abs))) {
  if (size === 0) return values.map(() => 0);
  const places = 7 - Math.floor(Math.log10(size));
  return values.map((value) => (places >= 0 && places <= 100 ? Number(value.toFixed(places)) : Math.round(value * 10 ** places) / 10 ** places) + 0);
}

/** The line of two Gaussians with their classes' means and one covariance (Fisher 1936), the bias last; null if rows lie on a line.
 * w = S⁻¹(m₁ − m₀), b = −w·(m₁ + m₀)/2 + log(n₁/n₀). @param {number[][]} X @param {number[]} y */
function gaussian(X, y) {
  const own = [0, 1].map((k) => X.filter((_, i) => y[i] === k));
  const means = own.map((rows) => [0, 1].map((j) => rows.reduce((sum, x) => sum + x[j], 0) / rows.length));
  const away = X.map((x, i) => x.map((value, j) => value - means[y[i]][j]));
  const [p, q, r] = [[0, 0], [0, 1], [1, 1]].map(([i, j]) => away.reduce((sum, each) => sum + each[i] * each[j], 0) / Math.max(1, y.length - 2));
  const spread = Math.hypot((p - r) / 2, q);
  if (!((p + r) / 2 - spread > 1e-10 * ((p + r) / 2 + spread))) return null;
  const difference = [0, 1].map((j) => means[1][j] - means[0][j]);
  const whole = p * r - q * q;
  const w = [(r * difference[0] - q * difference[1]) / whole, (p * difference[1] - q * difference[0]) / whole];
  const b = -0.5 * (w[0] * (means[0][0] + means[1][0]) + w[1] * (means[0][1] + means[1][1])) + Math.log(own[1].length / own[0].length);
  return steady([...w, b]);
}

/** The same machine for every finite C, from soft to hard. @param {Data} data */
function path(data) {
  bothClasses(data);
  const { X, y } = data;
  const values = [...SOFT].reverse().map(Number);
  /** @type {import("../engine/svm.js").Machine | null} */
  let last = null;
  const found = values.map((C) => (last = softMachine(X, y, C, TOL, last ? { alpha: last.alpha } : {})));
  return { log_C: values.map(Math.log10), margin: found.map((each) => each.margin && steady([each.margin])[0]), slack: steady(found.map((each) => each.slack.reduce((sum, value) => sum + value, 0)), 1),
    supporting: found.map((each) => steady(each.alpha, Math.max(...each.alpha)).filter((value) => value > 0).length), errors: found.map((each) => errorsOf(X, y, [[...each.w, each.b]])) };
}

/** Primal and dual while the machine is solved, from where the dual says something. @param {Data} data @param {Parameters} parameters */
function solving(data, parameters) {
  if (parameters.C === HARD) return { iteration: [], primal: [], dual: [] };
  bothClasses(data);
  const way = { primal: /** @type {number[]} */ ([]), dual: /** @type {number[]} */ ([]) };
  softMachine(data.X, data.y, Number(parameters.C), 1e-6, { way });
  const every = Math.ceil(way.primal.length / 200);
  const shown = way.primal.map((_, k) => k).filter((k) => way.dual[k] > 0 && (k % every === 0 || k === way.primal.length - 1));
  return { iteration: shown, primal: steady(shown.map((k) => way.primal[k])), dual: steady(shown.map((k) => way.dual[k])) };
}

/** A dual point by hand: α of rows 0 and 1 as given; that of row 2 makes Σ α·y zero, all others are 0. @param {Data} data @param {Parameters} parameters */
function byHand(data, parameters) {
  if (parameters.dual !== "hand") return { shown: false };
  bothClasses(data);
  const C = parameters.C === HARD ? Infinity : Number(parameters.C);
  const signs = data.y.map((label) => (label === 1 ? 1 : -1));
  if (signs.length < 3) throw new Error("The dual by hand needs three rows.");
  const [first, second] = parameters.hand;
  const alpha = [first, second, -signs[2] * (signs[0] * first + signs[1] * second) + 0];
  const weights = [0, 1].map((j) => alpha.reduce((sum, each, row) => sum + each * signs[row] * data.X[row][j], 0));
  const feasible = alpha.every((each) => each >= 0 && each <= C);
  const dual = alpha.reduce((sum, each) => sum + each, 0) - (weights[0] ** 2 + weights[1] ** 2) / 2;
  return { shown: true, alpha, weights, dual, feasible, said: feasible ? "No primal value is below this one, whatever the line." : `α must be from 0 to C, and Σ α·y must be 0: row 2 cannot make up for it. This value bounds nothing.` };
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  const hard = parameters.C === HARD;
  return `from novikoff import LinearSVM, svm_path${hard ? "" : ", svm_trace"}\n\nmachine = LinearSVM(C=${hard ? 'float("inf")' : parameters.C}, loss="hinge", tol=1e-10).fit(X, y)\n` +
    "print(machine.coef_, machine.intercept_, machine.margin_)\nprint(machine.support_, machine.dual_coef_, machine.slack_)\nprint(machine.objective_, machine.duality_gap_)\n" +
    `${hard ? "" : "print(svm_trace(machine, X, y).gap)\n"}print(svm_path(X, y, C=[${[...SOFT].reverse().join(", ")}], loss="hinge").n_support)\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "support",
  title: "Support vectors",
  lectures: "L3",
  text: [
    "Of all lines choose the one with the largest margin 1/‖w‖. Rows may fall short of the margin by a slack ξ, at a price: minimise ½‖w‖² + C·Σξᵢ, where yᵢ(w·xᵢ + b) ≥ 1 − ξᵢ. A large C makes the margin hard, a small one soft. (The lecture writes a for w, z for ξ and γ for C.)",
    "The answer is w = Σ αᵢyᵢxᵢ with 0 ≤ αᵢ ≤ C. Only rows with αᵢ > 0 support the line: those on the margin, and those with slack. Any α gives a dual value D that no primal value P can be below, so a gap P − D of zero proves that both are the best.",
    "A Gaussian classifier describes each class by its mean, and both by one covariance. All rows take part in that.",
  ],
  task: "Take “One row far away” and drag that row still further. Which line moves, and why? Can any row without a halo move the machine’s line? Then make C smaller: when does the first row get slack, and what becomes of the margin?",
  presets: [
    { name: "clouds", title: "Two clouds, hard margin", data: CLOUDS, parameters: {} },
    { name: "soft", title: "Two clouds, soft margin", data: CLOUDS, parameters: { C: "0.3" } },
    { name: "far", title: "One row far away", data: FAR, parameters: {} },
    { name: "overlap", title: "Classes that overlap", data: OVERLAP, parameters: { C: "1" } },
    { name: "noisy", title: "Two wrong labels", data: NOISY, parameters: { C: "1" } },
    { name: "hand", title: "The dual by hand", data: TRIANGLE, parameters: { dual: "hand", hand: [0.25, 0.125] } },
    { name: "eight", title: "The lecture’s eight points", data: EIGHT, parameters: {} },
  ],
  controls: [
    { name: "C", label: "C", default: "hard", options: [["hard", "∞ (hard margin)"], ["100", "100"], ["30", "30"], ["10", "10"], ["3", "3"], ["1", "1"], ["0.3", "0.3"], ["0.1", "0.1"], ["0.03", "0.03"], ["0.01", "0.01"]], help: "from hard to soft", slider: true },
    { name: "dual", label: "Dual", default: "solved", options: [["solved", "solved"], ["hand", "by hand, rows 0 to 2"]] },
    { name: "hand", label: "α by hand", default: [0, 0], low: 0, high: 1000, parts: ["row 0", "row 1"], only: ["dual", "hand"] },
  ],
  asks: { machine: { answer: machine, follows: true }, hand: { answer: byHand }, path: { answer: path }, solving: { answer: solving } },
  python,
};
