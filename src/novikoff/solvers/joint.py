"""All classes at once (Crammer & Singer 2001): the problem, its dual, and the gap.

A row of class y has a lead ``(w_y - w_k).x + b_y - b_k`` over every rival k; its slack is what the smallest one lacks to 1.

    primal    P(W, b) = 1/2 sum_k |w_k|^2 + sum_i C_i max(0, 1 - min_k lead_ik)
    dual      D(a) = sum_ik a_ik - 1/2 sum_k |w_k(a)|^2,     w_k(a) = sum_{i of class k} (sum_l a_il) x_i - sum_i a_ik x_i
              a_ik >= 0,  sum_k a_ik <= C_i
              and if there is a bias, for every class as much of a comes from its rows as goes against it

``alpha`` has a column for every class; that of a row's own class is zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..inputs.rounding_error import not_below
from .balance import circulating, circulation, flows_of, on_a_grid
from .problem import relative_gap

BELOW = 1 - 2.0**-51  # for each class: what rounding may add to a sum over classes
SMALL = 1e-12  # of all flows is taken off row by row, without regard to where it hurts least


class Joint(NamedTuple):
    """Rows, classes, and what a row's slack costs."""

    X: Any  # float64, array or CSR
    target: np.ndarray  # class numbers
    classes: int
    bounds: np.ndarray
    intercept: bool


class JointAnswer(NamedTuple):
    """A point of the primal, a point of the dual, and their values."""

    w: np.ndarray  # (classes, columns)
    b: np.ndarray
    alpha: np.ndarray  # (rows, classes)
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return relative_gap(self.primal, self.dual)


def no_weights(problem: Joint) -> JointAnswer:
    """Zero weights, and zero in the dual."""
    w, b = np.zeros((problem.classes, problem.X.shape[1])), np.zeros(problem.classes)
    alpha = np.zeros((problem.target.size, problem.classes))
    return JointAnswer(w, b, alpha, not_below(float(problem.bounds.sum()), problem.target.size), 0.0)


def leads(target: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """By how much every row's own class leads each class; infinite for itself."""
    rows = np.arange(target.size)
    lead = scores[rows, target][:, None] - scores
    lead[rows, target] = np.inf
    return lead


def joint_slacks(target: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """What the smallest lead of every row lacks to 1."""
    return np.maximum(0.0, 1.0 - leads(target, scores).min(axis=1))


def signed(target: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """What a row's alpha gives each class: (rows, classes)."""
    shares = -alpha
    shares[np.arange(target.size), target] = alpha.sum(axis=1)
    return shares


def joint_certify(problem: Joint, w: np.ndarray, b: np.ndarray, alpha: np.ndarray, best: JointAnswer) -> JointAnswer:
    """Of each side the better of ``best`` and of these weights and this ``alpha``, made feasible; all worked out anew."""
    b = b if problem.intercept else np.zeros_like(b)
    primal = 0.5 * float(np.square(w).sum())
    primal += float(problem.bounds @ joint_slacks(problem.target, problem.X @ w.T + b))
    alpha = joint_feasible(problem, alpha)
    dual = float(alpha.sum()) - 0.5 * float(np.square(problem.X.T @ signed(problem.target, alpha)).sum())
    if primal < best.primal:
        best = best._replace(w=w.copy(), b=b.copy(), primal=primal)
    return best._replace(alpha=alpha, dual=dual) if dual > best.dual else best


def joint_feasible(problem: Joint, alpha: np.ndarray) -> np.ndarray:
    """``alpha`` scaled down to its bounds and, with a bias, until every class gives exactly as much as it gets."""
    alpha = np.maximum(alpha, 0.0)
    alpha[np.arange(problem.target.size), problem.target] = 0.0
    totals = alpha.sum(axis=1)
    over = totals > problem.bounds * BELOW**problem.classes
    alpha[over] *= (problem.bounds[over] / totals[over] * BELOW**problem.classes)[:, None]
    if not problem.intercept:
        return on_a_grid(alpha)  # what a row gives its own class is a sum
    flows = flows_of(alpha, problem.target)
    kept = circulation(flows, SMALL * float(flows.sum()))
    factors = np.divide(kept, flows, out=np.ones_like(flows), where=flows > 0)
    return circulating(alpha * factors[problem.target], problem.target)
