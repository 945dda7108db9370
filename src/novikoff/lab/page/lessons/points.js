// The points that demonstrations begin with: those of the lectures, the gates, and some drawn at random once.

/** @typedef {import("../types.js").Data} Data */

const SIGNS = ["−1", "+1"]; // the classes of the lectures
const AXES = ["x₁", "x₂"];

/** Points written as `1 2; 3 4`. @param {string} text */
const points = (text) => text.split(";").map((each) => each.trim().split(" ").map(Number));

/** Rows of two classes, those of +1 first. @param {string} plus @param {string} minus @returns {Data} */
function twoClasses(plus, minus) {
  const [first, second] = [points(plus), points(minus)];
  return { X: [...first, ...second], y: [...first.map(() => 1), ...second.map(() => 0)], names: AXES, classes: SIGNS };
}

/** Rows of classes A, B, C, …, one class after the other. @param {...string} classes @returns {Data} */
function lettered(...classes) {
  const all = classes.map(points);
  return { X: all.flat(), y: all.flatMap((some, k) => some.map(() => k)), names: AXES, classes: all.map((_, k) => "ABCDE"[k]) };
}

/** All inputs of a Boolean function, given by its values in counting order. @param {string} values @returns {Data} */
export function truthTable(values) {
  const inputs = Math.log2(values.length);
  const X = [...values].map((_, row) => Array.from({ length: inputs }, (__, j) => (row >> (inputs - 1 - j)) & 1));
  return { X, y: [...values].map(Number), names: X[0].map((_, j) => `x${String.fromCharCode(0x2081 + j)}`), classes: ["0", "1"] };
}

