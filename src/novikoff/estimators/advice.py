"""The texts of warnings when a fit does not end as expected: numbers, likely causes, remedies."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from ..inputs.arrays import spread
from ..learn.learning import Outcome
from ..learn.state import Problem
from .solvers import gap_asked

WIDE_SCALES = 100.0  # columns whose largest values differ by more than this slow the perceptron down noticeably
HOPELESS_SCALES = 1e4  # and by more than this leave steps of any rule little chance
MOST_NAMES = 5  # of classes, in a sentence
ALL_MAY_NOT_END = "'all' may cycle even then"

# Who hears remarks in this thread, in place of a warning; filters of warnings would belong to all threads.
_HEARD: ContextVar[list[str] | None] = ContextVar("novikoff_heard", default=None)


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Within it, what learners would warn of is added to this list instead."""
    heard: list[str] = []
    before = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(before)


def warn(text: str) -> None:
    """Warn, and name the line of the user's own code that led here."""
    heard = _HEARD.get()
    if heard is not None:
        heard.append(text)
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ("novikoff", "sklearn", "contextlib"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, ConvergenceWarning, stacklevel=level)


def not_there_yet(learner: Any, X: Any, outcome: Outcome) -> None:
    """Warn if a solver did not reach the minimum; of steps, if the weights still moved by more than ``tol``, or if the columns
    differ so much in scale that the weights can hardly have come far (not if ``X`` is None: not in memory)."""
    if getattr(learner, "solver_", "steps") != "steps":
        if outcome.reason in SHORT_OF_MINIMUM:
            warn(not_solved(learner, outcome))
        return
    if outcome.reason not in ("budget", "time", "no_progress"):
        return
    parts = []
    if learner.tol is not None:
        more = {
            "budget": "Raise max_iter",
            "time": "Raise time_limit",
            "no_progress": "Use min_progress=None, raise max_iter",
        }
        parts.append(
            f"After {_passes(outcome)} the weights still moved by {outcome.moved:.3g} in one pass, which is not less than "
            f"tol={learner.tol:.3g}. {more[outcome.reason]} or tol, use smaller steps, or keep='average'. If no weights fit all "
            "rows, steps of constant size on single rows, in an order that changes, never settle."
        )
    values = getattr(learner, "kernel", None) == "precomputed"  # of a kernel: they have no columns to scale
    sizes = np.empty(0) if values or X is None else column_sizes(X)
    if sizes.size and sizes.max() > HOPELESS_SCALES * sizes.min():
        parts.append(
            f"{differ(sizes)}: steps of the right size for the largest columns hardly change the weights of the "
            "smallest ones. Scale the columns, e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        )
    if parts:
        warn(" ".join(parts))


# How a solver ended, and what helps; where there is no minimum, ``separation`` says so.
SHORT_OF_MINIMUM = {
    "budget": ("all that max_iter={most} allows", "Raise max_iter"),
    "time": ("all that time_limit={limit:.3g} s allows", "Raise time_limit"),
    "stalled": (
        "and rounding allows no further one",
        "Scale the columns, e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler",
    ),
}


def not_solved(learner: Any, outcome: Outcome) -> str:
    """The text of the warning when a solver ended short of the minimum."""
    why, remedy = SHORT_OF_MINIMUM[outcome.reason]
    made = "1 iteration" if outcome.passes == 1 else f"{outcome.passes} iterations"
    gap = getattr(learner, "duality_gap_", None)
    where = (
        "has not reached the minimum"
        if gap is None
        else f"is at a relative duality gap of {gap:.3g}, above tol={gap_asked(learner):.3g}"
    )
    return f"solver={learner.solver_!r} made {made}, {why.format(most=outcome.passes, limit=learner.time_limit or 0.0)}, and {where}. {remedy}."


def not_right(learner: Any, outcome: Outcome, rows: int) -> str:
    """The text of the kernel perceptron's warning."""
    more = {"cycle": "read them in another order (order='shuffle')", "no_progress": "use min_progress=None"}.get(
        outcome.reason, "allow more passes"
    )
    if learner._form == "all":
        more = f"use multiclass='worst' ({ALL_MAY_NOT_END})"
    return (
        f"{_ended(learner, outcome)}: {learner.n_errors_} of {rows} training rows are classified wrongly. If the classes cannot be "
        "separated, the last weights depend on the last mistakes: use keep='average', or another kernel or gamma. If they can "
        f"be separated, {more}."
    )


def _passes(outcome: Outcome) -> str:
    return f"{outcome.passes} pass{'es' * (outcome.passes != 1)}"


def _ended(learner: Any, outcome: Outcome) -> str:
    """Why the fit ended before all rows were right."""
    if outcome.reason == "budget":
        return f"the fit ended after {_passes(outcome)}, all that max_iter={outcome.passes} allows, before every row was classified correctly"
    if outcome.reason == "time":
        return f"the time limit ended the fit in pass {outcome.passes}, before every row was classified correctly"
    if outcome.reason == "inseparable":
        return f"the fit stopped after {_passes(outcome)}"
    if outcome.reason == "no_progress":
        return f"after {_passes(outcome)} the mistakes did not become fewer (min_progress={learner.min_progress:.3g})"
    common = " (apart from what is common to all classes)" if learner._form == "all" else ""
    return f"in pass {outcome.passes} the weights returned to earlier values{common}, so they would repeat without end"


def not_separated(learner: Any, X: Any, problem: Problem, order: str, outcome: Outcome) -> str:
    """The text of the perceptron's warning."""
    errors, rows = learner.n_errors_, problem.members.size
    ended = _ended(learner, outcome)
    parts = [f"{ended}: {errors} of {rows} training rows are classified wrongly by the kept weights."]
    if errors == 0:
        same = "" if outcome.reason in ("no_progress", "inseparable") else ", by the same weights"
        parts = [f"{ended}{same}, though the kept weights classify all {rows} training rows correctly."]
    proved = _proved(learner, outcome)
    in_order = order == "cyclic" and learner.batch_size != "all"
    sorted_by_class = in_order and not proved and is_sorted_by_class(problem.target[problem.members])
    parts += [proved] if proved else []
    parts += _scales(column_sizes(X), problem.constant2**0.5)
    parts += (
        ["The rows are sorted by class and were read in that order; use order='shuffle'."] if sorted_by_class else []
    )
    return " ".join([*parts, _remedy(learner, outcome, bool(proved))])


def _proved(learner: Any, outcome: Outcome) -> str:
    """What a cycle, or a proof, proves."""
    weights = "weights" if learner.fit_intercept else "weights without an intercept"
    if outcome.reason == "inseparable":
        one = outcome.proof.against_rest
        who = "the classes" if one is None else f"class {one!r} from all others together"
        return f"It is proved that no {weights} separate {who} ({outcome.proof.kind or 'kind undecided'}; see proof_)."
    if outcome.cycle is None:
        return ""
    zero = "The updates of one cycle add up to exactly zero"
    if learner.cycle_.proves_inseparable:
        return f"{zero}, which proves that no {weights} separate the classes."
    names = [repr(label) for label in learner.classes_[learner.cycle_.against_rest[: MOST_NAMES + 1]].tolist()]
    if not names:
        return ""
    if len(names) == 1:
        return f"{zero} for class {names[0]}, which proves that no {weights} separate it from all others together."
    listed = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
    return f"{zero} for the classes {listed}, which proves that no {weights} separate any of them from all others together."


def _scales(sizes: np.ndarray, constant: float) -> list[str]:
    """What to do about columns of very different sizes."""
    if sizes.size and sizes.max() > WIDE_SCALES * sizes.min():
        return [
            f"{differ(sizes)}; scale them, "
            "e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        ]
    if sizes.size and constant and not constant / WIDE_SCALES <= sizes.max() <= constant * WIDE_SCALES:
        return [
            f"The largest value is about {sizes.max():.3g}, but the constant feature of the intercept is {constant:.3g}; scale "
            "the columns or use intercept_scaling='radius'."
        ]
    return []


def _remedy(learner: Any, outcome: Outcome, proved: bool) -> str:
    """The last sentence: what to do."""
    reason = outcome.reason
    good = f"the kept weights ({learner.keep_}) may still be good"
    if learner.keep_ == "last":
        good = "keep='average' or keep='ratchet' may still give good weights"
    if learner._form == "all":
        return f"If the classes can be separated, use multiclass='worst': {ALL_MAY_NOT_END}; if not, {good}."
    if outcome.proof is not None and outcome.proof.separable:
        return f"Some weights do separate them (proved; see proof_), so {_more(reason)}."
    if learner._form == "ovr":
        each = "" if proved else f"If each class can be separated from all others together, {_more(reason)}. "
        return (
            f"{each}If all classes at once can be separated, multiclass='worst' finds weights that do; if not, {good}."
        )
    if proved:
        return f"More passes will not help; {good}."
    decides = " (separability(X, y) can decide that)" if reason == "no_progress" else ""
    return f"If the classes can be separated{decides}, {_more(reason)}; if not, {good}."


def _more(reason: str) -> str:
    more = {"budget": "raise max_iter", "time": "raise time_limit", "cycle": "use order='shuffle'"}
    return (more | {"no_progress": "use min_progress=None"})[reason]


def differ(sizes: np.ndarray) -> str:
    """By how much they do, also where the quotient is beyond the largest float."""
    large, small = sizes.max(), sizes.min()
    ratio = f"{large / small:.3g}" if large < 1e308 * min(small, 1.0) else f"{large:.3g} / {small:.3g}"
    return f"The largest values of the columns differ by a factor of about {ratio}"


def column_sizes(X: Any) -> np.ndarray:
    """About the largest absolute value of every column that is not all zero, from rows spread over the data."""
    X = spread(X)
    if sparse.issparse(X):
        sizes = np.zeros(X.shape[1])
        np.maximum.at(sizes, X.indices, np.abs(X.data))
    else:
        sizes = np.maximum(np.abs(X.max(axis=0)), np.abs(X.min(axis=0))).astype(float)
    return sizes[sizes > 0]


def is_sorted_by_class(labels: np.ndarray) -> bool:
    """Whether every class is one run of rows, and not all of one row."""
    runs = 1 + np.count_nonzero(labels[1:] != labels[:-1])
    return bool(runs == np.unique(labels).size < labels.size)
