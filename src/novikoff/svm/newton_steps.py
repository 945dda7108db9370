"""Newton's method for the squared hinge (``finite_newton``) with more columns: its equations by BLAS, in columns or in rows.

With the rows X that have slack, ``D = diag(1 / (2 C_i))`` and t = ``2 C (X step_w + step_b)``, the equations of a step are

    step_w + X' t = r_w ,    sum_i t_i = r_b     (without a bias: step_b = 0) ,

so that ``(X X' + D) t = X r_w + step_b 1``: where fewer rows have slack than there are columns, that is the smaller matrix.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.linalg.lapack import dpotrs

from ..inputs.clock import OutOfTime
from .finite_newton import best_length
from .gap_progress import Progress
from .newton_system import cholesky
from .problem import Answer, Problem, certify

MOST_STEPS = 100
ENOUGH = 0.1  # of the tolerance is asked for: the last step gains much more than it costs


def follow_newton(problem: Problem, best: Answer, tol: float, progress: Progress) -> tuple[Answer, int]:
    """Steps until the gap is at most ``tol``, the time is over, or they get no further."""
    X, signs, bounds = problem.X, problem.signs, problem.bounds
    z = np.append(best.w, best.b)
    penalty = np.append(np.ones(z.size - 1), 0.0)
    alpha = np.zeros(signs.size)
    steps = 0
    with suppress(OutOfTime):
        while True:
            progress.tick()
            margins = signs * (X @ z[:-1] + z[-1])
            slack = np.maximum(0.0, 1.0 - margins)
            alpha = 2 * bounds * slack
            rest = np.append(X.T @ (alpha * signs) - z[:-1], signs @ alpha if problem.intercept else 0.0)
            value = 0.5 * float(z[:-1] @ z[:-1]) + float(bounds @ (slack * slack))
            left = 0.5 * float(rest[:-1] @ rest[:-1]) + abs(float(rest[-1])) * (1.0 + abs(float(z[-1])))
            if left <= ENOUGH * tol * value or steps == MOST_STEPS or progress.note(min(1.0, left / (value or 1.0))):
                break
            inside = np.flatnonzero(slack)
            some, weight = X[inside], 2 * bounds[inside]
            solve = _in_rows if inside.size < z.size else _in_columns
            step = solve(some, weight, rest, problem.intercept)
            far = best_length(z, step, rest, penalty, bounds, margins, signs * (X @ step[:-1] + step[-1]))
            z += far * step
            steps += 1
    return certify(problem, z[:-1], alpha, best), steps


def _in_rows(X: np.ndarray, weight: np.ndarray, rest: np.ndarray, intercept: bool) -> np.ndarray:
    if not len(X):
        return np.append(rest[:-1], 0.0)
    matrix = X @ X.T
    matrix[np.diag_indices_from(matrix)] += 1 / weight
    right = np.column_stack([X @ rest[:-1], np.ones(len(X))])
    t, ones = dpotrs(cholesky(matrix), right, lower=1)[0].T
    bias = (float(rest[-1]) - float(t.sum())) / float(ones.sum()) if intercept else 0.0
    return np.append(rest[:-1] - X.T @ (t + bias * ones), bias)


def _in_columns(X: np.ndarray, weight: np.ndarray, rest: np.ndarray, intercept: bool) -> np.ndarray:
    if intercept:
        X = np.column_stack([X, np.ones(len(X))])
    scaled = np.sqrt(weight)[:, None] * X
    matrix = scaled.T @ scaled  # (of one array, which BLAS knows to be symmetric)
    matrix[np.arange(rest.size - 1), np.arange(rest.size - 1)] += 1.0
    step = dpotrs(cholesky(matrix), rest[: len(matrix)], lower=1)[0]
    return step if intercept else np.append(step, 0.0)
