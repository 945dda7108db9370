// How messages reach Python: by the server that sent this page, from answers that were recorded with it, or by the notebook around it.

import { unpacked } from "./links.js";

/** @typedef {import("./types.js").Answer} Answer */

const element = document.getElementById("recorded");

const byPort = element?.dataset.byPort !== undefined;

/** Whether a server sent this page. */
export const served = element === null;

/** Whether Python can be asked; an exported page only has recorded answers. */
export const live = served || byPort;

const SECONDS = 20; // that a notebook has to answer
const SILENT = "The notebook's Python does not answer: is it busy, or was it ended? Run the cell again.";

/** Those who wait for an answer of the notebook. @type {Map<number, (found: Answer) => void>} */
const waiting = new Map();
/** What leads to the notebook's Python. @type {Promise<MessagePort>} */
const port = new Promise((found) => {
  if (byPort) addEventListener("message", (event) => {
    const [given] = event.source === parent ? event.ports : [];
    if (!given) return;
    given.onmessage = ({ data }) => waiting.get(data.id)?.(data.found);
    found(given);
  });
});
let asked = 0;

/** @param {any} message @returns {Promise<Answer>} */
function askedByPort(message) {
  const id = ++asked;
  return new Promise((/** @type {(found: Answer) => void} */ found) => {
    waiting.set(id, found);
    port.then((way) => way.postMessage({ id, message }));
    setTimeout(() => found({ error: SILENT }), SECONDS * 1000);
  }).finally(() => waiting.delete(id));
}

/** What was recorded: the scene to begin with, and answers by message. @type {Promise<{scene: any, known: Map<string, Answer>}>} */
const recorded = element ? unpacked(element.textContent || "").then(read) : Promise.resolve({ scene: null, known: new Map() });

/** @param {{scene: any, answers: {message: any, answer: Answer}[]}} given */
function read(given) {
  return { scene: given.scene, known: new Map(given.answers.map((each) => [key(each.message), each.answer])) };
}

/** The scene that an exported page begins with, if any. */
export async function firstScene() {
  return (await recorded).scene;
}

/** A message as text, the same for equal messages. @param {any} value @returns {string} */
export function key(value) {
  if (Array.isArray(value)) return `[${value.map(key).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).filter((name) => value[name] !== undefined).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${key(value[name])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

const NOT_RECORDED = "This page replays what was recorded. To try anything else, start the live page: novikoff lab";

/** The answer to a message. @param {any} message @returns {Promise<Answer>} */
export async function send(message) {
  if (!served) return (await recorded).known.get(key(message)) || (byPort ? askedByPort(message) : { error: NOT_RECORDED });
  try {
    const reply = await fetch("/answer", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(message),
    });
    const text = await reply.text();
    return reply.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : { error: text };
  } catch {
    return { error: "Python does not answer: is novikoff lab still running?" };
  }
}
