"""A recipe as a JSON document, and as a JavaScript module around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..data.encoding import Number
from .recipe import Recipe

HOW = (
    "Start every score at 0 and go through the columns in order. A number that is missing becomes fill; add weights[k][f] * "
    "((x - center) / scale) to score k, where f is the column's first_feature. Of a category add weights[k][f + i], where i is "
    "the place of the text in levels; if it is missing (empty), i is the number of levels, provided that missing is true; "
    "anything else adds nothing. Last, add intercept[k]. "
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
        feature += len(column.features)
    answer = "one" if recipe.classes is None else "two" if len(recipe.weights) == 1 else "many"
    return {
        "format": "novikoff linear model",
        "version": 1,
        "how": HOW + ANSWERS[answer],
        "classes": recipe.classes,
        "columns": columns,
        "weights": recipe.weights.tolist(),
        "intercept": recipe.intercept.tolist(),
    }


def write_json(recipe: Recipe, name: str) -> Iterator[bytes]:
    """The document."""
    yield json.dumps(document(recipe), indent=1, allow_nan=False).encode() + b"\n"


PROGRAM = """\
const places = model.columns.map((column) => new Map((column.levels ?? []).map((level, place) => [level, place])));

function valueOf(row, name) {
  const value = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
  return value === undefined || value === "" ? null : value;
}

function numberOf(row, column) {
  const value = valueOf(row, column.name);
  const number = value === null ? NaN : Number(value);
  if (Number.isNaN(number) && value !== null && !Number.isNaN(value)) {
    throw new TypeError(`column ${column.name}: ${value} is no number`);
  }
  return ((Number.isNaN(number) ? column.fill : number) - column.center) / column.scale;
}

/** The scores of a row, an object of values by column name: null, undefined, "" and NaN are missing. */
export function scores(row) {
  const sums = new Array(model.intercept.length).fill(0);
  model.columns.forEach((column, c) => {
    let feature = column.first_feature;
    let x = 1;
    if (column.kind === "number") {
      x = numberOf(row, column);
    } else {
      const value = valueOf(row, column.name);
      const missing = value === null || Number.isNaN(value);
      const place = missing ? (column.missing ? column.levels.length : undefined) : places[c].get(String(value));
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
