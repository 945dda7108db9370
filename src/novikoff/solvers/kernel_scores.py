"""Scores of rows by a machine with a kernel, without what rows far from zero cost in rounding."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from ..dual.kernels import VALUES_AT_ONCE, Linear, Points, weighted_sums
from .kernel_proof import centre_of


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


def pair_scores(
    kernel: Linear, coef: np.ndarray, counts: np.ndarray, support: Points, X: Any, intercept: np.ndarray
) -> np.ndarray:
    """The scores of every row for every two classes a < b, positive for b: (rows, pairs).

    The support is sorted by class, ``counts`` rows of each; a row of class a has its coefficient in the pair with b > a in line b - 1
    of ``coef``, a row of class b that in the pair with a < b in line a.
    """
    ends = np.concatenate([[0], np.cumsum(counts)]).tolist()
    pairs = [(a, b) for a in range(len(counts)) for b in range(a + 1, len(counts))]
    if type(kernel) is Linear:
        every = np.zeros((len(pairs), coef.shape[1]))
        for line, (a, b) in zip(every, pairs, strict=True):
            line[ends[a] : ends[a + 1]] = coef[b - 1, ends[a] : ends[a + 1]]
            line[ends[b] : ends[b + 1]] = coef[a, ends[b] : ends[b + 1]]
        return kernel_scores(kernel, every, support, X, intercept)
    centre = None if sparse.issparse(X) else centre_of(kernel, support.X)
    if centre is not None:
        X, support = X - centre, kernel.points(support.X - centre, support.numbers)
    others = kernel.points(X, np.full(X.shape[0], -1))
    scores = np.tile(intercept, (X.shape[0], 1))
    first, second = np.array(pairs).T
    some = max(1, VALUES_AT_ONCE // max(1, coef.shape[1]))
    for part in (slice(start, start + some) for start in range(0, X.shape[0], some)):
        values = kernel.values(others.take(part), support)
        for k in range(len(counts)):
            mine = slice(ends[k], ends[k + 1])
            sums = values[:, mine] @ coef[:, mine].T
            scores[part, first == k] += sums[:, k:]
            scores[part, second == k] += sums[:, :k]
    return scores


def votes_of(scores: np.ndarray, classes: int) -> np.ndarray:
    """Of the scores of pairs, one for every class: the pairs that it wins, and less than half a vote that says how clearly.

    With s the sum of its scores in its pairs (negative where the other class leads), that is ``s / (3 (|s| + 1))``, which is what
    scikit-learn's ``SVC`` adds: it decides between classes of as many votes.
    """
    votes, sums = np.zeros((len(scores), classes)), np.zeros((len(scores), classes))
    pairs = ((a, b) for a in range(classes) for b in range(a + 1, classes))
    for score, (a, b) in zip(scores.T, pairs, strict=True):
        won = score > 0
        votes[:, b] += won
        votes[:, a] += ~won
        sums[:, b] += score
        sums[:, a] -= score
    return votes + sums / (3 * (np.abs(sums) + 1))
