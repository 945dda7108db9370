"""Scores of rankings and probabilities equal scikit-learn's, in every command; comparisons say what is larger than chance."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris, load_wine

from commands import PENGUINS, refused, results, run
from novikoff import compare_tables, fit_table, predict_table, score_table
from novikoff.tables import evaluation
from novikoff.tables.compare_tables import larger_than_chance


@pytest.fixture(scope="module")
def two():
    data = load_wine(as_frame=True)
    frame = data.frame[["alcohol", "hue", "ash", "target"]]
    return frame.assign(target=np.where(frame.target == 1, "yes", "no"))


def test_measures_of_two_classes_are_those_of_scikit_learn(two):
    model = fit_table(two[::2], "target", "logistic-neuron", test=False)
    found = score_table(model, two[1::2], positive="yes", threshold=0.3).measures
    true = two.target[1::2] == "yes"
    told = predict_table(model, two[1::2], probabilities=True)
    p = told.probabilities[:, list(told.classes).index("yes")]
    wanted = {
        "auc": metrics.roc_auc_score(true, p),
        "average_precision": metrics.average_precision_score(true, p),
        "log_loss": metrics.log_loss(true, p),
        "brier": metrics.brier_score_loss(true, p),
        "matthews": metrics.matthews_corrcoef(two.target[1::2], told.labels.astype(str)),
    }
    for name, value in wanted.items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-12), name
    at = found.at_threshold
    counts = [[at.true_negative, at.false_positive], [at.false_negative, at.true_positive]]
    assert counts == metrics.confusion_matrix(true, p >= 0.3).tolist()
    assert sum(each[2] for each in found.calibration) == len(true)
    assert found.roc[0] == [0, 0]
    assert found.roc[-1] == [1, 1]


@pytest.mark.parametrize(
    "scores", [np.arange(60.0), np.arange(60) % 7, np.zeros(60)], ids=["all differ", "ties", "one score"]
)
def test_curves_are_those_of_scikit_learn(scores, rng):
    own, score = rng.random(60) < 0.4, rng.permutation(scores)
    wrong, right, _ = metrics.roc_curve(own, score)
    precision, recall, _ = metrics.precision_recall_curve(own, score)
    for found, wanted in (
        (evaluation.roc_curve(own, score), (wrong, right)),
        (evaluation.precision_recall_curve(own, score), (recall[::-1], precision[::-1])),
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert evaluation.area_under_roc(own, score) == pytest.approx(metrics.roc_auc_score(own, score), rel=1e-13)
    assert evaluation.average_precision(own, score) == pytest.approx(
        metrics.average_precision_score(own, score), rel=1e-13
    )


def test_measures_of_several_classes_are_means_against_the_rest():
    iris = load_iris(as_frame=True).frame
    model = fit_table(iris[::2], "target", "logistic-neuron", test=False)
    found = score_table(model, iris[1::2]).measures
    p = predict_table(model, iris[1::2], probabilities=True).probabilities
    true = iris.target[1::2].to_numpy()
    assert found.auc == pytest.approx(metrics.roc_auc_score(true, p, multi_class="ovr"))
    assert found.average_precision == pytest.approx(metrics.average_precision_score(np.eye(3)[true], p))
    assert found.log_loss == pytest.approx(metrics.log_loss(true, p))
    with pytest.raises(ValueError, match="for two classes, and there are 3"):
        score_table(model, iris, threshold=0.5)


def test_a_learner_without_probabilities_is_ranked_by_its_scores(two):
    found = fit_table(two, "target", "perceptron", hold_out=0.3).report.measures
    assert 0.8 < found.auc <= 1
    assert found.log_loss is None


def test_of_very_many_rows_some_are_kept(two, monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_KEPT", 100)
    model = fit_table(two, "target", "logistic-neuron", test=False)
    found = score_table(model, two).measures
    assert 20 < found.rows <= 50


def test_the_command_line_shows_them(two, tmp_path):
    two[::2].to_csv(tmp_path / "a.csv", index=False)
    two[1::2].to_csv(tmp_path / "b.csv", index=False)
    found = results(
        "fit",
        tmp_path / "a.csv",
        "-t",
        "target",
        "--test",
        tmp_path / "b.csv",
        "--learner",
        "logistic-neuron",
        "-o",
        tmp_path / "m",
    )
    assert found["test"]["kind"] == "test-file"
    again = results("score", tmp_path / "m", tmp_path / "b.csv")
    assert again["measures"]["auc"] == found["measures"]["auc"]
    assert again["score"] == found["test"]["score"]
    text = run("score", tmp_path / "m", tmp_path / "b.csv", "--threshold", 0.2, "--positive", "yes")[0]
    assert "At the threshold 0.2:" in text
    assert "positive is one of two classes" in refused(
        "score", tmp_path / "m", tmp_path / "b.csv", "--positive", "maybe"
    )
    assert "which has separate rows" in refused(
        "fit", tmp_path / "a.csv", "-t", "target", "--test", tmp_path / "b.csv", "--folds", 3
    )


def test_everything_may_be_kept(two, tmp_path):
    two.to_csv(tmp_path / "a.csv", index=False)
    run("fit", tmp_path / "a.csv", "-t", "target", "--no-test", "-o", tmp_path / "m")
    (tmp_path / "out.csv").write_text(run("predict", tmp_path / "m", tmp_path / "a.csv", "--keep", "all")[0])
    kept = pd.read_csv(tmp_path / "out.csv")
    pd.testing.assert_frame_equal(kept.drop(columns="prediction"), pd.read_csv(tmp_path / "a.csv"))


def test_a_comparison_says_which_differences_are_larger_than_chance(two):
    assert not larger_than_chance([0.9, 0.8, 0.85], [0.85, 0.85, 0.8])
    assert larger_than_chance([0.9, 0.91, 0.9, 0.92, 0.9], [0.7, 0.71, 0.72, 0.7, 0.71])
    assert larger_than_chance([0.9, 0.9], [0.8, 0.8])
    found = compare_tables(two, "target", ["logistic-neuron", "linear-svm"])
    assert found.beaten == []
    assert "No difference between it and the others is larger than chance" in str(found)
    assert found.learners[0].auc > 0.8


def test_learners_of_the_same_score_are_ordered_by_auc():
    found = compare_tables(PENGUINS, "species", ["hinge-sgd", "logistic-neuron"])
    first, second = found.learners
    assert first.score == second.score
    assert first.auc > second.auc
    assert first.name == "logistic-neuron"
