// A small CSV file as rows and classes.

const MOST_ROWS = 5000;
const MOST_COLUMNS = 40;
const MOST_LEVELS = 20; // of a column of words
const MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "?"];

/** @typedef {{names: string[], lines: string[][]}} Table */

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

/** The table of a file; its first line has the names of columns. @param {string} text @returns {Table} */
export function readTable(text) {
  const start = text.replace(/^\uFEFF/, "");
  const first = start.split("\n", 1)[0];
  const between = [",", ";", "\t"].reduce((one, other) => (first.split(other).length > first.split(one).length ? other : one));
  const [names, ...lines] = fields(start, between);
  if (!names || names.length < 2) throw new Error("This is no table: its first line must name two or more columns, with a comma, semicolon or tab in between.");
  if (new Set(names).size < names.length) throw new Error("Two columns have the same name: give each its own.");
  if (names.length > MOST_COLUMNS || lines.length > MOST_ROWS) throw new Error(`The page takes up to ${MOST_ROWS} rows and ${MOST_COLUMNS} columns; this file has ${lines.length} and ${names.length}. Use the Python package for it.`);
  const odd = lines.findIndex((line) => line.length !== names.length);
  if (odd >= 0) throw new Error(`Line ${odd + 2} has ${lines[odd].length} fields; the first line has ${names.length}.`);
  return { names, lines };
}

/** @param {string} text */
const numeric = (text) => text !== "" && Number.isFinite(Number(text)) && Math.abs(Number(text)) <= 1e9;

/** Rows of numbers, a class for each, and what was left out. Words become columns of 0 and 1, one for each word except the first.
 * @param {Table} table @param {string} target the column that is to be predicted */
export function rowsOf(table, target) {
  const goal = table.names.indexOf(target);
  if (goal < 0) throw new Error(`There is no column ${target}.`);
  const whole = table.lines.map((line, k) => ({ line, number: k + 2 })).filter(({ line }) => !line.some((field) => MISSING.includes(field)));
  const classes = [...new Set(whole.map(({ line }) => line[goal]))].sort();
  if (classes.length < 2) throw new Error(`Column ${target} has only one class: choose another target.`);
  /** @type {{name: string, of: (line: string[]) => number}[]} */
  const columns = [];
  /** @type {string[]} */
  const left = [];
  table.names.forEach((name, j) => {
    if (j === goal) return;
    if (whole.every(({ line }) => numeric(line[j]))) columns.push({ name, of: (line) => Number(line[j]) });
    else {
      const levels = [...new Set(whole.map(({ line }) => line[j]))].sort();
      if (levels.length > MOST_LEVELS) left.push(name);
      else for (const level of levels.slice(1)) columns.push({ name: `${name} = ${level}`, of: (line) => Number(line[j] === level) });
    }
  });
  if (!columns.length) throw new Error("No column is left to predict from.");
  return { X: whole.map(({ line }) => columns.map((column) => column.of(line))), labels: whole.map(({ line }) => classes.indexOf(line[goal])), numbers: whole.map(({ number }) => number),
    names: columns.map((column) => column.name), classes, left, dropped: table.lines.length - whole.length };
}
