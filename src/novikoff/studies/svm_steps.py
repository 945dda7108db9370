"""``svm_trace``: a linear support vector machine, iteration by iteration, until primal and dual meet.

Each iteration is a step of Newton's method, or an update of its multipliers (``solvers/newton.py``).  What is recorded is not what the method believes of
itself: after each, both objectives are computed again from the data, of the best weights and of the best alpha so far, with
all rounding errors counted against them.  So the primal never rises, the dual never falls, and the solution is always in between.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from ..estimators.base import check_parameters
from ..estimators.linear_svm import LinearSVM
from ..estimators.svm_base import read_rows
from ..report.html import notebook_view
from ..report.sections import Section, Table
from ..report.words import number
from ..system.clock import Clock

CLOSER = 0.01  # of the tolerance is what the method itself is asked for: the trace ends where the gap is proved


class SVMTrace(NamedTuple):
    """One entry for the start, where all weights and alphas are zero, and one for every iteration."""

    primal: np.ndarray  # the objective of the weights
    dual: np.ndarray  # that of alpha: no weights have a smaller objective
    gap: np.ndarray  # (primal - dual) / primal
    coef: np.ndarray  # (entries, features)
    intercept: np.ndarray  # (entries,)
    alpha: np.ndarray  # (entries, rows)

    def _repr_html_(self) -> str:
        rows = [
            [str(step), number(float(primal), 6), number(float(dual), 6), f"{gap:.1e}"]
            for step, (primal, dual, gap) in enumerate(zip(self.primal, self.dual, self.gap, strict=True))
        ]
        table = Table(["iteration", "primal", "dual", "gap"], rows, "rrrr")
        line = "No weights have an objective below the dual; the gap is what is left between both, relatively."
        return notebook_view([Section("A LinearSVM, iteration by iteration", [line], [table])])


def svm_trace(machine: LinearSVM, X: Any, y: Any, sample_weight: Any = None) -> SVMTrace:
    """Solve a linear support vector machine of two classes and record every iteration.

    For small data.  A fit may use another method that needs fewer or shorter iterations; the solution is the same.

    Parameters
    ----------
    machine : LinearSVM
        With a finite C; it is not changed.  Its ``tol`` says when the trace ends.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    sample_weight : array-like of shape (n_samples,), default=None
        As in ``LinearSVM.fit``.

    Returns
    -------
    SVMTrace
        ``primal``, ``dual``, ``gap``, ``coef``, ``intercept``, ``alpha``: one entry for the start and for every iteration.

    Examples
    --------
    >>> from novikoff import LinearSVM, svm_trace
    >>> steps = svm_trace(LinearSVM(C=1, loss="hinge", tol=1e-8), [[0, 0], [1, 0], [2, 1], [3, 3]], [0, 0, 1, 1])
    >>> bool((steps.dual <= steps.primal).all()), bool(steps.gap[-1] <= 1e-8)
    (True, True)
    >>> steps.primal.round(4)[[0, -1]].tolist(), steps.dual.round(4)[[0, -1]].tolist()
    ([4.0, 1.0], [0.0, 1.0])
    """
    from ..solvers.audit import Candidate, Fit, GapProof, prove  # with exact arithmetic, which most fits do without
    from ..solvers.machines import better  # likewise
    from ..solvers.newton import newton  # likewise
    from ..solvers.objectives import Hinge, SquaredHinge  # likewise

    if not isinstance(machine, LinearSVM):
        raise TypeError(f"svm_trace needs a LinearSVM, not {type(machine).__name__}.")
    learner = clone(machine)
    check_parameters(learner)
    if np.isinf(learner.C):
        raise ValueError("C=inf is solved by an exact method, not in iterations: choose a finite C, such as 1e6.")
    rows = read_rows(learner, X, y, sample_weight)
    if len(learner.classes_) != 2:
        raise ValueError(f"svm_trace needs two classes; y has {len(learner.classes_)}.")
    signs, bounds = np.where(rows.target == 1, 1.0, -1.0)[None], learner.C * rows.weight
    squared = learner.loss != "hinge"
    loss = (SquaredHinge if squared else Hinge)(signs, bounds)
    X = (rows.X.toarray() if sparse.issparse(rows.X) else rows.X).astype(float, copy=False)
    fit = Fit(X, learner.fit_intercept, 1.0)
    fit = fit._replace(centre=fit.near())
    nothing = np.zeros((1, X.shape[1])), np.zeros(1)
    entries = [prove(loss, fit, *nothing, learner.tol, np.zeros((len(X), 1)))]

    def watch(found: Candidate) -> None:
        proof = prove(loss, fit, found.coef, found.bias, learner.tol, found.shares)
        best: GapProof = better(entries[-1], proof, np.zeros(1, np.int64))
        if entries[-1].gap.relative > learner.tol and best.gap != entries[-1].gap:
            entries.append(best)

    newton(loss, fit, CLOSER * learner.tol, Clock(), watch=watch)
    alpha = np.zeros((len(entries), rows.total))
    alpha[:, rows.members] = [np.abs(each.shares[:, 0]) for each in entries]
    return SVMTrace(
        np.array([each.gap.primal[0] for each in entries]),
        np.array([each.gap.dual[0] for each in entries]),
        np.array([each.gap.relative for each in entries]),
        np.array([each.coef[0] for each in entries]),
        np.array([each.bias[0] for each in entries]),
        alpha,
    )
