"""Dask collections as partitions: X, y and weights of the same rows in one task."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
from dask import delayed


def delayed_blocks(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """``(X, y)`` or ``(X, y, weight)`` for each partition of the rows of X: of frames one delayed value, of arrays several."""
    columns = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    if all(hasattr(one, "divisions") for one in columns.values()):
        return blocks_of_frames(columns)
    X = whole_rows(columns.pop("X"))
    blocks = [row_blocks(X), *(beside(name, values, X) for name, values in columns.items())]
    return list(zip(*blocks, strict=True))


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
                "in frame[columns] and frame['y'], after all filters."
            )
    whole = dd.map_partitions(
        side_by_side, *columns.values(), meta=X._meta, enforce_metadata=False, align_dataframes=False
    )
    return list(whole.to_delayed())


def row_blocks(collection: Any) -> list[Any]:
    """The blocks of rows, delayed."""
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def beside(name: str, values: Any, X: Any) -> list[Any]:
    """The values of the rows of each block of X.  Where sizes are not known, and are needed to bring both together, rows are counted."""
    blocks, lazy = row_blocks(X), hasattr(values, "__dask_graph__")
    sizes, own = known_sizes(X), known_sizes(values) if lazy else (len(values),)
    if sizes is own is None and len(row_blocks(values)) == len(blocks):
        return row_blocks(values)
    sizes = sizes or counted(blocks)
    own = own or counted(row_blocks(values))
    if sum(own) != sum(sizes):
        raise ValueError(f"X has {sum(sizes)} rows, and {name} has {sum(own)}.")
    if not lazy:
        return [delayed(own, traverse=False) for own in np.split(np.asarray(values), np.cumsum(sizes)[:-1])]
    if known_sizes(values) is None:
        parts = zip(row_blocks(values), own, strict=True)
        values = da.concatenate([da.from_delayed(block, (size,), dtype=values.dtype) for block, size in parts])
    return row_blocks(values.rechunk({0: sizes}))


def counted(blocks: list[Any]) -> tuple[int, ...]:
    """How many rows each block has."""
    return tuple(dask.compute(*(delayed(len)(block) for block in blocks)))


def known_sizes(collection: Any) -> tuple[int, ...] | None:
    """How many rows each block of an array has; None if that is not known."""
    sizes = collection.chunks[0] if hasattr(collection, "chunks") else (np.nan,)
    return None if np.isnan(sizes).any() else tuple(map(int, sizes))
