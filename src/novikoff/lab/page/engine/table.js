// A small CSV file as rows and classes.

const MOST_ROWS = 5000;
const MOST_COLUMNS = 64; // also of numbers, once words are columns of 0 and 1: exact proofs in more take minutes
const MOST_LEVELS = 20; // of a column of words
const MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "?"];

/** A table, and the line of the file where its rows begin. @typedef {{names: string[], lines: string[][], from: number}} Table */

/** Lines of fields, with quotes as in RFC 4180. @param {string} text @param {string} between */
function fields(text, between) {
  const lines = [/** @type {string[]} */ ([])];
  let [field, quoted] = ["", false];
  for (let k = 0; k <= text.length; k++) {
    const letter = text[k];
    if (quoted && letter !== undefined) {
      if (letter !== '"') field += letter;
      else if (text[k + 1] === '"') [field, k] = [`${field}"`, k + 1];
      else quoted = false;
    } else if (letter === '"' && field === "") quoted = true;
    else if (letter === between || letter === "\n" || letter === undefined) {
      lines[lines.length - 1].push(field.trim());
      field = "";
      if (letter === "\n") lines.push([]);
    } else if (letter !== "\r") field += letter;
  }
  return lines.filter((line) => line.length > 1 || (line[0] ?? "") !== "");
}

/** The table of a file. Its first line has the names of columns, unless it is a line of numbers: then columns are numbered. @param {string} text @returns {Table} */
export function readTable(text) {
  const start = text.replace(/^\uFEFF/, "");
  const first = start.split("\n", 1)[0];
  const between = [",", ";", "\t"].reduce((one, other) => (first.split(other).length > first.split(one).length ? other : one));
  const all = fields(start, between);
  if (!all.length || all[0].length < 2) throw new Error("This is no table: its first line must name two or more columns, with a comma, semicolon or tab in between.");
  const unnamed = all[0].filter((field) => !numeric(field)).length < 2 && all[0].some(numeric); // the class may be a word
  const names = unnamed ? all[0].map((_, j) => `column ${j + 1}`) : all[0];
  const [lines, from] = unnamed ? [all, 1] : [all.slice(1), 2];
  if (new Set(names).size < names.length) throw new Error("Two columns have the same name: give each its own.");
  if (names.length > MOST_COLUMNS || lines.length > MOST_ROWS) throw new Error(`The page takes up to ${MOST_ROWS} rows and ${MOST_COLUMNS} columns; this file has ${lines.length} and ${names.length}. Use the Python package for it.`);
  const odd = lines.findIndex((line) => line.length !== names.length);
  if (odd >= 0) throw new Error(`Line ${odd + from} has ${lines[odd].length} fields; the first line has ${names.length}.`);
  return { names, lines, from };
}

/** @param {string} text */
const numeric = (text) => text !== "" && Number.isFinite(Number(text)) && Math.abs(Number(text)) <= 1e9;

/** The column that is likely to be the target: the last one of few words, or the first, or any; else of few numbers; else the last. @param {Table} table */
export function likelyTarget(table) {
  const columns = table.names.map((name, j) => {
    const values = [...new Set(table.lines.map((line) => line[j]))].filter((value) => !MISSING.includes(value));
    return { name, few: values.length >= 2 && values.length <= MOST_LEVELS, words: !values.every(numeric) };
  });
  const last = columns[columns.length - 1];
  const likely = [true, false].flatMap((words) => {
    const found = columns.filter((each) => each.few && each.words === words);
    return [last, columns[0], ...found.slice(-1)].filter((each) => found.includes(each));
  });
  return (likely[0] ?? last).name;
}

/** Rows of numbers, a class for each, and what was left out. Words become columns of 0 and 1, one for each word except the first.
 * @param {Table} table @param {string} target the column that is to be predicted */
export function rowsOf(table, target) {
  const goal = table.names.indexOf(target);
  if (goal < 0) throw new Error(`There is no column ${target}.`);
  const present = (/** @type {string[]} */ line, /** @type {number} */ j) => !MISSING.includes(line[j]);
  /** @type {{name: string, of: (line: string[]) => number}[]} */
  const columns = [];
  /** @type {string[]} */
  const left = [];
  const used = [goal]; // a missing value elsewhere costs no row
  table.names.forEach((name, j) => {
    if (j === goal) return;
    const known = table.lines.filter((line) => present(line, j));
    const levels = [...new Set(known.map((line) => line[j]))].sort();
    const numbers = levels.every(numeric);
    if (!levels.length || (!numbers && levels.length > MOST_LEVELS)) return left.push(name);
    used.push(j);
    if (numbers) columns.push({ name, of: (line) => Number(line[j]) });
    else for (const level of levels.slice(1)) columns.push({ name: `${name} = ${level}`, of: (line) => Number(line[j] === level) });
  });
  if (!columns.length) throw new Error("No column is left to predict from.");
  if (columns.length > MOST_COLUMNS) throw new Error(`These columns become ${columns.length} columns of numbers, one for each word; the page takes up to ${MOST_COLUMNS}. Use the Python package for it.`);
  const whole = table.lines.map((line, k) => ({ line, number: k + table.from })).filter(({ line }) => used.every((j) => present(line, j)));
  const classes = [...new Set(whole.map(({ line }) => line[goal]))].sort();
  if (classes.length < 2) throw new Error(`Column ${target} has only one class: choose another target.`);
  return { X: whole.map(({ line }) => columns.map((column) => column.of(line))), labels: whole.map(({ line }) => classes.indexOf(line[goal])), numbers: whole.map(({ number }) => number),
    names: columns.map((column) => column.name), classes, left, dropped: table.lines.length - whole.length };
}
