// The parameters of a demonstration as fields.

import { html, nothing } from "./vendor/lit-html.js";

/** @typedef {import("./types.js").Lab} Lab */
/** @typedef {import("./types.js").Control} Control */

/** @param {Lab} lab @param {Control} control */
function field(lab, control) {
  const value = lab.scene.parameters[control.name];
  const set = (/** @type {any} */ to) => lab.setParameters({ [control.name]: to });
  const number = (/** @type {HTMLInputElement} */ input) => {
    const found = Number(input.value.replace("−", "-").replace(",", "."));
    const right = input.value.trim() !== "" && found >= control.low && found <= control.high;
    input.setAttribute("aria-invalid", String(!right));
    if (right) return found;
    lab.say(`${control.label}: give a number from ${control.low} to ${control.high}.`);
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
      <span>${part}</span><input inputmode="decimal" size="5" .value=${String(value[k])}
        @change=${(/** @type {any} */ event) => {
          const found = number(event.target);
          if (found !== undefined) set(value.map((/** @type {number} */ old, /** @type {number} */ j) => (j === k ? found : old)));
        }}></label>`)}</fieldset>`;
  }
  return html`<label class="field"><span>${control.label}</span><input inputmode="decimal" size="6" .value=${String(value)}
    @change=${(/** @type {any} */ event) => {
      const found = number(event.target);
      if (found !== undefined) set(found);
    }}>${control.help ? html`<small>${control.help}</small>` : nothing}</label>`;
}

/** @param {Lab} lab */
export function controls(lab) {
  return lab.demo.controls.length
    ? html`<form class="controls" aria-label="Parameters" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        ${lab.demo.controls.filter((each) => !each.only || [each.only[1]].flat().includes(lab.scene.parameters[each.only[0]])).map((control) => field(lab, control))}</form>`
    : nothing;
}
