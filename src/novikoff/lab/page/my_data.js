// My data: a file of the user's, its columns, and what Python's table functions say of it. It only shows what they say.

import { html, nothing } from "./vendor/lit-html.js";
import { batch, signal } from "./vendor/signals.js";
import { sendFile, work } from "./data_transport.js";
import { download } from "./files.js";
import { scrolled } from "./folds.js";
import { afterSign, packed } from "./links.js";
import { lab, room } from "./state.js";
import { parameterForm, readingForm, READING, settingsForm } from "./my_data_forms.js";
import { heldOutCurve, PICTURES, regions } from "./result_pictures.js";

/** @typedef {{id: string, name: string, bytes: number}} DataFile */
/** @typedef {{title: string, share: number | null, abort: AbortController}} Running */

const SIGN = "#d=";
const LARGEST = 50_000_000; // bytes; the server refuses more, too
const KINDS = { number: "number", category: "category", ignore: "leave out" };
const PARTS = /** @type {const} */ ({
  check: { title: "Verdict", button: "Prove", text: "Can some weights give every row its class? With the rows and columns that prove it." },
  fit: { title: "Fit", button: "Fit", text: "One learner: how learning ended, how good it is on rows it has not seen, and what it goes by." },
  compare: { title: "Comparison", button: "Compare", text: "All learners on the same parts of the same rows." },
});
/** @typedef {keyof typeof PARTS} Part */

/** @type {{value: {files: DataFile[], problems: string[], learners: {name: string, task: string, linear: boolean}[], languages: string[]}}} */
const known = signal({ files: [], problems: [], learners: [], languages: [] });
/** @type {{value: DataFile | null}} */
const file = signal(null);
/** @type {{value: any}} */
const columns = signal(null);
/** @type {{value: any}} */
const settings = signal(usual());
/** @type {{value: Record<string, any>}} */
const results = signal({});
/** @type {{value: any}} */
const slice = signal(null);
/** Whether the file could not be read. @type {{value: boolean}} */
const unread = signal(false);
/** Scores pass by pass. @type {{value: any}} */
const curve = signal(null);
/** @type {{value: Record<string, Running>}} */
const running = signal({});
/** @type {{value: Record<string, string>}} */
const problems = signal({});
/** @type {{value: DataFile | null}} a file that a link is about, and that is not here */
const wanted = signal(null);

function usual() {
  return { target: null, kinds: {}, missing: "impute", learner: "perceptron", passes: null, standardise: true, folds: 5, seed: 0, parameters: {}, ...READING };
}

/** Show My data. */
export async function showMine() {
  room.value = "mine";
  const found = await work({ ask: "files" }, () => {});
  if (found.error !== undefined) return lab.say(found.error);
  known.value = found.answer;
  const linked = await afterSign(location.hash, SIGN);
  const here = (/** @type {string | undefined} */ id) => found.answer.files.find((/** @type {DataFile} */ each) => each.id === id);
  if (linked?.file && !here(linked.file.id)) wanted.value = { id: String(linked.file.id), name: String(linked.file.name), bytes: 0 };
  const first = linked?.file ? here(linked.file.id) : (file.value && here(file.value.id)) || found.answer.files[0];
  if (first && first.id !== file.value?.id) await choose(first, linked?.settings);
  else keepAddress();
  if (found.answer.problems.length) failed("file", found.answer.problems.join(" "));
}

/** Whether an address is one of My data. @param {string} hash */
export const isMine = (hash) => hash.startsWith(SIGN);

/** Take a file that was dropped or chosen. @param {File | null | undefined} given */
export async function takeFile(given) {
  if (!given) return;
  room.value = "mine";
  if (given.size > LARGEST) return failed("file", `${given.name}: the page takes files of up to 50 MB. Name larger ones to the lab: novikoff lab --data FILE`);
  running.value.file?.abort.abort();
  const abort = new AbortController();
  batch(() => {
    problems.value = {};
    running.value = { ...running.value, file: { title: `Reading ${given.name}`, share: null, abort } };
  });
  lab.say(`${given.name} is read…`);
  const found = await sendFile(given, abort.signal);
  if (!known.value.learners.length) known.value = (await work({ ask: "files" }, () => {})).answer ?? known.value;
  const asked = wanted.value?.id === found?.answer?.id ? (await afterSign(location.hash, SIGN))?.settings : undefined;
  ended("file", abort);
  if (abort.signal.aborted) return;
  if (found.error !== undefined) return failed("file", `${given.name}: ${found.error}`);
  known.value = { ...known.value, files: [...known.value.files.filter((each) => each.id !== found.answer.id), found.answer] };
  if (file.value?.id === found.answer.id) lab.say(`${given.name} is shown already.`); // with what was chosen meanwhile
  else await choose(found.answer, asked);
}

