"""``svm_kkt``: does a fitted support vector machine fulfil the conditions of Karush, Kuhn and Tucker?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .joint import joint_slacks, leads


class KKT(NamedTuple):
    """By how much the conditions are missed; all are zero at the optimum."""

    weights: float  # 1/2 |w - sum_i alpha_i y_i x_i|^2 over the objective
    bounds: float  # how far an alpha is below 0 or above C, in parts of C
    balance: float  # |sum_i alpha_i y_i| / sum_i alpha_i; without a bias 0
    slackness: (
        float  # alpha times what rows are beyond the margin, and C - alpha times their slacks, over the objective
    )

    def holds(self, tol: float = 1e-4) -> bool:
        """Whether none is missed by more."""
        return all(missed <= tol for missed in self)  # (nothing is true of NaN)


def svm_kkt(machine: Any, X: Any, y: Any, sample_weight: Any = None) -> KKT:
    """Check the conditions that prove a support vector machine optimal, from its published attributes and the data alone.

    With margins ``z_i = y_i (w.x_i + b)`` and slacks ``xi_i = max(0, 1 - z_i)`` they are ``w = sum_i alpha_i y_i x_i``;
    ``0 <= alpha_i <= C_i``; ``sum_i alpha_i y_i = 0``; and ``alpha_i (z_i - 1 + xi_i) = 0``, ``(C_i - alpha_i) xi_i = 0`` (squared
    hinge: ``alpha_i = 2 C_i xi_i``).

    Parameters
    ----------
    machine : LinearSVM or KernelSVM
        Fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows of that fit.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights.

    Returns
    -------
    KKT
        ``weights``, ``bounds``, ``balance``, ``slackness``: by how much each is missed, relatively (where a gap is proved, the
        first and the last are not larger than that); ``holds(tol)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import LinearSVM, svm_kkt
    >>> X, y = load_iris(return_X_y=True)
    >>> svm_kkt(LinearSVM().fit(X, y), X, y).holds()
    True
    >>> machine = LinearSVM().fit(X, y)
    >>> machine.intercept_ += 0.1
    >>> svm_kkt(machine, X, y).holds()
    False
    """
    check_is_fitted(machine, "dual_coef_")
    rows = clone(machine)._read(X, y, sample_weight)
    outputs = len(machine.dual_coef_)
    shares = np.zeros((outputs, rows.total))
    shares[:, machine.support_] = machine.dual_coef_
    shares = shares[:, rows.members]
    bounds = machine.C * rows.weight
    scores = machine.decision_function(rows.X).reshape(-1, outputs)
    biased = getattr(machine, "fit_intercept", True)
    total = float(np.abs(shares).sum()) or 1.0
    balance = float(np.abs(shares.sum(axis=1)).max()) / total if biased else 0.0
    if getattr(machine, "multiclass", "ovr") == "crammer_singer" and outputs > 1:
        excess, missed, cost = _joint(rows.target, shares.T, scores, bounds)
    else:
        signs = np.array([signs for signs, _ in machine._one_against_rest(rows.target)])
        squared = getattr(machine, "loss", "hinge") == "squared_hinge"
        excess, missed, cost = _each(shares * signs, signs * scores.T, bounds, squared)
    off, square = 0.0, float(np.sum(shares.T * (scores - machine.intercept_)))  # the norm of the weights, squared
    if hasattr(machine, "coef_"):
        off = float(np.linalg.norm(machine.coef_ - (rows.X.T @ shares.T).T))
        square = float(np.square(machine.coef_).sum())
    objective = 0.5 * square + cost or 1.0
    return KKT(0.5 * off**2 / objective, excess, balance, missed / objective)


def _each(alpha: np.ndarray, margins: np.ndarray, bounds: np.ndarray, squared: bool) -> tuple[float, float, float]:
    """The excess over the bounds, the sum of the products that ought to vanish, and what the slacks cost."""
    xi = np.maximum(0.0, 1.0 - margins)
    beyond = float((np.abs(alpha) * (margins - 1 + xi)).sum())
    if squared:
        missed = beyond + float((np.abs(alpha - 2 * bounds * xi) * xi).sum())
        return _not_negative((-alpha / bounds).max()), missed, float((bounds * xi * xi).sum())
    if np.isinf(bounds).any():
        return _not_negative(-alpha.min()) + float(xi.max()), beyond, 0.0
    excess = (np.maximum(-alpha, alpha - bounds) / bounds).max()
    missed = beyond + float((np.abs(bounds - alpha) * xi).sum())
    return _not_negative(excess), missed, float((bounds * xi).sum())


def _joint(
    target: np.ndarray, shares: np.ndarray, scores: np.ndarray, bounds: np.ndarray
) -> tuple[float, float, float]:
    """The same for all classes at once."""
    own = np.arange(target.size), target
    alpha = -shares
    alpha[own] = 0.0
    total = alpha.sum(axis=1)
    xi = joint_slacks(target, scores)
    lead = leads(target, scores)
    lead[own] = 1.0
    beyond = float((alpha * (lead - 1 + xi[:, None])).sum())
    if np.isinf(bounds).any():
        return _not_negative(-alpha.min()) + float(xi.max()), beyond, 0.0
    excess = (np.maximum(-alpha.min(axis=1), total - bounds) / bounds).max()
    missed = beyond + float((np.abs(bounds - total) * xi).sum())
    return _not_negative(excess), missed, float(bounds @ xi)


def _not_negative(number: float) -> float:
    """NaN stays NaN."""
    return float(np.maximum(0.0, number))
