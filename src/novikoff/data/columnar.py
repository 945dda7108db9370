"""Parquet, Arrow and Feather files, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa

from ..shell import quote
from .blocks import DataError
from .kinds import kind_of_type
from .options import Fault, Plan
from .sources import Source
from .tables import TablePart, make_part

ROWS = 1 << 16  # of a batch
BYTES = 8 << 20  # of a batch, about


class Batch(NamedTuple):
    """Rows of a file of columns."""

    rows: Any
    done: int  # bytes of the file that these rows and those before them take, about


class Columnar:
    """A file of columns."""

    header, open_ended = True, False

    def __init__(self, source: Source, kind: str) -> None:
        self.source, self.name, self.notes = source, source.name, list[str]()
        self._parquet = kind == "parquet"
        with self._file() as file:
            schema = file.schema_arrow if self._parquet else file.schema
            self._types = dict(zip(schema.names, schema.types, strict=True))
            self.names = schema.names
        for name in self.names:
            if self.names.count(name) > 1:
                raise DataError(f"{self.name}: two columns are named {name!r}; rename one of them.")

    @contextmanager
    def _file(self) -> Iterator[Any]:
        self.source.check()
        try:
            with pa.memory_map(self.source.path) as bytes_:
                if self._parquet:
                    from pyarrow import parquet

                    yield parquet.ParquetFile(bytes_)
                else:
                    yield pa.ipc.open_file(bytes_)
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise DataError(f"{self.name}: cannot be read: {error}") from None

    def kinds(self, names: list[str], missing: frozenset[str]) -> dict[str, str]:
        """What columns hold, by their types."""
        return {name: self._kind(name) for name in names}

    def _kind(self, name: str) -> str:
        kind = kind_of_type(self._types[name])
        if kind is None:
            held = self._types[name]
            raise DataError(
                f"{self.name}: column {name!r} holds {held}, of which nothing is learned; pass --ignore {quote(name)}."
            )
        return kind

    def pieces(self, plan: Plan | None = None) -> Iterator[Batch]:
        """The file's rows, a batch at a time."""
        names = [*plan.floats, *plan.texts] if plan else self.names
        for name in names:
            self._kind(name)
        size = max(1, min(ROWS, BYTES // (8 * len(names))))
        with self._file() as file:
            for batch, share in _batches(file, self._parquet, names, size):
                yield Batch(batch, int(self.source.size * share))
        self.source.check()

    def parse(self, batch: Batch, plan: Plan) -> TablePart:
        """The rows of a batch."""
        try:
            return make_part(dict(zip(batch.rows.schema.names, batch.rows.columns, strict=True)), plan)
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise DataError(f"{self.name}: cannot be read: {error}") from None

    def place(self, number: int, batch: Batch | None, fault: Fault, first: int) -> str:
        """Where a fault is, by its row, counted from 1."""
        column = f", column {fault.column!r}" if fault.column is not None else ""
        return f"{self.name}: row {first + (fault.row or 0) + 1}{column}"


def _batches(file: Any, is_parquet: bool, names: list[str], size: int) -> Iterator[tuple[Any, float]]:
    """Batches of rows, and which share of the file is done with each."""
    if is_parquet:
        rows = 0
        for batch in file.iter_batches(size, columns=names):
            rows += batch.num_rows
            yield batch, rows / file.metadata.num_rows
        return
    for place in range(file.num_record_batches):
        batch = file.get_batch(place).select(names)
        batch.validate(full=True)  # a damaged file would have Arrow read foreign memory
        for start in range(0, batch.num_rows, size):
            last = start + size >= batch.num_rows
            yield batch.slice(start, size), (place + last) / file.num_record_batches
