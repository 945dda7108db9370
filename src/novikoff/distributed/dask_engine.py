"""Folds as Dask graphs: one graph a fold, nothing pinned to a worker, no other messages.

A worker that is lost takes nothing with it: Dask makes its partitions again from where they came from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import getitem
from typing import Any

import dask
from dask import delayed

from .folding import Function, Merge, groups, merged


def running_client() -> Any:
    """The client of the cluster in use; None if there is none."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


class DaskEngine:
    """Delayed partitions.  With a client they are kept on its workers; without one they are read anew in every fold."""

    def __init__(self, partitions: Sequence[Any], client: Any = None) -> None:
        self._client = client
        self._partitions: list[Any] = list(client.persist(list(partitions)) if client else partitions)

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Engine``."""
        answers = self._each(function, state)
        while len(answers) > 1:
            answers = [delayed(merged, pure=False)(merge, group) for group in groups(answers)]
        if self._client is None:
            return dask.compute(answers[0])[0]
        future = self._client.compute(answers[0])
        try:
            return future.result()
        finally:  # after Ctrl-C, too
            future.cancel()

    def map(self, function: Function, state: Any) -> DaskEngine:
        """See ``Engine``."""
        return DaskEngine(self._each(function, state), self._client)

    def deal(self, split: Function, join: Callable[[list[Any]], Any]) -> DaskEngine:
        """See ``Engine``."""
        count = len(self._partitions)
        cut = self._each(split, count)
        dealt = [[delayed(getitem, pure=False)(pieces, place) for pieces in cut] for place in range(count)]
        return DaskEngine([delayed(join, pure=False)(pieces) for pieces in dealt], self._client)

    def _each(self, function: Function, state: Any) -> list[Any]:
        given = delayed(state, traverse=False)  # one task, which every worker that needs it asks for
        return [
            delayed(function, pure=False)(number, partition, given) for number, partition in enumerate(self._partitions)
        ]
