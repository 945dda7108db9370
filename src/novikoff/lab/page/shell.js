// The page around a demonstration: the list, presets, parameters, links, files, theme, glossary and status line.

import { html, nothing, render } from "./vendor/lit-html.js";
import { effect, signal } from "./vendor/signals.js";
import { controls } from "./controls.js";
import { VIEWS } from "./demos/views.js";
import { download } from "./files.js";
import { fragmentOf, sceneOf } from "./links.js";
import { isMine, myData, showMine, takeFile } from "./my_data.js";
import { ownTablePage, takeTable } from "./own_table.js";
import { questions, SIGN } from "./questions.js";
import { catalogue, changes, lab, room, scene, show, showPreset, status, travel } from "./state.js";
import { firstScene, send, served } from "./transport.js";

/** @typedef {import("./types.js").Demonstration} Demonstration */

const MOST_IN_LINK = 500; // rows
const OWN = "#own="; // the address of My data in a page without Python
const code = signal("");
const width = signal(innerWidth);
const ROOMY = { width: 1200, height: 860 }; // a window that shows options beside the whole picture
const options = signal(innerWidth >= ROOMY.width && innerHeight >= ROOMY.height);
const projector = signal(false);
const FADED = 24; // pixels at the ends of a list that scrolls sideways
const embedded = parent !== window; // in a chapter or a notebook, which has its own list and words
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

/** What comes is a place of its own: Back leads to what is shown now, also if the address does not name it yet. */
function leave() {
  try {
    if (room.value === "demo") history.replaceState({ scene: lab.scene }, "", location.hash || "#");
    history.pushState(null, "", location.hash || "#");
  } catch {
    // a frame in a notebook has no history
  }
  code.value = status.value = "";
}

/** Begin at the top of something else. @param {"demo" | "mine" | "questions"} to */
function enter(to) {
  leave();
  room.value = to;
  document.getElementById("main")?.focus();
  scrollTo(0, 0);
}

/** @param {string} demo @param {string} [preset] */
function choose(demo, preset) {
  if (room.value === "demo" && demo === lab.scene.demo) leave();
  else enter("demo");
  showPreset(demo, preset);
}

function openMine() {
  lab.setView({ playing: false });
  enter("mine");
  if (!served) return setAddress(OWN);
  setAddress("#d=");
  showMine();
}

function openQuestions() {
  lab.setView({ playing: false });
  enter("questions");
  setAddress(SIGN);
}

/** @param {string} end of the address, which a frame in a notebook has none of */
function setAddress(end) {
  try {
    history.replaceState(null, "", end);
  } catch {
    // a frame in a notebook has none
  }
}

