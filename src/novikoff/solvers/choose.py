"""Which solver is for which rows: every threshold, with the measurement behind it.

Measured in processor time, one thread, from rows to a proved gap of 1e-4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# Compiled loops (``small_newton``) against products of matrices (``newton``), squared hinge / hinge, in ms: iris 0.05 / 0.07 against 1.2 / 4.7; breast cancer
# 0.12 / 0.34 against 1.4 / 6.3; digits, 10 classes, 9 / 12 against 30 / 47.
SMALL_COLUMNS, SMALL_VALUES = 128, 500_000
# Dense float32 rows of many columns, descent first against Newton's method first, in ms: sentences, 15,000 x 384 with 150 classes, 650 against 1810; 200 x 384 with two
# 1.0 against 2.1; embeddings, 15,000 x 768, 2 and 20 classes far apart 31 against 93 and 215 against 384; near each other, where descent is given up for 2
# classes, 146 against 121 and 280 against 561; digits, 12,000 x 784, where it is given up, too, 774 against 694.
DESCENT_COLUMNS = 128
# Zeros and ones, 32,000 x 123, 14 ones a row: as dense rows 45 ms, by descent 75 ms.
DENSE_VALUES, DENSE_COLUMNS = 30_000_000, 500
MOST_MATRIX = 3000  # rows and columns of a matrix that Newton's method makes; beyond, its steps are found by conjugate gradients alone
# All classes at once, weights of all of them: by the interior point method and by descent, in ms: iris (15) 6 and 36, wine (42) 7 and never, digits (650) 594 and
# 485. The time for its matrix grows with the cube of the weights.
INTERIOR_FIRST, INTERIOR_POSSIBLE = 500, 3000
SINGLE = 1e-6  # a tolerance that products in float32 reach
SINGLE_RANGE = 1e-9, 1e9  # of the largest number of rows whose products float32 can hold


def machine_methods(X: Any, solver: str) -> list[str]:
    """The solvers of a linear support vector machine, in the order in which they are tried: "small" and "newton" are two programs of one method, and
    descent is given up where sweeps get slow.
    "interior" was another method for high precision, which Newton's method reaches as well."""
    small, columns = is_small(X), X.shape[1]
    newton = ["small", "newton"] if small else ["newton"]
    if solver in ("newton", "interior"):
        return newton
    few = small or (better_dense(X) if sparse.issparse(X) else columns < DESCENT_COLUMNS)
    return [*newton, "descent"] if few and solver == "auto" else ["descent", *newton]


def is_small(X: Any) -> bool:
    """Whether rows are so few that compiled loops are quicker than products of matrices."""
    rows, columns = X.shape
    return bool(columns < SMALL_COLUMNS and rows * columns <= SMALL_VALUES)


def better_dense(X: Any) -> bool:
    """Whether sparse rows are multiplied sooner as dense ones."""
    rows, columns = X.shape
    return bool(rows * columns <= DENSE_VALUES and columns <= DENSE_COLUMNS)


def all_classes_methods(X: Any, classes: int, solver: str) -> list[str]:
    """The same for all classes at once (Crammer & Singer)."""
    if solver != "auto":
        return ["sweeps" if solver == "descent" else solver]
    size = classes * (X.shape[1] + 1)
    if size <= INTERIOR_FIRST:
        return ["interior", "sweeps"]
    return ["sweeps", "interior", "sweeps"] if size <= INTERIOR_POSSIBLE else ["sweeps"]


def as_multiplied(X: Any, tol: float) -> Any:
    """Rows as Newton's method multiplies them: dense, if that is quicker, in float32, if nothing is lost by it."""
    values = X.data if sparse.issparse(X) else X
    single = X.dtype == np.float32
    if sparse.issparse(X) and better_dense(X):
        single = single or np.array_equal(values, values.astype(np.float32))  # as of zeros and ones
        X = X.astype(np.float32 if single else float).toarray()
    if not single or tol < SINGLE or sparse.issparse(X):
        return X.astype(float, copy=False)
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return X if SINGLE_RANGE[0] <= largest <= SINGLE_RANGE[1] else X.astype(float)
