"""The data as kernels read them, and the running weights with what kernels note beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.extmath import row_norms

from ..checks.arrays import ColumnNames, refuse_bad_values
from .rows import CSR, Dense, by_columns, natural, public

NEVER, AT_RECORDS, ALWAYS = range(3)  # when the kernel pauses before weights change

# The entries of ``State.counts``: mistakes made; rows that moved the weights; batches read; weight of the samples seen, of
# those that an average counts the present weights for (``Average``), and of those the present weights survived; right
# answers of the present weights in a row, and the longest such run in the pocket; whether the kernel paused before the
# next change, or is excused from pausing; a row whose score or length is out of range, else -1.
MISTAKES, MOVES, BATCHES, SEEN, COUNTED, SURVIVED, RIGHT_RUN, BEST_RUN, PAUSE, BAD_ROW = range(10)
GO, PAUSED, EXCUSED = range(3)  # the values of PAUSE
LEAST_NORM = 1e-145  # below it squares are out of range
TINIEST = 1e-150  # the square of a smaller number, or of one over it, leaves the range of floats
ONE_THREAD = 1000  # products of so few numbers BLAS adds up in one thread


class Problem(NamedTuple):
    """The data as kernels read them."""

    rows: Any  # in a format of ``rows``; in the dual form, what is known of them
    target: np.ndarray  # class numbers, int32; of a regression real numbers, float64
    weight: np.ndarray  # sample weights, float64; empty: all are 1
    members: np.ndarray  # the row numbers that take part, in the data's order
    constant2: float  # the square of the constant feature whose weight is the bias; 0: no bias


class State(NamedTuple):
    """The running weights, stored as the rows want to read them, and what the kernel notes for the keep."""

    weights: np.ndarray
    bias: np.ndarray
    overcount: np.ndarray  # for an average: each step times the weight of the samples before it; else empty
    bias_overcount: np.ndarray
    counts: np.ndarray  # float64, named above
    pauses: int
    memory: np.ndarray  # (outputs, numbers): what the rule remembers of each output, float64
    per_weight: (
        np.ndarray
    )  # (numbers, *weights' shape), the constant feature a column more: what it remembers of each weight
    per_column: np.ndarray  # (numbers, features + 1): of each column


class Remembers(NamedTuple):
    """How many numbers a rule remembers of each output, of each weight, and of each column."""

    output: int = 0
    weight: int = 0
    column: int = 0

    def weights_shape(self, outputs: int, features: int) -> tuple[int, int, int]:
        """Of ``State.per_weight``, outputs before columns; empty where nothing is remembered."""
        return (self.weight, outputs, features + 1) if self.weight else (0, 0, 0)

    def columns_shape(self, features: int) -> tuple[int, int]:
        """Of ``State.per_column``."""
        return (self.column, features + 1) if self.column else (0, 0)


def memory_of(rule: Any) -> Remembers:
    """What the rule remembers."""
    return Remembers(*(int(getattr(rule, name, 0)) for name in ("remembers", "per_weight", "per_column")))


def new_state(
    pauses: int,
    weights: np.ndarray,
    bias: np.ndarray,
    averages: bool,
    remembers: Remembers = Remembers(),  # noqa: B008 - cannot change
    rows: Any = None,
) -> State:
    """The state before any sample was seen; ``rows``, where the rule remembers weights, say how these are stored."""
    overcount = np.zeros(weights.shape if averages else (0, 0))
    counts = np.zeros(BAD_ROW + 1)
    counts[BAD_ROW] = -1
    bias_overcount = np.zeros(bias.size if averages else 0)
    features = weights.size // max(1, bias.size)
    per_weight = np.zeros(remembers.weights_shape(bias.size, features))
    per_weight = natural(rows, per_weight) if remembers.weight else per_weight
    per_column = np.zeros(remembers.columns_shape(features))
    memory = np.zeros((bias.size, remembers.output))
    return State(weights, bias, overcount, bias_overcount, counts, pauses, memory, per_weight, per_column)


def first_weights(
    init: Any, outputs: int, features: int, constant: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """``(coef, intercept)`` from the name of a start or an array; ``constant`` is the bias's feature, 0 without one."""
    if isinstance(init, str):
        make: dict[str, Callable[..., np.ndarray]] = {"zeros": np.zeros, "ones": np.ones, "random": rng.standard_normal}
        weights = make[init]((outputs, features + 1))
        return weights[:, :features], weights[:, features] * constant
    weights = np.atleast_2d(np.asarray(init, dtype=float))
    if weights.shape not in {(outputs, features), (outputs, features + 1)}:
        raise ValueError(
            f"init has the shape {weights.shape}; {outputs} output(s) and {features} features need "
            f"{(outputs, features)}, or {(outputs, features + 1)} with the intercept as last column."
        )
    if not np.all(np.isfinite(weights)):
        raise ValueError("init holds NaN or infinity.")
    if weights.shape[1] == features:
        return weights.copy(), np.zeros(outputs)
    if not constant and np.any(weights[:, features] != 0):
        raise ValueError("init has an intercept, but fit_intercept=False.")
    return weights[:, :features].copy(), weights[:, features].copy()


