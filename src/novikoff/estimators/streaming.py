"""``partial_fit``: one pass over the given rows, in the given order, going on from the present weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..inputs.arrays import DTYPES, generator, read_X
from ..inputs.clock import Clock
from ..inputs.targets import read_weights
from ..learn.learning import Learning
from ..learn.machine import Machine, Overflow
from ..learn.orders import row_numbers
from ..learn.sources import AsGiven
from .base import as_before_an_error
from .combinations import check_again, refuse_senseless

if TYPE_CHECKING:
    from .base import LinearLearner

MOST_CALLS = 4096  # in the history


class Numbers:
    """How targets of a stream are read: here real numbers.  ``streamed_classes.Classes`` reads labels."""

    def refuse_first(self) -> None:
        """Refuse a first call that leaves something out."""

    def tell_apart(self) -> bool:
        """Whether there is anything to learn yet."""
        return True

    def read(
        self, y: np.ndarray, weight: np.ndarray, members: np.ndarray, first: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Targets as kernels read them, the weights of their rows, and the rows that take part."""
        return y.astype(np.float64, copy=False), weight, members


def learn_on(learner: Any, X: Any, y: Any, sample_weight: Any, targets: Numbers) -> Any:
    """See ``partial_fit``.  A call that raises, also by Ctrl-C, leaves the learner as it was, so that it can be repeated."""
    with as_before_an_error(learner):
        history = learner._learned.history
        clock = Clock(None, history["seconds"][-1] if history else 0.0)
        source, machine = _checked(learner, X, y, sample_weight, targets)
        passes = learner.n_iter_ if history else 0
        full = learner.history == "full" and machine.problem.members.size > 0
        learning = Learning(
            machine, source, clock=clock, history=history, passes=passes, most=passes + 1, full_history=full
        )
        try:
            learning.run()
        except Overflow as overflow:
            raise learner._explain_overflow(source, overflow.row) from None
        if learning.reason == "interrupted":
            raise KeyboardInterrupt
        learner._hand_back(learning)
        learner.stop_reason_ = None
    for values in history.values():
        del values[:-MOST_CALLS]
    return learner


def _checked(learner: Any, X: Any, y: Any, sample_weight: Any, targets: Numbers) -> tuple[AsGiven, Machine]:
    """Check everything that is handed in, and have the state ready to go on."""
    first = not learner._learned.begun
    if first:
        learner._validate_params()
        refuse_senseless(learner)
        targets.refuse_first()
    else:
        check_again(learner, learner._learned.parameters)
    X, y = _read(learner, X, y, first)
    given = read_weights(sample_weight, X)
    members = row_numbers(np.flatnonzero(given) if given.size else len(y))
    target, weight, members = targets.read(y, given, members, first)
    if first:
        problem = learner._problem(X, target, weight, given, members, once=True)
        keep, state = learner._begin(problem, generator(learner.random_state), X.dtype)
    else:
        problem, keep, state = learner._go_on(X, target, weight, members)
    source = AsGiven(X, problem, learn=targets.tell_apart())
    return source, learner._machine(source, problem, keep, state)


def _read(learner: LinearLearner, X: Any, y: Any, first: bool) -> tuple[Any, np.ndarray]:
    """Checked X and y.  A plain array like the ones before, as streams send them one by one, takes a short cut that
    leaves no check out."""
    if (
        not first
        and type(X) is np.ndarray
        and X.dtype == learner.intercept_.dtype
        and X.ndim == 2
        and X.shape[1] == learner.n_features_in_
        and X.flags.c_contiguous
        and not hasattr(learner, "feature_names_in_")
        and type(y) in (np.ndarray, list)
        and len(y) == len(X) > 0
        and np.isfinite(X).all()
    ):
        y = np.asarray(y)
        if y.ndim == 1 and (hasattr(learner, "classes_") or (y.dtype.kind in "fiu" and np.isfinite(y).all())):
            return X, y
    X, y = read_X(learner, X, y, reset=first, dtype=DTYPES if first else learner.intercept_.dtype)
    return X, column_or_1d(y)
