"""Pairs with opposite vectors: equal rows of different classes.  Together they prove that nothing separates them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .pairs import Pairs, blocks

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio


def opposite_twins(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Two pairs for every distinct row that occurs with two classes: each against the other's class.

    Rows whose vectors are zero are left out."""
    numbers = equal_rows(pairs.X)
    if numbers is None:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    n_classes = pairs.n_rivals + 1
    keys, rows = np.unique(numbers * n_classes + pairs.target, return_index=True)  # the first row of each class
    _, place = np.unique(keys // n_classes, return_index=True)
    reference = np.repeat(rows[place], np.diff(np.append(place, keys.size)))  # the first of each group
    some = reference != rows
    reference, rows = reference[some], rows[some]
    first, second = pairs.pair(reference, pairs.target[rows]), pairs.pair(rows, pairs.target[reference])
    some = pairs.not_zero()[first]
    return first[some], second[some]


def equal_rows(X: Any) -> np.ndarray | None:
    """A number for every row, the same for equal rows; None if all rows differ.  (Were two different rows of one hash to
    stand between equal ones, those would get two numbers: never are different rows given one.)"""
    hashes = _hashes(X)
    ordered = np.sort(hashes)
    if not np.any(ordered[1:] == ordered[:-1]):  # nearly always, and sorting alone is quick
        return None
    order = np.argsort(hashes, kind="stable")
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    new = np.ones(len(order), dtype=bool)
    new[again + 1] = ~_same(X, order[again], order[again + 1])
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(new)
    return numbers


def _same(X: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether rows are equal to others, each to one."""
    same = np.empty(first.size, dtype=bool)
    for part in blocks(first.size, 1 if sparse.issparse(X) else X.shape[1]):
        a, b = X[first[part]], X[second[part]]
        if sparse.issparse(X):
            differ = (a != b).tocsr()
            same[part] = np.diff(differ.indptr) == 0
        else:
            same[part] = np.all(a == b, axis=1)
    return same


def _hashes(X: Any) -> np.ndarray:
    """One number for each row, the sum of its values' bits times odd numbers; equal rows have equal ones."""
    if sparse.issparse(X):
        sums = np.zeros(X.data.size + 1, dtype=np.uint64)
        for part in blocks(X.data.size, 1):
            sums[1:][part] = _words(X.data[part]) * _factors(X.indices[part])
        np.cumsum(sums, out=sums)
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    factors = _factors(np.arange(X.shape[1]))
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    for part in blocks(*X.shape):
        hashes[part] = _words(X[part]) @ factors
    return hashes


def _words(values: np.ndarray) -> np.ndarray:
    """The bits of floats, 0 for both zeros, the high ones spread downwards."""
    words = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)
    return words ^ (words >> np.uint64(29))


def _factors(columns: np.ndarray) -> np.ndarray:
    """An odd number for every column, their bits without a pattern."""
    words = (columns.astype(np.uint64) + np.uint64(1)) * MULTIPLIER
    return (words ^ (words >> np.uint64(31))) * MULTIPLIER | np.uint64(1)
