// The parameters of a demonstration as fields.

import { html, nothing } from "./vendor/lit-html.js";
import { signal } from "./vendor/signals.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {import("./types.js").Control} Control */

/** What was typed that is no number of the range: it stays until parameters change. @type {{value: {field: string, text: string, of: any}}} */
const wrong = signal({ field: "", text: "", of: null });

/** @param {Lab} lab @param {Control} control */
function field(lab, control) {
  const value = lab.scene.parameters[control.name];
  const set = (/** @type {any} */ to) => lab.setParameters({ [control.name]: to });
  const input = (/** @type {string} */ name, /** @type {number} */ now, /** @type {number} */ size, /** @type {(to: number) => void} */ take) => {
    const stays = wrong.value.of === lab.scene.parameters && wrong.value.field === name;
    const changed = (/** @type {any} */ event) => {
      const text = event.target.value;
      const found = Number(text.replace("−", "-").replace(",", "."));
      if (text.trim() !== "" && found >= control.low && found <= control.high) return take(found);
      wrong.value = { field: name, text, of: lab.scene.parameters };
      lab.say(`${control.label}: give a number from ${control.low} to ${control.high}.`);
    };
    return html`<input inputmode="decimal" size=${size} .value=${stays ? wrong.value.text : String(now)} aria-invalid=${String(stays)} @change=${changed}>`;
  };
  if (control.slider) {
    const place = control.options.findIndex(([each]) => each === value);
    return html`<label class="field slider"><span>${control.label} = <strong>${control.options[place]?.[1]}</strong></span><input type="range" min="0"
      max=${control.options.length - 1} .value=${String(place)} aria-valuetext=${control.options[place]?.[1]}
      @input=${(/** @type {any} */ event) => set(control.options[Number(event.target.value)][0])}>${control.help ? html`<small>${control.help}</small>` : nothing}</label>`;
  }
  if (control.options.length) {
    return html`<label class="field"><span>${control.label}</span><select
      @change=${(/** @type {any} */ event) => set(control.options[event.target.selectedIndex][0])}>
      ${control.options.map(([each, text]) => html`<option .selected=${each === value}>${text}</option>`)}</select></label>`;
  }
  if (control.parts.length) {
    return html`<fieldset class="field parts"><legend>${control.label}</legend>${control.parts.map((part, k) => html`<label>
      <span>${part}</span>${input(`${control.name} ${part}`, value[k], 5, (to) => set(value.map((/** @type {number} */ old, /** @type {number} */ j) => (j === k ? to : old))))}</label>`)}</fieldset>`;
  }
  return html`<label class="field"><span>${control.label}</span>${input(control.name, value, 6, set)}${control.help ? html`<small>${control.help}</small>` : nothing}</label>`;
}

/** @param {Lab} lab */
export function controls(lab) {
  return lab.demo.controls.length
    ? html`<form class="controls" aria-label="Parameters" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        ${lab.demo.controls.filter((each) => !each.only || [each.only[1]].flat().includes(lab.scene.parameters[each.only[0]])).map((control) => field(lab, control))}</form>`
    : nothing;
}
