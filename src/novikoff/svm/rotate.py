"""Other coordinates of the same problem that suit the interior point method better.

Fewer rows than columns: the same rows in coordinates of the space they span.

Neither problem sees anything of the rows but their inner products, so that any rows with the same ones will do, as few
columns as there are rows: those of ``R'`` where ``X' = Q R``; for sparse rows, from the eigenvectors of ``X X'``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import eigh, qr

from .problem import Problem


def suited(problem: Problem) -> tuple[Problem, Callable[[np.ndarray], np.ndarray]]:
    """The problem in coordinates that suit it, and what takes weights back from them."""
    return (problem, lambda w: w) if problem.X.shape[0] >= problem.X.shape[1] else _rotated(problem)


def _rotated(problem: Problem) -> tuple[Problem, Callable[[np.ndarray], np.ndarray]]:
    """Rows of the space they span."""
    X = problem.X
    if not sparse.issparse(X):
        Q, R = qr(X.T, mode="economic", check_finite=False)
        return problem._replace(X=np.ascontiguousarray(R.T)), lambda w: Q @ w
    values, vectors = eigh((X @ X.T).toarray(), check_finite=False)
    enough = values > values.size * np.finfo(float).eps * values[-1]
    roots, vectors = np.sqrt(values[enough]), vectors[:, enough]
    return problem._replace(X=np.ascontiguousarray(vectors * roots)), lambda w: X.T @ (vectors @ (w / roots))
