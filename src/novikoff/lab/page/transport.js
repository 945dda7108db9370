// How messages reach Python: by the server that sent this page, or from answers that were recorded with it.

import { unpacked } from "./links.js";

/** @typedef {import("./types.js").Answer} Answer */

const element = document.getElementById("recorded");

/** Whether Python can be asked; an exported page only has recorded answers. */
export const live = element === null;

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
  if (!live) return (await recorded).known.get(key(message)) || { error: NOT_RECORDED };
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
