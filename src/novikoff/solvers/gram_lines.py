"""Lines of the Gram matrix for a support vector machine: those used last are kept."""

from __future__ import annotations

import numpy as np

from ..dual.kernels import Linear, Points


class Lines:
    """Lines of the Gram matrix of ``points``, float64, within a limit of memory."""

    def __init__(self, kernel: Linear, points: Points, limit: float, least: int) -> None:
        """``limit`` is in bytes; room for ``least`` lines there is in any case."""
        self.kernel, self.points = kernel, points
        rows = len(points.numbers)
        room = int(min(rows, max(least, limit // (8 * rows))))
        self.values = np.empty((room, rows))  # takes no memory before it is written
        self._row = np.full(room, -1)  # whose line it is
        self._used = np.zeros(room, dtype=np.int64)  # when last
        self._place = np.full(rows, -1)
        self._time = 0

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where in ``values`` the lines of these rows are; those not kept are computed, all at once."""
        self._time += 1
        kept = self._place[rows]
        self._used[kept[kept >= 0]] = self._time
        new = rows[kept < 0]
        if new.size:
            oldest = np.argpartition(self._used, new.size - 1)[: new.size]
            gone = self._row[oldest]
            self._place[gone[gone >= 0]] = -1
            self._row[oldest], self._place[new], self._used[oldest] = new, oldest, self._time
            self.values[oldest] = self.kernel.values(self.points.take(new), self.points)
        return self._place[rows]
