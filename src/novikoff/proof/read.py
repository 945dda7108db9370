"""Reading X and y for a proof: nothing is rounded unless it must be, and then it is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from ..estimators.inputs import read_X, refuse_bad_values
from ..estimators.targets import find_classes
from .pairs import Pairs

EXACT = 2**53  # whole numbers up to here are floats
DOUBLE = 8  # bytes of a float64


class Reader(BaseEstimator):
    """Remembers the names and the number of the features."""


def read(X: Any, y: Any, fit_intercept: bool) -> tuple[Pairs, np.ndarray, np.ndarray | None]:
    """The pairs, the classes and the features' names, if they have any."""
    reader = Reader()
    refuse_rounded(X)
    X, y = read_X(reader, X, y, reset=True)
    classes = find_classes(y)
    names = getattr(reader, "feature_names_in_", None)
    target = np.searchsorted(classes, y)
    return Pairs(one_entry_each(X), target, len(classes), fit_intercept), classes, names


def read_again(X: Any, y: Any, classes: np.ndarray, n_features: int, fit_intercept: bool) -> Pairs | None:
    """The pairs of data that a proof is checked on; None where their labels are not the proof's classes."""
    refuse_rounded(X)
    X, y = read_X(Reader(), X, y, reset=True)
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the proof is about {n_features}.")
    present, target = np.unique(y, return_inverse=True)
    if not np.array_equal(present, classes):
        return None
    return Pairs(one_entry_each(X), target, len(classes), fit_intercept)


def refuse_rounded(X: Any) -> None:
    """Numbers that floats cannot hold would be rounded before anything is proved."""
    values = X.data if sparse.issparse(X) else _as_array(X)
    place = _first_rounded(values)
    if place is None:
        return
    row, column = (int(axis[place[0]]) for axis in X.tocoo().coords) if sparse.issparse(X) else place
    raise ValueError(
        f"X has the number {values[place]} in row {row}, column {column}, which float64 cannot hold exactly: a proof would speak "
        "of rounded numbers. Convert X to float64 yourself if those are meant, or shift the column."
    )


def _as_array(X: Any) -> np.ndarray:
    """Numbers as they are; none of what is no table, which is refused elsewhere."""
    try:
        values = np.asarray(X)
    except (TypeError, ValueError):
        return np.empty((0, 0))
    return values if values.ndim == 2 else np.empty((0, 0))


def _first_rounded(values: np.ndarray) -> tuple[int, ...] | None:
    """The place of the first number that changes when it becomes a float64."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "O":
        rounded = np.array([_is_rounded(value) for value in values.flat], dtype=bool).reshape(values.shape)
    elif kind in "iu" and size >= DOUBLE:
        rounded = (values > EXACT) | (values < -EXACT)
        rounded[rounded] = [_is_rounded(value) for value in values[rounded].tolist()]
    elif kind == "f" and size > DOUBLE:
        rounded = (values.astype(np.float64) != values) & np.isfinite(values)
    else:
        return None
    found = np.argwhere(rounded)
    return tuple(found[0].tolist()) if len(found) else None


def _is_rounded(value: Any) -> bool:
    try:
        return isinstance(value, Rational | Decimal) and Fraction(float(value)) != Fraction(value)
    except (OverflowError, ValueError):  # beyond all floats, or no number at all: refused elsewhere
        return False


def one_entry_each(X: Any) -> Any:
    """CSR with sorted columns, each once in a row, and no stored zeros; dense rows as they are."""
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format or not X.has_sorted_indices:
        X = X.copy()
        X.sum_duplicates()
        refuse_bad_values(Reader(), X)
    if X.data.size and not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    return X
