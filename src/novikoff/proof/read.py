"""Reading X and y for a proof: nothing is rounded unless it must be, and then it is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from ..estimators.inputs import read_X
from ..estimators.targets import find_classes
from .pairs import Pairs

EXACT = 2**53  # whole numbers up to here are floats


class Reader(BaseEstimator):
    """Remembers the names and the number of the features."""


def read(X: Any, y: Any, fit_intercept: bool) -> tuple[Pairs, np.ndarray, np.ndarray | None]:
    """The pairs, the classes and the features' names, if they have any."""
    reader = Reader()
    refuse_large_integers(X)
    X, y = read_X(reader, X, y, reset=True)
    classes = find_classes(y)
    names = getattr(reader, "feature_names_in_", None)
    target = np.searchsorted(classes, y)
    return Pairs(one_entry_each(X), target, len(classes), fit_intercept), classes, names


def read_again(X: Any, y: Any, classes: np.ndarray, n_features: int, fit_intercept: bool) -> Pairs | None:
    """The pairs of data that a proof is checked on; None where a label is not among the proof's classes."""
    refuse_large_integers(X)
    X, y = read_X(Reader(), X, y, reset=True)
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the proof is about {n_features}.")
    target = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if not np.array_equal(classes[target], y):
        return None
    return Pairs(one_entry_each(X), target, len(classes), fit_intercept)


def refuse_large_integers(X: Any) -> None:
    """Integers that floats cannot hold would be rounded before anything is proved."""
    dtype = getattr(X, "dtype", None)
    if dtype is None or getattr(dtype, "kind", "") not in "iu" or sparse.issparse(X):
        return
    X = check_array(X, dtype=None, ensure_min_samples=0, ensure_min_features=0)
    large = np.argwhere((X > EXACT) | (X < -EXACT)) if X.dtype.itemsize == 8 else np.empty((0, 2))
    if len(large):
        row, column = large[0].tolist()
        raise ValueError(
            f"X has the integer {X[row, column]} in row {row}, column {column}, which float64 cannot hold exactly: beyond 2**53 "
            "a proof would speak of rounded numbers. Convert X to float64 yourself if those are meant, or shift the column."
        )


def one_entry_each(X: Any) -> Any:
    """CSR with sorted columns, each once in a row, and no stored zeros; dense rows as they are."""
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format or not X.has_sorted_indices:
        X = X.copy()
        X.sum_duplicates()
    if X.data.size and not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    return X
