"""Rows far from zero: with a bias, they may be shifted.

``w.x + b = w.(x - c) + b'`` with ``b' = b + w.c``, so that scores of rows near c are small numbers, with small rounding
errors; only between b and b' are large numbers added, exactly, and rounded once.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from ..proof.arithmetic.exact import whole_numbers

FAR = 10.0  # a column's mean is far from zero that is so many times its spread
SPLIT = 2.0**27 + 1
SMALLEST_PRODUCT, LARGEST_PRODUCT = 1e-250, 1e250  # between which products have exact errors
SAMPLE, FEWEST = 1 << 16, 30  # numbers, and rows, that say where all of them are


def far_centre(X: Any, all_columns: bool = False) -> np.ndarray | None:
    """Where columns are that are far from zero; None where there are none, and for sparse rows.  Other columns stay as they
    are, unless all are to be shifted: kernels look at whole rows."""
    if sparse.issparse(X) or not len(X):
        return None
    count = max(FEWEST, SAMPLE // X.shape[1])
    some = X[:: X.shape[0] // count + 1]  # any place near the rows will do
    mean = some.mean(axis=0)
    apart = some - mean
    far = mean * mean * len(some) > FAR**2 * np.einsum("ij,ij->j", apart, apart)
    if not far.any():
        return None
    return mean if all_columns else np.where(far, mean, 0.0)


def shifted(w: np.ndarray, b: Any, centre: np.ndarray | None, sign: int) -> Any:
    """``b + sign w.centre``, exact except for one rounding; of several classes for each of them."""
    if centre is None:
        return b
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        return b + sign * (w @ centre)
    far = np.flatnonzero(centre)
    many, biases = np.atleast_2d(w)[:, far], np.atleast_1d(b).tolist()
    products, errors = _exact_products(many, sign * centre[far])
    sizes = np.abs(products[products != 0])
    if sizes.size and (sizes.min() < SMALLEST_PRODUCT or sizes.max() > LARGEST_PRODUCT):
        exact = [float(Fraction(one) + sign * _dot(row, centre[far])) for row, one in zip(many, biases, strict=True)]
    else:
        exact = [fsum([one, *row]) for row, one in zip(np.hstack([products, errors]).tolist(), biases, strict=True)]
    return np.array(exact) if np.ndim(w) > 1 else exact[0]


def _exact_products(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rounded products and their errors, which are floats (Dekker 1971): a factor is split into two of half as many digits."""

    def split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        large = SPLIT * x
        high = large - (large - x)
        return high, x - high

    product = one * other
    (a, b), (c, d) = split(one), split(other)
    return product, ((a * c - product) + a * d + b * c) + b * d


def _dot(one: np.ndarray, other: np.ndarray) -> Fraction:
    (a, low), (b, lower) = whole_numbers(one), whole_numbers(other)
    return Fraction(int(a.astype(object) @ b.astype(object))) * Fraction(2) ** (low + lower)
