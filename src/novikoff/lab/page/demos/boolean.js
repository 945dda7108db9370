// A truth table to click, the network that computes it, and all functions that one unit can do.

import { html, nothing, svg } from "../vendor/lit-html.js";
import { scrolled } from "../folds.js";
import { num, short, snum } from "../numbers.js";
import { line, sign } from "../plane.js";
import { still } from "../still.js";

/** @typedef {import("../types.js").Lab} Lab */

const CELL = 20; // of the map, in its own units

/** @param {Lab} lab */
export function view(lab) {
  const found = lab.answers.network;
  if (!found) return nothing;
  const asked = Number(lab.scene.view.input ?? 1);
  const input = Number.isInteger(asked) && found.rows[asked] ? asked : 0;
  return html`<div class="columns">
    <div>${network(lab, found, input)} ${picture(lab, found)}</div>
    <div class="side">
      <section class=${`card banner ${found.output ? "bad" : "good"}`} aria-label="Verdict"><h2>${found.title}</h2><p>${found.said}</p>
        <p class="large">${num(lab, "network", "units")} <span class="soft">${found.units === 1 ? "unit" : "units"}</span></p></section>
      ${table(lab, found, input)}
      <section class="card" aria-label="Units"><h2>The units fire if</h2><dl class="units">
        ${found.hidden.map((/** @type {any} */ unit, /** @type {number} */ k) => html`<div><dt>${found.middle[k]}</dt><dd>${unit.text}</dd></div>`)}
        <div><dt>y</dt><dd>${found.last.text}</dd></div></dl></section>
    </div></div>
    ${functions(lab, found)}`;
}

/** The truth table, with what every hidden unit says. @param {Lab} lab @param {any} found @param {number} input */
function table(lab, found, input) {
  const { data } = lab.scene;
  const turn = (/** @type {any} */ row, /** @type {number} */ k) => {
    const y = data.y.map((value, place) => (place === row.place ? 1 - value : value));
    lab.setView({ input: k });
    lab.setData({ ...data, y });
    lab.say(`The value for ${row.bits.join(" ")} is now ${data.classes[y[row.place]]}.`);
  };
  return html`<section class="card" aria-label="Truth table"><h2>Truth table</h2>${scrolled("Truth table with hidden units", [html`<span class="hidden">shown in the network</span>`, ...found.names, "y", ...found.middle], found.rows.map((/** @type {any} */ row, /** @type {number} */ k) => html`<tr class=${k === input ? "here" : ""}>
      <td><input type="radio" name="input" .checked=${k === input} aria-label=${`Show ${row.bits.join(" ")} in the network`} @change=${() => lab.setView({ input: k })}></td>
      ${row.bits.map((/** @type {number} */ _, /** @type {number} */ j) => html`<td>${num(lab, "network", "rows", k, "bits", j)}</td>`)}
      <td><button class=${row.value ? "value on" : "value"} aria-label=${`y for ${row.bits.join(" ")} is ${data.classes[row.value]}: turn it`} @click=${() => turn(row, k)}>${data.classes[row.value]}</button></td>
      ${row.fires.map((/** @type {number} */ _, /** @type {number} */ j) => html`<td>${num(lab, "network", "rows", k, "fires", j)}</td>`)}</tr>`), "truth")}</section>`;
}

