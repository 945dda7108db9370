"""One class against the rest: all problems solved in one call (``newton``: squared hinge on dense rows; ``dual_descent``: many columns), and
proved (``audit``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..inputs.clock import Clock
from .audit import Fit, prove
from .dual_descent import descend
from .margin_audit import AuditRows
from .newton import newton
from .objectives import SquaredHinge
from .problem import Answer, Problem
from .shifted_rows import shifted
from .solve import CLOSER, INTERIOR_FIRST, NO_START, ONE_KERNEL, Outcome, given
from .together import answers_of

MOST = 3000  # rows or columns, whichever are fewer: of more, the matrices of Newton's method cost more than descent
MOST_OF_SPARSE, SPARSE_COLUMNS = 30_000_000, 500  # numbers and columns of sparse rows that are quicker as dense ones
MOST_OF_DENSE = 10_000_000  # numbers of dense rows that are descended on


def is_wide(problem: Problem) -> bool:
    """Whether descent is for these rows."""
    if sparse.issparse(problem.X):
        return bool(problem.X.shape[1] > INTERIOR_FIRST)
    return bool(problem.X.shape[1] >= ONE_KERNEL and problem.X.size <= MOST_OF_DENSE)


def is_dense_enough(X: Any) -> bool:
    """Whether Newton's method is for these rows."""
    if sparse.issparse(X):
        return bool(X.shape[1] <= SPARSE_COLUMNS and X.shape[0] * X.shape[1] <= MOST_OF_SPARSE)
    return min(X.shape) <= MOST


def newton_together(
    problem: Problem, signs: np.ndarray, tol: float, clock: Clock, starts: list[Answer | None]
) -> tuple[list[Outcome], np.ndarray]:
    """The problems with these rows and each line of ``signs``: outcomes, some of which may miss ``tol``, and slacks."""
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    centre = X.mean(axis=0, dtype=float) if problem.intercept else None
    start = None
    if all(one is not None for one in starts):
        start = np.array(
            [np.append(one.w, one.b + (0.0 if centre is None else one.w @ centre)) for one in starts if one]
        )
    found = newton(X, signs, problem.bounds, centre, problem.intercept, tol, clock, start)
    bias = found.bias if centre is None else found.bias - found.coef @ centre
    loss = SquaredHinge(signs, problem.bounds)
    proof = prove(loss, Fit(X, problem.intercept, 1.0), found.coef, bias, tol)
    sides = zip(proof.coef, proof.bias.tolist(), np.abs(proof.shares.T), *proof.gap[:2], strict=True)
    answers = [Answer(w, b, alpha, float(primal), float(dual)) for w, b, alpha, primal, dual in sides]
    outcomes = [
        given(answer, "newton", tol, clock)._replace(iterations=int(taken))
        for answer, taken in zip(answers, found.steps, strict=True)
    ]
    return outcomes, np.maximum(0.0, 1.0 - signs * proof.scores.T)


def descend_on(
    problem: Problem, signs: np.ndarray, tol: float, clock: Clock, rng: np.random.Generator
) -> tuple[list[Outcome], np.ndarray]:
    """The same by descent; nothing if it is no good for any of them."""
    near = AuditRows(problem, long=False)
    found = descend(near.X, signs, problem.bounds, problem.squared, problem.intercept, CLOSER * tol, clock, rng)
    assert found.shares is not None
    b = shifted(found.coef, found.bias, near.centre, -1)
    outcomes, slack = answers_of(near, signs, found.coef, b, signs * found.shares.T, "descent", found.steps, tol, clock)
    if min(outcome.answer.gap for outcome in outcomes) > NO_START and not clock.over:
        return [], np.empty(0)
    return outcomes, slack
