"""A time limit that long work looks at as it goes, and what it found by then."""

from __future__ import annotations

from time import perf_counter

LEAST = 1e-3  # seconds; no part of the time left is shorter


def never() -> None:
    """The tick of work without a limit."""


class OutOfTime(Exception):
    """The time limit ended."""


class Clock:
    """Raises ``OutOfTime`` from ``tick`` once ``limit`` seconds have passed; None means never.

    ``violation`` is the smallest distance by which weights so far missed the row they miss most.  ``reserved`` seconds are
    kept for the check of the proof at the end.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.started = perf_counter()
        self.limit = float("inf") if limit is None else limit
        self.violation = float("inf")
        self.reserved = 0.0

    @property
    def seconds(self) -> float:
        return perf_counter() - self.started

    @property
    def left(self) -> float:
        return self.limit - self.seconds - self.reserved

    def tick(self) -> None:
        if self.left < 0:
            raise OutOfTime

    def part(self, share: float) -> float | None:
        """So much of the time left, as a limit for other work; None without a limit."""
        return None if self.limit == float("inf") else max(share * self.left, LEAST)

    def allow(self, seconds: float) -> None:
        """Raise ``OutOfTime`` now if work of about so many seconds, which cannot be interrupted, would end too late."""
        if self.left < seconds:
            raise OutOfTime
