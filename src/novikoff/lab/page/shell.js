// The page around a demonstration: the list, presets, parameters, links, files, theme, glossary and status line.

import { html, nothing, render } from "./vendor/lit-html.js";
import { effect, signal } from "./vendor/signals.js";
import { controls } from "./controls.js";
import { VIEWS } from "./demos/views.js";
import { download } from "./files.js";
import { fragmentOf, sceneOf } from "./links.js";
import { isMine, myData, showMine, takeFile } from "./my_data.js";
import { questions, SIGN } from "./questions.js";
import { catalogue, lab, room, scene, show, showPreset, status, waiting } from "./state.js";
import { firstScene, live, send, served } from "./transport.js";

/** @typedef {import("./types.js").Demonstration} Demonstration */

const MOST_IN_LINK = 500; // rows
const code = signal("");
const width = signal(innerWidth);
const theme = signal(remembered() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));

function remembered() {
  try {
    return localStorage.getItem("novikoff-lab-theme");
  } catch {
    return null;
  }
}

function turnTheme() {
  theme.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("novikoff-lab-theme", theme.value);
  } catch {
    // a page from a file may have no storage
  }
}

/** Begin at the top of something else. @param {"demo" | "mine" | "questions"} to */
function enter(to) {
  code.value = status.value = "";
  room.value = to;
  document.getElementById("main")?.focus();
  scrollTo(0, 0);
}

/** @param {string} demo @param {string} [preset] */
function choose(demo, preset) {
  enter("demo");
  showPreset(demo, preset);
}

function openMine() {
  lab.setView({ playing: false });
  setAddress("#d=");
  enter("mine");
  showMine();
}

function openQuestions() {
  lab.setView({ playing: false });
  setAddress(SIGN);
  enter("questions");
}

/** @param {string} end of the address, which a frame in a notebook has none of */
function setAddress(end) {
  if (location.protocol !== "about:") history.replaceState(null, "", end);
}

/** @param {Demonstration[]} all */
function list(all) {
  const here = (/** @type {boolean} */ yes) => (yes ? "page" : nothing);
  return html`<nav aria-label="Demonstrations"><ol>${all.map((each) => html`<li><button
    aria-current=${here(each.name === lab.scene.demo && room.value === "demo")} @click=${() => choose(each.name)}>${each.title}</button></li>`)}
    <li class="apart first"><button aria-current=${here(room.value === "questions")} @click=${openQuestions}>Questions of the lectures</button></li>
    ${served ? html`<li class="apart"><button aria-current=${here(room.value === "mine")} @click=${openMine}>My data</button></li>` : nothing}</ol></nav>`;
}

async function share() {
  const { data } = lab.scene;
  if (location.protocol === "about:") return lab.say("A page in a notebook has no address: save this scene instead.");
  if (data.X.length > MOST_IN_LINK) return lab.say(`A link holds up to ${MOST_IN_LINK} rows: save this scene instead.`);
  const address = location.href.split("#")[0] + (await fragmentOf(lab.scene));
  await copied(address, "The link is copied. It shows this view on a page that is open to whoever has it.");
}

/** @param {string} text @param {string} said */
async function copied(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    lab.say(said);
  } catch {
    lab.say("The browser does not allow copying here: take it from the address line, or mark and copy the text.");
  }
}

async function python() {
  if (code.value) {
    code.value = "";
    return;
  }
  const found = await lab.ask("python");
  if (found) code.value = found.code;
}

/** @param {FileList | null | undefined} files */
async function opened(files) {
  const file = files?.[0];
  if (!file || !live) return;
  let given;
  try {
    given = file.size < 1_900_000 && room.value !== "mine" ? JSON.parse(await file.text()) : null;
  } catch {
    given = null;
  }
  const rows = given?.format === undefined && given?.version === undefined; // and no scene or trace
  if (rows) return served ? takeFile(file) : lab.say(`${file.name} is no scene and no trace.`);
  const message = given?.format === undefined ? { ask: "scene", scene: given } : { ask: "trace file", trace: given };
  const found = await send(message);
  if (found.error !== undefined) return lab.say(found.error);
  room.value = "demo";
  show(found.answer);
  lab.say(`${file.name} is shown.`);
}

function tools() {
  return html`<div class="actions">
    <button @click=${share}>Copy link</button>
    <button aria-expanded=${String(Boolean(code.value))} @click=${python}>Python for this view</button>
    <button @click=${() => download("scene.json", JSON.stringify(lab.scene))}>Save this scene</button>
    ${live ? html`<label class="button">Open a scene or trace<input type="file" accept=".json,application/json"
      @change=${(/** @type {any} */ event) => opened(event.target.files)}></label>` : nothing}
  </div>
  ${code.value ? html`<figure class="code"><button class="plain" @click=${() => copied(code.value, "The code is copied.")}>Copy</button>
    <pre tabindex="0" aria-label="Python for this view"><code>${code.value}</code></pre></figure>` : nothing}`;
}

