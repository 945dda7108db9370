"""The table functions: the same numbers as the command line, from files and from frames, shown in any place."""

import csv
import inspect
import io
import itertools
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from commands import PENGUINS, refused, results, run
from novikoff import (
    Adaline,
    AdalineRegressor,
    LogisticNeuron,
    Perceptron,
    TableEncoder,
    check_table,
    compare_tables,
    fit_table,
    predict_table,
    score_table,
    separability,
)
from novikoff.cli.errors import told_in_options
from novikoff.rows.store.blocks import DataError
from novikoff.rows.store.row_store import StoreSource
from novikoff.system.clock import Clock
from novikoff.tables.progress import Watcher, announcing
from novikoff.tables.results import plain
from novikoff.tables.table_rows import TableRows

FRAMES = {
    "pandas": lambda: pd.read_csv(PENGUINS),
    "polars": lambda: pl.read_csv(PENGUINS, null_values=["NA", ""]),
    "arrow": lambda: arrow_csv.read_csv(PENGUINS, convert_options=arrow_csv.ConvertOptions(strings_can_be_null=True)),
}
SHELL_ONLY = {"plot", "next"}  # which the command line adds


def without_times(value):
    if isinstance(value, dict):
        dropped = ("seconds", "compiling", "ask")  # how to ask for a proof is said in the words of each place
        return {key: without_times(part) for key, part in value.items() if key not in dropped}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def as_printed(result):
    document = told_in_options(plain({"command": result.command, **result.to_dict()}))
    return without_times(document)


def printed(*arguments, status=0):
    found = results(*arguments, status=status)
    return without_times({name: value for name, value in found.items() if name not in SHELL_ONLY})


@pytest.mark.parametrize(
    ("made", "typed"),
    [
        (lambda: fit_table(PENGUINS, "species", folds=3), ["fit", PENGUINS, "-t", "species", "--folds", 3]),
        (
            lambda: fit_table(
                str(PENGUINS), "species", "logistic-neuron", hold_out=0.2, missing="drop", ignore=["year", "sex"],
                standardise=False, seed=3, passes=4, parameters={"eta": 0.01, "solver": "steps"}, top=2, regions=False,
            ),
            [
                "fit", PENGUINS, "-t", "species", "--learner", "logistic-neuron", "--hold-out", 0.2, "--missing", "drop",
                "--ignore", "year", "--ignore", "sex", "--raw", "--seed", 3, "--passes", 4, "--set", "eta=0.01",
                "--set", "solver=steps", "--top", 2,
            ],
        ),
        (
            lambda: fit_table(PENGUINS, "body_mass_g", "adaline-regressor", test=False),
            ["fit", PENGUINS, "-t", "body_mass_g", "--learner", "adaline-regressor", "--no-test"],
        ),
        (
            lambda: check_table(PENGUINS, "species", max_margin=True, directions=False),
            ["check", PENGUINS, "-t", "species", "--max-margin", "--no-directions"],
        ),
        (
            lambda: compare_tables(PENGUINS, "species", ["perceptron", "adaline"], folds=3),
            ["compare", PENGUINS, "-t", "species", "--learner", "perceptron", "--learner", "adaline", "--folds", 3],
        ),
    ],
)  # fmt: skip
def test_python_and_the_shell_find_the_same(made, typed):
    assert as_printed(made()) == printed(*typed)


