"""An engine that says when all partitions have been asked: what a bar of progress needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .folding import Engine, Function, Merge


class Watched:
    """An engine; after each fold somebody is told what was asked."""

    def __init__(self, engine: Engine, tell: Callable[[Function], None]) -> None:
        self._engine, self._tell = engine, tell

    def fold(self, function: Function, merge: Merge, state: Any) -> Any:
        """See ``Engine``."""
        answer = self._engine.fold(function, merge, state)
        self._tell(function)
        return answer

    def map(self, function: Function, state: Any) -> Watched:
        """See ``Engine``."""
        return Watched(self._engine.map(function, state), self._tell)

    def deal(self, *how: Any) -> Watched:
        """See ``Engine``."""
        return Watched(self._engine.deal(*how), self._tell)
