"""Kernel functions ``k(x, z) = phi(x).phi(z)``, and blocks of their values.

``linear``       ``x.z``
``poly``         ``(gamma x.z + coef0)^degree``
``rbf``          ``exp(-gamma |x - z|^2)``
``precomputed``  the values themselves are handed in
a function       ``(X, Z) -> array`` of the values of all pairs of their rows

Products come from BLAS, whole blocks at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..compiled.jit import kernel

ROWS_AT_ONCE = 64  # to read the diagonal of a kernel that is only known as a function of blocks
VALUES_AT_ONCE = 500_000  # held in memory to be added up
LARGEST_SQUARE = np.finfo(float).max / 8  # so that sums of a few squares are finite


class Points(NamedTuple):
    """Rows with what kernels need to know of them."""

    X: Any  # array or CSR; "precomputed": their kernel values with all training rows
    squares: np.ndarray  # squared norms, float64; "precomputed" and functions: empty
    numbers: np.ndarray  # row numbers in the training data; -1 for others

    def take(self, rows: Any) -> Points:
        """Some of these rows: an index array, a mask or a slice."""
        return Points(self.X[rows], self.squares[rows] if self.squares.size else self.squares, self.numbers[rows])

    def join(self, more: Points) -> Points:
        """These rows, then ``more``, all dense or all CSR as these are."""
        if sparse.issparse(self.X):
            X = sparse.vstack([self.X, sparse.csr_array(more.X)], format="csr")
        else:
            X = np.concatenate([self.X, more.X.toarray() if sparse.issparse(more.X) else more.X])
        squares, numbers = (np.concatenate(pair) for pair in zip(self[1:], more[1:], strict=True))
        return Points(X, squares, numbers)


class Linear:
    """``k(x, z) = x.z``."""

    def points(self, X: Any, numbers: np.ndarray) -> Points:
        """Rows as this kernel reads them."""
        with np.errstate(over="ignore"):
            return Points(X, np.asarray(row_norms(X, squared=True), np.result_type(X.dtype, float)), numbers)

    def values(self, a: Points, b: Points, out: np.ndarray | None = None) -> np.ndarray:
        """``k(x, z)`` for all rows x of ``a`` and z of ``b``; written into ``out`` if that is given."""
        return products(a.X, b.X, out)

    def diagonal(self, a: Points) -> np.ndarray:
        """``k(x, x)`` for all rows."""
        return a.squares


class Poly(Linear):
    """``k(x, z) = (gamma x.z + coef0)^degree``."""

    def __init__(self, degree: int, gamma: float, coef0: float) -> None:
        self.degree, self.gamma, self.coef0 = degree, gamma, coef0

    def values(self, a: Points, b: Points, out: np.ndarray | None = None) -> np.ndarray:
        return self._power(products(a.X, b.X, out))

    def diagonal(self, a: Points) -> np.ndarray:
        return self._power(a.squares.copy())

    def _power(self, values: np.ndarray) -> np.ndarray:
        values *= self.gamma
        values += self.coef0
        factor = values.copy() if self.degree > 1 else values
        for _ in range(self.degree - 1):  # a power of whole numbers stays exact, and multiplying is faster
            values *= factor
        if self.degree == 0:
            values[...] = 1
        return values


class RBF(Linear):
    """``k(x, z) = exp(-gamma |x - z|^2)``, where ``|x - z|^2 = |x|^2 + |z|^2 - 2 x.z``."""

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def points(self, X: Any, numbers: np.ndarray) -> Points:
        points = super().points(X, numbers)
        fit = points.squares < LARGEST_SQUARE
        if not fit.all():
            row = _describe(points, int(np.argmin(fit)))
            raise OverflowError(f"The squared norm of {row} is too large to compute distances. Scale the columns.")
        return points

    def values(self, a: Points, b: Points, out: np.ndarray | None = None) -> np.ndarray:
        out = products(a.X, b.X, out)
        if out.dtype not in PRECISIONS:  # long floats, of few rows
            return np.exp(-self.gamma * np.maximum(a.squares[:, None] + b.squares - 2 * out, 0))
        make_radial(out, a.squares, b.squares, self.gamma)
        return out

    def diagonal(self, a: Points) -> np.ndarray:
        return np.ones(len(a.numbers))


class KernelFunction(Linear):
    """A function ``(X, Z) -> array`` of the values of all pairs of their rows."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def points(self, X: Any, numbers: np.ndarray) -> Points:
        return Points(X, np.empty(0), numbers)

    def values(self, a: Points, b: Points, out: np.ndarray | None = None) -> np.ndarray:
        values = self.function(a.X, b.X)
        values = values.toarray() if sparse.issparse(values) else np.asarray(values)
        wanted = len(a.numbers), len(b.numbers)
        if values.shape != wanted:
            raise ValueError(f"The kernel function returned an array of shape {values.shape}, but {wanted} is needed.")
        if not np.isfinite(values).all():
            place = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"The kernel function returned {values[tuple(place)]} for a pair of rows: {_describe(a, place[0])} and "
                f"{_describe(b, place[1])}."
            )
        return _into(out, values, a.X.dtype)

    def diagonal(self, a: Points) -> np.ndarray:
        parts = (a.take(slice(first, first + ROWS_AT_ONCE)) for first in range(0, len(a.numbers), ROWS_AT_ONCE))
        return np.concatenate([np.diagonal(self.values(part, part)).astype(float) for part in parts])


