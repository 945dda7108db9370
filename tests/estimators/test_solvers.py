"""Which solver "auto" stands for, and the penalty, which is the same whoever looks for the minimum."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import stacked
from novikoff import Adaline, AdalineRegressor, LogisticNeuron, load, passes_curve, save, trace
from novikoff.distributed import fit
from novikoff.estimators.solvers import OF_STEPS

IRIS = load_iris(return_X_y=True)
SOLVED = {Adaline: "direct", AdalineRegressor: "direct", LogisticNeuron: "newton"}
OTHER = {
    "eta": 0.01,
    "order": "cyclic",
    "batch_size": 7,
    "keep": "average",
    "init": "ones",
    "max_iter": 3,
    "tol": 1e-3,
    "time_limit": 60.0,
    "early_stopping": True,
    "validation_fraction": 0.2,
    "n_iter_no_change": 3,
    "history": "full",
    "warm_start": True,
    "min_progress": None,
}
learners = pytest.mark.parametrize("learner", SOLVED)


@learners
def test_what_nobody_watches_is_solved(learner):
    fitted = learner().fit(*IRIS)
    assert fitted.solver_ == SOLVED[learner]
    assert fitted.stop_reason_ == "solved"
    assert fitted.l2_ == (0.0 if learner is AdalineRegressor else 1.0)
    assert {"random_state", "fit_intercept", "intercept_scaling"}.isdisjoint(OF_STEPS)
    assert learner(random_state=3, fit_intercept=False).fit(*IRIS).solver_ == SOLVED[learner]


@learners
@pytest.mark.parametrize("name", OF_STEPS)
def test_a_choice_about_steps_is_a_choice_of_steps(learner, name):
    if name not in learner().get_params():
        pytest.skip("no parameter of this learner")
    fitted = learner(**{name: OTHER[name]}, random_state=0).fit(*IRIS)
    named = learner(solver="steps", **{name: OTHER[name]}, random_state=0).fit(*IRIS)
    assert fitted.solver_ == named.solver_ == "steps"
    assert fitted.l2_ == named.l2_ == 0
    assert fitted.stop_reason_ != "solved"
    np.testing.assert_array_equal(fitted.coef_, named.coef_)


@learners
def test_a_pipeline_is_no_watcher(learner):
    """scikit-learn links the tasks of a pipeline and of its steps, also where no callback is there to be told of them."""
    scaled = StandardScaler().fit_transform(IRIS[0])
    alone = learner(random_state=0).fit(scaled, IRIS[1])
    pipeline = make_pipeline(StandardScaler(), learner(random_state=0))
    search = GridSearchCV(pipeline, {}, cv=2)
    for last in (pipeline.fit(*IRIS)[-1], search.fit(*IRIS).best_estimator_[-1]):
        assert (last.solver_, last.l2_) == (alone.solver_, alone.l2_) == (SOLVED[learner], alone.l2_)
        np.testing.assert_array_equal(last.coef_, alone.coef_)
    assert clone(pipeline).set_callbacks(ProgressBar()).fit(*IRIS)[-1].solver_ == "steps"


@learners
def test_steps_that_are_watched_are_made(learner):
    X, y = IRIS[0][:100], IRIS[1][:100]
    plain = learner(solver="steps", random_state=0).fit(X, y)
    heard = learner(random_state=0).set_callbacks(ProgressBar()).fit(X, y)
    assert heard.solver_ == "steps"
    np.testing.assert_array_equal(heard.coef_, plain.coef_)
    steps = trace(learner(random_state=0), X, y)
    last = learner(solver="steps", keep="last", random_state=0).fit(X, y)
    np.testing.assert_array_equal(steps[len(steps) - 1].after, stacked(last))
    assert len(passes_curve(learner(random_state=0), X, y, passes=4, cv=2).passes) == 4
    stream = learner()
    stream.partial_fit(X, y, **({} if learner is AdalineRegressor else {"classes": [0, 1]}))
    assert (stream.solver_, stream.l2_, stream.stop_reason_) == ("steps", 0.0, None)


@learners
def test_a_named_solver_has_no_penalty_unless_told(learner):
    named = SOLVED[learner]
    assert learner(solver=named).fit(*IRIS).l2_ == 0
    assert learner(solver=named, l2=3.0).fit(*IRIS).l2_ == 3
    assert learner(l2=3.0).fit(*IRIS).solver_ == named
    with pytest.raises(ValueError, match=f"solver='{named}' makes no steps"):
        trace(learner(solver=named), *IRIS)
    with pytest.raises(ValueError, match=f"solver='{named}' makes no passes"):
        passes_curve(learner(solver=named), *IRIS)


def test_the_usual_penalty_is_that_of_the_peers():
    X, y = IRIS
    np.testing.assert_allclose(stacked(Adaline().fit(X, y)), stacked(RidgeClassifier(tol=1e-12).fit(X, y)), atol=1e-8)
    neuron, theirs = LogisticNeuron().fit(X, y), LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(neuron.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


# Steps descend on the same sum


@pytest.mark.parametrize("l2", [0.5, 20.0])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_batch_steps_come_to_the_penalised_minimum(l2, convert, rng):
    X = rng.normal(loc=[1.0, 0, 0], size=(30, 3))
    d = X @ [1.0, -1.0, 2.0] + 3 + rng.normal(size=30)
    weight = rng.integers(0, 3, 30).astype(float)
    choice = {"batch_size": "all", "max_iter": 20_000, "tol": 1e-13, "min_progress": None, "l2": l2}
    steps, direct = AdalineRegressor(**choice), AdalineRegressor(solver="direct", l2=l2)
    for line in (steps, direct):
        line.fit(convert(X), d, weight)
    np.testing.assert_allclose(stacked(steps), stacked(direct), atol=1e-8)
    for target in (d > np.median(d), np.digitize(d, np.quantile(d, [0.3, 0.6]))):
        one, other = LogisticNeuron(**choice), LogisticNeuron(solver="newton", l2=l2)
        for neuron in (one, other):
            neuron.fit(convert(X), target, weight)
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=2e-4)


@pytest.mark.parametrize("batch", [1, 4, 30, 100, "all"])
@pytest.mark.parametrize("learner", SOLVED)
def test_over_a_pass_weights_decay_by_eta_l2_in_all(learner, batch):
    """Rows of zeros move nothing but the bias: what is left of the weights is decay alone."""
    batches = {1: 30, 4: 8}.get(batch, 1)
    X, y = np.zeros((30, 2)), np.arange(30) % 2
    fitted = learner(
        0.01, l2=6.0, batch_size=batch, keep="last", init=[[1.0, -2.0, 0.0]], max_iter=2, fit_intercept=False
    )
    fitted.fit(X, y)
    np.testing.assert_allclose(np.ravel(fitted.coef_), np.array([1.0, -2.0]) * (1 - 0.06 / batches) ** (2 * batches))
    assert fitted.l2_ == 6


def test_in_a_stream_the_penalty_is_shared_out_over_the_rows_so_far():
    line = AdalineRegressor(0.01, l2=6.0, keep="last", init=[[1.0, 0.0]], fit_intercept=False)
    line.partial_fit(np.zeros((10, 1)), np.zeros(10))
    np.testing.assert_allclose(line.coef_, (1 - 0.01 * 6 / 10) ** 10)
    line.partial_fit(np.zeros((20, 1)), np.zeros(20))
    np.testing.assert_allclose(line.coef_, (1 - 0.01 * 6 / 10) ** 10 * (1 - 0.01 * 6 / 30) ** 20)


def test_averaged_steps_come_close_to_the_penalised_minimum(rng):
    X = rng.normal(size=(300, 5))
    y = (X @ [1.0, -1.0, 0.5, 0.0, 0.0] + rng.logistic(size=300) > 0).astype(int)
    for learner in (Adaline, LogisticNeuron):
        solved = learner(l2=10.0).fit(X, y)
        steps = learner(0.02, l2=10.0, keep="average", order="random", max_iter=300, min_progress=None, random_state=0)
        steps.fit(X, y)
        assert np.abs(stacked(steps) - stacked(solved)).max() < 0.05


@pytest.mark.parametrize("work", ["adaline", "neuron"])
def test_solutions_that_cost_too_much_give_way_to_steps(work, monkeypatch, rng):
    """With the usual penalty, since nobody asked for steps: the answer is about the same."""
    X = rng.normal(size=(200, 4))
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.logistic(size=200) > 0).astype(int)
    learner = Adaline if work == "adaline" else LogisticNeuron
    solved = learner().fit(X, y)
    monkeypatch.setattr(f"novikoff.estimators.{work}.MOST_WORK", 1)
    steps = learner(random_state=0).fit(X, y)
    assert (steps.solver_, steps.l2_) == ("steps", 1.0)
    assert steps.stop_reason_ in ("budget", "no_progress")
    assert np.mean(steps.predict(X) == solved.predict(X)) > 0.7


@learners
def test_files_hold_what_was_used(learner, tmp_path):
    for choice in ({}, {"solver": "steps", "l2": 2.0}):
        fitted = learner(**choice, random_state=0).fit(*IRIS)
        save(fitted, tmp_path / "model")
        again = load(tmp_path / "model")
        assert (again.solver_, again.l2_) == (fitted.solver_, fitted.l2_)
        np.testing.assert_array_equal(again.predict(IRIS[0]), fitted.predict(IRIS[0]))
        assert again.get_params() == fitted.get_params()


@pytest.mark.parametrize("learner", [Adaline(solver="direct"), LogisticNeuron(solver="newton")])
def test_a_named_solver_holds_no_rows_out(learner):
    with pytest.raises(ValueError, match="solver='steps'"):
        learner.set_params(early_stopping=True).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


@pytest.mark.parametrize("learner", [Adaline(solver="direct"), LogisticNeuron(solver="newton", l2=0.0)])
@pytest.mark.parametrize("where", ["here", "parts"])
@pytest.mark.parametrize("scale", [1e-170, 1e-300, 1e160])
def test_rows_out_of_range_are_refused_with_an_intercept_too(learner, where, scale, rng):
    """Zero weights would not be what solves them."""
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + rng.logistic(size=40) > 0).astype(int)
    with pytest.raises(OverflowError, match="Scale the columns"):
        clone(learner).fit(X * scale, y) if where == "here" else fit(clone(learner), [(X * scale, y)])
