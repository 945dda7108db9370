"""Which rows stand in the way of separation: an estimate, for finding wrong labels.

    minimise sum_i s_i   subject to   a_i.w >= 1 - s_i,  s_i >= 0

over a sample of pairs, if there are very many (K. P. Bennett and O. L. Mangasarian, Robust linear programming discrimination
of two linearly inseparable sets, 1992).  Rows that the weights w get wrong are suspects, the worst first: without them, w
separates the rest.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from .pairs import Direction, Pairs

MOST_PAIRS = 4000  # in one linear programme
MOST_NUMBERS = 20_000_000  # of vectors, written out


def suspects(pairs: Pairs) -> np.ndarray:
    """Row numbers, the one that most prevents separation first."""
    sample = np.arange(pairs.count)
    most = max(1, min(MOST_PAIRS, MOST_NUMBERS // max(1, pairs.dim)))
    if pairs.count > most:
        sample = np.sort(np.random.default_rng(0).choice(pairs.count, most, replace=False))
    w = _least_violation(pairs.vectors(sample))
    if not np.any(w):
        return np.arange(pairs.n_rows)
    leads, bound = pairs.leads(Direction(w / np.abs(w).max()))
    worst = leads.reshape(pairs.n_rows, pairs.n_rivals).min(axis=1)
    wrong = np.flatnonzero(worst <= bound)
    return wrong[np.argsort(worst[wrong], kind="stable")]


def _least_violation(A: np.ndarray) -> np.ndarray:
    count, dim = A.shape
    answer = linprog(
        np.append(np.zeros(dim), np.ones(count)),
        A_ub=sparse.hstack([sparse.csr_array(-A), -sparse.eye_array(count)], format="csr"),
        b_ub=-np.ones(count),
        bounds=[(None, None)] * dim + [(0, None)] * count,
        method="highs",
    )
    return np.zeros(dim) if answer.x is None else answer.x[:dim]
