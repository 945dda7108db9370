"""Rows that are not in this process, such as Dask collections: the backend that fits and predicts in their partitions.

A registry.  Learners ask it without knowing what is in it; the package's ``__init__`` enters backends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class Backend(NamedTuple):
    """What works on rows in their partitions."""

    fit: Callable[[Any, Any, Any, Any], Any]  # learner, X, y, sample weights
    answer: Callable[[Any, str, Any], Any]  # learner, the name of its method, X
    score: Callable[[Any, Any, Any, Any], float]  # as ``fit``
    separability: Callable[..., Any]  # X, y, and by name what is asked
    verify: Callable[[Any, Any, Any], bool]  # a proof, X, y


BACKENDS: dict[str, Callable[[], Backend]] = {}  # by the package that the type of X is from


def backend_of(X: Any) -> Backend | None:
    """The backend of these rows; None if they are in memory."""
    found = BACKENDS.get(type(X).__module__.partition(".")[0])
    return None if found is None else found()


def on_backend(method: Method) -> Method:
    """A method that answers for the rows of X, in memory or elsewhere."""

    @wraps(method)
    def answer(self: Any, X: Any) -> Any:
        backend = backend_of(X)
        return method(self, X) if backend is None else backend.answer(self, method.__name__, X)

    return answer  # type: ignore[return-value]


def refuse_partitions(estimator: Any, X: Any) -> None:
    """Refuse rows in partitions, which would all have to be fetched without being asked for."""
    if backend_of(X) is not None:
        raise TypeError(
            f"{type(estimator).__name__} needs rows in memory for this, and X is a {type(X).__name__} of partitions: pass "
            "X.compute() if all rows fit into memory."
        )
