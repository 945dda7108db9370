"""Kernels for few rows against plain Python, step by step, compiled and not."""

from math import fsum

import numpy as np
import pytest

from novikoff.dual.kernels import RBF
from novikoff.inputs.clock import Clock
from novikoff.solvers import gram_solve, gram_steps
from novikoff.solvers.balance import balance, balanced
from novikoff.solvers.gram_check import Flaws
from novikoff.solvers.kernel_audit import audited_kernel
from novikoff.solvers.kernel_sums import KernelSums
from novikoff.solvers.pair_steps import KernelAnswer
from novikoff.solvers.problem import Problem

pytestmark = pytest.mark.plain_python


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


STRETCHES = [(0, 5, 0, 8, 13, 1, 8, 13), (0, 14, 0, 0, 0, 0, 3, 9)]  # rows of two classes; all rows


def problem_of(stretch, rng):
    X = rng.normal(size=(14, 3))
    gram = X @ X.T
    first, end, _, second, last, _, positive, negative = stretch
    rows = np.r_[first:end, second:last]
    sign = np.where((rows >= positive) & (rows < negative), 1.0, -1.0)
    return X, gram, rows, sign, end - first


@pytest.mark.parametrize("stretch", STRETCHES)
def test_steps_on_pairs_of_all_rows(stretch, rng):
    _, gram, rows, sign, size = problem_of(stretch, rng)
    first, second = stretch[0], stretch[3]
    costs = rng.integers(1, 4, rows.size) / 2
    low, high = np.where(sign > 0, 0.0, -costs), np.where(sign > 0, costs, 0.0)
    block = gram[np.ix_(rows, rows)]
    diagonal = np.diag(block).copy()
    beta, v = np.zeros(rows.size), sign.copy()
    for _ in range(30):
        twin_beta, twin_v = beta.copy(), v.copy()  # (from the same numbers: rounding decides ties)
        up, down = np.flatnonzero(twin_beta < high), np.flatnonzero(twin_beta > low)
        i = up[np.argmax(twin_v[up])]
        b = 0.5 * (twin_v[i] + twin_v[down].min())
        primal_less_dual = costs @ np.maximum(0, sign * (twin_v - b)) - twin_beta @ twin_v
        dual = twin_beta @ sign - 0.5 * twin_beta @ block @ twin_beta
        taken = gram_steps.step_rows(gram, first, second, size, sign, costs, low, high, diagonal, beta, v, 1e-6, 1)
        if primal_less_dual <= 1e-6 * (dual + primal_less_dual):
            assert taken == 0
            break
        gains = {
            j: (twin_v[i] - twin_v[j]) ** 2 / max(block[i, i] + block[j, j] - 2 * block[i, j], 1e-12)
            for j in down
            if twin_v[j] < twin_v[i]
        }
        j = max(gains, key=gains.get)
        curvature = max(block[i, i] + block[j, j] - 2 * block[i, j], 1e-12)
        t = min((twin_v[i] - twin_v[j]) / curvature, high[i] - twin_beta[i], twin_beta[j] - low[j])
        twin_beta[i] += t
        twin_beta[j] -= t
        twin_v -= t * (block[i] - block[j])
        np.testing.assert_allclose(beta, twin_beta, atol=1e-12)
        np.testing.assert_allclose(v, twin_v, atol=1e-12)
    scores = np.empty(rows.size)
    assert gram_steps.scores_anew(gram, first, second, size, beta, scores) == np.count_nonzero(beta)
    np.testing.assert_allclose(scores, block @ beta, atol=1e-12)


@pytest.mark.parametrize("stretch", STRETCHES)
def test_the_audit_of_few_rows_bounds_that_of_many(stretch, rng):
    """Both bound the same numbers, this one less closely."""
    X, _, rows, sign, size = problem_of(stretch, rng)
    kernel = RBF(0.3)
    points = kernel.points(X, np.arange(14))
    gram = kernel.values(points, points)
    costs = rng.integers(1, 4, rows.size) / 2
    low, high = np.where(sign > 0, 0.0, -costs), np.where(sign > 0, costs, 0.0)
    beta = sign * balanced(rng.random(rows.size) * costs, sign)
    v, found = np.empty(rows.size), np.empty(3)
    flaws = gram_solve._flaws(kernel, points, Flaws())
    gram_steps.audit(gram, stretch[0], stretch[3], size, sign[None], costs, low, high, flaws, beta, v, found)
    np.testing.assert_allclose(v, sign - gram[np.ix_(rows, rows)] @ beta, atol=1e-12)
    problem = Problem(X[rows], sign, costs, squared=False, intercept=True)
    answer = KernelAnswer(beta * sign, found[0], np.inf, -np.inf)
    proved = audited_kernel(problem, KernelSums(kernel, points.take(rows), Flaws()), answer)
    assert proved.primal <= found[1] <= proved.primal * (1 + 1e-10)
    assert proved.dual - 1e-10 * abs(proved.dual) <= found[2] <= proved.dual


def test_problems_are_solved_in_their_stretches(rng):
    X = rng.normal(size=(14, 3))
    kernel = RBF(0.3)
    points = kernel.points(X, np.arange(14))
    stretches, bounds = np.array(STRETCHES, dtype=np.int64), np.ones(14)
    for tol in (1e-2, 1e-8):
        shares = np.zeros((2, 14))
        sums = KernelSums(kernel, points, Flaws())
        alone = [gram_solve.solve_on_gram(sums, stretches[[p]], bounds, shares.copy(), tol, Clock()) for p in (0, 1)]
        proved, steps = gram_solve.solve_on_gram(sums, stretches[:1], bounds, shares, tol, Clock())
        assert proved[0].gap <= tol
        assert not shares[0, 5:].any()
        assert not shares[1, :8].any()
        assert not shares[1, 13:].any()
        assert fsum(shares.ravel().tolist()) == 0
        assert (proved[0], steps[0]) == (alone[0][0][0], alone[0][1][0])


def test_matrices_of_kernel_values_are_made_in_blocks(rng, monkeypatch):
    X = rng.normal(size=(23, 3))
    kernel = RBF(0.3)
    points = kernel.points(X, np.arange(23))
    whole = kernel.values(points, points)
    for block in (1, 7, 23, 100):
        monkeypatch.setattr(gram_solve, "BLOCK", block)
        made = gram_solve._gram(kernel, points, Clock())
        np.testing.assert_allclose(made, whole, rtol=1e-12)
        np.testing.assert_array_equal(made, made.T) if block < 23 else None
