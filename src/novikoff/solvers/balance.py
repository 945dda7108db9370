"""Dual points that fulfil ``sum_i alpha_i y_i = 0`` exactly, not except for rounding.

What that sum misses by is multiplied by the bias in the dual value, and the bias of rows far from zero is huge.  So every
alpha is rounded down to a multiple of one power of two, large enough that floats add and subtract such numbers without any
rounding, and what is too much is taken off.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from math import floor, frexp, ldexp

import numpy as np
from scipy import sparse

from ..compiled.jit import kernel

BITS = 51  # of the sum of all alphas in units of the grid: all sums and differences of some of them are exact
LEAST = -1000  # the exponent of the finest grid


def on_a_grid(alpha: np.ndarray) -> np.ndarray:
    """``alpha >= 0``, each rounded down to a multiple of one power of two, so that their sums are exact."""
    unit = np.ldexp(1.0, max(int(np.frexp(float(alpha.sum()))[1]) - BITS, LEAST))
    steps = alpha / unit
    np.floor(steps, out=steps)
    steps *= unit
    return steps


def balanced(alpha: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Of two classes: the heavier one lessened until ``sum_i alpha_i y_i`` is zero, exactly."""
    alpha = on_a_grid(alpha)
    excess = float(signs @ alpha)
    if excess:
        heavier = np.flatnonzero(signs * excess > 0)
        alpha[heavier] = _lessened(alpha[heavier], abs(excess))
    return alpha


@kernel
def balance(alphas, signs):
    """``balanced`` for every line of ``alphas``, in place."""
    for k in range(alphas.shape[0]):
        alpha, sign = alphas[k], signs[k]
        total = 0.0
        for i in range(alpha.size):
            total += alpha[i]
        unit = ldexp(1.0, max(frexp(total)[1] - BITS, LEAST))
        excess = 0.0
        for i in range(alpha.size):
            alpha[i] = floor(alpha[i] / unit) * unit
        for i in range(alpha.size):  # a loop that adds up writes nothing
            excess += sign[i] * alpha[i]
        while excess != 0:
            largest = -1
            for i in range(alpha.size):
                if sign[i] * excess > 0 and (largest < 0 or alpha[i] > alpha[largest]):
                    largest = i
            if largest < 0 or not alpha[largest] > 0:
                break  # (of numbers that are none)
            taken = min(alpha[largest], abs(excess))
            alpha[largest] -= taken
            excess -= sign[largest] * taken


def circulating(alpha: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Of several classes: lessened until as much comes from the rows of each class as goes against it, exactly.

    ``alpha`` has a column for every class; that of a row's own class is zero.
    """
    alpha = on_a_grid(alpha)
    flows = flows_of(alpha, target)
    kept = circulation(flows)
    for giver, taker in np.argwhere(kept < flows).tolist():
        rows = np.flatnonzero(target == giver)
        alpha[rows, taker] = _lessened(alpha[rows, taker], flows[giver, taker] - kept[giver, taker])
    return alpha


def flows_of(alpha: np.ndarray, target: np.ndarray) -> np.ndarray:
    """What the rows of each class give against each other class."""
    rows, classes = alpha.shape
    own = sparse.csc_array((np.ones(rows), target, np.arange(rows + 1)), shape=(classes, rows))
    return np.asarray(own @ alpha)


def circulation(flows: np.ndarray, small: float = 0.0) -> np.ndarray:
    """Flows between classes lessened until each gives as much as it gets, but for ``small``.

    A class that gives too much and one that gets too much are joined by a path of positive flows (flows are sums of paths
    from the former to the latter and of cycles): along the shortest one, flows are lessened until one of the two is even, or
    a flow is gone.
    """
    kept = flows.copy()
    while True:
        excess = kept.sum(axis=1) - kept.sum(axis=0)
        giver = int(np.argmax(excess))
        path = _path(kept, giver, excess < -small) if excess[giver] > small else None
        if path is None:
            return kept
        edges = path[:-1], path[1:]
        kept[edges] -= min(float(excess[giver]), -float(excess[path[-1]]), float(kept[edges].min()))


def _path(flows: np.ndarray, start: int, ends: np.ndarray) -> list[int] | None:
    """The shortest path of positive flows from ``start`` to one of ``ends``: where there is a direct one, the largest."""
    direct = np.where(ends, flows[start], 0.0)
    if direct.any():
        return [start, int(np.argmax(direct))]
    before = {start: start}
    queue = [start]
    for here in queue:  # (which grows)
        if ends[here]:
            path = [here]
            while path[-1] != start:
                path.append(before[path[-1]])
            return path[::-1]
        for there in np.flatnonzero(flows[here] > 0).tolist():
            if there not in before:
                before[there] = here
                queue.append(there)
    return None


def _lessened(alpha: np.ndarray, excess: float) -> np.ndarray:
    """``alpha`` with ``excess`` taken off, the largest first."""
    less = alpha.copy()
    if alpha.size and alpha.max() >= excess:  # as nearly always
        less[np.argmax(alpha)] -= excess
        return less
    order = np.argsort(-alpha, kind="stable")
    above = alpha[order].cumsum() - alpha[order]
    less[order] -= np.clip(excess - above, 0.0, alpha[order])
    return less
