"""What a warning says when a fit ends without separating the classes: numbers, likely causes, remedies."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

WIDE_SCALES = 100.0  # columns whose largest values differ by more than this slow the perceptron down noticeably


def advice(reason: str, passes: int, errors: int, rows: int, scales: float, sorted_by_class: bool, proved: bool) -> str:
    """The text of the warning."""
    ended = {
        "budget": f"max_iter={passes} passes ended before every row was right",
        "time": f"the time limit ended the fit in pass {passes} before every row was right",
        "cycle": f"in pass {passes} the weights returned to where they had been and would repeat for ever",
    }[reason]
    parts = [f"{ended}: {errors} of {rows} training rows are classified wrongly by the weights handed back."]
    if proved:
        parts.append("The updates of one round add up to exactly zero, which proves that the classes are not linearly separable.")
    if scales > WIDE_SCALES:
        parts.append(
            f"The largest values of the columns differ by a factor of {scales:.3g}; scale them, e.g. with "
            "make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        )
    if sorted_by_class:
        parts.append("The rows are sorted by class and were read in that order; use order='shuffle'.")
    if reason == "cycle":
        parts.append("If the classes overlap, use keep='average' or keep='pocket' with a random order.")
    else:
        parts.append(
            "If the classes can be separated, raise max_iter or time_limit; if they overlap, keep='average' or "
            "keep='ratchet' gives good weights all the same, and a smaller max_iter saves time."
        )
    return " ".join(parts)


def scale_ratio(X: Any) -> float:
    """The largest absolute value of the largest column over that of the smallest column that is not all zero."""
    if X.shape[1] == 0:
        return 1.0
    if sparse.issparse(X):
        highest, lowest = X.max(axis=0).toarray().ravel(), X.min(axis=0).toarray().ravel()
    else:
        highest, lowest = X.max(axis=0), X.min(axis=0)
    largest = np.maximum(np.abs(highest), np.abs(lowest)).astype(float)
    largest = largest[largest > 0]
    return float(largest.max() / largest.min()) if largest.size else 1.0


def is_sorted_by_class(labels: np.ndarray) -> bool:
    """Whether every class is one run of rows."""
    runs = 1 + np.count_nonzero(labels[1:] != labels[:-1])
    return bool(runs == np.unique(labels).size)
