"""What a regressor misses by: sums of squares, a histogram of its residuals, and some rows to be drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rows.store.bins import Bins, Histogram

POINTS = 500  # rows that are drawn at most


class Misses(NamedTuple):
    """Of some rows: residuals are what was wanted less what was answered."""

    n: int
    r2: float | None  # None where all numbers are the same
    mean_squared_error: float
    mean_absolute_error: float
    largest: float  # residual, whatever its sign
    residuals: Histogram | None
    points: np.ndarray  # (some rows, 2): wanted, answered


class Tally:
    """Adds up what is missed, part by part."""

    def __init__(self) -> None:
        self._n, self._mean, self._spread, self._squares, self._sizes, self._largest = 0, 0.0, 0.0, 0.0, 0.0, 0.0
        self._bins = Bins()
        self._points, self._step = np.empty((0, 3)), 1

    def add(self, wanted: np.ndarray, answered: np.ndarray, rows: np.ndarray) -> None:
        """Count these rows.  The spread of what was wanted is put together as in Chan, Golub and LeVeque 1983."""
        missed = wanted - answered
        middle = float(wanted.mean())
        self._join(len(wanted), middle, float(np.square(wanted - middle).sum()))
        self._squares += float(np.square(missed).sum())
        self._sizes += float(np.abs(missed).sum())
        self._largest = max(self._largest, float(np.abs(missed).max()))
        self._bins.add(missed[np.isfinite(missed)])
        self._keep_some(np.column_stack([wanted, answered, rows]))

    def take(self, other: Tally) -> None:
        """Count what another has counted."""
        if other._n:
            self._join(other._n, other._mean, other._spread)
            self._squares += other._squares
            self._sizes += other._sizes
            self._largest = max(self._largest, other._largest)
            self._bins.take(other._bins)
            self._step = max(self._step, other._step)
            self._keep_some(other._points)

    def _join(self, size: int, mean: float, spread: float) -> None:
        total = self._n + size
        self._spread += spread + (mean - self._mean) ** 2 * (self._n * size / total)
        self._mean += (mean - self._mean) * (size / total)
        self._n = total

    def _keep_some(self, points: np.ndarray) -> None:
        """Keep the rows whose numbers are multiples of a step, the smallest power of two that leaves few enough."""
        points = np.concatenate([self._points, points])
        points = points[points[:, 2] % self._step == 0]
        while len(points) > POINTS:
            self._step *= 2
            points = points[points[:, 2] % self._step == 0]
        self._points = points

    def misses(self) -> Misses:
        """What was counted."""
        n = self._n
        r2 = 1 - self._squares / self._spread if self._spread else None
        points = self._points[:, :2]
        return Misses(
            n, r2, self._squares / max(n, 1), self._sizes / max(n, 1), self._largest, self._bins.histogram(), points
        )
