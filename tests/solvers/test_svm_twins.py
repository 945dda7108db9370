"""Kernels of the support vector machines against plain Python, step by step, compiled and not."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.learn.rows import as_rows, natural, public
from novikoff.solvers import central_path
from novikoff.solvers.crammer_singer import sweep_shares
from novikoff.solvers.newton_system import System, add_products, add_sparse, there_and_back
from novikoff.solvers.problem import Problem, best_bias, feasible

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


@pytest.fixture
def problem(X, SIGNS, BOUNDS):
    def make(convert=np.asarray, squared=False, intercept=False):
        return Problem(convert(X), SIGNS, BOUNDS, squared, intercept)

    return make


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


@losses
def test_points_of_the_central_path(squared):
    margins = np.array([-5.0, 0.0, 1.0, 1.5, 40.0])
    bounds = np.array([0.5, 1.0, 2.0, 1.0, 3.0])
    point = central_path.Inner(bounds, *(np.empty(5) for _ in range(4)), margins)
    central_path.centre(point, squared, 0.3)
    np.testing.assert_allclose(point.s - point.xi, margins - 1, atol=1e-12)
    np.testing.assert_allclose(point.alpha * point.s, 0.3)
    if squared:
        np.testing.assert_allclose(point.xi, point.alpha / (2 * bounds))
    else:
        np.testing.assert_allclose(point.eta * point.xi, 0.3)
        np.testing.assert_allclose(point.alpha + point.eta, bounds)


@losses
def test_steps_solve_the_linearised_conditions(squared, BOUNDS, SIGNS, rng):
    point = central_path.Inner(BOUNDS, *(np.empty(12) for _ in range(4)), rng.normal(size=12))
    central_path.centre(point, squared, 0.2)
    point.margins[:] += 0.1  # away from the path
    moves = central_path.Moves(*(0.01 * rng.normal(size=12) for _ in range(6)))
    stiff, over, pulled = np.empty(12), np.empty(12), np.empty(12)
    central_path.stiffness(point, squared, stiff)
    central_path.move(point, squared, moves, 0.1, stiff, over)
    central_path.pull(point, squared, moves, 0.1, stiff, SIGNS, pulled)
    _, alpha, eta, s, xi, margins = point
    da, ds, dxi, dm = moves[:4]
    np.testing.assert_allclose(alpha * ds + s * da, 0.1 - moves.curve - alpha * s, atol=1e-12)
    np.testing.assert_allclose(ds - dxi - dm, margins - 1 - s + xi, atol=1e-12)
    np.testing.assert_allclose(pulled, SIGNS * (alpha + da + stiff * dm), atol=1e-12)
    ratios = [-da / alpha, -ds / s]
    if squared:
        np.testing.assert_allclose(xi + dxi, (alpha + da) / (2 * BOUNDS), atol=1e-12)
    else:
        np.testing.assert_allclose(eta * dxi - xi * da, 0.1 - moves.curve_xi - eta * xi, atol=1e-12)
        ratios += [da / eta, -dxi / xi]
    np.testing.assert_allclose(over, np.max(ratios, axis=0))
    before = [part.copy() for part in point]
    products = [(alpha + 0.1 * da) @ (s + 0.1 * ds), 0 if squared else (eta - 0.1 * da) @ (xi + 0.1 * dxi)]
    assert central_path.look_ahead(point, squared, moves, 0.1) == pytest.approx(
        sum(products) / 12 / (1 if squared else 2)
    )
    central_path.note_curves(squared, moves)
    np.testing.assert_allclose(moves.curve, da * ds)
    central_path.recentre(point, squared, moves, 0.1, 0.1)
    after = (alpha + 0.1 * da) * (s + 0.1 * ds)
    np.testing.assert_allclose(moves.curve, da * ds - np.maximum(np.clip(after, 0.01, 1.0) - after, -1.0), atol=1e-12)
    cost, total, square, product = central_path.advance(point, squared, moves, 0.1)
    for now, then, step in zip(point[1:], before[1:], (da, -da, ds, dxi, dm), strict=True):
        if not (squared and now is point.eta):
            np.testing.assert_allclose(now, then + 0.1 * step)
    slack = np.maximum(0, 1 - point.margins)
    assert cost == pytest.approx(BOUNDS @ (slack**2 if squared else slack))
    assert total == pytest.approx(point.alpha.sum())
    assert square == pytest.approx((point.alpha**2 / (4 * BOUNDS)).sum() if squared else 0)
    assert product == pytest.approx(point.alpha @ point.s)


@formats
@biases
def test_systems(convert, intercept, problem, SIGNS, X, rng):
    A = np.column_stack([X, np.ones(12)]) if intercept else X
    stiff = rng.random(12)
    matrix = A.T @ (stiff[:, None] * A) + np.diag([1.0] * 4 + [0.0] * intercept)
    system = System(problem(convert, intercept=intercept), np.random.default_rng(0))
    system.prepare(stiff)
    right = rng.normal(size=len(matrix))
    x, image, rest = system.solve(right, 1e-12)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, right), rtol=1e-9)
    np.testing.assert_allclose(image, SIGNS * (A @ x), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(rest, right - matrix @ x, atol=1e-9)


def test_sparse_products(X, rng):
    rows, stiff, w = as_rows(sparse.csr_array(X), 2), rng.random(12), rng.normal(size=4)
    along, total = np.empty(12), np.zeros(4)
    there_and_back(rows, w, 0.5, stiff, along, total)
    np.testing.assert_allclose(along, X @ w + 0.5)
    np.testing.assert_allclose(total, X.T @ (stiff * along))
    upper = np.zeros((5, 5))
    add_sparse(rows, np.arange(12), stiff, True, upper)
    A = np.column_stack([X, np.ones(12)])
    np.testing.assert_allclose(upper, np.triu(A.T @ (stiff[:, None] * A)), atol=1e-12)


@pytest.mark.parametrize("columns", [1, 65, 200])
def test_dense_products(columns, rng):
    rows, weights = rng.normal(size=(300, columns)), rng.random(300)
    total = np.ones((columns, columns))
    add_products(rows, weights, total)
    np.testing.assert_allclose(total, 1 + np.einsum("ij,i,ik", rows, weights, rows), rtol=1e-9, atol=1e-9)


def test_a_sample_of_the_rows_will_do():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 3))
    given = Problem(rows, np.ones(20_000), np.ones(20_000), False, False)
    system = System(given, rng)
    system.sample = 500
    stiff = rng.random(20_000) ** 8
    system.prepare(stiff)
    right = rng.normal(size=3)
    x, _, _ = system.solve(right, 1e-10)
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(3) + rows.T @ (stiff[:, None] * rows), right), rtol=1e-7)


@losses
@pytest.mark.parametrize("seed", range(5))
def test_best_bias(squared, seed):
    rng = np.random.default_rng(seed)
    signs = np.append(np.where(rng.random(10) < 0.5, 1.0, -1.0), [1.0, -1.0])
    given = Problem(np.zeros((12, 1)), signs, rng.integers(1, 4, 12).astype(float), squared, True)
    scores = rng.integers(-3, 4, 12).astype(float)

    def cost(b):
        slack = np.maximum(0, 1 - signs * (scores + b))
        return given.bounds @ (slack**2 if squared else slack)

    found = best_bias(given, scores)
    assert cost(found) <= min(cost(b) for b in np.linspace(-6, 6, 1201)) + 1e-9


@losses
def test_feasible_points_fulfil_the_conditions(squared, problem, BOUNDS, SIGNS, rng):
    given = problem(squared=squared, intercept=True)
    alpha = feasible(given, rng.normal(size=12) * 2)
    assert alpha.min() >= 0
    assert squared or np.all(alpha <= BOUNDS)
    assert alpha @ SIGNS == 0  # exactly: the sums have no rounding
