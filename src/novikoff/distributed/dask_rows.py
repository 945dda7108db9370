"""Dask collections as partitions: X, y and weights of the same rows in one task."""

from __future__ import annotations

from typing import Any

import numpy as np
from dask import delayed

# What to do where the sizes of blocks are not known, of an array and of a data frame.
REMEDIES = "call X.compute_chunk_sizes() first", "use X.values.compute_chunk_sizes() in place of the data frame"


def delayed_blocks(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """Delayed ``(X, y)`` or ``(X, y, weight)``, one for each partition of the rows of X."""
    columns = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    if all(hasattr(one, "divisions") for one in columns.values()):
        return blocks_of_frames(columns)
    X = whole_rows(columns.pop("X"))
    blocks = [row_blocks(X), *(row_blocks(values, name, X) for name, values in columns.items())]
    return [delayed(side_by_side, pure=False)(*each) for each in zip(*blocks, strict=True)]


def whole_rows(X: Any) -> Any:
    """The same collection, cut between rows only."""
    return X.rechunk({1: -1}) if hasattr(X, "numblocks") and X.ndim == 2 and X.numblocks[1] > 1 else X


def side_by_side(*blocks: Any) -> tuple[Any, ...]:
    """The X, y and weights of a partition."""
    return blocks


def blocks_of_frames(columns: dict[str, Any]) -> list[Any]:
    """Of data frames and series: as one expression, which Dask optimises as a whole.  Each by itself, the columns of one Parquet file
    may be read in other partitions: Dask reads more rows at once where it reads fewer columns."""
    import dask.dataframe as dd  # and pandas

    X = columns["X"]
    for name, values in columns.items():
        known = None not in (*X.divisions, *values.divisions)
        if values.npartitions != X.npartitions or (known and values.divisions != X.divisions):
            raise ValueError(
                f"X has {X.npartitions} partitions, and {name} has {values.npartitions}, or others: take both from one data frame, as "
                "in frame[columns] and frame['y']."
            )
    whole = dd.map_partitions(
        side_by_side, *columns.values(), meta=X._meta, enforce_metadata=False, align_dataframes=False
    )
    return list(whole.to_delayed())


def row_blocks(values: Any, name: str = "X", X: Any = None) -> list[Any]:
    """The blocks of rows, delayed; of values beside X, those of each block of X, which may be in memory if its sizes are known."""
    if X is None:
        return list(np.ravel(np.array(values.to_delayed(), dtype=object)))
    sizes, own = known_sizes(X), known_sizes(values) if hasattr(values, "__dask_graph__") else (len(values),)
    if sizes is not None and own is not None:
        if sum(own) != sum(sizes):
            raise ValueError(f"X has {sum(sizes)} rows, and {name} has {sum(own)}.")
        if not hasattr(values, "__dask_graph__"):
            return list(np.split(np.asarray(values), np.cumsum(sizes)[:-1]))
        values = values.rechunk({0: sizes})
    elif not hasattr(values, "__dask_graph__"):
        raise ValueError(
            f"{name} is in memory, and how many rows each partition of X has is not known: "
            f"{REMEDIES[hasattr(X, 'divisions')]}."
        )
    blocks, count = row_blocks(values), len(row_blocks(X))
    if len(blocks) != count:
        raise ValueError(
            f"X has {count} partitions, and {name} has {len(blocks)}: hand in columns of one data frame, as in frame[columns] and "
            "frame['y'], or arrays whose chunk sizes are known (array.compute_chunk_sizes())."
        )
    return blocks


def known_sizes(collection: Any) -> tuple[int, ...] | None:
    """How many rows each block of an array has; None if that is not known."""
    sizes = collection.chunks[0] if hasattr(collection, "chunks") else (np.nan,)
    return None if np.isnan(sizes).any() else tuple(map(int, sizes))
