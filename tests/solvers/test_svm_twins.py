"""Kernels of the support vector machines against plain Python, step by step, compiled and not."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.learn.rows import as_rows, natural, public
from novikoff.solvers.crammer_singer import sweep_shares
from novikoff.solvers.objectives import Hinge, SquaredHinge
from novikoff.solvers.products import add_sparse

pytestmark = pytest.mark.plain_python


@pytest.fixture
def X(rng):
    return rng.integers(-3, 4, (12, 4)).astype(float)


@pytest.fixture
def SIGNS(rng):
    return np.where(rng.random(12) < 0.5, 1.0, -1.0)


@pytest.fixture
def BOUNDS(rng):
    return rng.integers(1, 4, 12) / 2


formats = pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
losses = pytest.mark.parametrize("squared", [False, True])
biases = pytest.mark.parametrize("intercept", [False, True])


@formats
def test_descent_finds_the_best_shares_of_a_row(convert, BOUNDS, X, rng):
    rows, classes = as_rows(convert(X), 3), 3
    target = rng.integers(0, 3, 12).astype(np.int32)
    squares = (X * X).sum(axis=1)
    shares, weights, bias = np.zeros((12, 3)), natural(rows, np.zeros((3, 4))), np.zeros(3)
    misses, firm, room = np.zeros(12), np.array([np.inf, 0.0]), np.zeros((2, 3))
    for i in [3, 1, 7, 3, 5, 0, 11, 1]:
        before = public(rows, weights).copy(), shares[i].copy()
        scores = before[0] @ X[i]
        slack = max(0.0, float((scores + (np.arange(classes) != target[i])).max() - scores[target[i]]))
        sweep_shares(
            rows, np.array([i]), target, BOUNDS, squares, 0.0, shares, weights, bias, misses, firm, room[0], room[1]
        )
        assert misses[i] == pytest.approx(BOUNDS[i] * slack + before[1] @ scores - before[1][target[i]], abs=1e-12)
        assert firm[1] >= squares[i] * np.abs(shares[i] - before[1]).max() * (1 - 1e-12)
        assert abs(shares[i].sum()) < 1e-12
        np.testing.assert_allclose(public(rows, weights), before[0] + np.outer(shares[i] - before[1], X[i]), atol=1e-12)
        limit = np.where(np.arange(classes) == target[i], BOUNDS[i], 0.0)
        assert np.all(shares[i] <= limit + 1e-12)
        # The optimum of a convex problem over shares that sum to zero: no pair of classes gains by an exchange.
        slope = public(rows, weights) @ X[i] + 1 - (np.arange(classes) == target[i])
        free = shares[i] < limit - 1e-9
        assert slope[free].min(initial=np.inf) >= slope.max() - 1e-9


@formats
def test_rows_at_a_corner_are_left_out_if_they_are_far_from_moving(convert, BOUNDS, X, rng):
    rows, target = as_rows(convert(X), 3), rng.integers(0, 3, 12).astype(np.int32)
    shares, bias, misses, room = np.zeros((12, 3)), np.zeros(3), np.zeros(12), np.zeros((2, 3))
    coef = rng.normal(size=(3, 4))
    weights, squares, order = natural(rows, coef), (X * X).sum(axis=1) + 1.0, np.arange(12)
    for i in range(0, 12, 2):  # the others have no share
        shares[i, target[i]], shares[i, target[i] - 1] = BOUNDS[i], -BOUNDS[i]
    before = shares.copy()
    firm = np.array([0.5, 0.0])
    g = X @ coef.T - (np.arange(3) == target[:, None])
    ranked, best = np.sort(g, axis=1), g.argmax(axis=1)
    corner = np.where(best == target, before[np.arange(12), target] == 0, before[np.arange(12), best] == -BOUNDS)
    left_out = corner & (ranked[:, 2] - ranked[:, 1] > 0.5)
    one = np.array([int(np.flatnonzero(left_out)[0])]) if left_out.any() else order[:0]
    assert sweep_shares(rows, one, target, BOUNDS, squares, 0.0, shares, weights, bias, misses, firm, *room) == 0
    np.testing.assert_array_equal(shares, before)
    for i in np.flatnonzero(corner & ~left_out)[:1]:
        kept = sweep_shares(
            rows, np.array([i]), target, BOUNDS, squares, 0.0, shares, weights, bias, misses, firm, *room
        )
        assert kept == 1
        np.testing.assert_array_equal(shares[i], before[i])


def test_sparse_products(X, rng):
    rows, stiff = as_rows(sparse.csr_array(X), 2), rng.random(12)
    upper = np.zeros((5, 5))
    add_sparse(rows, np.arange(12), stiff, True, upper)
    A = np.column_stack([X, np.ones(12)])
    np.testing.assert_allclose(upper, np.triu(A.T @ (stiff[:, None] * A)), atol=1e-12)


@losses
@pytest.mark.parametrize("seed", range(5))
def test_best_bias(squared, seed):
    rng = np.random.default_rng(seed)
    signs = np.append(np.where(rng.random(10) < 0.5, 1.0, -1.0), [1.0, -1.0])
    bounds = rng.integers(1, 4, 12).astype(float)
    scores = rng.integers(-3, 4, 12).astype(float)
    loss = (SquaredHinge if squared else Hinge)(signs[None], bounds)

    def cost(b):
        slack = np.maximum(0, 1 - signs * (scores + b))
        return bounds @ (slack**2 if squared else slack)

    for start in (0.0, 5.0):  # near the best one, and far from it
        [found] = loss.best_bias(scores[:, None], np.array([start]))
        assert cost(found) <= min(cost(b) for b in np.linspace(-6, 6, 1201)) + 1e-9


@losses
def test_feasible_points_fulfil_the_conditions(squared, BOUNDS, SIGNS, rng):
    loss = (SquaredHinge if squared else Hinge)(SIGNS[None], BOUNDS)
    alpha = loss.feasible(rng.normal(size=(12, 1)) * 2, True)[:, 0] * SIGNS
    assert alpha.min() >= 0
    assert squared or np.all(alpha <= BOUNDS)
    assert alpha @ SIGNS == 0  # exactly: the sums have no rounding
