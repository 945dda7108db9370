"""Reading what users pass, rows, labels and weights: checked, named where it is wrong, and not copied unless it must be."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, validate_data

from ..system.backends import refuse_partitions
from .sklearn_parts import check_sample_weight

DTYPES = (np.float64, np.float32)
FILL = "Fill missing values, e.g. with TableEncoder or SimpleImputer, or leave those rows out."
CORRECT = "Correct the value, or leave the row out."
ENOUGH_ROWS = 2000  # all rows would cost as much as a pass
COUNTED_RANGE = 10_000  # whole-number labels in so small a range are found by counting


def read_X(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, dtype: Any = DTYPES, finite: bool = True
) -> Any:
    """X (and y, unless left out) as C-ordered array or CSR, float64 or float32.

    Float arrays in C order and CSR matrices are not copied.  ``finite=False`` leaves it to the caller to find NaN and
    infinity in X.
    """
    if _is_plain(X, y, dtype if isinstance(dtype, tuple) else (dtype,), finite):
        if reset:
            estimator.n_features_in_ = X.shape[1]
            estimator.__dict__.pop("feature_names_in_", None)
        if reset or (
            X.shape[1] == getattr(estimator, "n_features_in_", None) and not hasattr(estimator, "feature_names_in_")
        ):
            return X if isinstance(y, str) else (X, y)
    refuse_partitions(estimator, X)
    numeric = {} if isinstance(y, str) else {"y_numeric": is_regressor(estimator)}
    try:
        with np.errstate(
            invalid="ignore"
        ):  # of a sum, by which finite numbers near the largest are looked for infinity
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
                **numeric,
            )
    except ValueError as error:
        if "Input X contains" not in str(error):
            raise
        raise _named(error, X) from None


def _is_plain(X: Any, y: Any, kinds: tuple[Any, ...], finite: bool) -> bool:
    """Whether these are arrays that pass every check as they are: the checks of a small fit take longer than its products."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in kinds or not (X.flags.c_contiguous and X.size):
        return False
    if not isinstance(y, str):
        if (
            type(y) is not np.ndarray
            or y.shape != X.shape[:1]
            or not y.flags.c_contiguous
            or y.dtype.kind not in "biufUS"
        ):
            return False
        if y.dtype.kind == "f" and not _is_finite(y):
            return False
    return not finite or _is_finite(X)


def _is_finite(X: Any) -> bool:
    """Whether all values are finite, as their sum says: that of finite numbers may overflow, and must be looked at more closely."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite((X.data if sparse.issparse(X) else X).sum()))


def canonical(X: Any) -> Any:
    """Rows, and of sparse ones each column once in a row: entries of one place may cancel, and no bound of rounding errors sees that."""
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


class ColumnNames(NamedTuple):
    """All that an error about a value of X says of the learner: less to send than the learner."""

    feature_names_in_: Any  # None: columns have numbers only


def names_of(estimator: Any) -> ColumnNames:
    """The names of the columns that it was fitted to."""
    return ColumnNames(getattr(estimator, "feature_names_in_", None))


def refuse_bad_values(estimator: Any, X: Any) -> None:
    """Raise the error for NaN or infinity in X, if there is any, naming the first."""
    if _is_finite(X):
        return
    try:
        assert_all_finite(X.data if sparse.issparse(X) else X, estimator_name=type(estimator).__name__, input_name="X")
    except ValueError as error:
        raise _named(error, X, getattr(estimator, "feature_names_in_", None)) from None


def refuse_not_finite(X: Any, names: Any = None) -> None:
    """Raise where X has NaN or infinity, whatever scikit-learn is told to assume: nothing can be proved of those."""
    if _is_finite(X) or (place := _first_bad_value(X)) is None:
        return
    row, column = place
    name = "" if names is None else f" ({names[column]!r})"
    what = "NaN" if np.isnan(X[row, column]) else "infinity"
    remedy = FILL if what == "NaN" else CORRECT
    raise ValueError(f"X contains {what}, first in row {row}, column {column}{name} (counted from 0). {remedy}")


def _named(error: ValueError, X: Any, names: Any = None) -> ValueError:
    """The same error in a sentence, with the place of the first bad value and a remedy."""
    text = str(error).splitlines()[0].rstrip(".")
    where = _first_bad_value(X)
    if where is not None:
        row, column = where
        names = getattr(X, "columns", None) if names is None else names
        name = "" if names is None else f" ({names[column]!r})"
        text += f", first in row {row}, column {column}{name} (counted from 0)"
    return ValueError(f"{text}. {FILL if 'NaN' in text else CORRECT}")


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


def parts(count: int, size: int) -> Iterator[slice]:
    """Numbers from 0 to ``count``, so many at a time."""
    return (slice(first, first + size) for first in range(0, count, size))


def spread(rows: Any) -> Any:
    """Some thousand of these rows, or row numbers, spread over all of them: enough to judge the scale of the data by."""
    step = rows.shape[0] // ENOUGH_ROWS
    return rows[::step] if step > 1 else rows  # all of a sparse matrix would be a copy


def evenly(places: np.ndarray, most: int) -> np.ndarray:
    """So many of these at most, spread over all of them."""
    return places[:: max(1, -(-len(places) // most))]


def generator(random_state: Any) -> np.random.Generator:
    """A fast generator seeded by scikit-learn's kind of ``random_state``."""
    if not isinstance(random_state, Integral):
        random_state = check_random_state(random_state).randint(2**31 - 1)
    return np.random.Generator(np.random.SFC64(int(random_state)))