/** The network with the signals of one input. @param {Lab} lab @param {any} found @param {number} input */
function network(lab, found, input) {
  const { data } = lab.scene;
  const row = found.rows[input];
  const inputs = found.names.length;
  const hidden = found.hidden.length;
  const small = innerWidth < 560; // on a phone fewer units, so that letters stay large
  const crowded = hidden > (small ? 2 : 4); // no room for numbers on the wires
  const [width, height] = [small ? 400 : 640, 60 + 92 * Math.max(inputs, hidden, 2)];
  const close = 1 - Math.max(0.15, Math.min(0.3, 70 / height)); // where weights stand, so that those of two units do not meet
  const y = (/** @type {number} */ k, /** @type {number} */ of) => 20 + ((height - 30) * (k + 0.5)) / of;
  const [first, middle, last] = small ? [56, 208, 355] : [70, 330, 565];
  const edge = (/** @type {number[]} */ from, /** @type {number[]} */ to, /** @type {number} */ weight, /** @type {boolean} */ on, /** @type {(string | number)[]} */ path, /** @type {number} */ along) => {
    if (!weight) return nothing;
    const [x, at] = [from[0] + along * (to[0] - from[0]), from[1] + along * (to[1] - from[1])];
    return svg`<line class=${`wire ${weight < 0 ? "minus" : "plus"} ${on ? "on" : ""}`} x1=${from[0]} y1=${from[1]} x2=${to[0]} y2=${to[1]}></line>
      ${crowded ? nothing : svg`<rect class="plate" x=${x - 13} y=${at - 10} width="26" height="20" rx="5"></rect>${snum(lab, { x, y: at + 4.5, look: "weight" }, "network", ...path)}`}`;
  };
  const unit = (/** @type {number} */ x, /** @type {number} */ at, /** @type {string} */ name, /** @type {boolean} */ on, /** @type {any} */ below) => svg`<g class=${`unit ${on ? "on" : ""}`}>
    <circle cx=${x} cy=${at} r="21"></circle><text x=${x} y=${at + 5}>${name}</text></g>${below}`;
  const bias = (/** @type {number} */ x, /** @type {number} */ at, /** @type {(string | number)[]} */ ...path) => svg`<text class="under" x=${x - 5} y=${at + 37}>b =</text>
    ${snum(lab, { x: x + 5, y: at + 37, look: "under right" }, "network", ...path)}`;
  const score = (/** @type {number} */ x, /** @type {number} */ at, /** @type {(string | number)[]} */ ...path) => svg`<text class="under" x=${x - 5} y=${at - 27}>a =</text>
    ${snum(lab, { x: x + 5, y: at - 27, look: "under right" }, "network", ...path)}`;
  const end = y(0, 1);
  const wires = hidden
    ? [...found.hidden.flatMap((/** @type {any} */ each, /** @type {number} */ k) => each.weights.map((/** @type {number} */ weight, /** @type {number} */ j) => edge([first, y(j, inputs)], [middle, y(k, hidden)], weight, row.bits[j] === 1, ["hidden", k, "weights", j], close))),
        ...found.last.weights.map((/** @type {number} */ weight, /** @type {number} */ k) => edge([middle, y(k, hidden)], [last, end], weight, row.fires[k] === 1, ["last", "weights", k], 0.34))]
    : found.last.weights.map((/** @type {number} */ weight, /** @type {number} */ j) => edge([first, y(j, inputs)], [last, end], weight, row.bits[j] === 1, ["last", "weights", j], 0.5));
  const of = row.bits.map((/** @type {number} */ bit, /** @type {number} */ j) => `${found.names[j]} = ${bit}`).join(", ");
  return html`<figure class="plane net"><svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`The network for ${of}: it gives ${row.value}. The table has the numbers.`}>
    ${wires}
    ${found.names.map((/** @type {string} */ name, /** @type {number} */ j) => unit(first, y(j, inputs), short(row.bits[j]), row.bits[j] === 1, svg`<text class="name" x=${first - 32} y=${y(j, inputs) + 5}>${name}</text>`))}
    ${found.hidden.map((/** @type {any} */ _, /** @type {number} */ k) => unit(middle, y(k, hidden), found.middle[k], row.fires[k] === 1,
      [bias(middle, y(k, hidden), "hidden", k, "bias"), score(middle, y(k, hidden), "rows", input, "scores", k)]))}
    ${unit(last, end, "y", row.value === 1, [bias(last, end, "last", "bias"), score(last, end, "rows", input, "total")])}</svg>
    <figcaption><span class="key"><span class="swatch class-1"></span>weight &gt; 0</span><span class="key"><span class="swatch dashed class-0"></span>weight &lt; 0</span>
      <span class="key"><span class="on-key"></span>gives 1 for ${of}</span>
      ${crowded ? html`<span>The weights are in the list of units.</span>` : nothing}</figcaption></figure>`;
}

/** Two inputs as corners of a square, with the lines of the units; three as those of a cube. @param {Lab} lab @param {any} found */
function picture(lab, found) {
  const { data } = lab.scene;
  const rows = found.rows.map((/** @type {any} */ row) => row.bits);
  const kinds = found.rows.map((/** @type {any} */ row) => row.value);
  if (found.names.length === 2) {
    const units = found.hidden.length ? found.hidden : [found.last];
    return still({ label: "The inputs as corners of a square, and the lines of the units", frame: [-0.35, 1.35, -0.3, 1.3], names: found.names, rows, kinds,
      below: (map) => units.map((/** @type {any} */ unit) => line(map, [...unit.weights, unit.bias], "line main")),
      legend: html`<span class="key"><span class="swatch ink"></span>line of ${found.hidden.length ? "a hidden unit" : "the unit"}</span>` });
  }
  if (found.names.length !== 3) return nothing;
  const place = (/** @type {number[]} */ [x, y, z]) => [(innerWidth < 560 ? 60 : 180) + 170 * x + 90 * z, 270 - 170 * y - 62 * z];
  const edges = rows.flatMap((/** @type {number[]} */ from) => [0, 1, 2].filter((axis) => from[axis] === 0).map((axis) => [from, from.map((bit, j) => (j === axis ? 1 : bit))]));
  return html`<figure class="plane cube"><svg viewBox=${`0 0 ${innerWidth < 560 ? 400 : 640} 310`} role="img" aria-label="The inputs as corners of a cube, with their values">
    ${edges.map((/** @type {number[][]} */ [from, to]) => { const [[x1, y1], [x2, y2]] = [place(from), place(to)]; return svg`<line class="wire" x1=${x1} y1=${y1} x2=${x2} y2=${y2}></line>`; })}
    ${rows.map((/** @type {number[]} */ bits, /** @type {number} */ k) => { const [x, y] = place(bits); return svg`<g transform=${`translate(${x} ${y})`}><circle class="plate" r="13"></circle>${sign(kinds[k])}<text class="corner" x="16" y="19">${bits.join("")}</text></g>`; })}</svg>
    <figcaption>${[1, 0].map((kind) => html`<span class="key"><svg viewBox="-9 -9 18 18" aria-hidden="true">${sign(kind)}</svg> ${data.classes[kind]}</span>`)}</figcaption></figure>`;
}

