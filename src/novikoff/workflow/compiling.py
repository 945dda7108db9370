"""How long something takes, and how much of that is the compiling of kernels, which a machine does once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
