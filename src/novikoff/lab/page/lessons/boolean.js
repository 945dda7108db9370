// A truth table as a network of perceptrons, and the functions that one of them can do (L0 11.66).

import { booleanNetwork, product } from "../engine/booleans.js";
import { truthTable } from "./points.js";

/** @typedef {import("../types.js").Data} Data */
/** @typedef {import("../engine/booleans.js").Unit} Unit */

const MOST_INPUTS = 4;
const MOST_MAPPED = 3; // inputs of which every function is looked at
const ONE_UNIT = [4, 14, 104, 1882]; // functions of 1, 2, 3 and 4 inputs that one unit can do (S. Muroga 1971)
const NAMES = ["never", "AND", "x₁, not x₂", "x₁", "x₂, not x₁", "x₂", "XOR", "OR", "NOR", "equal", "not x₂", "x₁ or not x₂", "not x₁", "x₂ or not x₁", "NAND", "always"];

/** The network of the table, and what every unit of it says of every input. @param {Data} data */
function network(data) {
  const table = tableOf(data);
  const values = table.map((each) => each.value);
  const { hidden, last, output } = booleanNetwork(values);
  const middle = hidden.map((_, k) => `h${below(k + 1)}`);
  const units = hidden.length + 1;
  const total = (/** @type {Unit} */ unit, /** @type {number[]} */ inputs) => inputs.reduce((sum, bit, j) => sum + bit * unit.weights[j], unit.bias);
  return { names: data.names, number: parseInt(values.join(""), 2), units, output, title: output ? `${units} units in two levels` : "One unit is enough", said: said(output, units - 1),
    hidden: hidden.map((unit) => described(unit, data.names)), last: described(last, output ? middle : data.names), middle,
    rows: table.map(({ bits, value, place }) => {
      const scores = hidden.map((unit) => total(unit, bits));
      const fires = scores.map((score) => Number(score > 0));
      return { place, bits, value, scores, fires, total: total(last, output ? fires : bits) };
    }) };
}

/** Which of all functions of so many inputs one unit can do. @param {Data} data */
function functions(data) {
  const inputs = tableOf(data)[0].bits.length;
  const [one, every] = [ONE_UNIT[inputs - 1], 2 ** 2 ** inputs];
  const units = inputs <= MOST_MAPPED ? unitsOf(inputs) : [];
  const kinds = [...new Set(units)].sort((a, b) => a - b);
  return { inputs, all: every, one, share: one / every, units, names: inputs === 2 ? NAMES : [], counts: kinds.map((each) => ({ units: each, functions: units.filter((some) => some === each).length })) };
}

/** @type {Map<number, number[]>} */
const known = new Map();

/** The number of units of every function of so many inputs, by the number that its table is. @param {number} inputs */
function unitsOf(inputs) {
  const length = 2 ** inputs;
  if (!known.has(inputs)) {
    const half = product([0, 1], length - 1).map((values) => booleanNetwork([0, ...values]).hidden.length + 1);
    known.set(inputs, [...half, ...[...half].reverse()]); // a function and its opposite need as many: OR and AND change places, planes stay
  }
  return known.get(inputs) ?? [];
}

/** Inputs, value and row number, in counting order. @param {Data} data */
function tableOf(data) {
  const order = data.X.map((bits, place) => ({ bits, place, value: data.y[place] })).sort((one, other) => parseInt(one.bits.join(""), 2) - parseInt(other.bits.join(""), 2));
  const right = data.names.length <= MOST_INPUTS && data.classes.length === 2 && data.X.flat().every((bit) => bit === 0 || bit === 1) &&
    order.length === 2 ** data.names.length && order.every((each, k) => parseInt(each.bits.join(""), 2) === k);
  if (!right) throw new Error(`A truth table has each combination of zeros and ones once, and up to ${MOST_INPUTS} inputs.`);
  return order;
}

/** A unit with its formula. @param {Unit} unit @param {string[]} names */
function described({ weights, bias }, names) {
  let text = "";
  [...weights, bias].forEach((value, j) => {
    if (!value) return;
    const name = names[j] ?? "";
    const size = Math.abs(value) === 1 && j < weights.length ? "" : String(Math.abs(value));
    const sign = value < 0 ? "−" : "+";
    text += (text ? ` ${sign} ` : sign === "−" ? sign : "") + size + (j < weights.length ? name : "");
  });
  return { weights, bias, text: `${text} > 0` };
}

/** @param {number} value */
const below = (value) => [...String(value)].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join("");

/** @param {string} output @param {number} hidden */
function said(output, hidden) {
  if (!output) return "A line, or a plane, has the ones on one side and the zeros on the other.";
  if (output === "OR") return `No line separates ones from zeros. Each of ${hidden} hidden units finds some of the ones, and the last unit is their OR.`;
  if (output === "AND") return `No line separates ones from zeros. Each of ${hidden} hidden units rules out some of the zeros, and the last unit is their AND.`;
  return `No line separates ones from zeros. ${hidden} hidden units have parallel planes, where the function changes. The last unit fires if ${output} of them fire.`;
}

/** The code of this view. @param {Data} data */
function python(data) {
  return "from novikoff import theory\n\ntable = [value for _, value in sorted(zip(X, y))]  # in counting order\nnetwork = theory.boolean_network(table)\n" +
    `print(network, network.n_units)\nprint(theory.dichotomies(X).count, 'of', ${2 ** 2 ** data.names.length}, 'functions need one unit only')\n`;
}

/** @type {import("../types.js").Lesson} */
export const LESSON = {
  name: "boolean",
  title: "Boolean functions as networks",
  lectures: "L0 11.63, 11.66",
  text: [
    "A unit gives 1 if w·x + b > 0, else 0. One unit can do a function exactly if a line, or a plane, separates the inputs where it is 1 from those where it is 0.",
    "L0: every Boolean function can be represented by some network of perceptrons only two levels deep. Hidden units find faces of the cube of inputs that hold only ones, and their OR is the function; or the same with zeros and AND; or they are parallel planes between which the function keeps its value, if that takes fewer. Hidden units and the last one are counted. Up to three inputs no network with one hidden layer has fewer; of four inputs fewer may be enough.",
  ],
  task: "Find a function of two inputs that one unit cannot do, by turning values in the table. How many are there? Then find a function of three inputs that needs four units.",
  presets: [
    { name: "xor", title: "XOR", data: truthTable("0110"), parameters: {} },
    { name: "and", title: "AND", data: truthTable("0001"), parameters: {} },
    { name: "or", title: "OR", data: truthTable("0111"), parameters: {} },
    { name: "implies", title: "If x₁ then x₂", data: truthTable("1101"), parameters: {} },
    { name: "majority", title: "Majority of three", data: truthTable("00010111"), parameters: {} },
    { name: "either", title: "If x₁ then x₂, else x₃", data: truthTable("01010011"), parameters: {} },
    { name: "parity", title: "Parity of three", data: truthTable("01101001"), parameters: {} },
    { name: "two-of-four", title: "Two of four", data: truthTable("0001011001101000"), parameters: {} },
    { name: "parity-four", title: "Parity of four", data: truthTable("0110100110010110"), parameters: {} },
  ],
  controls: [
  ],
  asks: { network: { answer: network, follows: true }, functions: { answer: functions } },
  python,
};
