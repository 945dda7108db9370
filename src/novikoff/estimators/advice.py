"""What warnings say when a fit does not end as it was asked to: numbers, likely causes, remedies."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from .inputs import spread

if TYPE_CHECKING:
    from ..loop import Outcome
    from ..problem import Problem

WIDE_SCALES = 100.0  # columns whose largest values differ by more than this slow the perceptron down noticeably
HOPELESS_SCALES = 1e4  # and by more than this leave steps of any rule little chance

_QUIET = ContextVar("novikoff_quiet", default=False)  # of this thread alone; filters of warnings belong to all


@contextmanager
def without_remarks() -> Iterator[None]:
    """Within it, learners that did not get to the end do not say so: whoever asked for that knows."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


def remark(text: str) -> None:
    """Warn, and name the line of the user's own code that led here."""
    if _QUIET.get():
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ("novikoff", "sklearn", "contextlib"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, ConvergenceWarning, stacklevel=level)


def not_there_yet(learner: Any, X: Any, outcome: Outcome) -> None:
    """Warn where ``tol`` asked for weights that stand still and they did not, or where they hardly can have come far."""
    if outcome.reason not in ("budget", "time"):
        return
    parts = []
    if learner.tol is not None:
        limit = {"budget": "max_iter", "time": "time_limit"}[outcome.reason]
        parts.append(
            f"After {outcome.passes} passes the weights still moved by {outcome.moved:.3g} in a pass, not less than "
            f"tol={learner.tol:.3g}. Raise {limit} or tol, or make steps smaller or averaged: online steps of a constant "
            "size never stand still where no weights fit all rows."
        )
    values = getattr(learner, "kernel", None) == "precomputed"  # of a kernel: they have no columns to scale
    sizes = np.empty(0) if values else column_sizes(X)
    if sizes.size and sizes.max() > HOPELESS_SCALES * sizes.min():
        parts.append(
            f"{differ(sizes)}: steps that suit the largest hardly move the weights of the smallest. Scale the columns, "
            "e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        )
    if parts:
        remark(" ".join(parts))


def not_right(learner: Any, outcome: Outcome, rows: int) -> str:
    """The text of the kernel perceptron's warning."""
    ended = {
        "budget": f"max_iter={outcome.passes} passes ended before every row was right",
        "time": f"the time limit ended the fit in pass {outcome.passes} before every row was right",
        "cycle": f"in pass {outcome.passes} the weights returned to where they had been and would repeat for ever",
    }[outcome.reason]
    return (
        f"{ended}: {learner.n_errors_} of {rows} training rows are classified wrongly. Where classes overlap, the last "
        "weights swing from mistake to mistake: use keep='average'. If they can be separated, allow more passes, or another "
        "kernel or gamma."
    )


def not_separated(learner: Any, X: Any, problem: Problem, order: str, outcome: Outcome) -> str:
    """The text of the perceptron's warning."""
    reason, passes, errors, rows = outcome.reason, outcome.passes, learner.n_errors_, problem.members.size
    sizes, constant, keep = column_sizes(X), problem.constant2**0.5, learner.keep
    in_order = order == "cyclic" and learner.batch_size != "all"
    sorted_by_class = in_order and is_sorted_by_class(problem.target[problem.members])
    proved = outcome.cycle is not None and learner.cycle_.proves_inseparable
    ended = {
        "budget": f"max_iter={passes} passes ended before every row was right",
        "time": f"the time limit ended the fit in pass {passes} before every row was right",
        "cycle": f"in pass {passes} the weights returned to where they had been and would repeat for ever",
    }[reason]
    parts = [f"{ended}: {errors} of {rows} training rows are classified wrongly by the weights handed back."]
    if errors == 0:
        parts = [f"{ended} by the same weights, though those handed back classify all {rows} training rows right."]
    if proved:
        parts.append(
            "The updates of one round add up to exactly zero, which proves that the classes are not linearly separable."
        )
    if sizes.size and sizes.max() > WIDE_SCALES * sizes.min():
        parts.append(
            f"{differ(sizes)}; scale them, "
            "e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        )
    elif sizes.size and constant and not constant / WIDE_SCALES <= sizes.max() <= constant * WIDE_SCALES:
        parts.append(
            f"The largest value is about {sizes.max():.3g}, but the constant feature of the intercept is {constant:.3g}; scale "
            "the columns or use intercept_scaling='radius'."
        )
    if sorted_by_class:
        parts.append("The rows are sorted by class and were read in that order; use order='shuffle'.")
    remedy = f"the weights of keep={keep!r} are good all the same"
    if keep == "last":
        remedy = "keep='average' or keep='ratchet' gives good weights all the same"
    if proved:
        parts.append(f"They overlap, but {remedy}.")
    elif reason == "cycle":
        parts.append(f"If the classes overlap, {remedy}; if not, use order='shuffle'.")
    else:
        limit = {"budget": "max_iter", "time": "time_limit"}[reason]
        parts.append(f"If the classes can be separated, raise {limit}; if they overlap, {remedy}.")
    return " ".join(parts)


def differ(sizes: np.ndarray) -> str:
    """By how much they do, also where the quotient is beyond the largest float."""
    large, small = sizes.max(), sizes.min()
    ratio = f"{large / small:.3g}" if large < 1e308 * min(small, 1.0) else f"{large:.3g} / {small:.3g}"
    return f"The largest values of the columns differ by a factor of about {ratio}"


def column_sizes(X: Any) -> np.ndarray:
    """About the largest absolute value of every column that is not all zero, from rows spread over the data."""
    X = spread(X)
    if sparse.issparse(X):
        highest, lowest = X.max(axis=0).toarray().ravel(), X.min(axis=0).toarray().ravel()
    else:
        highest, lowest = X.max(axis=0), X.min(axis=0)
    sizes = np.maximum(np.abs(highest), np.abs(lowest)).astype(float)
    return sizes[sizes > 0]


def is_sorted_by_class(labels: np.ndarray) -> bool:
    """Whether every class is one run of rows."""
    runs = 1 + np.count_nonzero(labels[1:] != labels[:-1])
    return bool(runs == np.unique(labels).size)
