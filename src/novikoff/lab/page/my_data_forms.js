// The fields of My data: how the file is read, what is learned from it, and the parameters of the learner.

import { html, nothing } from "./vendor/lit-html.js";

/** @typedef {{settings: any, set: (changed: Record<string, any>) => void, say: (text: string) => void}} Form */
/** @typedef {{name: string, default: string, choices: string[], help: string}} Field */

/** How a file is read unless somebody says otherwise: what it looks like. */
export const READING = { delimiter: null, header: null, encoding: "utf-8", na: [], decimal: null, thousands: null, dates: "leave-out" };

const DELIMITERS = /** @type {[any, string][]} */ ([[null, "as it looks"], [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "bar |"], [" ", "blank"]]);
const HEADERS = /** @type {[any, string][]} */ ([[null, "as it looks"], [true, "names of columns"], [false, "a row like others"]]);
const ENCODINGS = /** @type {[any, string][]} */ (["utf-8", "utf-16", "latin-1", "cp1252"].map((each) => [each, each]));
const DECIMALS = /** @type {[any, string][]} */ ([[null, "as most cells"], [".", "a point"], [",", "a comma"]]);
const THOUSANDS = /** @type {[any, string][]} */ ([[null, "as most cells"], ["", "nothing"], [",", "a comma"], [".", "a point"], [" ", "a blank"], ["'", "an apostrophe"]]);
const DATES = /** @type {[any, string][]} */ ([["leave-out", "left out"], ["categories", "categories"], ["parts", "parts (year, month, …)"], ["day-first", "parts, 3/4 is 3 April"], ["month-first", "parts, 3/4 is 4 March"]]);

/** @param {Form} form @param {string} label @param {string} name @param {[any, string][]} options */
function option({ settings, set }, label, name, options) {
  return html`<label class="field"><span>${label}</span><select @change=${(/** @type {any} */ event) => set({ [name]: options[event.target.selectedIndex][0] })}>
    ${options.map(([value, text]) => html`<option .selected=${value === settings[name]}>${text}</option>`)}</select></label>`;
}

/** @param {Form} form @param {string} label @param {string} name @param {number} low @param {number} high @param {string} empty what no number means, if there may be none */
function whole({ settings, set, say }, label, name, low, high, empty = "") {
  return html`<label class="field"><span>${label}</span><input type="number" min=${low} max=${high} step="1" .value=${String(settings[name] ?? "")} placeholder=${empty}
    @change=${(/** @type {any} */ event) => {
      const value = Number(event.target.value);
      if (empty && event.target.value === "") set({ [name]: null });
      else if (Number.isInteger(value) && value >= low && value <= high) set({ [name]: value });
      else say(`${label}: give a whole number from ${low} to ${high}.`);
    }}></label>`;
}

const stay = (/** @type {Event} */ event) => event.preventDefault();

/** @param {Form} form whose ``set`` reads the file again */
export function readingForm(form) {
  const words = (/** @type {any} */ event) => form.set({ na: event.target.value.split(",").map((/** @type {string} */ each) => each.trim()).filter(Boolean) });
  return html`<details class="table"><summary>How the file is read</summary><form class="controls" aria-label="How the file is read" @submit=${stay}>
    ${option(form, "Between fields", "delimiter", DELIMITERS)} ${option(form, "First line", "header", HEADERS)}
    <label class="field"><span>Words that mean: missing</span><input .value=${form.settings.na.join(", ")} placeholder="such as -99, unknown" @change=${words}></label>
    ${option(form, "Decimals follow", "decimal", DECIMALS)} ${option(form, "Between thousands", "thousands", THOUSANDS)}
    ${option(form, "Dates", "dates", DATES)} ${option(form, "Encoding", "encoding", ENCODINGS)}</form></details>`;
}

/** @param {Form} form @param {any} columns @param {{name: string, task: string}[]} known */
export function settingsForm(form, columns, known) {
  /** @type {[string, string][]} */
  const learners = known.map((each) => [each.name, each.task === "numbers" ? `${each.name} (predicts a number)` : each.name]);
  return html`<form class="controls" aria-label="Settings" @submit=${stay}>
    ${columns.sparse ? nothing : option(form, "Target", "target", columns.columns.map((/** @type {any} */ each) => [each.name, each.name]))}
    ${columns.sparse ? nothing : option(form, "Missing values", "missing", [["impute", "filled in"], ["drop", "rows left out"]])}
    ${option(form, "Learner", "learner", learners)} ${whole(form, "Passes, at most", "passes", 1, 1000, "default")}
    ${option(form, "Numbers", "standardise", [[true, "standardised"], [false, "as they are"]])} ${whole(form, "Parts to compare on", "folds", 2, 20)}
    ${whole(form, "Seed", "seed", 0, 2147483647)}</form>`;
}

/** @param {Form} form @param {Field[]} fields */
export function parameterForm(form, fields) {
  const { settings } = form;
  const change = (/** @type {Field} */ field, /** @type {string} */ text) => {
    const others = Object.fromEntries(Object.entries(settings.parameters).filter(([name]) => name !== field.name));
    form.set({ parameters: text === "" || text === field.default ? others : { ...others, [field.name]: text } });
  };
  const entry = (/** @type {Field} */ field) => {
    const now = settings.parameters[field.name] ?? "";
    const chosen = (/** @type {any} */ event) => change(field, field.choices.length ? field.choices[event.target.selectedIndex] : event.target.value.trim());
    return html`<label class="field" title=${field.help}><span>${field.name}</span>${field.choices.length
      ? html`<select @change=${chosen}>${field.choices.map((each) => html`<option .selected=${each === (now || field.default)}>${each}</option>`)}</select>`
      : html`<input size="8" .value=${now} placeholder=${field.default} @change=${chosen}>`}</label>`;
  };
  const set = Object.entries(settings.parameters);
  return html`<details class="table parameters"><summary>Parameters of ${settings.learner}${set.length ? `: ${set.map(([name, text]) => `${name} = ${text}`).join(", ")}` : ""}</summary>
    <form class="controls" aria-label="Parameters of the learner" @submit=${stay}>${fields.map(entry)}</form>
    <dl class="meanings">${fields.map((each) => html`<dt>${each.name}</dt><dd>${each.help}</dd>`)}</dl></details>`;
}
