"""Long work: who is told of it while it goes on, and how long it takes, compiling of kernels apart."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import log10
from typing import Any, cast

from ..report.words import seconds, some

MINUTE, HOUR = 60.0, 3600.0  # seconds
LONG = 20.0  # seconds after which work is announced, also where no bar is shown
Advance = Callable[[float], None]


@contextmanager
def unwatched(title: str, total: float | None, unit: str) -> Iterator[Advance]:
    """Hand out what to call with work just done; nothing comes of it."""
    yield lambda done: None


def untold(text: str) -> None:
    """No progress is shown."""


@dataclass(frozen=True)
class Watcher:
    """What work is told to.

    ``progress`` is given a title, how much there is to do (None: that is not known) and of what ("bytes", or a word such
    as "rows"); ``tell`` a line that cannot wait for the result; ``status`` a line that takes the place of the one before (an empty one: of
    none).
    """

    progress: Callable[[str, float | None, str], AbstractContextManager[Advance]] = unwatched
    tell: Callable[[str], None] = untold
    status: Callable[[str], None] = untold

    @contextmanager
    def solving(self, title: str, goal: float | None = None) -> Iterator[None]:
        """While a solver works, its own words of how far it is (``Clock.note``) are the status.  ``goal`` is the gap that it works for: how
        long that takes is estimated as if the gap went on falling by the same share a second."""
        log = logging.getLogger("novikoff.progress")
        handler, level = logging.Handler(), log.level
        began, told = time.monotonic(), False
        first: tuple[float, float] | None = None  # seconds, and the gap

        def emit(record: logging.LogRecord) -> None:
            nonlocal told, first
            self.status(f"{title}: {record.getMessage()}")
            _, gap, steps, _, passed = cast(tuple[str, float, int, str, float], record.args)
            first = first or (passed, gap)
            if not told and time.monotonic() - began > LONG:
                told = True
                falls = (log10(first[1]) - log10(gap)) / (passed - first[0]) if 0 < gap < first[1] else 0.0
                left = (log10(gap) - log10(goal)) / falls if goal and falls else None
                a_step = f"A step takes {seconds(passed / max(1, steps))}."
                more = a_step if left is None else f"It goes on for {about(max(0.0, left))} at this rate."
                self.tell(
                    f"novikoff: {title.lower()} takes long ({record.getMessage()}). {more} passes=... limits its steps."
                )

        handler.emit = emit  # type: ignore[method-assign]
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        try:
            yield
        finally:
            log.removeHandler(handler)
            log.setLevel(level)
            self.status("")


NO_PROGRESS = Watcher()


def about(span: float) -> str:
    """Seconds that are not known exactly."""
    if span < MINUTE:
        return "less than a minute"
    if span < HOUR:
        return f"about {some(round(span / MINUTE), 'minute')}"
    return f"about {span / HOUR:.1f} hours"


def announcing(title: str, total: float | None, tell: Callable[[str], None]) -> Advance:
    """What to call with work just done: once that takes long, a line says how long the rest may take at most."""
    began, done, told = time.monotonic(), 0.0, total is None

    def advance(more: float) -> None:
        nonlocal done, told
        done += more
        passed = time.monotonic() - began
        if told or passed < LONG or not done:
            return
        told = True
        left = passed * (cast(float, total) - done) / done
        if left > LONG:
            tell(f"novikoff: {title.lower()} takes long: after {passed:.0f} seconds, {about(left)} more at most.")

    return advance


# Times


class Watch:
    """Seconds since it was made, those of compiling apart."""

    def __init__(self, listener: Any) -> None:
        self._began, self._listener = time.perf_counter(), listener

    @property
    def compiling(self) -> float:
        """Seconds in which kernels were compiled."""
        return float(self._listener.duration) if self._listener.done else 0.0

    @property
    def seconds(self) -> float:
        """All other seconds."""
        return time.perf_counter() - self._began - self.compiling


@contextmanager
def stopwatch() -> Iterator[Watch]:
    """A watch that knows what is compiled within the ``with``."""
    from ..compiled import numba_parts  # Numba, which takes long to import

    with numba_parts.install_listener("numba:compile", numba_parts.TimingListener()) as listener:
        yield Watch(listener)