def test_models_score_and_predict_the_same_in_python_and_the_shell(model):
    assert as_printed(score_table(model, PENGUINS)) == printed("score", model, PENGUINS)
    [head, *rows] = csv.reader(io.StringIO(run("predict", model, PENGUINS, "--keep", "year", "--scores")[0]))
    found = predict_table(model, PENGUINS, keep="year", scores=True)
    assert list(found.columns) == head
    assert [list(map(str, row)) for row in zip(*found.columns.values(), strict=True)] == rows
    assert found.labels.tolist() == [row[1] for row in rows]
    np.testing.assert_array_equal(found.scores, [list(map(float, row[2:])) for row in rows])
    assert found.probabilities is None
    assert found.kept == {"year": [row[0] for row in rows]}
    assert len(found) == len(rows) == found.rows


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_is_read_by_the_rules_of_a_file(library):
    frame = FRAMES[library]()
    from_file, from_frame = (fit_table(source, "species", folds=3) for source in (PENGUINS, frame))
    ours, theirs = (without_times(result.to_dict()) for result in (from_file, from_frame))
    assert from_frame.files == [
        {"pandas": "pandas DataFrame", "polars": "polars DataFrame"}.get(library, "pyarrow Table")
    ]
    assert {**theirs, "files": ours["files"]} == ours
    np.testing.assert_array_equal(from_frame.model[-1].coef_, from_file.model[-1].coef_)
    checked = check_table(frame, "species")
    assert checked.kind == check_table(PENGUINS, "species").kind
    assert score_table(from_file, frame).score == from_file.scores["training"]
    assert predict_table(from_frame, frame).labels.tolist() == predict_table(from_file, PENGUINS).labels.tolist()


def test_ids_and_missing_values_of_frames_are_found():
    frame = pd.DataFrame({"id": range(30), "x": np.linspace(0, 1, 30), "y": ["a", "b"] * 15})
    frame.loc[3, "x"] = None
    frame.loc[4, "y"] = None
    result = fit_table(frame, "y", test=False)
    assert [each.column for each in result.left_out] == ["id"]
    assert "use='id'" in result.notes[0]
    assert result.rows.unlabelled == 1
    assert fit_table(frame, "y", test=False, missing="drop").rows.dropped == 1
    assert fit_table(frame, "y", test=False, use="id", ignore="x").features == 1
    with pytest.raises(
        DataError, match=r"pandas DataFrame \(rows count from 0\): row 3, column 'x': the value .* missing='impute'"
    ):
        fit_table(frame, "y", missing="error")


def test_errors_name_row_and_column_of_a_frame():
    frame = pd.DataFrame({"x": [1.0, np.inf, 2.0], "y": ["a", "b", "a"]})
    with pytest.raises(
        DataError, match=r"pandas DataFrame \(rows count from 0\): row 1, column 'x': 'inf'.* not a finite"
    ):
        fit_table(frame, "y")
    with pytest.raises(DataError, match="has no column 'z'"):
        fit_table(frame, "z")
    with pytest.raises(DataError, match=r"which column is to be predicted\? Name it with target="):
        fit_table(frame)
    result = fit_table(pd.DataFrame({"c": ["r", "g"] * 3, "y": ["a", "b"] * 3}), "y", test=False)
    new = pd.DataFrame({"c": ["r", "blue"]})
    with pytest.raises(DataError, match=r"row 1, column 'c': training had no 'blue' .* unseen='zeros'"):
        predict_table(result, new, unseen="error")
    assert predict_table(result, new).unseen == {"c": 1}


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (
            lambda: pl.LazyFrame({"x": [1], "y": ["a"]}),
            TypeError,
            r"LazyFrame has no rows yet: give what its collect\(\)",
        ),
        (lambda: pd.Series([1, 2], name="y"), TypeError, "not Series"),
        (lambda: pd.DataFrame([[1, 2, 3]], columns=["x", "x", "y"]), DataError, "column 'x' is there twice"),
        (
            lambda: pd.DataFrame({"x": ["a", 1], "y": ["a", "b"]}),
            DataError,
            "column x with type object; give every column",
        ),
        (lambda: pd.DataFrame({"x": [], "y": []}), DataError, "has no rows"),
        (lambda: pa.table({"x": [[1], [2]], "y": ["a", "b"]}), DataError, "column 'x' holds list.*; pass ignore='x'"),
    ],
)
def test_what_is_no_table_to_learn_from_is_said(frame, error, message):
    with pytest.raises(error, match=message):
        fit_table(frame(), "y")


