"""Lines of the Gram matrix: the kernel values of one row with all rows, kept within a limit of memory."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..compiled.jit import kernel
from .kernels import Linear, Points

TILE = 2048  # columns at a time, so that values are added up while they are in the processor's cache
LINES_AT_ONCE = 256  # rows at a time, for the same reason


class Gram:
    """Lines of the Gram matrix of ``points``.

    A line is kept, if the limit allows, when it is asked for the second time, and for good: rows that are mistaken twice are
    those that will be mistaken again and again, and most others never.
    """

    def __init__(self, kernel: Linear, points: Points, limit: float) -> None:
        """``limit`` is in bytes."""
        self.kernel, self.points = kernel, points
        rows = len(points.numbers)
        room = int(min(rows, limit // (rows * points.X.dtype.itemsize)))
        self._lines = np.empty((room, rows), points.X.dtype)  # takes no memory before it is written
        self._place = np.full(rows, -1, np.intp)
        self._asked = np.zeros(rows, bool)
        self._used = 0
        size = rows if sparse.issparse(points.X) else TILE  # a part of a CSR matrix would be a copy
        self._tiles = [slice(first, first + size) for first in range(0, rows, size)]

    def add_lines(self, sums: np.ndarray, steps: np.ndarray, rows: np.ndarray) -> None:
        """``sums[k] += steps[k, i] * (line of rows[i])`` for all k and i."""
        for first in range(0, rows.size, LINES_AT_ONCE):
            part = slice(first, first + LINES_AT_ONCE)
            some, their_steps = rows[part], np.ascontiguousarray(steps[:, part])
            new = self._place[some] < 0
            if not new.all():
                add_scaled(sums, their_steps, self._lines, self._place[some])
            if new.any():
                self._compute(sums, their_steps[:, new], some[new])

    def _compute(self, sums: np.ndarray, steps: np.ndarray, rows: np.ndarray) -> None:
        """The same for lines that are not kept; keep those that were asked for before, as far as there is room."""
        again = np.flatnonzero(self._asked[rows])[: len(self._lines) - self._used]
        places = self._used + np.arange(again.size)
        some = self.points.take(rows)
        for tile in self._tiles:
            values = self.kernel.values(some, self.points if len(self._tiles) == 1 else self.points.take(tile))
            sums[:, tile] += steps @ values
            self._lines[places, tile] = values[again]
        self._place[rows[again]] = places
        self._used += again.size
        self._asked[rows] = True


@kernel
def add_scaled(sums, steps, lines, places):
    """``sums[k] += steps[k, i] * lines[places[i]]`` for all i that have a place, a part of the columns at a time."""
    for first in range(0, sums.shape[1], TILE):
        last = min(first + TILE, sums.shape[1])
        for i in range(places.size):
            if places[i] >= 0:
                line = lines[places[i]]
                for k in range(sums.shape[0]):
                    step = steps[k, i]
                    if step != 0:
                        for j in range(first, last):
                            sums[k, j] += step * line[j]
