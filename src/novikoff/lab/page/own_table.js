// My data in a page without Python: a small CSV file is read, decided exactly and fitted here.

import { html, nothing } from "./vendor/lit-html.js";
import { signal } from "./vendor/signals.js";
import { scrolled } from "./folds.js";
import { num } from "./numbers.js";
import { send } from "./transport.js";

const LARGEST = 3_000_000; // bytes

/** @typedef {{name: string, text: string, found: any, error: string, busy: boolean}} Own */
/** @type {{value: Own}} */
const own = signal({ name: "", text: "", found: null, error: "", busy: false });

/** Decide the file, once the page says that it does. @param {{target?: string, positive?: string}} [chosen] */
async function decideFile(chosen = {}) {
  const asked = { ...own.value, error: "", busy: true };
  own.value = asked;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  if (own.value !== asked) return; // another file came
  const { answer, error = "" } = send({ ask: "own table", text: asked.text, ...chosen });
  own.value = { ...asked, found: answer ?? asked.found, error, busy: false };
}

/** Read a file that was chosen or dropped. @param {File | undefined} file */
export async function takeTable(file) {
  if (!file) return;
  const taken = { name: file.name, text: "", found: null, error: "", busy: true };
  own.value = taken;
  if (file.size > LARGEST) own.value = { ...taken, busy: false, error: `${file.name} has more than 3 MB: the page without Python takes small files only.` };
  else {
    const text = await file.text();
    if (own.value !== taken) return;
    own.value = { ...taken, text };
    await decideFile();
  }
}

export function ownTablePage() {
  const { name, found, error, busy } = own.value;
  return html`<div class="title"><h1>My data</h1></div>
    <div class="text"><p>A CSV file of up to 5000 rows and 64 columns, the names of columns in its first line if it has any. It stays in this page: nothing is sent anywhere. Larger files, other
      formats, all learners and certificates: install the package and run the lab with Python.</p></div>
    <div class="actions"><label class="button">Choose a CSV file<input type="file" accept=".csv,.tsv,.txt,text/csv" @change=${(/** @type {any} */ event) => {
        takeTable(event.target.files[0]);
        event.target.value = ""; // so that the same file can be chosen again
      }}></label>
      ${name ? html`<span>${name}</span>` : nothing}${busy ? html`<span class="soft">Working: this can take some seconds.</span>` : nothing}</div>
    ${error ? html`<p class="problem" role="alert">${error}</p>` : nothing} ${found ? html`<div aria-busy=${String(busy)}>${shownTable(found)}</div>` : nothing}`;
}

/** @param {any} found */
function shownTable(found) {
  const lab = /** @type {any} */ ({ answers: { own: found } });
  const again = (/** @type {{target?: string, positive?: string}} */ chosen) => decideFile({ target: found.target, positive: found.positive, ...chosen });
  const pick = (/** @type {string} */ label, /** @type {string[]} */ options, /** @type {string} */ now, /** @type {(to: string) => void} */ set) => html`<label class="field"><span>${label}</span><select
    @change=${(/** @type {any} */ event) => set(options[event.target.selectedIndex])}>${options.map((each) => html`<option .selected=${each === now}>${each}</option>`)}</select></label>`;
  return html`<form class="controls" aria-label="Columns">${pick("Target", found.columns, found.target, (target) => again({ target, positive: undefined }))}
      ${pick(found.classes.length > 2 ? "This class against all others" : "Class +1", found.classes, found.positive, (positive) => again({ positive }))}</form>
    <div class="pair cards"><section class=${`card banner ${found.kind === "complete" ? "good" : "bad"}`} aria-label="Verdict"><h2>${found.title}</h2><p>${found.sentence}</p>
      <p class="counts"><span>${num(lab, "own", "rows")} rows</span><span>${num(lab, "own", "features")} columns of numbers</span>${found.dropped ? html`<span>left out: ${num(lab, "own", "dropped")} rows with missing values</span>` : nothing}
        ${found.left.length ? html`<span>left out: ${found.left.join(", ")} (too many different words, or empty)</span>` : nothing}</p></section>
    ${found.fit ? html`<section class="card" aria-label="A fit"><h2>A perceptron</h2><p class="large">${num(lab, "own", "fit", "held_out")} <span class="soft">of the rows held out are predicted correctly</span></p>
      <p class="counts"><span>learned from: ${num(lab, "own", "fit", "train")} of ${num(lab, "own", "fit", "learned")} rows</span><span>always the larger class: ${num(lab, "own", "fit", "larger")}</span></p>
      <p class="soft">Each fifth row is held out. Columns are scaled by their spread; the best weights of 20 passes are kept.</p></section>` : nothing}</div>
    ${found.weights ? html`<section class="part" aria-label="Weights"><h2>${found.kind === "complete" ? "Weights that separate the classes" : "Weights with no row on the wrong side"}</h2>${table(["column", "weight"], found.weights.map((/** @type {any} */ each, /** @type {number} */ k) => [each.name, num(lab, "own", "weights", k, "value")]))}</section>` : nothing}
    ${found.witness.length ? html`<section class="part" aria-label="The witness"><h2>Rows that prove it</h2><p class="soft">With these weights, the rows of ${found.positive} and the other rows have the same mean: no plane can have them on two sides.</p>
      ${table(["line", "class", "weight"], found.witness.map((/** @type {any} */ each, /** @type {number} */ k) => [num(lab, "own", "witness", k, "line"), each.class, num(lab, "own", "witness", k, "weight")]))}</section>` : nothing}`;
}

/** @param {string[]} head @param {any[][]} lines */
const table = (head, lines) => scrolled("Table", [...head], lines.map((line) => html`<tr>${line.map((cell) => html`<td>${cell}</td>`)}</tr>`));