def test_frames_of_any_types_are_read():
    x = np.linspace(-1, 1, 40)
    frame = pd.DataFrame({"c": pd.Categorical(["u", "v"] * 20), "b": x > 0.3, "x": x, "y": (x > 0).astype(int)})
    result = fit_table(frame, "y", test=False)
    assert [(column.name, column.kind) for column in result.columns] == [
        ("c", "category"),
        ("b", "category"),
        ("x", "number"),
    ]
    given = pl.from_pandas(frame).with_columns(pl.col("c").cast(pl.Categorical))
    batch = pa.RecordBatch.from_pandas(frame)
    for other in (given, batch, frame.set_index(pd.Index([f"row {i}" for i in range(40)]))):
        np.testing.assert_array_equal(fit_table(other, "y", test=False).model[-1].coef_, result.model[-1].coef_)
    assert result.model.predict(frame.drop(columns="y")).tolist() == predict_table(result, given).labels.tolist()


def test_sources_are_paths_patterns_and_lists(tmp_path):
    lines = PENGUINS.read_text().splitlines(keepends=True)
    (tmp_path / "a1.csv").write_text("".join(lines[:200]))
    (tmp_path / "a2.csv").write_text("".join([lines[0], *lines[200:]]))
    whole = fit_table(PENGUINS, "species", test=False)
    for source in (tmp_path / "a*.csv", [tmp_path / "a1.csv", str(tmp_path / "a2.csv")]):
        found = fit_table(source, "species", test=False)
        assert found.files == [str(tmp_path / "a1.csv"), str(tmp_path / "a2.csv")]
        assert found.rows == whole.rows
    both = fit_table([pd.read_csv(tmp_path / "a1.csv"), tmp_path / "a2.csv"], "species", test=False)
    np.testing.assert_array_equal(both.model[-1].coef_, found.model[-1].coef_)
    assert both.files == ["pandas DataFrame 1", str(tmp_path / "a2.csv")]
    with pytest.raises(ValueError, match="no file has such a name"):
        fit_table(tmp_path / "b*.csv", "species")
    with pytest.raises(ValueError, match="nothing to read"):
        fit_table([], "species")
    with pytest.raises(TypeError, match="not ndarray"):
        fit_table(np.zeros((3, 2)), "species")


def test_no_output_replaces_a_file_that_a_pattern_names(tmp_path, model):
    path = tmp_path / "a1.csv"
    path.write_bytes(PENGUINS.read_bytes())
    with pytest.raises(ValueError, match="would be written over"):
        fit_table(tmp_path / "a*.csv", "species", output=path)
    assert "would be written over" in refused("fit", tmp_path / "a*.csv", "-t", "species", "-o", path)
    assert "would be written over" in refused("predict", model, tmp_path / "a?.csv", "-o", path)
    assert "would be written over" in refused("compare", tmp_path / "a?.csv", "-t", "species", "--plot", path)
    assert path.read_bytes() == PENGUINS.read_bytes()
    assert "no file has such a name" in refused("check", tmp_path / "b*.csv", "-t", "species")


def test_a_learner_is_a_name_or_an_estimator(monkeypatch):
    own = Perceptron(eta=0.5, max_iter=4)
    given = fit_table(PENGUINS, "species", own, test=False)
    named = fit_table(PENGUINS, "species", "perceptron", parameters={"eta": 0.5}, passes=4, test=False)
    np.testing.assert_array_equal(given.model[-1].coef_, named.model[-1].coef_)
    assert not hasattr(own, "coef_")
    assert own.random_state is None
    assert fit_table(PENGUINS, "species", own, passes=2, test=False).model[-1].max_iter == 2
    seeded = fit_table(PENGUINS, "species", Perceptron(random_state=5), test=False)
    assert seeded.model[-1].random_state == 5
    found = compare_tables(PENGUINS, "species", [own, "adaline"], folds=2)
    assert set(found.scores) == {"Perceptron(eta=0.5, max_iter=4)", "adaline"}
    with pytest.raises(TypeError, match="an estimator of novikoff"):
        fit_table(PENGUINS, "species", TableEncoder())
    with pytest.raises(ValueError, match=r"learner='perseptron' is not known. Did you mean perceptron"):
        fit_table(PENGUINS, "species", "perseptron")
    with pytest.raises(ValueError, match=r"Perceptron has no parameter 'etta'. Did you mean eta"):
        fit_table(PENGUINS, "species", parameters={"etta": 1})


