"""``svm_kkt``: does a fitted support vector machine fulfil the conditions of Karush, Kuhn and Tucker?

With ``v = sum_i alpha_i y_i x_i`` and ``r = sum_i alpha_i y_i``, for any w, b and any alpha within its bounds

    P(w, b) - D(alpha) = 1/2 |w - v|^2 + sum_i (alpha_i (z_i - 1 + xi_i) + (C_i - alpha_i) xi_i) - b r

(squared hinge: ``(2 C_i xi_i - alpha_i)^2 / (4 C_i)`` instead of the last product), as multiplying out shows, and the objective
of the best weights w*, b* is at least ``D(alpha) - b* r``.  So no weights are better than these by more than the first two terms,
which are never negative, and ``|r| (|b| + |b*|)``.  At the best bias the slack of some row begins, so ``|b*| <= 1 + R |w*|``, R
being the longest row, and ``|w*|^2 <= 2 P(w, b)``.  Of K classes at once, the best biases lie at a corner, where K - 1 equations
between two of them each hold them together, so that they are apart by at most K - 1 times as much.
"""

from __future__ import annotations

from math import fsum
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from ..checks.arrays import class_numbers, own_output, read_weights, read_X, with_class_weight
from ..estimators.base import remembered
from ..report.html import notebook_view
from ..report.sections import Section, Table
from ..solvers.crammer_singer import leads, signed
from ..solvers.shifted_rows import far_centre, shifted


class KKT(NamedTuple):
    """By how much the conditions are violated, relative to the objective; all are zero at the optimum."""

    weights: float  # 1/2 |w - sum_i alpha_i y_i x_i|^2
    bounds: float  # how far an alpha is below 0 or above C, in parts of C; with C=inf the largest slack as well
    balance: float  # |sum_i alpha_i y_i| times what biases may differ by; without a bias 0
    slackness: float  # alpha times what rows are beyond the margin, and C - alpha times their slacks

    def holds(self, tol: float = 1e-4) -> bool:
        """Whether no violation is larger than ``tol``: then the objective is above its minimum by at most ``3 tol``, relatively."""
        return all(missed <= tol for missed in self)  # (nothing is true of NaN)

    def _repr_html_(self) -> str:
        meaning = {
            "weights": "1/2 |w - sum of alpha y x|^2",
            "bounds": "how far an alpha is outside its bounds",
            "balance": "|sum of alpha y| times what biases may differ by",
            "slackness": "alpha times room beyond the margin, C - alpha times slack",
        }
        rows = [[name, f"{missed:.2g}", meaning[name]] for name, missed in self._asdict().items()]
        table = Table(["condition", "violated by", "which is"], rows, "lrl")
        line = "How far the conditions of Karush, Kuhn and Tucker are violated, relative to the objective; at the optimum, not at all."
        return notebook_view([Section("Optimality of a support vector machine", [line], [table])])


class _Published(NamedTuple):
    """What a machine published of its fit, for rows of positive weight, which are shifted to zero if they are far from it."""

    target: np.ndarray  # class numbers
    bounds: np.ndarray  # C times the weights of the rows
    shares: np.ndarray  # (rows, outputs): alpha y
    scores: np.ndarray  # (rows, outputs)
    biases: np.ndarray  # that belong to shifted rows
    lengths: np.ndarray  # of the rows; of a kernel, in its space
    X: Any  # the rows; None for a kernel
    coef: np.ndarray  # (outputs, columns)
    intercept: bool
    squared: bool
    joint: bool


