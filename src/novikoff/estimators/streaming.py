"""``partial_fit``: one pass over the given rows, in the given order, going on from the present weights."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..keeps import MISTAKES, Last, Problem, State
from ..loop import Overflow, fit_to_rows, look_back, new_scratch, one_pass
from ..orders import row_numbers
from ..rows import as_rows, natural, public
from .combinations import check_again, refuse_senseless
from .inputs import DTYPES, generator, overflow_error, read_X
from .targets import class_numbers, distinct_labels, read_weights, with_class_weight

if TYPE_CHECKING:
    from .base import LinearLearner


def learn_on(
    learner: LinearLearner, X: Any, y: Any, classes: Any, sample_weight: Any, extend_classes: bool
) -> LinearLearner:
    """See ``LinearLearner.partial_fit``."""
    began = time.perf_counter()
    before = {**vars(learner), "_class_counts": dict(vars(learner).get("_class_counts", {}))}
    try:
        keep, state, problem = _prepare(learner, X, y, classes, sample_weight, extend_classes)
    except Exception:  # a call that is refused leaves the learner as it was
        learner.__dict__.clear()
        learner.__dict__.update(before)
        raise
    mistakes = state.counts[MISTAKES]
    rule = learner._rule(learner._form)
    members = problem.members
    try:
        if members.size and len(learner.classes_) > 1:
            batch = members.size if learner.batch_size == "all" else min(learner.batch_size, members.size)
            one_pass(rule, problem, keep, state, new_scratch(state.bias, batch), members, members[:0])
    except Overflow as overflow:
        raise overflow_error(overflow.row) from None
    finally:  # also what was learned before an error counts
        keep.consider(state, problem)
        learner._hand_back(problem, keep, state)
        full = learner.history == "full" and members.size > 0
        _note(learner, look_back(rule, problem, state, state.counts[MISTAKES] - mistakes, full), began)
    return learner


def _prepare(
    learner: LinearLearner, X: Any, y: Any, classes: Any, sample_weight: Any, extend_classes: bool
) -> tuple[Last, State, Problem]:
    """Check everything that is handed in, and have the state ready to go on."""
    first = not hasattr(learner, "_continue")
    if first:
        _refuse_first(learner, classes, extend_classes)
    else:
        check_again(learner, learner._continue.parameters)
    X, y = _read(learner, X, y, first)
    weight = read_weights(sample_weight, X)
    members = row_numbers(np.flatnonzero(weight) if weight.size else len(y))
    present = y if members.size == len(y) else y[members]
    _know_classes(learner, present, classes, first, extend_classes)
    target = np.zeros(len(y), dtype=np.int32)
    target[members] = class_numbers(present, learner.classes_)
    weight = with_class_weight(learner, weight, target, members)
    members = members[weight[members] > 0] if weight.size else members
    rows = as_rows(X, learner._n_outputs)
    if not first:
        keep, state, before_rows, constant2, _ = learner._continue
        if not state.weights.flags.writeable:  # as memory-mapped files are
            weights, bias, debt, bias_debt, counts = (np.array(part) for part in state[:5])
            state = State(weights, bias, debt, bias_debt, counts, state.pauses)
        return keep, fit_to_rows(state, before_rows, rows), Problem(rows, target, weight, members, constant2)
    problem = Problem(rows, target, weight, members, learner._constant2(X, members))
    keep, state = learner._begin(problem, generator(learner.random_state), X.dtype)
    keep.consider(state, problem)
    return keep, state, problem


def _refuse_first(learner: LinearLearner, classes: Any, extend_classes: bool) -> None:
    learner._validate_params()
    refuse_senseless(learner)
    if classes is None and not extend_classes:
        raise ValueError(
            "classes must be passed on the first call to partial_fit: all labels that will come, or extend_classes=True."
        )


def _read(learner: LinearLearner, X: Any, y: Any, first: bool) -> tuple[Any, np.ndarray]:
    """Checked X and y.  A plain array like the ones before, as streams send them one by one, takes a short cut that
    leaves no check out."""
    if (
        not first
        and type(X) is np.ndarray
        and X.dtype == learner.coef_.dtype
        and X.ndim == 2
        and X.shape[1] == learner.n_features_in_
        and X.flags.c_contiguous
        and not hasattr(learner, "feature_names_in_")
        and type(y) in (np.ndarray, list)
        and len(y) == len(X) > 0
        and np.isfinite(X).all()
    ):
        y = np.asarray(y)
        if y.ndim == 1:
            return X, y
    X, y = read_X(learner, X, y, reset=first, dtype=DTYPES if first else learner.coef_.dtype)
    return X, column_or_1d(y)


def _know_classes(learner: LinearLearner, y: np.ndarray, classes: Any, first: bool, extend_classes: bool) -> None:
    """Set or extend ``classes_``."""
    if classes is not None:
        classes = np.asarray(classes)
        if classes.ndim != 1 or classes.size == 0:
            raise ValueError(f"classes must be a list of labels, not an array of shape {classes.shape}.")
        if first:
            classes = distinct_labels(classes)
        elif not extend_classes and not np.array_equal(np.unique(classes), learner.classes_):
            raise ValueError(
                f"classes={classes.tolist()!r} is not the same as on the last call, {learner.classes_.tolist()!r}. "
                "Pass extend_classes=True to admit new ones."
            )
    if extend_classes:
        known = [distinct_labels(y)] + [
            part for part in (classes, None if first else learner.classes_) if part is not None
        ]
        if len({part.dtype.kind in "US" for part in known}) > 1:
            raise ValueError("extend_classes cannot mix labels that are text with labels that are not.")
        classes = np.unique(np.concatenate(known))
    if first:
        learner.classes_ = classes
    elif extend_classes and len(classes) > len(learner.classes_):
        _extend(learner, classes)


def _extend(learner: LinearLearner, classes: np.ndarray) -> None:
    """Give new classes zero weights.  The one output w of two classes becomes the pair -w, w, which the multi-class rule
    would have learned from the same mistakes."""
    if learner.keep in ("vote", "run"):
        raise ValueError(f"extend_classes cannot add a class to the weights that keep={learner.keep!r} remembers.")
    state, rows = learner._continue.state, learner._continue.rows
    old, learner.classes_ = learner.classes_, classes
    if learner._n_outputs == 1:
        return
    places = np.searchsorted(classes, old)

    def grown(part: np.ndarray) -> np.ndarray:
        if part.size == 0:
            return part
        wide = np.zeros((len(classes), *part.shape[1:]), part.dtype)
        if len(old) == 2:
            wide[places[0]], wide[places[1]] = -part[0], part[0]
        elif len(old) > 2:
            wide[places] = part
        return wide

    weights, debt = (natural(rows, grown(public(rows, part))) for part in (state.weights, state.debt))
    bias, bias_debt = grown(state.bias), grown(state.bias_debt)
    learner._continue = learner._continue._replace(state=State(weights, bias, debt, bias_debt, *state[4:]))


def _note(learner: LinearLearner, record: dict[str, float], began: float) -> None:
    """Go on with counts and history."""
    records = learner.__dict__.setdefault("_records", {})
    passes = len(records["seconds"]) if records else 0
    record["seconds"] = (records["seconds"][-1] if passes else 0.0) + time.perf_counter() - began
    for name in records | record:
        if name not in records:
            records[name] = [np.nan] * passes
        records[name].append(record.get(name, np.nan))
    learner.n_iter_ = passes + 1
    learner.n_mistakes_ = int(learner._continue.state.counts[MISTAKES])
    learner.n_errors_ = None
    learner.__dict__.pop("cycle_", None)
    learner.stop_reason_ = None
