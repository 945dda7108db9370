"""One verb: map a function and a small state over numbered partitions, and merge the answers by a fixed tree.

The tree depends on the numbers of the partitions only, so that the same partitions give the same bits whatever the number of
workers, threads or failures.  Functions are pure: they write into nothing that they are given.  Products take one thread each,
since more would add up in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..inputs.threads import one_thread

FAN_IN = 8  # answers that are merged at once

Function = Callable[[int, Any, Any], Any]  # of a partition's number, its rows and the state; None: nothing to say
Merge = Callable[[Any, Any], Any]


class Dealing(NamedTuple):
    """How rows are dealt anew to as many partitions."""

    places: Callable[[int, Any, int], np.ndarray]  # of a number, its partition and the count: where each row goes
    taken: Callable[[Any, np.ndarray], Any]  # these rows of a partition
    join: Callable[[list[Any]], Any]  # rows below each other

    def pieces(self, number: int, partition: Any, count: int) -> list[Any]:
        """The rows of a partition for each of ``count`` new ones, in their order."""
        return cut(self.taken, partition, self.places(number, partition, count), count)


class Partitions(Protocol):
    """Numbered partitions, and how a function runs on all of them: what an engine has to offer."""

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """``function(number, partition, state)`` of all partitions, merged by the tree of ``merged_by_tree``; None if all answers are."""

    def map(self, function: Function, state: Any) -> Partitions:
        """The partitions that ``function`` makes of these."""

    def deal(self, how: Dealing) -> Partitions:
        """As many partitions, of rows from all: first those from partition 0, as they lay there, then those from 1, ..."""


def applied(function: Function, number: int, partition: Any, state: Any) -> Any:
    """Call a function of a partition, with one thread for products of matrices: more would add up in another order.

    Parameters
    ----------
    function : callable
        A function of a partition's number, the partition and the state.
    number : int
        The number of the partition.
    partition : object
        The partition.
    state : object
        What all partitions are told.

    Returns
    -------
    object
        The function's answer.
    """
    with one_thread():
        return function(number, partition, state)


def merged(merge: Merge, *answers: Any) -> Any:
    """Some answers, the first with the second, then with the third and so on."""
    said = [answer for answer in answers if answer is not None]
    with one_thread():
        return reduce(merge, said) if said else None


def merged_by_tree(merge: Merge, answers: Iterable[Any]) -> Any:
    """Merge the answers of all partitions by the tree that every engine uses.

    Parameters
    ----------
    merge : callable
        A function of two answers.
    answers : iterable
        The answers, in the order of the partitions' numbers.  None: a partition has nothing to say.

    Returns
    -------
    object
        What all of them say; None if all are None.
    """
    level = list(answers)
    while len(level) > 1:
        level = [merged(merge, *group) for group in groups(level)]
    return level[0]


def groups(answers: list[Any]) -> list[list[Any]]:
    """What is merged at once."""
    return [answers[first : first + FAN_IN] for first in range(0, len(answers), FAN_IN)]


def cut(taken: Callable[[Any, np.ndarray], Any], block: Any, places: np.ndarray, count: int) -> list[Any]:
    """The rows for each of ``count`` places, in their order."""
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(count + 1))
    return [taken(block, order[first:last]) for first, last in pairwise(bounds)]


class Here:
    """Partitions in this process: the slow twin of every other engine, and what small data need."""

    def __init__(self, partitions: Sequence[Any], threads: int = 1) -> None:
        self._partitions, self._threads = list(partitions), threads

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Partitions``."""
        return merged_by_tree(merge, self._each(function, state))

    def map(self, function: Function, state: Any) -> Here:
        """See ``Partitions``."""
        return Here(self._each(function, state), self._threads)

    def deal(self, how: Dealing) -> Here:
        """See ``Partitions``."""
        count = len(self._partitions)
        pieces = self._each(lambda number, block, _: how.pieces(number, block, count), None)
        return Here([how.join(list(of_each)) for of_each in zip(*pieces, strict=True)], self._threads)

    def _each(self, function: Function, state: Any) -> list[Any]:
        numbers = range(len(self._partitions))
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(lambda number: applied(function, number, self._partitions[number], state), numbers))


class Watched:
    """An engine; after each fold somebody is told what was asked."""

    def __init__(self, engine: Partitions, tell: Callable[[Function], None]) -> None:
        self._engine, self._tell = engine, tell

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Partitions``."""
        answer = self._engine.fold(function, merge, state)
        self._tell(function)
        return answer

    def map(self, function: Function, state: Any) -> Watched:
        """See ``Partitions``."""
        return Watched(self._engine.map(function, state), self._tell)

    def deal(self, *how: Any) -> Watched:
        """See ``Partitions``."""
        return Watched(self._engine.deal(*how), self._tell)
