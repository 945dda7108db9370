"""Reading what users hand in: checked, named where it is wrong, and not copied unless it must be."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, validate_data

DTYPES = (np.float64, np.float32)
FEW = 10_000  # whole-number labels in so small a range are found by counting


def read_X(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, dtype: Any = DTYPES, finite: bool = True
) -> Any:
    """X (and y, unless left out) as C-ordered array or CSR, float64 or float32.

    Float arrays in C order and CSR matrices are not copied.  ``finite=False`` leaves it to the caller to find NaN and
    infinity in X.
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
            ensure_all_finite=finite,
        )
    except ValueError as error:
        if "Input X contains" not in str(error):
            raise
        raise _named(error, X) from None


def refuse_bad_values(estimator: Any, X: Any) -> None:
    """Raise the error for NaN or infinity in X, if there is any, naming the first."""
    try:
        assert_all_finite(X.data if sparse.issparse(X) else X, estimator_name=type(estimator).__name__, input_name="X")
    except ValueError as error:
        raise _named(error, X, getattr(estimator, "feature_names_in_", None)) from None


def _named(error: ValueError, X: Any, names: Any = None) -> ValueError:
    """The same error, with the place of the first bad value."""
    where = _first_bad_value(X)
    if where is None:
        return error
    row, column = where
    names = getattr(X, "columns", None) if names is None else names
    name = "" if names is None else f" ({names[column]!r})"
    lines = str(error).splitlines()
    lines[0] = f"{lines[0].rstrip('.')}, first in row {row}, column {column}{name} (counted from 0)."
    return ValueError("\n".join(lines))


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
    places = np.searchsorted(classes, y) if classes.size > 2 else (y == classes[-1]).astype(np.intp)
    places[places == classes.size] = 0
    unknown = classes[places] != y
    if np.any(unknown):
        row = int(np.argmax(unknown))
        raise ValueError(
            f"y has the label {y[row : row + 1].tolist()[0]!r} in row {row}, which is not among the classes {classes.tolist()!r}. "
            "Name every class in the first call of partial_fit, or pass extend_classes=True."
        )
    return places.astype(np.int32)


def distinct_labels(y: np.ndarray) -> np.ndarray:
    """The sorted labels, refused where they are numbers on a scale rather than names of classes."""
    if y.dtype.kind in "iu" and y.size and int(y.max()) - int(y.min()) < FEW:
        return np.flatnonzero(np.bincount(y.astype(np.intp) - int(y.min()))).astype(y.dtype) + y.min()
    classes = np.unique(y) if y.dtype != object else y
    if y.dtype == object or (y.dtype.kind == "f" and np.any(classes != np.floor(classes))):
        check_classification_targets(y)
    return np.unique(y) if y.dtype == object else classes


def find_classes(y: np.ndarray) -> np.ndarray:
    """The sorted labels; an error that says so where there is only one."""
    classes = distinct_labels(y)
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
