"""Every update of a fit, written down: what a student would note on paper, exactly.

``trace`` fits a clone and records each step that moved the weights.  Weights are copies of the running weights, bit for
bit.  The scores are the one thing computed here: ``x @ w + b`` by NumPy in float64, at the weights before the update;
on whole numbers that is exactly what the fit saw, otherwise it may differ from the fit's own sum in the last bits.

An update is a step of the rule.  Weights that decay (``HingeSGD``) also shrink at rows that cause no step, so that the
weights before an update may be shorter than those after the last one; each update holds its own decay and step.  An
ordinary fit multiplies the decay of many rows into the weights at once, a traced one after every step: the two may
differ in the last bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier

from ..estimators.base import LinearLearner, fit_in_memory
from ..learn.rows import public
from ..learn.state import MISTAKES, MOVES

ALL_LINES = 40  # a table of more updates than this shows the first and the last few only
FEW_LINES = 8
ALL_COLUMNS = 8  # and weights longer than this are shown by their first and last ones


class Update(NamedTuple):
    """One step that moved the weights."""

    row: Any  # the row's index; for a batch, an array of them
    scores: np.ndarray  # (outputs,), or (batch, outputs): w.x + b at the weights before, float64
    before: np.ndarray  # (outputs, features + 1): weights before, the bias in the last column
    after: np.ndarray  # the same after the update
    mistakes: int  # mistakes in this step; of a regression 0
    pass_number: int  # the pass it happened in, counted from 1


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Every update of a fit, in order: as arrays, or as one ``Update`` after the other in a loop.

    Attributes
    ----------
    estimator : LinearLearner
        The clone that was fitted; its ``stop_reason_`` is "callback" if the trace is not complete.
    row : ndarray of shape (updates,) or (updates, batch)
        The row of each step; if a step reads several rows, all of them, with -1 at the end of a shorter last batch.
    scores : ndarray of shape (updates, outputs) or (updates, batch, outputs), float64
        ``w.x + b`` of those rows with the weights before the update; NaN if there is no row.
    before, after : ndarrays of shape (updates, outputs, features + 1)
        The running weights before and after, with the bias in the last column, in the dtype of the fit.
    mistakes : ndarray of shape (updates,)
        Mistakes in each step: for the perceptron 1, or more with batches and ``multiclass="ovr"``; rules that also learn
        from correctly classified rows may have none, and a regression has none.
    pass_number : ndarray of shape (updates,)
        The pass of each step, counted from 1.
    complete : bool
        False if the fit was stopped because it made more than ``max_updates`` updates.
    """

    estimator: LinearLearner
    row: np.ndarray
    scores: np.ndarray
    before: np.ndarray
    after: np.ndarray
    mistakes: np.ndarray
    pass_number: np.ndarray
    complete: bool

    def __len__(self) -> int:
        return len(self.mistakes)

    def __getitem__(self, number: int) -> Update:
        row, scores = self.row[number], self.scores[number]
        if self.row.ndim == 2:
            row, scores = row[row >= 0], scores[row >= 0]
        else:
            row = int(row)
        return Update(
            row,
            scores,
            self.before[number],
            self.after[number],
            int(self.mistakes[number]),
            int(self.pass_number[number]),
        )

    def __iter__(self) -> Iterator[Update]:
        return (self[number] for number in range(len(self)))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain lists and numbers, ready for ``json.dumps``; for a regression without ``classes``."""
        updates = [
            {
                name: value.tolist() if isinstance(value, np.ndarray) else value
                for name, value in update._asdict().items()
            }
            for update in self
        ]
        classes = {"classes": self.estimator.classes_.tolist()} if is_classifier(self.estimator) else {}
        return {
            "estimator": type(self.estimator).__name__,
            **classes,
            "complete": self.complete,
            "stop_reason": self.estimator.stop_reason_,
            "updates": updates,
        }

    def __repr__(self) -> str:
        return f"<Trace of {type(self.estimator).__name__}: {self._summary()}>"

    def _summary(self) -> str:
        count = f"{len(self)} update{'s' * (len(self) != 1)}"
        if not self.complete:
            return f"the first {count}, then stopped"
        passes = self.estimator.n_iter_
        return f"{count} in {passes} pass{'es' * (passes != 1)}, {self.estimator.stop_reason_}"

    def __str__(self) -> str:
        return "\n".join([f"{type(self.estimator).__name__}: {self._summary()}", *_table(self)])


def trace(estimator: LinearLearner, X: Any, y: Any, sample_weight: Any = None, max_updates: int = 10_000) -> Trace:
    """Fit a clone of the estimator and record every update of its weights.

    For small data: every step runs in Python, and every update stores two copies of the weights.  The clone starts from
    ``init``; scikit-learn callbacks of the estimator are not called.

    Parameters
    ----------
    estimator : LinearLearner
        Any learner of this package that reads rows one after the other, such as ``Perceptron``; it is not changed.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels; for a regressor, real numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        As in ``fit``.
    max_updates : int, default=10_000
        Stop the fit, with a warning, if there are more updates than this.

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
    """
    if not isinstance(estimator, LinearLearner):
        raise TypeError(
            f"trace needs a learner of this package, such as Perceptron, not {type(estimator).__name__}. "
            "For a pipeline, transform X first and pass the last step."
        )
    if not isinstance(max_updates, Integral) or max_updates < 1:
        raise ValueError(f"max_updates is {max_updates!r}; it must be a whole number, at least 1.")
    if hasattr(estimator, "kernel"):
        raise ValueError("A trace shows weights, and a kernel perceptron has none: trace a Perceptron instead.")
    if getattr(estimator, "solver", "steps") not in ("auto", "steps"):
        raise ValueError(f"solver={estimator.solver!r} makes no steps to trace: use solver='steps'.")
    learner = clone(estimator)
    learner._validate_params()
    learner.set_callbacks()  # none
    recorder = _Recorder(max_updates)
    fit_in_memory(learner, X, y, sample_weight, watch=recorder)
    if recorder.full:
        warnings.warn(
            f"The fit was stopped in pass {learner.n_iter_}, after {max_updates} recorded updates. Raise max_updates to see "
            "more. For many learners updates never end; for the perceptron they end only if the classes are separable.",
            stacklevel=2,
        )
    return recorder.trace(learner)


class _Recorder:
    """Watches a fit step by step."""

    def __init__(self, max_updates: int) -> None:
        self._max_updates = max_updates
        self.updates: list[Update] = []
        self.full = False
        self._mistakes = self._moves = 0.0

    def __call__(self, problem: Any, state: Any, rows: np.ndarray, number: int) -> bool:
        self._rows = problem.rows
        if not rows.size:
            self._present = self._copy(state)
            return False
        before, self._present = self._present, self._copy(state)
        mistakes, self._mistakes = state.counts[MISTAKES] - self._mistakes, state.counts[MISTAKES]
        moves, self._moves = state.counts[MOVES] - self._moves, state.counts[MOVES]
        if not moves:
            return False
        self.full = len(self.updates) == self._max_updates
        if not self.full:
            scores = _dense(self._rows, rows, before.shape[1] - 1) @ before[:, :-1].T.astype(float) + before[:, -1]
            self.updates.append(Update(rows.copy(), scores, before, self._present, int(mistakes), number + 1))
        return self.full

    def _copy(self, state: Any) -> np.ndarray:
        return np.column_stack([public(self._rows, state.weights), state.bias])

    def trace(self, learner: LinearLearner) -> Trace:
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
        before, after = (
            np.array([getattr(update, name) for update in updates], self._present.dtype).reshape(-1, *shape)
            for name in ("before", "after")
        )
        mistakes, passes = (
            np.array([getattr(update, name) for update in updates], int) for name in ("mistakes", "pass_number")
        )
        return Trace(learner, row, scores, before, after, mistakes, passes, not self.full)


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


# The table that print shows


def _table(trace: Trace) -> list[str]:
    """One line for each update and output, columns right-aligned; long tables without their middle."""
    shown = list(range(len(trace)))
    if len(shown) > ALL_LINES:
        shown = shown[:FEW_LINES] + shown[-FEW_LINES:]
    lines = [_head(trace)]
    for number in shown:
        lines += _lines_of(trace, number)
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    if len(shown) < len(trace):
        text.insert(1 + FEW_LINES * trace.after.shape[1], "...".rjust(widths[0]))
    return text


def _head(trace: Trace) -> list[str]:
    outputs, width = trace.after.shape[1:]
    what = ["row", "score"] if trace.row.ndim == 1 else ["rows", "mistakes"][: 1 + is_classifier(trace.estimator)]
    if outputs > 1:
        what.insert(1, "class")
    return ["update", "pass", *what, *_shortened([*(f"w{j}" for j in range(1, width)), "b"])]


def _lines_of(trace: Trace, number: int) -> list[list[str]]:
    """The cells of one update: a line for each output, its number only in the first."""
    update = trace[number]
    outputs = len(update.after)
    lines = []
    for k, weights in enumerate(update.after):
        if trace.row.ndim == 1:
            what = [str(update.row) if k == 0 else "", f"{update.scores[k]:.4g}"]
        else:
            what = [str(len(update.row)), str(update.mistakes)] if k == 0 else ["", ""]
            what = what[: 1 + is_classifier(trace.estimator)]
        if outputs > 1:
            what.insert(1, str(trace.estimator.classes_[k]))
        place = [str(number + 1), str(update.pass_number)] if k == 0 else ["", ""]
        lines.append([*place, *what, *_shortened([f"{w:.4g}" for w in weights])])
    return lines


def _shortened(cells: list[str]) -> list[str]:
    """Without the middle, where there are too many."""
    return cells if len(cells) <= ALL_COLUMNS else [*cells[: ALL_COLUMNS - 3], "...", *cells[-2:]]
