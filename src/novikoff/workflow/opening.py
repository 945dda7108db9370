"""The rows that are asked for, wherever they lie."""

from __future__ import annotations

from contextlib import AbstractContextManager

from .loading import Rows, loaded
from .requests import Source
from .watching import NOBODY, Watcher


def rows_of(source: Source, task: str, watcher: Watcher = NOBODY) -> AbstractContextManager[Rows]:
    """Read all rows once."""
    return loaded(source, task, watcher)
