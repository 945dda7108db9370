"""A recipe as one file of C99, without a library and without allocating memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...rows.encoding.feature_columns import Number
from .recipe import ExportError, Recipe

HEAD = """\
/* A linear model, written by novikoff.

   {answer} NAME_predict(const double *numbers, const char *const *categories);
   void NAME_scores(const double *numbers, const char *const *categories, double *scores);

   numbers: the columns of NAME_numbers, in that order; NAN is missing{numbers_too}.
   categories: the columns of NAME_categories, in that order, as UTF-8; NULL{texts_too} are missing. Texts are compared
   as they are.
   {what}
   scores: room for NAME_n_scores numbers.
   A row with a number that is not finite, or with a missing number that the model does not fill, has no answer: all scores are
   NaN, and the answer is {refused}.
   Do not compile with -ffast-math, which does not know NaN. */

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {{
  NAME_n_numbers = {numbers}, NAME_n_categories = {categories}, NAME_n_classes = {classes}, NAME_n_scores = {scores},
  NAME_n_missing = {missing}
}};

"""
SCORES = """\
static void NAME_add(double *scores, size_t feature, double x) {
  size_t k;
  for (k = 0; k < NAME_n_scores; k++) scores[k] += NAME_weights[feature][k] * x;
}

void NAME_scores(const double *numbers, const char *const *categories, double *scores) {
  size_t c, k, feature = 0;
  double refused = 0.0; /* NaN once a number is not finite */
  for (k = 0; k < NAME_n_scores; k++) scores[k] = 0.0;
"""
ADD_NUMBER = """\
      double x = *numbers++;
      if (x != x MISSING) x = NAME_shifts[number][0]; /* fill, center, scale */
      x = (x - NAME_shifts[number][1]) / NAME_shifts[number][2];
      refused += x - x;
      NAME_add(scores, feature, x);
      number++;
      feature++;
"""
ADD_CATEGORY = """\
      const char *text = *categories++;
      size_t first = NAME_first_level[category], count = NAME_first_level[category + 1] - first;
      size_t m = 0;
      while (text != NULL && m < NAME_n_missing && strcmp(NAME_missing[m], text) != 0) m++;
      if (text == NULL || m < NAME_n_missing) {
        if (NAME_has_missing[category]) NAME_add(scores, feature + count, 1.0);
      } else {
        size_t low = 0, high = count;
        while (low < high) {
          size_t middle = low + (high - low) / 2;
          if (strcmp(NAME_levels[first + middle], text) < 0) low = middle + 1;
          else high = middle;
        }
        if (low < count && strcmp(NAME_levels[first + low], text) == 0) NAME_add(scores, feature + low, 1.0);
      }
      feature += count + NAME_has_missing[category];
      category++;
"""
LAST = """\
  for (k = 0; k < NAME_n_scores; k++) scores[k] += NAME_intercept[k] + refused;
}
"""
PREDICT = {
    "number": """
double NAME_predict(const double *numbers, const char *const *categories) {
  double scores[NAME_n_scores];
  NAME_scores(numbers, categories, scores);
  return scores[0];
}
""",
    "class": """
int NAME_predict(const double *numbers, const char *const *categories) {
  double scores[NAME_n_scores];
  int best = 0, k;
  NAME_scores(numbers, categories, scores);
  if (scores[0] != scores[0]) return -1;
  if (NAME_n_scores == 1) return scores[0] > 0.0 && NAME_n_classes > 1;
  for (k = 1; k < NAME_n_scores; k++)
    if (scores[k] > scores[best]) best = k;
  return best;
}
""",
}


def write_c(recipe: Recipe, name: str) -> Iterator[bytes]:
    """The program, whose names begin with ``name`` as far as it can be one."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    name = name if name[:1].isalpha() else f"model_{name}"
    yield _named(_head(recipe), name)
    for declaration, items in _tables(recipe):
        yield _named(declaration, name) + f" = {{\n  {items}\n}};\n\n".encode("ascii")
    strange = "".join(f" || x == {value!r}" for value in recipe.cells.missing_numbers)
    yield _named("".join([SCORES, *_columns(recipe), LAST]).replace(" MISSING", strange), name)
    yield _named(PREDICT["number" if recipe.classes is None else "class"], name)