class Precomputed(Linear):
    """Row i of ``X`` holds the values of ``k(x_i, z)`` for all training rows z."""

    def points(self, X: Any, numbers: np.ndarray) -> Points:
        return Points(X, np.empty(0), numbers)

    def values(self, a: Points, b: Points, out: np.ndarray | None = None) -> np.ndarray:
        values = a.X[:, b.numbers]
        return _into(out, values.toarray() if sparse.issparse(values) else values, a.X.dtype)

    def diagonal(self, a: Points) -> np.ndarray:
        return np.asarray(a.X[np.arange(len(a.numbers)), a.numbers], dtype=float).ravel()


def make_kernel(name: Any, degree: int, gamma: Any, coef0: float, X: Any, weight: np.ndarray | None = None) -> Linear:
    """The kernel of this name, or around this function; "scale" and "auto" gamma go by the rows of ``X``, the former also by
    their sample weights."""
    if callable(name):
        return KernelFunction(name)
    if name in ("linear", "precomputed"):
        return Linear() if name == "linear" else Precomputed()
    gamma = read_gamma(gamma, X, weight)
    return Poly(degree, gamma, coef0) if name == "poly" else RBF(gamma)


def read_gamma(gamma: Any, X: Any, weight: np.ndarray | None = None) -> float:
    """ "scale" is ``1 / (features * variance of all values)``, "auto" is ``1 / features``, as in scikit-learn's SVC; but here a row
    of weight 2 counts as two rows in the variance (None or empty: all weights are 1)."""
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is not None and weight.size and np.ptp(weight) > 0:
            share = weight / weight.max()
            share /= share.sum()
            mean = float(share @ np.ravel(X.mean(axis=1, dtype=float)))
            squares = X.multiply(X) if sparse.issparse(X) else np.square(X - mean, dtype=float)
            variance = float(share @ np.ravel(squares.mean(axis=1, dtype=float)))
        elif sparse.issparse(X):
            mean, variance = float(X.mean(dtype=float)), float(X.multiply(X).mean(dtype=float))
        else:
            mean, variance = 0.0, float(X.var(dtype=float))
        variance -= mean**2 if sparse.issparse(X) else 0.0
    if not np.isfinite(variance):
        raise OverflowError("gamma='scale' needs the variance of X, but it is out of range. Scale the columns.")
    return 1.0 / (X.shape[1] * variance) if variance > np.finfo(float).tiny else 1.0