def test_a_model_is_a_file_a_result_or_itself(tmp_path):
    result = fit_table(PENGUINS, "species", test=False, output=tmp_path / "one")
    assert result.model_file == str(tmp_path / "one") == result.to_dict()["model"]
    result.save(tmp_path / "two")
    expected = result.scores["training"]
    for model in (result, tmp_path / "one", str(tmp_path / "two")):
        assert score_table(model, PENGUINS).score == expected
    assert score_table(result.model, PENGUINS, "species").score == expected
    with pytest.raises(DataError, match="which column"):
        score_table(result.model, PENGUINS)
    assert score_table(result, PENGUINS).model is result.model
    assert result.model[0].unseen == "zeros"  # as before: models are left as they are
    by_hand = make_pipeline(TableEncoder(), Perceptron())
    with pytest.raises(NotFittedError):
        predict_table(by_hand, PENGUINS)
    with pytest.raises(TypeError, match="a fitted model; got int"):
        predict_table(3, PENGUINS)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"folds": 1}, "folds is a whole number, at least 2"),
        ({"passes": 0}, "passes is a whole number"),
        ({"folds": 3, "hold_out": 0.1}, r"Choose one of folds=\.\.\., hold_out=\.\.\. and test=False"),
        ({"hold_out": 1.5}, "hold_out=1.5 must be above 0 and below 1"),
        ({"missing": "fill"}, "missing is one of 'impute', 'drop', 'error'"),
        ({"dates": "days"}, "dates is one of"),
        ({"memory": "much"}, "memory='much' is not an amount"),
        ({"interrupted": "x"}, "interrupted is one of"),
        ({"output": PENGUINS}, "would be written over"),
    ],
)
def test_bad_choices_are_refused_in_python_words(choice, message):
    with pytest.raises(ValueError, match=message):
        fit_table(PENGUINS, "species", **choice)


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match=r"no keyword argument 'ignor'. Did you mean 'ignore'"):
        fit_table(PENGUINS, "species", ignor="year")
    with pytest.raises(TypeError, match="'categorical'"):
        score_table("model", PENGUINS, categorical="year")


def test_results_have_what_they_found():
    fitted = fit_table(PENGUINS, "species", folds=3)
    assert set(fitted.scores) == {"training", "progressive", "cross-validated"}
    assert fitted.separability.kind == fitted.proof.kind == check_table(PENGUINS, "species").proof.kind
    assert fitted.separability.ask == f"novikoff.check_table({str(PENGUINS)!r}, 'species')"
    features = fitted.model[0].set_params(standardise=False).fit(pd.read_csv(PENGUINS).drop(columns="species"))
    labels = pd.read_csv(PENGUINS)["species"]
    rows = features.transform(pd.read_csv(PENGUINS).drop(columns="species"))
    assert check_table(PENGUINS, "species").kind == separability(rows, labels).kind
    numbers = fit_table(PENGUINS, "body_mass_g", "adaline-regressor", test=False)
    assert numbers.separability is None
    assert numbers.proof is None
    told = []
    checked = check_table(PENGUINS, "island", on_verdict=told.append)
    assert told[0].kind == checked.kind
    assert told[0].in_the_way is None


def test_predictions_become_frames():
    result = fit_table(PENGUINS, "species", "logistic-neuron", test=False)
    found = predict_table(result, PENGUINS, keep=["year"], probabilities=True)
    assert found.probabilities.shape == (len(found), 3)
    names = ["year", "prediction", *(f"probability of {label}" for label in found.classes)]
    assert list(found.to_frame().columns) == names == found.to_frame("polars").columns
    assert found.to_frame("arrow").column_names == names
    assert isinstance(found.to_frame("arrow"), pa.Table)
    with pytest.raises(ValueError, match="library must be one of"):
        found.to_frame("excel")
    with pytest.raises(ValueError, match=r"Perceptron has no probabilities. Pass scores=True"):
        predict_table(fit_table(PENGUINS, "species", test=False), PENGUINS, probabilities=True)
    numbers = predict_table(
        fit_table(PENGUINS, "body_mass_g", "adaline-regressor", test=False), PENGUINS, unseen="zeros"
    )
    assert numbers.classes is None
    assert numbers.labels.dtype == float
    assert "Predictions" in str(numbers)


