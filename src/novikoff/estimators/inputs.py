"""Reading what users hand in: checked, named where it is wrong, and not copied unless it must be."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

DTYPES = (np.float64, np.float32)


def read_X(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, dtype: Any = DTYPES) -> Any:
    """X (and y, unless left out) as C-ordered array or CSR, float64 or float32.

    Float arrays in C order and CSR matrices are not copied.
    """
    try:
        return validate_data(
            estimator,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=list(dtype) if isinstance(dtype, tuple) else dtype,
            order="C",
        )
    except ValueError as error:
        where = _first_bad_value(X) if "NaN" in str(error) or "infinity" in str(error) else None
        if where is None or "Input X" not in str(error):
            raise
        row, column = where
        name = getattr(X, "columns", None)
        name = "" if name is None else f" ({name[column]!r})"
        lines = str(error).splitlines()
        lines[0] = f"{lines[0].rstrip('.')}, first in row {row}, column {column}{name} (counted from 0)."
        raise ValueError("\n".join(lines)) from None


def _first_bad_value(X: Any) -> tuple[int, int] | None:
    """Row and column of the first value that is not finite, by row."""
    try:
        if sparse.issparse(X):
            X = sparse.coo_array(X)
            bad = np.flatnonzero(~np.isfinite(X.data))
            places = np.stack([X.coords[0][bad], X.coords[1][bad]], axis=1)
            places = places[np.lexsort((places[:, 1], places[:, 0]))]
        else:
            places = np.argwhere(~np.isfinite(np.asarray(X, dtype=float)))
    except (TypeError, ValueError):
        return None
    return (int(places[0, 0]), int(places[0, 1])) if len(places) else None


def class_numbers(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of every label in the sorted ``classes``."""
    places = np.searchsorted(classes, y)
    places[places == classes.size] = 0
    unknown = classes[places] != y
    if np.any(unknown):
        row = int(np.argmax(unknown))
        raise ValueError(
            f"y has the label {y[row : row + 1].tolist()[0]!r} in row {row}, which is not among the classes {classes.tolist()!r}. "
            "Name every class in the first call of partial_fit, or pass extend_classes=True."
        )
    return places.astype(np.int32)


def find_classes(y: np.ndarray) -> np.ndarray:
    """The sorted labels; an error that says so where y holds no classes or only one."""
    check_classification_targets(y)
    classes = np.unique(y)
    if classes.size < 2:
        raise ValueError(
            f"y has only one class, {classes.tolist()[0]!r}: a classifier needs rows of at least two classes to tell apart."
        )
    return classes


def read_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """Sample weights as float64, empty where there are none."""
    if sample_weight is None:
        return np.empty(0)
    return _check_sample_weight(
        sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=True, allow_all_zero_weights=True
    )


def generator(random_state: Any) -> np.random.Generator:
    """A fast generator seeded by scikit-learn's kind of ``random_state``."""
    if not isinstance(random_state, Integral):
        random_state = check_random_state(random_state).randint(2**31 - 1)
    return np.random.Generator(np.random.SFC64(int(random_state)))


def check_factors(factors: np.ndarray) -> np.ndarray:
    """Class weights, none of them negative or without end."""
    if not np.all(np.isfinite(factors) & (factors >= 0)):
        raise ValueError(
            f"class_weight must give every class a number that is not negative, but gave {factors.tolist()}."
        )
    return factors


def overflow_error(row: int | None) -> OverflowError:
    """What to say when numbers grow out of range."""
    what = "The weights are" if row is None else f"The score of row {row} is"
    return OverflowError(
        f"{what} no longer finite: the values of X, or the weights they led to, are too large. Scale the columns, e.g. "
        "with StandardScaler or MaxAbsScaler, or use a smaller eta."
    )
