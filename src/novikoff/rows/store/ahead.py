"""Work on a stream by two threads, a little ahead of the thread that uses the results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

THREADS = 2
AHEAD = 4  # pieces at work or waiting to be handed on

Piece = TypeVar("Piece")
Part = TypeVar("Part")


def ahead(pieces: Iterable[Piece], work: Callable[[Piece], Part]) -> Iterator[tuple[Piece, Future[Part]]]:
    """Do the work on pieces in threads, a bounded number ahead, and hand them on in order; the first error comes first."""
    trouble: Exception | None = None
    waiting: deque[tuple[Piece, Future[Part]]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            upcoming = iter(pieces)
            while True:
                try:
                    piece = next(upcoming)
                except StopIteration:
                    break
                except Exception as error:
                    trouble = error
                    break
                waiting.append((piece, pool.submit(work, piece)))
                if len(waiting) == AHEAD:
                    yield waiting.popleft()
            while waiting:
                yield waiting.popleft()
        finally:
            for _, future in waiting:
                future.cancel()
    if trouble is not None:
        raise trouble
