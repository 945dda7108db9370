// One pure function that answers everything the page asks. Nothing that the page shows of a demonstration is worked out anywhere else.

import { LESSON as boolean } from "./boolean.js";
import { LESSON as bound } from "./bound.js";
import { LESSON as classes } from "./classes.js";
import { LESSON as descent } from "./descent.js";
import { LESSON as features } from "./features.js";
import { GLOSSARY } from "./glossary.js";
import { LESSON as inseparable } from "./inseparable.js";
import { ITEMS } from "./items.js";
import { LESSON as kernel } from "./kernel.js";
import { LESSON as losses } from "./losses.js";
import { LESSON as neuron } from "./neuron.js";
import { ownTable } from "./own.js";
import { LESSON as passes } from "./passes.js";
import { LESSON as perceptron } from "./perceptron.js";
import { QUESTIONS } from "./questions.js";
import { LESSON as regression } from "./regression.js";
import { LESSON as rules } from "./rules.js";
import { readData, readParameters, readView } from "./scenes.js";
import { LESSON as separation } from "./separation.js";
import { LESSON as shattering } from "./shattering.js";
import { LESSON as support } from "./support.js";
import { sceneOfTrace } from "./traces.js";
import { LESSON as verdict } from "./verdict.js";
import { dataCode } from "./words.js";

/** @typedef {import("../types.js").Lesson} Lesson */
/** @typedef {import("../types.js").Answer} Answer */

/** In the order of the lectures: a new one is a line here. */
const LESSONS = [perceptron, neuron, verdict, bound, inseparable, support, separation, rules, losses, descent, regression, classes, shattering, features, kernel, boolean, passes];

/** @param {any} name @returns {Lesson} */
function lessonOf(name) {
  const found = LESSONS.find((each) => each.name === name);
  if (!found) throw new Error(`There is no demonstration ${JSON.stringify(name)}. There are: ${LESSONS.map((each) => each.name).join(", ")}.`);
  return found;
}

/** @param {Lesson} lesson */
function described(lesson) {
  const { name, title, lectures, text, task } = lesson;
  return { name, title, lectures, text, task,
    asks: Object.fromEntries(Object.entries(lesson.asks).map(([ask, { follows = false, by_itself = true }]) => [ask, { follows, by_itself }])),
    controls: lesson.controls.map((control) => ({ low: -1e6, high: 1e6, step: "any", parts: [], help: "", slider: false, only: null, options: [], ...control })),
    presets: lesson.presets.map((preset) => ({ ...preset, parameters: readParameters(lesson, preset.parameters) })) };
}

/** A scene with all its parts: one that only names a demonstration, or a preset of it, is that preset. @param {any} given */
function checkedScene(given) {
  if (given?.version !== 1) throw new Error("This is no scene of version 1: the page writes one with 'Save this scene'.");
  const lesson = lessonOf(given.demo);
  const view = readView(given.view);
  const preset = lesson.presets.find((each) => each.name === view.preset) ?? lesson.presets[0];
  const data = given.data ?? preset.data;
  const parameters = given.parameters ?? (given.data ? {} : preset.parameters);
  return { version: 1, demo: lesson.name, data: readData(data), parameters: readParameters(lesson, parameters), view };
}

/** @param {any} message */
function found(message) {
  const { ask, demo } = message ?? {};
  if (demo === undefined) {
    if (ask === "catalogue") return { demonstrations: LESSONS.map(described), questions: QUESTIONS, items: ITEMS, glossary: GLOSSARY };
    if (ask === "scene") return checkedScene(message.scene);
    if (ask === "own table") return ownTable(message);
    if (ask === "trace file") return checkedScene(sceneOfTrace(message.trace));
    throw new Error(`There is no question ${JSON.stringify(ask)}.`);
  }
  const lesson = lessonOf(demo);
  const [data, parameters] = [readData(message.data), readParameters(lesson, message.parameters)];
  if (ask === "python") return { code: dataCode(data) + lesson.python(data, parameters) };
  if (!Object.hasOwn(lesson.asks, ask)) throw new Error(`${lesson.title}: there is no question ${JSON.stringify(ask)}.`);
  return lesson.asks[ask].answer(data, parameters, message.more);
}

/** The answer to a message: `{answer}`, or `{error}` if something is wrong with it. @param {any} message @returns {Answer} */
export function answer(message) {
  try {
    return { answer: found(message) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
