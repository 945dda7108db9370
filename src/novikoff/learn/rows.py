"""How a row is read: dense or CSR behind one interface, float32 or float64, 32- or 64-bit indices.

Weights are stored the way the rows want to read them: ``(outputs, features)`` for dense rows, so that a score is one
long dot product, and for a single output; ``(features, outputs)`` for CSR and several outputs, so that one stored value meets
all of them in one cache line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..compiled.instructions import prefetch
from ..compiled.jit import by_type, helper, kernel

CACHE_LINE = 64  # bytes
SMALLEST = 5e-324  # the smallest positive number


class Dense(NamedTuple):
    """Rows of a C-ordered array."""

    values: np.ndarray  # (rows, features)


class CSR(NamedTuple):
    """Compressed sparse rows.  Indices are unsigned: signed ones cost a wrap-around test at every access."""

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray


class DenseOne(Dense):
    """The same for a single output, whose score needs a simpler kernel."""


class CSROne(CSR):
    """The same for a single output."""


def as_rows(X: Any, outputs: int) -> Dense | CSR:
    """Wrap a validated array or CSR matrix without copying its values.

    The views are read-only, so that arrays a user may write and arrays a user may not have one compiled kernel.
    """
    if not sparse.issparse(X):
        return (DenseOne if outputs == 1 else Dense)(frozen(X))
    X.check_format(full_check=True)  # an index out of range would read foreign memory
    index = np.uint32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.uint64
    signed = np.int32 if index is np.uint32 else np.int64
    columns, starts = (part.astype(signed, copy=False).view(index) for part in (X.indices, X.indptr))
    return (CSROne if outputs == 1 else CSR)(frozen(X.data), frozen(columns), frozen(starts))


def by_columns(rows: Dense | CSR) -> bool:
    """Whether weights are stored as (features, outputs)."""
    return isinstance(rows, CSR) and not isinstance(rows, CSROne)


def natural(rows: Dense | CSR, coef: np.ndarray) -> np.ndarray:
    """``coef`` of shape (outputs, features), stored as these rows want to read it."""
    return np.ascontiguousarray(coef.T if by_columns(rows) else coef)


def public(rows: Dense | CSR, weights: np.ndarray) -> np.ndarray:
    """A view of stored weights in the shape (outputs, features) of ``coef_``."""
    return weights.T if by_columns(rows) else weights


def frozen(array: np.ndarray) -> np.ndarray:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


@by_type
def products(rows, i, weights, scores):
    """scores[k] = w_k . x_i for every output k."""


@by_type
def add(rows, i, weights, g):
    """w_k += g_k x_i for every output k with g_k != 0."""


@by_type
def add_to_both(rows, i, weights, g, total, h):
    """w_k += g_k x_i and total_k += h_k x_i for every output k; where g_k is 0, so is h_k."""


@by_type
def multiply(rows, weights, factors):
    """w_k *= factors[k] for every output k."""


@by_type
def subtract(rows, total, weights, factors):
    """total_k -= factors[k] w_k for every output k."""


@by_type
def norm2(rows, i):
    """x_i . x_i, in float64; 0 only for a row of zeros."""


@by_type
def fetch(rows, i):
    """Ask the processor to bring row i into its cache."""


@helper
def score(rows, i, weights, bias, scores):
    """scores[k] = w_k . x_i + b_k for every output k."""
    products(rows, i, weights, scores)
    for k in range(bias.size):
        scores[k] += bias[k]


@by_type
def scaled_score(rows, i, weights, scale, bias, scores):
    """scores[k] = scale[k] w_k . x_i + b_k for every output k."""


@scaled_score.otherwise
def scaled_score_of_all(rows, i, weights, scale, bias, scores):
    products(rows, i, weights, scores)
    for k in range(bias.size):
        scores[k] = scale[k] * scores[k] + bias[k]


@scaled_score.of(DenseOne, CSROne)
def scaled_score_of_one(rows, i, weights, scale, bias, scores):
    products(rows, i, weights, scores)
    scores[0] = scale[0] * scores[0] + bias[0]


@products.of(DenseOne)
def products_dense_one(rows, i, weights, scores):
    x = rows.values
    a = weights.dtype.type(0)
    for j in range(weights.shape[1]):
        a += x[i, j] * weights[0, j]
    scores[0] = a


@products.of(Dense)
def products_dense(rows, i, weights, scores):
    x = rows.values
    zero = weights.dtype.type(0)
    outputs = weights.shape[0]
    k = 0
    while k + 5 <= outputs:  # five at a time, so that x is loaded once for them
        a, b, c, d, e = zero, zero, zero, zero, zero
        for j in range(weights.shape[1]):
            a += x[i, j] * weights[k, j]
            b += x[i, j] * weights[k + 1, j]
            c += x[i, j] * weights[k + 2, j]
            d += x[i, j] * weights[k + 3, j]
            e += x[i, j] * weights[k + 4, j]
        scores[k], scores[k + 1], scores[k + 2], scores[k + 3], scores[k + 4] = a, b, c, d, e
        k += 5
    while k < outputs:
        a = zero
        for j in range(weights.shape[1]):
            a += x[i, j] * weights[k, j]
        scores[k] = a
        k += 1


@add.of(Dense, DenseOne)
def add_dense(rows, i, weights, g):
    x = rows.values
    for k in range(weights.shape[0]):
        step = g[k]
        if step != 0:
            for j in range(weights.shape[1]):
                weights[k, j] += step * x[i, j]


@add_to_both.otherwise
def add_twice(rows, i, weights, g, total, h):
    add(rows, i, weights, g)
    add(rows, i, total, h)


@multiply.otherwise
def multiply_lines(rows, weights, factors):
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[k, j] *= factors[k]


@subtract.otherwise
def subtract_lines(rows, total, weights, factors):
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            total[k, j] -= factors[k] * weights[k, j]


@norm2.of(Dense, DenseOne)
def norm2_dense(rows, i):
    x = rows.values
    total = 0.0
    for j in range(x.shape[1]):
        total += np.float64(x[i, j]) * x[i, j]
    if total == 0:  # squares of tiny numbers vanish
        for j in range(x.shape[1]):
            if x[i, j] != 0:
                return SMALLEST
    return total


@fetch.of(Dense, DenseOne)
def fetch_dense(rows, i):
    x = rows.values
    width = x.shape[1] * x.itemsize
    first = x.ctypes.data + np.intp(i) * width
    for offset in range(0, width, CACHE_LINE):
        prefetch(first + offset)


@products.of(CSROne)
def products_csr_one(rows, i, weights, scores):
    a = weights.dtype.type(0)
    for q in range(rows.starts[i], rows.starts[i + 1]):
        a += rows.values[q] * weights[0, rows.columns[q]]
    scores[0] = a


@products.of(CSR)
def products_csr(rows, i, weights, scores):
    for k in range(weights.shape[1]):
        scores[k] = 0
    for q in range(rows.starts[i], rows.starts[i + 1]):
        x = rows.values[q]
        j = rows.columns[q]
        for k in range(weights.shape[1]):
            scores[k] += x * weights[j, k]


@add.of(CSROne)
def add_csr_one(rows, i, weights, g):
    step = g[0]
    for q in range(rows.starts[i], rows.starts[i + 1]):
        weights[0, rows.columns[q]] += step * rows.values[q]


@add_to_both.of(CSROne)
def add_csr_one_to_both(rows, i, weights, g, total, h):
    step, extra = g[0], h[0]
    for q in range(rows.starts[i], rows.starts[i + 1]):  # one walk over the row, whose places are far apart
        j, x = rows.columns[q], rows.values[q]
        weights[0, j] += step * x
        total[0, j] += extra * x


@add.of(CSR)
def add_csr(rows, i, weights, g):
    if 4 * moving(g) > g.size:  # many outputs move: all of a column's at once, which lie side by side
        for q in range(rows.starts[i], rows.starts[i + 1]):
            x = rows.values[q]
            j = rows.columns[q]
            for k in range(g.size):
                weights[j, k] += g[k] * x
    else:
        for k in range(g.size):
            step = g[k]
            if step != 0:
                for q in range(rows.starts[i], rows.starts[i + 1]):
                    weights[rows.columns[q], k] += step * rows.values[q]


@multiply.of(CSR)
def multiply_columns(rows, weights, factors):
    for j in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            weights[j, k] *= factors[k]


@subtract.of(CSR)
def subtract_columns(rows, total, weights, factors):
    for j in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            total[j, k] -= factors[k] * weights[j, k]


@norm2.of(CSR, CSROne)
def norm2_csr(rows, i):
    total = 0.0
    for q in range(rows.starts[i], rows.starts[i + 1]):
        total += np.float64(rows.values[q]) * rows.values[q]
    if total == 0:
        for q in range(rows.starts[i], rows.starts[i + 1]):
            if rows.values[q] != 0:
                return SMALLEST
    return total


@kernel
def moving(g):
    """How many outputs move."""
    count = 0
    for k in range(g.size):
        if g[k] != 0:
            count += 1
    return count


@fetch.of(CSR, CSROne)
def fetch_csr(rows, i):
    start, stop = np.intp(rows.starts[i]), np.intp(rows.starts[i + 1])
    x, j = rows.values, rows.columns
    for address in range(x.ctypes.data + start * x.itemsize, x.ctypes.data + stop * x.itemsize, CACHE_LINE):
        prefetch(address)
    for address in range(j.ctypes.data + start * j.itemsize, j.ctypes.data + stop * j.itemsize, CACHE_LINE):
        prefetch(address)
