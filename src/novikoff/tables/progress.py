"""Long work: who is told of it while it goes on, and how long it takes, compiling of kernels apart."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

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
    def solving(self, title: str) -> Iterator[None]:
        """While a solver works, its own words of how far it is (``Clock.note``) are the status."""
        log = logging.getLogger("novikoff.progress")
        handler, level = logging.Handler(), log.level
        began, told = time.monotonic(), False

        def emit(record: logging.LogRecord) -> None:
            nonlocal told
            self.status(f"{title}: {record.getMessage()}")
            if not told and time.monotonic() - began > LONG:
                told = True
                self.tell(f"novikoff: {title.lower()} takes long: {record.getMessage()}; passes=... limits its steps.")

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
