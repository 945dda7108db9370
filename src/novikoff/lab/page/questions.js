// The questions of the lectures, and where an answer can be tried.

import { html, nothing } from "./vendor/lit-html.js";

/** @typedef {import("./types.js").Catalogue} Catalogue */
/** @typedef {import("./types.js").Question} Question */

/** What addresses of this page end in. */
export const SIGN = "#q=";

/** @param {Catalogue} known @param {(demo: string, preset: string) => void} show */
export function questions(known, show) {
  const [marked, others] = [true, false].map((each) => known.questions.filter((question) => question.marked === each));
  return html`<p class="lectures">All lectures</p><h1>Questions of the lectures</h1>
    <div class="text"><p>Each has a place where its answer can be tried: the page shows what happens.</p></div>
    ${listed("Marked with a Q", marked, known, show)} ${listed("Asked in the text", others, known, show)}
    <section class="part" aria-label="Everything else"><h2>Everything else in the lectures</h2><div class="scroll" tabindex="0" role="region" aria-label="Items of the lectures"><table class="items"><thead><tr>
      <th scope="col" class="text">lecture</th><th scope="col" class="text">item</th><th scope="col" class="text">try it</th></tr></thead><tbody>${known.items.map((each) => html`<tr><td class="text">${each.place}</td><td class="text">${each.text}</td>
      <td class="text"><button class="link" data-item=${`${each.demo}/${each.preset}`} @click=${() => show(each.demo, each.preset)}>${titles(known, each)}</button></td></tr>`)}</tbody></table></div></section>`;
}

/** @param {string} title @param {Question[]} some @param {Catalogue} known @param {(demo: string, preset: string) => void} show */
function listed(title, some, known, show) {
  if (!some.length) return nothing;
  return html`<section class="part" aria-label=${title}><h2>${title}</h2><ul class="questions">${some.map((each) => html`<li><p class="lectures">${each.place}</p>
    <p class="question">${each.text}</p><p>${each.hint}</p>
    <p><button class="link" data-question=${`${each.demo}/${each.preset}`} @click=${() => show(each.demo, each.preset)}>Try it: ${titles(known, each)}</button></p></li>`)}</ul></section>`;
}

/** @param {Catalogue} known @param {{demo: string, preset: string}} question */
function titles(known, { demo, preset }) {
  const found = known.demonstrations.find((each) => each.name === demo);
  return `${found?.title} – ${found?.presets.find((each) => each.name === preset)?.title}`;
}
