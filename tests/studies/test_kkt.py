"""``svm_kkt``: what holds bounds how far an answer is from the best one, and what is proved holds."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from novikoff import KernelSVM, LinearSVM, svm_kkt
from novikoff.estimators.svm_base import SupportVectorMachine

X, y = load_iris(return_X_y=True)


def objective(machine, X, y):
    """Of two classes, from published attributes."""
    signs = np.where(y == machine.classes_[1], 1.0, -1.0)
    slack = np.maximum(0, 1 - signs * machine.decision_function(X))
    squared = machine.loss_ == "squared_hinge"
    return 0.5 * np.sum(machine.coef_**2) + machine.C * np.sum(slack**2 if squared else slack)


def noisy(rng, rows=30, columns=3):
    rows_ = rng.normal(size=(rows, columns))
    return rows_, (rows_[:, 0] + rng.normal(size=rows) > 0).astype(int)


@pytest.mark.parametrize("far", [0.0, 1e5])
def test_imbalance_counts_by_what_biases_may_differ(far):
    """Without a bias alphas need not be in balance: as an answer with a bias, b = 0, the same is far from the best one."""
    rows, labels = noisy(np.random.default_rng(0))
    rows = rows + far
    machine = LinearSVM(fit_intercept=False, tol=1e-9).fit(rows, labels)
    assert svm_kkt(machine, rows, labels).holds()
    best = LinearSVM(tol=1e-9).fit(rows, labels)
    assert objective(machine, rows, labels) > 1.01 * best.objective_
    assert not svm_kkt(machine.set_params(fit_intercept=True), rows, labels).holds(1e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("far", [0.0, 1e3, 1e7])
@pytest.mark.parametrize("seed", range(10))
def test_what_holds_bounds_the_distance_from_the_best(loss, far, seed):
    rng = np.random.default_rng(seed)
    rows, labels = noisy(rng)
    rows, C = rows + far, 10.0 ** rng.integers(-2, 3)
    machine = LinearSVM(C, loss=loss, tol=1e-10, random_state=0).fit(rows, labels)
    least = machine.objective_
    for size in 10.0 ** np.arange(-9, 0):
        machine.coef_ = machine.coef_ * (1 + size * rng.normal(size=machine.coef_.shape))
        machine.intercept_ = machine.intercept_ + size * rng.normal(size=1)
        machine.dual_coef_ = machine.dual_coef_ * (1 + size * rng.normal(size=machine.dual_coef_.shape))
        missed = svm_kkt(machine, rows, labels)
        value = objective(machine, rows, labels)
        tol = max(missed)
        assert missed.holds(tol)
        assert not missed.holds(0.99 * tol)
        assert value - least <= 3 * tol * value + 1e-8 * value
    assert not missed.holds(1e-3)


MACHINES = [
    LinearSVM(),
    LinearSVM(100.0, loss="squared_hinge", tol=1e-3),
    LinearSVM(0.01, loss="squared_hinge", fit_intercept=False, solver="descent", tol=1e-2, random_state=0),
    LinearSVM(multiclass="crammer_singer", tol=1e-4),
    LinearSVM(tol=1e-2, solver="descent", random_state=0),
    LinearSVM(class_weight="balanced"),
    LinearSVM(multiclass="crammer_singer", fit_intercept=False),
]


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_what_is_proved_holds(machine, convert, rng):
    weight = rng.choice([0.0, 0.5, 2.0], len(y))
    for sample_weight in (None, weight):
        machine.fit(convert(X), y, sample_weight)
        missed = svm_kkt(machine, convert(X), y, sample_weight)
        assert missed.bounds == missed.balance == 0.0
        assert missed.weights + missed.slackness <= machine.duality_gap_ + 1e-12
        assert missed.holds(machine.duality_gap_ + 1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_squared_slacks_never_exceed_the_gap(seed):
    rng = np.random.default_rng(seed)
    rows, labels = noisy(rng, int(rng.integers(5, 40)))
    labels[:2] = 0, 1
    machine = LinearSVM(10.0 ** rng.integers(-3, 4), loss="squared_hinge", tol=10.0 ** rng.integers(-8, 0)).fit(
        rows, labels
    )
    assert svm_kkt(machine, rows, labels).slackness <= machine.duality_gap_ + 1e-12


@pytest.mark.parametrize("machine", [LinearSVM(), LinearSVM(multiclass="crammer_singer"), KernelSVM()], ids=repr)
def test_published_attributes_are_enough(machine, monkeypatch):
    machine.fit(X, y)
    expected = svm_kkt(machine, X, y)
    if isinstance(machine, LinearSVM):  # (a kernel's scores need more than that)
        for name in [name for name in vars(machine) if name.startswith("_")]:
            delattr(machine, name)
    for name in ("objective_", "duality_gap_", "slack_", "margin_", "history_"):
        vars(machine).pop(name, None)
    for method in ("_read", "_one_against_rest"):
        monkeypatch.delattr(SupportVectorMachine, method)
    assert svm_kkt(machine, X, y) == expected
    with pytest.raises(ValueError, match="not among the classes"):
        svm_kkt(machine, X, np.where(y == 2, 3, y))


def test_a_kernel_of_some_rows_of_a_precomputed_matrix():
    weight = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    machine = KernelSVM(kernel="precomputed", tol=1e-6).fit(X @ X.T, y, weight)
    assert svm_kkt(machine, X @ X.T, y, weight).holds(1e-5)


def test_a_hard_margin_with_a_slack_does_not_hold():
    labels = (y == 0).astype(int)
    machine = LinearSVM(np.inf).fit(X, labels)
    assert svm_kkt(machine, X, labels).holds(1e-6)
    machine.intercept_ -= 0.01
    assert svm_kkt(machine, X, labels).bounds == pytest.approx(0.01, rel=1e-3)