export const EIGHT = twoClasses("1 1; 1 3; 2 1; 2 2", "-1 -1; -1 -3; -2 -1; -2 -2"); // L0 11.65.1
export const FOUR_CASES = twoClasses("2 0; -3 0", "-5 0; 4 0"); // from w = −1, L0 11.65
export const AND = twoClasses("1 1", "0 0; 0 1; 1 0");
export const OR = twoClasses("0 1; 1 0; 1 1", "0 0");
export const XOR = twoClasses("0 1; 1 0", "0 0; 1 1");
export const NARROW = twoClasses("1 2; 2 3.5; 3 4; 4 5.5", "1.5 2; 2 2.5; 3 3; 4 4.5");
export const CLOUDS = twoClasses("1.25 2.5; 2 1.5; 2.75 3; 3.5 2.25; 1.75 3.5; 4 3.25; 2.5 2.25; 3 1.25; 4.25 2.5; 3 4", "-0.5 0.5; 0.5 -0.75; -1.25 1; 0.25 1; -0.75 -0.5; 1 0; -1.5 -0.25; 0.75 1.25; 0 -1.5; -1 2");
export const OVERLAP = twoClasses("1 1.5; 2 0.75; 2.5 2.5; 0.25 0.5; 1.75 3; 3 1.5", "-0.5 -0.25; 0.5 1; -1.25 1; 1.5 1.25; 0 -1; -0.75 1.75");
export const TOUCHING = twoClasses("1 0; 0 1; 1 1; 2 1", "-1 0; 0 -1; -1 -1; 0 1");
export const NEARLY = twoClasses("0.5 1.5; 1 2.25; 1.75 2; 2 3; 2.75 2.5; 3.25 3.5; 1 1", "0.75 0.5; 1.5 0.75; 2.25 1; 2.75 1.75; 0 -0.25; 3.25 2; 1.75 1.25"); // one step of a row, and they overlap
export const RING = twoClasses("0 0; 0.5 0.25; -0.25 0.5; -0.5 -0.25; 0.25 -0.5", "2 0.25; 1.25 1.5; -0.25 2; -1.5 1.25; -2 -0.25; -1.25 -1.5; 0.25 -2; 1.5 -1.25");
export const TWO = twoClasses("1 2", "3 1");
export const TRIANGLE = twoClasses("1 1; 2 3", "4 1");
export const THREE_ON_A_LINE = twoClasses("1 1; 3 2", "2 1.5");
export const INSIDE = twoClasses("0 0; 4 0; 2 3", "2 1"); // one in the triangle of the others
export const FOUR_ON_A_LINE = twoClasses("0 0; 2 1", "1 0.5; 3 1.5");
export const NOISY = { ...CLOUDS, y: CLOUDS.y.map((label, row) => (row === 2 || row === 12 ? 1 - label : label)) }; // two wrong labels
export const FAR = twoClasses("1.25 2.5; 2 1.5; 2.75 3; 3.5 2.25; 1.75 3.5; 4 3.25; 2.5 2.25; 3 1.25; 4.25 2.5; 3 4; 7.5 1", "-0.5 0.5; 0.5 -0.75; -1.25 1; 0.25 1; -0.75 -0.5; 1 0; -1.5 -0.25; 0.75 1.25; 0 -1.5; -1 2");
export const FAR_OF_FEW = twoClasses("1 0.5; 1.25 -0.5; 1.5 0.25; 11 1", "-0.5 0; 0 0.75; 0.25 -0.75; 0.5 0.25");
export const ONE_FAR = twoClasses("8 0.5; -1 1; -2 1", "0 -1; 1 -1"); // a line through the origin separates them, but Σ y·x does not
export const FIVE_ON_A_LINE = lettered("-2 0", "0 0", "3 0", "-3 0", "2 0"); // "all" loops on them, though they are separable
export const THREE_CLOUDS = lettered("1 3.5; 1.75 4; 0.25 3; 2 2.75; 2.75 3.25", "-0.5 0.5; 0.25 0; -1 1.25; 0.5 1; 0.75 1.75", "3 0.75; 3.75 1.5; 2.5 1.25; 3.5 2.25; 2 0.25");
export const FOUR_CORNERS = lettered("2 2; 3 2.5; 2.25 3", "-2 2; -2.5 3; -3 1.5", "-2 -2; -3 -2.5; -1.5 -3", "2 -2; 2.5 -3; 3 -1.5");
export const INNER = lettered("0 0; 0.5 0.25; -0.5 -0.25; 0.25 -0.5", "0 2.5; 1 2.75; -1 2.25", "-2.5 -1; -2 -2; -3 0", "2.5 -1; 2 -2; 3 0");
export const THREE_MIXED = lettered("0 2; 0.75 2.5; -0.75 1.75; 0.5 -0.5; 0 1", "-2 -1; -1.25 -1.5; -2.5 0; -0.5 0.75; -1 -0.25", "2 -1; 2.5 0; 1.25 -1.5; -1 -1; 0.75 0.25");
export const BENT = twoClasses("-1.75 0; -2.5 0.5; 2.5 2.5; -0.25 1.25; -1.75 1; 1 2; -1.25 0.75; 2.75 2.75; -2.75 -0.25; -2.5 0.25; -1 2; 1.5 1.5; -0.5 0; -1.25 2.25; -1.75 3; 1.75 1.25; -1.25 2.25; -2.5 1.5; -1.75 2.5; 2.25 2.25; 0 1.5; -2.5 0.75; -1 -0.5; -1.25 2; -2.5 -1.25; -0.25 1.5", "-2.5 -0.25; 1 -2.25; -2.25 -2; 1.5 -0.75; 2 2.75; -2.25 -2.75; -1.25 -2.75; 0.75 -2; -2.75 -2.25; 3 -1.75; 1.25 -1; -2 -2.25; 2.75 -3; -2.75 -0.5; 2 -1.25; 1.25 1.5; 1.25 -2.5; -2.25 0.25; -1.75 -0.75; -1.25 -1.25; 2.5 1; -0.5 -1.25; 0 -0.5; 0.5 -3; 1.25 -2; -2 -1.75; -2 -1.75; 0 -1; -2.5 -2.75; -0.25 0.5; 0.5 -2.25; 0 -2.25; -2 1; -2 -1.5"); // the border is 0.8 sin(1.2 x); 15 % of the labels are noise
export const NOISE = twoClasses("1.25 2.5; 2 1.5; -1 -1; -0.25 -0.75; 2.75 3; 3.5 2.25; 1.75 3.5; 4 3.25; 2.5 2.25; 3 1.25; 4.25 2.5; 3 4", "-0.5 0.5; 0.5 -0.75; 3.5 3.5; -1.25 1; 0.25 1; -0.75 -0.5; 1 0; -1.5 -0.25; 0.75 1.25; 0 -1.5; -1 2");
/** Measurements: x, and the target t; the second group is held out. @param {string} learned @param {string} held */
const measured = (learned, held) => ({ ...twoClasses(held, learned), names: ["x", "t"], classes: ["learned from", "held out"] });
export const MEASURED = measured("-2 -1.25; -1.5 -1; -0.5 0.25; 0 0.25; 1 1.5; 1.5 1; 2 2.25; 2.5 2", "-1 -0.25; 0.5 0.75");
export const NO_LINE = measured("-2 3; -1.5 1.75; -1 0.75; -0.25 0.25; 0.5 0; 1 1.25; 1.5 2.5; 2 3.5", "0 0.25; -1.75 2.5");