@pytest.fixture(scope="module")
def shown():
    fitted = fit_table(PENGUINS, "species", regions=True)
    return {
        "fit": fitted,
        "numbers": fit_table(PENGUINS, "body_mass_g", "adaline-regressor"),
        "check": check_table(PENGUINS, "island"),
        "compare": compare_tables(PENGUINS, "species", ["perceptron", "adaline"], folds=2),
        "score": score_table(fitted, PENGUINS),
        "predict": predict_table(fitted, PENGUINS, scores=True),
    }


class Balanced(HTMLParser):
    """Every element that is opened is closed, in order."""

    VOID = ("meta", "img", "!doctype")

    def __init__(self):
        super().__init__()
        self.open, self.sources = [], []

    def handle_starttag(self, tag, attrs):
        self.sources += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in self.VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


TITLES = {
    "fit": "The answer",
    "numbers": "Scores",
    "check": "Rows most in the way",
    "compare": "Learners compared",
    "score": "Confusion, scored rows",
    "predict": "The first rows",
}


@pytest.mark.parametrize("kind", TITLES)
def test_results_are_shown_in_every_place(kind, shown):
    result = shown[kind]
    view = ElementTree.fromstring(result._repr_html_())
    titles = [each.text for each in view.iter("summary")]
    assert TITLES[kind] in titles
    text = str(result)
    assert text == repr(result)
    for title in titles:
        assert f"{title}\n" in f"{text}\n"
    page = Balanced()
    page.feed(result.to_html())
    assert page.open == []
    assert all(source.startswith("data:") for source in page.sources)
    assert ("Regions" in result.to_html()) == (kind == "fit")
    assert "--" not in text.replace("---", "")
    json.dumps(plain(result.to_dict()))


def test_the_text_of_a_result_is_text_in_a_notebook_too(shown, monkeypatch):
    """Where rich finds a notebook it displays what it is to print, unless it is told not to."""
    before = repr(shown["check"])
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert repr(shown["check"]) == before


def test_a_view_without_rich_is_short_and_says_what_is_missing():
    program = """
import sys
sys.modules["rich"] = sys.modules["rich.console"] = None
import novikoff
result = novikoff.fit_table(sys.argv[1], "species", test=False)
assert "linearly separable (proved)" in repr(result) and "pip install" in repr(result), repr(result)
assert "<details" in result._repr_html_()
"""
    subprocess.run([sys.executable, "-c", program, str(PENGUINS)], check=True)


@pytest.mark.parametrize("learner", ["perceptron", "linear-svm", "kernel-perceptron"])
def test_rows_held_out_are_no_training_rows(learner):
    """Also of learners that are fitted at once."""
    result = fit_table(PENGUINS, "species", learner, hold_out=0.25, missing="drop")
    rows, scored = result.rows, result.report.fit.training.rows
    assert rows.training == scored == rows.read - rows.dropped - rows.held_out
    assert rows.held_out == result.report.test.rows == round(0.25 * (rows.read - rows.dropped))


