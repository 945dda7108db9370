"""Which rows of which files make a partition: planned from groups of rows and sizes of files alone, so that the same files
make the same partitions, and with them the same bits, on any cluster."""

from __future__ import annotations

from collections.abc import Sequence
from operator import or_
from typing import Any

from ..rows.clusters import Engine

PARTITION = 32 << 20  # bytes of files that make a partition, about
MOST = 2000  # partitions, about: each costs every round some milliseconds


def plan_partitions(readers: Sequence[Any], make: Engine, size: int | None = None) -> list[list[Any]]:
    """Lists of readers, one for each partition.

    Files are cut into parts of about ``size`` bytes where their format allows it; a small file is a partition by itself, unless
    there would be too many of them.  Where quotes hide the ends of lines, text stays whole: an engine looks for them.
    """
    total = sum(reader.source.size for reader in readers)
    size = size or max(PARTITION, total // MOST)
    cuts = [reader.cuts(size) for reader in readers]
    in_doubt = [part for parts in cuts if len(parts) > 1 for part in parts if hasattr(part, "cut_in_quotes")]
    quoted = make(in_doubt).fold(name_if_quoted, or_, None) or set() if in_doubt else set()
    parts = [
        part
        for reader, own in zip(readers, cuts, strict=True)
        for part in (own if reader.name not in quoted else [reader])
    ]
    at_once = -(-len(parts) // MOST)
    return [parts[first : first + at_once] for first in range(0, len(parts), at_once)]


def name_if_quoted(number: int, reader: Any, state: None) -> set[str] | None:
    """The name of a file that is to stay whole."""
    return {reader.name} if reader.cut_in_quotes() else None
