"""One verb: map a function and a small state over numbered partitions, and merge the answers by a fixed tree.

The tree depends on the numbers of the partitions only, so that the same partitions give the same bits whatever the number of
workers, threads or failures.  Functions are pure: they write into nothing that they are given.  Products take one thread each,
since more would add up in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from ..system.threads import one_thread

FAN_IN = 8  # answers that are merged at once

Function = Callable[[int, Any, Any], Any]  # of a partition's number, its rows and the state; None: nothing to say
Merge = Callable[[Any, Any], Any]


class Reshuffle(NamedTuple):
    """How rows are reshuffled to as many partitions."""

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

    def reshuffle(self, how: Reshuffle) -> Partitions:
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
    waiting: list[
        list[Any]
    ] = []  # of each level of the tree: answers that are yet to be merged, so that few are held at a time
    for answer in answers:
        level = 0
        while True:
            if level == len(waiting):
                waiting.append([])
            waiting[level].append(answer)
            if len(waiting[level]) < FAN_IN:
                break
            answer, waiting[level], level = merged(merge, *waiting[level]), [], level + 1
    left: list[Any] = []
    for group in waiting:
        if group or left:
            left = [merged(merge, *group, *left)]
    return left[0]


def groups(answers: list[Any]) -> list[list[Any]]:
    """What is merged at once."""
    return [answers[first : first + FAN_IN] for first in range(0, len(answers), FAN_IN)]


def cut(taken: Callable[[Any, np.ndarray], Any], block: Any, places: np.ndarray, count: int) -> list[Any]:
    """The rows for each of ``count`` places, in their order."""
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(count + 1))
    return [taken(block, order[first:last]) for first, last in pairwise(bounds)]


def scrambled(number: int, rows: int) -> np.ndarray:
    """A number for each row of a partition, as if drawn at random: SplitMix64 (Steele et al. 2014) of 2^40 times the partition, plus
    the row."""
    with np.errstate(over="ignore"):  # arithmetic is modulo 2^64
        z = (np.arange(rows, dtype=np.uint64) + np.uint64((number << 40) + 1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def stacked(matrices: list[Any]) -> Any:
    """Rows below each other; sparse if some are."""
    if not any(map(sparse.issparse, matrices)):
        return np.concatenate(matrices)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(matrix) for matrix in matrices], format="csr"))


class Here:
    """Partitions in this process: the slow twin of every other engine, and what small data need."""

    def __init__(self, partitions: Sequence[Any], threads: int = 1) -> None:
        self._partitions, self._threads = partitions, threads

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Partitions``."""
        return merged_by_tree(merge, self._each(function, state))

    def map(self, function: Function, state: Any) -> Here:
        """See ``Partitions``."""
        return Here(list(self._each(function, state)), self._threads)

    def reshuffle(self, how: Reshuffle) -> Here:
        """See ``Partitions``."""
        count = len(self._partitions)
        pieces = self._each(lambda number, block, _: how.pieces(number, block, count), None)
        return Here([how.join(list(of_each)) for of_each in zip(*pieces, strict=True)], self._threads)

    def _each(self, function: Function, state: Any) -> Iterator[Any]:
        def answer(number: int) -> Any:
            return applied(function, number, self._partitions[number], state)

        numbers = range(len(self._partitions))
        if self._threads == 1:  # so that Ctrl-C is heard
            yield from map(answer, numbers)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(answer, numbers)


class OnDemand(Here):
    """Partitions of a sequence that reads one when it is asked for.  Every fold reads and maps them again, and holds one at a time."""

    def map(self, function: Function, state: Any) -> OnDemand:
        """See ``Partitions``."""
        return OnDemand(Mapped(self._partitions, function, state), self._threads)


class Mapped(Sequence[Any]):
    """What a function makes of each partition, when that is asked for."""

    def __init__(self, partitions: Sequence[Any], function: Function, state: Any) -> None:
        self._partitions, self._function, self._state = partitions, function, state

    def __len__(self) -> int:
        return len(self._partitions)

    def __getitem__(self, number: Any) -> Any:
        return applied(self._function, number, self._partitions[number], self._state)


class Watched:
    """An engine; after each fold a listener is told what was asked."""

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

    def reshuffle(self, *how: Any) -> Watched:
        """See ``Partitions``."""
        return Watched(self._engine.reshuffle(*how), self._tell)