/** Another function of as many inputs, by the number that its table is. @param {Lab} lab @param {number} number */
function choose(lab, number) {
  const { data } = lab.scene;
  const { rows } = lab.answers.network;
  const bits = number.toString(2).padStart(rows.length, "0");
  const y = [...data.y];
  rows.forEach((/** @type {any} */ row, /** @type {number} */ k) => { y[row.place] = Number(bits[k]); });
  lab.setData({ ...data, y });
  lab.say(`Function ${number}: ${bits}.`);
}

/** @param {Lab} lab @param {any} found */
function functions(lab, found) {
  const all = lab.answers.functions;
  if (!all) return nothing;
  return html`<section class="part" aria-label="All functions"><h2>All functions of ${num(lab, "functions", "inputs")} inputs</h2>
    <div class="columns"><div>${all.names.length ? html`<div class="tiles few">${all.names.map((/** @type {string} */ name, /** @type {number} */ k) => named(lab, all, found, name, k))}</div>`
      : all.units.length ? map(lab, all, found) : html`<p>They are too many to draw. Of three inputs each function can be seen: take a preset of three.</p>`}</div>
    <div class="side"><section class="card" aria-label="How many one unit can do"><h2>One unit can do</h2>
      <p class="large">${num(lab, "functions", "one")} <span class="soft">of</span> ${num(lab, "functions", "all")}</p><p>That is a share of ${num(lab, "functions", "share")}.</p>
      ${all.counts.length ? html`<table><thead><tr><th scope="col">units</th><th scope="col">functions</th></tr></thead><tbody>${all.counts.map((/** @type {any} */ _, /** @type {number} */ k) => html`<tr>
        <td>${num(lab, "functions", "counts", k, "units")}</td><td>${num(lab, "functions", "counts", k, "functions")}</td></tr>`)}</tbody></table>` : nothing}
      <p>This is function ${num(lab, "network", "number")}: its values, read as a binary number.</p>
      <label class="field"><span>Another number</span><input inputmode="numeric" size="6" .value=${String(found.number)} @change=${(/** @type {any} */ event) => {
        const number = Number(event.target.value);
        if (Number.isInteger(number) && number >= 0 && number < all.all) choose(lab, number);
        else lab.say(`Give a whole number from 0 to ${all.all - 1}.`);
      }}></label></section></div></div></section>`;
}

/** @param {Lab} lab @param {any} all @param {any} found @param {string} name @param {number} k */
function named(lab, all, found, name, k) {
  const inside = html`<span class="signs">${name}</span> <span class=${`verdict ${all.units[k] === 1 ? "good" : "bad"}`}>${all.units[k] === 1 ? "✓" : "✗"} ${num(lab, "functions", "units", k)} ${all.units[k] === 1 ? "unit" : "units"}</span>`;
  const look = `tile ${all.units[k] === 1 ? "" : "bad"}`;
  return html`<button class=${look} aria-pressed=${String(k === found.number)} @click=${() => choose(lab, k)}>${inside}</button>`;
}

/** @param {Lab} lab @param {any} all @param {any} found */
function map(lab, all, found) {
  const side = 16 * CELL;
  const clicked = (/** @type {any} */ event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((far) => Math.min(15, Math.max(0, Math.floor((16 * far) / box.width))));
    choose(lab, 16 * row + column);
  };
  const at = (/** @type {number} */ k) => [(k % 16) * CELL, Math.floor(k / 16) * CELL];
  return html`<figure class="plane map"><svg viewBox=${`0 0 ${side} ${side}`} role="img" aria-label="All 256 functions and how many units each takes; the field beside it chooses one by its number" @click=${clicked}>
    ${all.units.map((/** @type {number} */ units, /** @type {number} */ k) => svg`<g class=${`function units-${units}`} transform=${`translate(${at(k).join(" ")})`}><rect x="1" y="1" width=${CELL - 2} height=${CELL - 2} rx="3"></rect>
      <text x=${CELL / 2} y=${CELL / 2 + 4}>${units}</text></g>`)}
    <rect class="chosen" x=${at(found.number)[0]} y=${at(found.number)[1]} width=${CELL} height=${CELL} rx="4"></rect></svg>
    <figcaption>Each square is a function, with the number of its units. Click one to see its network.</figcaption></figure>`;
}
