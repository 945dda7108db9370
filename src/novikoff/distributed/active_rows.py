"""The rows of partitions that take part, and what solvers must know of all of them before the first round."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import parts
from ..estimators.rates import refuse_total
from ..rows.partitions import Partitions
from ..solvers.products import DENSE_ENOUGH, FEW_COLUMNS, few_rows, means
from ..system.rounding_error import SMALLEST
from .blocks_given import aligned
from .rounds import Ready


class ActiveRows(NamedTuple):
    """Those of one partition."""

    X: Any
    target: np.ndarray  # class numbers, or real numbers
    weight: np.ndarray  # empty: all are 1


def taken(ready: Ready) -> ActiveRows:
    """The rows that take part; X is not copied if all do."""
    X, target, weight, some, _ = map(aligned, ready)
    if some.size == target.size:
        return ActiveRows(X, target, weight)
    return ActiveRows(X[some], target[some], weight[some] if weight.size else weight)


class RowFacts(NamedTuple):
    """Of rows: how many, their weights, and the means of their columns with ``sum_i (x_i - mean)^2``."""

    rows: int
    values: int  # that are stored
    weight: float
    least: float
    most: float
    mean: np.ndarray
    squares: np.ndarray


def look_at(engine: Partitions) -> RowFacts:
    """The facts of all partitions."""
    facts: RowFacts = engine.fold(facts_of, both_facts, None)
    return facts


def facts_of(number: int, ready: Ready | ActiveRows, state: None) -> RowFacts | None:
    """Those of one partition."""
    X, target, weight = taken(ready) if isinstance(ready, Ready) else map(aligned, ready)
    if not target.size:
        return None
    if sparse.issparse(X):
        mean, wide = means(X), X.astype(float)
        squares = np.maximum(0.0, np.asarray(wide.multiply(wide).sum(axis=0)).ravel() - target.size * mean**2)
        return facts_about(X, weight, mean, squares)
    room = np.empty((few_rows(X.shape[1]), X.shape[1]))
    found = reduce(both_facts, (few_facts(X[some], room) for some in parts(X.shape[0], len(room))))
    return facts_about(X, weight, found.mean, found.squares)


def few_facts(X: np.ndarray, room: np.ndarray) -> RowFacts:
    """Those of a few dense rows; ``room`` is for as many."""
    mean = means(X)
    apart = np.subtract(X, mean, out=room[: len(X)])
    with np.errstate(over="ignore"):  # what is too large is refused where it matters
        return facts_about(X, np.empty(0), mean, np.square(apart, out=apart).sum(axis=0))


def facts_about(X: Any, weight: np.ndarray, mean: np.ndarray, squares: np.ndarray) -> RowFacts:
    """Those of rows with such columns."""
    weight = weight if weight.size else np.ones(X.shape[0])
    return RowFacts(X.shape[0], X.size, float(weight.sum()), float(weight.min()), float(weight.max()), mean, squares)


def both_facts(one: RowFacts, other: RowFacts) -> RowFacts:
    """Those of both (Chan, Golub & LeVeque 1979)."""
    rows, apart = one.rows + other.rows, other.mean - one.mean
    with np.errstate(over="ignore"):  # as above
        squares = one.squares + other.squares + apart**2 * (one.rows * other.rows / rows)
    return RowFacts(
        rows,
        one.values + other.values,
        one.weight + other.weight,
        min(one.least, other.least),
        max(one.most, other.most),
        one.mean + apart * (other.rows / rows),
        squares,
    )


def refuse_range(facts: RowFacts) -> None:
    """Refuse rows whose squares are out of range; their constant feature is not counted, as in ``refuse_out_of_range``."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(facts.squares.sum() + facts.rows * (facts.mean @ facts.mean))
    refuse_total(total if total or not facts.mean.any() else SMALLEST)


def dense_enough(facts: RowFacts, columns: int) -> bool:
    """Whether sparse rows have so few zeros that they are better multiplied as dense ones."""
    return facts.values >= DENSE_ENOUGH * facts.rows * columns and columns <= FEW_COLUMNS
