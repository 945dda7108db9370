"""The rows that are asked for, wherever they lie."""

from __future__ import annotations

from contextlib import AbstractContextManager

from .loading import Rows, loaded
from .on_cluster import is_apart, loaded_apart
from .requests import Source
from .watching import NOBODY, Watcher


def rows_of(source: Source, task: str, watcher: Watcher = NOBODY) -> AbstractContextManager[Rows]:
    """Read all rows once: into this process, or in partitions."""
    if source.cluster is None and not any(map(is_apart, source.files)):
        return loaded(source, task, watcher)
    return loaded_apart(source, task, watcher)