/** @param {Demonstration[]} all */
function list(all) {
  const here = (/** @type {boolean} */ yes) => (yes ? "page" : nothing);
  return html`<nav aria-label="Demonstrations"><ol>${all.map((each) => html`<li><button
    aria-current=${here(each.name === lab.scene.demo && room.value === "demo")} @click=${() => choose(each.name)}>${each.title}</button></li>`)}
    <li class="apart first"><button aria-current=${here(room.value === "questions")} @click=${openQuestions}>Questions of the lectures</button></li>
    <li class="apart"><button aria-current=${here(room.value === "mine")} @click=${openMine}>My data</button></li></ol></nav>`;
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

function python() {
  code.value = code.value ? "" : lab.ask("python")?.code ?? "";
}

/** @param {FileList | null | undefined} files */
async function opened(files) {
  const file = files?.[0];
  if (!file) return;
  let given;
  try {
    given = file.size < 1_900_000 && room.value !== "mine" ? JSON.parse(await file.text()) : null;
  } catch {
    given = null;
  }
  const rows = given?.format === undefined && given?.version === undefined; // and no scene or trace
  if (rows && served) return takeFile(file);
  if (rows) {
    if (room.value !== "mine") openMine();
    return takeTable(file);
  }
  const message = given?.format === undefined ? { ask: "scene", scene: given } : { ask: "trace file", trace: given };
  const found = send(message);
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
    <label class="button">Open a scene or trace<input type="file" accept=".json,application/json"
      @change=${(/** @type {any} */ event) => opened(event.target.files)}></label>
  </div>
  ${code.value ? html`<figure class="code"><button class="plain" @click=${() => copied(code.value, "The code is copied.")}>Copy</button>
    <pre tabindex="0" aria-label="Python for this view"><code>${code.value}</code></pre></figure>` : nothing}`;
}

/** @param {Demonstration} demo */
function presets(demo) {
  return html`<div class="presets" role="group" aria-label="Presets">${demo.presets.map((each) => html`<button
    aria-pressed=${String(lab.scene.view.preset === each.name)} @click=${() => choose(demo.name, each.name)}>${each.title}</button>`)}</div>`;
}

let inView = "";

/** In lists that scroll sideways, what is chosen is in sight. */
function bringIntoView() {
  const now = [room.value, scene.value?.demo, scene.value?.view.preset, width.value].join();
  if (now === inView) return;
  inView = now;
  for (const chosen of document.querySelectorAll("nav [aria-current], .presets [aria-pressed=true]")) {
    const list = /** @type {Element} */ (chosen.closest("ol, .presets"));
    const [around, box] = [list.getBoundingClientRect(), chosen.getBoundingClientRect()];
    const [left, right] = [box.left - FADED - around.left, box.right + FADED - around.right];
    list.scrollLeft += right > 0 ? Math.min(left, right) : Math.min(left, 0); // of a long name the beginning
  }
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
  if (!scene.value) return html`<p class="loading">${status.value || "The lab is opening…"}</p>`;
  const { demo } = lab;
  void width.value; // pictures have the shape of the window
  return html`<a class="skip" href="#main" @click=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>To the demonstration</a>
    ${head()} ${projector.value || embedded ? nothing : list(catalogue.demonstrations)}
    <main id="main" tabindex="-1">${room.value === "mine" ? (served ? myData() : ownTablePage()) : room.value === "questions" ? questions(catalogue, choose) : shown(demo)}</main>
    ${projector.value || embedded ? nothing : footer(room.value === "demo" ? catalogue.questions.filter((each) => each.demo === demo.name) : [], catalogue.glossary)}
    <p class="status" role="status" aria-live="polite">${status.value}</p>`;
}

function head() {
  const { past, future } = changes.value;
  const turn = () => { projector.value = !projector.value; };
  return html`<header><p class="brand">novikoff <span>lab</span></p><div class="top">
    <button class="plain" aria-label="Undo" title="Undo (Ctrl+Z)" ?disabled=${!past.length || room.value !== "demo"} @click=${() => travel("undo")}>↶</button>
    <button class="plain" aria-label="Redo" title="Redo (Ctrl+Shift+Z)" ?disabled=${!future.length || room.value !== "demo"} @click=${() => travel("redo")}>↷</button>
    <button class="plain" aria-pressed=${String(projector.value)} @click=${turn}>Projector</button>
    <button class="plain" @click=${turnTheme}>${theme.value === "dark" ? "Light" : "Dark"}<span class="wide-only"> theme</span></button></div></header>`;
}

/** The picture first; text, options and tools around it. @param {Demonstration} demo */
function shown(demo) {
  const failed = Object.values(lab.errors);
  return html`<div class="title"><h1>${demo.title}</h1><p class="lectures">${demo.lectures}</p></div>
    ${projector.value ? nothing : html`<div class="choices">${presets(demo)}
      ${demo.controls.length ? html`<button class="plain" aria-expanded=${String(options.value)} @click=${() => { options.value = !options.value; }}>Options</button>` : nothing}</div>
      ${options.value ? controls(lab) : nothing}`}
    ${failed.length ? html`<p class="problem" role="alert">${failed[0]}</p>` : nothing}
    <div class=${`demo demo-${demo.name}`} aria-busy=${String(Object.values(lab.stale).some(Boolean))}>${VIEWS[demo.name](lab)}</div>
    ${projector.value ? nothing : html`<div class="about"><div class="text">${demo.text.map((each) => html`<p>${each}</p>`)}</div>
      <section class="task" aria-label="Task"><h2>Task</h2><p>${demo.task}</p></section></div>
    ${tools()}`}`;
}

async function start() {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    document.documentElement.dataset.projector = projector.value ? "on" : "off";
  });
  effect(() => {
    render(page(), /** @type {HTMLElement} */ (document.getElementById("app")));
    bringIntoView();
  });
  document.getElementById("app")?.querySelector(":scope > p.loading:not(:last-child)")?.remove();
  if (!(await showAddress()) && !(firstScene && shownScene(firstScene))) showPreset(catalogue.demonstrations[0].name);
  keepAddress();
  changes.value = { past: [], future: [] };
}

/** Show a scene once it is checked. @param {any} given @returns {boolean} */
function shownScene(given) {
  const checked = send({ ask: "scene", scene: given });
  if (checked.error !== undefined) lab.say(checked.error);
  else show(checked.answer);
  return checked.error === undefined;
}

/** Show what the address names, if it names anything. @returns {Promise<boolean>} whether it names a scene */
async function showAddress() {
  const { hash } = location;
  if (isMine(hash) && served) showMine();
  else if (isMine(hash) || hash === OWN) room.value = "mine";
  else if (hash.startsWith(SIGN)) room.value = "questions";
  const linked = history.state?.scene ?? (await sceneOf(hash));
  if (hash.startsWith("#s=") && !linked) lab.say("This link is damaged or not complete: no scene can be read from it.");
  if (!linked || !shownScene(linked)) return false;
  room.value = "demo";
  return true;
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
addEventListener("popstate", showAddress); // by Back, or by another address
addEventListener("keydown", (event) => {
  const typing = /** @type {Element} */ (event.target).matches?.("input, textarea, select");
  const key = event.key.toLowerCase();
  if (key === "escape" && projector.value) projector.value = false;
  if (!(event.ctrlKey || event.metaKey) || typing || room.value !== "demo" || (key !== "z" && key !== "y")) return;
  event.preventDefault();
  travel(key === "y" || event.shiftKey ? "redo" : "undo");
});
start();
