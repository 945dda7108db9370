"""Which rows stand in the way of separation: an estimate, for finding wrong labels.

    minimise sum_i s_i   subject to   a_i.w >= 1 - s_i,  s_i >= 0

(K. P. Bennett and O. L. Mangasarian, Robust linear programming discrimination of two linearly inseparable sets, 1992).
Pairs that the weights w get wrong are suspects, the worst first: without their rows, w separates the rest.  Where there are
too many pairs for one linear programme, an averaged perceptron tells which are close, and those are solved for; with few
wrong labels that ends at the programme's own answer, with many at the perceptron's.

Only rows on the boundary can stand in the way: a direction that is positive on all others, times a large number, leaves w to
decide on those.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from ...inputs.clock import Clock, OutOfTime
from ..problem.pairs import Direction, Pairs
from ..search.perceptron_guess import learned_direction

MOST_NUMBERS = 40_000  # of vectors in one linear programme: less than a second
ROUNDS = 5  # of programmes
PASSES = 10  # of the perceptron
LEARNING_SHARE = 0.5  # of the time left
SAMPLE = 2_000_000  # numbers of X that it learns from


def suspects(pairs: Pairs, rows: np.ndarray, clock: Clock) -> np.ndarray:
    """Of these rows on the boundary, the one that most prevents separation first; the best known when the time ends, and
    ``OutOfTime`` if there is none by then."""
    clock.tick()
    part = pairs if rows.size == pairs.n_rows else pairs.part(rows)[0]
    most = max(MOST_NUMBERS // max(1, part.dim), 2)
    if part.count <= most:
        return rows[_wrong(part, _least_violation(part, np.arange(part.count), clock))[0]]
    limit = clock.part(LEARNING_SHARE)
    learned = learned_direction(part, _sample(part), average=True, passes=PASSES, time_limit=limit)
    best, leads = _wrong(part, learned)
    work = np.argpartition(leads, most // 2)[: most // 2]
    with suppress(OutOfTime):
        for _ in range(ROUNDS):
            wrong, leads = _wrong(part, _least_violation(part, work, clock))
            if len(wrong) < len(best):
                best = wrong
            missed = np.setdiff1d(np.flatnonzero(leads <= 0), work)
            if missed.size == 0 or work.size + missed.size > most:
                break
            work = np.append(work, missed)
    return rows[best]


def _sample(pairs: Pairs) -> np.ndarray:
    """Rows spread over all, and at least one of every class."""
    count = max(1, min(pairs.n_rows, SAMPLE // pairs.width))
    spread = np.linspace(0, pairs.n_rows - 1, count, dtype=np.intp)
    return np.union1d(spread, np.unique(pairs.target, return_index=True)[1])


def _wrong(pairs: Pairs, direction: Direction | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are not surely on their side, the worst first, and the leads of all pairs."""
    if direction is None:
        return np.arange(pairs.n_rows), np.zeros(pairs.count)
    leads, bound = pairs.leads(direction)
    worst = leads.reshape(pairs.n_rows, pairs.n_rivals).min(axis=1)
    wrong = np.flatnonzero(worst <= bound)
    return wrong[np.argsort(worst[wrong], kind="stable")], leads


def _least_violation(pairs: Pairs, which: np.ndarray, clock: Clock) -> Direction | None:
    """The weights of the programme for some pairs; None where they are all zero."""
    clock.tick()
    A = pairs.vectors(which)
    count, dim = A.shape
    answer = linprog(
        np.append(np.zeros(dim), np.ones(count)),
        A_ub=sparse.hstack([sparse.csr_array(-A), -sparse.eye_array(count)], format="csr"),
        b_ub=-np.ones(count),
        bounds=[(None, None)] * dim + [(0, None)] * count,
        method="highs",
        options={"time_limit": clock.left},
    )
    clock.tick()
    if answer.x is None or not np.any(answer.x[:dim]):
        return None
    return Direction(answer.x[:dim] / np.abs(answer.x[:dim]).max())
