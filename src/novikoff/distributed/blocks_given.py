"""The rows of a partition as they were given, read and checked where they lie; and what is known of all partitions together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import assert_all_finite, column_or_1d

from ..inputs.arrays import DTYPES, refuse_not_finite
from ..inputs.rounding import first_rounded
from ..inputs.targets import class_numbers, distinct_labels, read_weights
from .digests import Digest, digest_of


class Given(NamedTuple):
    """Rows of a partition."""

    X: Any  # C-ordered array or CSR
    y: np.ndarray
    weight: np.ndarray  # empty: all are 1
    names: list[Any]  # of the columns; empty: they have none
    rounded: bool = False  # whether float64 cannot hold some numbers of X, so that nothing is proved of them
    digest: Digest = ()  # of X, y and weights as they were read


def read_block(number: int, given: Any, numbers: bool) -> Given:
    """X, y and perhaps weights as anybody has them, checked; ``numbers``: y are numbers, not labels."""
    X, y, weight = (*given, None)[:3]
    names = list(getattr(X, "columns", []))
    rounded = not numbers and first_rounded(X) is not None
    X = aligned(X) if isinstance(X, np.ndarray) else X  # first: all that follows is slow where it is not
    try:
        X = check_array(
            X,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=list(DTYPES),
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
        refuse_not_finite(X, names or None)
        y = column_or_1d(np.asarray(y))
        check_consistent_length(X, y)
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        y = y.astype(np.float64) if numbers else y
        weight = read_weights(np.asarray(weight) if weight is not None and y.size else None, X)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {number}: {error}") from None
    X, y, weight = aligned(X), aligned(y), aligned(weight)
    return Given(X, y, weight, names, rounded, digest_of(X, y, weight))


def aligned(array: Any) -> Any:
    """The same numbers at addresses that are multiples of their size.  Arrays that come over a wire may begin anywhere, and NumPy adds
    up the products of those in another order."""
    if not sparse.issparse(array):
        return np.require(array, requirements="A")
    parts = array.data, array.indices, array.indptr
    if all(part.flags.aligned for part in parts):
        return array
    return type(array)(tuple(map(aligned, parts)), shape=array.shape)


class Census(NamedTuple):
    """What partitions hold."""

    rows: int  # that weigh something
    columns: int
    names: list[Any]  # of the columns; empty: they have none
    dtype: np.dtype[Any]  # of X; of no rows the narrowest
    sparse: bool
    labels: np.ndarray  # sorted; of numbers none
    counts: dict[int, dict[Any, tuple[int, float]]]  # of each partition and label: its rows, and their weight
    rounded: bool  # whether some numbers were
    digests: dict[int, Digest]  # of each partition


def look(number: int, block: Given, numbers: bool) -> Census:
    """What one partition holds."""
    X, y, weight, names, rounded, digest = block
    digests = {number: digest}
    dtype = X.dtype if y.size else np.dtype(np.float32)
    if weight.size:
        y, weight = y[weight > 0], weight[weight > 0]
    if numbers or not y.size:
        return Census(y.size, X.shape[1], names, dtype, sparse.issparse(X), y[:0], {}, rounded, digests)
    labels = distinct_labels(y)
    own = np.zeros(y.size, np.int32) if labels.size == 1 else class_numbers(y, labels)
    rows = np.bincount(own, minlength=labels.size)
    sums = np.bincount(own, weight, labels.size) if weight.size else rows.astype(float)
    counts = dict(zip(labels.tolist(), zip(rows.tolist(), sums.tolist(), strict=True), strict=True))
    return Census(y.size, X.shape[1], names, dtype, sparse.issparse(X), labels, {number: counts}, rounded, digests)


def both_censuses(one: Census, other: Census) -> Census:
    """What the partitions of two censuses hold."""
    if one.columns != other.columns:
        raise ValueError(f"Partitions must have the same columns, but some have {one.columns}, some {other.columns}.")
    if one.names != other.names:
        raise ValueError(f"Partitions must have the same columns, but some have {one.names}, some {other.names}.")
    return Census(
        one.rows + other.rows,
        one.columns,
        one.names,
        np.promote_types(one.dtype, other.dtype),
        one.sparse or other.sparse,
        all_labels(one.labels, other.labels),
        one.counts | other.counts,
        one.rounded or other.rounded,
        one.digests | other.digests,
    )


def sizes_of(census: Census) -> dict[int, int]:
    """How many rows each partition has that has any."""
    return {number: sum(rows for rows, _ in counts.values()) for number, counts in census.counts.items()}


def all_labels(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sorted labels of both."""
    if not (one.size and other.size):
        return one if one.size else other
    if is_text(one) != is_text(other):
        raise ValueError("Labels are text in some partitions, and not in others.")
    return np.unique(np.concatenate([one, other]))


def is_text(labels: np.ndarray) -> bool:
    """Whether labels are text."""
    return isinstance(labels.tolist()[0], str)