/** @param {string} part @param {AbortController} abort that of the work, unless newer work took its place */
function ended(part, abort) {
  if (running.value[part]?.abort === abort) running.value = Object.fromEntries(Object.entries(running.value).filter(([name]) => name !== part));
}

/** @param {string} part @param {string} text */
function failed(part, text) {
  problems.value = { ...problems.value, [part]: text };
  lab.say(text);
}

/** Show a file's columns. @param {DataFile} chosen @param {any} [asked] settings of a link */
async function choose(chosen, asked) {
  abortWork();
  const linked = asked && typeof asked === "object" ? asked : {};
  batch(() => {
    [file.value, columns.value, wanted.value, unread.value] = [chosen, null, null, false];
    settings.value = { ...usual(), ...linked };
    forget();
  });
  if (await readColumns(linked)) lab.say(`${chosen.name}: ${columns.value.rows} rows. Choose the target, then prove, fit or compare.`);
}

/** Ask for the columns and take the likely target; whether they came. @param {any} [linked] settings of a link */
async function readColumns(linked) {
  const [of, reading] = [file.value, settings.value];
  const found = await run("columns");
  if (file.value !== of || settings.value !== reading) return false; // something else was chosen meanwhile
  batch(() => {
    [columns.value, unread.value] = [found, !found];
    if (found) settings.value = { ...reading, target: found.sparse ? null : found.target, ...linked };
  });
  keepAddress();
  return Boolean(found);
}

/** Read the file once more, in another way. @param {Record<string, any>} reading */
async function readAgain(reading) {
  set({ ...reading, target: null, kinds: {} });
  if (await readColumns()) lab.say(`${columns.value.rows} rows.`);
}

/** End what is under way for other settings; a file that comes in is none of that. */
function abortWork() {
  for (const [part, each] of Object.entries(running.value)) if (part !== "file") each.abort.abort();
}

/** Nothing is shown that is not of these settings. */
function forget() {
  [results.value, slice.value, curve.value, problems.value] = [{}, null, null, {}];
}

/** @param {Record<string, any>} changed */
function set(changed) {
  abortWork();
  batch(() => {
    settings.value = { ...settings.value, ...(changed.learner ? { parameters: {} } : {}), ...changed };
    forget();
  });
  keepAddress();
}

async function keepAddress() {
  const now = settings.value;
  const about = file.value && { version: 1, file: { id: file.value.id, name: file.value.name }, settings: now };
  const end = SIGN + (about ? await packed(about) : "");
  if (now === settings.value && room.value === "mine" && !wanted.value) history.replaceState(null, "", end);
}

/** Ask for work; null if it failed or was cancelled. @param {string} ask @param {any} [more] */
async function run(ask, more) {
  const abort = new AbortController();
  const about = { ask, file: file.value?.id, settings: settings.value, more };
  running.value = { ...running.value, [ask]: { title: "Python is asked", share: null, abort } };
  const found = await work(about, (news) => {
    if (news.part) results.value = { ...results.value, [ask]: { ...news.part, begun: true } };
    else if (news.said) lab.say(news.said);
    else if (running.value[ask]) running.value = { ...running.value, [ask]: { ...running.value[ask], title: news.title, share: news.share } };
  }, abort.signal);
  batch(() => {
    ended(ask, abort);
    if (found?.error !== undefined) failed(ask, found.error);
    else if (found && problems.value[ask]) problems.value = Object.fromEntries(Object.entries(problems.value).filter(([name]) => name !== ask));
  });
  return abort.signal.aborted ? null : found?.answer ?? null;
}

