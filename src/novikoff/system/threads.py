"""Threads: how many the products of NumPy take, and work on a stream a little ahead of who uses it.

BLAS has one number of threads for the whole process.  While a kernel perceptron learns, or a model is asked about the rows of
a store, products of all other threads of the program take one thread, too; afterwards the number is what it was, also where
several of them learned at the same time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock
from typing import TypeVar

from threadpoolctl import ThreadpoolController

THREADS = 2
AHEAD = 4  # pieces at work or waiting to be handed on


@cache
def _libraries() -> ThreadpoolController:
    import scipy.linalg.blas  # noqa: F401  # SciPy may have another BLAS than NumPy, and only those are found that are loaded

    return ThreadpoolController()


class _Limit:
    """One thread for each product while anybody is inside: the first who comes sets that, the last who goes takes it back."""

    def __init__(self) -> None:
        self._lock, self._inside, self._set = Lock(), 0, ExitStack()

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._set.enter_context(_libraries().limit(limits=1, user_api="blas"))
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._set.close()


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it products take one thread each: more would add up in another order, and be in the way of threads of one's
    own."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


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