def svm_kkt(machine: Any, X: Any, y: Any, sample_weight: Any = None) -> KKT:
    """Check the optimality conditions (Karush-Kuhn-Tucker) of a support vector machine, only from its attributes and the data.

    With margins ``z_i = y_i (w.x_i + b)`` and slacks ``xi_i = max(0, 1 - z_i)`` the conditions are ``w = sum_i alpha_i y_i x_i``;
    ``0 <= alpha_i <= C_i``; ``sum_i alpha_i y_i = 0``; and ``alpha_i (z_i - 1 + xi_i) = 0``, ``(C_i - alpha_i) xi_i = 0`` (squared
    hinge: ``alpha_i = 2 C_i xi_i``).

    A violation is measured by the error of the objective that it may cause.  Together, ``weights``, ``balance`` and ``slackness``
    bound the relative distance of the objective from its minimum: if ``holds(tol)`` is true, it is at most ``3 tol``.  (Alphas
    outside their bounds are treated as if they were at the bounds.  With C=inf, where no slack is allowed, this is true after the
    weights are multiplied by ``1 / (1 - bounds)``.)  For several problems (one-vs-rest, or all pairs of classes) the values are
    sums over all problems, relative to the sum of their objectives.  If a gap is proved, alphas are within their bounds and in
    balance, and ``weights + slackness`` is the gap, so ``holds(duality_gap_)`` is true up to the rounding of this check.

    Parameters
    ----------
    machine : LinearSVM or KernelSVM
        The fitted machine.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows of that fit.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights.

    Returns
    -------
    KKT
        ``weights``, ``bounds``, ``balance``, ``slackness``, and ``holds(tol)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import LinearSVM, svm_kkt
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = LinearSVM().fit(X, y)
    >>> svm_kkt(machine, X, y).holds(machine.tol)
    True
    >>> machine.intercept_ += 0.1
    >>> svm_kkt(machine, X, y).holds()
    False
    """
    given = _published(machine, X, y, sample_weight)
    parts = _pairs(given, machine) if hasattr(machine, "n_support_") else [given]
    excess, sums = zip(*(_missed(part) for part in parts), strict=True)
    objective, weights, balance, slackness = (fsum(part) for part in zip(*sums, strict=True))
    objective = objective or 1.0
    return KKT(weights / objective, float(max(excess)), balance / objective, slackness / objective)


def _missed(given: _Published) -> tuple[float, tuple[float, float, float, float]]:
    """How far alphas are beyond their bounds; the objective, and what the other conditions hide of it."""
    shares, excess = _within_bounds(given)
    slack, missed, cost = _slackness(given, shares)
    if np.isinf(given.bounds).any():
        excess, cost = max(excess, float(slack.max())), 0.0
    off = given.shares - shares
    if (
        given.X is None
    ):  # the weights are those of all shares: without what was cut off they change by no more than this
        off = np.abs(off).T @ given.lengths
        square = float(np.sum(given.shares * (given.scores - given.biases)))
    else:
        off = given.coef - (given.X.T @ shares).T
        square = float(np.square(given.coef).sum())
    objective = 0.5 * square + cost
    weights, balance = 0.5 * float(np.square(off).sum()), _balance(given, shares, objective or 1.0)
    return excess, (objective, weights, balance, missed)


def _pairs(given: _Published, machine: Any) -> list[_Published]:
    """What was published of every two classes, each from a separate machine: there ``given.shares`` has a column for every
    other class, and ``given.scores`` one for every pair."""
    classes = len(machine.classes_)
    pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
    found = []
    for p, (a, b) in enumerate(pairs):
        rows = np.flatnonzero((given.target == a) | (given.target == b))
        second = given.target[rows] == b
        found.append(
            given._replace(
                target=second.astype(np.int32),
                bounds=given.bounds[rows],
                shares=given.shares[rows, np.where(second, a, b - 1)][:, None],
                scores=given.scores[rows, p : p + 1],
                biases=given.biases[p : p + 1],
                lengths=given.lengths[rows],
            )
        )
    return found


def _published(machine: Any, X: Any, y: Any, sample_weight: Any) -> _Published:
    check_is_fitted(machine, "dual_coef_")
    X, y = read_X(machine, X, reset=False, dtype=np.float64), column_or_1d(y)
    check_consistent_length(X, y)
    weight = read_weights(sample_weight, X)
    members = np.flatnonzero(weight) if weight.size else np.arange(len(y))
    target = np.zeros(len(y), dtype=np.int32)
    target[members] = class_numbers(y[members], machine.classes_)
    own = weight if weight.size else np.ones(len(y))
    weight = with_class_weight(machine.class_weight, machine.classes_, own, target, members)
    members = members[weight[members] > 0]
    shares = np.zeros((len(y), len(machine.dual_coef_)))
    shares[machine.support_] = machine.dual_coef_.T
    parameters = machine.get_params()
    joint = parameters.get("multiclass") == "crammer_singer" and len(machine.classes_) > 2
    kind = {
        "intercept": parameters.get("fit_intercept", True),
        "squared": getattr(machine, "loss_", parameters.get("loss")) == "squared_hinge",
        "joint": joint,
    }
    if "kernel" in parameters:
        rows = _kernel_rows(machine, X[members], members)
    else:
        rows = _linear_rows(machine, X[members], kind["intercept"])
    return _Published(target[members], machine.C * weight[members], shares[members], *rows, **kind)


