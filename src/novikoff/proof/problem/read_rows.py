"""Reading X and y for a proof: what would be rounded, or is missing, is refused, whatever scikit-learn is told to assume."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ...checks.arrays import FILL, find_classes, read_X, refuse_not_finite
from ...checks.rounding import refuse_rounded, refuse_rounded_labels
from ...checks.sklearn_parts import BaseEstimator
from .pairs import Pairs


class Reader(BaseEstimator):
    """Remembers the names and the number of the features."""


def check_intercept(fit_intercept: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False; got {fit_intercept!r}.")


def read(X: Any, y: Any, fit_intercept: bool) -> tuple[Pairs, np.ndarray, np.ndarray | None]:
    """The pairs, the classes and the features' names, if they have any."""
    reader = Reader()
    X, y = _read_both(reader, X, y)
    classes = find_classes(y)
    names = getattr(reader, "feature_names_in_", None)
    target = np.searchsorted(classes, y)
    return Pairs(X, target, len(classes), fit_intercept), classes, names


def read_again(X: Any, y: Any, classes: np.ndarray, n_features: int, fit_intercept: bool) -> Pairs | None:
    """The pairs of data that a proof is checked on; None where their labels are not the proof's classes."""
    X, y = _read_both(Reader(), X, y)
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the proof is about {n_features}.")
    present, target = np.unique(y, return_inverse=True)
    if not np.array_equal(present, classes):
        return None
    return Pairs(X, target, len(classes), fit_intercept)


def read_labelled(X: Any, y: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """Rows and labels, whatever these are, and the features' names, if they have any."""
    reader = Reader()
    return *_read_both(reader, X, y), getattr(reader, "feature_names_in_", None)


def read_rows(X: Any) -> Any:
    """The rows of something that has no labels."""
    reader = Reader()
    refuse_rounded(X)
    return _checked(reader, X, read_X(reader, X, reset=True, finite=False))


def _read_both(reader: Reader, X: Any, y: Any) -> tuple[Any, np.ndarray]:
    refuse_rounded(X)
    refuse_rounded_labels(y)
    rows, labels = read_X(reader, X, y, reset=True, finite=False)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels)))
        raise ValueError(f"y has the label {labels[row]} in row {row}: give every row a label, or leave it out.")
    return _checked(reader, X, rows), labels


def _checked(reader: Reader, X: Any, rows: Any) -> Any:
    """The rows without gaps; ``X`` is what they were read from."""
    rows = one_entry_each(rows)
    refuse_not_finite(rows, getattr(reader, "feature_names_in_", None))
    if np.ma.is_masked(X):
        row, column = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        raise ValueError(f"X is masked in row {row}, column {column} (counted from 0). {FILL}")
    return rows


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
