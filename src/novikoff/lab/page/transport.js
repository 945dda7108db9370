// Where this page comes from, and the answers that it works out by itself.

import { answer } from "./lessons/answering.js";

const scene = document.getElementById("scene");

/** Whether a server sent this page; a page in one file has its scene with it. Only a server has Python for the user's own data. */
export const served = scene === null;

/** The scene that a page in one file begins with, if any. @type {any} */
export const firstScene = scene?.textContent ? JSON.parse(scene.textContent) : null;

export const send = answer;
