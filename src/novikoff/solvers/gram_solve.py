"""Machines with a kernel on rows whose kernel values all fit into the cache: one matrix of them for all problems."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..dual.kernels import RBF, Given, Linear, Points, Poly, Precomputed
from ..inputs.arrays import parts
from ..inputs.clock import Clock
from ..inputs.rounding_error import gamma, sum_room
from .gram_check import Flaws
from .gram_steps import solve_stretches
from .kernel_sums import TINY, KernelSums
from .problem import relative_gap

MOST_ROWS = 5000
BLOCK = 256  # rows whose values are made at once
WORK = 50_000_000  # rows times steps between two looks at the clock
PROGRESS = 0.9  # a look must bring the gap down to this part of what it was
LARGEST = 0  # the place of the largest kernel value among what is known of them


class Proved(NamedTuple):
    """The bias of a machine, and the values of both problems."""

    b: float
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return relative_gap(self.primal, self.dual)


def fits(rows: int, limit: float) -> bool:
    """Whether all kernel values of so many rows fit into so many bytes."""
    return rows <= MOST_ROWS and 8 * rows**2 <= limit


def solve_on_gram(
    sums: KernelSums, stretches: np.ndarray, bounds: np.ndarray, shares: np.ndarray, tol: float, clock: Clock
) -> tuple[list[Proved], np.ndarray] | None:
    """Solve the problems of these stretches of rows (see ``gram_steps``), leaving ``alpha_i y_i`` in ``shares``: what is proved of each,
    and its steps.  None where nothing is known of what rounding does to the kernel values."""
    near = sums.near()
    flaws = _flaws(sums.kernel, near, sums.flaws)
    if flaws is None or (sums.centre is not None and type(sums.kernel) is Linear):
        return None
    count = len(stretches)
    gram = _gram(sums.kernel, near, clock)
    if flaws[LARGEST] < 0:
        flaws[LARGEST] = max(float(gram.max()), -float(gram.min()))
    found, steps = np.full((count, 3), np.inf), np.zeros((2, count), np.int64)
    sizes = stretches[:, 1] - stretches[:, 0] + stretches[:, 4] - stretches[:, 3]

    def run(first: int, last: int, most: int) -> None:
        if not clock.over:
            solve_stretches(gram, stretches, bounds, flaws, tol, max(1, most), first, last, shares, found, steps[0])
            steps[1, first:last] += steps[0, first:last]

    together = WORK // int(sizes.sum())
    if together >= int(sizes.max()):
        run(0, count, together)
    for p, size in enumerate(sizes.tolist()):
        before = np.inf
        while (gap := relative_gap(found[p, 1], found[p, 2])) > tol and not clock.over:
            if gap > PROGRESS * before or 1 <= gap < np.inf:  # (no weights at all have a gap of 1)
                break
            before = gap
            run(p, p + 1, WORK // size)
    return [Proved(*values) for values in found.tolist()], steps[1]


def _gram(kernel: Any, points: Points, clock: Clock) -> np.ndarray:
    """All kernel values; of kernels that are symmetric whatever happens, each pair of rows once."""
    rows = len(points.numbers)
    if rows <= BLOCK or isinstance(kernel, (Given, Precomputed)):
        return kernel.values(points, points)
    values = np.empty((rows, rows))
    for part in parts(rows, BLOCK):
        clock.tick()
        some = points.take(part)
        for other in parts(part.stop, BLOCK):
            block = kernel.values(some, points.take(other))
            values[part, other] = block
            if other.start < part.start:
                values[other, part] = block.T
    return values


def _flaws(kernel: Any, points: Points, flaws: Flaws) -> np.ndarray | None:
    """What ``gram_steps`` wants to know of the kernel values (the bounds are those of ``kernel_sums``)."""
    rows, columns = points.X.shape
    surely = sum_room(rows + columns)
    if isinstance(kernel, (Given, Precomputed)):
        return np.array([-1.0, 0.5 * flaws.asymmetry * surely, flaws.shift, surely])
    square = float(points.squares.max()) * surely
    largest, entry = square, 2 * gamma(columns + 4) * square
    if isinstance(kernel, RBF):
        each = 2 * gamma(columns + 12) * kernel.gamma * square
        if each > 0.25:  # nothing is known of a value but that it is from 0 to 1
            return None
        largest, entry = 1.0, 4 * each + 2 * gamma(8) + TINY
    elif isinstance(kernel, Poly):
        largest = (kernel.gamma * square + abs(kernel.coef0)) ** kernel.degree * surely
        entry = kernel.degree * 2 * gamma(columns + 8) * largest
    return np.array([largest, entry * surely, flaws.shift, surely])
