// Every labeling of a few points with its verdict, three questions about them (L0 11.63), and Cover's curves (L1 3.30).

import { product } from "../engine/booleans.js";
import { decide } from "../engine/exact.js";
import { near } from "../engine/fractions.js";
import { Generator } from "../engine/random.js";
import { verdict } from "../engine/verdict.js";
import { FOUR_ON_A_LINE, INSIDE, THREE_ON_A_LINE, TRIANGLE, TWO, XOR } from "./points.js";
import { drawn, meeting } from "./verdict.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {Record<string, any>} Parameters */

const MOST_POINTS = 5; // of which every labeling is a tile
const DIMENSIONS = [1, 2, 5, 20]; // of the curves
const REACH = 4; // times d + 1: how many points the curves go to
const ROUNDS = 40; // of random labels
const LONGEST = 8; // times d + 1: how many points of a round are drawn; so many are never separable (one in two thousand for d = 1)
const PLACES = 2 ** 16; // on each axis, for points at random

/** L0's questions: what it asks; then for two, three and four points the answer, why, and the preset that shows it. @type {[string, string, ...[boolean, string, string][]][]} */
const QUESTIONS = [
  ["Every labeled set", "Take points that have their labels already. Does a line always separate them?", [true, "A line between the two.", "two"],
    [false, "Not if they lie on a line and the middle one has the other label.", "three-line"], [false, "Not if they are labeled like XOR.", "square"]],
  ["Some set, every labeling", "Is there a set of which a line separates every labeling?", [true, "Any two points.", "two"], [true, "The corners of a triangle: a line cuts off any of them.", "triangle"],
    [false, "Four points can always be divided so that the hulls of both parts meet (Radon 1921). So the Vapnik–Chervonenkis dimension of lines in the plane is 3.", "square"]],
  ["Every set, every labeling", "Does a line separate every labeling of every set?", [true, "Any two points, if they are different.", "two"],
    [false, "Not of three points on a line: the middle one cannot be cut off.", "three-line"], [false, "Of no four points at all.", "inside"]],
];

/** Every labeling of the points with its verdict, and how many are separable. @param {Data} data */
function tiles(data) {
  const points = data.X.length;
  if (points > MOST_POINTS || data.classes.length !== 2) throw new Error(`Take from 2 to ${MOST_POINTS} points of two classes: every labeling of them is shown.`);
  const half = product([0, 1], points - 1).map((labels) => tile(data, [0, ...labels]));
  const shown = [...half, ...[...half].reverse().map(turned)]; // in counting order
  const count = shown.filter((each) => each.separable).length;
  const cover = Number(coverCount(points, 2));
  const shattered = count === 2 ** points;
  return { points, all: shown.length, count, cover, shattered, tiles: shown, current: parseInt(data.y.join(""), 2),
    said: said(points, count, cover, shattered), verdict: new Set(data.y).size === 2 ? drawn(data, { bias: "one" }) : null };
}

/** One labeling: a line, or two hulls that meet; neither if there is only one class. @param {Data} data @param {number[]} labels */
function tile(data, labels) {
  /** @type {{labels: number[], separable: boolean, weights: number[] | null, hulls: any[], common: number[] | null}} */
  const one = { labels, separable: true, weights: null, hulls: [], common: null };
  if (new Set(labels).size === 1) return one;
  const found = verdict(data.X, labels);
  if (found.separable) return { ...one, weights: found.weights && found.weights.map(near) };
  const { hulls, common } = meeting(data.X, labels, found, true);
  return { ...one, separable: false, hulls, common };
}

/** The same with all labels turned: the same line, the other way round. @param {ReturnType<typeof tile>} one */
function turned(one) {
  return { ...one, labels: one.labels.map((label) => 1 - label), weights: one.weights && one.weights.map((weight) => -weight + 0), hulls: one.hulls.map((hull) => ({ ...hull, class: 1 - hull.class })) };
}

/** @param {number} points @param {number} count @param {number} cover @param {boolean} shattered */
function said(points, count, cover, shattered) {
  const named = `${count} of ${2 ** points} labelings are separable`;
  if (shattered) return `${named}: lines shatter these ${points} points.`;
  const less = count < cover ? ` Points in general position (${points > 3 ? "no three of them on a line" : "not on one line"}) have ${cover}.` : "";
  return `${named}: lines do not shatter these ${points} points.${less}`;
}

/** The three questions for two, three and four points. */
function questions() {
  return { rows: QUESTIONS.map(([title, question, ...cells]) => ({ title, question, cells: cells.map(([yes, why, preset], k) => ({ points: k + 2, yes, why, preset })) })) };
}

/** Separable labelings of N points in general position in d dimensions (Cover 1965): 2 Σ C(N − 1, k), k ≤ d. @param {number} N @param {number} d */
function coverCount(N, d) {
  let [total, term] = [0n, 1n];
  for (let k = 0; k <= d && k < N; k++) {
    total += term;
    term = (term * BigInt(N - 1 - k)) / BigInt(k + 1);
  }
  return 2n * total;
}

