"""Kernels for few rows against plain Python, step by step, compiled and not."""

from math import fsum

import numpy as np
import pytest

from novikoff.solvers.balance import balance, balanced
from novikoff.solvers.finite_newton import add_products, best_length, factorise, newton, solve_with

pytestmark = pytest.mark.plain_python
biases = pytest.mark.parametrize("intercept", [True, False])


def value(rows, signs, bounds, penalty, z):
    slack = np.maximum(0, 1 - signs * (rows @ z))
    return 0.5 * penalty @ (z * z) + bounds @ (slack * slack)


def newton_step(rows, signs, bounds, penalty, z):
    """One step, as the papers have it: to where the rows that have slack now would have the least, as far as P falls."""
    slack = 1 - signs * (rows @ z)
    inside = slack > 0
    matrix = np.diag(penalty) + 2 * rows[inside].T @ (bounds[inside, None] * rows[inside])
    rest = 2 * rows[inside].T @ (bounds * slack * signs)[inside] - penalty * z
    step = np.linalg.solve(matrix, rest)
    along = signs * (rows @ step)

    def slope(far):
        left = np.maximum(0, slack - far * along)
        return penalty @ (z * step) + far * (penalty @ (step * step)) - 2 * bounds @ (left * along)

    def curvature(far):
        return penalty @ (step * step) + 2 * bounds @ np.where(slack - far * along > 0, along * along, 0.0)

    low, high, far = 0.0, np.inf, 1.0
    while abs(slope(far)) > 1e-2 * abs(rest @ step):
        low, high = (low, far) if slope(far) > 0 else (far, high)
        far -= slope(far) / curvature(far)
        if not low < far < high:
            far = 0.5 * (low + high) if high < np.inf else 2.0 * low
    return z + far * step


@biases
def test_newton_goes_step_by_step(intercept, rng):
    rows = rng.integers(-3, 4, (20, 3)).astype(float)
    penalty = np.ones(3)
    if intercept:
        rows, penalty = np.column_stack([rows, np.ones(20)]), np.append(penalty, 0.0)
    signs = np.where(rng.random((2, 20)) < 0.5, 1.0, -1.0)
    signs[:, :2] = 1.0, -1.0
    bounds = rng.integers(1, 4, 20) / 2
    size = rows.shape[1]
    whole = np.zeros((size, size))
    add_products(rows, np.arange(20), 2 * bounds, 20, whole)
    weights, alphas = np.zeros((2, size)), np.zeros((2, 20))
    steps, ended = np.zeros(2, np.int64), np.zeros(2, np.bool_)
    for _ in range(8):
        expected = [
            z if over else newton_step(rows, sign, bounds, penalty, z)
            for z, sign, over in zip(weights, signs, ended, strict=True)
        ]
        before = [value(rows, sign, bounds, penalty, z) for z, sign in zip(weights, signs, strict=True)]
        newton(rows, bounds, signs, penalty, whole, 1e-13, 1, 0, 2, weights, alphas, steps, ended)
        np.testing.assert_allclose(weights, expected, rtol=1e-8, atol=1e-10)
        for z, sign, alpha, least in zip(weights, signs, alphas, before, strict=True):
            assert value(rows, sign, bounds, penalty, z) <= least * (1 + 1e-12)
            np.testing.assert_allclose(alpha, 2 * bounds * np.maximum(0, 1 - sign * (rows @ z)), atol=1e-9)
    together, many = np.zeros((2, size)), np.zeros(2, np.int64)
    newton(rows, bounds, signs, penalty, whole, 1e-13, 40, 0, 2, together, alphas, many, ended)
    assert ended.all()
    np.testing.assert_allclose(together, weights, rtol=1e-6, atol=1e-8)  # matrices that rows came into and went from


def test_lengths_of_steps_beyond_the_end(rng):
    """Along a line P has one lowest place, be it before or after the step's end."""
    rows, signs, bounds, penalty = rng.normal(size=(30, 2)), np.ones(30), np.ones(30), np.ones(2)
    z = rng.normal(size=2)
    slack = np.maximum(0, 1 - rows @ z)
    rest = 2 * rows.T @ slack - z
    for size in (1e-4, 1e-2, 1.0):
        step = size * rest
        far = best_length(z, step, rest, penalty, bounds, rows @ z, rows @ step)
        best = min(value(rows, signs, bounds, penalty, z + t * step) for t in np.linspace(0, 3 * far, 301))
        reached = value(rows, signs, bounds, penalty, z + far * step)
        start = value(rows, signs, bounds, penalty, z)
        assert start - reached >= 0.95 * (start - best)


@pytest.mark.parametrize("size", [1, 2, 9])
def test_matrices_are_made_and_factored(size, rng):
    rows, scales = rng.normal(size=(11, size)), rng.random(11)
    numbers = np.array([3, 1, 7, 9, 2, 10, 0])
    for count in range(8):
        matrix = np.zeros((size, size))
        add_products(rows, numbers, scales, count, matrix)
        some = rows[numbers[:count]]
        np.testing.assert_allclose(matrix, np.tril(some.T @ (scales[:count, None] * some)), atol=1e-12)
    factor, out = np.empty((size, size)), np.empty(size)
    factorise(matrix, np.ones(size), factor)
    whole = matrix + np.tril(matrix, -1).T + np.eye(size)
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(whole), rtol=1e-10)
    right = rng.normal(size=size)
    solve_with(factor, right, out)
    np.testing.assert_allclose(whole @ out, right, atol=1e-10)


def test_lines_are_balanced_as_one_is(rng):
    alphas = rng.random((6, 15)) * 10.0 ** rng.integers(-8, 8, (6, 1))
    alphas[1, 3:] = 0.0
    alphas[2] = 0.0
    signs = np.where(rng.random((6, 15)) < 0.5, 1.0, -1.0)
    signs[3] = 1.0  # nothing can be in balance with it
    expected = [balanced(alpha, sign) for alpha, sign in zip(alphas, signs, strict=True)]
    balance(alphas, signs)
    np.testing.assert_array_equal(alphas, expected)
    assert all(fsum((alpha * sign).tolist()) == 0 for alpha, sign in zip(alphas, signs, strict=True))
