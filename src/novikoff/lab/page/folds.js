// Tables that are folded away: what nobody sees is not drawn, since pictures must follow the pointer.

import { html, nothing } from "./vendor/lit-html.js";
import { signal } from "./vendor/signals.js";

/** Which are open, by what they are called. @type {{value: Record<string, boolean>}} */
const open = signal({});

/** @param {string} title @param {() => any} table */
export function folded(title, table) {
  const toggled = (/** @type {any} */ event) => {
    if (event.target.open !== Boolean(open.value[title])) open.value = { ...open.value, [title]: event.target.open };
  };
  return html`<details class="table" ?open=${open.value[title]} @toggle=${toggled}><summary>${title}</summary>${open.value[title] ? table() : nothing}</details>`;
}
