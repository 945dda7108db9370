// Tables that scroll, and such as are folded away: what nobody sees is not drawn, since pictures must follow the pointer.

import { html, nothing } from "./vendor/lit-html.js";
import { signal } from "./vendor/signals.js";

/** Which are open, by what they are called. @type {{value: Record<string, boolean>}} */
const open = signal({});

/** A table that scrolls by itself. @param {string} title @param {any[]} heads @param {any} lines @param {string} [look] */
export const scrolled = (title, heads, lines, look = "") => html`<div class=${`scroll ${look}`} tabindex="0" role="region" aria-label=${title}><table>
  <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${lines}</tbody></table></div>`;

/** @param {string} title @param {() => any} table */
export function folded(title, table) {
  const toggled = (/** @type {any} */ event) => {
    if (event.target.open !== Boolean(open.value[title])) open.value = { ...open.value, [title]: event.target.open };
  };
  return html`<details class="table" ?open=${open.value[title]} @toggle=${toggled}><summary>${title}</summary>${open.value[title] ? table() : nothing}</details>`;
}
