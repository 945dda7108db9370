"""A time limit that long work looks at as it goes."""

from __future__ import annotations

import logging
from math import inf
from numbers import Real
from time import perf_counter

LEAST = 1e-3  # seconds; no part of the time left is shorter
OFTEN = 1.0  # seconds between two lines of progress, and before the first

log = logging.getLogger("novikoff.progress")


def never() -> None:
    """The tick of work without a limit."""


class OutOfTime(Exception):
    """The time limit ended."""


class Room:
    """Bytes that one piece of work may hold, and how many the largest would have held that was not begun for want of them."""

    def __init__(self, size: float = inf) -> None:
        self.size, self.lacked = size, 0


class Clock:
    """Seconds since the start, those ``spent`` before it included, and whether they reach ``limit``; None means never.

    ``reserved`` seconds of the limit are kept for the check of a proof at the end.  Work that would hold more than there is
    ``room`` for ends as if the time were over.
    """

    def __init__(self, limit: float | None = None, spent: float = 0.0, room: Room | None = None) -> None:
        self._start = perf_counter() - spent
        self.room = room or Room()
        self.limit = inf if limit is None else limit
        self.reserved = 0.0
        self._next_line = OFTEN

    @property
    def seconds(self) -> float:
        return perf_counter() - self._start

    @property
    def left(self) -> float:
        return self.limit - self.seconds - self.reserved

    @property
    def over(self) -> bool:
        return self.left <= 0

    def tick(self) -> None:
        """Raise ``OutOfTime`` if the time is over."""
        if self.over:
            raise OutOfTime

    def note(self, solver: str, steps: int, gap: float) -> None:
        """Log how far a solver is, once a second at most: the steps so far, and about what the gap is."""
        seconds = self.seconds
        if seconds >= self._next_line:
            self._next_line = seconds + OFTEN
            several = "" if steps == 1 else "s"
            log.info("%s: gap about %.2g after %d step%s and %.0f s", solver, gap, steps, several, seconds)

    def part(self, share: float) -> float | None:
        """So much of the time left, as a limit for other work; None without a limit."""
        return None if self.limit == inf else max(share * self.left, LEAST)

    def shared(self, share: float) -> Clock:
        """A clock for other work that may take so much of the time left."""
        return Clock(self.part(share), room=self.room)

    def allow(self, seconds: float, size: int = 0) -> None:
        """Raise ``OutOfTime`` now if work of about so many seconds, which cannot be interrupted, would end too late, or hold more bytes
        than it may."""
        self.hold(size)
        if self.left < seconds:
            raise OutOfTime

    def hold(self, size: int) -> None:
        """Raise ``OutOfTime`` now if there is no room for so many bytes."""
        if size > self.room.size:
            self.room.lacked = max(self.room.lacked, size)
            raise OutOfTime


class Countdown(Clock):
    """Over after so many ``looks`` at it, whatever the time: the same work on every machine."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks = looks

    @property
    def over(self) -> bool:
        self._looks -= 1
        return self._looks < 0

    def shared(self, share: float) -> Clock:
        return self


def check_limit(time_limit: float | None) -> float | None:
    """The limit a user gave, if it is one."""
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise ValueError(f"time_limit must be a positive number of seconds or None; got {time_limit!r}.")
    return None if time_limit is None else float(time_limit)
