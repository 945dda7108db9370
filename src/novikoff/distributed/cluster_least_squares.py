"""Least squares over partitions: one orthogonal factor of each, merged by the tree (TSQR; Demmel, Grigori, Hoemmen & Langou 2012).

``(c, x_i - mean, d_i)`` times the root of the weight of its row is a row of a matrix, c being the constant feature of the bias.  Its
triangular factor R has the same products of columns, so that R is a problem of a few rows with the same solution, which is solved
as rows in memory are (``solvers.direct``).  The constant comes first: below it, R has columns less their weighted means,
so that the bias drops out of a penalty.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..estimators.adaline import wanted_scores
from ..inputs.arrays import parts
from ..inputs.threads import one_thread
from ..solvers.direct import Equations, Weights
from ..solvers.direct import solve as solve_equations
from .folding import Engine
from .rounds import Ready
from .taken_rows import taken

BLOCK = 1 << 15  # numbers of rows that are factored at once, in the processor's cache


class Columns(NamedTuple):
    """What the columns of the matrix are."""

    constant: float  # 0: no bias
    mean: np.ndarray
    outputs: int


def factor_of(number: int, ready: Ready, columns: Columns) -> np.ndarray | None:
    """R of one partition."""
    X, target, weight = taken(ready)
    if not target.size:
        return None
    wanted = wanted_scores(target, columns.outputs)
    root = np.sqrt(weight if weight.size else np.ones(target.size))[:, None]
    width = 1 + X.shape[1] + columns.outputs
    factor = np.zeros((0, width))
    with one_thread():
        for part in parts(target.size, max(8 * width, BLOCK // width)):
            rows = X[part].toarray() if sparse.issparse(X) else X[part]
            block = np.column_stack([np.full(len(rows), columns.constant), rows - columns.mean, wanted[part]])
            factor = both_factors(factor, root[part] * block)
    return factor


def both_factors(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """R of both, or of some rows and more."""
    with one_thread():
        return np.asarray(np.linalg.qr(np.concatenate([one, other]), mode="r"))


def solve_over(engine: Engine, columns: Columns, l2: float) -> Weights:
    """``(coef, bias)`` of all rows.  Without a penalty the shortest of several solutions, the bias counted as the weight of its
    constant feature, for columns as they are."""
    factor: np.ndarray = engine.fold(factor_of, both_factors, columns)
    size, none = columns.mean.size, np.empty(0)
    rows, wanted = factor[:, : 1 + size], factor[:, 1 + size :]
    with one_thread():
        if not columns.constant:
            return solve_equations(Equations(rows[:, 1:], wanted, none, 0.0, l2))
        if not l2:
            rows = rows.copy()
            rows[:, 1:] += rows[:, :1] * (columns.mean / columns.constant)  # columns as they are
            found, _ = solve_equations(Equations(rows, wanted, none, 0.0, 0.0))
            return found[:, 1:], found[:, 0] * columns.constant
        coef, _ = solve_equations(Equations(rows[1:, 1:], wanted[1:], none, 0.0, l2))
        bias = (wanted[0] - rows[0, 1:] @ coef.T) / rows[0, 0] * columns.constant
        return coef, bias - coef @ columns.mean
