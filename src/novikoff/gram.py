"""Lines of the Gram matrix: the kernel values of one row with all rows, kept within a limit of memory."""

from __future__ import annotations

import numpy as np

from .jit import kernel
from .kernels import Linear, Points

LINES_AT_ONCE = 256  # lines reckoned by one matrix product
TILE = 2048  # scores that stay in the first-level cache while lines are added to them


class Gram:
    """Lines of the Gram matrix of ``points``.

    The first lines that are asked for are kept, as many as the limit allows, and none is ever dropped: rows are asked
    for again and again in no order, and where a new order is drawn every pass nothing tells a better choice.
    """

    def __init__(self, kernel: Linear, points: Points, limit: float) -> None:
        """``limit`` is in bytes."""
        self.kernel, self.points = kernel, points
        rows = len(points.numbers)
        self._room = int(min(rows, limit // (rows * points.X.dtype.itemsize)))
        # The system provides memory as it is written, so room that is never used costs nothing.
        self._lines = np.empty((self._room + min(rows, LINES_AT_ONCE), rows), points.X.dtype)
        self._place = np.full(rows, -1, np.intp)
        self._used = 0

    def add_lines(self, sums: np.ndarray, steps: np.ndarray, rows: np.ndarray) -> None:
        """``sums[k] += steps[k, i] * (line of rows[i])`` for all k and i."""
        for first in range(0, rows.size, LINES_AT_ONCE):
            part = slice(first, first + LINES_AT_ONCE)
            places = self._find(rows[part])
            add_scaled(sums, np.ascontiguousarray(steps[:, part]), self._lines, places)

    def _find(self, rows: np.ndarray) -> np.ndarray:
        """Where the lines of these rows are; those not kept yet are reckoned."""
        places = self._place[rows]
        missing = places < 0
        new = rows[missing]
        keep = min(new.size, self._room - self._used)
        first = np.concatenate([self._used + np.arange(keep), self._room + np.arange(new.size - keep)])
        places[missing] = first
        self._place[new[:keep]] = first[:keep]
        for start, part in ((self._used, new[:keep]), (self._room, new[keep:])):
            if part.size:
                some = self.points.take(part)
                self.kernel.values(some, self.points, out=self._lines[start : start + part.size])
        self._used += keep
        return places


@kernel
def add_scaled(sums, steps, lines, places):
    """``sums[k] += steps[k, i] * lines[places[i]]``, a part of the columns at a time."""
    for first in range(0, sums.shape[1], TILE):
        last = min(first + TILE, sums.shape[1])
        for i in range(places.size):
            line = lines[places[i]]
            for k in range(sums.shape[0]):
                step = steps[k, i]
                if step != 0:
                    for j in range(first, last):
                        sums[k, j] += step * line[j]