def _linear_rows(machine: Any, X: Any, intercept: bool) -> tuple[Any, ...]:
    """Scores, biases, lengths, rows and weights."""
    centre = far_centre(X) if intercept else None
    near = X if centre is None else X - centre
    biases = shifted(machine.coef_, machine.intercept_, centre, 1)
    return near @ machine.coef_.T + biases, biases, row_norms(near), near, machine.coef_


def _kernel_rows(machine: Any, X: Any, members: np.ndarray) -> tuple[Any, ...]:
    """The same; the space of a kernel has no rows."""
    kernel = remembered(machine)["fitted_kernel"]
    lengths = np.sqrt(np.maximum(kernel.diagonal(kernel.points(X, members)), 0.0))
    of_pairs = hasattr(machine, "n_support_")
    scores = machine.pair_scores(X) if of_pairs else machine.decision_function(X).reshape(X.shape[0], -1)
    return scores, machine.intercept_, lengths, None, np.empty(0)


def _within_bounds(given: _Published) -> tuple[np.ndarray, float]:
    """The shares, those of alphas beyond a bound as if they were at it; and how far alphas are beyond, in parts of C."""
    if not given.joint:
        signs = _signs(given)
        alpha, bounds = given.shares * signs, given.bounds[:, None]
        inside = np.clip(alpha, 0.0, np.inf if given.squared else bounds)
        return inside * signs, _beyond(alpha - inside, bounds)
    own = np.arange(given.target.size), given.target
    alpha = -given.shares
    alpha[own] = 0.0
    inside = np.maximum(alpha, 0.0)
    total = inside.sum(axis=1)
    inside *= np.divide(given.bounds, total, out=np.ones_like(total), where=total > given.bounds)[:, None]
    return signed(given.target, inside), _beyond(given.shares - signed(given.target, inside), given.bounds[:, None])


def _beyond(excess: np.ndarray, bounds: np.ndarray) -> float:
    return float(np.max(np.abs(excess) / np.where(np.isinf(bounds), 1.0, bounds)))


def _signs(given: _Published) -> np.ndarray:
    return np.where(own_output(given.target, given.shares.shape[1]), 1.0, -1.0)


def _slackness(given: _Published, shares: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The slacks, the sum of the products that ought to vanish, and what the slacks cost."""
    if given.joint:
        alpha, margins = -shares, leads(given.target, given.scores)
        alpha[np.arange(given.target.size), given.target] = 0.0
        xi = np.maximum(0.0, 1.0 - margins.min(axis=1))[:, None]
        total, margins = alpha.sum(axis=1, keepdims=True), np.where(np.isinf(margins), 1.0, margins)
    else:
        signs = _signs(given)
        alpha, margins = shares * signs, given.scores * signs
        total, xi = alpha, np.maximum(0.0, 1.0 - margins)
    bounds = given.bounds[:, None]
    beyond = float(np.sum(alpha * (margins - 1 + xi)))
    if np.isinf(bounds).any():
        return xi, beyond, 0.0
    if given.squared:
        return xi, beyond + float(np.sum((2 * bounds * xi - alpha) ** 2 / (4 * bounds))), float(np.sum(bounds * xi**2))
    return xi, beyond + float(np.sum((bounds - total) * xi)), float(np.sum(bounds * xi))


def _balance(given: _Published, shares: np.ndarray, objective: float) -> float:
    """``|sum_i alpha_i y_i|`` times what biases may differ by, added up."""
    if not given.intercept:
        return 0.0
    links = len(given.biases) - 1 if given.joint else 1
    reach = links * (1 + 2 * float(given.lengths.max()) * objective**0.5)  # (of two classes, |w_1 - w_2|^2 <= 2 |W|^2)
    missed = np.array([abs(fsum(column)) for column in shares.T.tolist()])
    return float(missed @ (np.abs(given.biases) + reach))
