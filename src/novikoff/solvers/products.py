"""Rows as solvers multiply them: by weights, by slopes, and with each other.  A last column of ones stands for the bias, if any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk

from ..inputs.arrays import parts
from ..learn.rows import as_rows
from .direct import BLOCK, DENSE_ENOUGH, FEW_COLUMNS
from .newton_system import add_sparse
from .shifted_rows import far_centre

KEPT = 1 << 24  # numbers of rows that are copied, less the means of their columns
FEW_NUMBERS = 1 << 16  # of a few rows
ROUNDING = 1e-6  # of a mean, relative: far more than it may be wrong by
MOST_COLUMNS = 200  # that are copied less their means
SAMPLED = 4  # rows a column say enough of the products of columns


def rows_of(X: Any, intercept: bool, l2: float) -> DenseRows | SparseRows:
    """The rows, in the form that is multiplied fastest."""
    return (DenseRows if is_dense(X) else SparseRows)(X, intercept, l2)


def few_rows(columns: int) -> int:
    """As many rows as stay in the processor's cache, in memory that is used again and again: new memory costs more than sums."""
    return max(columns, FEW_NUMBERS // max(1, columns))


def means(X: Any) -> np.ndarray:
    """The means of columns, that of a constant one exactly: what rounding leaves of it would pass for a column that tells rows
    apart."""
    mean = np.asarray(X.mean(axis=0, dtype=float)).ravel()
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
    """Columns less their means, if there is a bias, which takes them in.  Few columns, and those far from zero, are copied so, in float64; from
    the products of many, which stay as they are, in their own precision, the means are taken off afterwards.

    ``mean``: the means of these rows and others, if there are others; zeros leave columns as they are.  ``room``: for rows less their
    means, and for rows times numbers.
    """

    def __init__(
        self, X: Any, intercept: bool, l2: float, mean: np.ndarray | None = None, room: np.ndarray | None = None
    ) -> None:
        X = X.toarray() if sparse.issparse(X) else X
        self._X, self._bias, self._room, columns = X, intercept, room, X.shape[1]
        self.columns, self.width, self.second_order = columns, columns + self._bias, True
        self._mean = mean if mean is not None else means(X) if self._bias else np.zeros(columns)
        self.penalty = np.append(np.full(columns, l2), np.zeros(int(self._bias)))[:, None]
        self._shift = np.zeros(0)  # what is taken off products
        self._whole: np.ndarray | None = X
        few = columns <= MOST_COLUMNS and X.size <= KEPT
        if not self._mean.any():
            self._whole = X.astype(float, copy=False) if few else X
        elif mean is None and columns > MOST_COLUMNS and far_centre(X) is None:
            self._shift = self._mean
        elif X.size > KEPT:
            self._whole = None
        else:
            self._whole = np.subtract(X, self._mean, out=None if room is None else room[0])

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        if self._whole is not None:
            yield slice(None), self._whole
            return
        for part in parts(len(self._X), max(2 * self.width, BLOCK // self.width)):
            yield part, self._X[part] - self._mean

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """``X w + b``, (rows, outputs), in the precision of the rows; those of an output follow each other."""
        own = weights[: self.columns]
        found = [own.T.astype(block.dtype, copy=False) @ block.T for _, block in self._blocks()]
        scores: np.ndarray = found[0] if len(found) == 1 else np.concatenate(found, axis=1)
        if self._bias:
            scores += (weights[-1] - (self._shift @ own if self._shift.size else 0.0))[:, None].astype(scores.dtype)
        return scores.T

    def back(self, slopes: np.ndarray) -> np.ndarray:
        """``X' r``, and the sum of r."""
        total = np.zeros((self.width, slopes.shape[1]))
        for part, block in self._blocks():
            total[: self.columns] += block.T @ slopes[part].astype(block.dtype, copy=False)
        if self._bias:
            total[-1] = slopes.sum(axis=0)
        if self._shift.size:
            total[:-1] -= np.outer(self._shift, total[-1])
        return total

    def some_gram(self, share: np.ndarray) -> np.ndarray:
        """About ``X' D X``, from rows taken in proportion to D, as many as that takes; the lower triangle."""
        count = SAMPLED * self.columns
        if len(self._X) <= 2 * count or not share.any():
            return self.gram(share)
        ends = np.cumsum(share)
        taken, times = np.unique(
            np.searchsorted(ends, (np.arange(count) + 0.5) * (ends[-1] / count)), return_counts=True
        )
        return DenseRows(self._X[taken], bool(self._bias), 0.0, self._mean).gram(times * (ends[-1] / count))

    def gram(self, share: np.ndarray) -> np.ndarray:
        """``X' D X``, the lower triangle."""
        columns = self._X.shape[1]
        matrix = np.zeros((self.width, self.width), order="F")
        corner = np.zeros((columns, columns), order="F")
        root = np.sqrt(share)[:, None]
        room = np.empty((few_rows(columns), columns)) if self._room is None else self._room[1]
        for part, block in self._blocks():
            own = root[part]
            for some in parts(len(block), len(room)):
                near = block[some] - self._shift if self._shift.size else block[some]
                rooted = np.multiply(own[some], near, out=room[: len(own[some])])
                corner = dsyrk(1.0, rooted.T, beta=1.0, c=corner, lower=1, overwrite_c=1)
                if self._bias:
                    matrix[-1, :columns] += own[some, 0] @ rooted
        matrix[:columns, :columns] = corner
        if self._bias:
            matrix[-1, -1] = share.sum()
        return matrix

    def spread(self, shares: np.ndarray) -> np.ndarray:
        """Each row times each of its shares, one after the other."""
        X = np.concatenate([block for _, block in self._blocks()])
        X = X - self._shift if self._shift.size else X
        X = np.column_stack([X, np.ones(len(X))]) if self._bias else X
        return (shares[:, :, None] * X[:, None, :]).reshape(len(X), -1)

    def squares(self, share: np.ndarray) -> np.ndarray:
        """``sum_i D_i x_ij^2`` of every column j, and of the bias."""
        total = np.zeros(self.width)
        for part, block in self._blocks():
            own = share[part].astype(block.dtype, copy=False)
            total[: self.columns] += np.einsum("i,ij,ij->j", own, block, block)
        if self._bias:
            total[-1] = share.sum()
        if self._shift.size:
            total[:-1] -= self._shift**2 * total[-1]
        return np.maximum(total, 0.0)

    def private(self, weights: np.ndarray) -> np.ndarray:
        """What ``public`` makes weights of, (outputs, columns + 1), the bias being the last."""
        coef = weights[:, : self.columns].T
        return np.vstack([coef, weights[:, -1] + self._mean @ coef]) if self._bias else coef.copy()

    def public(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias for rows as they are."""
        if not self._bias:
            return weights.T, np.zeros(weights.shape[1])
        return weights[:-1].T, weights[-1] - self._mean @ weights[:-1]


class SparseRows:
    """CSR as it is."""

    def __init__(self, X: Any, intercept: bool, l2: float) -> None:
        X = X.astype(float)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        self._X, self._across, self._bias = X, sparse.csr_array(X.T), intercept
        self._checked = as_rows(X, 2)
        self.columns, self.width = X.shape[1], X.shape[1] + self._bias
        self.second_order = X.shape[1] <= FEW_COLUMNS  # products of columns are worth their room
        self.penalty = np.append(np.full(X.shape[1], l2), np.zeros(int(self._bias)))[:, None]

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """``X w + b``."""
        columns = self._X.shape[1]
        scores = self._X @ weights[:columns]
        return scores + weights[columns] if self._bias else scores

    def back(self, slopes: np.ndarray) -> np.ndarray:
        """``X' r``, and the sum of r."""
        total = self._across @ slopes
        return np.vstack([total, slopes.sum(axis=0)]) if self._bias else total

    def gram(self, share: np.ndarray) -> np.ndarray:
        """``X' D X``, the lower triangle."""
        matrix = np.zeros((self.width, self.width))
        add_sparse(self._checked, np.arange(len(share)), share, bool(self._bias), matrix)
        return matrix.T

    def spread(self, shares: np.ndarray) -> np.ndarray:
        """Each row times each of its shares, one after the other."""
        X = self._X.toarray()
        X = np.column_stack([X, np.ones(len(X))]) if self._bias else X
        return (shares[:, :, None] * X[:, None, :]).reshape(len(X), -1)

    def some_gram(self, share: np.ndarray) -> np.ndarray:
        """``X' D X``, the lower triangle: all rows of few values cost little."""
        return self.gram(share)

    def squares(self, share: np.ndarray) -> np.ndarray:
        """``sum_i D_i x_ij^2`` of every column j, and of the bias."""
        total = np.asarray(share @ self._X.multiply(self._X)).ravel()
        return np.append(total, share.sum()) if self._bias else total

    def private(self, weights: np.ndarray) -> np.ndarray:
        """What ``public`` makes weights of, (outputs, columns + 1), the bias being the last."""
        return weights.T.copy() if self._bias else weights[:, : self.columns].T.copy()

    def public(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias."""
        columns = self._X.shape[1]
        return weights[:columns].T, weights[columns] if self._bias else np.zeros(weights.shape[1])
