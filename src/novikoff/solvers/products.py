"""Rows as solvers multiply them: by weights, by slopes, and with each other; and the equations that such products make.

Weights of all outputs are one vector, ``(outputs, width)`` for dense rows and ``(width, outputs)`` for sparse ones, so that either is multiplied as
it is; the last of a width is the bias, if there is one.  Scores and slopes are (outputs, rows).  Products are in the floats of ``kind``.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk, ssyrk
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

from ..checks.arrays import canonical, evenly, parts
from ..compiled.jit import kernel
from ..learn.rows import as_rows
from .shifted_rows import far_centre

BLOCK = 1 << 17  # numbers of a block of rows, which stays in the processor's cache
DENSE_ENOUGH = 0.2  # the share of values that are not zero from which sparse rows are multiplied as dense ones
FEW_COLUMNS = 1500  # of sparse rows: so few that their products are computed
KEPT = (
    1 << 24
)  # numbers of rows that are copied in float64, less the means of their columns; in float32 four times as many
SMALL = (
    1 << 17
)  # numbers of rows that are always copied: it costs nothing, and products of columns are then exact sums of squares
FEW_NUMBERS = 1 << 16  # of a few rows
FEW = 300  # rows that say where all are, and how long
ROUNDING = 1e-6  # of a mean, relative: far more than it may be wrong by
SAMPLED = 2  # rows a column say enough of the products of columns
# times the rows over the columns: as many rows cost what two looks at all rows and one output cost, and say more
SHARE = 8
PUSHES = {  # of a matrix's diagonal, until it is definite: rounding may hide that it is
    "f": (0.0, 1e-6, 1e-4, 1e-2, 1.0),
    "d": (0.0, 1e-15, 1e-13, 1e-10, 1e-6, 1e-2, 1.0),
}
SYRK: dict[str, Any] = {"f": ssyrk, "d": dsyrk}
POTRF: dict[str, Any] = {"f": spotrf, "d": dpotrf}
POTRS: dict[str, Any] = {"f": spotrs, "d": dpotrs}


def rows_of(X: Any, intercept: bool, l2: float, outputs: int, kind: Any = np.float64) -> DenseRows | SparseRows:
    """The rows, in the form that is multiplied fastest."""
    return (DenseRows if is_dense(X) else SparseRows)(X, intercept, l2, outputs, kind)


def few_rows(columns: int) -> int:
    """As many rows as stay in the processor's cache, in memory that is used again and again: new memory costs more than sums."""
    return max(columns, FEW_NUMBERS // max(1, columns))


def means(X: Any) -> np.ndarray:
    """The means of columns, that of a constant one exactly: what rounding leaves of it would pass for a column that tells rows
    apart."""
    if sparse.issparse(X) or X.dtype.kind != "f":
        mean = np.asarray(X.mean(axis=0, dtype=float)).ravel()
    else:  # sums of blocks, by BLAS
        size = max(1, BLOCK // max(1, X.shape[1]))
        ones = np.ones(min(size, len(X)), X.dtype)
        sums = [(ones[: len(X[part])] @ X[part]).astype(float) for part in parts(len(X), size)]
        mean = np.sum(sums, axis=0) / max(1, len(X)) if sums else np.zeros(X.shape[1])
    first = (X[:1].toarray() if sparse.issparse(X) else X[:1]).ravel()
    for column in np.flatnonzero(np.abs(first - mean) <= ROUNDING * np.abs(mean)):
        own = X[:, [column]].toarray() if sparse.issparse(X) else X[:, column]
        mean[column] = first[column] if np.all(own == first[column]) else mean[column]
    return mean


def is_dense(X: Any) -> bool:
    """Whether rows are dense, or sparse ones better multiplied as such."""
    if not sparse.issparse(X):
        return True
    return bool(X.shape[1] <= FEW_COLUMNS and X.nnz >= DENSE_ENOUGH * X.shape[0] * X.shape[1])


class DenseRows:
    """Columns less their means, if there is a bias, which takes them in.  Rows that are few, far from zero or of other floats are copied so;
    from the products of all others, which stay as they are, the means are taken off afterwards.

    ``mean``: the means of these rows and others, if there are others; zeros leave columns as they are.  ``room``: for rows less their
    means, and for rows times numbers.
    """

    second_order = True  # products of columns are worth their room

    def __init__(
        self,
        X: Any,
        intercept: bool,
        l2: float,
        outputs: int,
        kind: Any = np.float64,
        mean: np.ndarray | None = None,
        room: np.ndarray | None = None,
    ) -> None:
        X = X.toarray() if sparse.issparse(X) else X
        self._X, self._bias, self._room, self._outputs = X, intercept, room, outputs
        self.kind = np.dtype(kind)
        self.columns, self.width = X.shape[1], X.shape[1] + intercept
        self._mean = mean if mean is not None else means(X) if intercept else np.zeros(self.columns)
        penalty = np.full((outputs, self.width), float(l2))
        penalty[:, self.columns :] = 0.0
        self.penalty = self.flat(penalty)
        self._shift = np.zeros(0)  # what is taken off products
        self._whole: np.ndarray | None = X
        shifted = bool(self._mean.any())
        if X.dtype == self.kind and not shifted:
            return
        if X.dtype == self.kind and mean is None and X.size > SMALL and far_centre(evenly(X, FEW)) is None:
            self._shift = self._mean
        elif X.size > KEPT * (4 if self.kind == np.float32 else 1):
            self._whole = None
        elif shifted:
            out = np.empty(X.shape, self.kind) if room is None else room[0]
            self._whole = np.subtract(X, self._mean, out=out, casting="same_kind")
        else:
            self._whole = X.astype(self.kind)

    def grid(self, weights: np.ndarray) -> np.ndarray:
        """Weights by outputs, (outputs, width)."""
        return weights.reshape(self._outputs, self.width)

    def flat(self, grid: np.ndarray) -> np.ndarray:
        """What ``grid`` undoes."""
        return np.ascontiguousarray(grid).reshape(-1)

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        if self._whole is not None:
            yield slice(None), self._whole
            return
        for part in parts(len(self._X), max(2 * self.width, BLOCK // self.width)):
            yield part, np.subtract(self._X[part], self._mean).astype(self.kind, copy=False)

    def no_scores(self) -> np.ndarray:
        """Those of zero weights."""
        return np.zeros((self._outputs, len(self._X)), self.kind)

    def scores(self, weights: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """``X w + b``, into ``out`` if that is given."""
        grid = self.grid(weights)
        own = grid[:, : self.columns].astype(self.kind, copy=False)
        scores = self.no_scores() if out is None else out
        for part, block in self._blocks():
            np.matmul(own, block.T, out=scores[:, part])
        if self._bias:
            bias = grid[:, -1] - (grid[:, :-1] @ self._shift if self._shift.size else 0.0)
            scores += bias[:, None].astype(self.kind)
        return scores

    def back(self, slopes: np.ndarray) -> np.ndarray:
        """``X' r``, and the sum of r."""
        total = np.zeros((self._outputs, self.width))
        for part, block in self._blocks():
            total[:, : self.columns] += slopes[:, part] @ block
        if self._bias:
            total[:, -1] = slopes @ np.ones(slopes.shape[1], slopes.dtype)
        if self._shift.size:
            total[:, :-1] -= np.outer(total[:, -1], self._shift)
        return total.reshape(-1)

    def sampled(self) -> int:
        """How many rows ``some_gram`` takes."""
        count = len(self._X)
        some = max(SAMPLED * self.columns, SHARE * count // max(1, self.columns))
        return count if count <= 2 * some else some

    def some_gram(self, share: np.ndarray) -> np.ndarray:
        """About ``X' D X``, from rows taken in proportion to D, as many as that takes; the lower triangle."""
        count = self.sampled()
        if count == len(self._X) or not share.any():
            return self.gram(share)
        ends = np.cumsum(share, dtype=float)
        wanted = (np.arange(count) + 0.5) * (ends[-1] / count)
        taken, times = np.unique(np.minimum(np.searchsorted(ends, wanted), len(ends) - 1), return_counts=True)
        few = DenseRows(self._X[taken], self._bias, 0.0, 1, self.kind, self._mean)
        return few.gram(times * (ends[-1] / count))

    def gram(self, share: np.ndarray) -> np.ndarray:
        """``X' D X``, the lower triangle."""
        columns, syrk = self.columns, SYRK[self.kind.char]
        matrix = np.zeros((self.width, self.width), self.kind, order="F")
        corner = np.zeros((columns, columns), self.kind, order="F")
        root = np.sqrt(share).astype(self.kind, copy=False)[:, None]
        room = np.empty((few_rows(columns), columns), self.kind) if self._room is None else self._room[1]
        shift = self._shift.astype(self.kind, copy=False)
        for part, block in self._blocks():
            own = root[part]
            for some in parts(len(block), len(room)):
                near = np.subtract(block[some], shift, out=room[: len(own[some])]) if shift.size else block[some]
                rooted = np.multiply(own[some], near, out=room[: len(own[some])])
                corner = syrk(1.0, rooted.T, beta=1.0, c=corner, lower=1, overwrite_c=1)
                if self._bias:
                    matrix[-1, :columns] += own[some, 0] @ rooted
        matrix[:columns, :columns] = corner
        if self._bias:
            matrix[-1, -1] = share.sum(dtype=float)
        return matrix

    def some(self, part: slice) -> np.ndarray:
        """Some rows, with a 1 for the bias."""
        X = np.ones((len(self._X[part]), self.width))
        np.subtract(self._X[part], self._mean, out=X[:, : self.columns])
        return X

    def squares(self, share: np.ndarray) -> np.ndarray:
        """``sum_i D_i x_ij^2`` of every column j, and of the bias."""
        total = np.zeros(self.width)
        room = np.empty((few_rows(self.columns), self.columns), self.kind)
        for part, block in self._blocks():
            own = share[part].astype(self.kind, copy=False)
            for some in parts(len(block), len(room)):
                total[: self.columns] += own[some] @ np.square(block[some], out=room[: len(own[some])])
        if self._bias:
            total[-1] = share.sum(dtype=float)
        if self._shift.size:
            total[:-1] -= self._shift**2 * total[-1]
        return np.maximum(total, 0.0)

    @cached_property
    def size(self) -> float:
        """About the mean square of a row's length."""
        return float(np.square(evenly(self._X, FEW) - self._mean).sum(axis=1).mean()) if len(self._X) else 0.0

    def private(self, weights: np.ndarray) -> np.ndarray:
        """What ``public`` makes weights of, (outputs, columns + 1), the bias being the last."""
        coef = weights[:, : self.columns]
        return self.flat(np.column_stack([coef, weights[:, -1] + coef @ self._mean]) if self._bias else coef)

    def public(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias for rows as they are."""
        grid = self.grid(weights)
        if not self._bias:
            return grid, np.zeros(len(grid))
        return grid[:, :-1], grid[:, -1] - grid[:, :-1] @ self._mean


class SparseRows:
    """CSR as it is."""

    def __init__(self, X: Any, intercept: bool, l2: float, outputs: int, kind: Any = np.float64) -> None:
        self.kind = np.dtype(kind)
        X = canonical(X).astype(self.kind)
        self._X, self._across, self._bias, self._outputs = X, sparse.csr_array(X.T), intercept, outputs
        self.columns, self.width = X.shape[1], X.shape[1] + self._bias
        self.second_order = X.shape[1] <= FEW_COLUMNS
        self.penalty = np.repeat(np.append(np.full(X.shape[1], float(l2)), np.zeros(int(self._bias))), outputs)

    def grid(self, weights: np.ndarray) -> np.ndarray:
        """Weights by outputs, (outputs, width)."""
        return weights.reshape(self.width, self._outputs).T

    def flat(self, grid: np.ndarray) -> np.ndarray:
        """What ``grid`` undoes."""
        return np.ascontiguousarray(grid.T).reshape(-1)

    def no_scores(self) -> np.ndarray:
        """Those of zero weights."""
        return np.zeros((self._X.shape[0], self._outputs), self.kind).T

    def scores(self, weights: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """``X w + b``, always in new memory."""
        own = self.grid(weights).T.astype(self.kind, copy=False)
        scores = self._X @ own[: self.columns]
        if self._bias:
            scores += own[self.columns]
        return np.asarray(scores.T)

    def back(self, slopes: np.ndarray) -> np.ndarray:
        """``X' r``, and the sum of r."""
        total = np.empty((self.width, self._outputs))
        total[: self.columns] = self._across @ slopes.T
        if self._bias:
            total[-1] = np.ones(slopes.shape[1], slopes.dtype) @ slopes.T
        return total.reshape(-1)

    def sampled(self) -> int:
        """How many rows ``some_gram`` takes: all rows of few values cost little."""
        return int(self._X.nnz / max(1, self.columns))

    def gram(self, share: np.ndarray) -> np.ndarray:
        """``X' D X``, the lower triangle."""
        matrix = np.zeros((self.width, self.width))
        add_sparse(
            as_rows(self._X.astype(float), 2), np.arange(len(share)), share.astype(float), bool(self._bias), matrix
        )
        return matrix.T

    some_gram = gram

    @cached_property
    def size(self) -> float:
        """About the mean square of a row's length."""
        return float(np.square(self._X.data, dtype=float).sum()) / max(1, self._X.shape[0])

    def some(self, part: slice) -> np.ndarray:
        """Some rows, with a 1 for the bias."""
        X = self._X[part].toarray().astype(float)
        return np.column_stack([X, np.ones(len(X))]) if self._bias else X

    def squares(self, share: np.ndarray) -> np.ndarray:
        """``sum_i D_i x_ij^2`` of every column j, and of the bias."""
        total = np.asarray(share @ self._X.multiply(self._X)).ravel()
        return np.append(total, share.sum(dtype=float)) if self._bias else total

    def private(self, weights: np.ndarray) -> np.ndarray:
        """What ``public`` makes weights of, (outputs, columns + 1), the bias being the last."""
        return self.flat(weights[:, : self.width])

    def public(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias."""
        grid = self.grid(weights)
        return grid[:, : self.columns], grid[:, -1] if self._bias else np.zeros(len(grid))


def factor_of(matrix: np.ndarray, added: np.ndarray) -> np.ndarray:
    """The Cholesky factor of a matrix, of which the lower triangle counts, with so much added to its diagonal: at least 1 where there is nothing, as of a bias
    without active rows, or of a constant column less its mean.  The matrix is overwritten."""
    diagonal, kind = np.einsum("ii->i", matrix), matrix.dtype
    diagonal += added
    diagonal += diagonal == 0
    for push in PUSHES[kind.char]:
        pushed = matrix.copy(order="F")
        np.einsum("ii->i", pushed)[:] *= 1 + push
        factor, failed = POTRF[kind.char](pushed, lower=1, overwrite_a=1, clean=0)
        if not failed and np.isfinite(factor.diagonal()).all():
            return np.asarray(factor)
    sizes = np.abs(diagonal)  # of numbers that are not finite, only the diagonal is used
    return np.asfortranarray(np.diag(np.sqrt(np.where((sizes > 0) & (sizes < np.inf), sizes, 1)).astype(kind)))


def divided(factor: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Each line divided by the matrix of a factor."""
    return np.asarray(POTRS[factor.dtype.char](factor, np.asarray(right.T, factor.dtype, order="F"), lower=1)[0].T)


@kernel
def add_sparse(rows, numbers, weights, intercept, total):
    """``total += sum_i weights_i (x_i, 1) (x_i, 1)'`` over CSR rows, whose columns ascend; the upper triangle."""
    last = total.shape[0] - 1
    for k in range(numbers.size):
        start, stop = rows.starts[numbers[k]], rows.starts[numbers[k] + 1]
        for q in range(start, stop):
            value = weights[k] * rows.values[q]
            line = total[rows.columns[q]]
            for r in range(q, stop):
                line[rows.columns[r]] += value * rows.values[r]
            if intercept:
                line[last] += value
        if intercept:
            total[last, last] += weights[k]
