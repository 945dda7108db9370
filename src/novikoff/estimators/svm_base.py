"""What support vector machines share: reading data, one problem for each class, and the report of a fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import fsum
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import class_numbers, find_classes, read_weights, read_X, refuse_not_finite, with_class_weight
from ..checks.rounding import REMEDY, Rounded, first_rounded
from ..checks.sklearn_parts import ClassifierMixin, Interval, StrOptions, fit_context
from ..system.backends import backend_of
from ..system.clock import Clock
from .advice import warn
from .base import ShownFit

if TYPE_CHECKING:
    from ..solvers.smo import KernelOutcome

LARGEST_SUM = 1e300  # of squares
SMALLEST_BOUND, LARGEST_BOUND = 1e-100, 1e100


class SVMRows(NamedTuple):
    """The rows that take part: those of positive weight."""

    X: Any  # float64, of linear machines also float32
    target: np.ndarray  # class numbers
    weight: np.ndarray  # theirs, classes' weights included
    sample_weight: np.ndarray  # theirs without those; empty: all are 1
    members: np.ndarray  # their numbers in the data
    total: int  # how many there are with those that do not


class SupportVectorMachine(ClassifierMixin, ShownFit):
    """Base of ``LinearSVM`` and ``KernelSVM``."""

    C: float
    tol: float
    class_weight: Any
    time_limit: float | None
    classes_: np.ndarray
    objective_: float
    duality_gap_: float
    n_iter_: int
    history_: dict[str, np.ndarray]
    stop_reason_: str
    _kinds: ClassVar[Any] = np.float64  # the floats that X may have
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupportVectorMachine:
        """Train the machine, until the duality gap is proved to be at most ``tol``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.  Float64 arrays in C order and CSR matrices are read in place, float32 is converted.  To Dask
            collections ``LinearSVM`` is fitted in their partitions (``distributed.fit``).
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies C for each row: weight 2 is the same as the row twice, weight 0 the same as without the row.

        Returns
        -------
        self
        """
        backend = backend_of(X)
        if backend is not None:
            return backend.fit(self, X, y, sample_weight)
        rounded = self.__dict__.pop("_rounded", None) or first_rounded(X)  # who read X from a file may know of one
        with unchanged_by_an_error(self):
            rows = self._read(X, y, sample_weight)
            if rounded is None:
                self._solve(rows, Clock(self.time_limit))
            else:
                self._solve_rounded(rows, Clock(self.time_limit), rounded)
        return self

    def _solve_rounded(self, rows: SVMRows, clock: Clock, rounded: Rounded | str) -> None:
        """Solve for numbers that are not quite those of X, and say so."""
        from ..solvers.hard_margin import Inseparable  # with exact arithmetic, which predicting does without

        try:
            self._solve(rows, clock)
        except Inseparable:
            raise ValueError(
                f"C=inf asks for a hard margin. There is none for X rounded to float64, which proves nothing about X: it has {rounded}. "
                f"{REMEDY}, or choose a finite C."
            ) from None
        warn(f"X has {rounded}: the machine and its proved gap are for rounded numbers. {REMEDY}.")

    def _solve(self, rows: SVMRows, clock: Clock) -> None:
        """Solve, and set the attributes of the fit."""
        raise NotImplementedError

    def _not_in_partitions(self) -> str:
        """Why it cannot learn from rows in partitions; empty if it can."""
        return "its kernel needs every row beside every other"

    def _read(self, X: Any, y: Any, sample_weight: Any) -> SVMRows:
        X, y = read_X(self, X, y, reset=True, dtype=self._kinds)
        refuse_not_finite(X, getattr(self, "feature_names_in_", None))
        given = read_weights(sample_weight, X)
        members = np.flatnonzero(given) if given.size else np.arange(X.shape[0])
        if members.size == 0:
            raise ValueError("Every sample weight is zero: no row is left to learn from.")
        self.classes_ = find_classes(y[members])
        target = np.zeros(len(y), dtype=np.int32)
        target[members] = class_numbers(y[members], self.classes_)
        weight = with_class_weight(
            self.class_weight, self.classes_, given if given.size else np.ones(len(y)), target, members
        )
        members = members[weight[members] > 0]
        if np.unique(target[members]).size < len(self.classes_):
            raise ValueError("class_weight leaves a class without rows: give every class a positive weight.")
        bounds = self.C * weight[members]
        if np.isfinite(self.C):
            refuse_bounds(float(bounds.min()), float(bounds.max()))
        if members.size < X.shape[0]:
            X, target, weight = X[members], target[members], weight[members]
            given = given[members] if given.size else given
        return SVMRows(canonical(X), target, weight, given, members, len(y))

    def _one_against_rest(self, target: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Signs of the rows in every problem, (problems, rows), and names of the problems for messages; of two classes there is
        one problem."""
        if len(self.classes_) == 2:
            return np.where(target == 1, 1.0, -1.0)[None], [""]
        names = [f" of class {label!r} against the rest" for label in self.classes_.tolist()]
        return np.where(target == np.arange(len(names))[:, None], 1.0, -1.0), names

    def _report(self, outcomes: list[KernelOutcome]) -> None:
        """Set what is said of the whole fit, and warn where the gap was not reached."""
        reasons = [outcome.reason for outcome in outcomes]
        conclude(
            self,
            [outcome.answer.primal for outcome in outcomes],
            [outcome.answer.gap for outcome in outcomes],
            sum(outcome.iterations for outcome in outcomes),
            [entry for outcome in outcomes for entry in outcome.history],
            next((reason for reason in ("time", "stalled") if reason in reasons), "solved"),
        )

    def _warn(self, reason: str) -> None:
        """Say where the gap was not reached."""
        if reason == "solved":
            return
        ended = {
            "time": f"time_limit={self.time_limit} ended the fit at",
            "stalled": "no method could make the gap smaller, because of the limits of float64: it is",
        }[reason]
        advice = (
            "Raise time_limit or tol."
            if reason == "time"
            else "Subtract its mean from each column, scale the columns, choose a smaller C, or raise tol."
        )
        warn(f"{ended} a relative duality gap of {self.duality_gap_:.3g}, above tol={self.tol:.3g}. {advice}")

    @property
    def predict_proba(self) -> Any:
        """Not available: a support vector machine has no probabilities."""
        name = type(self).__name__
        raise AttributeError(
            f"{name} has no probabilities. sklearn.calibration.CalibratedClassifierCV({name}(...)) learns them from "
            "its scores."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@contextmanager
def unchanged_by_an_error(machine: SupportVectorMachine) -> Iterator[dict[str, Any]]:
    """Within it a machine is fitted, which is as it was before after an error; what it was is handed out."""
    before = dict(machine.__dict__)
    try:
        yield before
    except BaseException:
        machine.__dict__.clear()
        machine.__dict__.update(before)
        raise


def canonical(X: Any) -> Any:
    """CSR rows with ascending columns, each once; numbers whose squares can be added up."""
    values, most = X.data if sparse.issparse(X) else X, (LARGEST_SUM / max(X.shape)) ** 0.5
    largest = 0.0
    if values.dtype != np.float32:  # which is never as large
        largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if largest > most:
        raise OverflowError(
            f"X has values as large as {largest:.3g}, whose squares cannot be added up. Scale the columns, e.g. with "
            "StandardScaler or MaxAbsScaler."
        )
    if sparse.issparse(X) and not (X.has_sorted_indices and X.has_canonical_format):
        X = X.copy()
        X.sum_duplicates()
    return X


def refuse_bounds(least: float, most: float) -> None:
    """Refuse what slacks cost if floats cannot compute with it."""
    if not SMALLEST_BOUND < least <= most < LARGEST_BOUND:
        raise ValueError(
            f"C times the weights of the rows is from {least:.3g} to {most:.3g}: too small or too large to compute with."
        )


def read_rows(machine: SupportVectorMachine, X: Any, y: Any, sample_weight: Any) -> SVMRows:
    """The rows that a machine would be fitted to; it then knows their classes."""
    return machine._read(X, y, sample_weight)


def conclude(
    machine: SupportVectorMachine,
    primals: list[float],
    gaps: list[float],
    steps: int,
    history: list[tuple[float, float]],
    reason: str,
) -> None:
    """Set what a fit says of itself: objective, gap, steps, history, and why it ended, with a warning where that is no solution."""
    machine.objective_, machine.duality_gap_ = fsum(primals), max(gaps)
    if len(gaps) > 1 and 0 < machine.duality_gap_ < 1:  # the sum was rounded
        machine.duality_gap_ += float(np.finfo(float).eps)
    entries = np.array(history)
    machine.n_iter_, machine.history_ = steps, {"seconds": entries[:, 0], "gap": entries[:, 1]}
    machine.stop_reason_ = reason
    machine._warn(reason)
