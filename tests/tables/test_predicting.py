"""``predict``: which columns it hands through, scores and probabilities."""

import csv
import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import novikoff
from commands import FORMATS, PENGUINS, refused, run
from novikoff.report.words import installing


def table(*arguments, **more):
    """What is printed, as lists of texts by column."""
    rows = list(csv.reader(io.StringIO(run("predict", *arguments, **more)[0])))
    return dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))


@pytest.mark.parametrize("name", ["penguins.csv", *FORMATS])
def test_columns_are_handed_through_from_every_format(name, model):
    path = PENGUINS.with_name(name)
    given = pd.read_csv(PENGUINS, dtype=str, keep_default_na=False)
    found = table(model, path, "--keep", "year", "--keep", "species")
    assert list(found) == ["year", "species", "prediction"]
    assert found["year"] == tuple(given["year"])
    assert found["species"] == tuple(given["species"])
    assert found["prediction"] == table(model, path)["prediction"]


def test_ids_are_handed_through_as_they_stand(model, write):
    lines = PENGUINS.read_text().splitlines()
    ids = ["00017", "9007199254740993", "NA", "", '"a, ""b"""', "1e5", "-0.0"]
    path = write("\n".join([f"id,{lines[0]}", *(f"{own},{line}" for own, line in zip(ids, lines[1:], strict=False))]))
    expected = ("00017", "9007199254740993", "NA", "", 'a, "b"', "1e5", "-0.0")
    assert table(model, path, "--keep", "id")["id"] == expected
    assert table(model, path, path, "--keep", "id")["id"] == 2 * expected
    assert table(model, "-", "--keep", "id", stdin=path.read_bytes())["id"] == expected
    assert "did you mean 'id'?" in refused("predict", model, path, "--keep", "idd")


def test_numbers_of_json_are_handed_through_exactly(write, tmp_path):
    rows = '{"id": %s, "x": 1, "y": "a"}\n{"id": %s, "x": 2, "y": "b"}\n'
    run("fit", write(rows % (5, 7), "fit.jsonl"), "-t", "y", "--ignore", "id", "--no-test", "-o", tmp_path / "m")
    path = write(rows % (2**53 + 1, 7), "rows.jsonl")
    assert table(tmp_path / "m", path, "--keep", "id")["id"] == (str(2**53 + 1), "7")


def test_rows_and_what_is_kept_of_them_stay_together(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice([-1.0, 1.0], 500), "id": np.arange(500)})
    frame["y"] = np.where(frame["x"] > 0, "up", "down")
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    run("fit", path, "-t", "y", "--ignore", "id", "--no-test", "-o", tmp_path / "m")
    monkeypatch.setattr("novikoff.rows.readers.columnar.ROWS", 7)
    monkeypatch.setattr("novikoff.rows.readers.columnar.BYTES", 8 * 7)
    found = table(tmp_path / "m", path, "--keep", "id", "--keep", "y")
    assert found["id"] == tuple(map(str, frame["id"]))
    assert found["prediction"] == found["y"]


def test_names_that_would_stand_twice_are_refused(model, write):
    lines = PENGUINS.read_text().replace("year", "prediction").splitlines()
    path = write("\n".join([lines[0] + ",year", *(f"{line},2007" for line in lines[1:])]))
    for names in (["prediction"], ["sex", "sex"]):
        keep = [word for name in names for word in ("--keep", name)]
        assert "two columns would have that name" in refused("predict", model, path, *keep)


def test_sparse_rows_have_nothing_to_keep(write, tmp_path):
    path = write("1 1:2\n-1 2:1\n" * 3, "rows.svm")
    run("fit", path, "--no-test", "-o", tmp_path / "m")
    assert "no columns by name" in refused("predict", tmp_path / "m", path, "--keep", "id")


@pytest.mark.parametrize("target", ["species", "sex"])
def test_probabilities_are_those_of_the_model(target, tmp_path):
    path = tmp_path / "m"
    options = ("--missing", "drop", "--no-test", "-o", path)
    run("fit", PENGUINS, "-t", target, "--learner", "logistic-neuron", *options)
    loaded = novikoff.load(path)
    frame = pd.read_csv(PENGUINS)
    found = table(path, PENGUINS, "--probabilities", "--unseen", "zeros")
    told = np.array([found[f"probability of {label}"] for label in loaded.classes_], dtype=float).T
    np.testing.assert_allclose(told, loaded.set_params(table__unseen="zeros").predict_proba(frame), rtol=1e-12)
    np.testing.assert_allclose(told.sum(axis=1), 1)


def test_learners_without_probabilities_say_so(model):
    message = refused("predict", model, "nowhere.csv", "--probabilities")
    assert message.endswith("Perceptron has no probabilities. Pass --scores, or train with --learner logistic-neuron.")


def test_what_an_export_lacks_is_named(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    message = refused("export", model, "--to", "onnx", "-o", tmp_path / "model.onnx")
    assert message == f"Exporting to ONNX needs onnx: {installing('onnx')}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "command"), [("matplotlib", "compare"), ("pyarrow", "fit")])
def test_other_packages_that_are_lacking_are_named(name, command, tmp_path):
    options = ["--plot", str(tmp_path / "x.png"), "--learner", "perceptron"] if command == "compare" else []
    words = ["novikoff", command, str(PENGUINS), "-t", "species", *options]
    program = (
        f"import sys; sys.modules[{name!r}] = None; sys.argv = {words!r}; from novikoff.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert installing("cli") in done.stderr
    assert "report it" not in done.stderr
