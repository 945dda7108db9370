"""``partial_fit``: one pass over the given rows, in the given order, going on from the present weights."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..keeps import Last
from ..loop import Machine, Overflow, look_back
from ..orders import row_numbers
from ..problem import MISTAKES, Problem, State
from .combinations import check_again, refuse_senseless
from .inputs import DTYPES, read_X
from .targets import read_weights

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
    """See ``partial_fit``."""
    began = time.perf_counter()
    X, machine = prepare(learner, X, y, sample_weight, targets)
    mistakes = machine.state.counts[MISTAKES]
    try:
        learn_once(learner, X, machine, targets)
    finally:  # also what was learned before an error counts
        learner._hand_back(machine.problem, machine.keep, machine.state)
        full = learner.history == "full" and machine.problem.members.size > 0
        _note(learner, look_back(machine, machine.state.counts[MISTAKES] - mistakes, full), began)
    return learner


def prepare(learner: Any, X: Any, y: Any, sample_weight: Any, targets: Numbers) -> tuple[Any, Machine]:
    """Checked rows, and the machine that will learn from them.  A call that is refused leaves the learner as it was."""
    before = {**vars(learner), "_class_counts": dict(vars(learner).get("_class_counts", {}))}
    try:
        X, problem, keep, state = _prepare(learner, X, y, sample_weight, targets)
        return X, learner._machine(X, problem, keep, state)
    except Exception:
        learner.__dict__.clear()
        learner.__dict__.update(before)
        raise


def learn_once(learner: Any, X: Any, machine: Machine, targets: Numbers, names: np.ndarray | None = None) -> None:
    """One pass over the rows of the machine; ``names`` are their numbers in an error message."""
    members = machine.problem.members
    try:
        if members.size and targets.tell_apart():
            machine.one_pass(members, members[:0])
    except Overflow as overflow:
        row = overflow.row if names is None else int(names[overflow.row])
        raise learner._explain_overflow(X, machine.problem, row) from None
    finally:
        machine.keep.consider(machine.state, machine.problem)


def _prepare(
    learner: LinearLearner, X: Any, y: Any, sample_weight: Any, targets: Numbers
) -> tuple[Any, Problem, Last, State]:
    """Check everything that is handed in, and have the state ready to go on."""
    first = not hasattr(learner, "_continue")
    if first:
        learner._validate_params()
        refuse_senseless(learner)
        targets.refuse_first()
    else:
        check_again(learner, learner._continue.parameters)
    X, y = _read(learner, X, y, first)
    weight = read_weights(sample_weight, X)
    members = row_numbers(np.flatnonzero(weight) if weight.size else len(y))
    target, weight, members = targets.read(y, weight, members, first)
    problem, keep, state = (learner._first_rows if first else learner._next_rows)(X, target, weight, members)
    if first:
        keep.consider(state, problem)
    return X, problem, keep, state


def _read(learner: LinearLearner, X: Any, y: Any, first: bool) -> tuple[Any, np.ndarray]:
    """Checked X and y.  A plain array like the ones before, as streams send them one by one, takes a short cut that
    leaves no check out."""
    if (
        not first
        and type(X) is np.ndarray
        and X.dtype == learner._dtype()
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
    X, y = read_X(learner, X, y, reset=first, dtype=DTYPES if first else learner._dtype())
    return X, column_or_1d(y)


def _note(learner: LinearLearner, record: dict[str, float], began: float) -> None:
    """Go on with counts and history, of which the last calls are kept."""
    records = learner.__dict__.setdefault("_records", {})
    calls = len(records["seconds"]) if records else 0
    record["seconds"] = (records["seconds"][-1] if calls else 0.0) + time.perf_counter() - began
    for name in records | record:
        if name not in records:
            records[name] = [np.nan] * calls
        records[name].append(record.get(name, np.nan))
        del records[name][:-MOST_CALLS]
    learner.n_iter_ = (learner.n_iter_ if calls else 0) + 1
    learner.stop_reason_ = None
    learner._note_counts(learner._continue.state)
