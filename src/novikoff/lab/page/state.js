// The scene that is shown, what is answered about it, when it is asked again, and what was shown before.

import { batch, signal } from "./vendor/signals.js";
import { frameOf } from "./plane.js";
import { send } from "./transport.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Catalogue} Catalogue */

const REST = 60; // milliseconds without a change before traces are worked out
const MOST_UNDONE = 200; // changes

/** @type {Catalogue} */
export const catalogue = send({ ask: "catalogue" }).answer;
/** @type {{value: Scene | null}} */
export const scene = signal(null);
/** What is shown: a demonstration, the user's own data, or the questions. @type {{value: "demo" | "mine" | "questions"}} */
export const room = signal("demo");
/** @type {{value: string}} */
export const status = signal("");
/** Scenes to go back and forth to. @type {{value: {past: Scene[], future: Scene[]}}} */
export const changes = signal({ past: [], future: [] });
/** @type {{value: Record<string, any>}} */
const answers = signal({});
/** @type {{value: Record<string, string>}} */
const errors = signal({});
/** @type {{value: Record<string, boolean>}} */
const stale = signal({});

let said = ""; // of the latest change
let dragged = false; // whether the latest change was part of a drag

/** @type {Lab} */
export const lab = {
  get scene() {
    return /** @type {Scene} */ (scene.value);
  },
  get demo() {
    const found = catalogue.demonstrations.find((each) => each.name === scene.value?.demo);
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
  setData(data, dragging = false) {
    if (data === lab.scene.data && !dragged) return; // a drag that was undone before it ended
    batch(() => { // and draw once
      if (!dragged) remember();
      scene.value = { ...lab.scene, data, view: changedView() };
      changed(dragging);
    });
  },
  setParameters(parameters, dragging = false) {
    batch(() => {
      if (!dragged) remember();
      scene.value = { ...lab.scene, parameters: { ...lab.scene.parameters, ...parameters }, view: changedView() };
      changed(dragging);
    });
  },
  setView(view) {
    scene.value = { ...lab.scene, view: { ...lab.scene.view, ...view } };
  },
  ask(name, more) {
    const found = send({ ...about(name), more });
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

/** A preset that was changed is none any more. */
function changedView() {
  const { preset, ...view } = lab.scene.view;
  return view;
}

/** Keep the present scene, to be able to undo what comes. */
function remember() {
  if (scene.value) changes.value = { past: [...changes.value.past, scene.value].slice(-MOST_UNDONE), future: [] };
}

/** Answers about another demonstration, or other classes or columns, cannot be drawn while new ones are worked out. @param {Scene} coming */
function forget(coming) {
  const shape = (/** @type {Scene | null} */ each) => [each?.demo, each?.data.classes.length, each?.data.names.length].join();
  if (shape(coming) !== shape(scene.value)) [answers.value, errors.value] = [{}, {}];
}

/** Go back to what was shown before the last change, or forth again. @param {"undo" | "redo"} way */
export function travel(way) {
  const { past, future } = changes.value;
  const from = way === "undo" ? past : future;
  const to = from[from.length - 1];
  if (!to || !scene.value) return;
  const [left, now] = [from.slice(0, -1), scene.value];
  batch(() => {
    changes.value = way === "undo" ? { past: left, future: [...future, now] } : { past: [...past, now], future: left };
    forget(to);
    scene.value = { ...to, view: { ...to.view, playing: false } };
    changed();
  });
  lab.say(way === "undo" ? "Undone." : "Done again.");
}

/** Show a scene from its beginning. @param {Scene} given */
export function show(given) {
  batch(() => {
    remember();
    forget(given);
    const view = given.view.frame ? given.view : { ...given.view, frame: frameOf(given.data.X) };
    scene.value = { ...given, view: { ...view, playing: false } };
    changed();
  });
}

/** Show a preset. @param {string} demo @param {string} [preset] the first if none is named */
export function showPreset(demo, preset) {
  const described = catalogue.demonstrations.find((each) => each.name === demo);
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

/** Work answers out again: at once what follows the pointer, the rest one by one when nothing moves any more. */
function changed(dragging = false) {
  const asks = Object.entries(lab.demo.asks).filter(([, ask]) => ask.by_itself);
  said = "";
  stale.value = Object.fromEntries(asks.map(([name]) => [name, true]));
  for (const [name, ask] of asks) if (ask.follows) request(name);
  clearTimeout(resting);
  const first = !asks.some(([name]) => answers.value[name]); // nothing is shown yet
  const wait = first || (dragged && !dragging) ? 0 : REST; // or nothing more is to come
  dragged = dragging;
  const later = asks.filter(([, ask]) => !ask.follows).map(([name]) => name);
  const next = () => {
    const name = later.shift();
    if (!name) return;
    request(name);
    resting = setTimeout(next); // the page is drawn in between
  };
  if (!dragging) resting = setTimeout(next, wait);
}

/** @param {string} name */
function request(name) {
  const found = send(about(name));
  const without = (/** @type {Record<string, any>} */ all) => Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
  batch(() => {
    if (found.error !== undefined) {
      errors.value = { ...errors.value, [name]: found.error };
      answers.value = without(answers.value); // nothing is shown that is not true of this scene
    } else {
      tellVerdict(answers.value[name], found.answer);
      answers.value = { ...answers.value, [name]: found.answer };
      errors.value = without(errors.value);
    }
    stale.value = { ...stale.value, [name]: false };
  });
}

/** A verdict that turned is read out, after what turned it was. @param {any} before @param {any} now */
function tellVerdict(before, now) {
  if (before && now.title && now.title !== before.title) queueMicrotask(() => lab.say([said, `${now.title}.`].join(" ").trim()));
}
