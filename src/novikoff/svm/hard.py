"""The hard margin, ``C = inf``: the largest margin that ``separability`` finds and encloses.

Its weights, scaled so that the closest row has the margin 1, minimise ``1/2 |w|^2``.  The dual point has its weight on rows
of that margin only, ``w = sum_i alpha_i y_i x_i``: least squares with ``alpha >= 0`` (Lawson & Hanson 1974).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import nnls

from ..proof import Proof, separability
from ..proof.clock import Clock
from .joint import Joint, JointAnswer, joint_feasible, leads, signed
from .problem import Answer, Problem, dual_value, feasible, weights_of

NEAR = 1e-7  # rows whose margin is this close to 1 may carry weight
MANY = 5000  # such rows are more than least squares should have to choose from


class Inseparable(ValueError):
    """No weights separate the classes, so that there is no hard margin."""


def hard_margin(problem: Problem, clock: Clock, name: str) -> Answer:
    """The answer for ``C = inf``; ``name`` says which classes it is about."""
    proof = _separated(problem, problem.signs, clock, name)
    w, b = proof.coef[0], float(proof.intercept[0])
    margins = problem.signs * (problem.X @ w + b)
    least = float(margins.min())
    w, b, margins = w / least, b / least, margins / least
    near = _near(margins)
    rows = problem.X[near].toarray() if sparse.issparse(problem.X) else problem.X[near]
    alpha = np.zeros(margins.size)
    balance = problem.signs[None, near] if problem.intercept else np.empty((0, near.size))
    alpha[near] = _combination((rows * problem.signs[near, None]).T, w, balance)
    alpha = feasible(problem._replace(bounds=np.full(alpha.size, np.inf)), alpha)
    alpha *= _best_scale(alpha, weights_of(problem, alpha))
    return Answer(w, b, alpha, 0.5 * float(w @ w), dual_value(problem, alpha, weights_of(problem, alpha)))


def joint_hard_margin(problem: Joint, clock: Clock) -> JointAnswer:
    """The same for all classes at once."""
    proof = _separated(problem, problem.target, clock, "")
    w, b = proof.coef - proof.coef.mean(axis=0), proof.intercept - proof.intercept.mean()
    lead = leads(problem.target, problem.X @ w.T + b)
    least = float(lead.min())
    w, b, lead = w / least, b / least, lead / least
    near = _near(lead.ravel())
    rows, rivals = np.divmod(near, problem.classes)
    own = np.zeros((near.size, problem.classes))
    own[np.arange(near.size), problem.target[rows]] = 1.0
    own[np.arange(near.size), rivals] -= 1.0
    X = problem.X[rows].toarray() if sparse.issparse(problem.X) else problem.X[rows]
    columns = (own[:, :, None] * X[:, None]).reshape(near.size, -1).T
    alpha = np.zeros(lead.size)
    alpha[near] = _combination(columns, w.ravel(), own.T if problem.intercept else np.empty((0, near.size)))
    free = problem._replace(bounds=np.full(problem.target.size, np.inf))
    alpha = joint_feasible(free, alpha.reshape(lead.shape))
    made = problem.X.T @ signed(problem.target, alpha)
    scale = _best_scale(alpha, made)
    dual = scale * float(alpha.sum()) - 0.5 * scale**2 * float(np.square(made).sum())
    return JointAnswer(w, b, scale * alpha, 0.5 * float(np.square(w).sum()), dual)


def _separated(problem: Any, labels: np.ndarray, clock: Clock, name: str) -> Any:
    """The proof, if the classes are separable."""
    limit = None if clock.left == np.inf else max(clock.left, 1e-3)
    proof = separability(problem.X, labels, fit_intercept=problem.intercept, max_margin=True, time_limit=limit)
    refuse_inseparable(proof, name)
    return proof


def _near(margins: np.ndarray) -> np.ndarray:
    """Those at the smallest margin, which is 1."""
    near = np.argsort(margins)[:MANY]
    return near[margins[near] < 1 + NEAR]


def _combination(columns: np.ndarray, wanted: np.ndarray, balance: np.ndarray) -> np.ndarray:
    """Weights ``>= 0`` with which the columns add up to what is wanted, and the balance to zero."""
    size = float(np.abs(columns).max()) or 1.0
    wanted = np.append(wanted, np.zeros(len(balance)))
    return nnls(np.vstack([columns, size * balance]), wanted, maxiter=50 * columns.shape[1])[0]


def _best_scale(alpha: np.ndarray, weights: np.ndarray) -> float:
    """Along alpha the dual is largest where its two parts balance."""
    square = float(np.square(weights).sum())
    return float(alpha.sum()) / square if square > 0 else 1.0


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