def products(A: Any, B: Any, out: np.ndarray | None = None) -> np.ndarray:
    """The inner products of all rows of A with all rows of B, as a dense array."""
    if sparse.issparse(A) or sparse.issparse(B):
        values = A @ B.T
        return _into(out, values.toarray() if sparse.issparse(values) else values, A.dtype)
    return np.dot(A, B.T, out=out)


def weighted_sums(kernel: Linear, coef: np.ndarray, points: Points, others: Points) -> np.ndarray:
    """``sum_i coef[k, i] k(x_i, z)`` over all rows x_i of ``points``, for every row z of ``others``: (rows, outputs)."""
    sums = np.zeros((len(others.numbers), coef.shape[0]), coef.dtype)
    if coef.shape[1]:
        some = max(1, VALUES_AT_ONCE // coef.shape[1])
        for part in (slice(first, first + some) for first in range(0, len(others.numbers), some)):
            sums[part] = kernel.values(others.take(part), points) @ coef.T
    return sums


def _into(out: np.ndarray | None, values: np.ndarray, dtype: Any) -> np.ndarray:
    """The values in ``out``, or as an array of this type."""
    if out is None:
        return np.ascontiguousarray(values, dtype=dtype)
    out[...] = values
    return out


def _describe(points: Points, row: int) -> str:
    """A row by its number, if it has one."""
    number = int(points.numbers[row])
    return f"row {number} of the training data" if number >= 0 else f"row {row} of the rows to be classified"


class Precision(NamedTuple):
    """Constants of the exponential function for one type of numbers.

    e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln(2) / 2, where a few terms of the series of e^r suffice.  n + ``to_bits``
    has n in the lowest bits of its mantissa, from where they are moved to the place of the exponent.
    """

    series: tuple[Any, ...]
    log2_e: Any
    ln2: Any
    least: Any  # below it e^x leaves the range of normal numbers
    to_bits: Any
    bias: Any
    place: Any


def _precision(number: Any, whole: Any, terms: int, least: float, bias: int, place: int) -> Precision:
    series = tuple(number(1 / math.factorial(power)) for power in range(terms))
    ln2 = math.log(2)
    floats = {"log2_e": 1 / ln2, "ln2": ln2, "least": least, "to_bits": 1.5 * 2.0**place}
    return Precision(
        series, **{name: number(value) for name, value in floats.items()}, bias=whole(bias), place=whole(place)
    )


PRECISIONS = {
    np.dtype(np.float64): _precision(np.float64, np.int64, 13, -708.0, 1023, 52),
    np.dtype(np.float32): _precision(np.float32, np.int32, 8, -87.0, 127, 23),
}


def make_radial(products: np.ndarray, squares: np.ndarray, other_squares: np.ndarray, gamma: float) -> None:
    """``exp(-gamma |x - z|^2)`` in place of the products x.z.

    Several times as fast as separate steps in NumPy, whose float64 exponential uses vector units on few processors only.
    """
    number = products.dtype
    power = np.empty(products.shape[1], number)
    bits = power.view(f"i{number.itemsize}")
    squares, other_squares = squares.astype(number), other_squares.astype(number)
    radial(products, squares, other_squares, number.type(gamma), power, bits, PRECISIONS[number])


@kernel
def radial(products, squares, other_squares, gamma, power, bits, precision):
    """See ``make_radial``; ``power`` is room for a row, and ``bits`` are its bits."""
    series, log2_e, ln2, least, to_bits, bias, place = precision
    zero = series[0] - series[1]
    two = series[0] + series[1]
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            distance2 = squares[i] + other_squares[j] - two * products[i, j]
            x = max(-gamma * max(distance2, zero), least)
            n = np.rint(x * log2_e)
            power[j] = n + to_bits
            r = x - n * ln2
            e = series[-1]
            for term in series[-2::-1]:
                e = e * r + term
            products[i, j] = e
        for j in range(products.shape[1]):
            bits[j] = (bits[j] + bias) << place
        for j in range(products.shape[1]):
            products[i, j] *= power[j]
