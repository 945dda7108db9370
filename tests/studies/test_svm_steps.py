"""A machine, iteration by iteration: both objectives are true at every one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from novikoff import KernelSVM, LinearSVM, svm_trace


def some_rows(rng, offset=0.0):
    X = rng.normal(size=(40, 3)) + offset
    return X, (X[:, 0] - offset + rng.normal(size=40) > 0).astype(int)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("intercept", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("offset", [0.0, 50.0], ids=["near", "far"])
def test_every_entry_is_what_its_weights_and_alpha_give(rng, loss, intercept, offset):
    X, y = some_rows(rng, offset)
    C, signs, weight = 0.7, np.where(y == 1, 1.0, -1.0), rng.integers(1, 4, 40).astype(float)
    machine = LinearSVM(C, loss=loss, tol=1e-7, fit_intercept=intercept)
    found = svm_trace(machine, X, y, weight)
    squared = loss == "squared_hinge"
    for k in range(len(found.gap)):
        slack = np.maximum(0, 1 - signs * (X @ found.coef[k] + found.intercept[k]))
        primal = 0.5 * found.coef[k] @ found.coef[k] + C * weight @ (slack**2 if squared else slack)
        assert found.primal[k] == pytest.approx(primal, rel=1e-9)
        alpha = found.alpha[k]
        assert (alpha >= 0).all()
        v = (alpha * signs) @ (X - offset * intercept)
        dual = alpha.sum() - 0.5 * v @ v - (0.25 * (alpha**2 / (C * weight)).sum() if squared else 0)
        assert found.dual[k] == pytest.approx(dual, rel=1e-6, abs=1e-9)
        assert found.gap[k] == pytest.approx((found.primal[k] - found.dual[k]) / found.primal[k], abs=1e-12)
        if not squared:
            assert (alpha <= C * weight).all()
        if intercept:
            assert abs(alpha @ signs) <= 1e-9
    assert (np.diff(found.primal) <= 0).all()
    assert (np.diff(found.dual) >= 0).all()
    assert found.gap[-1] <= 1e-7
    best = machine.fit(X, y, weight).objective_
    assert (found.dual <= best).all()
    assert found.primal[-1] == pytest.approx(best, rel=2e-7)


def test_sparse_rows_and_rows_without_weight(rng):
    X, y = some_rows(rng)
    weight = np.r_[np.zeros(5), np.ones(35)]
    machine = LinearSVM(1.0, loss="hinge", tol=1e-7)
    dense, thin = svm_trace(machine, X, y, weight), svm_trace(machine, sparse.csr_array(X), y, weight)
    assert dense.primal[-1] == pytest.approx(thin.primal[-1], rel=1e-6)
    assert dense.alpha.shape[1] == 40
    assert not dense.alpha[:, :5].any()
    alone = svm_trace(machine, X[5:], y[5:])
    assert dense.primal == pytest.approx(alone.primal)


def test_what_cannot_be_traced(rng):
    X, y = some_rows(rng)
    with pytest.raises(ValueError, match="choose a finite C"):
        svm_trace(LinearSVM(float("inf")), X, y)
    with pytest.raises(ValueError, match="two classes"):
        svm_trace(LinearSVM(), X, np.arange(40) % 3)
    with pytest.raises(TypeError, match="not KernelSVM"):
        svm_trace(KernelSVM(), X, y)
