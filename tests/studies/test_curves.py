"""The passes curve: each of its points is an ordinary fit with that many passes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novikoff import Adaline, AdalineRegressor, HingeSGD, LogisticNeuron, PassiveAggressiveRegressor, Perceptron
from novikoff.studies.curves import FoldStop, PassesCurve, passes_curve

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket", "run", "ratchet"])
def test_every_point_is_a_fit_with_that_many_passes(iris, keep):
    X, y = iris
    learner = Perceptron(keep=keep, random_state=0)
    curve = passes_curve(learner, X, y, passes=4, cv=FOLDS)
    assert curve.train_scores.shape == curve.held_out_scores.shape == (4, 3)
    assert curve.passes.tolist() == [1, 2, 3, 4]
    for fold, (learn, test) in enumerate(FOLDS.split(X, y)):
        for passes in (1, 2, 4):
            alone = Perceptron(keep=keep, random_state=0, max_iter=passes).fit(X[learn], y[learn])
            assert curve.train_scores[passes - 1, fold] == alone.score(X[learn], y[learn])
            assert curve.held_out_scores[passes - 1, fold] == alone.score(X[test], y[test])


def test_folds_that_end_early_keep_their_last_score():
    X, y = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (6, 1)), np.tile([0, 0, 0, 1], 6)
    curve = passes_curve(Perceptron(order="cyclic"), X, y, passes=12, cv=FOLDS)
    assert curve.train_scores[0].min() < 1.0  # so that first and last scores differ in some fold
    assert curve.held_out_scores[0].min() < 1.0
    for fold, stop in enumerate(curve.stopped):
        assert stop.reason == "separated"
        assert 1 < stop.pass_number < 12
        assert np.all(curve.train_scores[stop.pass_number - 1 :, fold] == 1.0)
        assert np.all(curve.held_out_scores[stop.pass_number - 1 :, fold] == 1.0)


def test_folds_that_use_all_passes_say_budget(iris):
    curve = passes_curve(Perceptron(max_iter=1000), *iris, passes=2, cv=4, random_state=1)
    assert curve.stopped == (FoldStop(2, "budget"),) * 4
    assert repr(curve).startswith("<PassesCurve: passes=2, folds=4, best_passes=")
    assert "budget in pass 2" in str(curve)


def test_pipelines_are_fitted_anew_in_every_fold():
    X, y = load_breast_cancer(return_X_y=True)
    curve = passes_curve(make_pipeline(StandardScaler(), Perceptron(random_state=0)), X, y, passes=3, cv=FOLDS)
    learn, test = next(FOLDS.split(X, y))
    alone = make_pipeline(StandardScaler(), Perceptron(random_state=0, max_iter=3)).fit(X[learn], y[learn])
    assert curve.train_scores[-1, 0] == alone.score(X[learn], y[learn])
    assert curve.held_out_scores[-1, 0] == alone.score(X[test], y[test])


def test_the_seed_decides_folds_and_fits(iris):
    first, again, other = (passes_curve(Perceptron(), *iris, passes=3, random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.held_out_scores, again.held_out_scores)
    assert not np.array_equal(first.train_scores, other.train_scores)


@pytest.mark.parametrize("read", [pd.DataFrame, sparse.csr_array, np.ndarray.tolist], ids=["frame", "sparse", "list"])
def test_the_kind_of_input_makes_no_difference(iris, read):
    X, y = iris
    plain = passes_curve(Perceptron(random_state=0), X, y, passes=2, cv=FOLDS)
    other = passes_curve(Perceptron(random_state=0), read(X), y.tolist(), passes=2, cv=FOLDS)
    assert np.array_equal(plain.held_out_scores, other.held_out_scores)


def test_other_scores(iris):
    curve = passes_curve(Perceptron(random_state=0), *iris, passes=2, cv=FOLDS, scoring="f1_macro")
    assert curve.held_out_scores.shape == (2, 3)
    assert not np.array_equal(
        curve.train_scores, passes_curve(Perceptron(random_state=0), *iris, passes=2, cv=FOLDS).train_scores
    )


def test_best_passes_is_the_fewest_within_one_standard_error_of_the_best():
    held_out = np.array([[0.5, 0.5], [0.87, 0.87], [0.8, 1.0], [0.7, 0.7]])  # best mean 0.9, standard error 0.1
    curve = PassesCurve(np.arange(1, 5), held_out, held_out, (FoldStop(4, "budget"),) * 2)
    assert curve.standard_error[2] == pytest.approx(0.1)
    assert curve.best_passes == 2
    single = PassesCurve(np.arange(1, 5), held_out[:, :1], held_out[:, :1], (FoldStop(4, "budget"),))
    assert single.best_passes == 2  # no spread to speak of: the best itself


def test_what_has_no_passes_is_refused(iris):
    with pytest.raises(TypeError, match="this is LogisticRegression"):
        passes_curve(make_pipeline(StandardScaler(), LogisticRegression()), *iris)
    with pytest.raises(ValueError, match="at least 1"):
        passes_curve(Perceptron(), *iris, passes=0)


def test_plot(iris):
    plt = pytest.importorskip("matplotlib.pyplot")
    curve = passes_curve(Perceptron(random_state=0), *iris, passes=3, cv=FOLDS)
    axes = curve.plot()
    assert axes.get_xlabel() == "passes over the training rows"
    assert f"best_passes = {curve.best_passes}" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert curve.plot(axes) is axes
    plt.close("all")


@pytest.mark.parametrize(
    ("learner", "classes"),
    [
        (Adaline(keep="average"), 3),
        (LogisticNeuron(loss="squared"), 2),
        (LogisticNeuron(solver="steps"), 3),
        (HingeSGD(0.01, keep="last"), 3),
        (HingeSGD(0.01), 3),
    ],
    ids=str,
)
def test_every_point_is_such_a_fit_for_the_other_classifiers(iris, learner, classes):
    X, y = iris
    y = np.minimum(y, classes - 1)
    learner = learner.set_params(random_state=0)
    curve = passes_curve(learner, X, y, passes=3, cv=FOLDS)
    learn, test = next(FOLDS.split(X, y))
    for passes in (1, 3):
        alone = clone(learner).set_params(max_iter=passes).fit(X[learn], y[learn])
        assert curve.train_scores[passes - 1, 0] == alone.score(X[learn], y[learn])
        assert curve.held_out_scores[passes - 1, 0] == alone.score(X[test], y[test])


@pytest.mark.parametrize(
    "learner", [AdalineRegressor(solver="steps"), PassiveAggressiveRegressor(keep="average")], ids=str
)
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_every_point_is_such_a_fit_for_regressors(learner, scoring):
    X, y = load_diabetes(return_X_y=True)
    learner = learner.set_params(random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    curve = passes_curve(learner, X, y, passes=3, cv=folds, scoring=scoring)
    score = check_scoring(learner, scoring)
    for fold, (learn, test) in enumerate(folds.split(X, y)):
        for passes in (1, 3):
            alone = clone(learner).set_params(max_iter=passes).fit(X[learn], y[learn])
            assert curve.train_scores[passes - 1, fold] == pytest.approx(score(alone, X[learn], y[learn]), rel=1e-12)
            assert curve.held_out_scores[passes - 1, fold] == pytest.approx(score(alone, X[test], y[test]), rel=1e-12)


def test_a_number_of_folds_for_regressors():
    X, y = load_diabetes(return_X_y=True)
    learner = make_pipeline(StandardScaler(), AdalineRegressor())
    first, again = (passes_curve(learner, X, y, passes=2, cv=4, random_state=0) for _ in range(2))
    assert first.held_out_scores.shape == (2, 4)
    assert np.array_equal(first.held_out_scores, again.held_out_scores)
    assert first.held_out_scores.mean() > 0.2


def test_scores_of_probabilities(iris):
    curve = passes_curve(LogisticNeuron(random_state=0), *iris, passes=5, cv=FOLDS, scoring="neg_log_loss")
    assert np.all(curve.train_scores < 0)
    assert curve.train_scores[-1].mean() > curve.train_scores[0].mean()


def test_a_direct_solution_makes_no_passes(iris):
    with pytest.raises(ValueError, match="no passes"):
        passes_curve(Adaline(solver="direct"), *iris)
