"""A recipe as a JSON document, and as a JavaScript module around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...rows.encoding.feature_columns import Number
from ...rows.store.blocks import NUMBER_GAPS, PLAIN
from .recipe import Recipe

HOW = (
    "Start every score at 0 and go through the columns in order. A number that is missing (null, NaN or one of "
    "missing_numbers) becomes fill; add weights[k][f] * ((x - center) / scale) to score k, where f is the column's "
    "first_feature. If fill is null, a column that the row leaves out is 0. A row has no answer, so refuse it, if a number is "
    "missing where fill is null, or if (x - center) / scale is not finite. Of a category add weights[k][f + i], where i is the place of the text in levels; if it is missing (null "
    "or one of missing_texts), i is the number of levels, provided that missing is true; anything else adds nothing. Texts "
    "are compared as they are. A number that comes as a text is missing if it is one of missing_texts or missing_marks, else it fits the column's pattern; take out what apart matches, and "
    "read the rest with a point for decimal. Last, add intercept[k]. "
)
ANSWERS = {
    "one": "The answer is the one score.",
    "two": "The one score says classes[1] if it is positive, else classes[0].",
    "many": "The answer is the class of the largest score, the first of several.",
}


def document(recipe: Recipe) -> dict[str, Any]:
    """What the model does, for programs and for people."""
    columns: list[dict[str, Any]] = []
    feature = 0
    for column in recipe.columns:
        kind = "number" if isinstance(column, Number) else "category"
        columns.append({"kind": kind, "first_feature": feature, **column._asdict()})
        if isinstance(column, Number):
            way = recipe.cells.numerals.get(column.name, PLAIN)
            columns[-1]["fill"] = None if np.isnan(column.fill) else column.fill
            columns[-1] |= {"pattern": way.pattern, "apart": way.apart, "decimal": way.decimal}
        feature += len(column.features)
    answer = "one" if recipe.classes is None else "two" if len(recipe.weights) == 1 else "many"
    return {
        "format": "novikoff linear model",
        "version": 2,
        "how": HOW + ANSWERS[answer],
        "classes": recipe.classes,
        "missing_texts": list(recipe.cells.missing),
        "missing_numbers": list(recipe.cells.missing_numbers),
        "missing_marks": list(NUMBER_GAPS),
        "columns": columns,
        "weights": recipe.weights.tolist(),
        "intercept": recipe.intercept.tolist(),
    }


def write_json(recipe: Recipe, name: str) -> Iterator[bytes]:
    """The document."""
    yield json.dumps(document(recipe), indent=1, allow_nan=False).encode() + b"\n"


PROGRAM = """\
const missingTexts = new Set(model.missing_texts);
const places = model.columns.map((column) => new Map((column.levels ?? []).map((level, place) => [level, place])));

const has = (row, name) => Object.prototype.hasOwnProperty.call(row, name);

function valueOf(row, name) {
  const value = has(row, name) ? row[name] : null;
  return value === undefined || Number.isNaN(value) || missingTexts.has(value) ? null : value;
}

// A number from a text of a file: null or NaN where it is missing, infinite where it is none.
function read(text, column) {
  const trimmed = text.replace(/^(?:[^\\S\\ufeff]|[\\x1c-\\x1f\\x85])+|(?:[^\\S\\ufeff]|[\\x1c-\\x1f\\x85])+$/g, "");
  if (missingTexts.has(trimmed) || model.missing_marks.includes(trimmed)) return null;
  if (!new RegExp(column.pattern).test(trimmed)) return Infinity;
  return Number(trimmed.replace(new RegExp(column.apart, "g"), "").replace(column.decimal, "."));
}

function numberOf(row, column) {
  if (column.fill === null && !has(row, column.name)) return 0;
  const value = valueOf(row, column.name);
  const number = typeof value === "string" ? read(value, column) : value;
  const missing = number === null || Number.isNaN(number) || model.missing_numbers.includes(number);
  const x = ((missing ? (column.fill ?? NaN) : number) - column.center) / column.scale;
  if (!Number.isFinite(x)) throw new TypeError(`column ${column.name}: ${row[column.name]} is no number`);
  return x;
}

// A value as the text of a level; numbers as Python writes them.
function textOf(value) {
  if (typeof value !== "number" || (Number.isInteger(value) && Math.abs(value) < 2 ** 53)) return String(value);
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const [digits, power] = value.toExponential().split("e");
  if (power >= -4 && power < 16) return String(value) + (Number.isInteger(value) ? ".0" : "");
  return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/** The scores of a row, an object of values by column name: null, undefined, NaN and missing_texts are missing.
 *  A number that is not finite, or that is missing where the model does not fill it, throws a TypeError. */
export function scores(row) {
  const sums = new Array(model.intercept.length).fill(0);
  model.columns.forEach((column, c) => {
    let feature = column.first_feature;
    let x = 1;
    if (column.kind === "number") {
      x = numberOf(row, column);
    } else {
      const value = valueOf(row, column.name);
      const text = value === null ? null : textOf(value);
      const missing = text === null || missingTexts.has(text);
      const place = missing ? (column.missing ? column.levels.length : undefined) : places[c].get(text);
      if (place === undefined) return;
      feature += place;
    }
    for (let k = 0; k < sums.length; k++) sums[k] += model.weights[k][feature] * x;
  });
  return sums.map((sum, k) => sum + model.intercept[k]);
}

/** What the model says of a row. */
export function predict(row) {
  const found = scores(row);
  if (classes === null) return found[0];
  if (found.length === 1) return classes[found[0] > 0 && classes.length > 1 ? 1 : 0];
  let best = 0;
  for (let k = 1; k < found.length; k++) if (found[k] > found[best]) best = k;
  return classes[best];
}
"""


def write_javascript(recipe: Recipe, name: str) -> Iterator[bytes]:
    """The document as the constant of a module that has ``predict``, ``scores`` and ``classes``."""
    text = json.dumps(document(recipe), allow_nan=False).replace("<", "\\u003c")  # may stand in a page
    yield f"// A linear model, written by novikoff.\nconst model = {text};\nexport const classes = model.classes;\n".encode()
    yield PROGRAM.encode()
