"""Parquet, Arrow and Feather files, a batch of rows at a time."""

from __future__ import annotations

import copy
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from ...report.words import keyword
from ...system.files import is_address, open_bytes
from ...system.threads import AHEAD
from ..store.blocks import DataError
from .arrow_columns import NO_DATES, ColumnKind, decide, is_text, kind_of_type, look_at, pa, pc
from .byte_sources import FileSource
from .frames import as_table
from .reading_options import Fault, Reading, ReadingPlan, refuse_batch, refuse_columns, refuse_names, refuse_pages
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

    def kinds(self, names: list[str], reading: Reading) -> dict[str, ColumnKind]:
        """What columns hold, by their types; of texts, whether they look like something else."""
        texts = [name for name in names if is_text(self._types[name])]
        batch = next(self.pieces(ReadingPlan((), tuple(texts), None, "classes")), None) if texts else None
        columns = dict(zip(texts, batch.rows.select(texts).columns, strict=True)) if batch else {}
        with self._readable():
            looks = {name: look_at(column, reading) for name, column in columns.items()}
        found = decide(looks, reading, typed=True)
        return {name: found[name] if name in found else self._typed(name, reading) for name in names}

    def _typed(self, name: str, reading: Reading) -> ColumnKind:
        kind = self._kind(name)
        if kind != "date":
            return ColumnKind(kind)
        if reading.dates == "leave-out" and name not in reading.use:
            return ColumnKind("category", looks="dates", remedy="dates='parts'", leave=NO_DATES)
        if reading.dates == "categories":
            return ColumnKind("category")
        return ColumnKind("date", order="ymd", times=pa.types.is_timestamp(self._types[name]))

    def _kind(self, name: str) -> str:
        kind = kind_of_type(self._types[name])
        if kind is None:
            held = self._types[name]
            raise DataError(
                f"{self.name}: column {name!r} holds {held}, of which nothing is learned; pass {keyword('ignore', name)}."
            )
        return kind

    def pieces(self, plan: ReadingPlan | None = None) -> Iterator[Batch]:
        """The file's rows, a batch at a time."""
        names = plan.columns if plan else self.names
        for name in names:
            self._kind(name)
        size = max(1, min(ROWS, BYTES // (8 * max(1, len(names)))))
        with self._file() as file:
            for batch, share in self._batches(file, names, size):
                yield Batch(batch, int(self.source.size * share))
        self.source.check()

    def parse(self, batch: Batch, plan: ReadingPlan) -> TablePart:
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

    def __init__(self, source: FileSource, reading: Reading) -> None:
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

    def __init__(self, source: FileSource, reading: Reading) -> None:
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


# How much memory the batches of an Arrow file take, before any of them is read.
#
# An Arrow file ends in a footer that lists its batches; each starts with a header that lists its buffers, and a compressed buffer
# starts with the size it will have (Apache Arrow columnar format, "IPC file format"; both are flatbuffers).  Only these are read
# here.  A file that contradicts itself is left to Arrow, which says what is wrong.

MAGIC = b"ARROW1"
DICTIONARIES, RECORDS = 2, 3  # fields of the footer
HEADER_KIND, HEADER = 1, 2  # of a message
DICTIONARY_BATCH = 2  # a kind of header
DATA = 1  # of a dictionary batch: the batch in it
BUFFERS, COMPRESSION = 2, 3  # of a batch


def largest_batch(path: str | os.PathLike[str]) -> int:
    """Bytes of the largest batch and of all dictionaries, which are read with any batch; 0 where the file does not say so."""
    try:
        with open_bytes(os.fspath(path)) as file:
            footer = _footer(file)
            dictionaries = sum(_batch_size(file, *block) for block in _blocks(footer, DICTIONARIES))
            return dictionaries + max((_batch_size(file, *block) for block in _blocks(footer, RECORDS)), default=0)
    except (struct.error, IndexError, OSError, OverflowError, ValueError):
        return 0


def _footer(file: BinaryIO) -> _Table:
    end = file.seek(-10, os.SEEK_END)
    (size,), magic = struct.unpack("<i", file.read(4)), file.read(6)
    if magic != MAGIC or not 0 < size <= end:
        raise ValueError("this is not the end of an Arrow file")
    file.seek(end - size)
    return _Table.root(file.read(size))


def _blocks(footer: _Table, field: int) -> Iterator[tuple[int, int, int]]:
    """Where batches or dictionaries lie: offset, bytes of the header, bytes of the body."""
    for place in footer.vector(field, 24):
        offset, header, body = struct.unpack_from("<qi4xq", footer.data, place)
        yield offset, header, body


def _batch_size(file: BinaryIO, offset: int, header: int, body: int) -> int:
    """Bytes of the body as it is read, and of its compressed buffers once they are not."""
    file.seek(offset)
    message = _Table.root(file.read(header)[8:])  # after a mark and the length
    batch = message.table(HEADER)
    if batch is not None and message.byte(HEADER_KIND) == DICTIONARY_BATCH:
        batch = batch.table(DATA)
    total = body
    if batch is not None and batch.table(COMPRESSION) is not None:
        for place in batch.vector(BUFFERS, 16):
            start, length = struct.unpack_from("<qq", batch.data, place)
            if length >= 8:
                file.seek(offset + header + start)
                total += max(0, struct.unpack("<q", file.read(8))[0])
    return total


class _Table:
    """A table of a flatbuffer: its fields are found by way of a list of their places."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self._place = data, place
        self._fields = place - struct.unpack_from("<i", data, place)[0]
        (self._size,) = struct.unpack_from("<H", data, self._fields)

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, struct.unpack_from("<I", data)[0])

    def _find(self, field: int) -> int | None:
        entry = 4 + 2 * field
        (offset,) = struct.unpack_from("<H", self.data, self._fields + entry) if entry < self._size else (0,)
        return self._place + offset if offset else None

    def _follow(self, field: int) -> int | None:
        place = self._find(field)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def byte(self, field: int) -> int:
        place = self._find(field)
        return 0 if place is None else self.data[place]

    def table(self, field: int) -> _Table | None:
        place = self._follow(field)
        return None if place is None else _Table(self.data, place)

    def vector(self, field: int, size: int) -> range:
        """Where the entries of a vector lie."""
        place = self._follow(field)
        if place is None:
            return range(0)
        (count,) = struct.unpack_from("<I", self.data, place)
        return range(place + 4, place + 4 + min(count, len(self.data) // size) * size, size)


# How much memory the pages of a Parquet file take, before any of them is read.
#
# A column of a group of rows is a sequence of pages, each after a header that has its size, compressed and not, and how many values
# it holds (Apache Parquet format, "Data pages"; headers are in Thrift's compact protocol).  Only headers are read here.  A file that
# contradicts itself is left to Arrow, which says what is wrong.

LONGEST_HEADER = 1 << 16  # bytes in which a header ends: it has two values of the page, cut short, at most
USUAL = 1 << 20  # bytes of a page, where its header is not looked at
UNPACKED, PACKED, VALUES = 2, 3, 1  # fields: of a header two sizes, of its inner header the number of values
DICTIONARY = 7  # field of a header: the inner header of a dictionary
ENCODING = {
    5: 2,
    8: 4,
}  # fields of a header: the inner headers of both kinds of data pages, and where they have the encoding
CODED = (2, 8)  # encodings by which values are places in the dictionary
SHORTENED = 7  # the encoding by which a value is what it has in common with the one before, and the rest


class Pages(NamedTuple):
    """The pages of a column, in the order of rows."""

    dictionary: int  # bytes of the largest dictionary
    rows: list[int]  # of each page
    sizes: list[int]  # bytes of each page
    coded: list[bool]  # whether each has places in the dictionary instead of values
    longest: int  # bytes that a value may have in pages whose values share what they begin with; 0: there are none

    def most_bytes(self, rows: int) -> int:
        """Bytes of the pages that so many neighbouring rows lie in, at most; without their dictionary."""
        most = total = inside = last = 0
        for first, size in enumerate(self.sizes):
            while last < len(self.rows) and inside - self.rows[first] < rows:  # they may start with the last of a page
                total, inside, last = total + self.sizes[last], inside + self.rows[last], last + 1
            most = max(most, total)
            total, inside = total - size, inside - self.rows[first]
        return most


def pages_of(path: str | os.PathLike[str], groups: list[Any], column: int) -> Pages:
    """The pages of a column in these groups of rows, of which Arrow's metadata are given.  Of files behind addresses, where every
    look takes long, what the metadata say of all pages together is believed."""
    dictionary, rows, sizes, coded, longest = 0, list[int](), list[int](), list[bool](), 0
    parts = [group.column(column) for group in groups]
    if is_address(os.fspath(path)):
        for part in parts:
            count = 1 + part.total_uncompressed_size // USUAL
            dictionary = max(dictionary, USUAL if part.has_dictionary_page else 0)
            rows += [-(-part.num_values // count)] * count
            sizes += [part.total_uncompressed_size // count] * count
            coded += [bool(part.has_dictionary_page)] * count
            if "DELTA_BYTE_ARRAY" in part.encodings:
                longest = max(longest, part.total_uncompressed_size)
        return Pages(dictionary, rows, sizes, coded, longest)
    try:
        with open_bytes(os.fspath(path)) as file:
            for part in parts:
                place = min(part.dictionary_page_offset or part.data_page_offset, part.data_page_offset)
                end = place + part.total_compressed_size
                while place < end:
                    header, length = _header(file, place)
                    place += length + header[PACKED]
                    if DICTIONARY in header:
                        dictionary = max(dictionary, header[UNPACKED])
                        continue
                    kind = next(field for field in ENCODING if field in header)
                    rows.append(header[kind][VALUES])
                    sizes.append(header[UNPACKED])
                    coded.append(header[kind][ENCODING[kind]] in CODED)
                    if header[kind][ENCODING[kind]] == SHORTENED:
                        longest = max(longest, header[UNPACKED])
    except (IndexError, KeyError, OSError, StopIteration, ValueError):
        pass
    return Pages(dictionary, rows, sizes, coded, longest)


def _header(file: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    """The header of the page there, and its bytes."""
    file.seek(place)
    fields, length = _struct(file.read(LONGEST_HEADER), 0)
    if min(fields[UNPACKED], fields[PACKED]) < 0:
        raise ValueError("a size is negative")
    return fields, length


def _struct(data: bytes, i: int) -> tuple[dict[int, Any], int]:
    """The whole numbers and structs among the fields of a struct, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while data[i]:
        step, kind = data[i] >> 4, data[i] & 15
        i += 1
        if step:
            number += step
        else:
            number, i = _whole(data, i)
        fields[number], i = _value(data, i, kind)
    return fields, i + 1


def _value(data: bytes, i: int, kind: int) -> tuple[Any, int]:
    """A value of this kind, if it is a whole number or a struct, and where it ends."""
    if kind in (1, 2):  # true and false are kinds
        return None, i
    if kind == 3:
        return None, i + 1
    if kind in (4, 5, 6):
        return _whole(data, i)
    if kind == 7:
        return None, i + 8
    if kind == 8:
        size, i = _varint(data, i)
        return None, i + size
    if kind == 12:
        return _struct(data, i)
    raise ValueError("pages have no lists and maps in their headers")


def _whole(data: bytes, i: int) -> tuple[int, int]:
    number, i = _varint(data, i)
    return (number >> 1) ^ -(number & 1), i


def _varint(data: bytes, i: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[i] & 127) << shift
        i, shift = i + 1, shift + 7
        if data[i - 1] < 128:
            return number, i


# A data frame or an Arrow table read by the rules of files: ids left out, texts that mean "missing", dates, rows dropped.


class FrameSource:
    """A frame in memory, where readers of files have a file."""

    compression = None

    def __init__(self, frame: Any, number: int | None = None) -> None:
        """``number`` is that of the frame, if there are several."""
        self.frame, self.path = frame, ""
        library, _, _ = type(frame).__module__.partition(".")
        self.name = f"{library} {type(frame).__name__}" + ("" if number is None else f" {number}")
        self.table = as_table(frame)
        self.size = int(self.table.nbytes)

    def check(self) -> None:
        """Arrow holds the rows: they stay as they are."""


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