def overflow_error(row: int | None) -> OverflowError:
    """What to say when numbers grow out of range."""
    what = "The weights are" if row is None else f"The score of row {row} is"
    return OverflowError(
        f"{what} no longer finite: the values of X, or the resulting weights, are too large. Scale the columns, e.g. "
        "with StandardScaler or MaxAbsScaler, or use a smaller eta."
    )


# Labels, sample weights and class weights: what rows should be answered, and what they are worth


def class_numbers(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of every label in the sorted ``classes``."""
    if classes.size > 2:
        places = np.searchsorted(classes, y)
        places[places == classes.size] = 0
    else:
        places = (y == classes[-1]) * np.int8(classes.size - 1)
    unknown = classes[places] != y
    if unknown.any():
        row = int(np.argmax(unknown))
        raise ValueError(
            f"y has the label {y[row : row + 1].tolist()[0]!r} in row {row}, which is not among the classes {classes.tolist()!r}. "
            "Name every class in the first call of partial_fit, or pass extend_classes=True."
        )
    return places.astype(np.int32)


def own_output(target: np.ndarray, outputs: int) -> np.ndarray:
    """For every row and output, whether the output stands for the row's class: (rows, outputs)."""
    return target[:, None] == (np.arange(outputs) if outputs > 1 else 1)


def distinct_labels(y: np.ndarray) -> np.ndarray:
    """The sorted labels, refused where they are numbers on a scale rather than names of classes."""
    if y.dtype.kind in "iu" and y.size and int(y.max()) - int(y.min()) < COUNTED_RANGE:
        above = y - y.min() if y.dtype.kind == "u" else y.astype(np.int64) - int(y.min())
        return np.flatnonzero(np.bincount(above.astype(np.intp))).astype(y.dtype) + y.min()
    if y.dtype == object:
        if set(map(type, y)) == {str}:  # found by hashing: to sort all rows would take far longer
            return np.array(sorted(set(y)), dtype=object)
        check_classification_targets(y)
    classes = np.unique(y)
    if y.dtype.kind == "f" and np.any(classes != np.floor(classes)):
        check_classification_targets(y)
    return classes


def find_classes(y: np.ndarray) -> np.ndarray:
    """The sorted labels; an error that says so where there is only one."""
    classes = distinct_labels(y)
    if classes.size < 2:
        raise ValueError(
            f"y has only one class, {classes.tolist()[0]!r}: a classifier needs rows of at least two classes. If rows are sorted by "
            "class, shuffle them before they are split."
        )
    return classes


def read_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """Sample weights as float64, empty where there are none."""
    if sample_weight is None:
        return np.empty(0)
    return check_sample_weight(
        sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=True, allow_all_zero_weights=True
    )


def with_class_weight(
    class_weight: Any, classes: np.ndarray, weight: np.ndarray, target: np.ndarray, members: np.ndarray
) -> np.ndarray:
    """Sample weights times the class weights."""
    if class_weight is None:
        return weight
    own = weight if weight.size else np.ones(target.size)
    sums = np.bincount(target[members], own[members], minlength=len(classes))
    counts = {label: count for label, count in zip(classes.tolist(), sums.tolist(), strict=True) if count}
    return own * class_factors(class_weight, classes, counts)[target]


def class_factors(class_weight: Any, classes: np.ndarray, counts: dict[Any, float]) -> np.ndarray:
    """What ``class_weight`` says of each class; "balanced" goes by the weights of their rows."""
    if class_weight == "balanced":
        seen = np.array([counts.get(label, np.inf) for label in classes.tolist()])
        return check_factors(sum(counts.values()) / (len(counts) * seen))
    return check_factors(compute_class_weight(class_weight, classes=classes, y=classes))


def check_factors(factors: np.ndarray) -> np.ndarray:
    """Class weights, none of them negative, infinite or NaN."""
    if not np.all(np.isfinite(factors) & (factors >= 0)):
        raise ValueError(
            f"class_weight must be a finite number that is not negative for every class, but is {factors.tolist()}."
        )
    return factors
