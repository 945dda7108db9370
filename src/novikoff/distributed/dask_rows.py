"""Dask collections as partitions: X, y and weights of the same rows, together in one task."""

from __future__ import annotations

from typing import Any

import numpy as np
from dask import delayed

REMEDY = "Make them from the same collection, or rechunk or repartition them alike."


def delayed_blocks(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """Delayed ``(X, y)`` or ``(X, y, weight)``, one for each partition of the rows of X."""
    X = whole_rows(X)
    columns = [row_blocks(X), aligned(y, X, "y")]
    if sample_weight is not None:
        columns.append(aligned(sample_weight, X, "sample_weight"))
    return [delayed(together, pure=False)(*blocks) for blocks in zip(*columns, strict=True)]


def whole_rows(X: Any) -> Any:
    """The same collection, cut between rows only."""
    return X.rechunk({1: -1}) if hasattr(X, "numblocks") and X.ndim == 2 and X.numblocks[1] > 1 else X


def together(*blocks: Any) -> tuple[Any, ...]:
    """The X, y and weights of a partition."""
    return blocks


def row_blocks(collection: Any) -> list[Any]:
    """Its partitions, delayed."""
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def aligned(values: Any, X: Any, name: str) -> list[Any]:
    """The values of each partition of X; they may be in memory, where the sizes of partitions are known."""
    sizes = known_sizes(X)
    if not hasattr(values, "__dask_graph__"):
        if sizes is None:
            raise ValueError(
                f"{name} is in memory, and how many rows each partition of X has is not known: hand in {name} as a Dask "
                "collection with the partitions of X, or call X.compute_chunk_sizes() first."
            )
        values = np.asarray(values)
        if len(values) != sum(sizes):
            raise ValueError(f"X has {sum(sizes)} rows, and {name} has {len(values)}.")
        return list(np.split(values, np.cumsum(sizes)[:-1]))
    if sizes is not None and (own := known_sizes(values)) is not None and own != sizes:
        if sum(own) != sum(sizes):
            raise ValueError(f"X has {sum(sizes)} rows, and {name} has {sum(own)}.")
        values = values.rechunk({0: sizes})
    of_X, of_values = (getattr(one, "divisions", (None,)) for one in (X, values))
    blocks = row_blocks(values)
    count = len(row_blocks(X))
    if len(blocks) != count or (None not in (*of_X, *of_values) and of_X != of_values):
        raise ValueError(f"X has {count} partitions, and {name} has {len(blocks)}, or others. {REMEDY}")
    return blocks


def known_sizes(collection: Any) -> tuple[int, ...] | None:
    """How many rows each partition of an array has; None if nobody knows."""
    sizes = collection.chunks[0] if hasattr(collection, "chunks") else (np.nan,)
    return None if np.isnan(sizes).any() else tuple(map(int, sizes))
