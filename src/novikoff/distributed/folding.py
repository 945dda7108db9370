"""One verb: map a function and a small state over numbered partitions, and merge the answers by a fixed tree.

The tree depends on the numbers of the partitions only, so that the same partitions give the same bits whatever the number of
workers, threads or failures.  Functions are pure: they write into nothing that they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any, Protocol

FAN_IN = 8  # answers that are merged at once

Function = Callable[[int, Any, Any], Any]  # of a partition's number, its rows and the state; None: nothing to say
Merge = Callable[[Any, Any], Any]


class Engine(Protocol):
    """What has partitions, and works on each where it lies."""

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """What ``function`` says of all partitions, merged; None if it has nothing to say of any."""

    def map(self, function: Function, state: Any) -> Engine:
        """The partitions that ``function`` makes of these."""

    def deal(self, split: Function, join: Callable[[list[Any]], Any]) -> Engine:
        """As many partitions: ``split`` cuts each into that many pieces, and ``join`` makes a partition of one piece of each."""


def merged(merge: Merge, answers: Sequence[Any]) -> Any:
    """Some answers, the first with the second, then with the third and so on."""
    said = [answer for answer in answers if answer is not None]
    return reduce(merge, said) if said else None


def groups(answers: list[Any]) -> list[list[Any]]:
    """What is merged at once."""
    return [answers[first : first + FAN_IN] for first in range(0, len(answers), FAN_IN)]


class Local:
    """Partitions in this process: the slow twin of every other engine, and what small data need."""

    def __init__(self, partitions: Sequence[Any], threads: int = 1) -> None:
        self._partitions, self._threads = list(partitions), threads

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Engine``."""
        answers = self._each(function, state)
        while len(answers) > 1:
            answers = [merged(merge, group) for group in groups(answers)]
        return answers[0]

    def map(self, function: Function, state: Any) -> Local:
        """See ``Engine``."""
        return Local(self._each(function, state), self._threads)

    def deal(self, split: Function, join: Callable[[list[Any]], Any]) -> Local:
        """See ``Engine``."""
        pieces = self._each(split, len(self._partitions))
        return Local([join(list(of_each)) for of_each in zip(*pieces, strict=True)], self._threads)

    def _each(self, function: Function, state: Any) -> list[Any]:
        numbers = range(len(self._partitions))
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(lambda number: function(number, self._partitions[number], state), numbers))
