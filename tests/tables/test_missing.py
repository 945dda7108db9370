"""Missing values at prediction: as in training where training lacked some, else refused, or said to be nothing."""

import json
import subprocess

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import novikoff
from commands import refused, run
from exported import SCRIPT, follow, in_node, needs_cc, needs_node
from novikoff import Perceptron, TableEncoder
from novikoff.models.export.exporting import export
from novikoff.rows.store.blocks import DataError

FRAME = pd.DataFrame(
    {
        "x": [1.0, 2.0, np.nan, 9.0],  # lacks some, as k does
        "z": [1.0, 2.0, 3.0, 10.0],
        "k": ["a", None, "b", "a"],
        "c": ["a", "b", "b", "a"],
    }
)
LABELS = ["p", "q", "p", "q"]
NOTHING = {"x": np.nan, "z": np.nan, "k": None, "c": None}


@pytest.mark.parametrize("standardise", [True, False])
def test_what_training_lacked_is_filled_and_what_it_did_not_lack_says_nothing(standardise):
    encoder = TableEncoder(standardise=standardise, unseen="error").fit(FRAME)
    fills = {column.name: column.fill for column in encoder.columns_[:2]}
    assert fills == {"x": 2.0, "z": 4.0}  # the median; the mean, which says nothing
    for name, what in (
        ("x", None),
        ("z", "missing, and in training no value was"),
        ("k", None),
        ("c", "missing, and in training no value was"),
    ):
        row = FRAME[:2].assign(**{name: [FRAME[name][0], NOTHING[name]]})
        if what is None:
            assert encoder.transform(row).shape == (2, 7)
            continue
        with pytest.raises(DataError, match=f"row 1 .counted from 0., column '{name}': {what}"):
            encoder.transform(row)
    encoder.set_params(unseen="zeros")
    (found,) = encoder.transform(FRAME[:1].assign(**{name: [value] for name, value in NOTHING.items()})).toarray()
    columns = dict(zip(encoder.get_feature_names_out(), found, strict=True))
    shift = {column.name: column for column in encoder.columns_[:2]}
    assert columns["x"] == (2.0 - shift["x"].center) / shift["x"].scale
    assert columns["z"] == (0 if standardise else 4.0)
    assert (columns["k=(missing)"], columns["c=a"], columns["c=b"]) == (1, 0, 0)


def test_numbers_alone_are_refused_too():
    encoder = TableEncoder(unseen="error").fit(FRAME[["x", "z"]])
    with pytest.raises(DataError, match=r"row 2 .*column 'z': missing"):
        encoder.transform(FRAME[["x", "z"]].assign(z=[1, 2, np.nan, 3]))


def test_the_command_line_names_the_place(write, tmp_path):
    run("fit", write(FRAME.assign(y=LABELS).to_csv(index=False)), "-t", "y", "-o", tmp_path / "m", "--no-test")
    for line, name in (("1,,a,b", "z"), ("1,2,a,", "c")):
        path = write(f"x,z,k,c,y\n1,2,a,a,p\n{line},p\n", f"{name}.csv")
        column = line.index(",,") + 2 if ",," in line else len(line) + 1
        for command in ("predict", "score"):
            assert refused(command, tmp_path / "m", path, "--unseen", "error") == (
                f"{path}:3:{column}: the value of '{name}' is missing, and training had no missing value in this column; fill it "
                "in, or pass --unseen zeros to ignore it."
            )
            assert f"1 value that training did not have, in '{name}' (1), had no effect" in "".join(
                run(command, tmp_path / "m", path)
            )
    gaps = write("x,z,k,c\n,2,,a\n", "gaps.csv")
    assert run("predict", tmp_path / "m", gaps)[0].count("\n") == 2


VALUES = st.fixed_dictionaries(
    {
        "x": st.sampled_from([np.nan, 0.0, 2.0]) | st.floats(-99, 99),
        "z": st.sampled_from([np.nan, 0.0, 4.0]) | st.floats(-99, 99),
        "k": st.sampled_from([None, "", "a", "b", "new"]),
        "c": st.sampled_from([None, "", "a", "b", "new"]),
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("missing")
    model = make_pipeline(TableEncoder(unseen="zeros"), Perceptron(order="cyclic", max_iter=50)).fit(FRAME, LABELS)
    novikoff.save(model, folder / "m")
    for format, ending in (("json", "json"), ("c", "c"), ("javascript", "mjs"), ("onnx", "onnx")):
        export(model, folder / f"m.{ending}", format)
    (folder / "main.mjs").write_text(SCRIPT)
    return folder


def of_pipeline(folder, rows):
    return novikoff.load(folder / "m").predict(pd.DataFrame(rows).astype({"k": "str", "c": "str"})).tolist()


@settings(max_examples=40)
@given(rows=st.lists(VALUES, min_size=1, max_size=20))
def test_onnx_and_json_have_the_same_rule(folder, rows):
    wanted = of_pipeline(folder, rows)
    session = onnxruntime.InferenceSession(folder / "m.onnx", providers=["CPUExecutionProvider"])
    feed = {name: np.array([row[name] for row in rows])[:, None] for name in "xz"}
    feed |= {name: np.array([row[name] or "" for row in rows], object)[:, None] for name in "kc"}
    assert session.run(["label"], feed)[0].tolist() == wanted
    document = json.loads((folder / "m.json").read_text())
    assert [two_classes(document, {**row, "k": row["k"] or "", "c": row["c"] or ""}) for row in rows] == wanted


def two_classes(document, row):
    """The label of a document of one score."""
    both = {**document, "weights": [np.zeros(len(document["weights"][0])), document["weights"][0]]}
    return follow({**both, "intercept": [0.0, document["intercept"][0]]}, row)


@needs_node
@settings(max_examples=8)
@given(rows=st.lists(VALUES, min_size=1, max_size=40))
def test_javascript_has_the_same_rule(folder, rows):
    assert in_node(folder, rows) == of_pipeline(folder, rows)


@needs_cc
@settings(max_examples=5)
@given(rows=st.lists(VALUES, min_size=1, max_size=40))
def test_c_has_the_same_rule(folder, rows):
    numbers = ", ".join("NAN" if row[name] != row[name] else repr(row[name]) for row in rows for name in "xz")
    texts = ", ".join("NULL" if row[name] is None else f'"{row[name]}"' for row in rows for name in "kc")
    (folder / "main.c").write_text(
        f"""#include <math.h>
#include <stdio.h>
#include "m.c"
static const double numbers[] = {{{numbers}}};
static const char *const texts[] = {{{texts}}};
int main(void) {{
  size_t i;
  for (i = 0; i < {len(rows)}; i++) puts(m_classes[m_predict(numbers + 2 * i, texts + 2 * i)]);
  return 0;
}}
"""
    )
    subprocess.run(["cc", "-std=c99", "main.c", "-o", "main"], cwd=folder, check=True)
    found = subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout.split()
    assert found == of_pipeline(folder, rows)
