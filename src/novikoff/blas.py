"""How many threads the products of NumPy take."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager:
    """Within it products take one thread each: more would add up in another order, and be in the way of threads of one's
    own."""
    return _libraries().limit(limits=1, user_api="blas")
