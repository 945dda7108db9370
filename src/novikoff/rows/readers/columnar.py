"""Parquet, Arrow and Feather files, a batch of rows at a time."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

from ...inputs.addresses import is_address, open_bytes
from ...inputs.keywords import keyword
from ...inputs.threads import AHEAD
from ..store.blocks import DataError
from .arrow import pa, pc
from .arrow_columns import is_text
from .arrow_sizes import largest_batch
from .byte_sources import Source
from .column_kinds import Kind, decide, kind_of_type, look_at
from .parquet_sizes import Pages, pages_of
from .reading_options import Fault, Plan, Reading, refuse_batch, refuse_columns, refuse_names, refuse_pages
from .tables import TablePart, make_part

ROWS = 1 << 16  # of a batch
BYTES = 8 << 20  # of a batch, about
SMALLEST_BUFFER = 1 << 16  # bytes of a column that are read at once, however many columns there are
BATCHES = AHEAD + 2  # that are in memory at once: those that are parsed ahead, the next one and the last one


class Batch(NamedTuple):
    """Rows of a file of columns."""

    rows: Any
    done: int  # bytes of the file that these rows and those before them take, about


class Columnar:
    """A file of columns with types."""

    header, open_ended = True, False

    def __init__(self, source: Any, reading: Reading) -> None:
        self.source, self.name, self.notes = source, source.name, list[str]()
        self.unnamed: dict[str, int] = {}
        with self._file() as file:
            schema = self._schema(file)
            self._types = dict(zip(schema.names, schema.types, strict=True))
            self.names: list[str] = schema.names
        refuse_columns(self.name, len(self.names), reading.room)
        refuse_names(self.name, self.names)
        if len(self._types) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise DataError(f"{self.name}: two columns are named {twice!r}; rename one of them.")

    @contextmanager
    def _file(self) -> Iterator[Any]:
        self.source.check()
        with self._readable(), self._bytes() as opened:
            yield self._open(opened)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Within it, what Arrow refuses is said of the file."""
        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise DataError(f"{self.name}: cannot be read: {error}") from None

    def _bytes(self) -> Any:
        if is_address(self.source.path):
            return pa.PythonFile(open_bytes(self.source.path), "r")
        return pa.OSFile(self.source.path)  # a memory map of a file that shrinks ends the process

    def cuts(self, size: int) -> list[Any]:
        """See ``FileReader``."""
        return [self]

    def _open(self, opened: Any) -> Any:
        """Arrow's reader of the bytes of the file."""
        raise NotImplementedError

    def _schema(self, file: Any) -> Any:
        """What Arrow's reader says of the columns."""
        raise NotImplementedError

    def _batches(self, file: Any, names: list[str], size: int) -> Iterator[tuple[Any, float]]:
        """Batches of at most ``size`` rows, and which share of the file is done with each."""
        raise NotImplementedError

    def kinds(self, names: list[str], reading: Reading) -> dict[str, Kind]:
        """What columns hold, by their types; of texts, whether they look like something else."""
        texts = [name for name in names if is_text(self._types[name])]
        batch = next(self.pieces(Plan((), tuple(texts), None, "classes")), None) if texts else None
        columns = dict(zip(texts, batch.rows.select(texts).columns, strict=True)) if batch else {}
        with self._readable():
            looks = {name: look_at(column, reading) for name, column in columns.items()}
        found = decide(looks, reading, typed=True)
        return {name: found[name] if name in found else self._typed(name, reading) for name in names}

    def _typed(self, name: str, reading: Reading) -> Kind:
        kind = self._kind(name)
        if kind != "date":
            return Kind(kind)
        if reading.dates == "categories":
            raise DataError(
                f"{self.name}: column {name!r} holds dates; pass dates='parts' to learn from year, month, day and "
                f"weekday, or {keyword('ignore', name)}."
            )
        return Kind("date", order="ymd", times=pa.types.is_timestamp(self._types[name]))

    def _kind(self, name: str) -> str:
        kind = kind_of_type(self._types[name])
        if kind is None:
            held = self._types[name]
            raise DataError(
                f"{self.name}: column {name!r} holds {held}, of which nothing is learned; pass {keyword('ignore', name)}."
            )
        return kind

    def pieces(self, plan: Plan | None = None) -> Iterator[Batch]:
        """The file's rows, a batch at a time."""
        names = plan.columns if plan else self.names
        for name in names:
            self._kind(name)
        size = max(1, min(ROWS, BYTES // (8 * max(1, len(names)))))
        with self._file() as file:
            for batch, share in self._batches(file, names, size):
                yield Batch(batch, int(self.source.size * share))
        self.source.check()

    def parse(self, batch: Batch, plan: Plan) -> TablePart:
        """The rows of a batch."""
        with self._readable():
            return make_part(dict(zip(batch.rows.schema.names, batch.rows.columns, strict=True)), plan)

    def place(self, number: int, batch: Batch | None, fault: Fault, first: int) -> str:
        """Where a fault is, by its row, counted from 1."""
        column = f", column {fault.column!r}" if fault.column is not None else ""
        return f"{self.name}: row {first + (fault.row or 0) + 1}{column}"


class ParquetFile(Columnar):
    """A Parquet file, or some of its groups of rows."""

    _groups: range | None = None  # None: all
    _before = 0  # rows of the file before these

    def __init__(self, source: Source, reading: Reading) -> None:
        super().__init__(source, reading)
        self._room = reading.room
        self._pages: dict[str, Pages] = {}

    def cuts(self, size: int) -> list[ParquetFile]:
        """See ``FileReader``.  Groups of rows stay whole; sizes are those that they have in memory."""
        found, first, bytes_so_far, rows = [], 0, 0, 0
        with self._file() as file:
            groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
        before = 0
        for place, group in enumerate(groups, 1):
            bytes_so_far, rows = bytes_so_far + group.total_byte_size, rows + group.num_rows
            following = groups[place].total_byte_size if place < len(groups) else size
            if bytes_so_far + following > size:
                part = copy.copy(self)
                part._groups, part._before, part._pages = range(first, place), before, {}
                found.append(part)
                first, bytes_so_far, before, rows = place, 0, before + rows, 0
        return found or [self]

    def place(self, number: int, batch: Batch | None, fault: Fault, first: int) -> str:
        """Where a fault is, by its row, counted from 1."""
        return super().place(number, batch, fault, self._before + first)

    def _open(self, opened: Any) -> Any:
        return self._with_dictionaries(opened, [])

    def _with_dictionaries(self, opened: Any, names: list[str], metadata: Any = None) -> Any:
        """Arrow's reader of the bytes of the file, which reads these columns as dictionaries."""
        from pyarrow import parquet  # here, since it takes a while to start

        # Not a whole group of rows at once: every column has a buffer.
        buffer = max(SMALLEST_BUFFER, BYTES // max(1, len(getattr(self, "names", ()))))
        return parquet.ParquetFile(opened, buffer_size=buffer, read_dictionary=names, metadata=metadata)

    def _schema(self, file: Any) -> Any:
        return file.schema_arrow

    def _batches(self, file: Any, names: list[str], size: int) -> Iterator[tuple[Any, float]]:
        rows = 0
        coded, size = self._fitting(file, names, size)
        longest = sum(self._pages[name].longest for name in names if name in self._pages)
        few = max(1, min(size, BYTES // max(1, longest)))
        with self._bytes() as opened:
            again = self._with_dictionaries(opened, coded, file.metadata)
            read = again.iter_batches(few, columns=names, row_groups=self._groups)
            for batch in read if few == size else joined(read, size):
                rows += batch.num_rows
                yield batch, rows / file.metadata.num_rows

    def _fitting(self, file: Any, names: list[str], size: int) -> tuple[list[str], int]:
        """Columns of texts that are read as dictionaries, so that rows share a text, as they do in the file; and the rows of a batch, so
        few that its texts take about ``BYTES``.  Pages that are larger than memory allows are refused.

        Of texts that are not in a dictionary, Arrow would make one of all that it has met: they are read as they are.
        """
        leaves = {file.schema.column(place).path: place for place in range(len(file.schema))}
        numbers = self._groups or range(file.num_row_groups)
        for name in names:
            if name not in self._pages and name in leaves:
                groups = [file.metadata.row_group(place) for place in numbers]
                found = pages_of(self.source.path, groups, leaves[name])
                if is_text(self._types[name]) and any(found.coded) and not all(found.coded):
                    refuse_pages(self.name, name, BATCHES * (found.dictionary + found.most_bytes(1)), self._room)
                    longest = self._longest(file, name, numbers)
                    sizes = [
                        max(size, rows * longest) if coded else size
                        for rows, size, coded in zip(found.rows, found.sizes, found.coded, strict=True)
                    ]
                    found = found._replace(sizes=sizes)
                self._pages[name] = found
        pages = {name: self._pages[name] for name in names if name in leaves}
        texts = [name for name in pages if is_text(self._types[name])]
        least = sum(pages[name].most_bytes(1) for name in texts)
        while size > 1 and sum(pages[name].most_bytes(size) for name in texts) > max(BYTES, 2 * least):
            size //= 2
        needed = {
            name: BATCHES * (each.dictionary + each.most_bytes(size))
            if name in texts
            else 2 * each.dictionary + each.most_bytes(1)  # a dictionary as it is stored, and its values
            for name, each in pages.items()
        }
        if needed:
            refuse_pages(self.name, max(needed, key=needed.__getitem__), sum(needed.values()), self._room)
        return [name for name in texts if pages[name].coded and all(pages[name].coded)], size

    def _longest(self, file: Any, name: str, groups: Iterable[int]) -> int:
        """Bytes of the longest text of a column's dictionaries."""
        found = 0
        with self._bytes() as opened:
            again = self._with_dictionaries(opened, [name], file.metadata)
            for place in groups:
                batch = next(again.iter_batches(1, columns=[name], row_groups=[place]), None)
                if batch is not None:
                    found = max(found, pc.max(pc.binary_length(batch.column(0).dictionary)).as_py() or 0)
        return found


def joined(batches: Iterable[Any], size: int) -> Iterator[Any]:
    """Batches that were read in few rows, since each may be long, as some of up to ``size`` rows or about ``BYTES``."""
    some, rows, taken = list[Any](), 0, 0
    for batch in chain(batches, [None]):
        if some and (batch is None or rows + batch.num_rows > size or taken > BYTES):
            yield pa.Table.from_batches(some).combine_chunks().to_batches()[0]
            some, rows, taken = [], 0, 0
        if batch is not None:
            some.append(batch)
            rows, taken = rows + batch.num_rows, taken + batch.nbytes


class ArrowFile(Columnar):
    """An Arrow or Feather file."""

    def __init__(self, source: Source, reading: Reading) -> None:
        refuse_batch(source.name, largest_batch(source.path), reading.room)
        super().__init__(source, reading)

    def _open(self, opened: Any) -> Any:
        return pa.ipc.open_file(opened)

    def _schema(self, file: Any) -> Any:
        return file.schema

    def _batches(self, file: Any, names: list[str], size: int) -> Iterator[tuple[Any, float]]:
        for place in range(file.num_record_batches):
            batch = file.get_batch(place).select(names)
            batch.validate(full=True)  # a damaged file would have Arrow read foreign memory
            for start in range(0, batch.num_rows, size):
                last = start + size >= batch.num_rows
                yield batch.slice(start, size), (place + last) / file.num_record_batches