/** @param {Part} part */
async function make(part) {
  const found = await run(part);
  if (found) {
    results.value = { ...results.value, [part]: found };
    if (part === "fit") slice.value = found.document.regions ?? null;
    lab.say(`${found.sections[0].title}. ${found.sections[0].lines[0] ?? ""}`);
    if (part === "fit" && found.curve) await drawCurve();
  } // else what is proved already stays
  return found;
}

/** The learning curve on rows that are held out: more fits, which can be cancelled while the fit stays. */
async function drawCurve() {
  const of = settings.value;
  const found = await run("curve");
  if (found?.curve && settings.value === of) curve.value = found.curve;
}

async function makeAll() {
  for (const part of /** @type {Part[]} */ (numbers() ? ["fit", "compare"] : ["check", "fit", "compare"])) if (!(await make(part))) return;
}

/** Whether the learner predicts numbers, of which there is no verdict. */
const numbers = () => known.value.learners.find((each) => each.name === settings.value.learner)?.task === "numbers";

/** @param {string} part */
function cancel(part) {
  running.value[part]?.abort.abort();
  lab.say("Cancelled.");
}

/** Have the browser save a file. @param {{name: string, base64: string}} given */
function saved(given) {
  download(given.name, Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0)));
  lab.say(`${given.name} is saved where the browser keeps downloads.`);
}

/** @param {string} ask @param {any} [more] */
async function saveFrom(ask, more) {
  const found = await run(ask, more);
  for (const each of found?.files ?? (found ? [found] : [])) saved(each);
}

/** The page of My data. */
export function myData() {
  const shown = file.value;
  return html`<p class="lectures">Your own rows</p><h1>My data</h1>
    <div class="text"><p>Drop a file here, or choose one: CSV, Parquet, JSON lines or LIBSVM, up to 50 MB. It goes to the Python on your machine, into
      a private file that is removed when the lab ends. Larger files: <code>novikoff lab --data FILE</code>.</p></div>
    <div class="actions"><label class="button">Choose a file<input type="file" accept=".csv,.tsv,.tab,.txt,.parquet,.pq,.jsonl,.ndjson,.json,.svm,.libsvm,.svmlight,.arrow,.feather"
      @change=${(/** @type {any} */ event) => {
        takeFile(event.target.files?.[0]);
        event.target.value = ""; // so that the same file can be chosen again
      }}></label>
      ${known.value.files.length > 1 ? html`<label class="field"><span>File</span><select @change=${(/** @type {any} */ event) => choose(known.value.files[event.target.selectedIndex])}>
        ${known.value.files.map((each) => html`<option .selected=${each.id === shown?.id}>${each.name}</option>`)}</select></label>` : nothing}</div>
    ${wanted.value ? html`<p class="note">This link is about <strong>${wanted.value.name}</strong>, which is not here: choose that file. It is known by its content
      (SHA-256 <code>${wanted.value.id.slice(0, 16)}…</code>).</p>` : nothing}
    ${problem("file")} ${progress("file")} ${problem("columns")} ${progress("columns")}
    ${shown && (columns.value || unread.value) ? described(shown) : nothing}
    ${shown && columns.value ? html`${choices()} ${Object.keys(PARTS).map((part) => block(/** @type {Part} */ (part)))}` : nothing}`;
}

/** @param {string} part */
const problem = (part) => problems.value[part] ? html`<p class="problem" role="alert">${problems.value[part]}</p>` : nothing;

/** @param {string} part */
function progress(part) {
  const now = running.value[part];
  if (!now) return nothing;
  return html`<p class="progress"><progress max="1" value=${now.share ?? nothing} aria-label=${now.title}></progress> <span>${now.title}…</span>
    <button @click=${() => cancel(part)}>Cancel</button></p>`;
}

