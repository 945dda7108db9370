// A scene: a demonstration, its data and parameters and what is shown of them. Nothing is taken on trust that comes from a link or a file.

/** @typedef {import("../types.js").Data} Data */
/** @typedef {import("../types.js").Lesson} Lesson */
/** @typedef {import("../types.js").Choice} Choice */

const MOST_ROWS = 500; // of a scene
const MOST_FEATURES = 20;
const MOST_CLASSES = 10;
const MOST_LETTERS = 60; // of a name
const LARGEST = 1e9; // of a number in the data

/** @param {any} value */
const isNumber = (value) => typeof value === "number" && Math.abs(value) <= LARGEST;

/** The data of a scene, checked. @param {any} given @returns {Data} */
export function readData(given) {
  const { X, y, names, classes } = given ?? {};
  if (!Array.isArray(X) || !Array.isArray(y) || X.length !== y.length || X.length < 1 || X.length > MOST_ROWS) {
    throw new Error(`X and y of a scene have one entry for each row, and from 1 to ${MOST_ROWS} rows.`);
  }
  for (const [texts, most] of [[names, MOST_FEATURES], [classes, MOST_CLASSES]]) {
    const right = Array.isArray(texts) && texts.length >= 1 && texts.length <= most && texts.every((text) => typeof text === "string" && text && text.length <= MOST_LETTERS);
    if (!right) throw new Error(`Names in a scene are at most ${most} texts of at most ${MOST_LETTERS} letters.`);
  }
  if (classes.length < 2) throw new Error("A scene has at least two classes.");
  X.forEach((row, k) => {
    if (!Array.isArray(row) || row.length !== names.length || !row.every(isNumber)) throw new Error(`Row ${k} of the scene is not ${names.length} numbers between -1e9 and 1e9.`);
  });
  y.forEach((label, k) => {
    if (!Number.isInteger(label) || label < 0 || label >= classes.length) throw new Error(`The class of row ${k} is ${label}; give a whole number from 0 to ${classes.length - 1}.`);
  });
  return { X: X.map((row) => row.map((/** @type {number} */ value) => value + 0)), y: [...y], names: [...names], classes: [...classes] };
}

/** @param {Choice} choice @param {any} value */
function readNumber({ label, low = -1e6, high = 1e6, whole }, value) {
  if (typeof value !== "number" || !(value >= low && value <= high)) throw new Error(`${label}: give a number from ${low} to ${high}.`);
  if (whole && !Number.isInteger(value)) throw new Error(`${label}: give a whole number.`);
  return value;
}

/** @param {any} value */
const isReal = (value) => typeof value === "number" && Number.isFinite(value);
/** @param {any} value */
const isText = (value) => typeof value === "string" && value.length <= MOST_LETTERS;
/** @param {any} value @param {number} length */
const isVector = (value, length) => Array.isArray(value) && value.length === length && value.every(isReal);
/** @param {any} marked */
const isMarked = (marked) => [marked?.row, marked?.alpha ?? 0].every(isReal) && isVector(marked.machine, 3) && (marked.gaussian === null || isVector(marked.gaussian, 3));
/** What a view may hold: the part of the plane, the place of the stepper, what is drawn. @type {Record<string, (value: any) => boolean>} */
const VIEWED = { preset: isText, step: isReal, round: isReal, descent: isReal, input: isReal, after: isReal, part: isText, marked: isMarked,
  frame: (frame) => isVector(frame, 4) && frame[0] < frame[1] && frame[2] < frame[3], tool: (tool) => /^(move|remove|add-\d)$/.test(tool),
  lines: (lines) => isText(lines) || (Array.isArray(lines) && lines.every(isText)) };

/** What is shown of a scene: only what the page knows and can draw; the rest is left out. @param {any} given @returns {Record<string, any>} */
export function readView(given) {
  return Object.fromEntries(Object.entries(VIEWED).filter(([name, right]) => right(given?.[name])).map(([name]) => [name, given[name]]));
}

/** All parameters, checked; those that are not given have their defaults. @param {Lesson} lesson @param {any} given @returns {Record<string, any>} */
export function readParameters(lesson, given) {
  const some = given ?? {};
  const known = lesson.controls.map((control) => control.name);
  if (typeof some !== "object" || !Object.keys(some).every((name) => known.includes(name))) throw new Error(`The parameters of this demonstration are ${known.join(", ") || "none"}.`);
  return Object.fromEntries(lesson.controls.map((control) => {
    const value = some[control.name] ?? control.default;
    if (control.options) {
      if (!control.options.some(([each]) => each === value)) throw new Error(`${control.label}: ${JSON.stringify(value)} is not one of its choices.`);
      return [control.name, value];
    }
    if (!control.parts) return [control.name, readNumber(control, value)];
    if (!Array.isArray(value) || value.length !== control.parts.length) throw new Error(`${control.label}: give ${control.parts.length} numbers.`);
    return [control.name, value.map((each) => readNumber(control, each))];
  }));
}
