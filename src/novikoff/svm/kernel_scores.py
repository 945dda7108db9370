"""Scores of rows by a machine with a kernel, without what rows far from zero cost in rounding."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from ..dual.kernels import Linear, Points, weighted_sums
from .kernel_sums import centre_of


def kernel_scores(kernel: Linear, coef: np.ndarray, support: Points, X: Any, intercept: np.ndarray) -> np.ndarray:
    """``sum_i coef[k, i] k(x_i, x) + intercept[k]`` for every row x: (rows, outputs).

    Rows far from zero are shifted, all by one m near the support: no distance changes, and
    ``sum_i c_i x_i.x = w.(x - m) + w.m`` where ``w = sum_i c_i (x_i - m) + (sum_i c_i) m``.
    """
    centre = None if sparse.issparse(X) else centre_of(kernel, support.X)
    if centre is not None and type(kernel) is Linear:
        totals = np.array([[fsum(row)] for row in coef.tolist()])
        w = coef @ (support.X - centre) + totals * centre
        return (X - centre) @ w.T + (intercept + w @ centre)
    if centre is not None:
        X, support = X - centre, kernel.points(support.X - centre, support.numbers)
    others = kernel.points(X, np.full(X.shape[0], -1))
    return weighted_sums(kernel, coef, support, others) + intercept
