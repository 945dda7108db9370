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
# Newton's method begins with some rows where there are so many times as many.  Hinge / squared hinge, with them and without, in ms: 300,000 x 50
# 430 / 420 against 1320 / 700; 260,000 x 40 425 / 525 against 1200 / 535.
MANY_MORE = 20
MOST_MATRIX = 3000  # rows and columns of a matrix that Newton's method makes; beyond, its steps are found by conjugate gradients alone
# All classes at once, weights of all of them: by the interior point method and by descent, in ms: iris (15) 6 and 36, wine (42) 7 and never, digits (650) 594 and
# 485. The time for its matrix grows with the cube of the weights.
INTERIOR_FIRST, INTERIOR_POSSIBLE = 500, 3000
# Logistic regression by Newton's method and by L-BFGS, in ms: iris 2.1 and 2.8, wine 2.5 and 3.3, breast cancer 1.9 and 2.0, digits (650 unknowns) 208 and 17;
# 1000 x 50 2.3 and 2.5, 300 x 100 2.2 and 2.5, 1000 x 100, columns of many scales, 3.7 and 4.2, of one 5.1 and 2.7, 1000 x 190 10 and 5, 20,000 x 40 19 and 11.
# So Newton's method is taken up to these numbers of rows and unknowns, of two classes and of softmax.
NEWTON_ROWS, NEWTON_UNKNOWNS = 1000, (100, 60)
NEWTON_THERE = 1000  # unknowns over partitions, where a round costs more than a matrix
# Multiplications of 50 iterations for each number and output, and how much slower those of sparse rows are.  Beyond so many, some minutes, and of least squares,
# some ten seconds, "auto" takes steps.
LOOKS, SPARSE_LOOKS, MOST_LIKELIHOOD, MOST_SQUARES = 200, 10, 10**13, 10**11
# L-BFGS for float64 rows in float32 and in float64, in ms: 2000 x 60 2.6 and 2.7, 20,000 x 40 8.5 and
# 9.7, 100,000 x 40 37 and 49, 3000 x 64 with ten classes 10 and 12.  The least tolerance for it, and the fewest numbers times outputs.
SINGLE_LIKELIHOOD, MANY_LIKELIHOOD = 1e-5, 1 << 17
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
    flat = values.reshape(-1)
    length = (
        float(np.dot(flat, flat)) ** 0.5
    )  # which is at least the largest number, and at most that times the root of how many there are
    return X if SINGLE_RANGE[0] * flat.size**0.5 <= length <= SINGLE_RANGE[1] else X.astype(float)


def likelihood_method(X: Any, outputs: int, joint: bool) -> str:
    """What solves a logistic regression; ``joint``: all classes at once."""
    if long_likelihood(X.shape, X.nnz if sparse.issparse(X) else None, outputs):
        return "steps"
    unknowns = (X.shape[1] + 1) * (outputs if joint else 1)
    return "newton" if X.shape[0] <= NEWTON_ROWS and unknowns <= NEWTON_UNKNOWNS[joint] else "lbfgs"


def long_likelihood(shape: tuple[int, int], values: int | None, outputs: int) -> bool:
    """Whether solving takes so long that steps are the better choice; ``values``: those stored of sparse rows, None of dense ones."""
    numbers = shape[0] * shape[1] if values is None else SPARSE_LOOKS * values
    return LOOKS * numbers * outputs > MOST_LIKELIHOOD


def likelihood_in_single(X: Any, outputs: int, tol: float) -> bool:
    """Whether L-BFGS is quicker in float32.  Numbers that have no room there are noticed: no step goes down then, and float64 takes over."""
    values = X.data if sparse.issparse(X) else X
    return tol >= SINGLE_LIKELIHOOD and (values.dtype == np.float32 or values.size >= MANY_LIKELIHOOD // outputs)


def long_squares(rows: int, columns: int) -> bool:
    """Whether least squares of dense rows, or of sparse ones of few columns, takes so long that steps are the better choice."""
    return rows * columns * min(rows, columns) > MOST_SQUARES
