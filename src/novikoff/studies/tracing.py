"""Every step of a fit, written down: what a student would note on paper, exactly.

``trace`` fits a clone and records each step that moved the weights, or every step.  Weights are copies of the running
weights, bit for bit.  The scores are the one thing computed here: ``x @ w + b`` by NumPy in float64, at the weights before
the step; on whole numbers that is exactly what the fit saw, otherwise it may differ from the fit's own sum in the last bits.

An update is a step of the rule.  Weights that decay (``HingeSGD``) also shrink at rows that cause no step, so that the
weights before an update may be shorter than those after the last one; each update holds its own decay and step.  An
ordinary fit multiplies the decay of many rows into the weights at once, a traced one after every step, and a kernel
perceptron adds up scores in blocks of rows, a traced one row by row: the two may differ in the last bits.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from ..dual.dual_machine import DualLoop
from ..estimators.advice import warn
from ..estimators.base import LinearLearner, check_parameters, fit_in_memory
from ..learn.learning import LoopState
from ..learn.rows import public
from ..learn.state import BEST_RUN, MISTAKES, MOVES, RIGHT_RUN
from .traces import Trace, Update


def trace(
    estimator: LinearLearner,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    max_updates: int = 10_000,
    every_row: bool = False,
) -> Trace:
    """Fit a clone of the estimator and record every update of its weights.

    For small data: every step runs in Python, and every update stores copies of the weights.  The clone starts from
    ``init``; scikit-learn callbacks of the estimator are not called.

    Parameters
    ----------
    estimator : LinearLearner
        Any learner of this package that reads rows one after the other, such as ``Perceptron``; it is not changed.  Of a
        ``KernelPerceptron`` the weights are ``alpha_i y_i`` of every training row, and the bias.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels; for a regressor, real numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        As in ``fit``.
    max_updates : int, default=10_000
        Stop the fit, with a warning, if there are more steps to record than this.
    every_row : bool, default=False
        Whether to record rows that moved nothing, too (``Trace.moved`` says which did).

    Returns
    -------
    Trace

    Examples
    --------
    The perceptron learns OR, reading the rows in order; a tie is a mistake, so zero weights change.

    >>> from novikoff import Perceptron, trace
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> steps = trace(Perceptron(order="cyclic"), X, y)
    >>> print(steps)
    Perceptron: 9 updates in 6 passes, separated
    update  pass  row  score  w1  w2   b
         1     1    0      0   0   0  -1
         2     1    1     -1   0   1   0
         3     1    2      0   1   1   1
         4     2    0      1   1   1   0
         5     3    0      0   1   1  -1
         6     3    1      0   1   2   0
         7     4    0      0   1   2  -1
         8     4    2      0   2   2   0
         9     5    0      0   2   2  -1
    >>> second = steps[1]
    >>> second.after - second.before
    array([[0., 1., 1.]])
    >>> all_rows = trace(Perceptron(order="cyclic"), X, y, every_row=True)
    >>> all_rows.row[:8].tolist(), all_rows.moved[:8].tolist()
    ([0, 1, 2, 3, 0, 1, 2, 3], [True, True, True, False, True, False, False, False])
    """
    if not isinstance(estimator, LinearLearner):
        raise TypeError(
            f"trace needs a learner of this package, such as Perceptron, not {type(estimator).__name__}. "
            "For a pipeline, transform X first and pass the last step."
        )
    if not isinstance(max_updates, Integral) or max_updates < 1:
        raise ValueError(f"max_updates is {max_updates!r}; it must be a whole number, at least 1.")
    if getattr(estimator, "solver", "steps") not in ("auto", "steps"):
        raise ValueError(f"solver={estimator.solver!r} makes no steps to trace: use solver='steps'.")
    learner = clone(estimator)
    check_parameters(learner)
    learner.set_callbacks()  # none
    recorder = _Recorder(max_updates, every_row)
    fit_in_memory(learner, X, y, sample_weight, watch=recorder)
    if recorder.full:
        what = "steps" if every_row else "updates"
        warn(
            f"The fit was stopped in pass {learner.n_iter_}, after {max_updates} recorded {what}. Raise max_updates to see "
            "more. For many learners updates never end; for the perceptron they end only if the classes are separable."
        )
    held = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    weight = None if sample_weight is None else np.asarray(sample_weight)
    return recorder.trace(learner, held, np.asarray(y), weight)


class _Recorder:
    """Watches a fit step by step."""

    def __init__(self, max_updates: int, every_row: bool) -> None:
        self._max_updates, self._every_row = max_updates, every_row
        self.updates: list[Update] = []
        self.full = False
        self._mistakes = self._moves = 0.0

    def __call__(self, machine: LoopState, rows: np.ndarray, number: int) -> bool:
        counts = machine.state.counts
        if not rows.size:
            self._present = _running(machine)
            return False
        before, self._present = self._present, _running(machine)
        mistakes, self._mistakes = counts[MISTAKES] - self._mistakes, counts[MISTAKES]
        moves, self._moves = counts[MOVES] - self._moves, counts[MOVES]
        if not (moves or self._every_row):
            return False
        self.full = len(self.updates) == self._max_updates
        if not self.full:
            machine.keep.consider(machine.state, machine.problem)
            self.updates.append(
                Update(
                    _names(machine, rows),
                    _scores(machine, rows, before.astype(float)),
                    before,
                    self._present,
                    int(mistakes),
                    number + 1,
                    bool(moves),
                    int(counts[RIGHT_RUN]),
                    int(counts[BEST_RUN]),
                    _kept(machine).astype(self._present.dtype),
                )
            )
        return self.full

    def trace(self, learner: LinearLearner, X: Any, y: np.ndarray, weight: np.ndarray | None) -> Trace:
        """Stack what was recorded."""
        updates, shape = self.updates, self._present.shape
        batch = max((len(update.row) for update in updates), default=1)
        row = np.full((len(updates), batch), -1)
        scores = np.full((len(updates), batch, shape[0]), np.nan)
        for number, update in enumerate(updates):
            row[number, : len(update.row)] = update.row
            scores[number, : len(update.row)] = update.scores
        if batch == 1:
            row, scores = row[:, 0], scores[:, 0]
        weights = {
            name: np.array([getattr(update, name) for update in updates], self._present.dtype).reshape(-1, *shape)
            for name in ("before", "after", "kept")
        }
        counts = {
            name: np.array([getattr(update, name) for update in updates], int)
            for name in ("mistakes", "pass_number", "run", "kept_run")
        }
        moved = np.array([update.moved for update in updates], bool)
        return Trace(
            learner,
            row,
            scores,
            **weights,
            **counts,
            moved=moved,
            complete=not self.full,
            X=X,
            y=y,
            sample_weight=weight,
        )


def _running(machine: LoopState) -> np.ndarray:
    """A copy of the running weights, the bias last."""
    state = machine.state
    if not isinstance(machine, DualLoop):
        return np.column_stack([public(machine.problem.rows, state.weights), state.bias])
    return _of_all_rows(machine, machine.span.points.numbers, state.weights, state.bias)


def _kept(machine: LoopState) -> np.ndarray:
    """The weights that the fit would return now, likewise."""
    fitted = machine.handed_back("")[0]
    if isinstance(machine, DualLoop):
        return _of_all_rows(machine, fitted["support_"], fitted["dual_coef_"], fitted["intercept_"])
    return np.column_stack([np.atleast_2d(fitted["coef_"]), fitted["intercept_"]])


def _of_all_rows(machine: DualLoop, numbers: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Weights of some rows, as weights of all, and the bias."""
    every = np.zeros((len(weights), machine.span.seen + 1))
    every[:, numbers] = weights
    every[:, -1] = bias
    return every


def _names(machine: LoopState, rows: np.ndarray) -> np.ndarray:
    """The rows as the user counts them."""
    return machine.span.points.numbers[rows] if isinstance(machine, DualLoop) else rows.copy()


def _scores(machine: LoopState, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``w.x + b`` of these rows."""
    if isinstance(machine, DualLoop):
        points = machine.span.points
        values = machine.span.kernel.values(points.take(rows), points).astype(float)
        return values @ weights[:, points.numbers].T + weights[:, -1]
    return _dense(machine.problem.rows, rows, weights.shape[1] - 1) @ weights[:, :-1].T + weights[:, -1]


def _dense(rows: Any, chosen: np.ndarray, features: int) -> np.ndarray:
    """The chosen rows as a float64 array."""
    dense: np.ndarray
    if len(rows) == 1:
        dense = rows.values[chosen].astype(float)
        return dense
    dense = np.zeros((len(chosen), features))
    for place, i in enumerate(chosen):
        part = slice(rows.starts[i], rows.starts[i + 1])
        np.add.at(dense[place], rows.columns[part].astype(np.intp), rows.values[part])
    return dense