/** @param {DataFile} shown */
function described(shown) {
  const found = columns.value;
  const size = shown.bytes >= 1e6 ? `${(shown.bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(shown.bytes / 1e3)} kB`;
  const change = (/** @type {string} */ name, /** @type {string} */ usualKind, /** @type {string} */ kind) => {
    const kinds = Object.fromEntries(Object.entries(settings.value.kinds).filter(([each]) => each !== name));
    set({ kinds: kind === usualKind ? kinds : { ...kinds, [name]: kind } });
  };
  return html`<section class="card file" aria-label="The file"><h2>${shown.name}</h2>
    ${found ? html`<p>${found.rows} rows, ${found.sparse ? `${found.features} features, sparse` : `${found.columns.length + found.more_columns} columns`}, ${size}.</p>
    ${found.notes.map((/** @type {string} */ each) => html`<p class="soft">${each}</p>`)}` : html`<p>${size}, not read yet: say how to read it.</p>`}
    ${readingForm({ settings: settings.value, set: readAgain, say: lab.say })}
    ${!found || found.sparse ? nothing : html`
      <details class="table"><summary>Columns, and what they are taken for</summary><div class="scroll" tabindex="0" role="region" aria-label="Columns"><table class="columns-table">
        <thead><tr><th scope="col">column</th><th scope="col">taken as</th><th scope="col">different</th><th scope="col">missing</th></tr></thead>
        <tbody>${found.columns.map((/** @type {any} */ each) => html`<tr><th scope="row">${each.name}</th>
          <td>${each.name === settings.value.target ? "target" : html`<select aria-label=${`${each.name} is taken as`}
            @change=${(/** @type {any} */ event) => change(each.name, each.kind, Object.keys(KINDS)[event.target.selectedIndex])}>
            ${Object.entries(KINDS).map(([kind, text]) => html`<option .selected=${kind === (settings.value.kinds[each.name] ?? each.kind)}>${text}</option>`)}</select>`}</td>
          <td>${each.values ?? (each.left_out ? "" : "many")}</td><td>${each.missing ?? each.left_out}</td></tr>`)}</tbody></table></div>
        ${found.more_columns ? html`<p>${found.more_columns} more columns are not listed; they are taken as they look.</p>` : nothing}</details>
      <details class="table"><summary>The first rows</summary>${scrolled("The first rows", [...found.first.names], found.first.rows.map((/** @type {string[]} */ row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`))}</details>`}</section>`;
}

function choices() {
  const busy = Object.keys(running.value).length > 0;
  return html`${settingsForm({ settings: settings.value, set, say: lab.say }, columns.value, known.value.learners)}
    ${parameterForm({ settings: settings.value, set, say: lab.say }, columns.value.fields[settings.value.learner] ?? [])}
    <div class="actions"><button class="primary" ?disabled=${busy} @click=${makeAll}>${numbers() ? "Fit and compare" : "Prove, fit and compare"}</button></div>`;
}

/** One result with what can be done with it. @param {Part} part */
function block(part) {
  if (part === "check" && numbers()) return nothing;
  const { title, button, text } = PARTS[part];
  const shown = results.value[part];
  const busy = Object.keys(running.value).length > 0;
  return html`<section class=${`result result-${part}`} aria-label=${title} aria-busy=${String(Boolean(running.value[part]))}>
    <h2>${title}</h2>
    ${shown ? nothing : html`<p class="soft">${text}</p>`}
    ${problem(part)} ${progress(part)}
    ${shown ? html`<div class="cards">${shown.sections.map((/** @type {any} */ each) => section(part, each, shown))} ${part === "fit" ? html`${curved()} ${sliced(shown)}` : nothing}</div>` : nothing}
    ${shown && !shown.begun ? uses(part, shown) : html`<button ?disabled=${busy} @click=${() => make(part)}>${button}</button>`}</section>`;
}

/** @param {Part} part @param {any} each @param {any} shown */
function section(part, each, shown) {
  if (each.picture === "regions") return nothing; // which have their own place, with any two columns
  const verdict = part === "check" && each === shown.sections[0] ? shown.document.separable : undefined;
  const picture = PICTURES[each.picture];
  const drawn = picture && picture.draw(shown);
  const instead = drawn !== undefined && drawn !== nothing && picture.table;
  const look = verdict === undefined ? "" : `banner ${verdict === true ? "good" : verdict === false ? "bad" : ""}`;
  return html`<section class=${`card ${look}`} data-section=${each.title}><h3>${each.title}</h3>
    ${each.lines.map((/** @type {string} */ line) => html`<p>${line}</p>`)} ${drawn ?? nothing}
    ${instead ? nothing : each.tables.map((/** @type {any} */ table) => tabled(table, each.title, Boolean(drawn) && drawn !== nothing))}
    ${each.footnotes.map((/** @type {string} */ line) => html`<p class="soft">${line}</p>`)}
    ${each.commands.length ? html`<pre tabindex="0" aria-label="Python"><code>${each.commands.join("\n")}</code></pre>` : nothing}</section>`;
}

/** @param {{heads: string[], rows: string[][], align: string}} table @param {string} title @param {boolean} folded */
function tabled(table, title, folded) {
  const side = (/** @type {number} */ k) => (table.align[k] === "r" ? nothing : "text");
  const found = html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
    <thead><tr>${table.heads.map((head, k) => html`<th scope="col" class=${side(k)}>${head}</th>`)}</tr></thead>
    <tbody>${table.rows.map((row) => html`<tr>${row.map((cell, k) => html`<td class=${side(k)}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
  return folded ? html`<details class="table"><summary>The same as a table</summary>${found}</details>` : found;
}

/** Scores after every pass, on rows learned from and on others. */
function curved() {
  if (!curve.value) return html`${problem("curve")} ${progress("curve")}`;
  const { metric, parts } = curve.value;
  return html`<section class="card" aria-label="Held-out rows, pass by pass"><h3>Held-out rows, pass by pass</h3>
    <p>${parts > 1 ? `The mean ${metric} of ${parts} fits, each tested on a part of the rows that it did not learn from.`
      : `The ${metric} of one fit on rows that it learned from, and on a tenth that it did not.`}</p>${heldOutCurve(curve.value)}</section>`;
}

/** Any two columns of numbers, with the answers of the model. @param {any} shown */
function sliced(shown) {
  const found = slice.value;
  const names = shown.document.columns.filter((/** @type {any} */ each) => each.kind === "number").map((/** @type {any} */ each) => each.name);
  if (!found || names.length < 2) return nothing;
  const pick = async (/** @type {number} */ at, /** @type {string} */ name) => {
    const pair = found.names.map((/** @type {string} */ each, /** @type {number} */ k) => (k === at ? name : each));
    if (pair[0] === pair[1]) pair[1 - at] = found.names[at];
    const answer = await run("slice", pair);
    if (answer && results.value.fit === shown) slice.value = answer.regions;
  };
  const choice = (/** @type {string} */ label, /** @type {number} */ at) => html`<label class="field"><span>${label}</span><select ?disabled=${Boolean(running.value.slice)}
    @change=${(/** @type {any} */ event) => pick(at, names[event.target.selectedIndex])}>
    ${names.map((/** @type {string} */ name) => html`<option .selected=${name === found.names[at]}>${name}</option>`)}</select></label>`;
  const labels = shown.document.classes.map((/** @type {any} */ each) => each.label);
  return html`<section class="card" aria-label="Two columns" aria-busy=${String(Boolean(running.value.slice))}><h3>Two columns</h3><p>What the model answers in the plane of two columns of numbers: ${found.note}</p>
    <div class="controls">${choice("Across", 0)} ${choice("Up", 1)}</div>${problem("slice")} ${progress("slice")} ${regions(found, labels, "fit")}</section>`;
}

/** @param {Part} part @param {any} shown */
function uses(part, shown) {
  const busy = Object.keys(running.value).length > 0;
  return html`<div class="actions">
      <button ?disabled=${busy} @click=${() => saveFrom("report", part)}>Report (HTML)</button>
      <button @click=${() => download(`${part}.json`, JSON.stringify(shown.document, null, 2))}>Result (JSON)</button>
      ${part === "check" && shown.document.separable !== null ? html`<button ?disabled=${busy} @click=${() => saveFrom("certificate")}>Certificate and checker</button>` : nothing}
      ${part === "fit" ? html`<button ?disabled=${busy} @click=${() => saveFrom("save")}>Save the model</button>
        ${known.value.languages.map((each) => html`<button ?disabled=${busy} @click=${() => saveFrom("export", each)}>Export: ${each}</button>`)}` : nothing}</div>
    ${["report", "certificate", "save", "export"].map((each) => html`${problem(each)} ${progress(each)}`)}
    <details class="table"><summary>The same in a shell and in Python</summary>
      <pre tabindex="0" aria-label="Command line"><code>${shown.calls.shell}</code></pre><pre tabindex="0" aria-label="Python"><code>${shown.calls.python}</code></pre></details>`;
}
