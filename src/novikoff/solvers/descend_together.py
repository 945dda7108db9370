"""One class against the rest on rows of many columns: all problems descended on in one call, and audited together.

Where the gap asked for takes too many sweeps, ``solve`` goes on from here; and where it does so for most problems, the others are left
to it as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..inputs.arrays import parts
from ..inputs.clock import Clock
from ..learn.rows import as_rows, natural
from .descent import EXTRA, SQUARE, UPPER
from .margin_audit import AuditRows
from .problem import Problem
from .shifted_rows import shifted
from .short_descent import descend_all
from .solve import CLOSER, INTERIOR_FIRST, NO_START, ONE_KERNEL, Outcome
from .together import answers_of

MOST_VALUES, MOST_OF_SPARSE = 10_000_000, 2_000_000  # in the rows
SPARSE = 0.3  # rows of an array with a smaller part of values that are not zero are read faster without the zeros
MOST_READ = 600  # times the rows are read, but no more than there are columns:
CROWD = 4  # support vectors of dense rows a column, at most; beyond, sweeps get on slowly, and other methods fast
WORK = 10**8  # values that are read between two looks at the clock, if there is a time limit
CONSTANT = 0.03  # of the rows' mean square: the square of the constant feature that stands for the bias


def wide(problem: Problem) -> bool:
    """Whether columns are many, and rows not too many."""
    columns = problem.X.shape[1]
    if sparse.issparse(problem.X):
        return columns > INTERIOR_FIRST and problem.X.nnz <= MOST_OF_SPARSE
    return columns >= ONE_KERNEL and problem.X.size <= MOST_VALUES


def descend_together(
    problem: Problem, signs: np.ndarray, tol: float, clock: Clock, rng: np.random.Generator
) -> tuple[list[Outcome], np.ndarray]:
    """The problems with these rows and each line of ``signs``: outcomes, some of which may miss ``tol``, and slacks; nothing if it is
    no good for any of them."""
    near = AuditRows(problem, long=False)
    count, columns = problem.X.shape
    X, squares = without_zeros(near.X), row_norms(near.X, squared=True)
    rows = as_rows(X, 1)
    constant2 = CONSTANT * float(squares.mean()) if problem.intercept else 0.0
    facts = np.empty((count, 5))
    facts[:, UPPER] = np.inf if problem.squared else problem.bounds
    facts[:, EXTRA] = 0.5 / problem.bounds if problem.squared else 0.0
    facts[:, SQUARE] = squares + facts[:, EXTRA] + constant2
    room = natural(rows, np.zeros((1, columns)))
    values = X.nnz if sparse.issparse(X) else X.size
    most = min(MOST_READ, columns)
    if clock.limit < np.inf:
        most = min(most, max(1, WORK // max(1, values)))
    crowd = count if sparse.issparse(problem.X) else CROWD * columns
    seed = np.uint64(rng.bit_generator.random_raw())
    state = rows, problem.bounds, signs, facts, constant2, CLOSER * tol, most, crowd, seed, room, room.copy()
    weights, biases, alphas = np.zeros((len(signs), columns)), np.zeros(len(signs)), np.zeros(signs.shape)
    sweeps, gaps = np.zeros(len(signs), np.int64), np.ones(len(signs))
    for part in parts(len(signs), max(1, WORK // (most * values + 1))):
        if clock.over or 2 * np.count_nonzero(gaps[: part.start] > CLOSER * tol) > part.start:
            break
        descend_all(*state, part.start, min(part.stop, len(signs)), weights, biases, alphas, sweeps, gaps)
    if gaps.min() > NO_START and not clock.over:
        return [], np.empty(0)
    b = shifted(weights, biases, near.centre, -1)
    return answers_of(near, signs, weights, b, alphas, "descent", sweeps, tol, clock)


def without_zeros(X: Any) -> Any:
    """Rows of an array as sparse ones, if they have many zeros."""
    if sparse.issparse(X) or np.count_nonzero(X) > SPARSE * X.size:
        return X
    return sparse.csr_array(X)
