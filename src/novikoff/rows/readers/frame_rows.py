"""A data frame or an Arrow table read by the rules of files: ids left out, texts that mean "missing", dates, rows dropped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .columnar import Batch, Columnar
from .frames import as_table
from .reading_options import Fault, Reading


class FrameSource:
    """A frame in memory, where readers of files have a file."""

    compression = None

    def __init__(self, frame: Any, number: int | None = None) -> None:
        """``number`` is that of the frame, if there are several."""
        self.frame, self.path = frame, ""
        self.name = frame_name(frame) + ("" if number is None else f" {number}")
        self.table = as_table(frame)
        self.size = int(self.table.nbytes)

    def check(self) -> None:
        """Arrow holds the rows: they stay as they are."""


def frame_name(frame: Any) -> str:
    """What messages call a frame, which has no name: "pandas DataFrame", "pyarrow Table"."""
    kind = type(frame)
    return f"{kind.__module__.split('.')[0]} {kind.__name__}"


class FrameRows(Columnar):
    """The rows of a frame."""

    def __init__(self, source: FrameSource, reading: Reading) -> None:
        self._table = source.table
        super().__init__(source, reading)

    @contextmanager
    def _file(self) -> Iterator[Any]:
        yield self._table

    def _schema(self, file: Any) -> Any:
        return file.schema

    def _batches(self, file: Any, names: list[str], size: int) -> Iterator[tuple[Any, float]]:
        table, done = file.select(names), 0
        for start in range(0, table.num_rows, size):
            part = table.slice(start, size)
            done += part.num_rows
            yield part.combine_chunks(), done / table.num_rows

    def place(self, number: int, batch: Batch | None, fault: Fault, first: int) -> str:
        """Where a fault is, by its row, counted from 0 as frames count."""
        column = f", column {fault.column!r}" if fault.column is not None else ""
        return f"{self.name} (rows count from 0): row {first + (fault.row or 0)}{column}"
