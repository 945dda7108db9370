"""Rows that are not in this process, such as Dask collections: who fits to them where they lie, and answers there.

A registry.  Learners ask it without knowing who is in it; the package's face enters who is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class Driver(NamedTuple):
    """Who works on rows where they lie."""

    fit: Callable[[Any, Any, Any, Any], Any]  # learner, X, y, sample weights
    answer: Callable[[Any, str, Any], Any]  # learner, the name of its method, X
    score: Callable[[Any, Any, Any, Any], float]  # as ``fit``
    separability: Callable[..., Any]  # X, y, and by name what is asked
    verify: Callable[[Any, Any, Any], bool]  # a proof, X, y


DRIVERS: dict[str, Callable[[], Driver]] = {}  # by the package that the type of X is from


def driver_of(X: Any) -> Driver | None:
    """Who works on these rows; None if they are in memory."""
    found = DRIVERS.get(type(X).__module__.partition(".")[0])
    return None if found is None else found()


def where_rows_are(method: Method) -> Method:
    """A method that answers for the rows of X, in memory or elsewhere."""

    @wraps(method)
    def answer(self: Any, X: Any) -> Any:
        driver = driver_of(X)
        return method(self, X) if driver is None else driver.answer(self, method.__name__, X)

    return answer  # type: ignore[return-value]


def refuse_elsewhere(estimator: Any, X: Any) -> None:
    """Refuse rows that would have to be fetched, all of them, without anybody having asked for it."""
    if driver_of(X) is not None:
        raise TypeError(
            f"{type(estimator).__name__} needs rows in memory for this, and X is a {type(X).__name__} of partitions: hand in "
            "X.compute(), if all rows fit into memory."
        )