/** @param {Demonstration} demo */
function presets(demo) {
  return html`<div class="presets" role="group" aria-label="Presets">${demo.presets.map((each) => html`<button
    aria-pressed=${String(lab.scene.view.preset === each.name)} @click=${() => { code.value = status.value = ""; showPreset(demo.name, each.name); }}>${each.title}</button>`)}</div>`;
}

/** @param {import("./types.js").Question[]} asked @param {[string, string][]} glossary */
function footer(asked, glossary) {
  return html`<footer>
    ${asked.length ? html`<details><summary>Questions of the lectures to try here</summary><ul>${asked.map((each) => html`<li>${each.text} <span class="soft">${each.place}</span>
      <button class="link" @click=${() => choose(each.demo, each.preset)}>Try it</button></li>`)}</ul></details>` : nothing}
    <details><summary>Glossary</summary><dl>${glossary.map(([word, text]) => html`<dt>${word}</dt><dd>${text}</dd>`)}</dl></details>
  </footer>`;
}

function page() {
  const known = catalogue.value;
  if (!known) return html`<p class="loading">${status.value || "The lab is opening…"}</p>`;
  if (!scene.value) return nothing;
  const { demo } = lab;
  void width.value; // pictures have the shape of the window
  const failed = Object.values(lab.errors);
  return html`<a class="skip" href="#main" @click=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>To the demonstration</a>
    <header><p class="brand">novikoff <span>lab</span></p>
      <button class="plain" @click=${turnTheme}>${theme.value === "dark" ? "Light" : "Dark"} theme</button></header>
    ${known.demonstrations.length > 1 ? list(known.demonstrations) : nothing}
    <main id="main" tabindex="-1">${room.value === "mine" ? myData() : room.value === "questions" ? questions(known, choose) : html`
      <p class="lectures">${demo.lectures}</p>
      <h1>${demo.title}</h1>
      <div class="text">${demo.text.map((each) => html`<p>${each}</p>`)}</div>
      ${live ? nothing : html`<p class="note">This page replays recorded answers: rows cannot be moved here. For the live page:
        <code>pip install ".[lab]"</code> in a copy of the repository, then <code>novikoff lab</code>.</p>`}
      ${presets(demo)} ${controls(lab)}
      ${failed.length ? html`<p class="problem" role="alert">${failed[0]}</p>` : nothing}
      <div class=${`demo demo-${demo.name} ${waiting.value ? "waiting" : ""}`} aria-busy=${String(Object.values(lab.stale).some(Boolean))}>${VIEWS[demo.name](lab)}</div>
      <section class="task" aria-label="Task"><h2>Task</h2><p>${demo.task}</p></section>
      ${tools()}`}
    </main>
    ${footer(room.value === "demo" ? known.questions.filter((each) => each.demo === demo.name) : [], known.glossary)}
    <p class="status" role="status" aria-live="polite">${status.value}</p>`;
}

async function start() {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  effect(() => render(page(), /** @type {HTMLElement} */ (document.getElementById("app"))));
  document.getElementById("app")?.querySelector(":scope > p.loading:not(:last-child)")?.remove();
  const found = await send({ ask: "catalogue" });
  if (found.error !== undefined) {
    status.value = found.error;
    return;
  }
  catalogue.value = found.answer;
  const linked = await sceneOf(location.hash);
  const checked = linked && live ? await send({ ask: "scene", scene: linked }) : { answer: linked };
  if (checked.error !== undefined) lab.say(checked.error);
  const first = checked.answer || (await firstScene());
  if (first && found.answer.demonstrations.some((/** @type {Demonstration} */ each) => each.name === first.demo)) show(first);
  else showPreset(found.answer.demonstrations[0].name);
  if (served && isMine(location.hash)) showMine();
  else if (location.hash.startsWith(SIGN)) room.value = "questions";
  keepAddress();
}

/** Keep the address up to date, so that a reload shows the same. */
function keepAddress() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  effect(() => {
    const now = scene.value;
    clearTimeout(timer);
    document.documentElement.dataset.address = "old";
    timer = setTimeout(async () => {
      if (!now || room.value !== "demo" || now.data.X.length > MOST_IN_LINK) return;
      const end = await fragmentOf(now);
      if (room.value === "demo") setAddress(end);
      document.documentElement.dataset.address = now === scene.value ? "current" : "old";
    }, 250);
  });
}

addEventListener("resize", () => {
  width.value = innerWidth;
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  opened(event.dataTransfer?.files);
});
addEventListener("hashchange", async () => {
  if (served && isMine(location.hash)) return showMine();
  if (location.hash.startsWith(SIGN)) return enter("questions");
  const linked = await sceneOf(location.hash);
  const checked = linked && live ? await send({ ask: "scene", scene: linked }) : { answer: linked };
  if (checked.answer) {
    room.value = "demo";
    show(checked.answer);
  }
});
start();