def warm_weights(coef: np.ndarray, intercept: np.ndarray, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the last fit, for ``warm_start``."""
    if coef.shape != shape:
        raise ValueError(
            f"warm_start=True starts from weights of shape {coef.shape}, but these data need {shape}: set warm_start=False."
        )
    return coef.copy(), intercept.copy()


def squared_constant(learner: Any, largest: Callable[[], float]) -> float:
    """The square of the constant feature; with "radius", the largest squared norm of a row that takes part."""
    if not learner.fit_intercept:
        return 0.0
    if learner.intercept_scaling != "radius":
        constant = float(learner.intercept_scaling)
        if not TINIEST < constant < 1 / TINIEST:
            raise ValueError(
                f"intercept_scaling={constant} is out of range: its square is too small or too large for float64."
            )
        return constant**2
    return largest() or 1.0


def squared_radius(names: ColumnNames, X: Any, members: np.ndarray) -> float:
    """The largest squared norm of these rows of X."""
    largest = float(row_norms(X, squared=True)[members].astype(float).max(initial=0.0))
    if not np.isfinite(largest):
        refuse_bad_values(names, X)
    if not np.isfinite(largest) or (members.size and largest < np.finfo(float).tiny and abs(X[members]).max() > 0):
        raise OverflowError(
            "intercept_scaling='radius' needs the squared norms of the rows, but they are out of range. Scale the columns."
        )
    return largest


def copied(state: State) -> State:
    """The same state with copies of the arrays."""
    parts: list[Any] = [part.copy() if isinstance(part, np.ndarray) else part for part in state]
    return State(*parts)


def fit_to_rows(state: State, before: Dense | CSR, now: Dense | CSR) -> State:
    """The same state, stored as rows of another format want to read it."""
    if by_columns(before) == by_columns(now):
        return state
    weights, overcount, per_weight = (
        natural(now, public(before, stored)) for stored in (state.weights, state.overcount, state.per_weight)
    )
    return state._replace(weights=weights, overcount=overcount, per_weight=per_weight)


def row_values(rows: Dense | CSR, members: np.ndarray) -> int:
    """Stored values a row that takes part, on the average."""
    if not isinstance(rows, CSR):
        return rows.values.shape[1]
    if members.size == rows.starts.size - 1:
        return rows.values.size // max(1, members.size)
    return int((rows.starts[members + 1] - rows.starts[members]).sum()) // max(1, members.size)


def plain_work(problem: Problem, rows: int, outputs: int, by_feature: bool = False) -> float:
    """About how many microseconds plain Python takes to learn from so many rows, of which NumPy takes whole ones unless a rule goes
    by single features."""
    values = problem.rows.values.size / max(1, problem.target.size)
    return rows * (10 + outputs * (4 + values * (4.0 if by_feature else 0.002)))


def total_weight(problem: Problem) -> float:
    """The weight of all rows that take part."""
    return float(problem.weight[problem.members].sum()) if problem.weight.size else float(problem.members.size)


def length(problem: Problem, state: State) -> float:
    """The norm of the running weights, the bias counted as the weight of its constant feature."""
    weights, bias, constant2 = state.weights.reshape(-1), state.bias, problem.constant2
    if weights.size <= ONE_THREAD and weights.dtype == np.float64:  # the same sums as below, sooner
        with np.errstate(over="ignore", under="ignore"):
            squares = float(np.dot(weights, weights))
            squares = squares + float(np.dot(bias, bias)) / constant2 if constant2 else squares
        norm = math.sqrt(squares) if squares < np.inf else np.inf
        if LEAST_NORM < norm < np.inf:
            return norm
    return lengths(constant2, weights.reshape(1, -1), bias.reshape(1, -1))[0]


def lengths(constant2: float, weights: np.ndarray, bias: np.ndarray) -> list[float]:
    """The same of several weights, each a line with its bias."""
    with np.errstate(over="ignore", under="ignore"):
        squares = sums_of_squares(weights)
        if constant2:
            squares = squares + sums_of_squares(bias) / constant2
    found: list[float] = np.sqrt(squares).tolist()
    for line, norm in enumerate(found):
        if not LEAST_NORM < norm < np.inf:  # squares out of range
            whole = np.append(weights[line].astype(float), bias[line] / (constant2**0.5 or 1.0))
            largest = float(np.abs(whole).max())
            found[line] = largest * sum_of_squares(whole / largest) ** 0.5 if 0 < largest < np.inf else largest
    return found


def sum_of_squares(values: np.ndarray) -> float:
    """Of all values."""
    return float(sums_of_squares(values.reshape(1, -1))[0])


def sums_of_squares(lines: np.ndarray) -> np.ndarray:
    """Many are added up by NumPy: a product of BLAS, which is quicker, adds them in an order that depends on its threads."""
    if lines.shape[1] <= ONE_THREAD:
        lines = lines.astype(np.float64, copy=False)
        return np.vecdot(lines, lines)
    return np.square(lines, dtype=np.float64).sum(axis=1)


def resized(state: State, rows: Dense | CSR, features: int) -> State:
    """A copy of the state for so many columns: new ones have zeros, those beyond are left out; the constant feature stays the last."""
    before = state.weights.size // state.bias.size
    return picked(state, rows, np.where(np.arange(features) < before, np.arange(features), -1))


def picked(state: State, rows: Dense | CSR, columns: np.ndarray) -> State:
    """A copy of the state with these of its columns, in this order; -1: a new one, of zeros.  The constant feature stays the last."""
    taken, places = columns[columns >= 0], np.flatnonzero(columns >= 0)

    def wide(told: np.ndarray, constant: int) -> np.ndarray:
        new = np.zeros((*told.shape[:-1], columns.size + constant), told.dtype)
        new[..., places] = told[..., taken]
        new[..., columns.size :] = told[..., told.shape[-1] - constant :]
        return new

    def stored(part: np.ndarray, constant: int) -> np.ndarray:
        return natural(rows, wide(public(rows, part), constant)) if part.size else part

    return copied(state)._replace(
        weights=stored(state.weights, 0),
        overcount=stored(state.overcount, 0),
        per_weight=stored(state.per_weight, 1),
        per_column=wide(state.per_column, 1) if state.per_column.size else state.per_column,
    )
