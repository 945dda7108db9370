// Small parts of answers: counts in words, Python and JSON as text, and what data must have.

/** @typedef {import("../types.js").Data} Data */

/** Refuse rows of one class only. @param {Data} data */
export function bothClasses(data) {
  if (new Set(data.y).size < 2) throw new Error("All rows have the same class: turn the label of one.");
}

/** 1 update, 2 updates, 3 passes. @param {number} many @param {string} what */
export const count = (many, what) => `${many} ${what}${many === 1 ? "" : what.endsWith("s") ? "es" : "s"}`;

/** So many digits. @param {number} value @param {number} digits */
export const short = (value, digits) => String(Number(value.toPrecision(digits)));

/** A number as Python reads it. @param {number} value */
export const number = (value) => String(value);

/** A list of numbers as Python reads it. @param {number[]} values */
export const numbers = (values) => `[${values.map(number).join(", ")}]`;

/** `X` and `y` as Python. @param {Data} data */
export const dataCode = (data) => `X = [${data.X.map(numbers).join(",\n     ")}]\ny = ${numbers(data.y)}\n\n`;

/** Rows as CSV, the label last. @param {Data} data */
export function csv(data) {
  const cell = (/** @type {string} */ text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = data.X.map((row, k) => [...row.map(String), data.classes[data.y[k]]]);
  return [[...data.names, "label"], ...lines].map((line) => line.map(cell).join(",")).join("\n") + "\n";
}

/** JSON for people: every claim, line of weights and entry of a witness begins a line. @param {any} given */
export function json(given) {
  /** @type {(value: any, indent: string) => string} */
  const laid = (value, indent) => {
    const inner = value !== null && typeof value === "object" ? Object.values(value) : [];
    if (value === null || typeof value !== "object" || (Array.isArray(value) && !inner.some((each) => each !== null && typeof each === "object"))) return JSON.stringify(value);
    const parts = Object.entries(value).map(([name, each]) => `${indent}  ${Array.isArray(value) ? "" : `${JSON.stringify(name)}: `}${laid(each, `${indent}  `)}`);
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
  };
  return `${laid(given, "")}\n`;
}
