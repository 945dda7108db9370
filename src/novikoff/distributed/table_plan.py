"""Which rows of which files make a partition: planned from groups of rows and sizes of files alone, so that the same files
make the same partitions, and with them the same bits, whoever works on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PARTITION = 32 << 20  # bytes of files that make a partition, about
MOST = 2000  # partitions, about: each costs every round some milliseconds


def plan_partitions(readers: Sequence[Any], whole: frozenset[str] = frozenset(), size: int | None = None) -> list[Any]:
    """Lists of readers, one for each partition.

    Files are cut into parts of about ``size`` bytes where their format allows it, but for those to be read ``whole``; a small
    file is a partition by itself unless there would be too many.
    """
    total = sum(reader.source.size for reader in readers)
    size = size or max(PARTITION, total // MOST)
    parts = [part for reader in readers for part in (reader.cuts(size) if reader.name not in whole else [reader])]
    at_once = -(-len(parts) // MOST)
    return [parts[first : first + at_once] for first in range(0, len(parts), at_once)]
