"""Rows of few columns: all classes in one call, as close to the optimum as floats hold it."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from novikoff import LinearSVM, svm_kkt
from novikoff.solvers import small_newton

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
    "digits": load_digits(return_X_y=True),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    "change", [lambda X: X, scale, lambda X: X + 1e4, lambda X: X * 10], ids=["raw", "scaled", "far", "large"]
)
def test_all_classes_end_at_the_optimum(name, intercept, change):
    X, y = DATA[name]
    X = change(X)[:400]
    machine = LinearSVM(fit_intercept=intercept).fit(X, y[:400])
    assert machine.loss_ == "squared_hinge"
    assert machine.solver_ == "newton"
    assert machine.stop_reason_ == "solved"
    assert machine.duality_gap_ <= 1e-6  # whatever was asked for
    assert svm_kkt(machine, X, y[:400]).holds(1e-6)
    other = LinearSVM(fit_intercept=intercept, solver="interior", tol=1e-6, random_state=0).fit(X, y[:400])
    assert machine.objective_ == pytest.approx(other.objective_, rel=2e-6)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("change", [lambda X: X, scale, lambda X: X + 1e4], ids=["raw", "scaled", "far"])
def test_all_classes_of_the_hinge(name, intercept, change):
    X, y = DATA[name]
    X, y = change(X)[:400], y[:400]
    machine = LinearSVM(loss="hinge", fit_intercept=intercept).fit(X, y)
    assert machine.solver_ == "newton"
    assert machine.stop_reason_ == "solved"
    assert machine.duality_gap_ <= 1e-4
    other = LinearSVM(loss="hinge", fit_intercept=intercept, solver="interior", tol=1e-8, random_state=0).fit(X, y)
    assert other.objective_ * (1 - 1e-8) <= machine.objective_ <= other.objective_ * (1 + 1e-4)
    again = LinearSVM(loss="hinge", fit_intercept=intercept).fit(X, y)
    np.testing.assert_array_equal(again.coef_, machine.coef_)
    fine = LinearSVM(loss="hinge", fit_intercept=intercept, tol=1e-8).fit(X, y)
    assert fine.duality_gap_ <= 1e-8
    assert svm_kkt(fine, X, y).holds(1e-6)


def test_a_gap_that_short_floats_cannot_prove_is_proved_with_long_ones():
    X, y = DATA["cancer"]
    machine = LinearSVM(tol=1e-12).fit(scale(X), y)
    assert machine.stop_reason_ == "solved"
    assert machine.solver_ == "newton"
    with pytest.warns(UserWarning, match="no method could make the gap smaller"):
        machine = LinearSVM(1e6, tol=1e-300).fit(X, y)
    assert machine.stop_reason_ == "stalled"
    assert 0 < machine.duality_gap_ < 1e-6


def test_where_one_program_gets_no_further_the_other_does(monkeypatch):
    X, y = DATA["digits"]
    whole = LinearSVM(tol=1e-6).fit(X[:400], y[:400])
    monkeypatch.setattr(small_newton, "FEWEST_STEPS", 3)
    monkeypatch.setattr(small_newton, "MOST_STEPS", 3)
    machine = LinearSVM(tol=1e-6).fit(X[:400], y[:400])
    assert machine.stop_reason_ == "solved"
    assert machine.solver_ == "newton"
    assert machine.objective_ == pytest.approx(whole.objective_, rel=2e-6)


def test_the_answer_is_that_of_liblinear():
    X, y = DATA["wine"]
    X = scale(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = LinearSVC(fit_intercept=False, tol=1e-10, max_iter=100_000, random_state=0).fit(X, y)
    ours = LinearSVM(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-6)


def test_dense_and_sparse_rows_agree():
    X, y = DATA["digits"]
    dense, thin = LinearSVM().fit(X, y), LinearSVM().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.coef_, thin.coef_)
    np.testing.assert_array_equal(dense.dual_coef_, thin.dual_coef_)
    assert dense.duality_gap_ == pytest.approx(
        thin.duality_gap_, rel=0.1
    )  # sums over values that are not zero err less


def test_pieces_of_work_change_nothing_but_rounding(monkeypatch):
    X, y = DATA["digits"]
    whole = LinearSVM().fit(X, y)
    monkeypatch.setattr(small_newton, "WORK", 0)
    parts = LinearSVM().fit(X, y)
    assert parts.solver_ == "newton"
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-5, atol=1e-7)


def test_a_warm_start_takes_no_step():
    X, y = DATA["wine"]
    machine = LinearSVM(warm_start=True).fit(X + 1e3, y)
    assert machine.n_iter_ > 0
    assert machine.fit(X + 1e3, y).n_iter_ == 0
    assert machine.set_params(C=3.0).fit(X + 1e3, y).objective_ == pytest.approx(
        LinearSVM(3.0).fit(X + 1e3, y).objective_, rel=1e-9
    )


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(300, 150), (60, 200), (900, 130)])
def test_more_columns(intercept, shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    y = np.argmax(X[:, :3] + 0.5 * rng.normal(size=(shape[0], 3)), axis=1)
    machine = LinearSVM(fit_intercept=intercept, tol=1e-8, solver="newton").fit(X, y)
    assert machine.solver_ == "newton"
    assert machine.duality_gap_ <= 1e-8
    default = LinearSVM(fit_intercept=intercept, tol=1e-8).fit(X, y)
    assert default.duality_gap_ <= 1e-8
    np.testing.assert_array_equal(default.coef_, LinearSVM(fit_intercept=intercept, tol=1e-8).fit(X, y).coef_)
    assert svm_kkt(machine, X, y).holds(1e-7)


def test_the_loss_is_the_one_asked_for():
    X, y = DATA["iris"]
    assert LinearSVM(loss="hinge").fit(X, y).loss_ == "hinge"
    assert LinearSVM(multiclass="crammer_singer").fit(X, y).loss_ == "hinge"
    plain, named = LinearSVM().fit(X, y), LinearSVM(loss="squared_hinge").fit(X, y)
    np.testing.assert_array_equal(plain.coef_, named.coef_)


def test_no_answer_in_time_is_no_answer():
    X, y = DATA["digits"]
    with pytest.warns(UserWarning, match="ended the fit at a relative duality gap of 1"):
        machine = LinearSVM(time_limit=1e-6).fit(X, y)
    assert machine.stop_reason_ == "time"
    assert not machine.coef_.any()
