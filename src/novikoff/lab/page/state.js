// The scene that is shown, what Python answered about it, and when it is asked again. The latest message wins.

import { batch, signal } from "./vendor/signals.js";
import { frameOf } from "./plane.js";
import { key, live, send } from "./transport.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Catalogue} Catalogue */

const REST = 120; // milliseconds without a change before traces are asked for
const SLOW = 400; // milliseconds before the page says that it waits

/** @type {{value: Catalogue | null}} */
export const catalogue = signal(null);
/** @type {{value: Scene | null}} */
export const scene = signal(null);
/** What is shown: a demonstration, the user's own data, or the questions. @type {{value: "demo" | "mine" | "questions"}} */
export const room = signal("demo");
/** @type {{value: string}} */
export const status = signal("");
/** @type {{value: boolean}} */
export const waiting = signal(false);
/** @type {{value: Record<string, any>}} */
const answers = signal({});
/** @type {{value: Record<string, string>}} */
const errors = signal({});
/** @type {{value: Record<string, boolean>}} */
const stale = signal({});

let answered = false; // whether Python answered anything yet
let said = ""; // of the latest change

/** @type {Lab} */
export const lab = {
  get scene() {
    return /** @type {Scene} */ (scene.value);
  },
  get demo() {
    const found = catalogue.value?.demonstrations.find((each) => each.name === scene.value?.demo);
    if (!found) throw new Error("There is no such demonstration.");
    return found;
  },
  get answers() {
    return answers.value;
  },
  get errors() {
    return errors.value;
  },
  get stale() {
    return stale.value;
  },
  live,
  setData(data, dragging = false) {
    batch(() => { // and draw once
      scene.value = { ...lab.scene, data };
      changed(dragging);
    });
  },
  setParameters(parameters) {
    batch(() => {
      scene.value = { ...lab.scene, parameters: { ...lab.scene.parameters, ...parameters } };
      changed();
    });
  },
  setView(view) {
    scene.value = { ...lab.scene, view: { ...lab.scene.view, ...view } };
  },
  async ask(name, more) {
    const found = await send({ ...about(name), more });
    if (found.error !== undefined) {
      lab.say(found.error);
      return null;
    }
    return found.answer;
  },
  say(text) {
    said = text;
    status.value = text === status.value ? `${text} ` : text; // so that it is read out again
  },
};

/** Show a scene from its beginning. @param {Scene} given */
export function show(given) {
  batch(() => {
    if (given.demo !== scene.value?.demo) [answers.value, errors.value] = [{}, {}];
    const view = given.view.frame ? given.view : { ...given.view, frame: frameOf(given.data.X) };
    scene.value = { ...given, view: { ...view, playing: false } };
  });
  changed();
}

/** Show a preset. @param {string} demo @param {string} [preset] the first if none is named */
export function showPreset(demo, preset) {
  const described = catalogue.value?.demonstrations.find((each) => each.name === demo);
  const found = described?.presets.find((each) => each.name === preset) || described?.presets[0];
  if (found) show({ version: 1, demo, data: found.data, parameters: found.parameters, view: { preset: found.name, step: 0 } });
}

/** @param {string} ask */
function about(ask) {
  const { demo, data, parameters } = lab.scene;
  return { demo, ask, data, parameters };
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let resting;
let dragged = false; // whether the latest change was part of a drag

/** Ask again: at once what follows the pointer, the rest when nothing moves any more. */
function changed(dragging = false) {
  const asks = Object.entries(lab.demo.asks).filter(([, ask]) => ask.by_itself);
  said = "";
  const later = asks.filter(([, ask]) => !ask.follows).map(([name]) => name);
  stale.value = Object.fromEntries(asks.map(([name]) => [name, true]));
  for (const [name, ask] of asks) if (ask.follows) request(name);
  clearTimeout(resting);
  const released = dragged && !dragging; // then nothing more is to come
  dragged = dragging;
  if (!dragging) resting = setTimeout(() => later.forEach(request), answered && live && !released ? REST : 0);
}

/** Messages under way, and whether another is to follow. @type {Record<string, {again: boolean}>} */
const underway = {};

/** Send a message unless one is under way; then the latest is sent after it. @param {string} name */
async function request(name) {
  if (underway[name]) {
    underway[name].again = true;
    return;
  }
  underway[name] = { again: false };
  const slow = setTimeout(() => {
    waiting.value = true;
    if (!answered && live) lab.say("Python is getting ready: it compiles its kernels, once for each machine…");
  }, SLOW);
  const message = about(name);
  const found = await send(message);
  clearTimeout(slow);
  const { again } = underway[name];
  delete underway[name];
  batch(() => {
    waiting.value = Object.keys(underway).length > 0 && waiting.value;
    if (message.demo !== scene.value?.demo) return;
    if (!answered && found.error === undefined) {
      answered = true;
      if (status.value.startsWith("Python is getting ready")) status.value = "Ready.";
    }
    const without = (/** @type {Record<string, any>} */ all) => Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
    if (found.error !== undefined) {
      errors.value = { ...errors.value, [name]: found.error };
      answers.value = without(answers.value); // nothing is shown that is not true of this scene
    } else {
      tellVerdict(answers.value[name], found.answer);
      answers.value = { ...answers.value, [name]: found.answer };
      errors.value = without(errors.value);
    }
    if (key(message) === key(about(name))) stale.value = { ...stale.value, [name]: false };
  });
  if (again) request(name);
}

/** A verdict that turned is read out, after what turned it. @param {any} before @param {any} now */
function tellVerdict(before, now) {
  if (before && now.title && now.title !== before.title) lab.say([said, `${now.title}.`].join(" ").trim());
}
