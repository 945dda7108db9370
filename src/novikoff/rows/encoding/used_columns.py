"""Sparse rows whose column numbers lie far apart: only the columns that training had take room."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from ...inputs.sklearn_parts import BaseEstimator, TransformerMixin
from ..store.blocks import Schema, SparseBlock

WIDE = 1 << 20  # columns from which it is asked how many of them are used
USED_SHARE = 0.25  # of the columns: with more of them in use, numbers are not far apart


class UsedColumns(TransformerMixin, BaseEstimator):
    """Keeps the columns of sparse rows in which training had a number, and leaves the others out.

    A linear learner gives a column that is zero in all training rows the weight 0, so its answers stay the same; its memory
    grows with the columns that are used instead of the largest column number.

    Attributes
    ----------
    columns_ : ndarray of int64
        The numbers of the columns that are kept, ascending, counted from 0.
    n_features_in_ : int
        Columns before.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def fit(self, X: Any, y: Any = None) -> UsedColumns:
        """Find the columns that are used.

        Parameters
        ----------
        X : CSR matrix or array
            Rows.
        y : ignored
            Targets have no part in it.

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr")
        return self._set(np.unique(sparse.csr_matrix(X).indices), X.shape[1])

    def _set(self, columns: np.ndarray, width: int) -> UsedColumns:
        self.columns_, self.n_features_in_ = columns.astype(np.int64), width
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """The columns that are kept.

        Parameters
        ----------
        X : CSR matrix or array
            Rows.

        Returns
        -------
        csr_matrix of shape (rows, kept columns)
        """
        check_is_fitted(self, "columns_")
        X = sparse.csr_matrix(validate_data(self, X, accept_sparse="csr", reset=False))
        X.sum_duplicates()
        return self._pick(X.data, X.indices, X.indptr)

    def encode(self, block: SparseBlock, schema: Schema, *, overwrite: bool = False) -> sparse.csr_matrix:
        """The columns of a block that are kept; ``overwrite`` is for encoders that can save time with it."""
        return self._pick(block.values, block.indices, block.starts)

    def _pick(self, values: np.ndarray, indices: np.ndarray, starts: np.ndarray) -> sparse.csr_matrix:
        places = np.searchsorted(self.columns_, indices)
        known = self.columns_[np.minimum(places, self.columns_.size - 1)] == indices
        if not known.all():
            kept_before = np.append(0, np.cumsum(known))
            values, places, starts = values[known], places[known], kept_before[starts]
        index = np.int32 if max(values.size, self.columns_.size) < 2**31 else np.int64
        shape = len(starts) - 1, self.columns_.size
        return sparse.csr_matrix((values, places.astype(index), starts.astype(index)), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the kept columns: ``x`` and the number, counted from 1 as LIBSVM files do.

        Parameters
        ----------
        input_features : ignored
            Columns have numbers only.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "columns_")
        return np.array([f"x{column + 1}" for column in self.columns_.tolist()], dtype=object)


def used_columns(fold: Callable[..., Any], width: int) -> UsedColumns | None:
    """Which of ``width`` columns rows use, asked by a fold as ``TableEncoder.fit_fold`` does; None where so many are used that
    leaving others out saves little."""
    if width < WIDE:
        return None
    columns = fold(partial(distinct_columns, USED_SHARE * width), np.union1d)
    return UsedColumns()._set(columns, width) if 0 < columns.size <= USED_SHARE * width else None


def distinct_columns(most: float, blocks: Iterable[SparseBlock]) -> np.ndarray:
    """The columns that some blocks use; all of them, or more than ``most``."""
    columns = np.empty(0, np.int64)
    for block in blocks:
        columns = np.union1d(columns, block.indices)
        if columns.size > most:
            break
    return columns
