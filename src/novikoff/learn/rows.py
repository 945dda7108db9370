"""How a row is read: dense or CSR behind one interface, float32 or float64, 32- or 64-bit indices.

Weights are stored the way the rows want to read them: ``(outputs, features)`` for dense rows, so that a score is one
long dot product, and for a single output; ``(features, outputs)`` for CSR and several outputs, so that one stored value meets
all of them in one cache line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..compiled.arithmetic import dot, dots, prefetch, square_of_row
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
    """``coef`` of shape (..., outputs, features), stored as these rows want to read it."""
    return np.ascontiguousarray(coef.swapaxes(-1, -2) if by_columns(rows) else coef)


def public(rows: Dense | CSR, weights: np.ndarray) -> np.ndarray:
    """A view of stored weights in the shape (..., outputs, features) of ``coef_``."""
    return weights.swapaxes(-1, -2) if by_columns(rows) else weights


def row_of(rows: CSR, i: int) -> slice:
    """The places of row i."""
    return slice(int(rows.starts[i]), int(rows.starts[i + 1]))


def sum_in_order(products: np.ndarray) -> Any:
    """Added up one after the other, along the first axis, from zero on."""
    return np.add.accumulate(products)[-1] + products.dtype.type(0) if len(products) else 0.0


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
def entries(rows, i):
    """The places of row i's stored values: the first, and the one after the last."""


@by_type
def entry(rows, i, q):
    """Column and value of the stored value at a place of row i."""


@by_type
def place(rows, k, j):
    """Where output k and column j meet in arrays that are stored like the weights."""


@by_type
def width(rows, weights):
    """How many columns stored weights have."""


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
    scores[0] = dot(rows.values, i, weights, 0)


@products.of(Dense)
def products_dense(rows, i, weights, scores):
    dots(rows.values, i, weights, scores)


@add.of(Dense, DenseOne)
def add_dense(rows, i, weights, g):
    x = rows.values
    for k in range(weights.shape[0]):
        step = g[k]
        if step != 0:
            for j in range(weights.shape[1]):
                weights[k, j] += step * x[i, j]


@add.plainly(Dense, DenseOne)
def add_dense_plainly(rows, i, weights, g):
    for k in np.flatnonzero(g[: len(weights)]):
        weights[k] += g[k] * rows.values[i]


@add_to_both.otherwise
def add_twice(rows, i, weights, g, total, h):
    add(rows, i, weights, g)
    add(rows, i, total, h)


@multiply.otherwise
def multiply_lines(rows, weights, factors):
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[k, j] *= factors[k]


@multiply.plainly(Dense, DenseOne, CSROne)
def multiply_lines_plainly(rows, weights, factors):
    weights *= factors[:, None]


@subtract.otherwise
def subtract_lines(rows, total, weights, factors):
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            total[k, j] -= factors[k] * weights[k, j]


@subtract.plainly(Dense, DenseOne, CSROne)
def subtract_lines_plainly(rows, total, weights, factors):
    total -= factors[:, None] * weights


@norm2.of(Dense, DenseOne)
def norm2_dense(rows, i):
    x = rows.values
    total = square_of_row(x, i)
    if total == 0:  # squares of tiny numbers vanish
        for j in range(x.shape[1]):
            if x[i, j] != 0:
                return SMALLEST
    return total


@fetch.plainly(Dense, DenseOne, CSR, CSROne)
def fetch_nothing(rows, i):
    """Python has no such instruction."""


@entries.of(Dense, DenseOne)
def entries_dense(rows, i):
    return 0, rows.values.shape[1]


@entry.of(Dense, DenseOne)
def entry_dense(rows, i, q):
    return q, rows.values[i, q]


@place.of(Dense, DenseOne, CSROne)
def place_by_outputs(rows, k, j):
    return k, j


@width.of(Dense, DenseOne, CSROne)
def width_by_outputs(rows, weights):
    return weights.shape[1]


@width.of(CSR)
def width_by_columns(rows, weights):
    return weights.shape[0]


@place.of(CSR)
def place_by_columns(rows, k, j):
    return j, k


@entries.of(CSR, CSROne)
def entries_csr(rows, i):
    return rows.starts[i], rows.starts[i + 1]


@entry.of(CSR, CSROne)
def entry_csr(rows, i, q):
    return rows.columns[q], rows.values[q]


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


@products.plainly(CSROne)
def products_csr_one_plainly(rows, i, weights, scores):
    part = row_of(rows, i)
    scores[0] = sum_in_order(rows.values[part] * weights[0, rows.columns[part]])


@products.of(CSR)
def products_csr(rows, i, weights, scores):
    for k in range(weights.shape[1]):
        scores[k] = 0
    for q in range(rows.starts[i], rows.starts[i + 1]):
        x = rows.values[q]
        j = rows.columns[q]
        for k in range(weights.shape[1]):
            scores[k] += x * weights[j, k]


@products.plainly(CSR)
def products_csr_plainly(rows, i, weights, scores):
    part = row_of(rows, i)
    scores[...] = sum_in_order(rows.values[part, None] * weights[rows.columns[part]])


@add.of(CSROne)
def add_csr_one(rows, i, weights, g):
    step = g[0]
    for q in range(rows.starts[i], rows.starts[i + 1]):
        weights[0, rows.columns[q]] += step * rows.values[q]


@add.plainly(CSROne)
def add_csr_one_plainly(rows, i, weights, g):
    part = row_of(rows, i)
    np.add.at(weights[0], rows.columns[part], g[0] * rows.values[part])  # a column may stand in a row twice


@add_to_both.of(CSROne)
def add_csr_one_to_both(rows, i, weights, g, total, h):
    step, extra = g[0], h[0]
    for q in range(rows.starts[i], rows.starts[i + 1]):  # one walk over the row, whose places are far apart
        j, x = rows.columns[q], rows.values[q]
        weights[0, j] += step * x
        total[0, j] += extra * x


@add_to_both.plainly(CSROne)
def add_csr_one_to_both_plainly(rows, i, weights, g, total, h):
    add_csr_one_plainly(rows, i, weights, g)
    add_csr_one_plainly(rows, i, total, h)


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


@add.plainly(CSR)
def add_csr_plainly(rows, i, weights, g):
    part = row_of(rows, i)
    if 4 * np.count_nonzero(g) > g.size:
        np.add.at(weights, rows.columns[part], g * rows.values[part, None])
    else:
        for k in np.flatnonzero(g):
            np.add.at(weights[:, k], rows.columns[part], g[k] * rows.values[part])


@multiply.of(CSR)
def multiply_columns(rows, weights, factors):
    for j in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            weights[j, k] *= factors[k]


@multiply.plainly(CSR)
def multiply_columns_plainly(rows, weights, factors):
    weights *= factors


@subtract.of(CSR)
def subtract_columns(rows, total, weights, factors):
    for j in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            total[j, k] -= factors[k] * weights[j, k]


@subtract.plainly(CSR)
def subtract_columns_plainly(rows, total, weights, factors):
    total -= factors * weights


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
    """How many outputs move: whole numbers, the same in every order.  A call, since Numba warns of the loop where it is put in place."""
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
