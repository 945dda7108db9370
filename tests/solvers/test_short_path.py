"""The hinge on few rows: its kernels against plain Python, compiled and not."""

import numpy as np
import pytest

from novikoff.solvers import short_path
from novikoff.solvers.central_path import Inner, Moves, centre, note_curves, stiffness
from novikoff.solvers.finite_newton import factorise
from novikoff.solvers.problem import Answer, Problem, dual_value, feasible, primal_value, weights_of

pytestmark = pytest.mark.plain_python
biases = pytest.mark.parametrize("intercept", [True, False])


def rows_of(intercept, rng, count=24, columns=3):
    """Whole numbers, signs that no line explains, bounds, and which columns are penalised."""
    X = rng.integers(-3, 4, (count, columns)).astype(float)
    signs = np.where(X[:, 0] + rng.normal(size=count) > 0, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    rows = np.column_stack([X, np.ones(count)]) if intercept else X
    penalty = np.append(np.ones(columns), np.zeros(int(intercept)))
    return rows, signs, rng.integers(1, 4, count) / 2, penalty


def newton_step(rows, signs, penalty, z, point, moves, mu):
    """All equations of a step towards the central path at once: the weights', and of every row its three."""
    count, size = rows.shape
    A, none, one = signs[:, None] * rows, np.zeros((count, count)), np.eye(count)
    equations = np.block(
        [
            [np.diag(penalty), -A.T, np.zeros((size, 2 * count))],
            [A, none, -one, one],  # A z - 1 = s - xi
            [np.zeros((count, size)), np.diag(point.s), np.diag(point.alpha), none],
            [np.zeros((count, size)), -np.diag(point.xi), none, np.diag(point.eta)],
        ]
    )
    right = np.concatenate(
        [
            A.T @ point.alpha - penalty * z,
            1 - A @ z + point.s - point.xi,
            mu - moves.curve - point.alpha * point.s,
            mu - moves.curve_xi - point.eta * point.xi,
        ]
    )
    found = np.linalg.solve(equations, right)
    return found[:size], *found[size:].reshape(3, count)


@biases
def test_steps_solve_the_equations_of_the_central_path(intercept, rng):
    rows, signs, bounds, penalty = rows_of(intercept, rng)
    count, size = rows.shape
    z = rng.normal(size=size)
    point = Inner(bounds, *np.empty((4, count)), signs * (rows @ z))
    centre(point, False, 0.3)
    moves, stiff, over = Moves(*np.zeros((6, count))), np.empty(count), np.empty(count)
    step, factor = np.empty(size), np.empty((size, size))
    stiffness(point, False, stiff)
    factorise(rows.T @ (stiff[:, None] * rows), penalty, factor)
    for mu in (0.0, 0.2):
        expected = newton_step(rows, signs, penalty, z, point, moves, mu)
        far = short_path.go(rows, signs, penalty, factor, z, point, moves, mu, stiff, over, step)
        for mine, its in zip((step, moves.alpha, moves.s, moves.xi), expected, strict=True):
            np.testing.assert_allclose(mine, its, atol=1e-8)
        for part, change in (
            (point.alpha, moves.alpha),
            (point.eta, -moves.alpha),
            (point.s, moves.s),
            (point.xi, moves.xi),
        ):
            assert (part + far * change >= -1e-12).all()
        note_curves(False, moves)


@biases
def test_rows_on_the_margin_follow_from_linear_equations(intercept, rng):
    """At a point near the solution, rows inside their bounds come to lie on the margin, and all gradients vanish."""
    rows, signs, bounds, penalty = rows_of(intercept, rng)
    count, size = rows.shape
    weights, alphas, steps = np.zeros((1, size)), np.zeros((1, count)), np.zeros(1, np.int64)
    short_path.walk(rows, bounds, signs[None], penalty, 1e-6, 60, 0, 1, weights, alphas, steps)
    inside = (alphas[0] > 0) & (alphas[0] < bounds)
    A = (signs[:, None] * rows)[inside]
    free = int(inside.sum())
    equations = np.block([[np.diag(penalty), -A.T], [A, np.zeros((free, free))]])
    known = rows.T @ (signs * np.where(inside, 0.0, alphas[0]))
    expected = np.linalg.lstsq(equations, np.append(known, np.ones(free)), rcond=None)[0]
    if np.linalg.matrix_rank(equations) == size + free:  # (else there are many)
        np.testing.assert_allclose(weights[0], expected[:size], atol=1e-6)
        np.testing.assert_allclose(alphas[0][inside], expected[size:], atol=1e-6)
    np.testing.assert_allclose(A @ weights[0], 1.0, atol=1e-6)


@biases
def test_problems_solved_together_are_those_solved_alone(intercept, rng):
    rows, first, bounds, penalty = rows_of(intercept, rng)
    signs = np.array([first, -first, np.where(rows[:, 1] > 0.5, 1.0, -1.0)])
    weights, alphas, steps = np.zeros((3, rows.shape[1])), np.zeros(signs.shape), np.zeros(3, np.int64)
    short_path.walk(rows, bounds, signs, penalty, 1e-6, 60, 0, 3, weights, alphas, steps)
    np.testing.assert_allclose(weights[1], -weights[0], atol=1e-5)
    for k in range(3):
        w, alpha, taken = np.zeros((3, rows.shape[1])), np.zeros(signs.shape), np.zeros(3, np.int64)
        short_path.walk(rows, bounds, signs, penalty, 1e-6, 60, k, k + 1, w, alpha, taken)
        np.testing.assert_array_equal(w[k], weights[k])
        np.testing.assert_array_equal(alpha[k], alphas[k])
        assert taken[k] == steps[k] > 0
        assert not taken[:k].any()
        X = rows[:, : int(penalty.sum())]
        problem = Problem(X, signs[k], bounds, squared=False, intercept=intercept)
        primal = primal_value(problem, w[k][: X.shape[1]], signs[k] * (rows @ w[k]))
        allowed = feasible(problem, alpha[k])
        np.testing.assert_allclose(allowed, alpha[k], atol=1e-12)
        answer = Answer(w[k], 0.0, allowed, primal, dual_value(problem, allowed, weights_of(problem, allowed)))
        assert answer.gap <= 1e-6


def test_alphas_go_to_the_bounds_that_the_path_leads_to(rng):
    bounds = rng.integers(1, 4, 20) / 2
    point = Inner(bounds, *np.empty((4, 20)), rng.normal(1.0, 1.0, 20))
    point.margins[:2] = 1.0
    centre(point, False, 1e-2)
    alpha = np.empty(20)
    short_path.settle(point, alpha)
    for i in range(20):
        at_zero, at_bound = point.alpha[i] < bounds[i] * point.s[i], point.eta[i] < bounds[i] * point.xi[i]
        assert alpha[i] == (0.0 if at_zero else bounds[i] if at_bound else point.alpha[i])
    assert 0 < alpha[0] < bounds[0]


def test_classes_are_brought_into_balance_as_feasible_does(rng):
    for _ in range(20):
        signs, bounds = np.where(rng.random(15) < 0.5, 1.0, -1.0), rng.integers(1, 4, 15) / 2
        signs[:2] = 1.0, -1.0
        alpha = np.minimum(bounds, rng.integers(0, 5, 15) / 4)
        problem = Problem(np.zeros((15, 1)), signs, bounds, squared=False, intercept=True)
        expected = feasible(problem, alpha)
        short_path.into_balance(alpha, signs, bounds)
        np.testing.assert_allclose(alpha, expected, atol=1e-12)


@biases
def test_gaps_and_sums(intercept, rng):
    rows, signs, bounds, penalty = rows_of(intercept, rng)
    z, alpha, sums = rng.normal(size=penalty.size), rng.random(len(rows)) * bounds, np.empty(penalty.size)
    alpha[3:6] = 0.0
    short_path.back(rows, signs * alpha, sums)
    np.testing.assert_allclose(sums, rows.T @ (signs * alpha), atol=1e-12)
    margins = signs * (rows @ z)
    primal = 0.5 * penalty @ z**2 + bounds @ np.maximum(0, 1 - margins)
    dual = alpha.sum() - 0.5 * penalty @ sums**2
    assert short_path.gap_of(bounds, penalty, z, margins, alpha, sums) == pytest.approx((primal - dual) / primal)
