"""Other coordinates of the same problem that suit the interior point method better.

Fewer rows than columns: the same rows in coordinates of the space they span.

Neither problem sees anything of the rows but their inner products, so that any rows with the same ones will do, as few
columns as there are rows: those of ``R'`` where ``X' = Q R``; of sparse rows, from the eigenvectors of ``X X'``; of more rows,
from its Cholesky factor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh, qr
from scipy.linalg.lapack import dtrtrs

from ..inputs.arrays import parts
from ..inputs.clock import never
from .newton_system import AT_ONCE, cholesky
from .problem import Problem

MOST_OF_QR = 10**10  # multiplications, which cannot be interrupted
MOST_OF_EIGENVECTORS = 800  # rows, likewise


def suited(problem: Problem, tick: Callable[[], None] = never) -> tuple[Problem, Callable[[np.ndarray], np.ndarray]]:
    """The problem in coordinates that suit it, and what takes weights back from them."""
    rows, columns = problem.X.shape
    if rows >= columns:
        return problem, lambda w: w
    if not sparse.issparse(problem.X) and 4 * columns * rows**2 <= MOST_OF_QR:
        Q, R = qr(problem.X.T, mode="economic", check_finite=False)
        return problem._replace(X=np.ascontiguousarray(R.T)), lambda w: Q @ w
    return _spanned(problem, tick) if rows <= MOST_OF_EIGENVECTORS else _factored(problem, tick)


def _spanned(problem: Problem, tick: Callable[[], None]) -> tuple[Problem, Callable[[np.ndarray], np.ndarray]]:
    """Rows of the space they span."""
    values, vectors = eigh(_products(problem.X, tick), check_finite=False)
    enough = values > values.size * np.finfo(float).eps * values[-1]
    roots, vectors = np.sqrt(values[enough]), vectors[:, enough]
    X = problem.X
    return problem._replace(X=np.ascontiguousarray(vectors * roots)), lambda w: X.T @ (vectors @ (w / roots))


def _factored(problem: Problem, tick: Callable[[], None]) -> tuple[Problem, Callable[[np.ndarray], np.ndarray]]:
    """The same for more rows, by work that can be interrupted."""
    factor = np.tril(cholesky(_products(problem.X, tick), tick))
    X = problem.X
    return problem._replace(X=np.ascontiguousarray(factor)), lambda w: X.T @ dtrtrs(factor, w, lower=1, trans=1)[0]


def _products(X: Any, tick: Callable[[], None]) -> np.ndarray:
    """Of every two rows."""
    total = np.empty((X.shape[0], X.shape[0]))
    for part in parts(X.shape[0], max(1, AT_ONCE // (X.shape[0] * X.shape[1]))):
        tick()
        block = X[part] @ X.T
        total[part] = block.toarray() if sparse.issparse(block) else block
    return total
