"""The rows that are asked for, wherever they lie."""

from __future__ import annotations

from contextlib import AbstractContextManager

from .loading import Rows, loaded
from .on_cluster import loaded_apart, stays_apart
from .requests import Source
from .watching import NOBODY, Watcher


def rows_of(source: Source, task: str, watcher: Watcher = NOBODY) -> AbstractContextManager[Rows]:
    """Read all rows once: into this process, or in partitions."""
    return (loaded_apart if stays_apart(source) else loaded)(source, task, watcher)