/** Cover's curves over N / (d + 1), and how long random labels stay separable. @param {Data} data @param {Parameters} parameters */
function cover(data, parameters) {
  const curves = new Map(DIMENSIONS.map((d) => [d, new Map(Array.from({ length: REACH * (d + 1) }, (_, k) => [(k + 1) / (d + 1), near({ n: coverCount(k + 1, d), d: 2n ** BigInt(k + 1) })]))]));
  const places = [...new Set([...curves.values()].flatMap((curve) => [...curve.keys()]))].sort((a, b) => a - b);
  const d = parameters.dimension;
  const limits = limitsOf(d, parameters.seed);
  const own = places.map((place) => (curves.get(d)?.has(place) ? Math.round(place * (d + 1)) : null)); // N
  const first = limits.map((_, made) => limits.slice(0, made + 1));
  return { place: places, ...Object.fromEntries(DIMENSIONS.map((dimension) => [`d${dimension}`, places.map((place) => curves.get(dimension)?.get(place) ?? null)])),
    shares: first.map((some) => own.map((N) => (N === null ? null : some.filter((limit) => limit >= N).length / some.length))), limits,
    means: first.map((some) => some.reduce((sum, limit) => sum + limit, 0) / some.length), capacity: 2 * (d + 1) };
}

/** Points at random, on a fine grid, and their labels. @param {Generator} chance @param {number} d */
function round(chance, d) {
  return Array.from({ length: LONGEST * (d + 1) }, () => {
    const z = [...Array.from({ length: d }, () => BigInt(chance.below(PLACES) - PLACES / 2)), BigInt(PLACES / 2)];
    return chance.below(2) ? z : z.map((value) => -value);
  });
}

/** @type {Map<string, number[]>} */
const known = new Map();

/** For each round, how many points with random labels were separable before one more was not. @param {number} d @param {number} seed */
function limitsOf(d, seed) {
  const key = `${d} ${seed}`;
  if (!known.has(key)) {
    const chance = new Generator(seed);
    known.set(key, Array.from({ length: ROUNDS }, () => {
      const vectors = round(chance, d);
      let [low, high] = [1, vectors.length + 1]; // separable, not separable
      while (high - low > 1) { // points taken away from a separable set leave a separable set
        const middle = (low + high) >> 1;
        if (decide(vectors.slice(0, middle)).kind === "complete") low = middle;
        else high = middle;
      }
      return low;
    }));
  }
  return known.get(key) ?? [];
}

/** The code of this view. @param {Data} data @param {Parameters} parameters */
function python(data, parameters) {
  return "from novikoff import separability, theory\n\nfound = theory.dichotomies(X)\nprint(found.count, 'of', 2 ** len(X), 'labelings are separable; shattered:', theory.can_shatter(X))\nprint(found.labelings)\n" +
    `if len(set(y)) == 2:\n    print(separability(X, y))\n\nd = ${parameters.dimension}\nprint([float(theory.cover_fraction(N, d)) for N in range(1, ${REACH} * (d + 1) + 1)], theory.capacity(d))\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "shattering",
  title: "Every labeling: shattering and Cover’s curves",
  lectures: "L0 11.63, L1 (3.30)",
  text: [
    "N points can be labeled +1 or −1 in 2ᴺ ways. Each way is a tile: with a line, if one separates the labels, or with the hulls that meet. If all of them have a line, lines shatter the points.",
    "Cover (1965) counted them for points in general position in d dimensions: the share F(N, d) of separable labelings is 1 up to N = d + 1, exactly one half at N = 2(d + 1), and soon nothing. The larger d, the steeper the fall.",
  ],
  task: "Drag a corner of the square into the triangle of the other three. Which two labelings have no line now? Then put three points on a line: how many labelings are lost?",
  presets: [
    { name: "square", title: "Four corners", data: XOR, parameters: {} },
    { name: "two", title: "Two points", data: TWO, parameters: {} },
    { name: "triangle", title: "Three points", data: TRIANGLE, parameters: {} },
    { name: "three-line", title: "Three on a line", data: THREE_ON_A_LINE, parameters: {} },
    { name: "inside", title: "Four, one inside", data: INSIDE, parameters: {} },
    { name: "four-line", title: "{a, b} against {c, d} on a line", data: FOUR_ON_A_LINE, parameters: { dimension: 1 } },
  ],
  controls: [
    { name: "dimension", label: "Random points in d dimensions", default: 2, options: [[1, "d = 1"], [2, "d = 2"], [5, "d = 5"], [20, "d = 20"]] },
    { name: "seed", label: "Random number", default: 0, low: 0, high: 1000000, step: 1, whole: true },
  ],
  asks: { tiles: { answer: tiles, follows: true }, questions: { answer: questions }, cover: { answer: cover } },
  python,
};
