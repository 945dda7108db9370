"""Whatever stands in a cell, exported models answer as the pipeline does: through Node.js, a C compiler, ONNX and JSON."""

import json
import math
import shutil
import subprocess

import numpy as np
import onnxruntime
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff
from commands import run
from exported import SCRIPT, follow, in_node, needs_cc, needs_node
from novikoff.models.export.exporting import export
from novikoff.rows.readers.reading_options import Fault
from novikoff.rows.readers.tables import as_numbers
from novikoff.rows.store.blocks import MISSING_TEXTS, PLAIN, Numeral

LEVELS = ["1e-07", "0x10", "1.0", "5", "1e+16", "0.0001", "true", "None ", "inf", "é", "tall \u2028 grass"]
ODD = [
    *LEVELS,
    *MISSING_TEXTS,
    "-9",
    " ",
    " 5",
    "5 ",
    "0x1",
    "1e-7",
    "00005",
    "\u00a0",
    "\ufeff",
    "1_0",
    "nan",
    "Infinity",
]
TEXTS = st.sampled_from(ODD) | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)
NUMBERS = st.sampled_from([math.nan, -9.0, 0.0, -0.0, 1e-07]) | st.floats(-1e3, 1e3)
ROWS = st.lists(st.tuples(TEXTS, NUMBERS, TEXTS), min_size=20, max_size=60)
MAIN = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "m.c"
static char text[2][4096];
static const char *hex(char *to) { /* a text by the hexadecimal digits of its bytes */
  char word[8192];
  size_t i;
  if (scanf("%8191s", word) != 1) exit(0);
  for (i = 0; word[2 * i + 1] != '\\0'; i++) {
    char pair[3] = {word[2 * i + 1], word[2 * i + 2], 0};
    to[i] = (char)strtol(pair, NULL, 16);
  }
  to[i] = 0;
  return to;
}
int main(void) {
  for (;;) {
    double number;
    const char *categories[2];
    categories[0] = hex(text[0]);
    if (scanf("%lf", &number) != 1) return 1;
    categories[1] = hex(text[1]);
    printf("%d\\n", m_predict(&number, categories));
  }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of a file with gaps, in which every level counts, exported in every way."""
    folder = tmp_path_factory.mktemp("exported")
    rng = np.random.default_rng(0)
    lines = ["level|x|complete|y"]
    for k in range(200):
        level = "NA" if k % 17 == 0 else LEVELS[rng.integers(len(LEVELS))].strip()
        number = "-9" if k % 13 == 0 else f"{rng.normal():.3f}"
        lines.append(f"{level}|{number}|{LEVELS[rng.integers(4)]}|{'abc'[rng.integers(3)]}")
    (folder / "f.csv").write_text("\n".join(lines) + "\n")
    run(*f"fit {folder}/f.csv -t y --na -9 --categorical level --categorical complete --no-test -o {folder}/m".split())
    model = novikoff.load(folder / "m")
    for format, ending in (("json", "json"), ("c", "c"), ("javascript", "mjs"), ("onnx", "onnx")):
        export(model, folder / f"m.{ending}", format)
    (folder / "main.c").write_text(MAIN)
    (folder / "main.mjs").write_text(SCRIPT)
    if shutil.which("cc"):
        strict = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-pedantic"]
        subprocess.run(["cc", *strict, "main.c", "-o", "main"], cwd=folder, check=True)
    return folder


def of_pipeline(folder, rows):
    """What the pipeline says of rows of a text, a number and a text, taking what training did not have as nothing."""
    model = novikoff.load(folder / "m")
    model[0].set_params(unseen="zeros")
    return model.predict(pd.DataFrame(rows, columns=["level", "x", "complete"])).tolist()


@needs_node
@settings(max_examples=12)
@given(rows=ROWS)
def test_javascript_answers_as_the_pipeline(folder, rows):
    found = in_node(folder, [{"level": level, "x": x, "complete": other} for level, x, other in rows])
    assert found == of_pipeline(folder, rows)


@needs_cc
@settings(max_examples=12)
@given(rows=ROWS)
def test_c_answers_as_the_pipeline(folder, rows):
    asked = "".join(f".{a.encode().hex()} {x!r} .{b.encode().hex()}\n" for a, x, b in rows)
    done = subprocess.run([folder / "main"], input=asked, capture_output=True, text=True, check=True)
    assert ["abc"[int(place)] for place in done.stdout.split()] == of_pipeline(folder, rows)


@settings(max_examples=50)
@given(rows=ROWS)
def test_onnx_and_json_answer_as_the_pipeline(folder, rows):
    wanted = of_pipeline(folder, rows)
    session = onnxruntime.InferenceSession(folder / "m.onnx", providers=["CPUExecutionProvider"])
    level, x, other = zip(*rows, strict=True)
    feed = {"level": np.array(level, object)[:, None], "x": np.array(x)[:, None]}
    (label,) = session.run(["label"], {**feed, "complete": np.array(other, object)[:, None]})
    assert label.tolist() == wanted
    document = json.loads((folder / "m.json").read_text())
    assert [follow(document, {"level": a, "x": x, "complete": b}) for a, x, b in rows] == wanted


@needs_node
@settings(max_examples=12)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none(), min_size=20))
def test_numbers_given_for_levels_are_those_of_json_lines(folder, values):
    values = [*values, 1e-07, 5, 5.0, 1e16, 2.0**53, 0.0001, 1e-05, True, -0.0, 123456789.125]
    rows = [{"level": value, "x": 0.5, "complete": "5"} for value in values]
    lines = folder / "rows.jsonl"
    lines.write_text("".join(json.dumps({**row, "level": row["level"]}) + "\n" for row in rows))
    told = run("predict", folder / "m", lines, "--unseen", "zeros")[0].split()[1:]
    assert in_node(folder, rows) == told


CELLS = st.sampled_from([*ODD, "1e400", "-nan", "nan(7)", "1,5", "1.234,5", "€ 5", "12 %", "1 234"]) | st.text(
    "0123456789+-.,eE '€%x_\u00a0\t", max_size=7
)


@needs_node
@pytest.mark.parametrize("way", [PLAIN, Numeral(",", "."), Numeral(".", "'", "%"), Numeral(",", " ", "€")])
def test_numbers_in_texts_are_those_of_the_reader(tmp_path, way):
    """A text is a number, missing or refused in JavaScript as it is in a file."""
    values = [way.unit + f"{k},{k}".replace(",", way.decimal) for k in range(1, 12)]
    rows = [f"{value}|{'ab'[k % 2]}\n" for k, value in enumerate([*values, "NA"])]
    (tmp_path / "f.csv").write_text("x|y\n" + "".join(rows))
    told = ["--decimal", way.decimal, "--thousands", way.thousands or "none"]
    run("fit", tmp_path / "f.csv", "-t", "y", "-o", tmp_path / "m", "--no-test", "--na", "-9", "--use", "x", *told)
    model = novikoff.load(tmp_path / "m")
    stored = model[0].cells_.numerals.get("x", PLAIN)
    export(model, tmp_path / "m.mjs", "javascript")
    (tmp_path / "main.mjs").write_text(SCRIPT)
    missing = frozenset(model[0].cells_.missing)

    def wanted(text):
        try:
            (number,) = as_numbers(pa.array([text]), missing, "x", stored)
        except Fault:
            return "refused"
        frame = pd.DataFrame({"x": [number]})
        return model.decision_function(frame).tolist()

    @settings(max_examples=8)
    @given(st.lists(CELLS, min_size=1, max_size=80))
    def agree(texts):
        assert in_node(tmp_path, [{"x": text} for text in texts], "scores") == [wanted(text) for text in texts]

    agree()
