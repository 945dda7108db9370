"""The hard margin, ``C = inf``: the largest margin that ``separability`` finds and encloses.

Its weights, scaled so that the closest row has the margin 1, minimise ``1/2 |w|^2``.  The dual point has its weight on rows
of that margin only, ``w = sum_i alpha_i y_i x_i``: least squares with ``alpha >= 0`` (Lawson & Hanson 1974).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import nnls

from ..proof import Proof, separability
from ..proof.clock import Clock
from .problem import Answer, Problem, dual_value, feasible, weights_of

NEAR = 1e-7  # rows whose margin is this close to 1 may carry weight
MANY = 5000  # such rows are more than least squares should have to choose from


class Inseparable(ValueError):
    """No weights separate the classes, so that there is no hard margin."""


def hard_margin(problem: Problem, clock: Clock, name: str) -> Answer:
    """The answer for ``C = inf``; ``name`` says which classes it is about."""
    limit = None if clock.left == np.inf else max(clock.left, 1e-3)
    proof = separability(
        problem.X, problem.signs, fit_intercept=problem.intercept, max_margin=True, time_limit=limit
    )
    refuse_inseparable(proof, name)
    assert proof.coef is not None
    assert proof.intercept is not None
    w, b = proof.coef[0], float(proof.intercept[0])
    margins = problem.signs * (problem.X @ w + b)
    least = float(margins.min())
    w, b, margins = w / least, b / least, margins / least
    alpha = np.zeros(margins.size)
    near = np.argsort(margins)[:MANY]
    near = near[margins[near] < 1 + NEAR]
    rows = problem.X[near].toarray() if sparse.issparse(problem.X) else problem.X[near]
    rows, wanted = rows * problem.signs[near, None], w
    if problem.intercept:
        size = float(np.abs(rows).max()) or 1.0
        rows, wanted = np.column_stack([rows, size * problem.signs[near]]), np.append(w, 0.0)
    alpha[near] = nnls(rows.T, wanted, maxiter=50 * near.size)[0]
    alpha = feasible(problem, alpha)
    # Along alpha the dual is largest where its two parts balance.
    total, square = float(alpha.sum()), float(np.square(weights_of(problem, alpha)).sum())
    alpha *= total / square if square > 0 else 1.0
    return Answer(w, b, alpha, 0.5 * float(w @ w), dual_value(problem, alpha, weights_of(problem, alpha)))


def refuse_inseparable(proof: Proof, name: str) -> None:
    """Say in the proof's words why there is no hard margin."""
    if proof.separable is None:
        raise Inseparable(
            f"C=inf asks for a hard margin{name}, but whether the classes are separable was not settled in time: raise "
            f"time_limit, or choose a finite C.\n{proof}"
        )
    if not proof.separable:
        raise Inseparable(
            f"C=inf asks for a hard margin{name}, and no weights separate the classes: choose a finite C.\n{proof}"
        )
