"""What is said of how good a model is: folds, spreads, classes, and models that have learned nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import event
from sklearn.metrics import precision_score, recall_score

from commands import PENGUINS, refused, results, run
from novikoff.report.result_sections import fit_sections
from novikoff.report.sections import TERMINAL
from novikoff.report.terminal import as_text
from novikoff.tables import progress, table_rows
from novikoff.tables.evaluation import by_class, doubt


def rows_of(labels, seed=0):
    """A file whose numbers say nothing of these labels."""
    values = np.random.default_rng(seed).standard_normal((len(labels), 2))
    lines = [f"{a},{b},{label}" for (a, b), label in zip(values, labels, strict=True)]
    return "\n".join(["a,b,y", *lines])


def test_folds_are_as_many_as_asked_for_and_of_equal_size(write):
    labels = ["a", "b"] * 3
    found = results("fit", write(rows_of(labels)), "-t", "y", "--folds", 5)
    assert len(found["test"]["folds"]) == 5
    assert found["test"]["rows"] == 6
    assert found["test"]["spread_is"] == "standard deviation of 5 scores, of 1 or 2 rows each"
    alone = results("fit", write(rows_of(labels)), "-t", "y", "--folds", 6)["test"]
    assert alone["spread_is"] == "standard deviation of 6 scores, of 1 row each"
    assert set(alone["folds"]) <= {0.0, 1.0}


def test_the_spread_is_what_it_says():
    test = results("fit", PENGUINS, "-t", "sex", "--missing", "drop", "--folds", 4)["test"]
    assert test["spread_is"] == "standard deviation of 4 scores, of 83 or 84 rows each"
    assert test["spread"] == pytest.approx(np.std(test["folds"], ddof=1))
    assert test["score"] == pytest.approx(1 - test["errors"] / test["rows"])


def test_an_interval_is_not_shown_as_if_it_were_even():
    test = results("fit", PENGUINS, "-t", "species", "--hold-out", 0.2)["test"]
    assert "spread" not in test
    assert test["low"] <= test["score"] <= test["high"]
    said = " ".join(run("fit", PENGUINS, "-t", "species", "--hold-out", 0.2)[0].split())
    assert "±" not in said
    assert "between" in said
    assert "(95% interval for rows drawn as these were)" in said


def test_scores_do_not_depend_on_the_memory(monkeypatch):
    options = (["--folds", 3], ["--hold-out", 0.25])
    whole = [results("fit", PENGUINS, "-t", "species", *option) for option in options]
    monkeypatch.setattr(table_rows, "rows_budget", lambda asked: 1000)
    for option, expected in zip(options, whole, strict=True):
        found = results("fit", PENGUINS, "-t", "species", *option)
        assert found["confusion"] == expected["confusion"]
        assert found["rows"] == expected["rows"]


def test_folds_of_numbers_are_scored_together(write):
    path = write("x,y\n" + "".join(f"{i},{2 * i + i % 3}\n" for i in range(12)))
    test = results("fit", path, "-t", "y", "--learner", "adaline-regressor", "--folds", 12, "--passes", 200)["test"]
    assert test["folds"] == []  # a single number has no R²
    assert test["spread"] is test["spread_is"] is None
    assert 0.5 < test["score"] < 1


def test_more_folds_than_rows_are_refused_before_any_work(write):
    message = refused("compare", PENGUINS, "-t", "species", "--folds", 1000)
    assert message == "--folds 1000 is more than the 344 rows: choose from 2 to 344."


LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


@given(LABELS)
def test_measures_of_classes_are_those_of_scikit_learn(pairs):
    true, told = np.array(pairs).T
    confusion = np.zeros((4, 4), dtype=int)
    np.add.at(confusion, (true, told), 1)
    found = by_class("abcd", confusion)
    assert found.chance == np.bincount(true).max() / len(true)
    recalls = recall_score(true, told, labels=np.unique(true), average="macro", zero_division=0.0)
    assert found.balanced_accuracy == pytest.approx(recalls)
    for name, score in (("precision", precision_score), ("recall", recall_score)):
        wanted = score(true, told, labels=range(4), average=None, zero_division=np.nan)
        got = [np.nan if getattr(each, name) is None else getattr(each, name) for each in found.per_class]
        assert got == pytest.approx(wanted, nan_ok=True)


@given(st.lists(st.integers(1, 500), min_size=2, max_size=5), st.data())
def test_a_constant_model_is_always_doubted_and_a_perfect_one_never(rows, data):
    labels = [f"c{k}" for k in range(len(rows))]
    constant = np.zeros((len(rows),) * 2, dtype=int)
    constant[:, data.draw(st.integers(0, len(rows) - 1))] = rows
    assert "the same answer" in doubt(labels, constant, "tested")
    assert doubt(labels, np.diag(rows), "tested") is None


def test_models_that_are_nearly_constant_or_no_better_are_doubted():
    assert "for 998 of 1,000 tested rows, though 100 are of another class" in doubt(
        "ab", np.array([[900, 0], [98, 2]]), "tested"
    )
    assert "right on 91.0% of 1,000 tested rows; always answering 'a' would be right on 95.0%" in doubt(
        "ab", np.array([[890, 60], [30, 20]]), "tested"
    )
    assert doubt("ab", np.array([[940, 10], [30, 20]]), "tested") is None
    assert doubt("ab", np.array([[9, 0], [0, 0]]), "tested") is None  # rows of one class can show nothing


@pytest.mark.parametrize("options", [(), ("--hold-out", 0.3), ("--no-test",)])
def test_a_constant_model_is_warned_of_wherever_it_is_tested(options, write, tmp_path):
    path = write(rows_of(["rare"] * 6 + ["common"] * 294))
    model = tmp_path / "m"
    found = results("fit", path, "-t", "y", "--learner", "linear-svm", "-o", model, *options)
    assert "the same answer, 'common'" in found["warnings"][0]
    assert "class_weight=balanced" in found["warnings"][0]
    assert found["balanced_accuracy"] == 0.5
    assert found["chance"] == pytest.approx(0.98, abs=0.005)
    said, _ = run("fit", path, "-t", "y", "--learner", "linear-svm", *options)
    for words in (
        "always answering 'common', the commonest class: 9",
        "Balanced accuracy",
        "precision recall",
    ):
        assert words in " ".join(said.split())
    scored = results("score", model, path)
    assert scored["balanced_accuracy"] == 0.5
    assert "The model gives all 300 scored rows the same answer, 'common'" in scored["warnings"][0]


def test_a_comparison_shows_learners_that_have_learned_nothing(write):
    path = write(rows_of(["rare"] * 6 + ["common"] * 294))
    names = ("linear-svm", "hinge-sgd")
    found = results("compare", path, "-t", "y", *(f"--learner={name}" for name in names))
    assert [line["balanced_accuracy"] for line in found["learners"]] == [0.5, 0.5]
    assert found["warnings"][0].startswith("No learner does better")
    assert not results("compare", PENGUINS, "-t", "species", "--learner", "linear-svm")["warnings"]


def test_a_comparison_is_not_cut_in_a_pipe(write):
    path = write(rows_of(["a", "b"] * 8))
    said, _ = run("compare", path, "-t", "y", "--learner", "kernel-svm", "--learner", "linear-svm", "--set", "C=-1")
    assert "…" not in said
    found = results("compare", path, "-t", "y", "--learner", "linear-svm", "--set", "C=-1")
    assert " ".join(said.split()).count(found["learners"][0]["note"]) == 1


def test_learners_of_which_the_same_is_said_share_a_note(write):
    path = write(rows_of(["rare"] * 6 + ["common"] * 294))
    said = " ".join(run("compare", path, "-t", "y", "--learner", "linear-svm", "--learner", "hinge-sgd")[0].split())
    assert said.count("the same answer, 'common'") == 1
    assert ("linear-svm, hinge-sgd: The model gives" in said) or ("hinge-sgd, linear-svm: The model gives" in said)


def test_numbers_no_better_than_their_mean_are_warned_of(write, tmp_path):
    noise = np.random.default_rng(1).standard_normal(40)
    path = write("x,y\n" + "".join(f"{i % 5},{value}\n" for i, value in enumerate(noise)))
    found = results("fit", path, "-t", "y", "--learner", "adaline-regressor", "-o", tmp_path / "m")
    assert found["test"]["score"] <= 0
    assert "no better than always answering the mean" in found["warnings"][-1]
    line = results("compare", path, "-t", "y", "--numbers", "--learner", "adaline-regressor")["learners"][0]
    assert "no better than always answering the mean" in line["note"]


def test_compiling_is_told_apart_from_the_time_of_a_fit(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(event, "timer", lambda: now[0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    with progress.stopwatch() as watch:
        now[0] += 2
        with event.trigger_event("numba:compile", data={}):
            now[0] += 20
            with event.trigger_event("numba:compile", data={}):  # on behalf of the first
                now[0] += 5
        now[0] += 1
        assert (watch.compiling, watch.seconds) == (25, 3)
    with progress.stopwatch() as watch:
        now[0] += 4
        assert (watch.compiling, watch.seconds) == (0, 4)


def test_compiling_is_said_once_where_it_is_noticed():
    found = results("fit", PENGUINS, "-t", "species", "--no-test")
    found["fit"] |= {"compiling": 20.0, "seconds": 0.3}
    said = " ".join(as_text(fit_sections(found, TERMINAL)).split())
    assert "it took 0.3 seconds. Compiled for this machine: 20 seconds." in said
    found["fit"]["compiling"] = 0.0
    assert "Compiled" not in as_text(fit_sections(found, TERMINAL))


def test_the_report_of_a_regressor_shows_its_residuals(write, tmp_path):
    rng = np.random.default_rng(2)
    rows = [(x, 3 * x + noise) for x, noise in rng.standard_normal((700, 2))]
    path = write("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    options = ("--learner", "adaline-regressor", "--report", tmp_path / "page")
    found = results("fit", path, "-t", "y", *options)["residuals"]
    assert sum(found["counts"]) == found["rows"] == 700
    assert found["edges"][0] <= -found["mean_absolute_error"] < found["root_mean_squared_error"] <= found["largest"]
    assert 250 <= len(found["points"]) <= 500
    assert {tuple(np.round(point[:1], 9)) for point in found["points"]} <= {(round(y, 9),) for _, y in rows}
    page = (tmp_path / "page" / "index.html").read_text()
    assert "<h2>Residuals</h2>" in page
    assert "<h2>Answers</h2>" in page
    assert "wrong" not in run("fit", path, "-t", "y", *options)[0]
