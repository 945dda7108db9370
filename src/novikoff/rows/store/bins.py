"""A histogram of numbers that come part by part, the same as if they had come together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST_BINS = 60
FINEST = 40  # bits of the largest number that bins tell apart at most


class Histogram(NamedTuple):
    """Counts between neighbouring edges; zero is never inside a bin."""

    edges: np.ndarray  # (bins + 1,)
    counts: np.ndarray  # (bins,)


class Bins:
    """Counts numbers as they come in bins ``[k 2^e, (k + 1) 2^e)``: e is the smallest that needs no more than ``MOST_BINS``.

    When numbers come that need more, pairs of neighbouring bins become one, so that all is as if they had come together.
    """

    def __init__(self) -> None:
        self._low, self._high = np.inf, -np.inf
        self._exponent = self._first = 0
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, values: np.ndarray) -> None:
        """Count these."""
        if values.size:
            self._widen(float(values.min()), float(values.max()))
            places = np.floor(np.ldexp(values.astype(np.float64), -self._exponent)).astype(np.int64)
            self._counts += np.bincount(places - self._first, minlength=self._counts.size)

    def take(self, other: Bins) -> None:
        """Count what another has counted."""
        if other._counts.size:
            self._widen(other._low, other._high)
            np.add.at(self._counts, other._places(self._exponent) - self._first, other._counts)

    def _widen(self, low: float, high: float) -> None:
        """Have bins for numbers from ``low`` to ``high``, too."""
        self._low, self._high = min(self._low, low), max(self._high, high)
        exponent = self._fitting()
        places = self._places(exponent)
        self._first, last = (int(np.floor(np.ldexp(end, -exponent))) for end in (self._low, self._high))
        counts = np.zeros(last - self._first + 1, dtype=np.int64)
        np.add.at(counts, places - self._first, self._counts)
        self._exponent, self._counts = exponent, counts

    def _places(self, exponent: int) -> np.ndarray:
        """Where the bins lie among those of a larger exponent."""
        places = self._first + np.arange(self._counts.size)
        return places >> (exponent - self._exponent) if places.size else places

    def _fitting(self) -> int:
        exponent = int(np.frexp(max(abs(self._low), abs(self._high)))[1]) - FINEST
        while np.floor(np.ldexp(self._high, -exponent)) - np.floor(np.ldexp(self._low, -exponent)) >= MOST_BINS:
            exponent += 1
        return exponent

    def histogram(self) -> Histogram | None:
        """What was counted; None if there was nothing."""
        if not self._counts.size:
            return None
        return Histogram(np.ldexp(self._first + np.arange(self._counts.size + 1.0), self._exponent), self._counts)