def test_an_interruption_goes_on_unless_a_result_is_asked_for(tmp_path, monkeypatch):
    seen, real = [], StoreSource.make_pass

    def interrupted(self, *arguments, **more):
        seen.append(1)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return real(self, *arguments, **more)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(StoreSource, "make_pass", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit_table(PENGUINS, "species", test=False)
    assert list(tmp_path.iterdir()) == []
    seen.clear()
    with pytest.raises(KeyboardInterrupt) as caught:
        fit_table(PENGUINS, "species", test=False, checkpoint="half")
    assert "the same call goes on" in caught.value.__notes__[0]
    again = fit_table(PENGUINS, "species", test=False, checkpoint="half")
    monkeypatch.undo()
    np.testing.assert_array_equal(again.model[-1].coef_, fit_table(PENGUINS, "species", test=False).model[-1].coef_)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(StoreSource, "make_pass", interrupted)
    seen.clear()
    left = fit_table(PENGUINS, "species", test=False, interrupted="return")
    assert left.model is None
    assert left.scores == {}
    assert "What was learned in 2 whole passes is in novikoff.checkpoint" in str(left)
    with pytest.raises(ValueError, match="has no model"):
        predict_table(left, PENGUINS)


def test_every_parameter_is_explained():
    for function in (fit_table, check_table, compare_tables, score_table, predict_table):
        text = function.__doc__
        assert "{parameters}" not in text
        listed = [line.split(" : ")[0] for line in text.splitlines() if " : " in line and not line.startswith(" ")]
        assert listed == list(inspect.signature(function).parameters)


# The same name means the same fit in every door

NAMED = {"logistic-neuron": LogisticNeuron, "adaline": Adaline, "adaline-regressor": AdalineRegressor}
named = pytest.mark.parametrize("name", NAMED)


def target_of(name):
    return "body_mass_g" if name == "adaline-regressor" else "island"


@named
def test_a_name_is_solved_where_python_solves(name):
    found = fit_table(PENGUINS, target_of(name), name, folds=2)
    encoder, learner = found.model
    rows = pd.read_csv(PENGUINS).dropna(subset=[target_of(name)])
    X, y = encoder.transform(rows.drop(columns=target_of(name))), rows[target_of(name)].to_numpy()
    alone = NAMED[name]().fit(X, y)
    assert learner.stop_reason_ == found.report.fit.stop_reason == "solved"
    assert (learner.solver_, learner.l2_) == (alone.solver_, alone.l2_)
    assert (found.report.fit.solver, found.report.fit.l2) == (alone.solver_, alone.l2_)
    np.testing.assert_allclose(learner.coef_, alone.coef_, rtol=1e-6, atol=1e-9)
    assert found.scores["training"] == pytest.approx(alone.score(X, y))
    task = "numbers" if name == "adaline-regressor" else "classes"
    line = compare_tables(PENGUINS, target_of(name), [name], folds=2, task=task)
    assert line.scores[name] == found.scores["cross-validated"]
    shell = results("fit", PENGUINS, "-t", target_of(name), "--learner", name, "--no-test")
    assert (shell["fit"]["solver"], shell["fit"]["l2"]) == (alone.solver_, alone.l2_)
    assert shell["fit"]["training"]["score"] == found.scores["training"]
    assert f"(solver: {alone.solver_}, l2: {alone.l2_:g})" in " ".join(str(found).split())
    assert "mistake" not in str(found)  # a solver makes none on the way


@named
def test_passes_limit_a_solver_and_never_change_it(name):
    found = fit_table(PENGUINS, target_of(name), name, test=False, passes=2)
    learner = found.model[-1]
    assert learner.solver_ != "steps"
    assert learner.n_iter_ <= 2
    short = learner.stop_reason_ == "budget"
    assert short == any("made 2 iterations, all that max_iter=2 allows" in text for text in found.warnings)
    steps = fit_table(PENGUINS, target_of(name), name, test=False, parameters={"solver": "steps", "min_progress": None})
    assert (steps.model[-1].solver_, steps.model[-1].n_iter_, steps.report.fit.solver) == ("steps", 10, None)


@named
def test_rows_that_do_not_fit_are_learned_from_in_steps_and_a_note_says_so(name, monkeypatch):
    monkeypatch.setattr(TableRows, "bytes_at_once", 10**18)
    asked = NAMED[name]()
    for learner in (name, asked):
        found = fit_table(PENGUINS, target_of(name), learner, folds=2)
        (note,) = (text for text in found.notes if "took steps" in text)
        assert "at most 10 passes" in note
        assert "memory=..." in note
        assert (found.model[-1].solver_, found.model[-1].l2_, found.report.fit.solver) == ("steps", 0, None)
        assert "(l2: 0)" in " ".join(str(found).split())
    assert asked.get_params() == NAMED[name]().get_params()
    task = "numbers" if name == "adaline-regressor" else "classes"
    compared = compare_tables(PENGUINS, target_of(name), [name], folds=2, task=task)
    assert compared.scores[name] == found.scores["cross-validated"]
    assert any(text.startswith(note.split(":")[0]) for text in compared.notes)
    shell = results("fit", PENGUINS, "-t", target_of(name), "--learner", name, "--no-test")
    assert any("took steps (--set solver=steps" in text and text.endswith("with --memory.") for text in shell["notes"])
    solver = "newton" if name == "logistic-neuron" else "direct"
    with pytest.raises(DataError, match=f"solver='{solver}' solves for all rows at once"):
        fit_table(PENGUINS, target_of(name), name, parameters={"solver": solver})


def test_a_checkpoint_is_for_steps(tmp_path):
    path = tmp_path / "checkpoint"
    with pytest.raises(
        ValueError, match=r"LogisticNeuron is solved for all rows: use parameters=\{'solver': 'steps'\}"
    ):
        fit_table(PENGUINS, "island", "logistic-neuron", checkpoint=path)
    message = refused("fit", PENGUINS, "-t", "island", "--learner", "logistic-neuron", "--checkpoint", path)
    assert message.endswith("use --set solver=steps.")
    fit_table(PENGUINS, "island", "logistic-neuron", parameters={"solver": "steps"}, checkpoint=path, test=False)
    assert path.exists()


def test_a_solver_that_ended_at_its_limit_says_so_in_the_answer():
    shown = " ".join(
        run("fit", PENGUINS, "-t", "sex", "--learner", "logistic-neuron", "--passes", 2, "--no-test")[0].split()
    )
    assert "Learning stopped at the limit of 2 iterations while still improving; try --passes 20." in shown
    assert "all that --passes 2 allows" in shown


def test_what_takes_long_says_how_long(monkeypatch):
    """Seconds pass quickly here: each look at the clock is ten more."""
    seconds = itertools.count(0, 10)
    monkeypatch.setattr("novikoff.tables.progress.time.monotonic", lambda: float(next(seconds)))
    lines = []
    advance = announcing("Learning", 900.0, lines.append)
    for _ in range(9):
        advance(100.0)
    assert lines == ["novikoff: learning takes long: after 20 seconds, about 1 minute more at most."]


@pytest.mark.parametrize(
    ("gaps", "more"),
    [([1.0, 0.1, 0.01], "It goes on for about 3 minutes at this rate."), ([1.0] * 3, "A step takes 50 seconds.")],
)
def test_a_solver_says_how_long_it_takes_at_this_rate(monkeypatch, gaps, more):
    """The gap falls to a tenth in 100 seconds, and two such falls are left; six steps took 300 seconds."""
    now = itertools.chain([0.0, 1.0, 2.0], itertools.repeat(21.0))
    monkeypatch.setattr("novikoff.tables.progress.time.monotonic", lambda: next(now))
    passed = itertools.count(0, 100)
    monkeypatch.setattr("novikoff.system.clock.perf_counter", lambda: float(next(passed)))
    lines = []
    clock = Clock()
    with Watcher(tell=lines.append).solving("Learning", goal=1e-4):
        for step, gap in enumerate(gaps):
            clock.note("newton", 2 * step + 2, gap)
    assert len(lines) == 1
    assert more in lines[0]


def test_a_solver_that_takes_long_says_how_far_it_is(monkeypatch):
    """Seconds pass quickly here: each look at the clock is one more."""
    seconds = itertools.count()
    monkeypatch.setattr("novikoff.system.clock.perf_counter", lambda: float(next(seconds)))
    lines = []
    table = pd.DataFrame({"x": np.arange(60.0) % 7, "z": np.arange(60.0) % 11, "y": ["a", "b", "c"] * 20})
    fit_table(table, "y", learner="logistic-neuron", watcher=Watcher(status=lines.append))
    assert lines[-1] == ""  # nothing is left behind
    assert any(re.fullmatch(r"Learning: .+: gap about .+ after \d+ steps? and \d+ s", line) for line in lines)
