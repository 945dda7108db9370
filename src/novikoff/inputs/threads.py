"""How many threads the products of NumPy take.

BLAS has one number of threads for the whole process.  While a kernel perceptron learns, or a model is asked about the rows of
a store, products of all other threads of the program take one thread, too; afterwards the number is what it was, also where
several of them learned at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


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