def _named(template: str, name: str) -> bytes:
    return template.replace("NAME_", f"{name}_").encode("ascii")


def _head(recipe: Recipe) -> str:
    regression = recipe.classes is None
    return HEAD.format(
        answer="double" if regression else "int",
        refused="NaN" if regression else "-1",
        what="The answer is the number itself." if regression else "The answer is a place in NAME_classes.",
        numbers_too="".join(f", and so is {value!r}" for value in recipe.cells.missing_numbers),
        texts_too=" and what is in NAME_missing" if recipe.categories else "",
        missing=len(recipe.cells.missing),
        numbers=len(recipe.numbers),
        categories=len(recipe.categories),
        classes=len(recipe.labels),
        scores=len(recipe.weights),
    )


def _tables(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Constants, as declarations and values; an array that would be empty is left out, as C has none."""
    if recipe.labels:
        yield "const char *const NAME_classes[]", _texts(recipe.labels)
    for what, columns in (("numbers", recipe.numbers), ("categories", recipe.categories)):
        if columns:
            yield f"const char *const NAME_{what}[]", _texts(column.name for column in columns)
    if recipe.numbers:
        yield "static const double NAME_shifts[][3]", _rows([list(column[1:]) for column in recipe.numbers])
    if recipe.categories:
        yield "static const char *const NAME_missing[]", _texts(recipe.cells.missing)
        levels = [column.levels for column in recipe.categories]
        firsts = [sum(map(len, levels[:c])) for c in range(len(levels) + 1)]
        yield "static const char *const NAME_levels[]", _texts(level for some in levels for level in some)
        yield "static const size_t NAME_first_level[]", ", ".join(map(str, firsts))
        yield "static const size_t NAME_has_missing[]", ", ".join(str(int(c.missing)) for c in recipe.categories)
    if recipe.numbers and recipe.categories:
        yield "static const char NAME_is_number[]", ", ".join(str(int(isinstance(c, Number))) for c in recipe.columns)
    yield "static const double NAME_weights[][NAME_n_scores]", _rows(recipe.weights.T.tolist())
    yield "static const double NAME_intercept[]", ", ".join(map(repr, recipe.intercept.tolist()))


def _texts(texts: Iterable[str]) -> str:
    return ",\n  ".join(map(quoted, texts))


def _rows(rows: list[list[float]]) -> str:
    return ",\n  ".join(f"{{{', '.join('NAN' if x != x else repr(x) for x in row)}}}" for row in rows)


def _columns(recipe: Recipe) -> Iterator[str]:
    """The loop over columns, of the kinds there are."""
    mixed = bool(recipe.numbers and recipe.categories)
    for kind, columns in (("number", recipe.numbers), ("category", recipe.categories)):
        yield f"  size_t {kind} = 0;\n" if columns else f"  (void){'numbers' if kind == 'number' else 'categories'};\n"
    yield f"  for (c = 0; c < {len(recipe.columns)}; c++) {{\n"
    yield "    if (NAME_is_number[c]) {\n" if mixed else "    {\n"
    yield ADD_NUMBER if recipe.numbers else ADD_CATEGORY
    yield f"    }} else {{\n{ADD_CATEGORY}    }}\n  }}\n" if mixed else "    }\n  }\n"


def quoted(text: str) -> str:
    """A string literal of plain ASCII.  Octal escapes end after three digits, whatever follows; ? begins no trigraph."""
    if "\0" in text:
        raise ExportError(f"{text!r} has a character that ends texts in C.")
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return '"' + "".join(plain) + '"'
