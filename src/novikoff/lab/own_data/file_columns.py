"""What the columns of a file are, before a target is chosen."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ...rows.readers.reading import open_data
from ...rows.readers.reading_options import Reading
from ...rows.store.blocks import Schema, TableBlock
from ...tables.progress import Watcher
from ...tables.results import plain

FIRST_ROWS = 5  # that are shown
MOST_COLUMNS = 2000  # that are listed
MOST_SHOWN = 12  # columns of the first rows
FEW = 20  # classes that a target is likely to have at most


def columns_of(path: str, watcher: Watcher, reading: Reading) -> dict[str, Any]:
    """The columns by name, how many rows there are, the first of them, and the column that is likely to be the target."""
    data = open_data([path], None, reading=reading)
    try:
        counts = _Counts(data.schema)
        with watcher.progress("Reading", data.size, "bytes") as advance:
            for block in data.blocks(advance):
                counts.add(block)
        schema = data.schema
        if not schema.columns:
            return {"sparse": True, "rows": data.n_rows, "features": schema.n_features, "notes": data.notes}
        columns = [
            {
                "name": column.name,
                "kind": column.kind,
                "missing": counts.missing[column.name],
                "values": counts.different(column.name),
                "left_out": None,
            }
            for column in schema.columns[:MOST_COLUMNS]
        ]
        columns += [
            {"name": left.column, "kind": "ignore", "missing": None, "values": None, "left_out": left.why}
            for left in data.left_out
        ]
        names = [column.name for column in schema.columns[:MOST_SHOWN]]
        return plain(
            {
                "sparse": False,
                "rows": data.n_rows,
                "columns": columns,
                "more_columns": max(0, len(schema.columns) - MOST_COLUMNS),
                "first": {"names": names, "rows": list(islice(data.texts(names), FIRST_ROWS))},
                "target": likely_target(columns),
                "notes": data.notes,
            }
        )
    finally:
        data.close()


def likely_target(columns: list[dict[str, Any]]) -> str:
    """The last column of few categories, or the first one, or any; else of few numbers; else the last column."""
    for kind in ("category", "number"):
        found = [each for each in columns if each["kind"] == kind and each["values"] and 2 <= each["values"] <= FEW]
        for likely in (columns[-1], columns[0], *found[-1:]):
            if likely in found:
                return str(likely["name"])
    return str(columns[-1]["name"])


class _Counts:
    """Missing values, and different ones, of each column."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.missing = {column.name: 0 for column in schema.columns}
        self._numbers: dict[str, set[float] | None] = {name: set() for name in schema.numbers}  # None: many

    def add(self, block: Any) -> None:
        """Count a block."""
        if not isinstance(block, TableBlock):
            return
        for name, values in zip(self._schema.numbers, block.numbers.T, strict=True):
            self.missing[name] += int(np.isnan(values).sum())
            known = self._numbers[name]
            if known is not None:
                known.update(np.unique(values[~np.isnan(values)])[: FEW + 1].tolist())
                if len(known) > FEW:
                    self._numbers[name] = None
        for name, codes in zip(self._schema.categories, block.codes.T, strict=True):
            self.missing[name] += int((codes < 0).sum())

    def different(self, name: str) -> int | None:
        """How many different values there are; None: many numbers."""
        if name in self._schema.levels:
            return len(self._schema.levels[name])
        known = self._numbers[name]
        return None if known is None else len(known)
