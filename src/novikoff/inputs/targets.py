"""Labels, sample weights and class weights: what rows are worth, and what they should be answered."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from .sklearn_parts import check_sample_weight

COUNTED_RANGE = 10_000  # whole-number labels in so small a range are found by counting


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
    class_weight: Any,
    classes: np.ndarray,
    weight: np.ndarray,
    target: np.ndarray,
    members: np.ndarray,
    counts: dict[Any, float] | None = None,
) -> np.ndarray:
    """Sample weights times the class weights.  ``counts``: the weight of the rows of each class in earlier calls, to which those of
    these rows are added."""
    if class_weight is None:
        return weight
    own = weight if weight.size else np.ones(target.size)
    counts = {} if counts is None else counts
    sums = np.bincount(target[members], own[members], minlength=len(classes))
    for label, count in zip(classes.tolist(), sums.tolist(), strict=True):
        if count:
            counts[label] = counts.get(label, 0.0) + count
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
