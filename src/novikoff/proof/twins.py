"""Pairs with opposite vectors: equal rows of different classes.  Together they prove that nothing separates them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .pairs import Pairs

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
BLOCK = 1 << 16


def opposite_twins(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Two pairs for every distinct row that occurs with two classes: each against the other's class.

    Rows whose vectors are zero are left out."""
    first, second = [], []
    for group in equal_rows(pairs.X):
        if not pairs.fit_intercept and abs(pairs.X[group[:1]]).max() == 0:
            continue
        classes = pairs.target[group]
        other = np.flatnonzero(classes != classes[0])
        for place in other[np.unique(classes[other], return_index=True)[1]].tolist():
            i, j = int(group[0]), int(group[place])
            first.append(pairs.pair(i, int(pairs.target[j])))
            second.append(pairs.pair(j, int(pairs.target[i])))
    return np.array(first, dtype=np.intp), np.array(second, dtype=np.intp)


def equal_rows(X: Any) -> list[np.ndarray]:
    """The numbers of rows that occur more than once, by row."""
    hashes = _hashes(X)
    ordered = np.sort(hashes)
    if not np.any(ordered[1:] == ordered[:-1]):  # nearly always, and sorting alone is quick
        return []
    order = np.argsort(hashes, kind="stable")
    same = np.concatenate([[False], ordered[1:] == ordered[:-1], [False]]).astype(np.int8)
    starts, ends = np.flatnonzero(np.diff(same) == 1), np.flatnonzero(np.diff(same) == -1)
    groups = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        groups += _truly_equal(X, order[start : end + 1])
    return groups


def _truly_equal(X: Any, rows: np.ndarray) -> list[np.ndarray]:
    """Rows of one hash, grouped by their values."""
    groups: dict[bytes, list[int]] = {}
    for row in rows.tolist():
        if sparse.issparse(X):
            part = slice(X.indptr[row], X.indptr[row + 1])
            some = X.data[part] != 0
            key = X.indices[part][some].tobytes() + X.data[part][some].tobytes()
        else:
            key = (X[row] + 0.0).tobytes()  # -0.0 and 0.0 are one number
        groups.setdefault(key, []).append(row)
    return [np.array(group) for group in groups.values() if len(group) > 1]


def _hashes(X: Any) -> np.ndarray:
    """One number for each row, the sum of its values' bits times odd numbers; equal rows have equal ones."""
    if sparse.issparse(X):
        words = _words(X.data) * _factors(X.indices)
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(words, dtype=np.uint64)])
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    factors = _factors(np.arange(X.shape[1]))
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    step = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        hashes[start : start + step] = _words(X[start : start + step]) @ factors
    return hashes


def _words(values: np.ndarray) -> np.ndarray:
    """The bits of floats, 0 for both zeros, the high ones spread downwards."""
    words = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)
    return words ^ (words >> np.uint64(29))


def _factors(columns: np.ndarray) -> np.ndarray:
    """An odd number for every column, their bits without a pattern."""
    words = (columns.astype(np.uint64) + np.uint64(1)) * MULTIPLIER
    return (words ^ (words >> np.uint64(31))) * MULTIPLIER | np.uint64(1)
